/* SPDX-License-Identifier: MIT */
/*
 * o1-single, simple-numa, pooling, pooling-ilb, node-affine-dyn and numa-2.6
 * against sheets B, C, D, F and G of algorithms.md.  1024 ticks a second.  A
 * first look of a busy CPU only fills prev_nr_running[]; the second, at equal
 * queues, sees what is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/view_make.h"

#define COLD 22		/* > 10 ticks, and twice 8: weight 2 */

static char text[1000];

static void make(struct view_make *m, const char *machine, const char *policy)
{
	view_make_init(m, machine, policy);
	view_make_policy(m);
}

static const char *pulled(const struct view_make *m)
{
	return view_make_pulled(m, text, sizeof(text));
}

/* Two looks of a busy CPU at multiples of its period. */
static const char *looks(struct view_make *m, int period, int cpu)
{
	view_make_tick(m, 1000 * (int64_t)period, cpu);
	view_make_tick(m, 1001 * (int64_t)period, cpu);
	return pulled(m);
}

static int exec(struct view_make *m, int task, int cpu)
{
	struct select_args a = {
		.task = task, .prev_cpu = cpu, .waker = TASK_NONE,
		.waker_cpu = cpu, .why = SELECT_EXEC };

	m->d.nr = 0;
	return m->spec.ops->select_cpu(m->state, &m->view, &a, &m->d);
}

/* -- B: o1-single --------------------------------------------------------------------- */

#define B_PERIOD 204	/* 200 ms */

/* One test for all: m <= 1 or (m-t)/2 < ((m+t)/2 + 3)/4 is balanced. */
static void test_single_cases(void **state)
{
	static const struct {
		int max, nr, taken;
	} c[] = {
		{ 2, 1, 0 },	/* 0 < (1+3)/4 = 1 */
		{ 3, 1, 1 },	/* 1 < (2+3)/4 = 1: no */
		{ 4, 2, 1 },	/* 1 < (3+3)/4 = 1: no */
		{ 4, 3, 0 },	/* 0 < 1 */
		{ 5, 3, 1 },	/* 1 < (4+3)/4 = 1: no */
		{ 6, 4, 0 },	/* 1 < (5+3)/4 = 2 */
		{ 9, 1, 1 },	/* one task only */
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		make(&m, "2x1", "o1-single");
		view_make_tasks(&m, 0, c[i].nr, COLD);
		view_make_tasks(&m, 1, c[i].max, COLD);
		looks(&m, B_PERIOD, 0);
		assert_int_equal(m.d.nr, c[i].taken);
		view_make_release(&m);
	}
}

/* Idle: a queue of 2 is enough (0 against 2: 1 < 1, no); other nodes are no
 * different; the longest queue, of equals the lowest CPU. */
static void test_single_idle(void **state)
{
	struct view_make m;

	make(&m, "4x1", "o1-single");
	view_make_tasks(&m, 1, 2, COLD);	/* 0 1 */
	view_make_tasks(&m, 2, 3, COLD);	/* 2 3 4 */
	view_make_tasks(&m, 3, 3, COLD);	/* 5 6 7 */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "4");
	view_make_release(&m);
}

/* The coldest; of a list only the tail is looked at (steal=lists: all).  At
 * most 8 ticks: hot, and below 8 whole decays nothing weighs. */
static void test_single_coldest(void **state)
{
	struct view_make m;

	make(&m, "2x1", "o1-single");
	view_make_task(&m, 1, 0);		/* runs */
	view_make_task(&m, 1, 90);
	view_make_task(&m, 1, 20);		/* tail of the same list */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "2");
	view_make_release(&m);

	make(&m, "2x1", "o1-single,steal=lists");
	view_make_task(&m, 1, 0);
	view_make_task(&m, 1, 90);
	view_make_task(&m, 1, 20);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "1");
	view_make_release(&m);

	make(&m, "2x1", "o1-single");
	view_make_task(&m, 1, 0);
	view_make_task(&m, 1, 8);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);
}

/* -- C: simple-numa -------------------------------------------------------------------- */

#define C_PERIOD 256	/* 250 ms */

/* C.3: busy, inside the node: nr * 5/4 < max, integers; then (max - nr)/2 tasks,
 * but with 0 (2 against 1) all that are cold: the one that waits. */
