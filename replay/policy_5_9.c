/* SPDX-License-Identifier: MIT */
#include "replay/policy_5_9.h"

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
