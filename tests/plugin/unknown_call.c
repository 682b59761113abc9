/* SPDX-License-Identifier: MIT */
/* Calls what homenode does not have. */
#include "replay/policy.h"

int there_is_no_such_function(void);

static void tick(void *state, const struct view *v, int cpu,
		 struct decisions *d)
{
	there_is_no_such_function();
}

static const struct policy_ops unknown = { .name = "unknown", .tick = tick };

const struct policy_plugin homenode_policy = {
	POLICY_PLUGIN_BUILD, .ops = &unknown };
