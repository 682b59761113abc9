/* SPDX-License-Identifier: MIT */
/* What of a host is measured; and a short measurement of this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/calibrate.h"
#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/tree.h"

#define CPU "sys/devices/system/cpu/"
#define NODE "sys/devices/system/node/"
#define MIB (INT64_C(1) << 20)

/* Nodes 0, 2 (memory only) and 4; an LLC of 8 and of 12 MiB; a cpuset of CPUs
 * 1 and 3-4 and nodes 0 and 4. */
static void make_host(const char *folder)
{
	tree_put(folder, NODE "online", "0,2,4\n");
	tree_put(folder, NODE "node0/cpulist", "0-1\n");
	tree_put(folder, NODE "node2/cpulist", "\n");
	tree_put(folder, NODE "node4/cpulist", "3-4\n");
	tree_put(folder, NODE "node0/meminfo",
		 "Node 0 MemTotal:  4194304 kB\nNode 0 MemFree:  1048576 kB\n"
		 "Node 0 Inactive:  999 kB\nNode 0 Inactive(file): 524288 kB\n");
	tree_put(folder, NODE "node2/meminfo", "Node 2 MemTotal:  4096 kB\n");
	tree_put(folder, NODE "node4/meminfo",
		 "Node 4 MemTotal: 262144 kB\nNode 4 MemFree: 102400 kB\n");
	tree_put(folder, CPU "possible", "0-4\n");
	tree_put(folder, CPU "online", "0-1,3\n");
	tree_put(folder, CPU "cpu0/cache/index0/level", "1\n");
	tree_put(folder, CPU "cpu0/cache/index0/size", "99999K\n");
	tree_put(folder, CPU "cpu0/cache/index1/level", "3\n");
	tree_put(folder, CPU "cpu0/cache/index1/size", "8192K\n");
	tree_put(folder, CPU "cpu3/cache/index0/level", "3\n");
	tree_put(folder, CPU "cpu3/cache/index0/size", "12M\n");
	tree_put(folder, "proc/self/status",
		 "Name:\tx\nCpus_allowed_list:\t1,3-4\nMems_allowed_list:\t0,4\n");
}

static void host_of_a_tree(void **state)
{
	char *folder = folder_new();
	struct calibrate_host h;
	struct err err = { 0 };
	char text[32];

	make_host(folder);
	if (calibrate_host_read(&h, folder, &err))
		fail_msg("%s", err.text);
	cpumask_print(&h.cpus, text, sizeof(text));
	assert_string_equal(text, "1,3-4");
	cpumask_print(&h.mems, text, sizeof(text));
	assert_string_equal(text, "0,4");
	assert_int_equal(h.cache_bytes, 12 * MIB);
	assert_int_equal(h.free_bytes[0], 1536 * MIB);
	assert_int_equal(h.free_bytes[2], 0);
	assert_int_equal(h.free_bytes[4], 100 * MIB);
	assert_false(h.topo.cpu[4].online);
	/* Four times the cache is less than 64 MiB. */
	assert_int_equal(calibrate_half(&h, 0), 64 * MIB);
	/* A quarter of what is free: no less than twice the cache, 24 MiB. */
	assert_int_equal(calibrate_half(&h, 4), 25 * MIB);
	h.free_bytes[4] = 95 * MIB;
	assert_int_equal(calibrate_half(&h, 4), 0);
	assert_int_equal(calibrate_half(&h, 2), 0);
	/* A cache that large: as much as is ever taken. */
	h.cache_bytes = 1024 * MIB;
	h.free_bytes[0] = 8192 * MIB;
	assert_int_equal(calibrate_half(&h, 0), 512 * MIB);
	h.cache_bytes = 0;
	h.free_bytes[4] = 16 * MIB;
	assert_int_equal(calibrate_half(&h, 4), 4 * MIB);
	calibrate_host_release(&h);
	folder_remove(folder);
}

static void add_note(void *ctx, const char *text)
{
	char *notes = ctx;

	snprintf(notes + strlen(notes), 2000 - strlen(notes), "%s\n", text);
}

/* A host of which nothing may be used: each reason is said. */
static void nothing_to_measure(void **state)
{
	struct calibrate_setup setup = { .samples = 1, .note = add_note };
	char *folder = folder_new(), notes[2000] = "";
	struct err err = { 0 };
	struct calibrate_host h;
	struct latency *l;
	cpu_set_t before, after;
	int nr;

	make_host(folder);
	tree_put(folder, "proc/self/status",
		 "Cpus_allowed_list:\t4\nMems_allowed_list:\t0,4\n");
	assert_int_equal(calibrate_host_read(&h, folder, &err), 0);
	h.free_bytes[0] = h.free_bytes[4] = 3 * MIB;
	setup.ctx = notes;
	sched_getaffinity(0, sizeof(before), &before);
	cpumask_release(&h.cpus);
	assert_int_equal(calibrate(&setup, &h, &l, &nr, &err), ERR_NOTFOUND);
	assert_string_equal(err.text, "no node could be measured");
	assert_null(l);
	assert_non_null(strstr(notes, "node 0: none of its CPUs is online and "
			       "may be used: not measured from there"));
	assert_non_null(strstr(notes, "node 4: none of its CPUs"));
	assert_null(strstr(notes, "node 2: none of its CPUs"));
	assert_non_null(strstr(notes, "node 0: only 3 MiB of its memory are "
			       "free: not measured"));
	assert_non_null(strstr(notes, "node 2: its memory is not in this "
			       "cpuset: not measured"));
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
	calibrate_host_release(&h);
	folder_remove(folder);
}

/* This host: times that a load can take, on any machine and at any load. */
static void this_host(void **state)
{
	const struct calibrate_setup setup = {
		.buffer_bytes = CALIBRATE_MIN_BYTES, .samples = 3,
	};
	cpu_set_t before, after;
	struct calibrate_host h;
	struct err err = { 0 };
	struct latency *l;
	int nr, idle = 0;

	sched_getaffinity(0, sizeof(before), &before);
	if (calibrate_host_read(&h, "", &err) ||
	    calibrate(&setup, &h, &l, &nr, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < nr; i++) {
		assert_true(l[i].low_ps > 100 && l[i].low_ps <= l[i].median_ps);
		assert_true(l[i].median_ps <= l[i].high_ps &&
			    l[i].high_ps < 1000000000);
		assert_int_equal(l[i].samples, 3);
		assert_int_equal(l[i].buffer_bytes, CALIBRATE_MIN_BYTES);
		assert_in_range(l[i].huge_bytes, 0, l[i].buffer_bytes);
		assert_true(l[i].co_runners == 0 ||
			    l[i].cpu_node == l[i].mem_node);
		idle += !l[i].co_runners;
	}
	assert_true(idle >= 1);
	/* Where a second CPU may be used there is contention, on one node too. */
	if (CPU_COUNT(&before) > 1)
		assert_true(nr > idle);
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
	free(l);
	calibrate_host_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_of_a_tree),
		cmocka_unit_test(nothing_to_measure),
		cmocka_unit_test(this_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
