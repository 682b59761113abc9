/* SPDX-License-Identifier: MIT */
/*
 * stay: the null policy.
 *
 * Every task stays on the CPU where the recording first showed it, or on its
 * parent's; nothing balances, nothing moves pages.  Source: none, it exists to
 * test the core and to show what balancing is worth.  Assumed: nothing.  Does
 * badly at everything: what a fork bomb started on one CPU stays there.
 */
#include "replay/policy.h"

extern const struct policy_ops policy_stay;
const struct policy_ops policy_stay = {
	.name = "stay",
	.title = "no balancing at all: tasks stay where they began",
	.about =
"The null policy: a task stays on the CPU where the recording first showed it,\n"
"a child on its parent's CPU.  It shows what balancing is worth, and tests the\n"
"engine.  Does badly wherever one task forks many.\n",
	.discipline = "queue_o1",
};
