/* SPDX-License-Identifier: MIT */
/*
 * fidelity and stall: the metrics of a hand-made run, the bound of z from a
 * table of Student's t, and the effective tick of hand-made faults.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/cost.h"
#include "model/err.h"
#include "model/event.h"
#include "model/stall.h"
#include "replay/fidelity.h"
#include "tests/support/replay_run.h"

static void near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-6);
}

/* t(4, 97.5 %) = 2.776, times sqrt(1.2); t(1) = 12.706, times sqrt(1.5). */
static void test_bound(void **state)
{
	assert_true(fabs(fidelity_bound(5) - 3.041) < 0.001);
	assert_true(fabs(fidelity_bound(2) - 15.562) < 0.001);
	assert_true(isnan(fidelity_bound(1)));
	assert_true(fabs(fidelity_bound(121) - 1.980 * sqrt(1 + 1.0 / 121)) <
		    0.001);
}

static struct stats of(const double *x, int nr)
{
	struct stats s = { 0 };

	for (int i = 0; i < nr; i++)
		stats_add(&s, x[i]);
	return s;
}

static void test_judge(void **state)
{
	/* Mean 0.5, sd 0.01. */
	const double tight[] = { 0.49, 0.5, 0.51 }, one[] = { 0.5 };
	const double far[] = { 0.56 }, close[] = { 0.528 };
	struct stats real = of(tight, 3), sim = of(far, 1);
	struct fidelity_verdict v;

	/* z 6; t(2) * sqrt(4 / 3) = 4.97 */
	fidelity_judge(FIDELITY_Q4, &real, &sim, &v);
	near(v.z, 6);
	assert_true(v.judged);
	assert_false(v.inside);
	sim = of(close, 1);		/* z 2.8 */
	fidelity_judge(FIDELITY_Q4, &real, &sim, &v);
	assert_true(v.inside);
	fidelity_judge(FIDELITY_Q1, &real, &sim, &v);
	assert_false(v.judged);
	real = of(one, 1);
	fidelity_judge(FIDELITY_Q4, &real, &sim, &v);
	assert_false(v.judged);
	assert_true(isnan(v.z));
}

/* All real runs alike: only the tolerance counts. */
static void test_no_spread(void **state)
{
	const double same[] = { 1000, 1000 }, in[] = { 1099 }, out[] = { 1101 };
	struct stats real = of(same, 2), sim = of(in, 1);
	struct fidelity_verdict v;

	fidelity_judge(FIDELITY_PAGES_MOVED, &real, &sim, &v);
	assert_true(v.inside);
	sim = of(out, 1);
	fidelity_judge(FIDELITY_PAGES_MOVED, &real, &sim, &v);
	assert_false(v.inside);
}

/*
 * One task, 100 pages on node 0, 80 ns: 0 to 50 on CPU 0 (node 0), 50 to 80 on
 * CPU 2 (node 1).  Quarters of 20 ns: 1, 1, 1/2, 0; whole 5/8; second half
 * (40 to 80): 10 on node 0, 30 on node 1: 3/4.
 */
static void test_metrics(void **state)
{
	static const struct span spans[] = {
		{ .task = 0, .cpu = 0, .start_ns = 0, .end_ns = 50 },
		{ .task = 0, .cpu = 2, .start_ns = 50, .end_ns = 80 },
	};
	struct mem_change mem = { .ts = 0, .area = 0, .node = 0, .pages = 100 };
	struct fidelity_choice *c = NULL;
	struct fidelity *f = NULL;
	struct tasks tasks = { 0 };
	struct areas areas = { 0 };
	struct topo topo;
	struct cost cost;
	struct err err = { 0 };
	struct run_sink sink;
	double v[FIDELITY_NR];
	bool judged[2];

	topo_grid(&topo, "2x2");
	cost_init(&cost, &topo, &err);
	tasks_add(&tasks, 10, 0);
	tasks_add(&tasks, 11, 0);
	tasks_index(&tasks, &err);
	areas_add(&areas, 0);
	fidelity_choice_new(&c, &tasks, &areas, &err);
	fidelity_choice_sink(c, &sink);
	sink.mem(sink.ctx, &mem, &err);
	for (int i = 0; i < 2; i++)
		sink.span(sink.ctx, &spans[i], &err);
	assert_int_equal(fidelity_choice_end(c, judged, &err), 1);
	assert_true(judged[0]);
	assert_false(judged[1]);
	fidelity_choice_free(c);

	fidelity_new(&f, &(struct fidelity_args){ .topo = &topo,
		.tasks = &tasks, .areas = &areas, .cost = &cost,
		.judged = judged }, &err);
	fidelity_sink(f, &sink);
	sink.mem(sink.ctx, &mem, &err);
	for (int i = 0; i < 2; i++)
		sink.span(sink.ctx, &spans[i], &err);
	sink.count(sink.ctx, "hinting_faults", 10, &err);
	sink.count(sink.ctx, "hinting_faults_local", 7, &err);
	assert_int_equal(fidelity_values(f, v, &err), 0);
	near(v[FIDELITY_Q1], 1);
	near(v[FIDELITY_Q2], 1);
	near(v[FIDELITY_Q3], 0.5);
	near(v[FIDELITY_Q4], 0);
	near(v[FIDELITY_LOCALITY], 0.625);
	near(v[FIDELITY_LARGEST], 0.75);
	near(v[FIDELITY_FIRST_TOUCH], 0.625);
	near(v[FIDELITY_NODE_RATE] / 1e9, 1 / 80.0);
	near(v[FIDELITY_CPU_RATE] / 1e9, 1 / 80.0);
	near(v[FIDELITY_HINTING_LOCAL], 0.7);
	near(v[FIDELITY_LEAST_BUSY], 0.375);
	fidelity_free(f);
	cost_release(&cost);
	tasks_release(&tasks);
	areas_release(&areas);
	topo_release(&topo);
}