static void test_simple_own(void **state)
{
	static const struct {
		int max, nr, taken;
	} c[] = {
		{ 2, 1, 1 },	/* 1 < 2; imbalance 0: all */
		{ 3, 1, 1 },	/* imbalance 1 */
		{ 5, 1, 2 },	/* imbalance 2 */
		{ 5, 4, 0 },	/* 5 < 5: no */
		{ 6, 4, 1 },	/* 5 < 6 */
		{ 5, 3, 1 },	/* 3 < 5 */
		{ 4, 3, 3 },	/* 3 < 4; imbalance 0: all three that wait */
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		make(&m, "1x2", "simple-numa");
		view_make_tasks(&m, 0, c[i].nr, COLD);
		view_make_tasks(&m, 1, c[i].max, COLD);
		looks(&m, C_PERIOD, 0);
		assert_int_equal(m.d.nr, c[i].taken);
		view_make_release(&m);
	}
}

/* C.4: an idle CPU counts as 1: of another node it needs 3 (h40) or 5 (h40a). */
static void test_simple_other_node(void **state)
{
	static const struct {
		const char *policy;
		int needs;
	} c[] = {
		{ "simple-numa,variant=h40", 3 },
		{ "simple-numa,variant=h40a", 5 },
		/* Only queues of more than 3 are looked at from here on. */
		{ "simple-numa,variant=hr2", 5 },
		/* It counts as 0: 0 * 4 < 4. */
		{ "simple-numa,variant=hr4", 4 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		make(&m, "2x1", c[i].policy);
		view_make_tasks(&m, 1, c[i].needs - 1, COLD);
		view_make_newidle(&m, 0);
		assert_int_equal(m.d.nr, 0);
		view_make_task(&m, 1, COLD);
		view_make_newidle(&m, 0);
		assert_int_equal(m.d.nr, 1);
		view_make_release(&m);
	}
}

/* Hr4, busy, inside the node: (max - nr)/2 >= (max + 3)/4, and max > nr + 1. */
static void test_simple_hr4(void **state)
{
	static const struct {
		int max, nr, taken;
	} c[] = {
		{ 2, 1, 0 },	/* 0 >= 1: no */
		{ 3, 1, 1 },	/* 1 >= 1 */
		{ 4, 2, 1 },	/* 1 >= 1 */
		{ 5, 2, 0 },	/* 1 >= 2: no */
		{ 5, 1, 2 },	/* 2 >= 2 */
		{ 6, 3, 0 },	/* 1 >= 2: no */
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		make(&m, "1x2", "simple-numa,variant=hr4");
		view_make_tasks(&m, 0, c[i].nr, COLD);
		view_make_tasks(&m, 1, c[i].max, COLD);
		looks(&m, C_PERIOD, 0);
		assert_int_equal(m.d.nr, c[i].taken);
		view_make_release(&m);
	}
}

/* Of equal queues that of the lower CPU, here and on another node: the search
 * is for strictly more. */
static void test_simple_ties(void **state)
{
	struct view_make m;

	make(&m, "1x3", "simple-numa");
	view_make_tasks(&m, 2, 3, COLD);	/* 0 1 2 */
	view_make_tasks(&m, 1, 3, COLD);	/* 3 4 5 */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "5");
	view_make_release(&m);

	make(&m, "3x1", "simple-numa");
	view_make_tasks(&m, 2, 5, COLD);	/* 0 to 4 */
	view_make_tasks(&m, 1, 5, COLD);	/* 5 to 9 */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "9");
	view_make_release(&m);
}

/* Inside the node an idle CPU takes from a queue of 2 (1 * 5/4 does not matter),
 * and does not look further even if another node has more. */
static void test_simple_node_first(void **state)
{
	struct view_make m;

	make(&m, "2x2", "simple-numa");
	view_make_tasks(&m, 1, 2, COLD);	/* 0 1 */
	view_make_tasks(&m, 2, 9, COLD);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "1");
	view_make_release(&m);

	/* Hot tasks stay, also for an idle CPU, and it does not try others. */
	make(&m, "2x2", "simple-numa");
	view_make_tasks(&m, 1, 2, 10);
	view_make_tasks(&m, 2, 9, COLD);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);
}

/* C: up to two tasks are left alone; else the first of the strictly shortest,
 * in order of CPU numbers, nodes do not matter. */
static void test_simple_exec(void **state)
{
	struct view_make m;

	make(&m, "2x2", "simple-numa");
	view_make_tasks(&m, 3, 2, COLD);
	assert_int_equal(exec(&m, 0, 3), 3);
	view_make_task(&m, 3, COLD);
	assert_int_equal(exec(&m, 0, 3), 0);
	view_make_task(&m, 0, COLD);
	view_make_tasks(&m, 1, 3, COLD);
	assert_int_equal(exec(&m, 0, 3), 2);
	view_make_task(&m, 2, COLD);
	assert_int_equal(exec(&m, 0, 3), 0);
	view_make_release(&m);

	/* Hr2: two tasks are not left alone, and the scan begins at the first
	 * CPU of the node behind that of the last one placed from here: node 0
	 * behind node 1, then node 1, then 0 again. */
	make(&m, "2x2", "simple-numa,variant=hr2");
	view_make_tasks(&m, 3, 2, COLD);
	assert_int_equal(exec(&m, 0, 3), 0);
	assert_int_equal(exec(&m, 0, 3), 2);
	assert_int_equal(exec(&m, 0, 3), 0);
	view_make_release(&m);
}

