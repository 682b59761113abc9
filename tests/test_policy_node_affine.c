/* SPDX-License-Identifier: MIT */
/*
 * node-affine and the pooling under it against sheets D and E of algorithms.md,
 * on a machine of 4 nodes with 4 CPUs each (CPU c is on node c / 4), 1024 ticks
 * a second: a busy CPU balances every 200 ms = 204 ticks, an idle one at each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/policy_pool.h"
#include "tests/support/view_make.h"

#define BUSY_TICK 204
#define COLD 16		/* twice cache_decay_ticks: weight 2 */

static char text[1000];

static void make(struct view_make *m, const char *policy)
{
	view_make_init(m, "4x4", policy);
	view_make_policy(m);
}

static const char *pulled(const struct view_make *m)
{
	return view_make_pulled(m, text, sizeof(text));
}

/* D.1: the queue lengths and node loads that its text lists. */
static void test_balanced(void **state)
{
	static const struct {
		int m, t;
		bool balanced;
	} c[] = {
		{ 2, 0, false }, { 3, 1, false }, { 4, 2, false },
		{ 5, 3, false }, { 5, 2, false },
		{ 2, 1, true }, { 3, 2, true }, { 4, 3, true }, { 6, 4, true },
		{ 1, 0, true }, { 0, 0, true },
		/* own 4 tasks against 5 and 6; own 3 against 5; own 4 against 7 */
		{ 125, 100, true }, { 150, 100, true }, { 125, 75, false },
		{ 175, 100, false },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++)
		assert_int_equal(pool_balanced(c[i].m, c[i].t), c[i].balanced);
}

/* D.1.3: inside the node at once, one task only, and the node first even if
 * another one has a longer queue. */
static void test_own_node(void **state)
{
	struct view_make m;

	make(&m, "node-affine");
	view_make_tasks(&m, 1, 4, COLD);	/* 0..3 */
	view_make_tasks(&m, 4, 9, COLD);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "3");
	view_make_release(&m);
}

/*
 * D.1.6: the whole node is idle, CPU 4 has 3 tasks.  Node loads 0 and 75, mean
 * 75*4/16 = 18: BALANCED(18, 0) is 9 < 3, no: the short delay, 100 >> 6 = 1 tick.
 */
static void test_short_delay(void **state)
{
	struct view_make m;

	make(&m, "node-affine");
	view_make_tasks(&m, 4, 3, COLD);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_tick(&m, m.view.tick + 1, 0);
	assert_string_equal(pulled(&m), "2");
	/* It waits anew for the next one. */
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);

	/* idle_pool_delay=0: at once. */
	make(&m, "node-affine,idle_pool_delay=0");
	view_make_tasks(&m, 4, 3, COLD);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "2");
	view_make_release(&m);
}

/*
 * D.1.6: own node 3 tasks (75), node 1 has 6 (150), the others 4 (100): mean
 * (75+150+100+100)*4/16 = 106.  BALANCED(106, 75) is 15 < (90+3)/4 = 23: yes, so
 * the own node is averagely loaded: 100 ticks.  150 against 75 is 37 < 28: no.
 */
static void fill_average(struct view_make *m)
{
	for (int c = 1; c < 16; c++)
		view_make_task(m, c, COLD);	/* task c - 1 */
	view_make_tasks(m, 4, 2, COLD);		/* 15, 16 */
}