static void fault(struct stall *s, int64_t ts, uint64_t page)
{
	struct event ev = { .ts = ts, .cpu = 0, .tid = 7,
		.kind = EVENT_PAGE_FAULT_USER };

	ev.fault.address = page * 4096;
	stall_event(s, &ev);
}

/*
 * A hundred times: 20 faults 0.1 ms apart (2 ms), then a gap of 12 ms.  A tick of
 * 4 ms fires 2 / 4 times while it runs and once for the gap: 14 / 1.5 = 9.33 ms.
 */
static void test_stall(void **state)
{
	struct stall s;
	struct err err = { 0 };
	int64_t ts = 0;
	uint64_t page = 1;

	stall_init(&s, 1, 4096, 4000000, &err);
	fault(&s, ts, page);
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 20; k++)
			fault(&s, ts += 100000, ++page);
		fault(&s, ts += 12000000, ++page);
	}
	assert_in_range(stall_tick(&s), 9333000, 9334000);
	assert_int_equal(stall_touch(&s), 14000000 / 21);
	assert_int_equal(stall_touch_running(&s), 100000);
	assert_int_equal(stall_hint(&s), 0);
	stall_release(&s);

	/* No gaps: a tick is a tick. */
	stall_init(&s, 1, 4096, 4000000, &err);
	for (int i = 0; i < 1500; i++)
		fault(&s, ts += 1000, ++page);
	assert_int_equal(stall_tick(&s), 4000000);
	stall_release(&s);

	/* Too few, or a task that computes in between. */
	stall_init(&s, 1, 4096, 4000000, &err);
	for (int i = 0; i < 100; i++)
		fault(&s, ts += 1000, ++page);
	assert_int_equal(stall_tick(&s), 0);
	for (int i = 0; i < 2000; i++)
		fault(&s, ts += 2000000, ++page);
	assert_int_equal(stall_tick(&s), 0);
	stall_release(&s);
}

/* 1001 pages of one task that move 3 us apart, 1000 pairs; a switch and another
 * reason count for nothing. */
static void test_stall_move(void **state)
{
	struct event ev = { .cpu = 0, .tid = 7, .kind = EVENT_MIGRATE_PAGES };
	struct event sw = { .cpu = 0, .tid = 7, .kind = EVENT_SWITCH };
	struct stall s;
	struct err err = { 0 };

	stall_init(&s, 1, 4096, 4000000, &err);
	ev.pages.succeeded = 1;
	ev.pages.reason = REASON_NUMA_MISPLACED;
	for (int i = 0; i <= 1000; i++, ev.ts += 3000)
		stall_event(&s, &ev);
	assert_int_equal(stall_move(&s), 3000);
	stall_event(&s, &sw);
	ev.ts += 100000;
	stall_event(&s, &ev);
	ev.ts += 100000;
	ev.pages.reason = REASON_SYSCALL;
	stall_event(&s, &ev);
	assert_int_equal(stall_move(&s), 3000);
	stall_release(&s);
}

/*
 * Page after page again, 5 us apart: 1001 faults, 1000 pairs.  One that copies a
 * page that is there (error code 7), one after a switch and one that moves its
 * page end a pair and begin none; one millisecond once is taken for a stall, but
 * not more than one in ten.
 */
static void test_stall_hint(void **state)
{
	struct event ev = { .cpu = 0, .tid = 7, .kind = EVENT_MIGRATE_PAGES };
	struct event sw = { .cpu = 0, .tid = 7, .kind = EVENT_SWITCH };
	struct stall s;
	struct err err = { 0 };
	int64_t ts = 0;

	stall_init(&s, 1, 4096, 4000000, &err);
	for (uint64_t page = 0; page < 1001; page++)
		fault(&s, ts += 9000, 10 * page);
	assert_int_equal(stall_hint(&s), 0);
	for (uint64_t page = 0; page < 1000; page++)
		fault(&s, ts += 5000, 10 * page);
	assert_int_equal(stall_hint(&s), 0);
	fault(&s, ts += 5000, 10000);
	assert_int_equal(stall_hint(&s), 5000);

	ev.pages.succeeded = 1;
	ev.pages.reason = REASON_NUMA_MISPLACED;
	stall_event(&s, &ev);
	fault(&s, ts += 300000, 10);
	stall_event(&s, &sw);
	fault(&s, ts += 300000, 20);
	assert_int_equal(s.hints, 1000);
	fault(&s, ts += 1005000, 30);
	assert_int_equal(stall_hint(&s), 6005000 / 1001);
	for (int i = 0; i < 111; i++)
		fault(&s, ts += 2000000, 30);
	assert_int_equal(stall_hint(&s), 0);
	stall_release(&s);
}

/* Of twice so many numbers as it takes, the first half is known again. */
static void test_seen(void **state)
{
	struct seen s = { 0 };

	for (uint64_t k = 0; k < 2 * SEEN_MAX; k++)
		assert_false(seen_add(&s, k * k));
	assert_true(seen_add(&s, 0));
	assert_true(seen_add(&s, (uint64_t)(SEEN_MAX - 1) * (SEEN_MAX - 1)));
	assert_false(seen_add(&s, (uint64_t)SEEN_MAX * SEEN_MAX));
	assert_int_equal(s.nr, SEEN_MAX);
	seen_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_judge),
		cmocka_unit_test(test_no_spread),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_stall_move),
		cmocka_unit_test(test_stall_hint),
		cmocka_unit_test(test_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
