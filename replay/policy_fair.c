/* SPDX-License-Identifier: MIT */
/*
 * fair: today's Linux without NUMA balancing (kernel.numa_balancing = 0).
 *
 * Idea: scheduling domains from cores to nodes.  A woken task goes to an idle
 * CPU near the waker or near where it ran; a new one, or one that execs, to the
 * idlest group from the top down; groups of CPUs are kept balanced by the first
 * idle CPU of each, the more seldom the larger they are and the busier it is.
 *
 * Source: algorithms.md, M.5 to M.7 (fair.h says what is assumed).
 *
 * Does badly where memory matters: it balances across nodes but does not know
 * where the pages of a task are, and brings nobody back.
 */
#include "replay/fair.h"

static const struct knob fair_knobs[] = {
	FAIR_KNOBS,
	[FAIR_NR_KNOBS] = { .name = NULL }
};

static int init(void **state, const struct view *v,
		const struct knob_value *knobs, struct err *err)
{
	return fair_new(state, &fair_today, v, knobs, err);
}

extern const struct policy_ops policy_fair;
const struct policy_ops policy_fair = {
	.name = "fair",
	.title = "today's Linux without NUMA balancing",
	.about =
"Scheduling domains from cores to nodes: a woken task goes to an idle CPU near\n"
"the waker or where it ran (wake_affine, select_idle_sibling), a new one to the\n"
"idlest group; groups are balanced periodically and by CPUs that go idle.\n"
"Source: algorithms.md, sheet M.  CFS or EEVDF: knob variant.\n"
"Assumed: equal CPUs, no cgroups, no real-time tasks; recorded wake-ups are\n"
"not synchronous (sync_wakeups=on: all by tasks are).\n"
"Does badly where memory matters: it balances across nodes without knowing\n"
"where the pages of a task are, and brings nobody back.\n",
	.knobs = fair_knobs,
	.discipline = "queue_fair",
	.init = init,
	.exit = fair_exit,
	.select_cpu = fair_select_cpu,
	.tick = fair_tick,
	.newidle = fair_newidle,
};
