/* SPDX-License-Identifier: MIT */
/*
 * queue_o1 against sheet A.2 to A.5 of algorithms.md.  A task's priority is
 * seen from the list in which it is offered to a thief: 140 + priority in the
 * active array, the priority in the expired one.  view_make_task() gives every
 * task a sleep average of 0: at nice 0 that is priority 125.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/view_make.h"

#define ACTIVE 140

/* Number of the list in which a waiting task is, -1: it does not wait. */
static int list_of(struct view_make *m, int cpu, int task)
{
	struct queue_pos pos = { 0 };
	int t;

	while ((t = view_queue_next(&m->view, cpu, &pos)) != TASK_NONE)
		if (t == task)
			return pos.list;
	return -1;
}

static bool tick(struct view_make *m, int cpu)
{
	m->view.tick++;
	return m->queues.ops->tick(&m->queues, cpu, m->view.cpu[cpu].curr);
}

/* Lets the queue choose, as the engine does. */
static int pick(struct view_make *m, int cpu)
{
	struct view_cpu *c = &m->view.cpu[cpu];

	if (c->curr != TASK_NONE) {
		m->view.task[c->curr].state = VIEW_QUEUED;
		m->view.task[c->curr].ran_tick = m->view.tick;
	}
	c->curr = m->queues.ops->pick(&m->queues, cpu);
	m->view.task[c->curr].state = VIEW_RUNNING;
	return c->curr;
}

static int ticks_until_expiry(struct view_make *m, int cpu)
{
	int n = 1;

	while (!tick(m, cpu))
		n++;
	return n;
}

/*
 * slice = min + (max - min) * (19 - nice) / 39 in ticks.  At 1024 Hz 10 ms are
 * 10 ticks and 300 ms 307: nice 0: 10 + 297 * 19 / 39 = 154, -20: 307, 19: 10.
 * At 1000 Hz nice 0: 10 + 290 * 19 / 39 = 151.
 */
