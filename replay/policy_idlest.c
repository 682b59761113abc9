/* SPDX-License-Identifier: MIT */
/*
 * idlest: a reference: every task goes to the CPU with the fewest others, and no
 * CPU idles while a task waits that may run there.
 *
 * Idea: what balancing without any regard for caches and memory would give: the
 * least waiting, wherever the pages are.
 *
 * Source: none; greedy list scheduling.  Assumed: an idle CPU looks at each tick
 * and when its queue runs empty.
 *
 * Does badly wherever it matters where memory is: tasks wander with every
 * wake-up.
 */
#include "replay/policy_spread.h"

#include "replay/view.h"

static const struct spread anywhere = { .fits = NULL };

static int idlest_select_cpu(void *state, const struct view *v,
			     const struct select_args *a, struct decisions *d)
{
	int cpu = spread_cpu(&anywhere, v, a);

	return cpu >= 0 ? cpu : a->prev_cpu;
}

static void idlest_tick(void *state, const struct view *v, int cpu,
			struct decisions *d)
{
	if (view_curr(v, cpu) == TASK_NONE)
		spread_pull(&anywhere, v, cpu, d);
}

static void idlest_newidle(void *state, const struct view *v, int cpu,
			   struct decisions *d)
{
	spread_pull(&anywhere, v, cpu, d);
}

extern const struct policy_ops policy_idlest;
const struct policy_ops policy_idlest = {
	.name = "idlest",
	.title = "reference: always the CPU with the fewest tasks",
	.about =
"A task that wakes up, is born or execs goes to the CPU with the fewest tasks, its\n"
"last one if that is one of them, else one of the same node; an idle CPU takes a\n"
"task from the longest queue.  The least waiting, wherever the pages are.\n"
"Does badly wherever it matters where memory is.\n",
	.discipline = "queue_o1",
	.select_cpu = idlest_select_cpu,
	.tick = idlest_tick,
	.newidle = idlest_newidle,
};
