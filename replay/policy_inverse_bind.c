/* SPDX-License-Identifier: MIT */
/*
 * inverse-bind: tasks are bound to one node, their memory to the next one
 * (-DHARD_BIND -DINVERSE_BIND).
 *
 * Idea: the worst case: every access is remote, and the load is even.
 *
 * Source: sheet K.2 of algorithms.md; the seed's INVERSE_BIND figures were runs
 * that bound nothing, since the code acts only with HARD_BIND.  Assumed: as
 * hard-bind.
 *
 * Does badly by intention.
 */
#include "replay/policy_binding.h"

static int inverse_bind_init(void **state, const struct view *v,
		  const struct knob_value *k, struct err *err)
{
	const struct bound like = { .shift = 1, .all_on = -1 };

	return bound_init(state, v, &like, err);
}

extern const struct policy_ops policy_inverse_bind;
const struct policy_ops policy_inverse_bind = {
	.name = "inverse-bind",
	.title = "tasks bound to one node, their memory to the next",
	.about =
"As hard-bind, but the pages of each part lie on the node after that of its\n"
"tasks: every access is remote.\n"
"Source: algorithms.md, sheet K.2 (HARD_BIND with INVERSE_BIND).\n",
	.discipline = "queue_o1",
	.init = inverse_bind_init,
	.exit = bound_exit,
	.select_cpu = bound_select_cpu,
	.tick = bound_tick,
	.newidle = bound_newidle,
	.place_page = bound_place_page,
};
