/* SPDX-License-Identifier: MIT */
/*
 * cluster-domain-only: Linux 5.9 with a scheduling domain for clusters, but
 * without the scan of the cluster at wake-ups; "without select_idle_cluster" of
 * seed 002, and what Linux 5.16 to 6.6 had.
 *
 * Idea: a level of domains below that of the cache.  A CPU that runs idle looks
 * in its cluster first (intervals of 4 to 8 ms for 4 CPUs, not 24 to 48 for a
 * cache of 24), and clusters are kept equally full.
 *
 * Source: algorithms.md, sheet L, first change.  A machine without clusters has
 * no such level: then it is llc-5.9.
 *
 * Does badly where wake-ups are many and CPUs hardly ever idle: balancing comes
 * too late, every wake-up spreads again.
 */
#include "replay/policy_5_9.h"

static const struct fair_params params = {
	POLICY_5_9_PARAMS, .clusters = true,
};

static int init(void **state, const struct view *v,
		const struct knob_value *knobs, struct err *err)
{
	return fair_new(state, &params, v, knobs, err);
}

extern const struct policy_ops policy_cluster_domain_only;
const struct policy_ops policy_cluster_domain_only = {
	.name = "cluster-domain-only",
	.title = "Linux 5.9 with a domain for clusters, no scan at wake-ups",
	.about =
"llc-5.9 with a level of domains for clusters: CPUs that run idle look in their\n"
"cluster first, every 4 to 8 ms for one of 4 CPUs, and clusters are kept equally\n"
"full.  Wake-ups know the whole cache only.\n"
"Source: algorithms.md, sheet L (first change of the patch of seed 002).\n"
"Does badly where wake-ups are many: each of them spreads again.\n",
	.knobs = policy_5_9_knobs,
	.discipline = "queue_fair",
	.init = init,
	.exit = fair_exit,
	.select_cpu = fair_select_cpu,
	.tick = fair_tick,
	.newidle = fair_newidle,
};
