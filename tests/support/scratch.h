/* SPDX-License-Identifier: MIT */
/*
 * scratch: a store in a folder of its own, as the state of a cmocka test.
 */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

#include "schema/store.h"

/* Fails the test with the text of `err`, which must be in scope. */
#define OK(call) do { \
		int rc_ = (call); \
		if (rc_) \
			fail_msg("%s: %d %s", #call, rc_, err.text); \
	} while (0)

struct scratch {
	char *folder;
	struct store *s;	/* being created, under the name x.hn */
};

int scratch_setup(void **state);
int scratch_teardown(void **state);
#define SCRATCH_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

/* The file's name; good until the next calls of folder_path(). */
const char *scratch_path(const struct scratch *y);

/* Commits what was created, closes it, opens it again. */
void scratch_reopen(struct scratch *y, enum store_mode mode);

/* So many tasks (tids from 100) and areas, that other rows may name them. */
void scratch_world(struct store *s, int nr_tasks, int nr_areas);

/* First column of the first row of a query, "NULL" for NULL, in a static
 * buffer; fails the test if there is no row. */
const char *scratch_ask(struct store *s, const char *sql);

/* Runs statements without results. */
void scratch_exec(struct store *s, const char *sql);

#endif
