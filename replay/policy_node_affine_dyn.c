/* SPDX-License-Identifier: MIT */
/*
 * node-affine-dyn: the node affine scheduler with a dynamic home node and no
 * initial balancing (Focht 2002), sheet F of algorithms.md.
 *
 * Idea: as node-affine (policy_affine), but nobody has to guess a home at exec:
 * a task begins with its parent's and gets the node that holds most of its
 * memory, looked at when a balancer considers to take it.
 *
 * Source: sheet F (P10 5/5).  Assumed: new pages lie where the task runs
 * (alloc=local), since in tables F of the seed jobs run on their first node with
 * local user times; a process's threads have its pages in common.
 *
 * Does badly where the first touch happens on the wrong node already: the home
 * follows the mistake.  With weights=p10 and children that never exec, all have
 * the same home and none is ever taken to another node.
 */
#include "replay/policy_affine.h"

static const struct knob knobs[] = {
	AFFINE_KNOBS("off", "local", "on"),
	{ .name = NULL }
};

extern const struct policy_ops policy_node_affine_dyn;
const struct policy_ops policy_node_affine_dyn = {
	.name = "node-affine-dyn",
	.title = "node affine scheduler: homes follow the memory",
	.about =
"As node-affine, but a task's home is the node with most of its pages, looked\n"
"at when a balancer could take it; until then it is its parent's.  Nothing is\n"
"balanced at exec.\n"
"Source: algorithms.md, sheet F.\n"
"Assumed: new pages lie on the node where the task runs (alloc=local).\n"
"Does badly where memory is touched on the wrong node already: the home follows\n"
"the mistake.\n",
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
