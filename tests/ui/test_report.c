/* SPDX-License-Identifier: MIT */
/*
 * homenode report on the two tasks of file_study.h.  By hand, in us:
 *
 *	one: 400 on node 0, then 500 on node 1; waited from 400 to 500
 *	two: 200 on node 0, then 550 on node 1; woken at 340, ran at 350
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tests/support/folder.h"
#include "tests/ui/file_study.h"
#include "ui/cmd.h"

static char *folder;
static char path[300];

static int make(void **state)
{
	struct err err = { 0 };

	folder = folder_new();
	snprintf(path, sizeof(path), "%s", folder_path(folder, "f.homenode"));
	return file_study(path, &err);
}

static int unmake(void **state)
{
	folder_remove(folder);
	return 0;
}

/* Runs report with these words; what it prints, or the error, allocated. */
static char *report(const char *words)
{
	const char *out = folder_path(folder, "out");
	char *argv[16] = { strdup("report"), path }, *copy = strdup(words);
	int argc = 2, old = dup(1), fd;
	struct err err = { 0 };
	size_t size;
	char *text;

	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	fflush(stdout);
	fd = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(fd, 1);
	close(fd);
	cmd_report.run(argc, argv, &err);
	fflush(stdout);
	dup2(old, 1);
	close(old);
	free(argv[0]);
	free(copy);
	if (err.code)
		return strdup(err.text);
	text = (char *)file_read(out, &size);
	assert_non_null(text);
	text = realloc(text, size + 1);
	assert_non_null(text);
	text[size] = '\0';
	return text;
}

static void expect(const char *words, const char *want)
{
	char *have = report(words);

	assert_string_equal(have, want);
	free(have);
}

static void expect_part(const char *words, const char *part)
{
	char *have = report(words);

	if (!strstr(have, part))
		fail_msg("no '%s' in: %s", part, have);
	free(have);
}

static void as_csv(void **state)
{
	expect("--csv",
	       "comm,tid,pid,start_ns,cpu_ns,wait_ns,node0_ns,node1_ns,"
	       "node0_pages,node1_pages,first_node,most_node,locality,"
	       "remote_cost,migrations,node_migrations,censored\r\n"
	       "one,101,101,0,900000,100000,400000,500000,0,0,0,1,,,1,1,1\r\n"
	       "two,102,102,0,750000,10000,200000,550000,0,0,0,1,,,1,1,1\r\n");
}

static void as_json(void **state)
{
	expect("--json --comm one",
	       "{\"run\":{\"id\":0,\"policy\":\"recorded\",\"knobs\":{},"
	       "\"seed\":0,\"fidelity\":null},\"tasks\":[{\"tid\":101,"
	       "\"pid\":101,\"comm\":\"one\",\"start_ns\":0,"
	       "\"cpu_ns\":900000,\"wait_ns\":100000,"
	       "\"node_ns\":{\"0\":400000,\"1\":500000},\"first_node\":0,"
	       "\"most_node\":1,\"mem_pages\":{\"0\":0,\"1\":0},"
	       "\"locality\":null,\"remote_cost\":null,\"migrations\":1,"
	       "\"node_migrations\":1,\"censored\":true}],"
	       "\"total\":{\"cpu_ns\":900000,"
	       "\"node_ns\":{\"0\":400000,\"1\":500000},\"locality\":null,"
	       "\"remote_cost\":null,\"migrations\":1,\"node_migrations\":1,"
	       "\"pages_moved\":0,\"elapsed_ns\":1000000}}\n");
}