static void test_slices(void **state)
{
	static const struct {
		const char *policy;
		int nice, ticks;
	} c[] = {
		{ "o1", 0, 154 }, { "o1", -20, 307 }, { "o1", 19, 10 },
		{ "o1,hz=1000", 0, 151 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;

		view_make_init(&m, "1x1", c[i].policy);
		m.tasks.task[0].nice = c[i].nice;
		view_make_task(&m, 0, 0);
		assert_int_equal(ticks_until_expiry(&m, 0), c[i].ticks);
		view_make_release(&m);
	}
}

/* Hogs alternate: who has used up its slice waits in the expired array until
 * the active one is empty. */
static void test_arrays(void **state)
{
	struct view_make m;
	int a, b;

	view_make_init(&m, "1x1", "o1");
	a = view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	assert_int_equal(list_of(&m, 0, b), ACTIVE + 125);
	assert_int_equal(ticks_until_expiry(&m, 0), 154);
	assert_int_equal(pick(&m, 0), b);
	assert_int_equal(list_of(&m, 0, a), 125);
	assert_int_equal(ticks_until_expiry(&m, 0), 154);
	/* Both expired: the arrays change places, a is first again. */
	assert_int_equal(pick(&m, 0), a);
	assert_int_equal(list_of(&m, 0, b), ACTIVE + 125);
	view_make_release(&m);
}

/* Off the queue for so many ticks, then woken. */
static void sleep_for(struct view_make *m, int task, int64_t ticks)
{
	m->view.task[task].ran_tick = m->view.tick;
	m->queues.ops->dequeue(&m->queues, 0, task, DEQUEUE_SLEEP);
	m->view.tick += ticks;
	m->queues.ops->enqueue(&m->queues, 0, task, ENQUEUE_WAKE);
}

/*
 * bonus = 40 * 25 * sleep_avg / 2048 / 100 - 5 (2 s are 2048 ticks):
 * 204 ticks: 0 - 5; 205: 1 - 5; 1023: 4 - 5; 1024: 5 - 5; 2048: 10 - 5;
 * more is cut.
 */
static void test_bonus(void **state)
{
	static const struct {
		int ticks, prio;
	} c[] = {
		{ 204, 125 }, { 205, 124 }, { 1023, 121 }, { 1024, 120 },
		{ 2047, 116 }, { 2048, 115 }, { 100000, 115 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct view_make m;
		int b;

		view_make_init(&m, "1x1", "o1");
		view_make_task(&m, 0, 0);
		b = view_make_task(&m, 0, 0);
		sleep_for(&m, b, c[i].ticks);
		assert_int_equal(list_of(&m, 0, b), ACTIVE + c[i].prio);
		assert_int_equal(m.queues.ops->preempts(&m.queues, 0, b,
							ENQUEUE_WAKE),
				 c[i].prio < 125);
		view_make_release(&m);
	}
}

/*
 * Interactive: prio <= static - 2, so 118 at nice 0.  b slept 2 s; running its
 * slice of 154 costs 154 of 2048: 40*25*1894/2048/100 = 9: prio 116: it goes to
 * the tail of the active array.  With someone expired for 2 s * nr + 1 ticks
 * it must expire too.
 */
static void test_interactive(void **state)
{
	struct view_make m;
	int a, b;

	view_make_init(&m, "1x1", "o1");
	a = view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	assert_int_equal(ticks_until_expiry(&m, 0), 154);	/* a expires */
	sleep_for(&m, b, 2048);
	assert_int_equal(pick(&m, 0), b);
	assert_int_equal(list_of(&m, 0, a), 125);
	/* starving from 2048 * 2 + 1 ticks on; 2048 + 154 have passed */
	assert_int_equal(ticks_until_expiry(&m, 0), 154);
	m.view.cpu[0].curr = TASK_NONE;
	assert_int_equal(list_of(&m, 0, b), ACTIVE + 116);
	assert_int_equal(pick(&m, 0), b);
	/* 40*25*1740/2048/100 = 8: prio 117, still interactive */
	m.view.tick += 4097 - (2048 + 154) - 154;
	assert_int_equal(ticks_until_expiry(&m, 0), 154);
	m.view.cpu[0].curr = TASK_NONE;
	assert_int_equal(list_of(&m, 0, b), 117);
	view_make_release(&m);
}

static int forks_until_expiry(struct view_make *m, int parent)
{
	for (int n = 1; ; n++) {
		int child = m->nr_tasks++;

		if (m->queues.ops->fork(&m->queues, child, parent))
			return n;
	}
}

/*
 * A child gets (slice + 1) / 2, the parent keeps slice / 2: 154, 77, 38, 19, 9,
 * 4, 2, 1, 0: the parent expires at the eighth fork.  The first child has 77,
 * the second (77 + 1) / 2 = 39.
 */
static void test_fork(void **state)
{
	struct view_make m;
	int parent;

	view_make_init(&m, "1x1", "o1");
	parent = view_make_task(&m, 0, 0);
	assert_int_equal(forks_until_expiry(&m, parent), 8);
	m.view.cpu[0].curr = TASK_NONE;
	assert_int_equal(list_of(&m, 0, parent), 125);
	for (int child = 1; child <= 2; child++) {
		m.queues.ops->enqueue(&m.queues, 0, child, ENQUEUE_NEW);
		assert_true(m.queues.ops->preempts(&m.queues, 0, parent,
						   ENQUEUE_NEW));
		m.view.cpu[0].curr = child;
		assert_int_equal(ticks_until_expiry(&m, 0), child == 1 ? 77 : 39);
		m.queues.ops->dequeue(&m.queues, 0, child, DEQUEUE_SLEEP);
	}
	view_make_release(&m);
}

/*
 * A child that exits in its first slice gives the rest back: parent 154 forks:
 * both 77; the child runs 10 and exits: 77 + 67 = 144 are left.  A child that
 * used up its first slice gives nothing.
 */
static void test_exit(void **state)
{
	struct view_make m;
	int parent, child;

	view_make_init(&m, "1x1", "o1");
	parent = view_make_task(&m, 0, 0);
	child = m.nr_tasks++;
	m.queues.ops->fork(&m.queues, child, parent);
	m.queues.ops->enqueue(&m.queues, 0, child, ENQUEUE_NEW);
	m.view.cpu[0].curr = child;
	for (int i = 0; i < 10; i++)
		assert_false(tick(&m, 0));
	m.queues.ops->dequeue(&m.queues, 0, child, DEQUEUE_EXIT);
	m.queues.ops->exit(&m.queues, child, parent);
	m.view.cpu[0].curr = parent;
	assert_int_equal(ticks_until_expiry(&m, 0), 144);
	view_make_release(&m);

	view_make_init(&m, "1x1", "o1");
	parent = view_make_task(&m, 0, 0);
	child = m.nr_tasks++;
	m.queues.ops->fork(&m.queues, child, parent);
	m.queues.ops->enqueue(&m.queues, 0, child, ENQUEUE_NEW);
	m.view.cpu[0].curr = child;
	assert_int_equal(ticks_until_expiry(&m, 0), 77);
	m.queues.ops->dequeue(&m.queues, 0, child, DEQUEUE_EXIT);
	m.queues.ops->exit(&m.queues, child, parent);
	m.view.cpu[0].curr = parent;
	assert_int_equal(ticks_until_expiry(&m, 0), 77);
	view_make_release(&m);
}

/*
 * The child of an interactive parent: 95 % of 2048 is 1945: bonus 9 - 5, prio
 * 116.  At its exit with less than the parent: (3 * 2048 + 1945) / 4 = 2022,
 * which is still 40*25*2022/2048/100 = 9, prio 116 where 2048 had 115.
 */
static void test_sleep_averages(void **state)
{
	struct view_make m;
	int parent, child;

	view_make_init(&m, "1x1", "o1");
	view_make_task(&m, 0, 0);
	parent = view_make_task(&m, 0, 0);
	sleep_for(&m, parent, 2048);
	assert_int_equal(list_of(&m, 0, parent), ACTIVE + 115);
	child = m.nr_tasks++;
	m.view.task[child].ran_tick = m.view.tick;
	m.queues.ops->fork(&m.queues, child, parent);
	m.queues.ops->enqueue(&m.queues, 0, child, ENQUEUE_NEW);
	assert_int_equal(list_of(&m, 0, child), ACTIVE + 116);
	m.queues.ops->dequeue(&m.queues, 0, child, DEQUEUE_EXIT);
	m.queues.ops->exit(&m.queues, child, parent);
	sleep_for(&m, parent, 0);
	assert_int_equal(list_of(&m, 0, parent), ACTIVE + 116);
	view_make_release(&m);
}

/* A thief is offered: expired before active, better priorities first, in a
 * list the tail first, never the one that runs. */
static void test_steal_order(void **state)
{
	struct queue_pos pos = { 0 };
	struct view_make m;
	int a, b, c, d, e;

	view_make_init(&m, "1x1", "o1");
	a = view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	c = view_make_task(&m, 0, 0);
	d = view_make_task(&m, 0, 0);
	e = view_make_task(&m, 0, 0);
	assert_int_equal(ticks_until_expiry(&m, 0), 154);	/* a */
	assert_int_equal(pick(&m, 0), b);
	assert_int_equal(ticks_until_expiry(&m, 0), 154);	/* b */
	assert_int_equal(pick(&m, 0), c);
	sleep_for(&m, e, 1024);
	/* expired 125: a b; active 120: e; active 125: c (runs), d */
	assert_int_equal(view_queue_next(&m.view, 0, &pos), b);
	assert_int_equal(view_queue_next(&m.view, 0, &pos), a);
	assert_int_equal(view_queue_next(&m.view, 0, &pos), e);
	assert_int_equal(view_queue_next(&m.view, 0, &pos), d);
	assert_int_equal(view_queue_next(&m.view, 0, &pos), TASK_NONE);

	/* Tails only. */
	pos = (struct queue_pos){ 0 };
	assert_int_equal(view_queue_next(&m.view, 0, &pos), b);
	pos.skip_list = true;
	assert_int_equal(view_queue_next(&m.view, 0, &pos), e);
	pos.skip_list = true;
	assert_int_equal(view_queue_next(&m.view, 0, &pos), d);
	pos.skip_list = true;
	assert_int_equal(view_queue_next(&m.view, 0, &pos), TASK_NONE);
	view_make_release(&m);
}

/* A knob of 0 divides nothing and hangs nothing. */
static void test_zero_knobs(void **state)
{
	struct view_make m;
	int b;

	view_make_init(&m, "1x1", "o1,min_timeslice=0,max_timeslice=0,"
		       "max_sleep_avg=0,exit_weight=0,prio_bonus_ratio=0,"
		       "starvation_limit=0");
	view_make_task(&m, 0, 0);
	b = view_make_task(&m, 0, 0);
	sleep_for(&m, b, 1000);
	assert_int_equal(list_of(&m, 0, b), ACTIVE + 120);
	assert_int_equal(ticks_until_expiry(&m, 0), 1);
	m.queues.ops->fork(&m.queues, m.nr_tasks, b);
	m.queues.ops->exit(&m.queues, m.nr_tasks, b);
	view_make_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_bonus),
		cmocka_unit_test(test_interactive),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_sleep_averages),
		cmocka_unit_test(test_steal_order),
		cmocka_unit_test(test_zero_knobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
