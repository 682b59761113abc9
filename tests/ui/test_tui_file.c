/* SPDX-License-Identifier: MIT */
/*
 * The terminal program on files: replays from within, runs that others add, a
 * recording that grows and ends while it is looked at, and pictures and tables
 * that it writes.  It runs itself for replays, which is this program here.
 */
#include "file_study.h"
#include "tests/collect/spool_build.h"
#include "tests/support/folder.h"
#include "ui/bar.h"
#include "ui/cmd.h"
#include "ui/tui_local.h"
#include "ui/tui_script.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

#define MS INT64_C(1000000)

struct world {
	char *folder, path[PATH_MAX], spool[PATH_MAX];
	struct study study;
	struct tui t;
	struct err err;
};

static int setup(void **state)
{
	static struct world w;

	w = (struct world){ .folder = folder_new() };
	snprintf(w.path, sizeof(w.path), "%s", folder_path(w.folder, "x.hn"));
	snprintf(w.spool, sizeof(w.spool), "%s",
		 folder_path(w.folder, "x.hn.spool"));
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	if (w->t.study)
		tui_close(&w->t);
	study_release(&w->study);
	folder_remove(w->folder);
	return 0;
}

static void open_tui(struct world *w)
{
	assert_int_equal(tui_open(&w->t, &w->study, 100, 30, COLOURS_NONE,
				  THEME_DARK, false, &w->err), 0);
	w->t.follow.path = w->path;
}

static void open_file(struct world *w)
{
	if (file_study(w->path, &w->err) ||
	    study_open(&w->study, w->path, NULL, &w->err))
		fail_msg("%s", w->err.text);
	open_tui(w);
}

static void play(struct world *w, const char *script)
{
	const char *path = folder_path(w->folder, "keys");

	assert_int_equal(file_write(path, script, strlen(script)), 0);
	if (tui_script(&w->t, path, &w->err))
		fail_msg("%s", w->err.text);
	assert_int_equal(tui_draw(&w->t, &w->err), 0);
}

static void says(struct world *w, const char *text)
{
	if (!strstr(w->t.message, text))
		fail_msg("'%s' does not say '%s'", w->t.message, text);
}

/* Is it on the screen? */
static void shows(struct world *w, const char *text)
{
	char *screen = NULL;
	size_t size;
	FILE *out = open_memstream(&screen, &size);

	assert_int_equal(tui_draw(&w->t, &w->err), 0);
	assert_int_equal(canvas_print(&w->t.canvas, COLOURS_NONE, THEME_DARK,
				      out), 0);
	fclose(out);
	if (!strstr(screen, text))
		fail_msg("no '%s' in:\n%s", text, screen);
	free(screen);
}

static void test_replay(void **state)
{
	struct world *w = *state;

	open_file(w);
	play(w, "key P\ntype o1 --seed 7\nkey Enter\nwait\n");
	says(w, "replayed: run 1, o1,seed=7");
	assert_int_equal(w->study.nr_runs, 2);
	assert_int_equal(w->study.runs[1].seed, 7);
	/* What was shown is still shown; the new one can be. */
	assert_int_equal(w->t.run, 0);
	play(w, "key r\nwait\n");
	assert_int_equal(w->t.run, 1);
	assert_true(w->study.run[1].loaded);
	play(w, "key P\ntype o1 --seed 7\nkey Enter\nwait\n");
	says(w, "had this replay already");
	assert_int_equal(w->study.nr_runs, 2);
	assert_int_equal(w->t.run, 1);
}

static void test_replay_fails(void **state)
{
	struct world *w = *state;

	open_file(w);
	play(w, "key P\ntype nosuch\nkey Enter\nwait\n");
	says(w, "replay of nosuch: ");
	play(w, "key P\ntype o1,nosuch=1\nkey Enter\nwait\n");
	says(w, "replay of o1,nosuch=1: ");
	play(w, "key P Enter\n");
	assert_int_equal(w->t.job.kind, TUI_JOB_NONE);
	assert_int_equal(w->study.nr_runs, 1);
}

static void test_replay_cancelled(void **state)
{
	struct world *w = *state;
	pid_t pid;

	open_file(w);
	play(w, "key P\ntype o1 --seeds 100000 --jobs 1\nkey Enter\n");
	assert_int_equal(w->t.job.kind, TUI_JOB_REPLAY);
	/* It goes on beside: keys work, and its progress is shown. */
	w->t.job.done = 0.42;
	play(w, "key 4 Right\n");
	shows(w, "replay o1 --seeds 100000 --jobs 1: 42 % (X cancels)");
	shows(w, "cpu 3");
	pid = w->t.job.pid;
	play(w, "key P\n");
	says(w, "one replay at a time");
	play(w, "key X\n");
	says(w, "cancelled");
	assert_int_equal(w->t.job.kind, TUI_JOB_NONE);
	assert_int_equal(kill(pid, 0), -1);
	play(w, "key X\n");
	says(w, "no replay is running");
}

