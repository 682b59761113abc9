/* SPDX-License-Identifier: MIT */
/* What runs are drawn from: made, found again, stale, undone, elsewhere. */
#include "tests/support/scratch.h"

#include "model/err.h"
#include "schema/stmt_local.h"
#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

/* A run of nr spans of 1 ns, on CPU 0. */
static void put_run(struct store *s, int id, int nr)
{
	struct run_info info = { .id = id, .policy = (char *)"o1",
				 .end_ns = nr };
	struct err err = { 0 };
	struct run_sink sink;

	OK(store_run_begin(s, &info, &sink, &err));
	for (int i = 0; i < nr; i++) {
		struct span sp = { .start_ns = i, .end_ns = i + 1,
				   .ready_ns = -1, .waker = TASK_NONE };

		OK(sink.span(sink.ctx, &sp, &err));
	}
	OK(store_run_end(s, &info, &err));
}

static void start(struct scratch *y, enum store_mode mode)
{
	struct capture c = { 0 };
	struct err err = { 0 };

	OK(store_put_capture(y->s, &c, &err));
	scratch_world(y->s, 3, 0);
	put_run(y->s, 0, 5);
	put_run(y->s, 7, 3);
	scratch_reopen(y, mode);
}

static int put(struct store_tracks *t, int64_t id, const char *text,
	       struct err *err)
{
	const struct tracks_store *n = store_tracks_nodes(t);

	return n->put(n->ctx, id, text, strlen(text), err);
}

/* Two nodes and a head each of task 2 and CPU 65535. */
static void make(struct store *s, int run, bool temp)
{
	struct store_tracks *t;
	struct err err = { 0 };

	OK(store_tracks_make(s, run, temp, &t, &err));
	OK(put(t, 0, "zero", &err));
	OK(put(t, 1, "one", &err));
	OK(store_tracks_put_head(t, TRACK_TASK, 2, "task", 4, &err));
	OK(store_tracks_put_head(t, TRACK_CPU, 65535, "cpu", 3, &err));
	OK(store_tracks_done(t, &err));
	store_tracks_close(t);
}

static int add_text(void *ctx, const void *bytes, size_t len)
{
	char *text = ctx;
	size_t at = strlen(text);

	memcpy(text + at, bytes, len);
	text[at + len] = 0;
	return 0;
}

static int add_head(void *ctx, enum track_kind kind, int number,
		    const void *head, size_t len, struct err *err)
{
	char text[60];

	snprintf(text, sizeof(text), " %s %d ",
		 kind == TRACK_CPU ? "c" : "t", number);
	add_text(ctx, text, strlen(text));
	return add_text(ctx, head, len);
}

/* Everything that there is of a run as text; "" for nothing. */
static const char *text_of(struct store *s, int run)
{
	static char text[400];
	const struct tracks_store *n;
	struct store_tracks *t;
	struct err err = { 0 };
	int there = store_tracks_open(s, run, &t, &err);

	*text = 0;
	assert_true(there >= 0);
	if (!there)
		return text;
	n = store_tracks_nodes(t);
	for (int i = 0; i < 2; i++)
		OK(n->get(n->ctx, i, add_text, text, &err));
	assert_int_equal(n->get(n->ctx, 2, add_text, text, &err), ERR_FORMAT);
	assert_int_equal(n->get(n->ctx, -1, add_text, text, &err), ERR_FORMAT);
	OK(store_tracks_each_head(t, add_head, text, &err));
	store_tracks_close(t);
	return text;
}

#define ALL "zeroone t 2 task c 65535 cpu"

static void test_made(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };

	start(y, STORE_WRITE);
	assert_string_equal(text_of(y->s, 0), "");
	make(y->s, 0, false);
	make(y->s, 7, false);
	make(y->s, 7, false);	/* in place of it */
	assert_string_equal(text_of(y->s, 0), ALL);
	assert_string_equal(text_of(y->s, 7), ALL);
	assert_string_equal(text_of(y->s, 6), "");
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM "
				      "drawing_node"), "4");
	store_close(y->s);
	y->s = NULL;
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
	assert_string_equal(text_of(y->s, 7), ALL);
}

/* Another version, other spans, another run of that number. */
static void test_stale(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };

	start(y, STORE_WRITE);
	make(y->s, 0, false);
	make(y->s, 7, false);
	scratch_exec(y->s, "UPDATE drawing SET version = version + 1");
	assert_string_equal(text_of(y->s, 0), "");
	scratch_exec(y->s, "UPDATE drawing SET version = version - 1");
	assert_string_equal(text_of(y->s, 0), ALL);
	scratch_exec(y->s, "DELETE FROM span WHERE id = 4");
	assert_string_equal(text_of(y->s, 0), "");
	OK(store_run_drop(y->s, 7, &err));
	put_run(y->s, 7, 3);
	assert_string_equal(text_of(y->s, 7), "");
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM "
				      "drawing_node"), "2");
	OK(store_drop_derived(y->s, &err));
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM "
				      "drawing_node"), "0");
}

