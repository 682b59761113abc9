/* SPDX-License-Identifier: MIT */
/* numa_maps: single lines, and texts beside a trace with exec and reused pids. */
#include "collect/import.h"
#include "collect/numa_maps.h"
#include "model/err.h"
#include "model/run.h"
#include "tests/support/dat_build.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* "START KIND POLICY|NAME|0=20 1=10" or the error. */
static const char *parse(const char *line, int64_t base_page)
{
	static const char *const kinds[] = { "anon", "heap", "stack", "file",
					     "shared", "inferred" };
	static char text[1200];
	struct numa_maps_area a = { 0 };
	struct err err = { 0 };
	size_t len;
	int got = numa_maps_parse(&a, line, strlen(line), base_page, &err);

	len = (size_t)snprintf(text, sizeof(text), "%llx %s%s %s|%s|",
			       (unsigned long long)a.start, kinds[a.kind],
			       a.is_huge ? "!" : "", a.policy, a.name);
	for (int n = 0; n < a.nr_node_ids; n++)
		if (a.pages[n])
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						" %d=%lld", n,
						(long long)a.pages[n]);
	if (got == 0)
		snprintf(text + len, sizeof(text) - len, " none");
	if (got < 0)
		snprintf(text, sizeof(text), "%s", err.text);
	numa_maps_area_release(&a);
	return text;
}

static void test_lines(void **state)
{
	/* bug report 60: policies with blanks */
	assert_string_equal(parse("7f0000000000 weighted interleave:0-1 anon=30 "
		"dirty=30 active=0 N0=20 N1=10 kernelpagesize_kB=4", 4096),
		"7f0000000000 anon weighted interleave:0-1|| 0=20 1=10");
	assert_string_equal(parse("7f0000100000 prefer (many):1 file=/usr/lib/"
		"a\\040b.so mapped=4 N1=4 kernelpagesize_kB=4", 4096),
		"7f0000100000 file prefer (many):1|/usr/lib/a b.so| 1=4");
	assert_string_equal(parse("7f0000100000 bind=static:1,3 anon=1 N3=1", 4096),
		"7f0000100000 anon bind=static:1,3|| 3=1");
	/* bug report 62: the line's own page size counts, 2 GiB and 6 MiB */
	assert_string_equal(parse("7f0000000000 bind:1 file=/dev/hugepages/x\\040"
		"(deleted) huge dirty=2 N1=2 kernelpagesize_kB=1048576", 4096),
		"7f0000000000 file! bind:1|/dev/hugepages/x (deleted)| 1=524288");
	assert_string_equal(parse("7f8000000000 default file=/anon_hugepage\\040"
		"(deleted) huge anon=3 dirty=3 N0=3 kernelpagesize_kB=2048", 4096),
		"7f8000000000 anon! default|/anon_hugepage (deleted)| 0=1536");
	/* A kernel of 64 KiB pages */
	assert_string_equal(parse("1000 default heap anon=3 N0=3 "
		"kernelpagesize_kB=64", 65536), "1000 heap default|| 0=3");
	assert_string_equal(parse("1000 default heap anon=3 N0=3", 65536),
		"1000 heap default|| 0=3");
	assert_string_equal(parse("7fff0000 default stack anon=3 N2=3 "
		"kernelpagesize_kB=4", 4096), "7fff0000 stack default|| 2=3");
	assert_string_equal(parse("7f0000 default file=/dev/shm/x\\040y anon=1 "
		"N0=1 kernelpagesize_kB=4", 4096),
		"7f0000 shared default|/dev/shm/x y| 0=1");
	/* A file called heap, one with =, one without pages, words of tomorrow */
	assert_string_equal(parse("7f0000 default file=/tmp/heap N0=1", 4096),
		"7f0000 file default|/tmp/heap| 0=1");
	assert_string_equal(parse("7f0000 default file=/tmp/a\\075b\\012c N0=1",
		4096), "7f0000 file default|/tmp/a=b\nc| 0=1");
	assert_string_equal(parse("320698b000 default file=/lib64/libc.so", 4096),
		"320698b000 file default|/lib64/libc.so| none");
	assert_string_equal(parse("f9a58021000 default", 4096),
		"f9a58021000 anon default|| none");
	assert_string_equal(parse("7f0000 local anon=4 cow N0=4 newthing=7 "
		"kernelpagesize_kB=4", 4096), "7f0000 anon local|| 0=4");
}