/* The end of the program is the end of the replay. */
static void test_replay_left(void **state)
{
	struct world *w = *state;
	pid_t pid;

	open_file(w);
	play(w, "key P\ntype o1 --seeds 100000 --jobs 1\nkey Enter\n");
	pid = w->t.job.pid;
	tui_close(&w->t);
	assert_int_equal(kill(pid, 0), -1);
}

static void replay_elsewhere(struct world *w, const char *policy)
{
	const char *argv[] = { "replay", w->path, "-p", policy, "--csv",
			       NULL };
	struct err err = { 0 };

	if (cmd_replay.run(5, (char **)argv, &err))
		fail_msg("%s", err.text);
}

static void test_follow_file(void **state)
{
	struct world *w = *state;

	open_file(w);
	play(w, "key F\nwait\n");
	assert_int_equal(w->study.nr_runs, 1);
	replay_elsewhere(w, "stay");
	w->t.follow.asked = true;	/* not in a second */
	play(w, "wait\n");
	assert_int_equal(w->study.nr_runs, 2);
	says(w, "1 more run: 'stay,seed=1'");
	/* A run that is taken away is gone, whatever was shown. */
	play(w, "key r\n");
	assert_int_equal(w->t.run, 1);
	assert_int_equal(store_run_drop(w->study.store, w->study.runs[1].id,
					&w->err), 0);
	w->t.follow.asked = true;
	play(w, "wait\n");
	assert_int_equal(w->study.nr_runs, 1);
	assert_int_equal(w->t.run, 0);
	play(w, "key F\n");
	says(w, "not following");
}

/* -- a recording that is running -------------------------------------------- */

static void write_cpus(struct world *w, struct dat_build *b)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		const struct dat_bytes *p = &b->cpu[cpu].pages;
		char name[64];

		dat_build_page(b, cpu);
		snprintf(name, sizeof(name), "x.hn.spool/cpu%d.raw", cpu);
		assert_int_equal(file_write(folder_path(w->folder, name),
					    p->at, p->len), 0);
	}
}

/* Task 11 on CPU 0 from 10 to 20 ms, 12 on CPU 1 from 12 to 30 ms. */
static void record(struct world *w, struct spool **spool, struct dat_build *b)
{
	const struct spool_head head = {
		.command = "", .page_bytes = 4096, .start_ns = 1 * MS,
		.nr_cpus = 2,
	};

	assert_int_equal(spool_create(spool, w->spool, &head, &w->err), 0);
	dat_build_init(b, &(struct dat_form){ .version = 7, .nr_cpus = 2 });
	spool_build_formats(*spool, b);
	dat_build_switch(b, 0, 10 * MS, "swapper/0", 0, 0, "one", 11);
	dat_build_switch(b, 0, 20 * MS, "one", 11, 1, "swapper/0", 0);
	dat_build_switch(b, 1, 12 * MS, "swapper/1", 0, 0, "two", 12);
	dat_build_switch(b, 1, 30 * MS, "two", 12, 1, "swapper/1", 0);
	write_cpus(w, b);
}

static void open_spool(struct world *w)
{
	struct tui_follow f = { .source = w->spool };
	struct bar bar;

	bar_init(&bar);
	if (tui_follow_open(&f, &w->study, &bar, &w->err))
		fail_msg("%s", w->err.text);
	open_tui(w);
	w->t.follow.source = w->spool;
}

static bool has_task(const struct world *w, int tid)
{
	int i;

	for (i = 0; i < w->t.study->tasks.nr; i++)
		if (w->t.study->tasks.task[i].tid == tid)
			return true;
	return false;
}

static int nr_in_folder(struct world *w)
{
	char command[PATH_MAX + 40];
	int nr = -1;
	FILE *in;

	snprintf(command, sizeof(command), "ls -A '%s' | wc -l", w->folder);
	in = popen(command, "r");
	assert_int_equal(fscanf(in, "%d", &nr), 1);
	pclose(in);
	return nr;
}

