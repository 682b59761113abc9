/* SPDX-License-Identifier: MIT */
/* The commands info and sql, run in the process on small files made here. */
#include "tests/support/scratch.h"

#include "model/err.h"
#include "tests/support/folder.h"
#include "ui/cmd.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Runs a command with its standard output (and input, unless NULL) in files;
 * returns what it printed, allocated. */
static char *run(const struct scratch *f, const struct cmd *c,
		 const char *input, const char *const *args, struct err *err)
{
	const char *out = folder_path(f->folder, "out");
	int old_out = dup(1), old_in = dup(0), fd, argc = 0;
	char *argv[8], *text;
	size_t size;

	fflush(stdout);
	fd = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(fd, 1);
	close(fd);
	if (input) {
		const char *in = folder_path(f->folder, "in");

		file_write(in, input, strlen(input));
		fd = open(in, O_RDONLY);
		dup2(fd, 0);
		close(fd);
		clearerr(stdin);
	}
	argv[argc++] = (char *)c->name;
	while (*args)
		argv[argc++] = (char *)*args++;
	argv[argc] = NULL;
	c->run(argc, argv, err);
	fflush(stdout);
	dup2(old_out, 1);
	dup2(old_in, 0);
	close(old_out);
	close(old_in);
	text = (char *)file_read(out, &size);
	assert_non_null(text);
	text[size] = '\0';
	return text;
}

#define RUN(c, input, ...) \
	run(f, c, input, (const char *const[]){ __VA_ARGS__, NULL }, &err)

static void assert_text(char *got, const char *want)
{
	assert_string_equal(got, want);
	free(got);
}

static void assert_has(const char *got, const char *part)
{
	if (!strstr(got, part))
		fail_msg("no \"%s\" in:\n%s", part, got);
}

/* Nodes 0 (CPUs 0, 2) and 8 (no CPU); two tasks of one process, one of unknown
 * pid; losses with and without a count. */
static void make_file(struct scratch *f)
{
	struct capture c = {
		.source = (char *)"trace.dat v7", .kernel = (char *)"6.1",
		.arch = (char *)"x86_64", .clock = (char *)"mono",
		.tool = (char *)"homenode 0.1.0",
		.command = (char *)"a \"b\"",
		.page_size = 4096, .start_ns = 1500000000,
		.end_ns = 2500000000, .window_start_ns = 1500000000,
		.window_end_ns = 2400000000, .nr_cpus = 2,
		.topology_known = true,
	};
	struct loss loss[] = { { 0, 10, 1000000010, 5 }, { 2, 7, 8, -1 },
			       { 0, 1500000010, 2000000010, 2 } };
	struct event ev = { .ts = 1500000000, .kind = EVENT_SWITCH,
		.cpu = 2, .tid = 0, .sw = { .next_tid = 11, .prev_prio = 120,
		.next_prio = 120 } };
	struct run_info info = { .id = 4, .policy = (char *)"o1",
		.knobs = (char *)"{\"busy\":200}", .seed = UINT64_MAX,
		.discipline = (char *)"queue_o1", .end_ns = 1000000000 };
	struct tasks tasks = { 0 };
	struct areas areas = { 0 };
	struct topo topo = { 0 };
	struct run_sink sink;
	struct err err = { 0 };

	OK(store_put_event(f->s, &ev, &err));
	ev.ts = 2500000000;
	ev.kind = EVENT_EXIT;
	OK(store_put_event(f->s, &ev, &err));
	OK(topo_add_node(&topo, 0, &err));
	OK(topo_add_node(&topo, 8, &err));
	OK(topo_add_cpu(&topo, 0, 0, &err));
	OK(topo_add_cpu(&topo, 2, 0, &err));
	topo.node[0].mem_bytes = 1610612736;
	OK(topo_finish(&topo, &err));
	OK(store_put_topo(f->s, &topo, &err));
	topo_release(&topo);
	tasks_add(&tasks, 11, 0)->pid = 10;
	tasks_add(&tasks, 12, 0)->pid = 10;
	tasks_add(&tasks, 13, 0);
	OK(store_put_tasks(f->s, &tasks, &err));
	tasks_release(&tasks);
	assert_non_null(areas_add(&areas, 0));
	OK(store_put_areas(f->s, &areas, &err));
	areas_release(&areas);
	for (int n = 0; n < 2; n++) {
		struct placement p = { 5, 0, n * 8, 7, 'm' };

		OK(store_put_placement(f->s, &p, &err));
	}
	for (int i = 0; i < 3; i++)
		OK(store_put_loss(f->s, &loss[i], &err));
	OK(store_put_knob(f->s, "kernel.numa_balancing", "1", &err));
	OK(store_put_repair(f->s, "backward_time", 3, &err));
	OK(store_put_skipped(f->s, "sys_enter", 9, &err));
	OK(store_put_capture(f->s, &c, &err));
	OK(store_run_begin(f->s, &info, &sink, &err));
	OK(store_run_end(f->s, &info, &err));
	scratch_reopen(f, STORE_READ);
}

