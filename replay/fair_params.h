/* SPDX-License-Identifier: MIT */
/*
 * fair_params: what differs between the kernels whose scheduler is a version of
 * the fair one (fair.h): numbers, parts that were written anew, knobs.
 */
#ifndef REPLAY_FAIR_PARAMS_H
#define REPLAY_FAIR_PARAMS_H

#include "replay/fair_domains.h"
#include "replay/policy.h"

#include <stdbool.h>
#include <stdint.h>

struct fair;
struct fair_env;

/* How the domains of a kind are balanced. */
struct fair_span {
	int64_t min_ns, max_ns;	/* interval while idle */
	int busy_factor;	/* times as long while busy */
	int pct;		/* imbalance_pct, >= 100 */
	int cache_nice;		/* failed tries before hot tasks move too; after
				 * two more the running one does */
};

/* What kernels do in ways of their own, not with other numbers only.  NULL: as
 * today. */
struct fair_hooks {
	/* A CPU for SELECT_WAKE: fair_wake(); for the others: fair_slow(). */
	int (*wake)(struct fair *f, const struct view *v,
		    const struct select_args *a);
	int (*slow)(struct fair *f, const struct view *v,
		    const struct select_args *a);
	/* Which group of its domain a CPU takes work from, how much and what of:
	 * fair_find_group(). */
	bool (*find_group)(struct fair_env *e);
};

/* What differs between kernels. */
struct fair_params {
	int pct, pct_llc, pct_smt;	/* imbalance_pct of domains */
	int busy_factor;
	bool clusters;			/* a level of clusters */
	bool cluster_wake;		/* idle CPUs are looked for there first */
	const struct fair_span *span;	/* [FAIR_NR_KINDS] instead of the numbers
					 * above; NULL: an interval of 1 ms per
					 * CPU to twice that */
	const struct fair_hooks *hooks;	/* NULL: none */
	bool one_numa;		/* all nodes are one level, whatever their
				 * distances (up to 3.8) */
	bool by_weight;		/* load is the weight of who is runnable now
				 * (up to 3.7), not an average */
	bool newidle_flat;	/* a look for work takes hot_ns, not newidle_cost
				 * for each CPU of the domain */
	bool is_5_9;		/* the small rules are those of sheet L: who may
				 * stay on a node, which idle CPUs a wakee finds,
				 * who looks for work */
};

extern const struct fair_params fair_today;	/* Linux 6.1 (sheet M) */

/* The common ones, then those of today's kernel alone. */
enum fair_knob {
	FAIR_MIGRATION_COST, FAIR_NR_MIGRATE, FAIR_SYNC, FAIR_PREEMPTION,
	FAIR_NR_COMMON,
	FAIR_NEWIDLE_COST = FAIR_NR_COMMON, FAIR_WA_IDLE, FAIR_WA_WEIGHT,
	FAIR_SIS_UTIL, FAIR_ALLOW_IMBALANCE, FAIR_NR_KNOBS,
	FAIR_SCAN_NS = FAIR_NR_KNOBS	/* is_5_9 only */
};

#define FAIR_COMMON_KNOBS \
	[FAIR_MIGRATION_COST] = { \
		.name = "hot_ns", .type = KNOB_NS, .deflt = "500us", \
		.help = "sched_migration_cost_ns: who ran less long ago is " \
			"cache hot" }, \
	[FAIR_NR_MIGRATE] = { \
		.name = "nr_migrate", .type = KNOB_INT, .deflt = "32", \
		.unit = "tasks", .min = 1, .max = 100000, \
		.help = "sched_nr_migrate: so many are looked at in one go" }, \
	[FAIR_SYNC] = { \
		.name = "sync_wakeups", .type = KNOB_BOOL, .deflt = "off", \
		.help = "all wake-ups by tasks are synchronous (a recording " \
			"does not tell)" }, \
	[FAIR_PREEMPTION] = { \
		.name = "preemption", .type = KNOB_BOOL, .deflt = "on", \
		.help = "CONFIG_PREEMPTION: newly idle CPUs take one task" }

#define FAIR_KNOBS \
	FAIR_COMMON_KNOBS, \
	[FAIR_NEWIDLE_COST] = { \
		.name = "newidle_cost", .type = KNOB_NS, .deflt = "1us", \
		.help = "a look for work takes so long per CPU of the domain; " \
			"CPUs that idle shorter do not look" }, \
	[FAIR_WA_IDLE] = { \
		.name = "WA_IDLE", .type = KNOB_BOOL, .deflt = "on", \
		.help = "wake_affine by idle CPUs" }, \
	[FAIR_WA_WEIGHT] = { \
		.name = "WA_WEIGHT", .type = KNOB_BOOL, .deflt = "on", \
		.help = "wake_affine by load" }, \
	[FAIR_SIS_UTIL] = { \
		.name = "SIS_UTIL", .type = KNOB_BOOL, .deflt = "on", \
		.help = "the busier a cache's CPUs, the fewer are looked at" }, \
	[FAIR_ALLOW_IMBALANCE] = { \
		.name = "numa_imbalance", .type = KNOB_BOOL, .deflt = "on", \
		.help = "a few tasks may stay on a node (adjust_numa_imbalance)" }

#endif
