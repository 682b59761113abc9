/* SPDX-License-Identifier: MIT */
/*
 * node-affine-dyn-ilb: the node affine scheduler with a dynamic home node and
 * with initial balancing: what the seed calls "probably optimal", and nobody
 * measured.
 *
 * Idea: as node-affine-dyn, but at exec a task is placed on the node to which
 * the fewest runnable tasks are assigned, and has that as its home until its
 * memory says otherwise.
 *
 * Source: sheets E (initial balancing) and F (dynamic home) of algorithms.md.
 * Assumed: as node-affine-dyn.
 *
 * Does badly where memory is touched on the wrong node already, and with
 * processes larger than a node.
 */
#include "replay/policy_affine.h"

static const struct knob knobs[] = {
	AFFINE_KNOBS("on", "local", "on"),
	{ .name = NULL }
};

extern const struct policy_ops policy_node_affine_dyn_ilb;
const struct policy_ops policy_node_affine_dyn_ilb = {
	.name = "node-affine-dyn-ilb",
	.title = "node affine scheduler: homes chosen at exec follow the memory",
	.about =
"As node-affine-dyn, but with a home node and CPU chosen at exec as node-affine\n"
"does.  The seed calls it probably optimal; nobody measured it.\n"
"Source: algorithms.md, sheets E and F.\n"
"Assumed: new pages lie on the node where the task runs (alloc=local).\n"
"Does badly where memory is touched on the wrong node already, and with\n"
"processes larger than a node.\n",
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
