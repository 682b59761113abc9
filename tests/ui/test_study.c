/* SPDX-License-Identifier: MIT */
/* What a run is drawn from: made once, kept where it can be, never stale. */
#include "ui/study.h"

#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"
#include "ui/cmd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/ui/file_study.h"

static int setup(void **state)
{
	struct err err = { 0 };

	*state = folder_new();
	OK(file_study(folder_path(*state, "x.hn"), &err));
	return 0;
}

static int teardown(void **state)
{
	folder_remove(*state);
	return 0;
}

/* Opens, loads, adds up one row of four buckets over all tasks; 1650000 ns ran
 * (file_study.h), cut at 250, 500 and 750 us. */
static int draw(const char *path, enum study_keep *keep, struct err *err)
{
	static const int64_t want[] = { 400000, 350000, 500000, 400000 };
	struct study s;
	struct grid g = { 0 };
	int ret = study_open(&s, path, NULL, err), i, run = 0;

	if (!ret)
		ret = study_load(&s, 0, NULL, err);
	if (!ret)
		ret = grid_init(&g, 0, 1000000, 4, 1, 2, err);
	if (!ret) {
		study_look(&s);
		tracks_fill(s.run[0].tracks, TRACK_TASK, 0, &g, 0);
		tracks_fill(s.run[0].tracks, TRACK_TASK, 1, &g, 0);
		ret = study_look_end(&s, &run, 1, err);
		*keep = s.run[0].keep;
	}
	for (i = 0; !ret && i < 4; i++)
		assert_int_equal(grid_at(&g, 0, i)->ns[GRID_RUN], want[i]);
	grid_release(&g);
	study_release(&s);
	return ret;
}

static void change(const char *path, const char *sql)
{
	struct err err = { 0 };
	struct store *s;

	OK(store_open(&s, path, STORE_WRITE, &err));
	scratch_exec(s, sql);
	store_close(s);
}

static const char *ask(const char *path, const char *sql)
{
	const char *answer;
	struct err err = { 0 };
	struct store *s;

	OK(store_open(&s, path, STORE_READ, &err));
	answer = scratch_ask(s, sql);
	store_close(s);
	return answer;
}

static void test_made_once(void **state)
{
	const char *path = folder_path(*state, "x.hn");
	enum study_keep keep;
	struct err err = { 0 };

	OK(draw(path, &keep, &err));
	assert_string_equal(ask(path, "SELECT run || ' ' || spans FROM "
				"drawing"), "0 4");
	/* Two tasks and four CPUs. */
	assert_string_equal(ask(path, "SELECT count(*) FROM drawing_track"),
			    "6");
	/* The second time it is not made: the spans are not even read. */
	change(path, "UPDATE span SET len = 7 WHERE id = 0");
	OK(draw(path, &keep, &err));
	/* Of another version it is, and so the change is seen. */
	change(path, "UPDATE drawing SET version = 0;"
	       "UPDATE span SET task = 77 WHERE id = 0");
	assert_int_equal(draw(path, &keep, &err), ERR_FORMAT);
}

/* While another writes it goes to a temporary place, and the file stays. */
static void test_other_writes(void **state)
{
	const char *path = folder_path(*state, "x.hn");
	enum study_keep keep;
	struct err err = { 0 };
	struct store *other;
	struct study s;

	/* Run 0 itself is made first. */
	OK(study_open(&s, path, NULL, &err));
	study_release(&s);
	OK(store_open(&other, path, STORE_WRITE, &err));
	scratch_exec(other, "BEGIN IMMEDIATE");
	OK(draw(path, &keep, &err));
	assert_int_equal(keep, KEEP_TEMP);
	scratch_exec(other, "COMMIT");
	store_close(other);
	assert_string_equal(ask(path, "SELECT count(*) FROM drawing"), "0");
	OK(draw(path, &keep, &err));
	assert_int_equal(keep, KEEP_FILE);
	assert_string_equal(ask(path, "SELECT count(*) FROM drawing"), "1");
}

/* What was damaged is said, with the file's name. */
static void test_damaged(void **state)
{
	const char *path = folder_path(*state, "x.hn");
	enum study_keep keep;
	struct err err = { 0 };

	OK(draw(path, &keep, &err));
	change(path, "UPDATE drawing_node SET data = x'0100'");
	assert_int_equal(draw(path, &keep, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "x.hn': damaged: node"));
	assert_non_null(strstr(err.text, "drawing"));
	err = (struct err){ 0 };
	change(path, "UPDATE drawing_track SET head = x''");
	assert_int_equal(draw(path, &keep, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "x.hn': damaged: what is kept"));
	err = (struct err){ 0 };
	change(path, "DELETE FROM drawing");
	OK(draw(path, &keep, &err));
}

/* report adds up spans by residency; the columns of the grid come to the same,
 * for each task and node, on a real recording and odd columns. */
static void test_sums_of_report(void **state)
{
	const char *path = folder_path(*state, "real.hn");
	char *words[] = { "import", "tests/data/numatest8-nb0-r1.dat",
			  "--topology", "package:4 l3:1 numa:1 core:2 pu:1",
			  "-o", (char *)path, NULL };
	struct err err = { 0 };
	struct store_spans *it;
	struct study s;
	struct span sp;
	struct grid g;
	int task, col, node, compared = 0;

	OK(cmd_import.run(6, words, &err));
	OK(study_open(&s, path, NULL, &err));
	OK(study_load(&s, 0, NULL, &err));
	OK(store_spans_open(s.store, 0, INT64_MIN, INT64_MAX, &it, &err));
	while (store_spans_next(it, &sp, &err) > 0)
		OK(residency_span(s.run[0].residency, &sp, &err));
	store_spans_close(it);
	OK(grid_init(&g, s.runs[0].start_ns, s.runs[0].end_ns, 337, 1, 4,
		     &err));
	for (task = 0; task < s.tasks.nr; task++) {
		const struct residency_task *t =
			residency_task(s.run[0].residency, task);
		int64_t run = 0, moves = 0, wait = 0, by_node[4] = { 0 };

		if (!t)
			continue;
		grid_clear(&g);
		tracks_fill(s.run[0].tracks, TRACK_TASK, task, &g, 0);
		for (col = 0; col < 337; col++) {
			run += grid_at(&g, 0, col)->ns[GRID_RUN];
			wait += grid_at(&g, 0, col)->ns[GRID_WAIT];
			moves += grid_at(&g, 0, col)->node_moves;
			for (node = 0; node < 4; node++)
				by_node[node] += grid_nodes(&g, 0, col)[node];
		}
		assert_int_equal(run, t->cpu_ns);
		assert_int_equal(wait, t->wait_ns);
		assert_int_equal(moves, t->node_migrations);
		for (node = 0; node < 4; node++)
			assert_int_equal(by_node[node], t->node_ns[node]);
		compared++;
	}
	assert_true(compared > 200);
	grid_release(&g);
	study_release(&s);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_made_once),
		TEST(test_other_writes),
		TEST(test_damaged),
		TEST(test_sums_of_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
