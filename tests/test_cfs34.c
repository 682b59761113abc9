/* SPDX-License-Identifier: MIT */
/*
 * cfs34 against sheet J of algorithms.md: two nodes of four CPUs with a cache
 * each; CPU c is on node c / 4.  Every task weighs 1024.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/cfs34.h"
#include "tests/support/view_make.h"

/* threads: of a core. */
static struct cfs34 *make(struct view_make *m, const char *policy, int threads)
{
	view_make_init(m, "2x4", policy);
	for (int c = 0; c < m->topo.nr_cpu_ids; c++) {
		m->topo.cpu[c].llc = m->topo.cpu[c].package =
			m->topo.cpu[c].node;
		m->topo.cpu[c].core = c / threads;
		m->topo.cpu[c].smt = c % threads;
	}
	view_make_policy(m);
	return m->state;
}

static int top(const struct cfs34 *c)
{
	return c->fair.domains.nr_levels - 1;
}

static bool find(struct cfs34 *c, struct view_make *m, int cpu,
		 enum fair_when when, struct fair_env *e)
{
	*e = (struct fair_env){
		.f = &c->fair, .v = &m->view, .d = &m->d, .cpu = cpu,
		.level = top(c), .when = when };
	return cfs34_find_group(e);
}

static void test_domains(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4", 2);

	assert_int_equal(top(c), 3);
	assert_int_equal(c->fair.domains.level[1].kind, FAIR_SMT);
	assert_int_equal(c->fair.domains.level[2].kind, FAIR_MC);
	assert_int_equal(c->fair.domains.level[3].kind, FAIR_NUMA);
	assert_int_equal(fair_pct(&c->fair, 1, 0), 110);
	assert_int_equal(fair_pct(&c->fair, 2, 0), 125);
	assert_int_equal(fair_cache_nice(&c->fair, 2), 1);
	assert_int_equal(fair_cache_nice(&c->fair, 3), 2);
	assert_int_equal(c->power[0], 1178 / 2);
	view_make_release(&m);
}

/* One level of nodes, though the third is farther than the second. */
static void test_one_numa(void **state)
{
	struct view_make m;
	struct cfs34 *c;

	view_make_init(&m, "3x2", "cfs-3.4");
	m.topo.distance[0 * 3 + 2] = m.topo.distance[2 * 3 + 0] = 30;
	view_make_policy(&m);
	c = m.state;
	assert_int_equal(c->fair.domains.level[top(c)].kind, FAIR_NUMA);
	assert_true(c->fair.domains.level[top(c) - 1].kind < FAIR_NUMA);
	assert_int_equal(fair_domain(&c->fair.domains, top(c), 0)->nr, 6);
	view_make_release(&m);
}

/* Half, a quarter, an eighth of the way to 1024 at each tick; rounded up. */
static void test_decay(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4", 1);

	view_make_task(&m, 0, 0);
	cfs34_tick(c, &m.view, 0, &m.d);
	assert_int_equal(c->load[0], 1024);
	assert_int_equal(c->load[1], 512);
	assert_int_equal(c->load[2], 256);
	assert_int_equal(c->load[3], 128);
	cfs34_tick(c, &m.view, 0, &m.d);
	assert_int_equal(c->load[1], 768);
	assert_int_equal(c->load[2], 448);	/* (3 * 256 + 1024) / 4 */
	assert_int_equal(cfs34_source_load(c, &m.view, 0, 0), 1024);
	assert_int_equal(cfs34_source_load(c, &m.view, 0, 2), 768);
	assert_int_equal(cfs34_target_load(c, &m.view, 0, 2), 1024);
	assert_int_equal(cfs34_target_load(c, &m.view, 1, 2), 0);
	view_make_release(&m);
}

/* The waker's CPU has one task, the wakee would be the second: 2048 * 100 against
 * 112 times the other CPU's.  A waker that is about to sleep does not count. */
static void test_wake_affine(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4", 1);
	int waker = view_make_task(&m, 0, 0);
	struct select_args a = {
		.task = view_make_task(&m, 7, 0), .prev_cpu = 4,
		.waker = waker, .waker_cpu = 0, .why = SELECT_WAKE };

	view_make_task(&m, 4, 0);		/* 114688 */
	assert_false(cfs34_wake_affine(&c->fair, &m.view, &a, 0));
	a.is_sync = true;
	assert_true(cfs34_wake_affine(&c->fair, &m.view, &a, 0));
	a.is_sync = false;
	view_make_task(&m, 4, 0);		/* 229376 */
	assert_true(cfs34_wake_affine(&c->fair, &m.view, &a, 0));
	a.prev_cpu = 5;				/* idle, but so is CPU 1 */
	assert_true(cfs34_wake_affine(&c->fair, &m.view, &a, 1));
	assert_false(cfs34_wake_affine(&c->fair, &m.view, &a, 0));
	view_make_release(&m);
}

/* Cores of CPUs 0, 1 and 2, 3.  The other core, if all of it idles, before the
 * sibling; the sibling if not; itself if there is neither. */
