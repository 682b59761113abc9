/* SPDX-License-Identifier: MIT */
/*
 * Recordings of real kernels.  Counts were taken with `trace-cmd report`
 * (3.1.6), memory figures from what the workload said of itself
 * (NAME.oracle.txt).  Two recordings are in tests/data; the others, and those of
 * other projects, are looked for in HOMENODE_SHARED or ../shared.
 */
#include "collect/import.h"
#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct import_options vm = {
	.topology = "numa:4 l3:1 core:2 pu:1",
};

/* Paths are good until the next call. */
static const char *shared(const char *name)
{
	const char *folder = getenv("HOMENODE_SHARED");
	static char path[400];

	snprintf(path, sizeof(path), "%s/traces/%s", folder ? folder : "../shared",
		 name);
	if (access(path, R_OK) == 0)
		return path;
	print_message("skipped: no '%s'\n", path);
	skip();
	return NULL;
}

static const char *data(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "tests/data/%s", name);
	if (access(path, R_OK) == 0)
		return path;
	print_message("skipped: no '%s'\n", path);
	skip();
	return NULL;
}

static void import(struct scratch *y, const char *path,
		   const struct import_options *o, struct ingest_totals *t)
{
	struct err err = { 0 };

	OK(import_file(path, o, y->s, NULL, t, &err));
	scratch_reopen(y, STORE_READ);
}

/* Starts on the next file. */
static void again(struct scratch *y)
{
	struct err err = { 0 };

	store_close(y->s);
	y->s = NULL;
	OK(store_create(&y->s, scratch_path(y), true, &err));
}

static void test_counts(void **state)
{
	static const int64_t nb1_r4[EVENT_NR_KINDS] = {
		[EVENT_SWITCH] = 19210,	     [EVENT_MIGRATE_TASK] = 1684,
		[EVENT_WAKING] = 10981,	     [EVENT_WAKEUP] = 10981,
		[EVENT_WAKEUP_NEW] = 179,    [EVENT_FORK] = 179,
		[EVENT_EXEC] = 11,	     [EVENT_EXIT] = 180,
		[EVENT_SWAP_NUMA] = 7,	     [EVENT_STICK_NUMA] = 1,
		[EVENT_PAGE_FAULT_USER] = 93512, [EVENT_MIGRATE_PAGES] = 1702,
	};
	struct scratch *y = *state;
	struct ingest_totals t;

	import(y, data("numatest8-nb1-r4.dat"), &vm, &t);
	for (int i = 0; i < EVENT_NR_KINDS; i++)
		assert_int_equal(t.by_kind[i], nb1_r4[i]);
	assert_int_equal(t.skipped, 0);
	assert_int_equal(t.lost, 0);
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM repair"), "0");
	assert_string_equal(scratch_ask(y->s,
		"SELECT kernel || ' ' || arch || ' ' || clock FROM capture"),
		"6.1.0-57-amd64 x86_64 mono");
}

static void test_samples(void **state)
{
	char text[400];
	const char *const texts[] = { text };
	struct import_options o = vm;
	struct scratch *y = *state;
	struct ingest_totals t;

	snprintf(text, sizeof(text), "%s", data("numatest8-nb1-r4.numa_maps.txt"));
	o.numa_maps = (struct import_list){ texts, 1 };
	import(y, data("numatest8-nb1-r4.dat"), &o, &t);
	/* Eight jobs of 20 MiB: 5120 pages each in the last sample. */
	assert_string_equal(scratch_ask(y->s,
		"SELECT count(*) || ' ' || min(n) || ' ' || max(n) FROM ("
		"SELECT a.id, (SELECT sum(pages) FROM placement p WHERE "
		"p.area = a.id AND p.ts = (SELECT max(ts) FROM placement q "
		"WHERE q.area = a.id)) AS n FROM area a WHERE a.kind = 0) "
		"WHERE n > 1000"), "8 5120 5120");
	/* Each of them belongs to a process called numawork. */
	assert_string_equal(scratch_ask(y->s,
		"SELECT count(DISTINCT t.tid) FROM area a JOIN task t ON "
		"t.id = a.proc WHERE t.comm = 'numawork' AND t.pid = t.tid"), "9");
}

static void test_vm(void **state)
{
	static const struct {
		const char *name;
		int64_t events, switches;
	} files[] = {
		{ "numatest8-nb0-r1", 89430, 18847 },
		{ "numatest8-nb0-r2", 97146, 22204 },
		{ "numatest8-nb0-r3", 97481, 22103 },
		{ "numatest8-nb0-r4", 105416, 25671 },
		{ "numatest8-nb0-r5", 102118, 24033 },
		{ "numatest8-nb1-r1", 198294, 26529 },
		{ "numatest8-nb1-r2", 167937, 23461 },
		{ "numatest8-nb1-r3", 158498, 25567 },
		{ "numatest8-nb1-r4", 138627, 19210 },
		{ "numatest8-nb1-r5", 192125, 19745 },
		{ "shared2x4-samenode-nb1", 132814, 7279 },
	};
	struct scratch *y = *state;
	struct ingest_totals t;
	char name[100];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct err err = { 0 };

		snprintf(name, sizeof(name), "vm/%s.dat", files[i].name);
		OK(import_file(shared(name), &vm, y->s, NULL, &t, &err));
		assert_int_equal(t.events, files[i].events);
		assert_int_equal(t.by_kind[EVENT_SWITCH], files[i].switches);
		assert_int_equal(t.skipped + t.lost + t.loss_intervals, 0);
		again(y);
	}
}

