/* SPDX-License-Identifier: MIT */
#include "collect/procfs.h"

#include "tests/support/folder.h"
#include "tests/support/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A comm may hold blanks and parentheses; fields follow the last one.  Numbers
 * are those of proc(5): ppid 4th, flags 9th, nice 19th, starttime 22nd. */
static void reads_stat(void **state)
{
	struct procfs_stat s;

	assert_true(procfs_stat_parse(
		"77 (a) b (c) R 5 77 77 0 -1 4194304 1 2 3 4 10 11 0 0 25 5 "
		"3 0 987654 0 0\n", &s));
	assert_string_equal(s.comm, "a) b (c");
	assert_int_equal(s.state, 'R');
	assert_int_equal(s.ppid, 5);
	assert_false(s.kthread);
	assert_int_equal(s.nice, 5);
	assert_int_equal(s.start_ticks, 987654);
	/* 0x208040: PF_KTHREAD (0x200000) is set. */
	assert_true(procfs_stat_parse(
		"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 -20 1 0 "
		"4 0 0\n", &s));
	assert_true(s.kthread);
	assert_int_equal(s.nice, -20);
	assert_int_equal(s.start_ticks, 4);
}

static void refuses_other_stats(void **state)
{
	static const char *const bad[] = {
		"", "12", "12 (a", "12 a) S 1", "12 (a)", "12 (a) ",
		"12 (a) S", "12 (a) S 1 2 3", ")12 (",
		"12 (a) S 1 2 x 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 20",
	};
	struct procfs_stat s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(procfs_stat_parse(bad[i], &s));
}

static void reads_status_values(void **state)
{
	static const char status[] =
		"Name:\tx\nPid:\t12\nPPid:\t1\nNSpid:\t1234\t 17\t3\nLast:\t";
	char buf[32], tiny[4];

	assert_true(procfs_status_value(status, "NSpid", buf, sizeof(buf)));
	assert_string_equal(buf, "1234 17 3");
	assert_true(procfs_status_value(status, "Pid", buf, sizeof(buf)));
	assert_string_equal(buf, "12");
	assert_true(procfs_status_value(status, "NSpid", tiny, sizeof(tiny)));
	assert_string_equal(tiny, "123");
	assert_true(procfs_status_value(status, "Last", buf, sizeof(buf)));
	assert_string_equal(buf, "");
	assert_false(procfs_status_value(status, "NSp", buf, sizeof(buf)));
	assert_false(procfs_status_value(status, "Cpus", buf, sizeof(buf)));
}

/* The hierarchy that schedules counts, whatever the order of lines is. */
static void finds_the_cgroup(void **state)
{
	static const struct {
		const char *text, *path;
	} c[] = {
		{ "0::/user.slice/a.scope\n", "/user.slice/a.scope" },
		{ "4:memory:/m\n3:cpu,cpuacct:/c\n0::/u\n", "/c" },
		{ "0::/u\n3:cpuacct,cpu:/c\n", "/c" },
		{ "3:cpuset:/s\n2:cpuacct:/a\n0::/u\n", "/u" },
		{ "3:cpu:/with:colon\n", "/with:colon" },
		{ "3:name=systemd:/x\n", "" },
		{ "nonsense", "" },
		{ "", "" },
	};
	char buf[64], tiny[3];

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		procfs_cgroup_parse(c[i].text, buf, sizeof(buf));
		assert_string_equal(buf, c[i].path);
	}
	procfs_cgroup_parse("0::/abc\n", tiny, sizeof(tiny));
	assert_string_equal(tiny, "/a");
}

