/* SPDX-License-Identifier: MIT */
/*
 * pooling-ilb: the pooling NUMA scheduler with initial load balancing (Focht
 * 2002), sheet D.3 of algorithms.md; "numa_sched+ilb" of the seed's 4 runs.
 *
 * Idea: as pooling, and at exec, when a task has no memory to lose, it is placed
 * on the node with the fewest runnable tasks per CPU, looked at from behind the
 * node of the last placement on, so that ties go round robin.
 *
 * Source: sheets D.1 and D.3 (P6), in policy_pool.  Assumed: as there.
 *
 * Does badly with tasks that fork and never exec, and where several exec before
 * the first of them is seen running.
 */
#include "replay/policy_pool.h"

static const struct knob knobs[] = {
	POOL_KNOBS("-1"),
	{ .name = NULL }
};

static int ilb_select_cpu(void *state, const struct view *v,
			  const struct select_args *a, struct decisions *d)
{
	int cpu = -1;

	if (a->why == SELECT_EXEC)
		cpu = pool_place(state, v, a->task, pool_running_load);
	return cpu >= 0 ? cpu : a->prev_cpu;
}

extern const struct policy_ops policy_pooling_ilb;
const struct policy_ops policy_pooling_ilb = {
	.name = "pooling-ilb",
	.title = "pooling NUMA scheduler that also balances at exec",
	.about =
"As pooling (idle CPUs wait too: 1 or 100 ticks), and a task that execs goes to\n"
"the node with the fewest runnable tasks per CPU, ties round robin, and there to\n"
"the CPU with the fewest.\n"
"Source: algorithms.md, sheet D with D.3.\n"
"Does badly with tasks that fork and never exec.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = pooling_init,
	.exit = pooling_exit,
	.select_cpu = ilb_select_cpu,
	.tick = pooling_tick,
	.newidle = pooling_newidle,
};