/* Begun and left: what was there before is there again. */
static void test_undone(void **state)
{
	struct scratch *y = *state;
	struct store_tracks *t;
	struct err err = { 0 };

	start(y, STORE_WRITE);
	make(y->s, 0, false);
	OK(store_tracks_make(y->s, 0, false, &t, &err));
	OK(put(t, 0, "other", &err));
	store_tracks_close(t);
	assert_string_equal(text_of(y->s, 0), ALL);

	/* Inside of another's changes only its own rows go. */
	OK(store_begin(y->s, &err));
	OK(store_tracks_make(y->s, 7, false, &t, &err));
	OK(put(t, 0, "other", &err));
	store_tracks_close(t);
	OK(store_put_repair(y->s, "kept", 5, &err));
	OK(store_end(y->s, &err));
	assert_string_equal(text_of(y->s, 7), "");
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM repair"),
			    "1");
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM "
				      "drawing_node"), "2");
}

/* A store that only reads, and one that is told to: the file stays as it is. */
static void test_temporary(void **state)
{
	struct scratch *y = *state;
	const struct tracks_store *n;
	struct store_tracks *t;
	struct err err = { 0 };
	char text[100] = "";

	start(y, STORE_READ);
	OK(store_tracks_make(y->s, 0, false, &t, &err));
	OK(put(t, 0, "zero", &err));
	OK(store_tracks_done(t, &err));
	n = store_tracks_nodes(t);
	OK(n->get(n->ctx, 0, add_text, text, &err));
	assert_string_equal(text, "zero");
	store_tracks_close(t);
	store_close(y->s);
	OK(store_open(&y->s, scratch_path(y), STORE_WRITE, &err));
	assert_string_equal(text_of(y->s, 0), "");
	OK(store_tracks_make(y->s, 7, true, &t, &err));
	OK(put(t, 0, "zero", &err));
	OK(store_tracks_done(t, &err));
	store_tracks_close(t);
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM "
				      "main.drawing_node"), "0");
}

/* Another program writes: said soon, and nothing is broken. */
static void test_busy(void **state)
{
	struct scratch *y = *state;
	struct store_tracks *t;
	struct store *other;
	struct err err = { 0 };

	start(y, STORE_WRITE);
	OK(store_open(&other, scratch_path(y), STORE_WRITE, &err));
	scratch_exec(other, "BEGIN IMMEDIATE");
	assert_int_equal(store_tracks_make(y->s, 0, false, &t, &err), ERR_IO);
	assert_null(t);
	scratch_exec(other, "COMMIT");
	store_close(other);
	make(y->s, 0, false);
	assert_string_equal(text_of(y->s, 0), ALL);
}

/* Format 1 had none of the tables, nor latencies.  Runs stay; who may not write reads on. */
static void test_format_1(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };
	struct run_info *runs;
	struct latency *none;
	int nr;

	start(y, STORE_WRITE);
	scratch_exec(y->s, "DROP TABLE drawing; DROP TABLE drawing_node;"
		     "DROP TABLE drawing_track; DROP TABLE latency;"
		     "PRAGMA user_version = 1");
	store_close(y->s);
	y->s = NULL;
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
	assert_string_equal(text_of(y->s, 7), "");
	make(y->s, 7, false);
	OK(store_get_latencies(y->s, &none, &nr, &err));
	assert_int_equal(nr, 0);
	store_close(y->s);
	y->s = NULL;
	OK(store_open(&y->s, scratch_path(y), STORE_WRITE, &err));
	assert_string_equal(scratch_ask(y->s, "PRAGMA user_version"),
			    "3");
	OK(store_get_runs(y->s, &runs, &nr, &err));
	assert_int_equal(nr, 2);
	run_info_release(&runs[0]);
	run_info_release(&runs[1]);
	free(runs);
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM span"),
			    "8");
	make(y->s, 7, false);
	assert_string_equal(text_of(y->s, 7), ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_made),
		SCRATCH_TEST(test_stale),
		SCRATCH_TEST(test_undone),
		SCRATCH_TEST(test_temporary),
		SCRATCH_TEST(test_busy),
		SCRATCH_TEST(test_format_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