static void test_bad_lines(void **state)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "", "no address at the start" },
		{ "xyz default", "no address at the start" },
		{ "7f00zz default", "no address at the start" },
		{ "12345678901234567 default", "no address at the start" },
		{ "7f00", "no policy after 7f00" },
		{ "7f00 anon=1", "no policy after 7f00" },
		{ "7f00 default N0=", "cannot read 'N0='" },
		{ "7f00 default N0=-5", "cannot read 'N0=-5'" },
		{ "7f00 default N0=5x", "cannot read 'N0=5x'" },
		{ "7f00 default N1024=5", "cannot read 'N1024=5'" },
		{ "7f00 default N0=99999999999999999999", "cannot read" },
		{ "7f00 default N0=1 kernelpagesize_kB=0", "page size of 0 kB" },
		{ "7f00 default N0=4503599627370496 kernelpagesize_kB=1048576",
		  "pages of 1048576 kB" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!strstr(parse(bad[i].line, 4096), bad[i].why))
			fail_msg("'%s': %s", bad[i].line,
				 parse(bad[i].line, 4096));
}

/* -- texts beside a trace ---------------------------------------------------- */

struct world {
	struct scratch *y;
	struct dat_build b;
	char text[300];
};

static void begin(struct world *w, void **state, const char *clock)
{
	*w = (struct world){ .y = *state };
	dat_build_init(&w->b, &(struct dat_form){
		.version = 6, .nr_cpus = 1, .clock = clock });
}

static int import(struct world *w, const char *samples,
		  const struct import_options *more, struct err *err)
{
	struct import_options o = *more;
	const char *const texts[] = { w->text };
	char path[300];
	int code;

	snprintf(path, sizeof(path), "%s", folder_path(w->y->folder, "x.dat"));
	snprintf(w->text, sizeof(w->text), "%s",
		 folder_path(w->y->folder, "x.numa_maps.txt"));
	assert_int_equal(file_write(w->text, samples, strlen(samples)), 0);
	o.numa_maps = (struct import_list){ texts, 1 };
	dat_build_write(&w->b, path);
	dat_build_release(&w->b);
	code = import_file(path, &o, w->y->s, NULL, NULL, err);
	remove(path);
	remove(w->text);
	return code;
}

static const struct import_options two_nodes = { .topology = "numa:2 pu:1" };

#define AREAS "SELECT group_concat(tid || ':' || kind || ':' || " \
	"printf('%x', start), ' ') FROM (SELECT a.*, t.tid FROM area a " \
	"JOIN task t ON t.id = a.proc ORDER BY a.id)"
#define PLACES "SELECT group_concat(area || '@' || ts || ':' || node || '=' " \
	"|| pages, ' ') FROM (SELECT * FROM placement ORDER BY area, ts, node)"
#define REPAIRS "SELECT coalesce(group_concat(kind || '=' || count, ' '), '') " \
	"FROM repair"

static void test_samples(void **state)
{
	struct world w;
	struct err err = { 0 };

	/* The second area is gone at 2 s, back at 3 s; the stack has grown. */
	begin(&w, state, "mono");
	dat_build_switch(&w.b, 0, 500, "swapper", 0, 0, "w", 11);
	OK(import(&w, "# a comment\n\n"
		  "1.000000001 11 1000 default anon=5 N0=3 N1=2\n"
		  "1.000000001 11 2000 default heap anon=1 N1=1\n"
		  "1.000000001 11 9000 default stack anon=1 N0=1\n"
		  "1.000000001 12 1000 default anon=7 N0=7\n"
		  "2 11 1000 default anon=5 N1=5\n"
		  "2 11 8000 default stack anon=2 N0=2\n"
		  "3.5 11 2000 default heap anon=4 N0=4\n", &two_nodes, &err));
	scratch_reopen(w.y, STORE_READ);
	assert_string_equal(scratch_ask(w.y->s, AREAS),
			    "11:0:1000 11:1:2000 11:2:8000 12:0:1000");
	assert_string_equal(scratch_ask(w.y->s, PLACES),
		"0@1000000001:0=3 0@1000000001:1=2 0@2000000000:1=5 "
		"0@3500000000:-1=0 1@1000000001:1=1 1@2000000000:-1=0 "
		"1@3500000000:0=4 2@1000000001:0=1 2@2000000000:0=2 "
		"2@3500000000:-1=0 3@1000000001:0=7");
	/* 12 never ran, but is a process now. */
	assert_string_equal(scratch_ask(w.y->s,
		"SELECT pid || ' ' || flags FROM task WHERE tid = 12"), "12 2");
	assert_string_equal(scratch_ask(w.y->s,
		"SELECT pid FROM task WHERE tid = 11"), "11");
}