static void test_idle_sibling(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4", 2);
	int t = view_make_task(&m, 0, 0);

	assert_int_equal(cfs34_idle_sibling(&c->fair, &m.view, t, 1), 1);
	assert_int_equal(cfs34_idle_sibling(&c->fair, &m.view, t, 0), 2);
	view_make_task(&m, 3, 0);
	assert_int_equal(cfs34_idle_sibling(&c->fair, &m.view, t, 0), 1);
	view_make_task(&m, 1, 0);
	assert_int_equal(cfs34_idle_sibling(&c->fair, &m.view, t, 0), 0);
	view_make_release(&m);
}

/* Node 0: 256 of 1024 per CPU against 0 of node 1: not less than 112 % of that; to
 * CPU 4, the first of its idlest.  There the same is asked of CPUs: 0 is not less
 * than 0 either, so it goes on to the first other one.  256 against 256: 25600 <
 * 28672, it stays on its node, and leaves CPU 0, 1024 against 0, for CPU 1. */
static void test_fork(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4", 1);
	struct select_args a = {
		.task = 0, .prev_cpu = 0, .waker = 0, .waker_cpu = 0,
		.why = SELECT_FORK };

	view_make_task(&m, 0, 0);
	assert_int_equal(cfs34_slow(&c->fair, &m.view, &a), 5);
	view_make_task(&m, 5, 0);
	assert_int_equal(cfs34_slow(&c->fair, &m.view, &a), 1);
	view_make_release(&m);
}

/*
 * CPU 4 has just become idle: 3 tasks on node 1, 768; 7 on node 0, 1792, more than
 * its 4 CPUs carry; the mean is 1280.  1792 - 1280 = 512 (less than 7 - 4 tasks,
 * 768) times 4 CPUs is two tasks.
 */
static void test_imbalance(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4", 1);
	struct fair_env e;

	for (int cpu = 0; cpu < 4; cpu++)
		view_make_tasks(&m, cpu, cpu < 3 ? 2 : 1, 0);
	for (int cpu = 5; cpu < 8; cpu++)
		view_make_task(&m, cpu, 0);
	assert_true(find(c, &m, 4, FAIR_NEWIDLE, &e));
	assert_int_equal(e.busiest->cpu[0], 0);
	assert_int_equal(e.imbalance, 2048);
	assert_int_equal(e.type, FAIR_MIGRATE_LOAD);
	view_make_release(&m);
}

/* 5 tasks a CPU against 4, busy: 5120 is 125 % of 4096, which is balanced.  At 124 %
 * it is not: the mean is 4608, 512 off on both sides, times 4 CPUs is two tasks. */
static void test_pct(void **state)
{
	struct view_make m;
	struct fair_env e;
	struct cfs34 *c;

	for (int pct = 125; pct > 123; pct--) {
		c = make(&m, pct == 125 ? "cfs-3.4,node_busy_idx=0" :
			 "cfs-3.4,node_busy_idx=0,node_imbalance_pct=124", 1);
		for (int cpu = 0; cpu < 8; cpu++)
			view_make_tasks(&m, cpu, cpu < 4 ? 5 : 4, 0);
		assert_int_equal(find(c, &m, 4, FAIR_BUSY, &e), pct == 124);
		if (pct == 124)
			assert_int_equal(e.imbalance, 2048);
		view_make_release(&m);
	}
}

/* 5 tasks on 4 CPUs against 4 are balanced by number, but the queues of node 0
 * differ by a task: 1280 against 1024 of which the mean is 1152, so 512 should
 * move, half a task; one may, as 1280 - 1024 + 256 >= 2 * 256. */
static void test_uneven(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4,node_busy_idx=0", 1);
	struct fair_env e;

	view_make_tasks(&m, 0, 2, 0);
	for (int cpu = 1; cpu < 8; cpu++)
		view_make_task(&m, cpu, 0);
	assert_true(find(c, &m, 4, FAIR_BUSY, &e));
	assert_int_equal(e.imbalance, 1024);
	view_make_release(&m);
}

/* Nobody waits, but node 1 is empty and prefers to share: three tasks on node 0
 * count as more than it can carry, and idle groups help (idle 4 > 1 + 1, though
 * 3 <= 4 tasks: that is balanced for an idle CPU, not for a newly idle one). */
static void test_spread(void **state)
{
	struct view_make m;
	struct cfs34 *c = make(&m, "cfs-3.4", 1);
	struct fair_env e;

	for (int cpu = 0; cpu < 3; cpu++)
		view_make_task(&m, cpu, 0);
	assert_true(find(c, &m, 4, FAIR_NEWIDLE, &e));
	assert_false(find(c, &m, 1, FAIR_BUSY, &e));
	view_make_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_one_numa),
		cmocka_unit_test(test_decay),
		cmocka_unit_test(test_wake_affine),
		cmocka_unit_test(test_idle_sibling),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_imbalance),
		cmocka_unit_test(test_pct),
		cmocka_unit_test(test_uneven),
		cmocka_unit_test(test_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
