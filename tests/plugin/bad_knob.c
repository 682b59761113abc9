/* SPDX-License-Identifier: MIT */
/* All is well but for one knob. */
#include "replay/policy.h"

static void tick(void *state, const struct view *v, int cpu,
		 struct decisions *d)
{
}

static const struct knob knobs[] = {
	{ .name = "period", .type = KNOB_NS, .deflt = "5ms", .help = "a time" },
	{ .name = "steps", .type = KNOB_INT, .deflt = "9", .min = 1, .max = 8,
	  .help = "a number" },
	{ .name = NULL },
};

static const struct policy_ops bad_knob = {
	.name = "bad_knob",
	.title = "one default is too large",
	.about = "For tests.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.tick = tick,
};

const struct policy_plugin homenode_policy = {
	POLICY_PLUGIN_BUILD, .ops = &bad_knob };
