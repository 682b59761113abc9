/* SPDX-License-Identifier: MIT */
#include "tests/support/scratch.h"

#include "model/err.h"
#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

int scratch_setup(void **state)
{
	struct scratch *y = calloc(1, sizeof(*y));
	struct err err = { 0 };

	y->folder = folder_new();
	*state = y;
	return store_create(&y->s, scratch_path(y), false, &err);
}

int scratch_teardown(void **state)
{
	struct scratch *y = *state;

	store_close(y->s);
	if (seteuid(getuid()))	/* a test may have stopped being root */
		return -1;
	folder_remove(y->folder);
	free(y);
	return 0;
}

const char *scratch_path(const struct scratch *y)
{
	return folder_path(y->folder, "x.hn");
}

void scratch_reopen(struct scratch *y, enum store_mode mode)
{
	struct err err = { 0 };

	OK(store_commit(y->s, &err));
	store_close(y->s);
	y->s = NULL;
	OK(store_open(&y->s, scratch_path(y), mode, &err));
}

void scratch_world(struct store *s, int nr_tasks, int nr_areas)
{
	struct tasks t = { 0 };
	struct areas a = { 0 };
	struct err err = { 0 };

	for (int i = 0; i < nr_tasks; i++)
		assert_non_null(tasks_add(&t, 100 + i, 0));
	for (int i = 0; i < nr_areas; i++)
		assert_non_null(areas_add(&a, 0));
	OK(store_put_tasks(s, &t, &err));
	OK(store_put_areas(s, &a, &err));
	tasks_release(&t);
	areas_release(&a);
}

const char *scratch_ask(struct store *s, const char *sql)
{
	static char buf[300];
	struct err err = { 0 };
	struct store_query *q;
	const char *rest, *text;
	bool number;
	int len;

	OK(store_query_open(s, sql, &rest, &q, &err));
	if (store_query_step(q, &err) != 1)
		fail_msg("%s: %s", sql, err.code ? err.text : "no row");
	text = store_query_text(q, 0, &len, &number);
	snprintf(buf, sizeof(buf), "%s", text ? text : "NULL");
	store_query_close(q);
	return buf;
}

void scratch_exec(struct store *s, const char *sql)
{
	struct err err = { 0 };
	struct store_query *q;

	while (*sql) {
		OK(store_query_open(s, sql, &sql, &q, &err));
		if (!q)
			break;
		while (store_query_step(q, &err) > 0)
			;
		store_query_close(q);
		if (err.code)
			fail_msg("%s", err.text);
	}
}
