/* SPDX-License-Identifier: MIT */
/*
 * llc-5.9, cluster-domain-only and cluster against sheet L of algorithms.md, on
 * the machine of seed 002: 2 nodes of 6 clusters of 4 CPUs; CPU c is in cluster
 * c / 4 and on node c / 24.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/fair.h"
#include "replay/queue_fair_local.h"
#include "tests/support/view_make.h"

#define MS INT64_C(1000000)

static struct fair *make(struct view_make *m, const char *policy)
{
	view_make_init(m, "2x6x4", policy);
	view_make_policy(m);
	m->view.now = 1000 * MS;
	return m->state;	/* a policy of 5.9 begins with it */
}

static void set_avg_idle(struct view_make *m, int cpu, int64_t ns)
{
	fairq_rq(&m->queues, cpu)->avg_idle = ns;
}

/* One task on every CPU of node 0 but two (-1: none). */
static void fill(struct view_make *m, int but, int or)
{
	for (int c = 0; c < 24; c++)
		if (c != but && c != or)
			view_make_task(m, c, 0);
}

static void expect_levels(const char *policy, const int *cpus, int nr)
{
	struct view_make m;
	struct fair *f = make(&m, policy);

	assert_int_equal(f->domains.nr_levels, nr + 1);
	for (int l = 1; l <= nr; l++)
		assert_int_equal(fair_domain(&f->domains, l, 29)->nr, cpus[l - 1]);
	view_make_release(&m);
}

/* Domains of CPU 29: its cluster, its node's cache, both nodes. */
static void test_domains(void **state)
{
	static const int with[] = { 4, 24, 48 }, without[] = { 24, 48 };

	expect_levels("llc-5.9", without, 2);
	expect_levels("cluster-domain-only", with, 3);
	expect_levels("cluster", with, 3);
}

/*
 * L: min/max = weight, 2 * weight ms: 4/8, 24/48, 48/96.  CPU 0 idles, CPU 30
 * has two tasks; they may stay where they are (adjust_numa_imbalance: 2), so at
 * every level CPU 0 finds itself balanced and doubles the interval, once.
 */
static void test_idle_intervals(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "cluster");

	view_make_tasks(&m, 30, 2, 10);
	for (int i = 0; i < 2; i++) {
		view_make_tick(&m, 100000, 0);
		assert_int_equal(m.d.nr, 0);
		assert_int_equal(fair_state(f, 1, 0)->interval_ns, 8 * MS);
		assert_int_equal(fair_state(f, 2, 0)->interval_ns, 48 * MS);
		assert_int_equal(fair_state(f, 3, 0)->interval_ns, 96 * MS);
		m.view.now += 1000 * MS;
	}
	view_make_release(&m);
}

/* A busy CPU waits 32 times as long, less one tick of 4 ms: 4 * 32 - 4 = 124,
 * 24 * 32 - 4 = 764, 48 * 32 - 4 = 1532 ms after its last look (at 0).  What is
 * found balanced then has twice the interval: 8 * 32 - 4 = 252 ms for the
 * cluster from 124 on, 1532 for the cache from 764 on. */
static void test_busy_intervals(void **state)
{
	static const struct {
		int64_t now, last[3];
	} at[] = {
		{ 123, { 0, 0, 0 } },
		{ 124, { 124, 0, 0 } },
		{ 763, { 763, 0, 0 } },
		{ 764, { 763, 764, 0 } },
		{ 1532, { 1532, 764, 1532 } },
	};
	struct view_make m;
	struct fair *f = make(&m, "cluster");

	view_make_task(&m, 0, 10);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		m.view.now = at[i].now * MS;
		view_make_tick(&m, 100000, 0);
		for (int l = 0; l < 3; l++)
			assert_int_equal(fair_state(f, l + 1, 0)->last_ns,
					 at[i].last[l] * MS);
	}
	view_make_release(&m);
}

