/* SPDX-License-Identifier: MIT */
/*
 * llc-5.9: Linux 5.9, for which all CPUs of a last-level cache are alike;
 * "without patch" of seed 002.
 *
 * Idea: a wakee goes to the waker's CPU or its own last one and from there to an
 * idle CPU of the same cache; how many are looked at depends on how long the
 * waker's CPU idles (SIS_PROP), at least three.  Caches, then nodes, are kept
 * balanced by CPUs that are idle, and 32 times less often by busy ones.  A child
 * stays on its parent's node while a CPU there is idle.
 *
 * Source: algorithms.md, sheet L (K59x); the rule for children: LKML 17 Nov 2020
 * (Gorman, "Limit the amount of imbalance that can exist at fork time", which
 * replaced it).  Assumed: scan_ns, what a look at a CPU takes.
 *
 * Does badly on machines whose caches are made of parts (Kunpeng 920): it finds
 * an idle CPU next door only by accident, and what communicates is spread.
 */
#include "replay/policy_5_9.h"

static const struct fair_params params = { POLICY_5_9_PARAMS };

static int init(void **state, const struct view *v,
		const struct knob_value *knobs, struct err *err)
{
	return fair_new(state, &params, v, knobs, err);
}

extern const struct policy_ops policy_llc_5_9;
const struct policy_ops policy_llc_5_9 = {
	.name = "llc-5.9",
	.title = "Linux 5.9: all CPUs of a last-level cache are alike",
	.about =
"A wakee goes to the waker's CPU or its own last one, and from there to an idle\n"
"CPU of the same cache if one is among the few that are looked at (SIS_PROP).\n"
"Idle CPUs balance caches and nodes, busy ones 32 times less often; children\n"
"stay on their parent's node while a CPU there is idle.\n"
"Source: algorithms.md, sheet L; \"without patch\" of seed 002.\n"
"Assumed: what a look at a CPU takes (scan_ns).\n"
"Does badly where a cache is made of parts: it does not know them.\n",
	.knobs = policy_5_9_knobs,
	.discipline = "queue_fair",
	.init = init,
	.exit = fair_exit,
	.select_cpu = fair_select_cpu,
	.tick = fair_tick,
	.newidle = fair_newidle,
};
