/* SPDX-License-Identifier: MIT */
/*
 * same-node: all memory begins on one node, tasks are free
 * (-DNO_BIND_FORCE_SAME_NODE).
 *
 * Idea: where a process that was filled by one thread ends up; a balancer that
 * moves memory can mend it, one that only moves tasks cannot.
 *
 * Source: sheet K.2 of algorithms.md.  Assumed: tasks are placed as idlest does;
 * under other balancers give the pages with their own knobs or with bind.
 *
 * Does badly with everything that waits for memory: one node serves all.
 */
#include "replay/policy_binding.h"

enum { NODE };

static const struct knob knobs[] = {
	[NODE] = {
		.name = "node", .type = KNOB_INT, .deflt = "0", .max = 1023,
		.help = "which of the nodes with CPUs, in order (K.2: time & 1)" },
	{ .name = NULL }
};

static int same_node_init(void **state, const struct view *v,
		  const struct knob_value *k, struct err *err)
{
	const struct bound like = { .all_on = (int)k[NODE].i, .tasks_free = true };

	return bound_init(state, v, &like, err);
}

extern const struct policy_ops policy_same_node;
const struct policy_ops policy_same_node = {
	.name = "same-node",
	.title = "tasks free, all memory begins on one node",
	.about =
"All pages of processes lie on one node (node=0: the first with CPUs); tasks go\n"
"where the fewest others are.\n"
"Source: algorithms.md, sheet K.2 (NO_BIND_FORCE_SAME_NODE).\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = same_node_init,
	.exit = bound_exit,
	.select_cpu = bound_select_cpu,
	.tick = bound_tick,
	.newidle = bound_newidle,
	.place_page = bound_place_page,
};