/* L: 117 in a cluster and a cache, 125 between nodes. */
static void test_pct(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "cluster");

	assert_int_equal(fair_pct(f, 1, 0), 117);
	assert_int_equal(fair_pct(f, 2, 0), 117);
	assert_int_equal(fair_pct(f, 3, 0), 125);
	view_make_release(&m);
}

static int find(const char *policy, int64_t scan_ns, int but, int or)
{
	struct view_make m;
	struct fair *f = make(&m, policy);
	struct select_args a = {
		.task = 100, .prev_cpu = 5, .waker = 5, .waker_cpu = 5,
		.why = SELECT_WAKE };
	int cpu;

	fill(&m, but, or);
	f->scan_ns[5] = scan_ns;
	cpu = fair_idle_sibling(f, &m.view, &a, 5);
	view_make_release(&m);
	return cpu;
}

/*
 * The target is CPU 5, busy, in cluster {4 ... 7}.  avg_idle is 1 ms at first:
 * 1000000 / 512 = 1953; span = 24 * 1953 = 46872.  With looks that took nothing
 * (cost 1) the whole cache is within reach; with 100 us (cost 100001, 4 * cost
 * > span) nr is 4 and three CPUs are looked at: 5, 6, 7.
 */
static void test_search_order(void **state)
{
	/* Far: behind the target first, then round to the front. */
	assert_int_equal(find("llc-5.9", 0, 23, 1), 23);
	assert_int_equal(find("cluster", 0, 23, 1), 23);
	/* One in the cluster, round its end: before the nearer one outside. */
	assert_int_equal(find("llc-5.9", 0, 8, 4), 8);
	assert_int_equal(find("cluster-domain-only", 0, 8, 4), 8);
	assert_int_equal(find("cluster", 0, 8, 4), 4);
	/* Three looks: 7 is the last that is seen, 4 and 8 are not, but the
	 * cluster is scanned whole, at no cost to the limit. */
	assert_int_equal(find("llc-5.9", 100000, 7, -1), 7);
	assert_int_equal(find("llc-5.9", 100000, 4, 8), 5);
	assert_int_equal(find("cluster-domain-only", 100000, 4, 8), 5);
	assert_int_equal(find("cluster", 100000, 4, 8), 4);
	assert_int_equal(find("cluster", 100000, 8, -1), 5);
	/* cost 7812: nr = 46872 / 7812 = 6, five looks: 5 to 9. */
	assert_int_equal(find("llc-5.9", 7811, 9, -1), 9);
	assert_int_equal(find("llc-5.9", 7811, 10, -1), 5);
	/* cost 7813: 46872 / 7813 = 5 (and 46872 > 4 * 7813): 5 to 8. */
	assert_int_equal(find("llc-5.9", 7812, 8, -1), 8);
	assert_int_equal(find("llc-5.9", 7812, 9, -1), 5);
	/* SIS_PROP off: all. */
	assert_int_equal(find("llc-5.9,SIS_PROP=off", 100000, 4, -1), 4);
}

/* Of the other node none is taken, idle as all of it is. */
static void test_full_node(void **state)
{
	assert_int_equal(find("llc-5.9", 0, -1, -1), 5);
	assert_int_equal(find("cluster", 0, -1, -1), 5);
}

/* A scan that found 8 after four looks (5 to 8) of 800 ns: 3200 / 8 = 400; one
 * that was cut short counts for nothing. */
static void test_scan_cost(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "llc-5.9,scan_ns=800ns");
	struct select_args a = {
		.task = 100, .prev_cpu = 5, .waker = 5, .waker_cpu = 5,
		.why = SELECT_WAKE };

	fill(&m, 8, -1);
	assert_int_equal(fair_idle_sibling(f, &m.view, &a, 5), 8);
	assert_int_equal(f->scan_ns[5], 400);
	f->scan_ns[5] = 100000;
	assert_int_equal(fair_idle_sibling(f, &m.view, &a, 5), 5);
	assert_int_equal(f->scan_ns[5], 100000);
	view_make_release(&m);
}