static void test_long_delay(void **state)
{
	struct view_make m;
	int64_t t;

	make(&m, "node-affine");
	fill_average(&m);
	t = m.view.tick;
	view_make_newidle(&m, 0);
	view_make_tick(&m, t + 99, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_tick(&m, t + 100, 0);
	assert_string_equal(pulled(&m), "16");
	view_make_release(&m);

	/* Another node becomes the busiest: waiting begins again. */
	make(&m, "node-affine");
	fill_average(&m);
	t = m.view.tick;
	view_make_newidle(&m, 0);
	view_make_tasks(&m, 8, 3, COLD);	/* 17..19: node 2 has 7 */
	view_make_tick(&m, t + 100, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_tick(&m, t + 200, 0);
	assert_string_equal(pulled(&m), "19");
	view_make_release(&m);
}

/*
 * Busy CPU 0 with 1 task; node 1 has 8 on CPU 4: loads 25 and 200.  The first
 * look sees nothing (minimum rule), the second begins to wait, the third, 204
 * ticks later, takes one, although half of the difference would be 3.
 */
static void test_busy(void **state)
{
	struct view_make m;

	make(&m, "node-affine");
	view_make_task(&m, 0, COLD);
	view_make_tasks(&m, 4, 8, COLD);
	for (int look = 0; look < 2; look++) {
		view_make_tick(&m, (1000 + look) * BUSY_TICK, 0);
		assert_int_equal(m.d.nr, 0);
	}
	view_make_tick(&m, 1002 * BUSY_TICK, 0);
	assert_string_equal(pulled(&m), "8");
	view_make_tick(&m, 1002 * BUSY_TICK + 1, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);
}

/* The pools are tried from the next one on; the first of equals is taken. */
static void test_pool_order(void **state)
{
	struct view_make m;

	make(&m, "node-affine,idle_pool_delay=0");
	view_make_tasks(&m, 0, 3, COLD);	/* 0..2 on node 0 */
	view_make_tasks(&m, 12, 3, COLD);	/* 3..5 on node 3 */
	view_make_newidle(&m, 9);		/* node 2: looks at 3, 0, 1 */
	assert_string_equal(pulled(&m), "5");
	view_make_newidle(&m, 5);		/* node 1: looks at 2, 3, 0 */
	assert_string_equal(pulled(&m), "5");
	view_make_release(&m);
}

/*
 * E: tasks of other nodes that belong here count twice.  Nodes 1 and 2 have 3
 * tasks each on one queue; one of node 2's has its home here, on node 0.
 */
static void test_belongs_here(void **state)
{
	struct view_make m;

	make(&m, "node-affine,idle_pool_delay=0");
	view_make_tasks(&m, 4, 3, COLD);	/* 0..2 */
	view_make_tasks(&m, 8, 3, COLD);	/* 3..5 */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "2");
	view_make_home(&m, 3, 0);		/* runs: cannot be taken itself */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "5");
	view_make_release(&m);
}

/*
 * E: who is taken by CPU 0 (node 0) from CPU 4 (node 1), all equally cold (2):
 * ps2: home 0: 302, home 2: 102, home 1 (at home there): 2.
 * p10: 102, 2, and -98: never.
 */
static void fill_homes(struct view_make *m)
{
	view_make_task(m, 4, COLD);
	for (int t = 1; t <= 3; t++)
		view_make_home(m, view_make_task(m, 4, COLD),
			       t == 1 ? 0 : t == 2 ? 2 : 1);
}

static void hide(struct view_make *m, int task)
{
	m->view.task[task].ran_tick = m->view.tick;	/* hot */
}

static void test_weights(void **state)
{
	static const char *const policy[] = {
		"node-affine,steal=lists,idle_pool_delay=0",
		"node-affine,steal=lists,idle_pool_delay=0,weights=p10",
	};

	for (int p10 = 0; p10 < 2; p10++) {
		struct view_make m;

		make(&m, policy[p10]);
		fill_homes(&m);
		view_make_newidle(&m, 0);
		assert_string_equal(pulled(&m), "1");
		hide(&m, 1);
		view_make_newidle(&m, 0);
		assert_string_equal(pulled(&m), "2");
		hide(&m, 2);
		view_make_newidle(&m, 0);
		assert_string_equal(pulled(&m), p10 ? "" : "3");
		view_make_release(&m);
	}
}

/*
 * Inside a node: a task at home there has +300 - 100 with ps2, one from
 * elsewhere 100.  Coldness counts up to 99: 100 + 99 stays below 200 + 1.
 */
static void test_weights_inside(void **state)
{
	struct view_make m;
	int own, other;

	make(&m, "node-affine,steal=lists");
	view_make_task(&m, 1, COLD);
	own = view_make_task(&m, 1, 9);
	other = view_make_task(&m, 1, 100000);
	view_make_home(&m, own, 0);
	view_make_home(&m, other, 3);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "1");
	view_make_release(&m);
}

/* B: of each priority list only the tail is looked at. */
static void test_tails(void **state)
{
	struct view_make m;

	make(&m, "node-affine");
	view_make_task(&m, 1, COLD);
	view_make_task(&m, 1, 1000);		/* colder, but not at the tail */
	view_make_task(&m, 1, COLD);		/* 2 */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "2");
	hide(&m, 2);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);

	/* The coldest wins over all lists; 8 ticks are hot, 9 are not. */
	make(&m, "node-affine,steal=lists");
	view_make_task(&m, 1, COLD);
	view_make_task(&m, 1, 1000);
	view_make_task(&m, 1, COLD);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "1");
	view_make_release(&m);
	make(&m, "node-affine");
	view_make_task(&m, 1, COLD);
	view_make_task(&m, 1, 9);
	view_make_task(&m, 2, COLD);
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "1");
	hide(&m, 1);
	m.view.task[1].ran_tick -= 8;
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);
}

/* cache_decay_ticks=0: nothing divides by it; all are as cold as can be. */
static void test_no_decay(void **state)
{
	struct view_make m;

	make(&m, "node-affine,cache_decay_ticks=0,steal=lists");
	view_make_task(&m, 1, 1);
	view_make_task(&m, 1, 1000);
	view_make_task(&m, 1, 1);		/* 2: the first of equals */
	view_make_newidle(&m, 0);
	assert_string_equal(pulled(&m), "2");
	view_make_release(&m);
}

