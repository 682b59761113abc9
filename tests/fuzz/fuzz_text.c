/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include "collect/text.h"
#include "model/err.h"

static int on_miss(void *ctx, const char *what, int64_t count, int64_t line,
		   const char *first)
{
	for (const char *c = first; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			__builtin_trap();
	return 0;
}

static int on_skipped(void *ctx, const char *name, int64_t count,
		      struct err *err)
{
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err err = { 0 };
	struct record r;
	struct text *t;

	if (text_open(&t, fuzz_file(data, len), 1, &err) < 0)
		return 0;
	while (text_next(t, &r, &err) > 0)
		;
	text_each_miss(t, on_miss, NULL);
	text_each_skipped(t, on_skipped, NULL, &err);
	text_close(t);
	return 0;
}
