/* SPDX-License-Identifier: MIT */
/*
 * o1: load balancing of the O(1) scheduler, Linux 2.5.39 (Molnar), sheet A.
 *
 * Idea: one run queue per CPU; a CPU that is idle looks for work at every tick
 * and when its queue runs empty, a busy one every 250 ms.  It takes from the
 * longest queue if that is about twice as long as its own; idle: one task,
 * busy: half the difference at once.  Tasks that just ran are cache hot and stay.
 *
 * Source: sheet A.5 to A.7 of algorithms.md (from P6's deleted lines and RH18).
 * Assumed: whether a wake-up is synchronous is not in a recording, so none of
 * one is unless sync_wakeups is on; then every wake-up by a task is.
 *
 * Does badly on NUMA machines: it knows no nodes, searches CPUs in order of
 * their numbers, and carries several tasks at once away from their memory.  A
 * displaced lone task is never brought back, since a running task cannot be
 * taken.
 */
#include "replay/policy.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/prev_load.h"
#include "replay/view.h"

enum { BUSY, IDLE, DECAY, IDLE_TEST, SYNC };

static const struct knob o1_knobs[] = {
	[BUSY] = {
		.name = "busy_rebalance", .type = KNOB_NS, .deflt = "250ms",
		.help = "period of a busy CPU, at the same tick on all (A.2); 0: never" },
	[IDLE] = {
		.name = "idle_rebalance", .type = KNOB_NS, .deflt = "1ms",
		.help = "period of an idle CPU, at least a tick (A.2); 0: never" },
	[DECAY] = {
		.name = "cache_decay_ticks", .type = KNOB_INT, .deflt = "10",
		.unit = "ticks", .max = 1000000,
		.help = "how long a task is cache hot; 0: not beyond the same tick" },
	[IDLE_TEST] = {
		.name = "idle_hot_test", .type = KNOB_BOOL, .deflt = "on",
		.help = "idle CPUs leave cache hot tasks alone too (A.6.7)" },
	[SYNC] = {
		.name = "sync_wakeups", .type = KNOB_BOOL, .deflt = "off",
		.help = "a task woken by a task moves to the waker's CPU (A.5)" },
	{ .name = NULL }
};

struct o1 {
	const struct knob_value *knob;
	struct prev_load load;
};

static int o1_init(void **state, const struct view *v,
		   const struct knob_value *knobs, struct err *err)
{
	struct o1 *o = calloc(1, sizeof(*o));

	*state = o;
	if (!o || prev_load_init(&o->load, v))
		return err_nomem(err);
	o->knob = knobs;
	return 0;
}

static void o1_exit(void *state)
{
	struct o1 *o = state;

	if (o)
		prev_load_release(&o->load);
	free(o);
}

static int o1_select_cpu(void *state, const struct view *v,
			 const struct select_args *a, struct decisions *d)
{
	const struct o1 *o = state;

	if (a->why == SELECT_WAKE && (a->is_sync || o->knob[SYNC].i) &&
	    view_allowed(v, a->task, a->waker_cpu))
		return a->waker_cpu;
	return a->prev_cpu;
}

/* A.6.1 to A.6.5: how many tasks to take from *busiest. */
static int find_busiest(struct o1 *o, const struct view *v, int cpu,
			bool is_idle, int *busiest)
{
	int nr = prev_load_self(&o->load, v, cpu, is_idle);
	int max = 1, imbalance;

	*busiest = prev_load_longest(&o->load, v, cpu, is_idle, &max);
	if (*busiest < 0)
		return 0;
	imbalance = (max - nr) / 2;
	if (!is_idle && imbalance < (max + 3) / 4)
		return 0;
	if (view_nr_running(v, *busiest) <= nr + 1)
		return 0;
	return is_idle ? 1 : imbalance;
}

/* A.6.6 to A.6.9 */
static void balance(struct o1 *o, const struct view *v, int cpu, bool is_idle,
		    struct decisions *d)
{
	bool test = !is_idle || o->knob[IDLE_TEST].i;
	int busiest, nr = find_busiest(o, v, cpu, is_idle, &busiest);

	if (nr > 0)
		prev_load_pull(v, cpu, busiest, is_idle, nr,
			       test ? o->knob[DECAY].i : -1, d);
}

static void o1_tick(void *state, const struct view *v, int cpu,
		    struct decisions *d)
{
	struct o1 *o = state;
	bool is_idle = view_curr(v, cpu) == TASK_NONE;

	if (prev_load_due(v, o->knob[is_idle ? IDLE : BUSY].i))
		balance(o, v, cpu, is_idle, d);
}

static void o1_newidle(void *state, const struct view *v, int cpu,
		       struct decisions *d)
{
	balance(state, v, cpu, true, d);
}

extern const struct policy_ops policy_o1;
const struct policy_ops policy_o1 = {
	.name = "o1",
	.title = "O(1) scheduler of Linux 2.5.39, which knows no nodes",
	.about =
"Idle CPUs look for work at every tick, busy ones every 250 ms.  They take from\n"
"the longest queue if it is about twice as long as their own: idle CPUs one\n"
"task, busy ones half of the difference at once; tasks that ran in the last\n"
"cache_decay_ticks stay.  A woken task returns to its last CPU, a child begins\n"
"on its parent's.  Source: algorithms.md, sheet A.\n"
"Assumed: no recorded wake-up is synchronous (sync_wakeups=on: all by tasks\n"
"are).\n"
"Does badly on NUMA machines: tasks are carried away from their memory, several\n"
"at once, and a displaced lone task is never brought back.\n",
	.knobs = o1_knobs,
	.discipline = "queue_o1",
	.init = o1_init,
	.exit = o1_exit,
	.select_cpu = o1_select_cpu,
	.tick = o1_tick,
	.newidle = o1_newidle,
};
