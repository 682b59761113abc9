/* SPDX-License-Identifier: MIT */
/*
 * queue_fair against sheets J and M.7 of algorithms.md, worked out by hand.  The
 * machine has 8 CPUs, so that the kernel's defaults are four times as long: a
 * latency of 24 ms, 3 ms the least slice, 4 ms the wake-up granularity.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/pelt.h"
#include "replay/queue_fair_local.h"
#include "tests/support/view_make.h"

#define MS INT64_C(1000000)

static void pass(struct view_make *m, int64_t ns)
{
	m->view.now += ns;
}

static int64_t vruntime(const struct view_make *m, int task)
{
	return fairq_task(&m->queues, task)->vruntime;
}

/* Lets the queue choose, as the engine does. */
static int choose(struct view_make *m, int cpu)
{
	struct view_cpu *c = &m->view.cpu[cpu];

	if (c->curr != TASK_NONE) {
		m->queues.ops->put_prev(&m->queues, cpu, c->curr);
		m->view.task[c->curr].state = VIEW_QUEUED;
	}
	c->curr = m->queues.ops->pick(&m->queues, cpu);
	m->view.task[c->curr].state = VIEW_RUNNING;
	return c->curr;
}

static void sleep_now(struct view_make *m, int cpu)
{
	int task = m->view.cpu[cpu].curr;

	m->view.cpu[cpu].curr = TASK_NONE;
	view_run(&m->view, cpu, -1);
	m->queues.ops->dequeue(&m->queues, cpu, task, DEQUEUE_SLEEP);
	m->view.task[task].state = VIEW_BLOCKED;
}

static bool wake(struct view_make *m, int cpu, int task)
{
	m->queues.ops->enqueue(&m->queues, cpu, task, ENQUEUE_WAKE);
	view_run(&m->view, cpu, 1);
	m->view.task[task].state = VIEW_QUEUED;
	m->view.task[task].cpu = cpu;
	return m->view.cpu[cpu].curr == TASK_NONE ||
		m->queues.ops->preempts(&m->queues, cpu, task, ENQUEUE_WAKE);
}

static bool tick(struct view_make *m, int cpu)
{
	return m->queues.ops->tick(&m->queues, cpu, m->view.cpu[cpu].curr);
}

static void make(struct view_make *m, const char *policy)
{
	view_make_init(m, "4x2", policy);
}

/* Two of nice 0 share 24 ms: 12 ms each.  Ticks come every 4 ms: the third one
 * finds exactly the slice used, the fourth more. */
static void test_slice_of_two(void **state)
{
	struct view_make m;
	int a, b;

	make(&m, "fair");
	a = view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	assert_int_equal(choose(&m, 0), a);
	for (int i = 0; i < 2; i++) {
		pass(&m, 4 * MS);
		assert_false(tick(&m, 0));
	}
	pass(&m, 4 * MS);
	assert_false(tick(&m, 0));
	pass(&m, 4 * MS);
	assert_true(tick(&m, 0));
	assert_int_equal(choose(&m, 0), b);
	assert_int_equal(vruntime(&m, a), 16 * MS);
	view_make_release(&m);
}

/* Ten share a period of 10 * 3 ms: 3 ms each; alone there is none to give way
 * to. */
static void test_slice_of_many(void **state)
{
	struct view_make m;
	int a;

	make(&m, "fair");
	a = view_make_task(&m, 0, 0);
	choose(&m, 0);
	pass(&m, 100 * MS);
	assert_false(tick(&m, 0));
	assert_int_equal(fairq_slice(&m.queues, fairq_task(&m.queues, a), 10,
				     10240), 3 * MS);
	assert_int_equal(fairq_slice(&m.queues, fairq_task(&m.queues, a), 8,
				     8192), 3 * MS);
	assert_int_equal(fairq_slice(&m.queues, fairq_task(&m.queues, a), 4,
				     4096), 6 * MS);
	view_make_release(&m);
}

/* The queue's clock stands at 50 ms (alone, it is the running task's).  Who slept
 * long comes back half a latency behind, 38 ms: 12 ms are more than the
 * granularity of 4, it preempts.  Who slept 2 ms keeps its place and does not. */
