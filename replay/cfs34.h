/* SPDX-License-Identifier: MIT */
/*
 * cfs34: placement and load balancing of the fair scheduler as it was in 2012
 * (Linux 3.3, 3.4), for the policies of that year.  What it has in common with
 * today's is in fair.h; different are:
 *
 *	cfs34.c		set-up; loads at the moment and as they decay by ticks
 *	cfs34_wake.c	wake_affine by load, idle groups; fork and exec
 *	cfs34_balance.c	which group is busiest, by how much
 *
 * Source: algorithms.md, sheet J.  Load is weight (1024: one task of nice 0) and
 * power what CPUs can carry (1024: one with a core of its own; the threads of a
 * core share smt_gain).
 *
 * Assumed (the sheet does not say): busy_idx and idle_idx of the NODE level, how
 * much hot tasks of sibling threads are protected (not at all), the rounding of
 * a group's capacity; smt_gain.  Not there: cgroups, power saving, buddies that
 * stay for being next or last.
 */
#ifndef REPLAY_CFS34_H
#define REPLAY_CFS34_H

#include "replay/fair.h"

/* The levels that have numbers of their own. */
enum cfs34_level { CFS34_SIBLING, CFS34_MC, CFS34_CPU, CFS34_NODE,
	CFS34_NR_LEVELS };

enum cfs34_per_level { CFS34_MIN, CFS34_MAX, CFS34_BUSY_FACTOR, CFS34_PCT,
	CFS34_NICE, CFS34_BUSY_IDX, CFS34_IDLE_IDX, CFS34_NR_PER_LEVEL };

#define CFS34_LEVEL(level, what) \
	(CFS34_SMT_GAIN + 1 + (level) * CFS34_NR_PER_LEVEL + (what))

enum cfs34_knob {
	CFS34_SMT_GAIN = FAIR_NR_COMMON,
	CFS34_NR_KNOBS = CFS34_LEVEL(CFS34_NR_LEVELS, 0)
};

#define CFS34_LEVEL_KNOBS(level, text, min_, max_, factor, pct_, nice_, busy, \
			  idle) \
	[CFS34_LEVEL(level, CFS34_MIN)] = { \
		.name = text "_min", .type = KNOB_NS, .deflt = min_, \
		.help = text ": shortest balance interval of an idle CPU" }, \
	[CFS34_LEVEL(level, CFS34_MAX)] = { \
		.name = text "_max", .type = KNOB_NS, .deflt = max_, \
		.help = text ": longest, when it was found balanced" }, \
	[CFS34_LEVEL(level, CFS34_BUSY_FACTOR)] = { \
		.name = text "_busy_factor", .type = KNOB_INT, \
		.deflt = factor, .max = 100000, \
		.help = text ": times as long for a busy CPU" }, \
	[CFS34_LEVEL(level, CFS34_PCT)] = { \
		.name = text "_imbalance_pct", .type = KNOB_INT, \
		.deflt = pct_, .unit = "%", .min = 100, .max = 100000, \
		.help = text ": a load is larger from here on" }, \
	[CFS34_LEVEL(level, CFS34_NICE)] = { \
		.name = text "_cache_nice_tries", .type = KNOB_INT, \
		.deflt = nice_, .max = 100000, \
		.help = text ": failures before hot tasks move too" }, \
	[CFS34_LEVEL(level, CFS34_BUSY_IDX)] = { \
		.name = text "_busy_idx", .type = KNOB_INT, \
		.deflt = busy, .max = CFS34_NR_IDX, \
		.help = text ": how slowly loads decay that a busy CPU " \
			"looks at; 0: loads at the moment" }, \
	[CFS34_LEVEL(level, CFS34_IDLE_IDX)] = { \
		.name = text "_idle_idx", .type = KNOB_INT, \
		.deflt = idle, .max = CFS34_NR_IDX, \
		.help = text ": the same for an idle CPU" }

/* Loads decay by half, three quarters ... a tick. */
#define CFS34_NR_IDX 5

#define CFS34_KNOBS \
	FAIR_COMMON_KNOBS, \
	[CFS34_SMT_GAIN] = { \
		.name = "smt_gain", .type = KNOB_INT, .deflt = "1178", \
		.unit = "/1024", .min = 1, .max = 1000000, \
		.help = "power of a core all of whose threads run (assumed)" }, \
	CFS34_LEVEL_KNOBS(CFS34_SIBLING, "sibling", "1ms", "2ms", "64", "110", \
			  "0", "0", "0"), \
	CFS34_LEVEL_KNOBS(CFS34_MC, "mc", "1ms", "4ms", "64", "125", "1", "2", \
			  "0"), \
	CFS34_LEVEL_KNOBS(CFS34_CPU, "cpu", "1ms", "4ms", "64", "125", "1", \
			  "2", "1"), \
	CFS34_LEVEL_KNOBS(CFS34_NODE, "node", "8ms", "32ms", "32", "125", "2", \
			  "3", "2")

struct cfs34 {
	struct fair fair;	/* first: fair.h's callbacks get all of it */
	struct fair_params params;
	struct fair_span span[FAIR_NR_KINDS];
	int64_t *load;		/* [cpu][CFS34_NR_IDX] as of the last ticks */
	int64_t *power;		/* [cpu] */
};

/* hooks: the policy's own where it differs; NULL: cfs34_hooks.  Release it also
 * after an error. */
int cfs34_init(struct cfs34 *c, const struct fair_hooks *hooks,
	       const struct view *v, const struct knob_value *knobs,
	       struct err *err);
void cfs34_release(struct cfs34 *c);
extern const struct fair_hooks cfs34_hooks;

/* Instead of fair_tick(), which it calls when it has let the loads decay. */
void cfs34_tick(void *state, const struct view *v, int cpu,
		struct decisions *d);

/* -- what the files share, policies build on, and tests ask ------------------- */

static inline struct cfs34 *cfs34_of(const struct fair *f)
{
	return f->kernel;
}

/* Of a queue, with the benefit of the doubt: the smaller of what it is and was
 * (index: a busy_idx), or the larger.  0: what it is. */
int64_t cfs34_source_load(const struct cfs34 *c, const struct view *v, int cpu,
			  int idx);
int64_t cfs34_target_load(const struct cfs34 *c, const struct view *v, int cpu,
			  int idx);

/* Of one of the per-level numbers, at a level of the domains. */
int64_t cfs34_number(const struct fair *f, int level, enum cfs34_per_level what);

/* Is the waker's CPU as good for it as the one where it ran? */
bool cfs34_wake_affine(struct fair *f, const struct view *v,
		       const struct select_args *a, int this_cpu);

/* The target if it is idle, else a CPU of a group, sharing its cache, that idles
 * as a whole, else the target. */
int cfs34_idle_sibling(struct fair *f, const struct view *v, int task,
		       int target);

int cfs34_wake(struct fair *f, const struct view *v,
	       const struct select_args *a);
int cfs34_slow(struct fair *f, const struct view *v,
	       const struct select_args *a);

/* Downwards from a level to a CPU, beginning with that of `cpu`. */
int cfs34_descend(struct fair *f, const struct view *v, int task, int cpu,
		  int level);

/* A group as a balancing CPU sees it. */
struct cfs34_group {
	int64_t load, avg_load, power, weight;
	int nr_running, nr_cpus, idle_cpus, capacity;
	bool is_uneven;		/* queues of it differ by a task or more */
};

bool cfs34_find_group(struct fair_env *e);

#endif
