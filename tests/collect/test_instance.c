/* SPDX-License-Identifier: MIT */
/* What instance and tracedir do without a kernel; test_live.c has the rest. */
#include "collect/instance.h"
#include "collect/instance_local.h"
#include "collect/tracedir.h"

#include "collect/procfs.h"
#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/tree.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void knows_its_own_names(void **state)
{
	static const char *const foreign[] = {
		"homenode", "homenode-", "homenode-5", "homenode-5-", "x-5-6",
		"homenode-5-6x", "homenode-05-6", "homenode-0-6", "homenode--5-6",
		"homenode-5-6-7", "homenode-x-6", "", "trace-cmd",
	};
	char name[INSTANCE_NAME_MAX];
	struct procfs_stat s;
	int64_t start;
	int pid;

	assert_true(instance_name_parse("homenode-123-4567", &pid, &start));
	assert_int_equal(pid, 123);
	assert_int_equal(start, 4567);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		assert_false(instance_name_parse(foreign[i], &pid, &start));
	instance_name_self(name);
	assert_true(instance_name_parse(name, &pid, &start));
	assert_int_equal(pid, getpid());
	assert_true(procfs_stat_read("/proc", getpid(), &s));
	assert_int_equal(start, s.start_ticks);
}

static void make(const char *dir, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "%s/instances/%s", dir, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static bool is_there(const char *dir, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "%s/instances/%s", dir, name);
	return access(path, F_OK) == 0;
}

/* 70 lives and started at 5; 71 is another process than the one that made the
 * instance; 72 is gone; 73 is gone by this /proc, but somebody (in another pid
 * namespace) holds the lock. */
static void sweeps_only_what_is_left_over(void **state)
{
	char *dir = folder_new(), proc[700];
	struct err err = { 0 };
	int lock;

	snprintf(proc, sizeof(proc), "%s/proc", dir);
	tree_task(proc, &(struct tree_task){ .pid = 70, .tid = 70, .comm = "hn",
		.cpus = "0", .start_ticks = 5 });
	tree_task(proc, &(struct tree_task){ .pid = 71, .tid = 71, .comm = "sh",
		.cpus = "0", .start_ticks = 900 });
	tree_put(dir, "instances/readme", "x");
	make(dir, "homenode-70-5");
	make(dir, "homenode-71-5");
	make(dir, "homenode-72-5");
	make(dir, "homenode-73-5");
	make(dir, "trace-cmd");
	make(dir, "homenode-mine");
	lock = open(folder_path(dir, "instances/homenode-73-5"), O_RDONLY);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_int_equal(instance_sweep(dir, proc, &err), 2);
	assert_true(is_there(dir, "homenode-70-5"));
	assert_false(is_there(dir, "homenode-71-5"));
	assert_false(is_there(dir, "homenode-72-5"));
	assert_true(is_there(dir, "homenode-73-5"));
	assert_true(is_there(dir, "trace-cmd"));
	assert_true(is_there(dir, "homenode-mine"));
	close(lock);
	assert_int_equal(instance_sweep(dir, proc, &err), 1);
	assert_int_equal(instance_sweep(dir, proc, &err), 0);
	folder_remove(dir);
}

static void tells_what_it_cannot_sweep(void **state)
{
	char *dir = folder_new(), proc[700];
	struct err err = { 0 };

	snprintf(proc, sizeof(proc), "%s/proc", dir);
	/* Not empty, so it cannot be removed. */
	tree_put(dir, "instances/homenode-72-5/file", "x");
	assert_int_equal(instance_sweep(dir, proc, &err), ERR_IO);
	assert_non_null(strstr(err.text, "homenode-72-5"));
	err.code = 0;
	assert_int_equal(instance_sweep("/nowhere", proc, &err), 0);
	folder_remove(dir);
}