static void test_other_images(void **state)
{
	struct world w;
	struct err err = { 0 };

	/* 11 execs at 1.5 s, dies at 3 s, its number is taken by another. */
	begin(&w, state, "mono");
	dat_build_switch(&w.b, 0, 500, "swapper", 0, 0, "w", 11);
	dat_build_exec(&w.b, 0, 1500000000, "/bin/w", 11, 11);
	dat_build_switch(&w.b, 0, 3000000000, "w", 11, 0x20, "sh", 5);
	dat_build_fork(&w.b, 0, 3500000000, "sh", 5, "sh", 11);
	OK(import(&w, "1 11 1000 default N0=1\n" "2 11 1000 default N0=2\n"
		  "4 11 1000 default N0=3\n", &two_nodes, &err));
	scratch_reopen(w.y, STORE_READ);
	assert_string_equal(scratch_ask(w.y->s, "SELECT group_concat(a.id || ':' "
		"|| t.start_ns, ' ') FROM area a JOIN task t ON t.id = a.proc"),
		"0:500 1:500 2:3500000000");
	/* What the exec replaced is gone since then. */
	assert_string_equal(scratch_ask(w.y->s, PLACES),
		"0@1000000000:0=1 0@1500000000:-1=0 1@2000000000:0=2 "
		"2@4000000000:0=3");
}

static void test_text_oddities(void **state)
{
	struct world w;
	struct err err = { 0 };

	/* Backward, a node that the topology has not, the last line cut. */
	begin(&w, state, "mono");
	dat_build_switch(&w.b, 0, 500, "swapper", 0, 0, "w", 11);
	OK(import(&w, "2 11 1000 default N5=1\n" "1 11 1000 default N0=1\n"
		  "3 11 1000 default N0=12", &two_nodes, &err));
	scratch_reopen(w.y, STORE_READ);
	assert_string_equal(scratch_ask(w.y->s, PLACES), "0@2000000000:5=1");
	assert_string_equal(scratch_ask(w.y->s, REPAIRS), "node_not_in_topology=1 "
			    "numa_maps_cut=1 placement_backward=1");
	assert_string_equal(scratch_ask(w.y->s,
		"SELECT group_concat(id) FROM node"), "0,1,5");
}

static void test_clock(void **state)
{
	static const char text[] = "1 11 1000 default N0=1\n";
	struct import_options shifted = two_nodes;
	struct world w;
	struct err err = { 0 };

	begin(&w, state, "local");
	dat_build_switch(&w.b, 0, 500, "swapper", 0, 0, "w", 11);
	assert_int_equal(import(&w, text, &two_nodes, &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "those of the trace are of clock 'local'"));
	shifted.has_shift = true;
	shifted.shift_ns = -250;
	err = (struct err){ 0 };
	begin(&w, state, "local");
	dat_build_switch(&w.b, 0, 500, "swapper", 0, 0, "w", 11);
	OK(import(&w, text, &shifted, &err));
	scratch_reopen(w.y, STORE_READ);
	assert_string_equal(scratch_ask(w.y->s, PLACES), "0@999999750:0=1");
}

static void test_bad_texts(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "7f00 default N0=1\n", "line 1: no time in seconds" },
		{ "x 11 1000 default\n", "line 1: no time in seconds" },
		{ "\n1 0 1000 default N0=1\n", "line 2: no process id" },
		{ "1 99999999999 1000 default N0=1\n", "line 1: no process id" },
		{ "1 11 1000 default N0=x\n", "line 1: numa_maps: cannot read" },
		{ "9999999999999999999 1 1000 default\n", "line 1: no time" },
	};
	struct world w;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };

		begin(&w, state, "mono");
		dat_build_switch(&w.b, 0, 500, "swapper", 0, 0, "w", 11);
		assert_int_equal(import(&w, bad[i].text, &two_nodes, &err),
				 ERR_FORMAT);
		if (!strstr(err.text, bad[i].why) || !strstr(err.text, w.text))
			fail_msg("'%s': %s", bad[i].why, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_bad_lines),
		SCRATCH_TEST(test_samples),
		SCRATCH_TEST(test_other_images),
		SCRATCH_TEST(test_text_oddities),
		SCRATCH_TEST(test_clock),
		SCRATCH_TEST(test_bad_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
