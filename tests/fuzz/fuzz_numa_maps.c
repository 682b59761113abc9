/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include "collect/numa_maps.h"
#include "model/err.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct numa_maps_area area = { 0 };
	const char *at = (const char *)data, *end = at + len;

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		struct err err = { 0 };

		line_end = line_end ? line_end : end;
		numa_maps_parse(&area, at, (size_t)(line_end - at), 4096, &err);
		at = line_end + 1;
	}
	numa_maps_area_release(&area);
	return 0;
}