static void test_thread_groups(void **state)
{
	struct scratch *y = *state;
	struct ingest_totals t;

	/* As the workload says: 481 has threads 488-491, 482 has 484-487. */
	import(y, shared("vm/shared2x4-samenode-nb1.dat"), &vm, &t);
	assert_string_equal(scratch_ask(y->s,
		"SELECT group_concat(tid || ':' || pid, ' ') FROM (SELECT * FROM "
		"task WHERE tid BETWEEN 484 AND 491 ORDER BY tid)"),
		"484:482 485:482 486:482 487:482 488:481 489:481 490:481 491:481");
}

/* Everything that two recordings of the same thing must have in common. */
static char *rows(struct scratch *y)
{
	char *text = strdup(scratch_ask(y->s,
		"SELECT count(*) || ':' || sum(at % 1000003 * (what % 97 + 1)) "
		"|| ':' || sum(a % 9973) || ':' || sum(b % 99991) || ':' || "
		"(SELECT group_concat(tid || comm || start_ns || end_ns) FROM "
		"task) || (SELECT group_concat(task || comm || from_ns) FROM name)"
		" FROM event"));

	assert_non_null(text);
	return text;
}

static void same_rows(struct scratch *y, const char *a, const char *b)
{
	const struct import_options none = { 0 };
	char *first, *second;

	import(y, shared(a), &none, NULL);
	first = rows(y);
	again(y);
	import(y, shared(b), &none, NULL);
	second = rows(y);
	assert_string_equal(first, second);
	free(first);
	free(second);
	again(y);
}

static void test_variants(void **state)
{
	struct scratch *y = *state;
	const struct import_options none = { 0 };
	struct ingest_totals t;

	same_rows(y, "public/dat/recon_schedviz_partA.dat",
		  "public/dat/derived_be64_schedviz_partA.dat");
	same_rows(y, "public/dat/recon_schedviz_partA.dat",
		  "public/dat/derived_rtlayout_schedviz_partA.dat");
	same_rows(y, "public/dat/lisa_sched_load_trace.dat",
		  "public/dat/derived_v7zstd_lisa_sched_load.dat");
	/* INDEX.md: ten pages less, 721 events known to be lost */
	import(y, shared("public/dat/derived_lost_schedviz_partA.dat"), &none, &t);
	assert_int_equal(t.by_kind[EVENT_SWITCH], 7090);
	assert_int_equal(t.by_kind[EVENT_WAKEUP], 5239);
	assert_int_equal(t.by_kind[EVENT_WAKEUP_NEW], 1274);
	assert_int_equal(t.lost, 721);
	assert_int_equal(t.loss_intervals, 1);
}

static void test_public(void **state)
{
	static const struct {
		const char *name;
		int64_t switches, migrates, others;
	} files[] = {
		{ "lisa_sched_load_trace", 399, 28, 2437 + 364 + 496 },
		{ "trappy_raw_trace", 755, 0, 2 },
	};
	static const struct {
		const char *name, *why;
	} bad[] = {
		{ "trappy_trace", "has no sched events; it has: bprint 501, "
		  "cdev_update 18, thermal_temperature 6" },
		{ "labsisop_root_trace", "has no sched events; it has: " },
		{ "derived_trunc_header_trappy_raw", "kallsyms at 0x25d6: 2355960 "
		  "bytes are said to follow" },
	};
	const struct import_options none = { 0 };
	struct scratch *y = *state;
	struct ingest_totals t;
	char name[100];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct err err = { 0 };

		snprintf(name, sizeof(name), "public/dat/%s.dat", files[i].name);
		OK(import_file(shared(name), &none, y->s, NULL, &t, &err));
		assert_int_equal(t.by_kind[EVENT_SWITCH], files[i].switches);
		assert_int_equal(t.by_kind[EVENT_MIGRATE_TASK], files[i].migrates);
		assert_int_equal(t.skipped, files[i].others);
		again(y);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };

		snprintf(name, sizeof(name), "public/dat/%s.dat", bad[i].name);
		assert_int_equal(import_file(shared(name), &none, y->s, NULL, NULL,
					     &err), ERR_FORMAT);
		if (!strstr(err.text, bad[i].why))
			fail_msg("'%s' is not in: %s", bad[i].why, err.text);
		again(y);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_counts),
		SCRATCH_TEST(test_samples),
		SCRATCH_TEST(test_vm),
		SCRATCH_TEST(test_thread_groups),
		SCRATCH_TEST(test_variants),
		SCRATCH_TEST(test_public),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