static void reads_a_task(void **state)
{
	char *dir = folder_new();
	struct procfs_task t;
	char cpus[16];

	tree_task(dir, &(struct tree_task){ .pid = 12, .tid = 12, .ppid = 1,
		.comm = "leader", .cpus = "0-3,8", .nice = -5,
		.start_ticks = 1000 });
	tree_task(dir, &(struct tree_task){ .pid = 12, .tid = 14, .ppid = 1,
		.comm = "a thread", .cpus = "2" });
	assert_true(procfs_task_read(dir, 12, 12, &t));
	assert_string_equal(t.comm, "leader");
	assert_string_equal(t.cgroup, "/work/12.scope");
	assert_string_equal(t.nspid, "12 17");
	assert_string_equal(t.cpus, "0-3,8");
	assert_int_equal(t.nice, -5);
	assert_false(t.kthread);
	assert_true(procfs_task_read(dir, 12, 14, &t));
	assert_int_equal(t.pid, 12);
	assert_int_equal(t.tid, 14);
	assert_string_equal(t.comm, "a thread");
	assert_true(procfs_cpus_read(dir, 12, 14, cpus, sizeof(cpus)));
	assert_string_equal(cpus, "2");
	assert_false(procfs_task_read(dir, 12, 15, &t));
	assert_true(procfs_alive(dir, 12, 1000));
	assert_false(procfs_alive(dir, 12, 1001));
	assert_false(procfs_alive(dir, 13, 1000));
	folder_remove(dir);
}

/* Events have 15 bytes of a comm, and a worker's without what it is at. */
static void names_kernel_threads_as_events_do(void **state)
{
	static const struct {
		const char *proc, *name;
	} c[] = {
		{ "kworker/3:1-mm_percpu_wq", "kworker/3:1" },
		{ "kworker/u8:2+flush-253:0", "kworker/u8:2" },
		{ "kworker/R-rcu_gp", "kworker/R-rcu_g" },
		{ "a-long-name-of-a-thread", "a-long-name-of-" },
		{ "ksoftirqd/3", "ksoftirqd/3" },
	};
	char *dir = folder_new();
	struct procfs_task t;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		tree_task(dir, &(struct tree_task){ .pid = 5, .tid = 5,
			.comm = c[i].proc, .cpus = "3", .kthread = true });
		assert_true(procfs_task_read(dir, 5, 5, &t));
		assert_true(t.kthread);
		assert_string_equal(t.comm, c[i].name);
	}
	folder_remove(dir);
}

static void reads_lines_of_maps(void **state)
{
	char line[] = "7f8648b72000-7f8648b74000 rw-p 00001000 08:01 1234    "
		      "/lib/with blank.so\n";
	char anon[] = "1000-3000 r--s 00000000 00:00 0 \n";
	struct procfs_map m;

	assert_true(procfs_map_parse(line, &m));
	assert_int_equal(m.start, 0x7f8648b72000);
	assert_int_equal(m.end, 0x7f8648b74000);
	assert_true(m.writable);
	assert_false(m.shared);
	assert_string_equal(m.name, "/lib/with blank.so");
	assert_true(procfs_map_parse(anon, &m));
	assert_false(m.writable);
	assert_true(m.shared);
	assert_string_equal(m.name, "");
	for (int i = 0; i < 6; i++) {
		char bad[][20] = { "", "x", "1000", "1000-", "3000-1000 rw-p",
				   "1000-2000 rw" };

		assert_false(procfs_map_parse(bad[i], &m));
	}
}

static void reads_the_resident_size(void **state)
{
	char *dir = folder_new();

	tree_put(dir, "7/statm", "5000 1234 100 1 0 300 0\n");
	assert_int_equal(procfs_resident(dir, 7), 1234);
	assert_int_equal(procfs_resident(dir, 8), -1);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_stat),
		cmocka_unit_test(refuses_other_stats),
		cmocka_unit_test(reads_status_values),
		cmocka_unit_test(finds_the_cgroup),
		cmocka_unit_test(reads_a_task),
		cmocka_unit_test(names_kernel_threads_as_events_do),
		cmocka_unit_test(reads_lines_of_maps),
		cmocka_unit_test(reads_the_resident_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