/* -- D: pooling ------------------------------------------------------------------------ */

/* System D: an idle CPU does not wait; with the delay of the patch it would. */
static void test_pooling_idle(void **state)
{
	struct view_make m;

	make(&m, "4x4", "pooling");
	view_make_tasks(&m, 4, 3, COLD);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "2");
	view_make_release(&m);

	make(&m, "4x4", "pooling,idle_pool_delay=-1");
	view_make_tasks(&m, 4, 3, COLD);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);
}

/* D.3: start behind the last node, the own task not counted, ties round robin. */
static void test_pooling_ilb(void **state)
{
	struct view_make m;

	make(&m, "4x1", "pooling-ilb");
	view_make_task(&m, 0, COLD);
	/* All empty but for itself: 0, then 1, 2, 3 (where nobody moves in). */
	for (int n = 0; n < 6; n++)
		assert_int_equal(exec(&m, 0, 0), n % 4);
	/* Node 2 is the next; 2 and 3 have one: node 0 (its own not counted). */
	view_make_task(&m, 2, COLD);
	view_make_task(&m, 3, COLD);
	assert_int_equal(exec(&m, 0, 0), 0);
	assert_int_equal(exec(&m, 0, 0), 1);
	view_make_release(&m);

	/* Inside the node the first of the shortest queues. */
	make(&m, "2x3", "pooling-ilb");
	view_make_tasks(&m, 0, 9, COLD);
	view_make_tasks(&m, 3, 2, COLD);
	view_make_tasks(&m, 4, 1, COLD);
	view_make_tasks(&m, 5, 1, COLD);
	assert_int_equal(exec(&m, 0, 0), 4);
	view_make_release(&m);
}

/* -- F: dynamic homes -------------------------------------------------------------------- */

/* Of process 1 most pages lie on node 1, of process 2 as many on both. */
static int64_t pages(const struct view *v, int proc, int node)
{
	if (proc == 1)
		return node == 1 ? 60 : 40;
	return 50;
}

static int home_of(const struct view_make *m, int task)
{
	for (int i = 0; i < m->d.nr; i++)
		if (m->d.item[i].kind == DECIDE_HOME &&
		    m->d.item[i].home.task == task)
			return m->d.item[i].home.node;
	return -1;
}

/*
 * Task 1 has its home on node 0 still; a CPU of node 1 looks at it: its pages
 * are on node 1, so that is its home now, and it weighs 300 + 2.  Task 2, of
 * which no node has strictly more, keeps its home.
 */
static void test_dynamic_home(void **state)
{
	static const char *const dynamic[] = {
		"node-affine-dyn,idle_pool_delay=0,steal=lists",
		"node-affine-dyn-ilb,idle_pool_delay=0,steal=lists",
	};
	struct view_make m;

	for (size_t i = 0; i < sizeof(dynamic) / sizeof(*dynamic); i++) {
		make(&m, "2x1", dynamic[i]);
		m.view.proc_pages = pages;
		view_make_tasks(&m, 0, 3, COLD);
		for (int t = 0; t < 3; t++)
			view_make_home(&m, t, 0);
		view_make_newidle(&m, 1);
		assert_string_equal(pulled(&m), "1");
		assert_int_equal(home_of(&m, 1), 1);
		assert_int_equal(home_of(&m, 2), -1);
		view_make_release(&m);
	}

	/* A static home would not have known: both weigh 100 + 2 - 100. */
	make(&m, "2x1", "node-affine,idle_pool_delay=0,steal=lists");
	m.view.proc_pages = pages;
	view_make_tasks(&m, 0, 3, COLD);
	for (int t = 0; t < 3; t++)
		view_make_home(&m, t, 0);
	view_make_newidle(&m, 1);
	assert_string_equal(pulled(&m), "2");
	assert_int_equal(home_of(&m, 1), -1);
	view_make_release(&m);
}

/*
 * With initial balancing a task that execs gets the node with the fewest
 * assigned, the one that execs not counted, from behind the last one on: of 0
 * with one other and 1 to 3 with none node 1; then of 0 with none, 1 with the
 * first task and 2 and 3 with none node 2.  Without it both stay.
 */
