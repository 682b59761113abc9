/* SPDX-License-Identifier: MIT */
/*
 * o1 against sheet A.6 of algorithms.md.  At 1024 Hz a busy CPU balances at
 * ticks that are multiples of 256.  A first look only fills prev_nr_running[];
 * the second, at equal queues, sees what is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/view_make.h"

#define BUSY_TICK 256
#define COLD 11		/* > cache_decay_ticks 10 */

static char text[1000];

static void make(struct view_make *m, const char *machine, const char *policy)
{
	view_make_init(m, machine, policy);
	view_make_policy(m);
}

/* Two looks of a busy CPU; the decisions of the second. */
static const char *busy_looks(struct view_make *m, int cpu)
{
	view_make_tick(m, 1000 * BUSY_TICK, cpu);
	view_make_tick(m, 1001 * BUSY_TICK, cpu);
	return view_make_pulled(m, text, sizeof(text));
}

/* The integer cases of A.6.4: (max, nr) -> tasks that a busy CPU pulls. */
static void test_integer_cases(void **state)
{
	static const struct {
		int max, nr, pulled;
	} c[] = {
		{ 2, 1, 0 }, { 3, 1, 1 }, { 4, 2, 1 }, { 5, 3, 0 },
		{ 5, 2, 0 }, { 5, 1, 2 }, { 6, 2, 2 }, { 6, 3, 0 },
		{ 8, 4, 2 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		make(&m, "1x2", "o1");
		view_make_tasks(&m, 0, c[i].nr, COLD);
		view_make_tasks(&m, 1, c[i].max, COLD);
		busy_looks(&m, 0);
		assert_int_equal(m.d.nr, c[i].pulled);
		for (int p = 0; p < m.d.nr; p++) {
			assert_int_equal(m.d.item[p].pull.to_cpu, 0);
			assert_int_equal(m.d.item[p].pull.why, MOVE_BALANCE);
		}
		view_make_release(&m);
	}
}

/* An idle CPU needs a queue of two, and takes one task only. */
static void test_idle(void **state)
{
	struct view_make m;

	make(&m, "1x3", "o1");
	view_make_task(&m, 1, COLD);
	view_make_tick(&m, 7, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_task(&m, 1, COLD);
	view_make_tick(&m, 8, 0);
	assert_string_equal(view_make_pulled(&m, text, sizeof(text)), "1");
	view_make_tasks(&m, 1, 6, COLD);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 1);
	view_make_release(&m);
}

/* The minimum rule for others, the maximum rule for oneself (A.6.1, A.6.2). */
static void test_memory_of_loads(void **state)
{
	struct view_make m;

	/* A queue of 3 seen for the first time counts as 0. */
	make(&m, "1x2", "o1");
	view_make_tasks(&m, 0, 1, COLD);
	view_make_tasks(&m, 1, 3, COLD);
	view_make_tick(&m, 1000 * BUSY_TICK, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_tick(&m, 1001 * BUSY_TICK, 0);
	assert_int_equal(m.d.nr, 1);
	/* It was longer in between: still 3. */
	view_make_tasks(&m, 1, 5, COLD);
	view_make_tick(&m, 1002 * BUSY_TICK, 0);
	assert_int_equal(m.d.nr, 1);
	view_make_release(&m);

	/* One's own queue had 2 at the last look and has 1 now: (3, 2). */
	make(&m, "1x2", "o1");
	view_make_tasks(&m, 0, 2, COLD);
	view_make_tasks(&m, 1, 3, COLD);
	busy_looks(&m, 0);
	view_make_shrink(&m, 0, 1);
	view_make_tick(&m, 1002 * BUSY_TICK, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_tick(&m, 1003 * BUSY_TICK, 0);
	assert_int_equal(m.d.nr, 1);
	view_make_release(&m);
}

/* A.6.5: the queue has become shorter since; an idle CPU does not remember. */
static void test_recheck(void **state)
{
	struct view_make m;

	make(&m, "1x2", "o1");
	view_make_tasks(&m, 0, 3, COLD);
	view_make_tasks(&m, 1, 8, COLD);
	busy_looks(&m, 0);
	assert_int_equal(m.d.nr, 2);
	view_make_shrink(&m, 0, 0);
	view_make_shrink(&m, 1, 1);
	view_make_newidle(&m, 0);
	assert_int_equal(m.d.nr, 0);
	view_make_release(&m);
}

/* Ties go to the lower CPU number; own nodes do not matter (A.7). */
static void test_ties(void **state)
{
	struct view_make m;

	make(&m, "2x2", "o1");
	view_make_tasks(&m, 1, 3, COLD);	/* 0 1 2 */
	view_make_tasks(&m, 3, 3, COLD);	/* 3 4 5 */
	view_make_newidle(&m, 2);
	assert_string_equal(view_make_pulled(&m, text, sizeof(text)), "2");
	view_make_task(&m, 3, COLD);		/* 6: now CPU 3 is longer */
	view_make_newidle(&m, 2);
	assert_string_equal(view_make_pulled(&m, text, sizeof(text)), "6");
	view_make_release(&m);
}

/* Hot up to and with 10 ticks, for idle CPUs too (A.6.7). */
static void test_hot(void **state)
{
	struct view_make m;

	make(&m, "1x2", "o1");
	view_make_task(&m, 1, 0);
	view_make_task(&m, 1, COLD);		/* 1 */
	view_make_task(&m, 1, 10);		/* 2: hot, though at the tail */
	view_make_newidle(&m, 0);
	assert_string_equal(view_make_pulled(&m, text, sizeof(text)), "1");
	view_make_release(&m);

	make(&m, "1x2", "o1,idle_hot_test=off");
	view_make_task(&m, 1, 0);
	view_make_task(&m, 1, COLD);
	view_make_task(&m, 1, 0);		/* 2 */
	view_make_newidle(&m, 0);
	assert_string_equal(view_make_pulled(&m, text, sizeof(text)), "2");
	view_make_release(&m);

	/* 0 is legal: only what ran within the same tick is hot. */
	make(&m, "1x2", "o1,cache_decay_ticks=0");
	view_make_task(&m, 1, 0);
	view_make_task(&m, 1, 1);		/* 1 */
	view_make_task(&m, 1, 0);
	view_make_newidle(&m, 0);
	assert_string_equal(view_make_pulled(&m, text, sizeof(text)), "1");
	view_make_release(&m);
}

/* The tail first, several at once in order; not those who may not come. */
static void test_which(void **state)
{
	struct cpumask only_1 = { 0 };
	struct view_make m;

	assert_int_equal(cpumask_set(&only_1, 1), 0);
	make(&m, "1x2", "o1");
	view_make_task(&m, 0, COLD);		/* 0 */
	view_make_tasks(&m, 1, 7, COLD);	/* 1 runs, 2..7 */
	m.view.task[6].allowed = &only_1;
	/* max 7, nr 1: 3 tasks */
	assert_string_equal(busy_looks(&m, 0), "7 5 4");
	view_make_release(&m);
	cpumask_release(&only_1);
}

/* Busy CPUs at multiples of 256 ticks (at 1000 Hz: 250), idle ones at each. */
static void test_when(void **state)
{
	static const struct {
		const char *policy;
		int64_t first, second, other;
	} c[] = {
		{ "o1", 512, 768, 1000 },
		{ "o1,hz=1000", 500, 1000, 768 },
		{ "o1,busy_rebalance=10ms", 500, 510, 515 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		make(&m, "1x2", c[i].policy);
		view_make_tasks(&m, 0, 1, COLD);
		view_make_tasks(&m, 1, 3, COLD);
		view_make_tick(&m, c[i].first, 0);
		view_make_tick(&m, c[i].second, 0);
		assert_int_equal(m.d.nr, 1);
		view_make_tick(&m, c[i].other, 0);
		assert_int_equal(m.d.nr, 0);
		view_make_release(&m);
	}
	{
		struct view_make m;

		make(&m, "1x2", "o1,busy_rebalance=0,idle_rebalance=0");
		view_make_tasks(&m, 1, 3, COLD);
		view_make_tick(&m, 0, 0);
		assert_int_equal(m.d.nr, 0);
		view_make_release(&m);
	}
}

static void test_wake(void **state)
{
	struct select_args a = {
		.task = 0, .prev_cpu = 1, .waker = 1, .waker_cpu = 0,
		.why = SELECT_WAKE };
	struct view_make m;

	make(&m, "1x2", "o1");
	assert_int_equal(m.spec.ops->select_cpu(m.state, &m.view, &a, &m.d), 1);
	view_make_release(&m);
	make(&m, "1x2", "o1,sync_wakeups=on");
	assert_int_equal(m.spec.ops->select_cpu(m.state, &m.view, &a, &m.d), 0);
	a.why = SELECT_FORK;
	assert_int_equal(m.spec.ops->select_cpu(m.state, &m.view, &a, &m.d), 1);
	a.why = SELECT_WAKE;
	a.waker_cpu = -1;
	assert_int_equal(m.spec.ops->select_cpu(m.state, &m.view, &a, &m.d), 1);
	view_make_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_cases),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_memory_of_loads),
		cmocka_unit_test(test_recheck),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_hot),
		cmocka_unit_test(test_which),
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_wake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
