/* SPDX-License-Identifier: MIT */
/*
 * The input is all files of a spool: each behind a line "@@a" (the first of
 * spool_names), "@@b" and so on.  Made into rows of one store, in a transaction
 * that is rolled back: to make a store for each input took most of the time.
 */
#include "tests/fuzz/fuzz.h"

#include "collect/spool.h"
#include "model/err.h"
#include "schema/store_local.h"
#include "tests/fuzz/spool_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_files(const uint8_t *data, size_t len)
{
	const uint8_t *at = data, *end = data + len;

	while (end - at > 4 && memcmp(at, "@@", 2) == 0) {
		unsigned which = at[2] - 'a';
		const uint8_t *next = memmem(at + 4, (size_t)(end - at - 4),
					     "\n@@", 3);
		size_t size = (size_t)((next ? next : end) - (at + 4));

		if (which < NR_SPOOL_NAMES)
			fuzz_put(spool_names[which], at + 4, size);
		at = next ? next + 1 : end;
	}
}

static struct store *new_store(void)
{
	struct store *s;
	struct err err = { 0 };
	char path[200];

	snprintf(path, sizeof(path), "%s/x.store", fuzz_folder());
	if (store_create(&s, path, true, &err) || store_commit(s, &err) ||
	    store_exec(s, "PRAGMA journal_mode = MEMORY", &err))
		abort();
	return s;
}

/* As if nothing had been written: no writer, nothing known, no rows. */
static void roll_back(struct store *s)
{
	struct err err = { 0 };

	store_events_writer_free(s);
	store_runs_free(s);
	if (store_exec(s, "ROLLBACK", &err))
		abort();
	s->depth = 0;
	s->origin_known = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct store *s;
	struct ingest_totals totals;
	struct err err = { 0 };

	if (!s)
		s = new_store();
	for (size_t i = 0; i < NR_SPOOL_NAMES; i++) {
		char path[200];

		snprintf(path, sizeof(path), "%s/%s", fuzz_folder(),
			 spool_names[i]);
		unlink(path);
	}
	put_files(data, len);
	if (!spool_is(fuzz_folder()))
		return 0;
	if (store_begin(s, &err))
		abort();
	spool_import(fuzz_folder(), s, NULL, &totals, &err);
	roll_back(s);
	return 0;
}