static void test_info_json(void **state)
{
	struct scratch *f = *state;
	struct err err = { 0 };

	make_file(f);
	assert_text(RUN(&cmd_info, NULL, scratch_path(f), "--json"),
		"{\"events\":2,\"by_kind\":{\"sched_switch\":1,"
		"\"sched_process_exit\":1},\"skipped\":{\"sys_enter\":9},"
		"\"lost\":7,\"loss_intervals\":3,\"start_ns\":1500000000,"
		"\"end_ns\":2500000000,\"window_start_ns\":1500000000,"
		"\"window_end_ns\":2400000000,\"clock\":\"mono\","
		"\"kernel\":\"6.1\",\"arch\":\"x86_64\","
		"\"source\":\"trace.dat v7\",\"tool\":\"homenode 0.1.0\","
		"\"command\":\"a \\\"b\\\"\",\"page_size\":4096,"
		"\"topology_known\":true,\"cpus\":2,\"nodes\":["
		"{\"id\":0,\"cpus\":[0,2],\"mem_bytes\":1610612736,"
		"\"distance\":{\"0\":10,\"8\":20}},"
		"{\"id\":8,\"cpus\":[],\"mem_bytes\":null,"
		"\"distance\":{\"0\":20,\"8\":10}}],"
		"\"knobs\":{\"kernel.numa_balancing\":\"1\"},\"tasks\":3,"
		"\"processes\":1,\"repairs\":{\"backward_time\":3,\"lost_switch\":1},"
		"\"placement_samples\":1,\"runs\":["
		"{\"id\":0,\"policy\":\"recorded\",\"knobs\":{},\"seed\":0},"
		"{\"id\":4,\"policy\":\"o1\",\"knobs\":{\"busy\":200},"
		"\"seed\":18446744073709551615}]}\n");
	assert_int_equal(err.code, 0);
}

static void test_info_text(void **state)
{
	struct scratch *f = *state;
	struct err err = { 0 };
	char *text;

	make_file(f);
	text = RUN(&cmd_info, NULL, scratch_path(f));
	assert_has(text, "time       1.000000 s (1.500000 to 2.500000)\n");
	assert_has(text, "complete   0.900000 s (1.500000 to 2.400000): ");
	assert_has(text, "machine    2 CPUs on 2 nodes\n");
	assert_has(text, "tasks      3 of 1 process\n");
	assert_has(text, "lost       more than 7 events in 3 intervals\n");
	assert_has(text, "placement  1 sample of where an area's pages");
	assert_has(text, "node  CPUs   memory  to 0  to 8\n"
		   "   0  0,2   1.5 GiB    10    20\n"
		   "   8  -           ?    20    10\n");
	assert_has(text, "sched_process_exit      1\n");
	assert_has(text, "sys_enter           9\n");
	assert_has(text, "CPU  losses  lost events        over\n"
		   "  0       2            7  1.500000 s\n"
		   "  2       1      unknown  0.000000 s\n");
	assert_has(text, "backward_time           3\n");
	assert_has(text, "kernel.numa_balancing  1\n");
	assert_has(text, "  4  o1        18446744073709551615  queue_o1  "
		   "1.000000 s                 busy=200\n");
	free(text);
	text = RUN(&cmd_info, NULL, scratch_path(f), "--csv");
	assert_has(text, "section,name,value\r\ncapture,source,trace.dat v7");
	assert_has(text, "\r\ncapture,command,\"a \"\"b\"\"\"\r\n");
	assert_has(text, "\r\nevent,sched_switch,1\r\n");
	assert_has(text, "\r\nknob,kernel.numa_balancing,1\r\n");
	assert_has(text, "\r\nrun,4,o1\r\n");
	free(text);
}

static void test_info_errors(void **state)
{
	struct scratch *f = *state;
	struct err err = { 0 };

	free(RUN(&cmd_info, NULL, "/nowhere/x.hn"));
	assert_int_equal(err.code, ERR_NOTFOUND);
	err.code = 0;
	free(RUN(&cmd_info, NULL, "a", "b"));
	assert_int_equal(err.code, ERR_USAGE);
	err.code = 0;
	free(RUN(&cmd_info, NULL, "--loud", "b"));
	assert_int_equal(err.code, ERR_USAGE);
}

static void test_info_upgrade(void **state)
{
	struct scratch *f = *state;
	struct err err = { 0 };

	make_file(f);
	store_close(f->s);
	OK(store_open(&f->s, scratch_path(f), STORE_WRITE, &err));
	scratch_exec(f->s, "ALTER TABLE capture DROP COLUMN has_faults;"
		     "DROP TABLE drawing; DROP TABLE drawing_track;"
		     "DROP TABLE drawing_node; DROP TABLE latency;"
		     "PRAGMA user_version = 0");
	free(RUN(&cmd_info, NULL, scratch_path(f)));
	assert_int_equal(err.code, ERR_VERSION);
	err.code = 0;
	free(RUN(&cmd_info, NULL, "--upgrade", scratch_path(f)));
	OK(err.code);
	free(RUN(&cmd_info, NULL, scratch_path(f)));
	OK(err.code);
}

