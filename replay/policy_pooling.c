/* SPDX-License-Identifier: MIT */
/*
 * pooling: the pooling NUMA scheduler without initial balancing (Focht 2002),
 * sheet D of algorithms.md; system D of the seed, with idle pool_delay = 0.
 *
 * Idea: the CPUs of a node are a pool; a CPU balances inside its pool first and
 * takes from another one only after a delay, one task at a time.
 *
 * Source: sheet D.1 (P6), in policy_pool.  Assumed: the seed's "idle pool_delay
 * = 0" is for idle CPUs only; busy ones wait as in the patch.
 *
 * Does badly when tasks are carried off all the same: nothing brings them back.
 */
#include "replay/policy_pool.h"

static const struct knob knobs[] = {
	POOL_KNOBS("0"),
	{ .name = NULL }
};

extern const struct policy_ops policy_pooling;
const struct policy_ops policy_pooling = {
	.name = "pooling",
	.title = "pooling NUMA scheduler: nodes first, others after a delay",
	.about =
"The CPUs of a node are a pool.  A CPU takes from its own pool first; from the\n"
"most loaded other pool only if that has about 5/3 of its own load, after a\n"
"delay (100 ticks, or 1 if its own pool has less than the average; idle CPUs at\n"
"once: idle_pool_delay=0, as system D of the seed), one task at a time.\n"
"Source: algorithms.md, sheet D.\n"
"Assumed: the seed's delay of 0 is that of idle CPUs only.\n"
"Does badly when tasks are carried off all the same: nothing brings them back.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = pooling_init,
	.exit = pooling_exit,
	.tick = pooling_tick,
	.newidle = pooling_newidle,
};
