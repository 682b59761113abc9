/* SPDX-License-Identifier: MIT */
#include "collect/scan.h"

#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct world {
	char *proc;
	struct scan *scan;
	struct cpumask all;
	char told[4096];	/* one line a call */
	size_t len;
	struct err err;
};

static int task(void *ctx, const struct task_fact *f, const char *cpus,
		struct err *err)
{
	struct world *w = ctx;

	w->len += (size_t)snprintf(
		w->told + w->len, sizeof(w->told) - w->len,
		"%lld %d/%d %s cpus=%s flags=%u nice=%d\n", (long long)f->ts,
		f->pid, f->tid, f->comm, cpus ? cpus : "-", (unsigned)f->flags,
		f->nice);
	return 0;
}

static int process(void *ctx, int pid, struct err *err)
{
	struct world *w = ctx;

	w->len += (size_t)snprintf(w->told + w->len, sizeof(w->told) - w->len,
				   "process %d\n", pid);
	return 0;
}

static int setup(void **state)
{
	static struct world w;
	struct scan_setup s = {
		.own_pid = 50, .command_pid = 60, .all_cpus = &w.all, .task = task,
		.process = process, .ctx = &w,
	};

	w = (struct world){ .proc = folder_new() };
	assert_int_equal(cpumask_parse(&w.all, "0-3", &w.err), 0);
	s.proc = w.proc;
	assert_int_equal(scan_new(&w.scan, &s, &w.err), 0);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	scan_free(w->scan);
	cpumask_release(&w->all);
	folder_remove(w->proc);
	return 0;
}

static void put(struct world *w, int pid, int tid, const char *comm,
		const char *cpus)
{
	tree_task(w->proc, &(struct tree_task){ .pid = pid, .tid = tid,
		.ppid = 1, .comm = comm, .cpus = cpus, .nice = 2 });
}

/* What a round tells. */
static const char *round_at(struct world *w, int64_t ts)
{
	w->len = 0;
	w->told[0] = '\0';
	assert_int_equal(scan_round(w->scan, ts, &w->err), 0);
	return w->told;
}

/* Once each, processes by their leaders; an affinity that is all CPUs (or more
 * than there are) is none. */
static void tells_each_task_once(void **state)
{
	struct world *w = *state;

	put(w, 10, 10, "a", "0-3");
	put(w, 10, 12, "b", "1,3");
	put(w, 9, 9, "c", "0-63");
	tree_put(w->proc, "loadavg", "0");
	assert_string_equal(round_at(w, 5),
			    "5 9/9 c cpus=- flags=0 nice=2\nprocess 9\n"
			    "5 10/10 a cpus=- flags=0 nice=2\nprocess 10\n"
			    "5 10/12 b cpus=1,3 flags=0 nice=2\n");
	assert_string_equal(round_at(w, 6), "");
	assert_int_equal(scan_nr_tasks(w->scan), 3);
	put(w, 10, 11, "d", "0-3");
	assert_string_equal(round_at(w, 7),
			    "7 10/11 d cpus=- flags=0 nice=2\n");
}

static void marks_kernel_threads_itself_and_the_command(void **state)
{
	struct world *w = *state;

	put(w, 50, 50, "homenode", "0-3");
	put(w, 50, 51, "homenode/0", "0-3");
	put(w, 60, 60, "make", "0-3");
	put(w, 60, 61, "make", "0-3");
	tree_task(w->proc, &(struct tree_task){ .pid = 2, .tid = 2,
		.comm = "kthreadd", .cpus = "0-3", .kthread = true });
	assert_string_equal(round_at(w, 1),
			    "1 2/2 kthreadd cpus=- flags=1 nice=0\n"
			    "1 50/50 homenode cpus=- flags=4 nice=2\n"
			    "1 50/51 homenode/0 cpus=- flags=4 nice=2\n"
			    "1 60/60 make cpus=- flags=8 nice=2\n"
			    "process 60\n"
			    "1 60/61 make cpus=- flags=0 nice=2\n");
}

/* Another task of the same number has another inode, which is seen when all
 * tasks of the process are looked at, in every eighth round. */
static void tells_a_tid_that_is_used_again(void **state)
{
	struct world *w = *state;

	put(w, 10, 10, "old", "0-3");
	round_at(w, 1);
	/* The old folder keeps its inode while the new one is made. */
	assert_int_equal(rename(folder_path(w->proc, "10/task/10"),
				folder_path(w->proc, "10/gone")), 0);
	put(w, 10, 10, "new", "0-3");
	for (int i = 2; i < SCAN_FULL_EVERY; i++)
		if (round_at(w, i)[0])
			break;	/* a file system that does not count links */
	if (!w->len)
		round_at(w, SCAN_FULL_EVERY);
	assert_non_null(strstr(w->told, "10/10 new cpus=- flags=0 nice=2\n"
					"process 10\n"));
}

static void forgets_who_is_gone(void **state)
{
	struct world *w = *state;

	put(w, 10, 10, "a", "0-3");
	put(w, 11, 11, "b", "0-3");
	round_at(w, 1);
	tree_remove(w->proc, "10");
	assert_string_equal(round_at(w, 2), "");
	assert_int_equal(scan_nr_tasks(w->scan), 1);
}

/* One that is pinned is looked at in every round, so that a task that is let go
 * is not taken for pinned: the mask that is told then is the full one. */
static void follows_affinity_that_is_lifted(void **state)
{
	struct world *w = *state;

	put(w, 10, 10, "a", "1");
	assert_string_equal(round_at(w, 1),
			    "1 10/10 a cpus=1 flags=0 nice=2\nprocess 10\n");
	assert_string_equal(round_at(w, 2), "");
	put(w, 10, 10, "a", "0-3");
	assert_string_equal(round_at(w, 3),
			    "3 10/10 a cpus=0-3 flags=0 nice=2\n");
	assert_string_equal(round_at(w, 4), "");
}

/* One that was free is looked at again only at the end, if there is time. */
static void looks_at_all_at_the_end(void **state)
{
	struct world *w = *state;

	put(w, 10, 10, "a", "0-3");
	round_at(w, 1);
	put(w, 10, 10, "a", "2-3");
	assert_string_equal(round_at(w, 2), "");
	assert_int_equal(scan_last(w->scan, 3, 0, &w->err), 0);
	assert_string_equal(w->told, "");
	assert_int_equal(scan_last(w->scan, 4, INT64_MAX, &w->err), 0);
	assert_string_equal(w->told, "4 10/10 a cpus=2-3 flags=0 nice=2\n");
}

/* A task may end between the listing and the reading. */
static void bears_half_a_task(void **state)
{
	struct world *w = *state;

	put(w, 10, 10, "a", "0-3");
	tree_put(w->proc, "11/task/11/stat", "nonsense");
	tree_put(w->proc, "12/task/12/status", "Name:\tx\n");
	tree_put(w->proc, "13/stat", "x");
	assert_string_equal(round_at(w, 1),
			    "1 10/10 a cpus=- flags=0 nice=2\nprocess 10\n");
}

#define WORLD_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(tells_each_task_once),
		WORLD_TEST(marks_kernel_threads_itself_and_the_command),
		WORLD_TEST(tells_a_tid_that_is_used_again),
		WORLD_TEST(forgets_who_is_gone),
		WORLD_TEST(follows_affinity_that_is_lifted),
		WORLD_TEST(looks_at_all_at_the_end),
		WORLD_TEST(bears_half_a_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