static void test_sql_forms(void **state)
{
	static const char q[] =
		"SELECT NULL n, 15 i, 0.5 r, 'a,\"b' t, x'4100ff' b;"
		"-- the end\n";
	struct scratch *f = *state;
	struct err err = { 0 };
	char *text;

	make_file(f);
	assert_text(RUN(&cmd_sql, NULL, scratch_path(f), q),
		    "n   i    r  t     b\n"
		    "   15  0.5  a,\"b  x'4100ff'\n");
	assert_text(RUN(&cmd_sql, NULL, scratch_path(f), "--json", q),
		    "[{\"n\":null,\"i\":15,\"r\":0.5,\"t\":\"a,\\\"b\","
		    "\"b\":\"A\\u0000\\u00ff\"}]\n");
	text = RUN(&cmd_sql, NULL, scratch_path(f), "--csv", q);
	assert_memory_equal(text, "n,i,r,t,b\r\n"
			    ",15,0.5,\"a,\"\"b\",A\0\xff\r\n", 33);
	free(text);
	/* Several; no rows; no columns; numbers that JSON has none for. */
	assert_text(RUN(&cmd_sql, NULL, scratch_path(f), "--json",
			"SELECT 1 a WHERE 0; PRAGMA cache_size = 5; SELECT 2 b"
			", 9e999 c"),
		    "[]\n[{\"b\":2,\"c\":\"Inf\"}]\n");
	assert_text(RUN(&cmd_sql, NULL, scratch_path(f), "SELECT name FROM "
			"events"),
		    "name\nsched_switch\nsched_process_exit\n");
	OK(err.code);
}

/* 2500 rows come in three tables, each with its head. */
static void test_sql_many_rows(void **state)
{
	struct scratch *f = *state;
	struct err err = { 0 };
	int lines = 0;
	char *text;

	make_file(f);
	text = RUN(&cmd_sql, NULL, scratch_path(f),
		   "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
		   "FROM c WHERE i < 2500) SELECT i FROM c");
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 2503);
	free(text);
}

static void test_sql_input(void **state)
{
	struct scratch *f = *state;
	struct err err = { 0 };
	char *text;

	make_file(f);
	assert_text(RUN(&cmd_sql, "SELECT 1 a; SELECT\n2 b;\nSELECT ';\n' c;\n"
			"SELECT 4 d", scratch_path(f), "--csv"),
		    "a\r\n1\r\nb\r\n2\r\nc\r\n\";\n\"\r\nd\r\n4\r\n");
	assert_text(RUN(&cmd_sql, "SELECT 1 a;\n.quit\nSELECT 2 b;\n",
			scratch_path(f), "--csv"), "a\r\n1\r\n");
	text = RUN(&cmd_sql, ".tables\n", scratch_path(f), "--csv");
	assert_has(text, "\r\nevent,table\r\n");
	assert_has(text, "\r\nsched_switch,view\r\n");
	free(text);
	OK(err.code);
	/* The first error ends it. */
	assert_text(RUN(&cmd_sql, "SELECT 1 a;\nSELEC 2;\nSELECT 3 c;\n",
			scratch_path(f), "--csv"), "a\r\n1\r\n");
	assert_int_equal(err.code, ERR_USAGE);
	assert_has(err.text, "syntax error");
}

static void refused(struct scratch *f, const char *sql, const char *part)
{
	struct err err = { 0 };

	free(RUN(&cmd_sql, NULL, scratch_path(f), sql));
	assert_int_equal(err.code, ERR_USAGE);
	assert_has(err.text, part);
}

/* Whatever is asked, the file and every other one stay as they are. */
static void test_sql_only_reads(void **state)
{
	struct scratch *f = *state;
	uint8_t *before, *after;
	char sql[700];
	size_t n, m;
	struct err err = { 0 };

	make_file(f);
	free(RUN(&cmd_sql, NULL, scratch_path(f), "SELECT 1"));
	OK(err.code);	/* what it derived stays */
	before = file_read(scratch_path(f), &n);
	refused(f, "DELETE FROM task", "open for reading only");
	refused(f, "DROP TABLE event", "open for reading only");
	refused(f, "PRAGMA query_only = 0; CREATE TABLE x(a)",
		"open for reading only");
	snprintf(sql, sizeof(sql), "ATTACH '%s' AS z",
		 folder_path(f->folder, "z"));
	refused(f, sql, "too many attached databases");
	snprintf(sql, sizeof(sql), "VACUUM INTO '%s'",
		 folder_path(f->folder, "z"));
	refused(f, sql, "too many attached databases");
	refused(f, "SELECT load_extension('x')", "not authorized");
	after = file_read(scratch_path(f), &m);
	assert_true(n == m && !memcmp(before, after, n));
	assert_int_equal(folder_count(f->folder), 2);	/* and what it said */
	free(before);
	free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_info_json),
		SCRATCH_TEST(test_info_text),
		SCRATCH_TEST(test_info_errors),
		SCRATCH_TEST(test_info_upgrade),
		SCRATCH_TEST(test_sql_forms),
		SCRATCH_TEST(test_sql_many_rows),
		SCRATCH_TEST(test_sql_input),
		SCRATCH_TEST(test_sql_only_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
