/* SPDX-License-Identifier: MIT */
/*
 * cluster: Linux 5.9 with the whole cluster patch (Song, RFC v2, December 2020);
 * "with patch" of seed 002.
 *
 * Idea: CPUs of a cluster are nearer to each other than to the rest of their
 * cache.  There is a domain for them, and a wakee that finds its target busy
 * looks at all CPUs of the target's cluster, from the target on, before the scan
 * of the cache, which may look at three only.
 *
 * Source: algorithms.md, sheet L, both changes; policy_llc_5_9.c for the rest.
 * As in the patch the scan is left out on machines with SMT.  `fair` has the
 * merged form of it (6.7): from the target's neighbour on, within the limit of
 * the cache's scan.
 *
 * Does badly where packing loses: tasks that do not communicate gather in few
 * clusters while others are idle, and share what those have.
 */
#include "replay/policy_5_9.h"

static const struct fair_params params = {
	POLICY_5_9_PARAMS, .clusters = true, .cluster_wake = true,
};

static int init(void **state, const struct view *v,
		const struct knob_value *knobs, struct err *err)
{
	return fair_new(state, &params, v, knobs, err);
}

extern const struct policy_ops policy_cluster;
const struct policy_ops policy_cluster = {
	.name = "cluster",
	.title = "Linux 5.9 with a level for clusters, first at wake-ups too",
	.about =
"llc-5.9 with both parts of the cluster patch: a level of domains for clusters\n"
"(4 to 8 ms), and a wakee whose target is busy looks at all CPUs of the target's\n"
"cluster before the cache, unless the machine has SMT.\n"
"Source: algorithms.md, sheet L (RFC v2 of seed 002).\n"
"Does badly where packing loses: tasks that have nothing to do with each other\n"
"gather in few clusters.\n",
	.knobs = policy_5_9_knobs,
	.discipline = "queue_fair",
	.init = init,
	.exit = fair_exit,
	.select_cpu = fair_select_cpu,
	.tick = fair_tick,
	.newidle = fair_newidle,
};
