/* SPDX-License-Identifier: MIT */
/* A policy that ends its process in one way or another after some ticks. */
#include "replay/policy.h"

#include <stdlib.h>

enum how { HOW_NOT, HOW_SEGV, HOW_ABORT, HOW_LOOP, HOW_EXIT, HOW_INIT };

static const struct knob knobs[] = {
	{ .name = "how", .type = KNOB_TEXT, .deflt = "not",
	  .choices = "not|segv|abort|loop|exit|init", .help = "what happens" },
	{ .name = NULL },
};

static int init(void **state, const struct view *v,
		const struct knob_value *knob, struct err *err)
{
	int64_t *how = malloc(sizeof(*how));

	*state = how;
	*how = knob->i;
	return *how == HOW_INIT ? 17 : 0;
}

static void tick(void *state, const struct view *v, int cpu,
		 struct decisions *d)
{
	const int64_t *how = state;
	volatile uintptr_t nowhere = 16;

	if (view_ticks(v) < 500)
		return;
	if (*how == HOW_SEGV)
		*(volatile char *)nowhere = 1;
	if (*how == HOW_ABORT)
		abort();
	if (*how == HOW_EXIT)
		exit(0);
	while (*(const volatile int64_t *)how == HOW_LOOP)
		;
}

static const struct policy_ops crash = {
	.name = "crash",
	.title = "does not get far",
	.about = "For tests.\n",
	.knobs = knobs,
	.discipline = "queue_fifo",
	.init = init,
	.exit = free,
	.tick = tick,
};

const struct policy_plugin homenode_policy = {
	POLICY_PLUGIN_BUILD, .ops = &crash };