static void test_follow_recording(void **state)
{
	struct world *w = *state;
	struct dat_build b;
	struct spool *spool;
	int64_t end;

	record(w, &spool, &b);
	open_spool(w);
	play(w, "wait\n");
	end = w->t.end_ns;
	assert_int_equal(end, 30 * MS);
	assert_false(has_task(w, 13));
	play(w, "key P\n");
	says(w, "a spool cannot be replayed");
	/* one is tagged and followed, the end of the time in sight */
	play(w, "key / \ntype one\nkey Enter t a 2\n");
	tui_window(&w->t, 25 * MS, 30 * MS, true);
	assert_int_equal(w->t.nr_tagged, 1);

	dat_build_switch(&b, 0, 40 * MS, "swapper/0", 0, 0, "three", 13);
	dat_build_switch(&b, 0, 60 * MS, "three", 13, 1, "swapper/0", 0);
	write_cpus(w, &b);
	play(w, "key F\nwait\n");
	assert_true(has_task(w, 13));
	assert_int_equal(w->t.end_ns, 60 * MS);
	assert_int_equal(w->t.window.from_ns, 55 * MS);
	assert_int_equal(w->t.window.to_ns, 60 * MS);
	assert_int_equal(w->t.nr_tagged, 1);
	assert_int_equal(w->t.study->tasks.task[w->t.followed].tid, 11);
	assert_true(w->t.tagged[w->t.followed]);
	/* Nothing of what was made of it is left: the spool and the keys. */
	assert_int_equal(nr_in_folder(w), 2);

	/* It ends: the file is there, the spool is not. */
	spool_close(spool);
	assert_int_equal(file_study(w->path, &w->err), 0);
	assert_int_equal(spool_remove(w->spool, &w->err), 0);
	w->t.follow.asked = true;
	play(w, "wait\n");
	assert_null(w->t.follow.source);
	assert_true(has_task(w, 101));
	assert_false(has_task(w, 11));
	assert_int_equal(w->t.followed, TASK_NONE);
	assert_int_equal(w->t.nr_tagged, 0);
	/* It is a file like any other now. */
	play(w, "key P\ntype stay\nkey Enter\nwait\n");
	says(w, "replayed: run 1");
	dat_build_release(&b);
}

static void test_recording_vanishes(void **state)
{
	struct world *w = *state;
	struct dat_build b;
	struct spool *spool;

	record(w, &spool, &b);
	open_spool(w);
	spool_close(spool);
	assert_int_equal(spool_remove(w->spool, &w->err), 0);
	play(w, "key F\nwait\n");
	says(w, "the recording is gone");
	assert_false(w->t.follow.on);
	/* What was seen last is still there. */
	assert_true(has_task(w, 11));
	dat_build_release(&b);
}

static void test_damaged_recording(void **state)
{
	struct world *w = *state;
	struct dat_build b;
	struct spool *spool;

	record(w, &spool, &b);
	open_spool(w);
	assert_int_equal(file_write(folder_path(w->folder,
						"x.hn.spool/header_page"),
				    "x", 1), 0);
	play(w, "key F\nwait\n");
	says(w, "x.hn.spool");
	assert_true(has_task(w, 11));
	assert_int_equal(nr_in_folder(w), 2);
	spool_close(spool);
	dat_build_release(&b);
}

/* -- files that are written -------------------------------------------------- */

static bool begins(struct world *w, const char *name, const char *bytes)
{
	size_t size;
	uint8_t *got = file_read(folder_path(w->folder, name), &size);
	bool is = got && size >= strlen(bytes) &&
		  !memcmp(got, bytes, strlen(bytes));

	free(got);
	return is;
}

/* one ran 400 us on node 0 and 500 us on node 1; two 200 us on node 0 and 550 us
 * on node 1: waking at 340 it waited 10 us. */
static void test_written(void **state)
{
	struct world *w = *state;
	char here[PATH_MAX];

	open_file(w);
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(w->folder), 0);
	play(w, "key w Enter\n");
	says(w, "wrote homenode.png");
	play(w, "key w Enter\n");
	says(w, "exists");
	play(w, "key w ^U\ntype a.svg\nkey Enter w ^U\ntype a.pdf\nkey Enter\n"
		"key w ^U\ntype t.csv\nkey Enter 4 w ^U\ntype c.txt\nkey Enter\n"
		"key w ^U\ntype no/such/folder.csv\nkey Enter\n");
	says(w, "cannot create 'no/such/folder.csv'");
	play(w, "key w ^U\ntype x.gif\nkey Enter\n");
	says(w, ".csv or .txt for the table");
	assert_int_equal(chdir(here), 0);
	assert_true(begins(w, "homenode.png", "\211PNG"));
	assert_true(begins(w, "a.svg", "<?xml"));
	assert_true(begins(w, "a.pdf", "%PDF"));
	assert_true(begins(w, "t.csv",
			   "row,local,cpu_ns,wait_ns,moves,node 0,node 1,"
			   "pages on\r\n"
			   "one 101,,900000,100000,1,0.444444,0.555556,-\r\n"
			   "two 102,,750000,10000,1,0.266667,0.733333,-\r\n"));
	assert_true(begins(w, "c.txt", "row    local"));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_replay),
		TEST(test_replay_fails),
		TEST(test_replay_cancelled),
		TEST(test_replay_left),
		TEST(test_follow_file),
		TEST(test_follow_recording),
		TEST(test_recording_vanishes),
		TEST(test_damaged_recording),
		TEST(test_written),
	};
	struct err err = { 0 };

	if (argc > 1 && !strcmp(argv[1], "replay")) {
		int ret = cmd_replay.run(argc - 1, argv + 1, &err);

		if (ret < 0)
			fprintf(stderr, "homenode: %s\n", err.text);
		return ret < 0 ? 1 : ret;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