/* Up to 5.9 a waker remembers the CPU that it woke from, and may return there:
 * w wakes someone on 9, runs on 2 later and is woken when 2 and all near it are
 * busy.  Only fair, today's, remembers the wakee's own last one. */
static void test_recent(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "llc-5.9");
	struct select_args a = {
		.task = 100, .prev_cpu = 9, .waker = 50, .waker_cpu = 9,
		.why = SELECT_WAKE };

	fair_wake(f, &m.view, &a);
	assert_int_equal(f->flips[50].recent_cpu, 1 + 9);
	assert_int_equal(f->flips[100].recent_cpu, 0);
	fill(&m, 9, 3);
	a = (struct select_args){ .task = 50, .prev_cpu = 2, .waker = TASK_NONE,
		.waker_cpu = -1, .why = SELECT_WAKE };
	assert_int_equal(fair_wake(f, &m.view, &a), 9);
	/* That used it up: now it is where it was before. */
	assert_int_equal(f->flips[50].recent_cpu, 1 + 2);
	assert_int_equal(fair_wake(f, &m.view, &a), 3);
	view_make_release(&m);
}

/* The wakee's CPU 30 is idle but on the other node.  A synchronous waker that is
 * alone on CPU 0 draws it to itself: 0 is busy with the waker, 1 is next.
 * Otherwise the loads decide: 1024 here, nothing there. */
static void test_sync(void **state)
{
	struct view_make m;
	struct fair *f = make(&m, "llc-5.9");
	int waker = view_make_task(&m, 0, 10);
	struct select_args a = {
		.task = 100, .prev_cpu = 30, .waker = waker, .waker_cpu = 0,
		.why = SELECT_WAKE, .is_sync = true };

	m.queues.ops->pick(&m.queues, 0);
	m.view.now += 1000 * MS;
	assert_int_equal(fair_wake(f, &m.view, &a), 1);
	a.is_sync = false;
	assert_int_equal(fair_wake(f, &m.view, &a), 30);
	view_make_release(&m);
}

/* A child stays on its parent's node while one CPU of it idles, however empty
 * the other node is. */
static void test_fork(void **state)
{
	struct select_args a = {
		.task = 100, .prev_cpu = 0, .waker = 0, .waker_cpu = 0,
		.why = SELECT_FORK };
	struct view_make m;
	struct fair *f = make(&m, "llc-5.9");

	fill(&m, 17, -1);
	assert_int_equal(fair_slow(f, &m.view, &a), 17);
	view_make_task(&m, 17, 0);
	assert_true(fair_slow(f, &m.view, &a) >= 24);
	view_make_release(&m);
}

/* Two tasks wait for CPU 0; CPU 1 runs empty.  It idles 0.5 ms at a time or
 * more: it takes one.  A nanosecond less: it does not look. */
static void test_newidle(void **state)
{
	struct view_make m;
	char buf[64];

	make(&m, "cluster");
	view_make_tasks(&m, 0, 3, 10);
	m.queues.ops->pick(&m.queues, 0);
	m.view.now += 1000 * MS;
	set_avg_idle(&m, 1, 500000 - 1);
	view_make_newidle(&m, 1);
	assert_string_equal(view_make_pulled(&m, buf, sizeof(buf)), "");
	set_avg_idle(&m, 1, 500000);
	view_make_newidle(&m, 1);
	assert_string_equal(view_make_pulled(&m, buf, sizeof(buf)), "1");
	view_make_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_idle_intervals),
		cmocka_unit_test(test_busy_intervals),
		cmocka_unit_test(test_pct),
		cmocka_unit_test(test_search_order),
		cmocka_unit_test(test_full_node),
		cmocka_unit_test(test_scan_cost),
		cmocka_unit_test(test_recent),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_newidle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
