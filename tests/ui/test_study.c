/* SPDX-License-Identifier: MIT */
/* What a run is drawn from: made once, kept where it can be, never stale. */
#include "ui/study.h"

#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"

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

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_made_once),
		TEST(test_other_writes),
		TEST(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
