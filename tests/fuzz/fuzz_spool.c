/* SPDX-License-Identifier: MIT */
/* The input is all files of a spool: each behind a line "@@a" (the first name
 * below), "@@b" and so on.  Made into rows of a store that is dropped. */
#include "tests/fuzz/fuzz.h"

#include "collect/spool.h"
#include "model/err.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
	"homenode-spool", "header_page", "sched.sched_switch.format",
	"sched.sched_process_fork.format", "topology", "knobs", "tasks",
	"places", "cpu0.raw", "cpu1.raw", "marks", "tail",
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static void put_files(const uint8_t *data, size_t len)
{
	const uint8_t *at = data, *end = data + len;

	while (end - at > 4 && memcmp(at, "@@", 2) == 0) {
		unsigned which = at[2] - 'a';
		const uint8_t *next = memmem(at + 4, (size_t)(end - at - 4),
					     "\n@@", 3);
		size_t size = (size_t)((next ? next + 1 : end) - (at + 4));

		if (which < NR_NAMES)
			fuzz_put(names[which], at + 4, size);
		at = next ? next + 1 : end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct ingest_totals totals;
	struct store *s = NULL;
	struct err err = { 0 };
	char path[200];

	for (size_t i = 0; i < NR_NAMES; i++) {
		snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), names[i]);
		unlink(path);
	}
	put_files(data, len);
	snprintf(path, sizeof(path), "%s/x.homenode", fuzz_folder());
	if (!spool_is(fuzz_folder()) || store_create(&s, path, true, &err) < 0)
		return 0;
	spool_import(fuzz_folder(), s, NULL, &totals, &err);
	store_close(s);
	return 0;
}
