/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include "collect/perf.h"
#include "model/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err err = { 0 };
	struct record r;
	struct perf *p;

	if (!perf_magic(data, len) ||
	    perf_open(&p, fuzz_file(data, len), true, &err) < 0)
		return 0;
	while (perf_next(p, &r, &err) > 0)
		;
	perf_close(p);
	return 0;
}
