/* SPDX-License-Identifier: MIT */
/*
 * fair: placement and load balancing of the fair scheduler (CFS and EEVDF),
 * shared by the policies that are a version of it.  Each of them is one file
 * that gives the numbers of its kernel and has the knobs of FAIR_KNOBS in front
 * of its own.
 *
 *	fair_domains.c	who shares what with whom
 *	fair_wake.c	wake-up: wake_affine, select_idle_sibling
 *	fair_slow.c	fork and exec: the idlest group and CPU
 *	fair_balance.c	when a CPU looks for work, and from which group
 *	fair_pull.c	from which CPU, which tasks and how many
 *	fair.c		set-up
 *
 * Source: algorithms.md, sheets J, L and M, for the kernels there; averages of
 * load are the queue's (view_signal()).  Assumed: all CPUs are equally fast; no
 * interrupt or real-time load; no cgroups; an idle CPU looks for work at its
 * own ticks while any CPU has two tasks (the kernel wakes one to do it for all).
 */
#ifndef REPLAY_FAIR_H
#define REPLAY_FAIR_H

#include "replay/fair_domains.h"
#include "replay/policy.h"
#include "replay/view.h"

/* What differs between kernels. */
struct fair_params {
	int pct, pct_llc, pct_smt;	/* imbalance_pct of domains */
	int busy_factor;
	bool clusters;			/* a level of clusters */
	bool cluster_wake;		/* idle CPUs are looked for there first */
};

enum fair_knob {
	FAIR_MIGRATION_COST, FAIR_NR_MIGRATE, FAIR_NEWIDLE_COST, FAIR_SYNC,
	FAIR_WA_IDLE, FAIR_WA_WEIGHT, FAIR_SIS_UTIL, FAIR_ALLOW_IMBALANCE,
	FAIR_PREEMPTION, FAIR_NR_KNOBS
};

#define FAIR_KNOBS \
	[FAIR_MIGRATION_COST] = { \
		.name = "hot_ns", .type = KNOB_NS, .deflt = "500us", \
		.help = "sched_migration_cost_ns: who ran less long ago is " \
			"cache hot" }, \
	[FAIR_NR_MIGRATE] = { \
		.name = "nr_migrate", .type = KNOB_INT, .deflt = "32", \
		.unit = "tasks", .min = 1, .max = 100000, \
		.help = "sched_nr_migrate: so many are looked at in one go" }, \
	[FAIR_NEWIDLE_COST] = { \
		.name = "newidle_cost", .type = KNOB_NS, .deflt = "1us", \
		.help = "a look for work takes so long per CPU of the domain; " \
			"CPUs that idle shorter do not look" }, \
	[FAIR_SYNC] = { \
		.name = "sync_wakeups", .type = KNOB_BOOL, .deflt = "off", \
		.help = "wake-ups by tasks are synchronous (not recorded)" }, \
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
		.help = "a few tasks may stay on a node (adjust_numa_imbalance)" }, \
	[FAIR_PREEMPTION] = { \
		.name = "preemption", .type = KNOB_BOOL, .deflt = "on", \
		.help = "CONFIG_PREEMPTION: newly idle CPUs take one task" }

/* How NUMA balancing has its say in load balancing; NULL: it has none. */
struct fair_numa_ops {
	/* Would a move from CPU to CPU take the task from its memory?  1: yes,
	 * 0: no, for it, -1: does not matter. */
	int (*degrades)(void *numa, const struct view *v, int task, int src,
			int dst, bool is_idle);
};

/* Of a CPU's domain at a level. */
struct fair_balance {
	int64_t interval_ns;	/* 0: not yet set */
	int64_t last_ns;
	int failed;
};

struct fair_flips {
	int last_wakee;		/* 1 + task */
	int flips;
	int64_t decayed_ns;
	int recent_cpu;		/* 1 + CPU it last was woken from */
};

struct fair {
	const struct fair_params *params;
	const struct knob_value *knob;
	struct fair_domains domains;
	struct fair_balance *balance;	/* [level][cpu] */
	struct fair_flips *flips;	/* [task] */
	int nr_cpus, nr_online, nr_tasks, llc;
	const struct fair_numa_ops *numa_ops;	/* NULL: none */
	void *numa;
};

/* Release it also after an error. */
int fair_init(struct fair *f, const struct fair_params *p,
	      const struct view *v, const struct knob_value *knobs,
	      struct err *err);
void fair_release(struct fair *f);

/* For the callbacks of a policy. */
int fair_select_cpu(struct fair *f, const struct view *v,
		    const struct select_args *a);
void fair_tick(struct fair *f, const struct view *v, int cpu,
	       struct decisions *d);
void fair_newidle(struct fair *f, const struct view *v, int cpu,
		  struct decisions *d);

/* -- what the files share, and tests ask ------------------------------------ */

static inline bool fair_idle_cpu(const struct view *v, int cpu)
{
	return !view_nr_running(v, cpu);
}

int fair_pct(const struct fair *f, int level, int cpu);

/* M.5: the imbalance that is left to remove. */
int64_t fair_adjust_numa(const struct fair *f, int level, int64_t imbalance,
			 int dst_running);

int fair_wake(struct fair *f, const struct view *v,
	      const struct select_args *a);
int fair_wake_affine(struct fair *f, const struct view *v,
		     const struct select_args *a, int this_cpu);
int fair_idle_sibling(struct fair *f, const struct view *v, int task,
		      int prev, int target);

enum fair_type { FAIR_HAS_SPARE, FAIR_FULLY_BUSY, FAIR_OVERLOADED };

/* A group as it is, without a task (TASK_NONE: with all). */
struct fair_stats {
	int64_t load, util, runnable, avg_load;
	int nr_cpus, nr_running, idle_cpus;
	int nr_numa, nr_preferred;	/* with a preferred node; on it */
	enum fair_type type;
};
void fair_group_stats(const struct fair *f, const struct view *v,
		      const struct fair_set *s, int without, int pct,
		      struct fair_stats *st);

int fair_slow(struct fair *f, const struct view *v,
	      const struct select_args *a);

enum fair_migrate { FAIR_MIGRATE_LOAD, FAIR_MIGRATE_UTIL, FAIR_MIGRATE_TASK };

enum fair_when { FAIR_BUSY, FAIR_IDLE, FAIR_NEWIDLE };

/* One look for work. */
struct fair_env {
	struct fair *f;
	const struct view *v;
	struct decisions *d;
	int cpu, level;
	enum fair_when when;
	enum fair_migrate type;
	int64_t imbalance;
	const struct fair_set *busiest;	/* group */
	int kind;		/* highest enum fair_queue that is looked at */
	int src;		/* CPU */
	bool pinned;		/* all that could be moved may not run here */
};

/* Queues by whom they hold: tasks without a preferred node, some away from
 * it, only such that are at home. */
enum fair_queue { FAIR_REGULAR, FAIR_REMOTE, FAIR_ALL };

enum fair_queue fair_queue_kind(int running, int numa, int preferred);

/* Chooses a CPU of the group and takes from it; returns how many tasks. */
int fair_find_queue(struct fair_env *e);
int fair_pull(struct fair_env *e);
struct fair_balance *fair_state(const struct fair *f, int level, int cpu);

/* Fills type, imbalance, busiest; false: balanced. */
bool fair_find_group(struct fair_env *e);

#endif