static void test_dynamic_ilb(void **state)
{
	struct view_make m;

	make(&m, "4x1", "node-affine-dyn-ilb");
	view_make_tasks(&m, 0, 2, COLD);
	view_make_home(&m, 0, 0);
	view_make_home(&m, 1, 0);
	assert_int_equal(exec(&m, 0, 0), 1);
	assert_int_equal(home_of(&m, 0), 1);
	view_make_home(&m, 0, 1);
	assert_int_equal(exec(&m, 1, 0), 2);
	assert_int_equal(home_of(&m, 1), 2);
	view_make_release(&m);

	make(&m, "4x1", "node-affine-dyn");
	view_make_tasks(&m, 0, 2, COLD);
	assert_int_equal(exec(&m, 0, 0), 0);
	assert_int_equal(home_of(&m, 0), -1);
	view_make_release(&m);
}

/* -- G: numa-2.6 ------------------------------------------------------------------------- */

/* Inside the node: max - nr, a quarter of max at least if busy; half of it. */
static void test_merged_own(void **state)
{
	static const struct {
		int max, nr, taken;
	} c[] = {
		{ 3, 1, 1 },	/* 2 * 4 >= 3; 1 */
		{ 5, 1, 2 },
		{ 5, 4, 0 },	/* 1 * 4 < 5 */
		{ 4, 2, 1 },
		{ 9, 1, 4 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		make(&m, "1x2", "numa-2.6");
		view_make_tasks(&m, 0, c[i].nr, COLD);
		view_make_tasks(&m, 1, c[i].max, COLD);
		looks(&m, 204, 0);
		assert_int_equal(m.d.nr, c[i].taken);
		view_make_release(&m);
	}
}

/* Idle: one task, hot or not; when a queue runs empty only inside the node. */
static void test_merged_idle(void **state)
{
	struct view_make m;

	make(&m, "2x2", "numa-2.6");
	view_make_tasks(&m, 1, 4, 0);		/* hot */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "3");
	view_make_shrink(&m, 1, 1);
	view_make_tasks(&m, 2, 8, COLD);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);
}

/*
 * Between nodes every 5 ms = 5 ticks.  Loads are 10 * nr / CPUs with half of the
 * last: own 2 tasks on 2 CPUs 10, other 12, then 12/2 + 12 = 18 against 15: 120 %
 * is not over 125.  With a third task 15 + 9 = 24 against 17: 141 % is.
 */
static void test_merged_nodes(void **state)
{
	struct view_make m;

	make(&m, "2x4", "numa-2.6,idle_rebalance=0");
	view_make_tasks(&m, 1, 4, COLD);	/* node 0: 4 tasks, 10 */
	view_make_tasks(&m, 4, 5, COLD);	/* node 1: 5 tasks, 12 */
	view_make_tick(&m, 1000, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_tick(&m, 1003, 0);
	assert_int_equal(m.d.nr, 0);		/* not its turn */
	view_make_tick(&m, 1005, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_task(&m, 4, COLD);		/* 6 tasks, 15 */
	view_make_tick(&m, 1010, 0);
	assert_int_equal(m.d.nr, 1);
	assert_int_equal(m.view.task[m.d.item[0].pull.task].cpu, 4);
	view_make_release(&m);
}

static void test_merged_exec(void **state)
{
	struct view_make m;

	make(&m, "3x2", "numa-2.6");
	view_make_tasks(&m, 0, 2, COLD);
	assert_int_equal(exec(&m, 0, 0), 0);
	view_make_task(&m, 0, COLD);
	view_make_tasks(&m, 2, 2, COLD);
	view_make_task(&m, 4, COLD);
	/* Nodes have 3, 2 and 1 tasks; CPU 5 is empty. */
	assert_int_equal(exec(&m, 0, 0), 5);
	view_make_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_cases),
		cmocka_unit_test(test_single_idle),
		cmocka_unit_test(test_single_coldest),
		cmocka_unit_test(test_simple_own),
		cmocka_unit_test(test_simple_other_node),
		cmocka_unit_test(test_simple_hr4),
		cmocka_unit_test(test_simple_ties),
		cmocka_unit_test(test_simple_node_first),
		cmocka_unit_test(test_simple_exec),
		cmocka_unit_test(test_pooling_idle),
		cmocka_unit_test(test_pooling_ilb),
		cmocka_unit_test(test_dynamic_home),
		cmocka_unit_test(test_dynamic_ilb),
		cmocka_unit_test(test_merged_own),
		cmocka_unit_test(test_merged_idle),
		cmocka_unit_test(test_merged_nodes),
		cmocka_unit_test(test_merged_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
