/* SPDX-License-Identifier: MIT */
#include "replay/policy_5_9.h"

#include <stdlib.h>

#include "model/err.h"

const struct knob policy_5_9_knobs[] = {
	FAIR_COMMON_KNOBS,
	[FAIR_NEWIDLE_COST] = {
		.name = "newidle_cost", .type = KNOB_NS, .deflt = "1us",
		.help = "a look for work takes so long per CPU of the domain; "
			"CPUs that idle shorter than that or hot_ns do not "
			"look" },
	[FAIR_WA_IDLE] = {
		.name = "WA_IDLE", .type = KNOB_BOOL, .deflt = "on",
		.help = "wake_affine by idle CPUs" },
	[FAIR_WA_WEIGHT] = {
		.name = "WA_WEIGHT", .type = KNOB_BOOL, .deflt = "on",
		.help = "wake_affine by load" },
	[FAIR_SIS_UTIL] = {
		.name = "SIS_PROP", .type = KNOB_BOOL, .deflt = "on",
		.help = "the shorter a CPU idles, the fewer CPUs it looks at; "
			"off: at all of a cache" },
	[FAIR_ALLOW_IMBALANCE] = {
		.name = "numa_imbalance", .type = KNOB_BOOL, .deflt = "on",
		.help = "two tasks may stay on a node (adjust_numa_imbalance)" },
	[FAIR_SCAN_NS] = {
		.name = "scan_ns", .type = KNOB_NS, .deflt = "100ns",
		.help = "a look whether a CPU is idle takes so long (assumed)" },
	{ .name = NULL }
};

struct kernel_5_9 {
	struct fair fair;
	struct fair_params params;
};

int policy_5_9_init(void **state, const struct view *v,
		    const struct knob_value *knobs, bool domain, bool wake,
		    struct err *err)
{
	struct kernel_5_9 *k = calloc(1, sizeof(*k));

	*state = k;
	if (!k)
		return err_nomem(err);
	k->params = (struct fair_params){
		.pct = 125, .pct_llc = 117, .pct_smt = 110, .busy_factor = 32,
		.clusters = domain, .cluster_wake = wake, .is_5_9 = true,
	};
	return fair_init(&k->fair, &k->params, v, knobs, err);
}

void policy_5_9_exit(void *state)
{
	struct kernel_5_9 *k = state;

	if (k)
		fair_release(&k->fair);
	free(k);
}

int policy_5_9_select_cpu(void *state, const struct view *v,
			  const struct select_args *a, struct decisions *d)
{
	struct kernel_5_9 *k = state;

	return fair_select_cpu(&k->fair, v, a);
}

void policy_5_9_tick(void *state, const struct view *v, int cpu,
		     struct decisions *d)
{
	struct kernel_5_9 *k = state;

	fair_tick(&k->fair, v, cpu, d);
}

void policy_5_9_newidle(void *state, const struct view *v, int cpu,
			struct decisions *d)
{
	struct kernel_5_9 *k = state;

	fair_newidle(&k->fair, v, cpu, d);
}
