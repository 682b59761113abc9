/* SPDX-License-Identifier: MIT */
/*
 * fair against sheet M.5 and M.6 of algorithms.md, on four nodes of two CPUs,
 * each with one last-level cache, as the guests of traces/vm are: CPU c is on
 * node c / 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/err.h"
#include "replay/fair.h"
#include "tests/support/view_make.h"

#define NS_PER_S INT64_C(1000000000)
#define MC 1
#define NUMA 2

static struct fair *make(struct view_make *m, const char *machine)
{
	view_make_init(m, machine, "fair");
	for (int c = 0; c < m->topo.nr_cpu_ids; c++)
		m->topo.cpu[c].llc = m->topo.cpu[c].package =
			m->topo.cpu[c].node;
	view_make_policy(m);
	return m->state;
}

/* Lets every queue choose, and time pass, until its averages are what it is. */
static void settle(struct view_make *m)
{
	for (int c = 0; c < m->view.nr_cpus; c++)
		if (m->view.nr_running[c] && !m->queues.ops->signal(&m->queues,
					SIGNAL_CPU_UTIL, c))
			m->queues.ops->pick(&m->queues, c);
	m->view.now += NS_PER_S;
}

static void test_domains(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "4x2");
	const struct fair_set *s;

	assert_int_equal(f->domains.nr_levels, 3);
	s = fair_domain(&f->domains, MC, 3);
	assert_int_equal(s->nr, 2);
	assert_int_equal(s->cpu[0], 2);
	assert_int_equal(s->cpu[1], 3);
	s = fair_domain(&f->domains, NUMA, 3);
	assert_int_equal(s->nr, 8);
	assert_int_equal(s->nr_groups, 4);
	assert_int_equal(fair_child(&f->domains, NUMA, 3), MC);
	assert_true(fair_share_llc(&f->domains, 2, 3));
	assert_false(fair_share_llc(&f->domains, 1, 2));
	/* One cache of two CPUs: 2 / 8, at least 1. */
	assert_int_equal(f->domains.level[NUMA].imb_numa, 1);
	view_make_release(&m);

	f = make(&m, "2x16");		/* 16 / 8 */
	assert_int_equal(f->domains.level[NUMA].imb_numa, 2);
	view_make_release(&m);
}

static void test_adjust_numa(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "4x2");

	assert_int_equal(fair_adjust_numa(f, NUMA, 2, 1), 0);
	assert_int_equal(fair_adjust_numa(f, NUMA, 3, 1), 3);
	assert_int_equal(fair_adjust_numa(f, NUMA, 2, 2), 2);
	assert_int_equal(fair_adjust_numa(f, MC, 2, 1), 2);
	view_make_release(&m);
}

static int sibling(struct fair *f, struct view_make *m, int prev, int target)
{
	struct select_args a = {
		.task = 100, .prev_cpu = prev, .waker = TASK_NONE,
		.waker_cpu = -1, .why = SELECT_WAKE };

	return fair_idle_sibling(f, &m->view, &a, target);
}

static void test_idle_sibling(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "4x2");

	/* The target; its idle neighbour; itself if that is busy too. */
	assert_int_equal(sibling(f, &m, 0, 2), 2);
	view_make_task(&m, 2, 0);
	assert_int_equal(sibling(f, &m, 0, 2), 3);
	assert_int_equal(sibling(f, &m, 3, 2), 3);
	view_make_task(&m, 3, 0);
	assert_int_equal(sibling(f, &m, 0, 2), 2);
	view_make_release(&m);
}

/* Loads of 1024 a task; the wakee's own has long decayed.  The waker's CPU wins
 * up to 108 % of the other's: 1 * 100 < 1 * 108, but not 2 * 100. */
static void test_wake_affine(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "4x2");
	int waker = view_make_task(&m, 0, 0);
	struct select_args a = {
		.task = 100, .prev_cpu = 4, .waker = waker, .waker_cpu = 0,
		.why = SELECT_WAKE };

	assert_int_equal(fair_wake_affine(f, &m.view, &a, 0), 4);	/* idle */
	view_make_task(&m, 4, 0);
	settle(&m);
	assert_int_equal(fair_wake_affine(f, &m.view, &a, 0), 0);
	view_make_task(&m, 0, 0);
	settle(&m);
	assert_int_equal(fair_wake_affine(f, &m.view, &a, 0), 4);
	view_make_release(&m);
}

/* Node 0 has four tasks on two CPUs, the others one each; CPU 6 runs empty: it
 * takes the one that waits longest on the first of the two. */