/* -- homes --------------------------------------------------------------------- */

static int exec_at(struct view_make *m, int task)
{
	struct select_args a = {
		.task = task, .prev_cpu = m->view.task[task].cpu,
		.waker = TASK_NONE, .waker_cpu = m->view.task[task].cpu,
		.why = SELECT_EXEC };
	int cpu;

	m->d.nr = 0;
	cpu = m->spec.ops->select_cpu(m->state, &m->view, &a, &m->d);
	for (int i = 0; i < m->d.nr; i++)
		view_make_home(m, m->d.item[i].home.task, m->d.item[i].home.node);
	return cpu;
}

/*
 * E: tasks assigned per node, the one that execs not counted; ties go round
 * from the node after the last one chosen; in the node the shortest queue, and
 * the one that execs makes its own queue longer.
 */
static void test_choose_home(void **state)
{
	struct view_make m;
	int t[4];

	make(&m, "node-affine");
	for (int i = 0; i < 4; i++)
		view_make_home(&m, t[i] = view_make_task(&m, 0, COLD), 0);
	/* node 0 has 3 others: 75; first of 1, 2, 3 with 0 */
	assert_int_equal(exec_at(&m, t[0]), 4);
	assert_int_equal(view_task_home(&m.view, t[0]), 1);
	/* now 0: 50, 1: 25; from node 2 on: 2 */
	assert_int_equal(exec_at(&m, t[1]), 8);
	assert_int_equal(exec_at(&m, t[2]), 12);
	/* all but it: node 0: 0, 1, 2, 3: 25: 0, CPU 1, since CPU 0 has 4 */
	assert_int_equal(exec_at(&m, t[3]), 1);
	/* Again: its own old home does not count: 0 again. */
	assert_int_equal(exec_at(&m, t[3]), 1);
	view_make_release(&m);

	/* p10 counts who runs there: all four still do on CPU 0. */
	make(&m, "node-affine,homenode=p10");
	for (int i = 0; i < 4; i++)
		view_make_home(&m, t[i] = view_make_task(&m, 0, COLD), 3);
	assert_int_equal(exec_at(&m, t[0]), 4);
	assert_int_equal(exec_at(&m, t[0]), 8);
	assert_int_equal(exec_at(&m, t[0]), 12);
	assert_int_equal(exec_at(&m, t[0]), 4);
	view_make_release(&m);
}

/* Nodes without an allowed CPU are left out; kernel threads stay. */
static void test_choose_allowed(void **state)
{
	struct cpumask mask = { 0 };
	struct view_make m;
	int t;

	assert_int_equal(cpumask_set(&mask, 10), 0);
	assert_int_equal(cpumask_set(&mask, 11), 0);
	make(&m, "node-affine");
	t = view_make_task(&m, 10, COLD);
	m.view.task[t].allowed = &mask;
	assert_int_equal(exec_at(&m, t), 11);
	m.view.task[t].is_kthread = true;
	assert_int_equal(exec_at(&m, t), 10);
	view_make_release(&m);
	make(&m, "node-affine,initial_balancing=off");
	assert_int_equal(exec_at(&m, view_make_task(&m, 3, COLD)), 3);
	view_make_release(&m);
	cpumask_release(&mask);
}

static int fork_at(struct view_make *m, int task, int parent)
{
	struct select_args a = {
		.task = task, .prev_cpu = m->view.task[parent].cpu,
		.waker = parent, .waker_cpu = m->view.task[parent].cpu,
		.why = SELECT_FORK };

	m->view.task[task].cpu = a.prev_cpu;
	m->d.nr = 0;
	return m->spec.ops->select_cpu(m->state, &m->view, &a, &m->d);
}

