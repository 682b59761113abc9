/* SPDX-License-Identifier: MIT */
/*
 * hard-bind: tasks and their memory are bound to one node (-DHARD_BIND).
 *
 * Idea: what a person who knows the program would do by hand; the best case that
 * automatic balancers are measured against.
 *
 * Source: sheet K.2 of algorithms.md.  Who belongs where is derived from the
 * topology (policy_binding).  Assumed: inside its node a task goes to the CPU with
 * the fewest others, and idle CPUs take from the longest queue there.
 *
 * Does badly when the load of the bound parts differs: nothing helps out.
 */
#include "replay/policy_binding.h"

static int hard_bind_init(void **state, const struct view *v,
		  const struct knob_value *k, struct err *err)
{
	const struct bound like = { .all_on = -1 };

	return bound_init(state, v, &like, err);
}

extern const struct policy_ops policy_hard_bind;
const struct policy_ops policy_hard_bind = {
	.name = "hard-bind",
	.title = "tasks and memory bound to the same node",
	.about =
"Processes with memory are dealt out to the nodes in turn; one with more threads\n"
"than a node has CPUs is dealt out in parts, threads and memory areas alike.  Tasks\n"
"run, and pages lie, on that node only.  Derived from the topology.\n"
"Source: algorithms.md, sheet K.2 (HARD_BIND).\n"
"Does badly when the load of the parts differs: nothing helps out.\n",
	.discipline = "queue_o1",
	.init = hard_bind_init,
	.exit = bound_exit,
	.select_cpu = bound_select_cpu,
	.tick = bound_tick,
	.newidle = bound_newidle,
	.place_page = bound_place_page,
};