/* An empty set_event: no events. */
static void sees_who_else_is_tracing(void **state)
{
	char *dir = folder_new();

	tree_put(dir, "set_event", "%s", "");
	tree_put(dir, "instances/own/set_event", "sched:sched_switch\n");
	tree_put(dir, "instances/other/set_event", "%s", "");
	assert_true(instance_is_only_user(dir, "own"));
	tree_put(dir, "instances/other/set_event", "irq:softirq_entry\n");
	assert_false(instance_is_only_user(dir, "own"));
	tree_put(dir, "instances/other/set_event", "%s", "");
	tree_put(dir, "set_event", "irq:softirq_entry\n");
	assert_false(instance_is_only_user(dir, "own"));
	assert_false(instance_is_only_user("/nowhere", "own"));
	folder_remove(dir);
}

static void reads_the_kernels_counters(void **state)
{
	struct cpu_stats s;

	cpu_stats_parse(&s, "entries: 12\noverrun: 345\ncommit overrun: 6\n"
			    "bytes: 640\noldest event ts:  1.5\nnow ts:  2.5\n"
			    "dropped events: 7\nread events: 890\n");
	assert_int_equal(s.entries, 12);
	assert_int_equal(s.overrun, 345);
	assert_int_equal(s.commit_overrun, 6);
	assert_int_equal(s.dropped, 7);
	assert_int_equal(s.read, 890);
	cpu_stats_parse(&s, "");
	assert_int_equal(s.read, 0);
}

/* 1/64 of the memory over all CPUs, within 512 KiB and 8 MiB. */
static void sizes_buffers(void **state)
{
	const int64_t mib = 1 << 20;

	assert_int_equal(instance_default_buffer(1024 * mib, 8), 2 * mib);
	assert_int_equal(instance_default_buffer(64 * mib, 4), mib / 2);
	assert_int_equal(instance_default_buffer(INT64_C(1) << 40, 512), 8 * mib);
	assert_int_equal(instance_default_buffer(0, 0), mib / 2);
	assert_int_equal(instance_page_kib(8 * mib), 16);
	assert_int_equal(instance_page_kib(64 << 10), 4);
}

static void finds_mounts(void **state)
{
	char *dir = folder_new(), mounts[700], path[PATH_MAX] = "";

	snprintf(mounts, sizeof(mounts), "%s/mounts", dir);
	tree_put(dir, "mounts",
		 "proc /proc proc rw 0 0\n"
		 "tracefs /sys/kernel/debug/with\\040blank tracefs rw 0 0\n"
		 "tracefs /sys/kernel/tracing tracefs rw 0 0\n");
	assert_true(tracedir_find_mount(mounts, "tracefs", path));
	assert_string_equal(path, "/sys/kernel/debug/with blank");
	assert_false(tracedir_find_mount(mounts, "debugfs", path));
	assert_false(tracedir_find_mount("/nowhere", "tracefs", path));
	folder_remove(dir);
}

static void knows_a_pid_namespace(void **state)
{
	char *dir = folder_new();

	tree_put(dir, "self/ns/x", "x");
	assert_int_equal(symlink("pid:[4026531836]",
				 folder_path(dir, "self/ns/pid")), 0);
	assert_false(tracedir_in_pid_namespace(dir));
	assert_int_equal(unlink(folder_path(dir, "self/ns/pid")), 0);
	assert_int_equal(symlink("pid:[4026532999]",
				 folder_path(dir, "self/ns/pid")), 0);
	assert_true(tracedir_in_pid_namespace(dir));
	assert_false(tracedir_in_pid_namespace("/nowhere"));
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_its_own_names),
		cmocka_unit_test(sweeps_only_what_is_left_over),
		cmocka_unit_test(tells_what_it_cannot_sweep),
		cmocka_unit_test(sees_who_else_is_tracing),
		cmocka_unit_test(reads_the_kernels_counters),
		cmocka_unit_test(sizes_buffers),
		cmocka_unit_test(finds_mounts),
		cmocka_unit_test(knows_a_pid_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
