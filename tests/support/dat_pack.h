/* SPDX-License-Identifier: MIT */
/*
 * dat_pack: compresses for dat_build.  It stands in a header, for tests of the
 * core are linked with all of tests/support and without these libraries.
 */
#ifndef TESTS_SUPPORT_DAT_PACK_H
#define TESTS_SUPPORT_DAT_PACK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static inline size_t dat_pack(const char *compression, const uint8_t *from,
			      size_t len, uint8_t *to, size_t room)
{
	uLongf got = room;

	if (strcmp(compression, "zstd") == 0)
		return ZSTD_compress(to, room, from, len, 1);
	if (compress(to, &got, from, len) != Z_OK)
		abort();
	return got;
}

#endif