static void test_node_policy(void **state)
{
	static const struct {
		const char *policy;
		int process, thread;	/* CPU of a new process, a new thread */
	} c[] = {
		{ "node-affine", 0, 0 },
		{ "node-affine,node_policy=fork", 4, 0 },
		{ "node-affine,node_policy=fork-all", 4, 8 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;
		int parent;

		make(&m, c[i].policy);
		parent = view_make_task(&m, 0, COLD);
		view_make_home(&m, parent, 0);
		/* node 0 has the parent: 25; node 1 is the first with 0; then,
		 * since the child is not runnable yet, node 2 */
		assert_int_equal(fork_at(&m, 10, parent), c[i].process);
		m.view.task[11].proc = parent;
		assert_int_equal(fork_at(&m, 11, parent), c[i].thread);
		view_make_release(&m);
	}
}

/* A child has its parent's home, a kernel thread the node of its CPU. */
static void test_inherit(void **state)
{
	struct view_make m;
	int parent, child;

	make(&m, "node-affine");
	parent = view_make_task(&m, 0, COLD);
	child = view_make_task(&m, 5, COLD);
	view_make_home(&m, parent, 3);
	m.spec.ops->init_task(m.state, &m.view, child, parent, &m.d);
	assert_int_equal(m.d.item[0].home.node, 3);
	m.view.task[child].is_kthread = true;
	m.spec.ops->init_task(m.state, &m.view, child, parent, &m.d);
	assert_int_equal(m.d.item[1].home.node, 1);
	m.spec.ops->init_task(m.state, &m.view, child, TASK_NONE, &m.d);
	assert_int_equal(m.d.item[2].home.node, 1);
	view_make_release(&m);
}

static void test_pages_from_home(void **state)
{
	struct view_make m;
	int64_t pages = 9;
	int t;

	make(&m, "node-affine");
	t = view_make_task(&m, 5, COLD);
	view_make_home(&m, t, 2);
	assert_int_equal(m.spec.ops->place_page(m.state, &m.view, t, 0, &pages), 2);
	view_make_release(&m);
	make(&m, "node-affine,alloc=local");
	t = view_make_task(&m, 5, COLD);
	view_make_home(&m, t, 2);
	assert_int_equal(m.spec.ops->place_page(m.state, &m.view, t, 0, &pages), 1);
	view_make_release(&m);
}

/* -- set back -------------------------------------------------------------------- */

/* Where a lone task on CPU `cpu` with this home is pushed at a busy tick. */
static int pushed(struct view_make *m, int cpu, int home)
{
	int t = view_make_task(m, cpu, COLD);

	view_make_home(m, t, home);
	view_make_tick(m, 1000 * BUSY_TICK, cpu);
	if (!m->d.nr)
		return -1;
	assert_int_equal(m->d.item[0].pull.why, MOVE_PUSH);
	assert_int_equal(m->d.item[0].pull.task, t);
	return m->d.item[0].pull.to_cpu;
}

static void test_push_ps2(void **state)
{
	struct view_make m;

	/* Nobody at home on node 1: to its lowest CPU. */
	make(&m, "node-affine");
	assert_int_equal(pushed(&m, 1, 1), 4);
	view_make_release(&m);

	/* One there that is at home: 100 / 4 is not below 25. */
	make(&m, "node-affine");
	view_make_home(&m, view_make_task(&m, 6, COLD), 1);
	assert_int_equal(pushed(&m, 1, 1), -1);
	view_make_release(&m);

	/* One there that is not: pushed, even onto its CPU. */
	make(&m, "node-affine");
	view_make_home(&m, view_make_task(&m, 4, COLD), 2);
	assert_int_equal(pushed(&m, 1, 1), 4);
	view_make_release(&m);

	/* Never to CPU 0: the source takes 0 for "none". */
	make(&m, "node-affine");
	assert_int_equal(pushed(&m, 5, 0), -1);
	view_make_release(&m);

	/* Not if another one is on the queue, or it is at home. */
	make(&m, "node-affine");
	view_make_task(&m, 1, COLD);
	assert_int_equal(pushed(&m, 1, 1), -1);
	assert_int_equal(pushed(&m, 5, 1), -1);
	view_make_release(&m);

	make(&m, "node-affine,push=off");
	assert_int_equal(pushed(&m, 1, 1), -1);
	view_make_release(&m);
}

/* Home node 1: CPU 4 has one that is at home, CPU 5 one that is not: more run
 * there than are at home, and CPU 5 is the lowest without one at home. */
static void test_push_p10(void **state)
{
	struct view_make m;

	make(&m, "node-affine,push=p10");
	assert_int_equal(pushed(&m, 1, 1), -1);	/* nobody runs there */
	view_make_release(&m);
	make(&m, "node-affine,push=p10");
	view_make_home(&m, view_make_task(&m, 4, COLD), 1);
	view_make_home(&m, view_make_task(&m, 5, COLD), 2);
	assert_int_equal(pushed(&m, 1, 1), 5);
	view_make_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balanced),
		cmocka_unit_test(test_own_node),
		cmocka_unit_test(test_short_delay),
		cmocka_unit_test(test_long_delay),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_pool_order),
		cmocka_unit_test(test_belongs_here),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_weights_inside),
		cmocka_unit_test(test_tails),
		cmocka_unit_test(test_no_decay),
		cmocka_unit_test(test_choose_home),
		cmocka_unit_test(test_choose_allowed),
		cmocka_unit_test(test_node_policy),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_pages_from_home),
		cmocka_unit_test(test_push_ps2),
		cmocka_unit_test(test_push_p10),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
