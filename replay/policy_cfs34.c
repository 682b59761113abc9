/* SPDX-License-Identifier: MIT */
/*
 * cfs-3.4: mainline Linux of 2012, before it knew where memory is.
 *
 * Idea: scheduling domains from the threads of a core to all nodes; every one is
 * balanced by the first idle CPU of each group, by the weight of what is
 * runnable, to within imbalance_pct.  A woken task goes to the waker's CPU or
 * stays, whichever is less loaded, and from there to an idle core; a new one, or
 * one that execs, to the least loaded group from the top down.
 *
 * Source: algorithms.md, sheet J (cfs34.h says what is assumed).
 *
 * Does badly where memory matters: pages stay where they were touched first and
 * tasks where balancing left them; on a machine with as many busy tasks as CPUs
 * nothing brings the two together again.
 */
#include "replay/cfs34.h"

#include <stdlib.h>

#include "model/err.h"

static const struct knob cfs34_knobs[] = {
	CFS34_KNOBS,
	[CFS34_NR_KNOBS] = { .name = NULL }
};

static int init(void **state, const struct view *v,
		const struct knob_value *knobs, struct err *err)
{
	struct cfs34 *c = calloc(1, sizeof(*c));

	*state = c;
	return c ? cfs34_init(c, NULL, v, knobs, err) : err_nomem(err);
}

static void release(void *state)
{
	if (state)
		cfs34_release(state);
	free(state);
}

extern const struct policy_ops policy_cfs34;
const struct policy_ops policy_cfs34 = {
	.name = "cfs-3.4",
	.title = "mainline Linux of 2012: no NUMA affinity",
	.about =
"Scheduling domains from the threads of a core to all nodes, balanced by the\n"
"weight of what is runnable; a woken task goes to the waker's CPU or stays,\n"
"whichever is less loaded, and on to an idle core; a new one to the least loaded\n"
"group.  Source: algorithms.md, sheet J.\n"
"Assumed: what cfs34.h says; recorded wake-ups are not synchronous\n"
"(sync_wakeups=on: all by tasks are).\n"
"Does badly where memory matters: pages stay where they were touched first,\n"
"tasks where balancing left them.\n",
	.knobs = cfs34_knobs,
	.discipline = "queue_fair",
	.init = init,
	.exit = release,
	.select_cpu = fair_select_cpu,
	.tick = cfs34_tick,
	.newidle = fair_newidle,
};