static void test_newidle(void **state)
{
	struct view_make m;
	char buf[64];

	make(&m, "4x2");
	view_make_tasks(&m, 0, 2, 0);
	view_make_tasks(&m, 1, 2, 0);
	for (int c = 2; c < 6; c++)
		view_make_task(&m, c, 0);
	settle(&m);
	view_make_newidle(&m, 6);
	assert_string_equal(view_make_pulled(&m, buf, sizeof(buf)), "1");
	view_make_release(&m);
}

/* Two tasks on one CPU of node 0 and nothing else: the neighbour in its cache
 * takes one (2 > 0 + 1, half of the difference); CPU 6 may leave the node alone:
 * with imb_numa 1, an imbalance of 2 for a node that would then have 1 is fine. */
static void test_spare(void **state)
{
	struct view_make m;
	char buf[64];

	make(&m, "4x2");
	view_make_tasks(&m, 0, 2, 0);
	settle(&m);
	view_make_newidle(&m, 6);
	assert_string_equal(view_make_pulled(&m, buf, sizeof(buf)), "");
	view_make_newidle(&m, 1);
	assert_string_equal(view_make_pulled(&m, buf, sizeof(buf)), "1");
	view_make_release(&m);
}

/* A child goes to the group with most idle CPUs, if a node may not keep both:
 * the parent is alone on node 0 (1 idle of 2), the others have 2.  2 - 1 = 1 is
 * an allowed imbalance only while the node has no more than one task. */
static void test_fork(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "4x2");
	struct select_args a = {
		.task = 100, .prev_cpu = 0, .waker = 0, .waker_cpu = 0,
		.why = SELECT_FORK };

	view_make_task(&m, 0, 0);
	settle(&m);
	assert_int_equal(fair_slow(f, &m.view, &a), 2);
	for (int c = 2; c < 8; c++)
		view_make_task(&m, c, 0);
	settle(&m);
	assert_int_equal(fair_slow(f, &m.view, &a), 1);
	view_make_release(&m);
}

/* Groups are looked at from a CPU's own one on, round: of equals the next node is
 * taken.  CPU 4 is on node 2; a child of its task goes to node 3 then, and one of
 * CPU 6's to node 0. */
static void test_group_order(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "4x2");
	struct select_args a = {
		.task = 100, .prev_cpu = 4, .waker = 0, .waker_cpu = 4,
		.why = SELECT_FORK };

	for (int i = 0; i < 4; i++)
		assert_int_equal(fair_group(&f->domains, NUMA, 4, i)->cpu[0],
				 (4 + 2 * i) % 8);
	assert_int_equal(fair_group(&f->domains, MC, 5, 0)->cpu[0], 5);
	assert_int_equal(fair_group(&f->domains, MC, 5, 1)->cpu[0], 4);
	view_make_task(&m, 4, 0);
	settle(&m);
	assert_int_equal(fair_slow(f, &m.view, &a), 6);
	view_make_release(&m);

	f = make(&m, "4x2");
	a.prev_cpu = a.waker_cpu = 6;
	view_make_task(&m, 6, 0);
	settle(&m);
	assert_int_equal(fair_slow(f, &m.view, &a), 0);
	view_make_release(&m);
}

/* Every CPU has one task or more.  Nodes 1 and 3 have three, both overloaded, and
 * for CPU 5 of node 2 node 3 comes first; node 1 has more load once its third
 * task has run as long. */
static void test_busiest(void **state)
{
	struct fair_env e = { .level = NUMA, .cpu = 5, .when = FAIR_BUSY };
	struct view_make m;

	e.f = make(&m, "4x2");
	e.v = &m.view;
	for (int c = 0; c < 8; c++)
		view_make_task(&m, c, 0);
	settle(&m);
	assert_false(fair_find_group(&e));
	view_make_task(&m, 2, 0);
	view_make_task(&m, 6, 0);
	settle(&m);
	assert_true(fair_find_group(&e));
	assert_int_equal(e.busiest->cpu[0], 6);
	view_make_task(&m, 2, 0);
	settle(&m);
	assert_true(fair_find_group(&e));
	assert_int_equal(e.busiest->cpu[0], 2);
	view_make_release(&m);
}

static void test_queue_kind(void **state)
{
	assert_int_equal(fair_queue_kind(3, 2, 2), FAIR_REGULAR);
	assert_int_equal(fair_queue_kind(3, 3, 2), FAIR_REMOTE);
	assert_int_equal(fair_queue_kind(3, 3, 3), FAIR_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_adjust_numa),
		cmocka_unit_test(test_idle_sibling),
		cmocka_unit_test(test_wake_affine),
		cmocka_unit_test(test_newidle),
		cmocka_unit_test(test_spare),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_group_order),
		cmocka_unit_test(test_busiest),
		cmocka_unit_test(test_queue_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
