/* SPDX-License-Identifier: MIT */
/*
 * varint: numbers as bytes, seven bits in each, lowest first; the eighth bit is
 * set where more follow (base-128 varints, as in Protocol Buffers).
 */
#ifndef MODEL_VARINT_H
#define MODEL_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX 10	/* bytes of the longest */

/* Writes v at p, which has room for it; returns what is behind it. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*p++ = (uint8_t)(v | 128);
	*p++ = (uint8_t)v;
	return p;
}

/* Reads *v from at..end; returns what is behind it, NULL where it is cut off or
 * no number of 64 bits. */
static inline const uint8_t *varint_get(const uint8_t *at, const uint8_t *end,
					uint64_t *v)
{
	uint64_t sum = 0;

	for (int shift = 0; shift < 64 && at < end; shift += 7) {
		if (shift == 63 && *at > 1)
			break;
		sum |= (uint64_t)(*at & 127) << shift;
		if (*at++ < 128) {
			*v = sum;
			return at;
		}
	}
	return NULL;
}

#endif
