/* SPDX-License-Identifier: MIT */
/*
 * bytes: unaligned numbers of either byte order out of a buffer.  The caller
 * has checked that they are inside it.
 */
#ifndef COLLECT_BYTES_H
#define COLLECT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BYTES_HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t bytes_u16(const uint8_t *p, bool big_endian)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == BYTES_HOST_BIG ? v : __builtin_bswap16(v);
}

static inline uint32_t bytes_u32(const uint8_t *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == BYTES_HOST_BIG ? v : __builtin_bswap32(v);
}

static inline uint64_t bytes_u64(const uint8_t *p, bool big_endian)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == BYTES_HOST_BIG ? v : __builtin_bswap64(v);
}

#endif