static void test_sleepers(void **state)
{
	struct view_make m;
	int a, b;

	make(&m, "fair");
	a = view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	assert_int_equal(choose(&m, 0), a);
	sleep_now(&m, 0);
	assert_int_equal(choose(&m, 0), b);
	pass(&m, 50 * MS);
	assert_true(wake(&m, 0, a));
	assert_int_equal(vruntime(&m, a), 38 * MS);
	assert_int_equal(choose(&m, 0), a);
	pass(&m, 10 * MS);
	sleep_now(&m, 0);
	assert_int_equal(choose(&m, 0), b);
	pass(&m, 2 * MS);
	assert_int_equal(vruntime(&m, a), 48 * MS);
	assert_false(wake(&m, 0, a));
	assert_int_equal(vruntime(&m, a), 48 * MS);
	view_make_release(&m);
}

/* Without GENTLE_FAIR_SLEEPERS a whole latency: 50 - 24. */
static void test_not_gentle(void **state)
{
	struct view_make m;
	int a;

	make(&m, "fair,GENTLE_FAIR_SLEEPERS=off");
	a = view_make_task(&m, 0, 0);
	view_make_task(&m, 0, 0);
	choose(&m, 0);
	sleep_now(&m, 0);
	choose(&m, 0);
	pass(&m, 50 * MS);
	wake(&m, 0, a);
	assert_int_equal(vruntime(&m, a), 26 * MS);
	view_make_release(&m);
}

/* A move keeps the distance to the queue's clock: 5 ms ahead of 20 becomes 5 ms
 * ahead of 0. */
static void test_move(void **state)
{
	struct view_make m;
	int a, b;

	make(&m, "fair");
	a = view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	choose(&m, 0);
	pass(&m, 25 * MS);
	assert_int_equal(choose(&m, 0), b);
	pass(&m, 20 * MS);
	tick(&m, 0);			/* clock: min(25, 20) */
	m.queues.ops->dequeue(&m.queues, 0, a, DEQUEUE_MOVE);
	m.queues.ops->enqueue(&m.queues, 1, a, ENQUEUE_MOVE);
	assert_int_equal(vruntime(&m, a), 5 * MS);
	view_make_release(&m);
}

/* EEVDF, base slice 2.8 ms: a ran 4 ms, so its deadline has passed and the other
 * is owed time. */
static void test_eevdf(void **state)
{
	struct view_make m;
	int a, b;

	make(&m, "fair,variant=eevdf");
	a = view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	assert_int_equal(choose(&m, 0), a);
	pass(&m, 2 * MS);
	assert_false(tick(&m, 0));	/* RUN_TO_PARITY */
	pass(&m, 2 * MS);
	assert_true(tick(&m, 0));
	assert_int_equal(fairq_mean(&m.queues, 0), 2 * MS);
	assert_int_equal(choose(&m, 0), b);
	view_make_release(&m);
}

/* Half of the weight lies in the last 32 * 2^20 ns. */
static void test_pelt(void **state)
{
	struct pelt p = { 0 };
	struct pelt_input busy = { .load = 1024, .runnable = 1024, .util = 1024 };
	struct pelt_input none = { 0 };
	int64_t half = 32 * (INT64_C(1) << 20);

	pelt_update(&p, half, &busy);
	assert_in_range(p.util >> PELT_SHIFT, 511, 512);
	pelt_update(&p, 2 * half, &busy);
	assert_in_range(p.util >> PELT_SHIFT, 767, 768);
	pelt_update(&p, 3 * half, &none);
	assert_in_range(p.load >> PELT_SHIFT, 383, 384);
	pelt_update(&p, 100 * half, &none);
	assert_int_equal(p.load >> PELT_SHIFT, 0);
	assert_in_range(pelt_towards(-4096, 0, half), -2048, -2047);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slice_of_two),
		cmocka_unit_test(test_slice_of_many),
		cmocka_unit_test(test_sleepers),
		cmocka_unit_test(test_not_gentle),
		cmocka_unit_test(test_move),
		cmocka_unit_test(test_eevdf),
		cmocka_unit_test(test_pelt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