static void set_flags(int one, int two)
{
	char sql[120];
	sqlite3 *db;

	snprintf(sql, sizeof(sql), "UPDATE task SET flags = "
		 "iif(tid = 101, %d, %d)", one, two);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* The recorder is in no row and no total, but what it took is said.  The run
 * lasts until the command goes off: two at 900 us. */
static void knows_recorder_and_command(void **state)
{
	char *text;

	set_flags(TASK_F_RECORDER, TASK_F_COMMAND);
	expect_part("--json", "\"total\":{\"cpu_ns\":750000,");
	expect_part("--json", "\"elapsed_ns\":900000}");
	expect_part("", "Not in these: 0.00 seconds of the recorder itself\n");
	text = report("--csv");
	assert_null(strstr(text, "one,101"));
	free(text);
	set_flags(0, 0);
	expect_part("--json", "\"elapsed_ns\":1000000}");
}

static void as_text(void **state)
{
	char *text = report("");
	char *one = strstr(text, "\none"), *two = strstr(text, "\ntwo");

	assert_non_null(one);
	assert_non_null(two);
	assert_true(one < two);		/* more CPU time */
	assert_non_null(strstr(text, " 44.4 "));
	assert_non_null(strstr(text, " 55.6 "));
	assert_non_null(strstr(text, " *+ "));
	assert_non_null(strstr(text, "\n2 tasks"));
	assert_non_null(strstr(text, "\nElapsedTime"));
	free(text);
}

/* Of 'one' 100-400 on node 0 and 500-600 on node 1 lie in it. */
static void in_a_window(void **state)
{
	expect_part("--csv -c one --from 100us --to 600us",
		    "one,101,101,0,400000,100000,300000,100000,");
	expect_part("--csv -c one --from @100us --to @0.0006s",
		    "one,101,101,0,400000,100000,300000,100000,");
	expect_part("--csv -c one --to 450us",
		    "one,101,101,0,400000,0,400000,0,0,0,0,0,,,0,0,1");
}

static void filters(void **state)
{
	char *text = report("--csv --pid 102,5");

	assert_null(strstr(text, "one,"));
	assert_non_null(strstr(text, "two,"));
	free(text);
	expect_part("--csv -c t*", "two,");
	expect_part("--csv --sort name", "one,101");
	text = report("--csv --sort wait");
	assert_true(strstr(text, "one,") < strstr(text, "two,"));
	free(text);
	text = report("--top 1");
	assert_non_null(strstr(text, "1 more in the totals"));
	assert_null(strstr(text, "\ntwo"));
	free(text);
}

static void errors(void **state)
{
	expect("o1", "no run 'o1': there is 0 (recorded)");
	expect_part("-c nobody", "no task is called 'nobody' in this time");
	expect_part("-p 9", "no task of process 9 ran in this time");
	expect_part("--from 2s", "the window from 2s to the end is empty: the "
		    "run lasts 0.001 s");
	expect_part("--from 5 --to 7", "the window lies outside the run, which "
		    "lasts 0.001 s");
	expect_part("--from 500us --to 400us", "is empty");
	expect_part("--from 5parsecs", "--from: ");
	expect_part("--sort size", "--sort 'size': cpu, start, name, node");
	expect_part("-p 1,x", "--pid '1,x': process ids are wanted");
	expect_part("-p 0", "--pid '0'");
	expect_part("--json --csv", "either --json or --csv");
	expect_part("recorded o1", "one file and one run");
	expect_part("--cost warp", "unknown cost 'warp'");
	expect_part("--top -1", "--top: 0 (all) or more");
}

/* CPU 3's buffer began at 380 us: what came before is not complete. */
static void overrun_at_the_start(void **state)
{
	struct err err = { 0 };
	struct capture c;
	struct store *s;
	char *text;

	assert_int_equal(store_open(&s, path, STORE_WRITE, &err), 0);
	assert_int_equal(store_get_capture(s, &c, &err), 0);
	c.window_start_ns = 380000;
	assert_int_equal(store_put_capture(s, &c, &err), 0);
	capture_release(&c);
	store_close(s);
	expect_part("--csv -c one", "one,101,101,0,520000,100000,20000,500000");
	text = report("");
	assert_non_null(strstr(text, "0.000 to 0.001 s; --from 0 shows all"));
	free(text);
	expect_part("--csv -c one --from 0", "one,101,101,0,900000,100000,");
}

/* What is derived is kept in a file that may be written. */
static void keeps_run0(void **state)
{
	struct stat before, after;
	struct err err = { 0 };
	struct run_info *runs;
	struct store *s;
	int nr;

	free(report("--csv"));
	assert_int_equal(store_open(&s, path, STORE_READ, &err), 0);
	assert_int_equal(store_get_runs(s, &runs, &nr, &err), 0);
	assert_int_equal(nr, 1);
	run_info_release(&runs[0]);
	free(runs);
	store_close(s);
	assert_int_equal(stat(path, &before), 0);
	free(report("--csv"));
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(as_csv, make, unmake),
		cmocka_unit_test_setup_teardown(as_json, make, unmake),
		cmocka_unit_test_setup_teardown(as_text, make, unmake),
		cmocka_unit_test_setup_teardown(knows_recorder_and_command,
						make, unmake),
		cmocka_unit_test_setup_teardown(in_a_window, make, unmake),
		cmocka_unit_test_setup_teardown(filters, make, unmake),
		cmocka_unit_test_setup_teardown(errors, make, unmake),
		cmocka_unit_test_setup_teardown(overrun_at_the_start, make,
						unmake),
		cmocka_unit_test_setup_teardown(keeps_run0, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
