/* SPDX-License-Identifier: MIT */
/*
 * o1-single: the O(1) scheduler with one task per steal (Focht 2002), sheet B of
 * algorithms.md: the node affine patch without CONFIG_NUMA_SCHED.
 *
 * Idea: as o1, but idle and busy CPUs use the same test of balance, at most one
 * task is taken at a time, and it is the one that has not run for longest.
 *
 * Source: sheet B (PS1, P6, N20); the quirk that only the tail of each priority
 * list is looked at is in those patches (steal=lists looks at all).  The knobs of
 * delays between pools have no effect, there is one pool.
 *
 * Does badly on NUMA machines, as o1, but carries off fewer tasks.
 */
#include "replay/policy.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/policy_pool.h"
#include "replay/view.h"

enum { BUSY, IDLE, DECAY, STEAL };

static const struct knob knobs[] = {
	[BUSY] = {
		.name = "busy_rebalance", .type = KNOB_NS, .deflt = "200ms",
		.help = "period of a busy CPU (B; the text of S000 says 250 ms)" },
	[IDLE] = {
		.name = "idle_rebalance", .type = KNOB_NS, .deflt = "1ms",
		.help = "period of an idle CPU, at least a tick (B); 0: never" },
	[DECAY] = {
		.name = "cache_decay_ticks", .type = KNOB_INT, .deflt = "8",
		.unit = "ticks", .max = 1000000,
		.help = "how long a task is cache hot (B)" },
	[STEAL] = {
		.name = "steal", .type = KNOB_TEXT, .deflt = "tails",
		.choices = "tails|lists",
		.help = "look at the tail of each priority list or at all of it" },
	{ .name = NULL }
};

static int single_init(void **state, const struct view *v,
		       const struct knob_value *k, struct err *err)
{
	struct pool *p = calloc(1, sizeof(*p));

	*state = p;
	if (!p)
		return err_nomem(err);
	p->knob = (struct pool_knobs){
		.busy_ns = k[BUSY].i,
		.idle_ns = k[IDLE].i,
		.cache_decay = k[DECAY].i,
		.whole_lists = k[STEAL].i,
	};
	return pool_init(p, v, err);
}

static void single_exit(void *state)
{
	if (state)
		pool_release(state);
	free(state);
}

/* B: the longest queue of all, if it is not balanced with one's own. */
static void balance(struct pool *p, const struct view *v, int cpu, bool is_idle,
		    struct decisions *d)
{
	int nr = prev_load_self(&p->load, v, cpu, is_idle);
	int max = 1;
	int busiest = prev_load_longest(&p->load, v, cpu, is_idle, &max);

	if (busiest >= 0 && !pool_balanced(max, nr))
		pool_take(p, v, cpu, busiest, nr, d);
}

static void single_tick(void *state, const struct view *v, int cpu,
			struct decisions *d)
{
	bool is_idle;

	if (pool_due(state, v, cpu, &is_idle))
		balance(state, v, cpu, is_idle, d);
}

static void single_newidle(void *state, const struct view *v, int cpu,
			   struct decisions *d)
{
	balance(state, v, cpu, true, d);
}

extern const struct policy_ops policy_o1_single;
const struct policy_ops policy_o1_single = {
	.name = "o1-single",
	.title = "O(1) scheduler that takes one task at a time (2.4.18)",
	.about =
"As o1, but idle and busy CPUs use the same test of balance (about 5/3), at most\n"
"one task is taken at a time, and of those that are not cache hot the one that\n"
"has not run for longest, looking only at the tail of each priority list.\n"
"Source: algorithms.md, sheet B.\n"
"Does badly on NUMA machines, as o1, but carries off fewer tasks.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = single_init,
	.exit = single_exit,
	.tick = single_tick,
	.newidle = single_newidle,
};
