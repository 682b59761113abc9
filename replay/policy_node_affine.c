/* SPDX-License-Identifier: MIT */
/*
 * node-affine: the node affine scheduler with a static home node (Focht 2002),
 * sheet E of algorithms.md.
 *
 * Idea: every task has a home node, chosen at exec as the node to which the
 * fewest runnable tasks are assigned.  Its memory comes from there, balancers
 * like to bring it back and dislike to take it away, and a lone task that was
 * carried off is pushed home.  Balancing is that of the pooling scheduler
 * (policy_pool, sheet D); the rest is in policy_affine.
 *
 * Source: sheets D and E (PS2, P10).  Assumed: a task that was alive when the
 * recording began has the node of its first CPU as home; a child has its
 * parent's; the own load of a home node is counted on that node's CPUs; levels
 * of nodes are the different distances of the topology; cache_decay_ticks=0
 * makes every task as cold as it can be.
 *
 * Does badly with processes larger than a node (one home for all threads' new
 * pages each), where children that never exec inherit one home (hackbench), and
 * when the home node stays overloaded: tasks wait there beside idle nodes.
 */
#include "replay/policy_affine.h"

static const struct knob knobs[] = {
	AFFINE_KNOBS("on", "home", "off"),
	{ .name = NULL }
};

extern const struct policy_ops policy_node_affine;
const struct policy_ops policy_node_affine = {
	.name = "node-affine",
	.title = "node affine scheduler: static home nodes chosen at exec",
	.about =
"Every task has a home node, chosen at exec as the one with the fewest runnable\n"
"tasks assigned to it, beginning after the last one chosen.  New pages come\n"
"from it; balancers prefer to bring tasks home and avoid to take them away; a\n"
"lone task that was carried off is pushed home.  Queues are balanced inside a\n"
"node first, between nodes after a delay (about 100 ms, or one tick if the own\n"
"node has less than the average), one task at a time.\n"
"Source: algorithms.md, sheets D and E (patches of Focht, Sep/Oct 2002).\n"
"Assumed: tasks alive at the start are at home where they were first seen;\n"
"children inherit; cache_decay_ticks=0 makes every task fully cold.\n"
"Does badly with processes larger than a node, with children that never exec\n"
"(all inherit one home), and when one home node stays overloaded.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = affine_init,
	.exit = affine_exit,
	.init_task = affine_init_task,
	.select_cpu = affine_select_cpu,
	.tick = affine_tick,
	.newidle = affine_newidle,
	.place_page = affine_place_page,
};
