/* SPDX-License-Identifier: MIT */
/*
 * fair: placement and load balancing of the fair scheduler (CFS and EEVDF),
 * shared by the policies that are a version of it.  Each of them is one file
 * that gives the numbers of its kernel and has the knobs of FAIR_KNOBS in front
 * of its own.
 *
 *	fair_domains.c	who shares what with whom
 *	fair_wake.c	wake-up: wake_affine, select_idle_sibling
 *	fair_5_9.c	SIS_PROP and the cluster's scan of Linux 5.9
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
#include "replay/fair_params.h"
#include "replay/policy.h"
#include "replay/view.h"

/* How NUMA balancing has its say in load balancing; NULL: it has none. */
struct fair_numa_ops {
	/* Would a move from CPU to CPU take the task from its memory?  1: yes,
	 * 0: no, for it, -1: does not matter.  NULL: it never does. */
	int (*degrades)(void *numa, const struct view *v, int task, int src,
			int dst, bool is_idle);

	/* The waiting tasks of e->src are looked at so many times, each at the
	 * pass (from 0) that is its own; one that is in none stays.  0: once,
	 * all of them. */
	int nr_passes;
	bool (*in_pass)(void *numa, const struct fair_env *e, int task,
			int pass);
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
	int recent_cpu;		/* 1 + CPU it may return to */
};

struct fair {
	const struct fair_params *params;
	const struct knob_value *knob;
	struct fair_domains domains;
	struct fair_balance *balance;	/* [level][cpu] */
	struct fair_flips *flips;	/* [task] */
	int64_t *scan_ns;		/* [cpu] what its looks for an idle CPU
					 * took of late (is_5_9) */
	int nr_cpus, nr_online, nr_tasks, llc;
	const struct fair_numa_ops *numa_ops;	/* NULL: none */
	void *numa;
	void *kernel;			/* what the hooks of params keep */
};

/* Release it also after an error. */
int fair_init(struct fair *f, const struct fair_params *p,
	      const struct view *v, const struct knob_value *knobs,
	      struct err *err);
void fair_release(struct fair *f);

/* Callbacks of a policy whose state begins with its struct fair. */
int fair_select_cpu(void *state, const struct view *v,
		    const struct select_args *a, struct decisions *d);
void fair_tick(void *state, const struct view *v, int cpu,
	       struct decisions *d);
void fair_newidle(void *state, const struct view *v, int cpu,
		  struct decisions *d);

/* The same of one whose state is nothing else: for its init(), and exit(). */
int fair_new(void **state, const struct fair_params *p, const struct view *v,
	     const struct knob_value *knobs, struct err *err);
void fair_exit(void *state);

/* -- what the files share, and tests ask ------------------------------------ */

static inline bool fair_idle_cpu(const struct view *v, int cpu)
{
	return !view_nr_running(v, cpu);
}

/* The waker is about to sleep: it said so, or all are taken to. */
static inline bool fair_is_sync(const struct fair *f,
				const struct select_args *a)
{
	return a->waker != TASK_NONE && (a->is_sync || f->knob[FAIR_SYNC].i);
}

int fair_pct(const struct fair *f, int level, int cpu);

/* Failed tries at a level before hot tasks move too. */
int fair_cache_nice(const struct fair *f, int level);

/* Loads of a queue and a task: averages, or weights where those count. */
static inline int64_t fair_cpu_load(const struct fair *f, const struct view *v,
				    int cpu)
{
	return view_signal(v, f->params->by_weight ? SIGNAL_CPU_WEIGHT :
			   SIGNAL_CPU_LOAD, cpu);
}

static inline int64_t fair_task_load(const struct fair *f, const struct view *v,
				     int task)
{
	return view_signal(v, f->params->by_weight ? SIGNAL_TASK_WEIGHT :
			   SIGNAL_TASK_LOAD, task);
}

/* M.5: the imbalance that is left to remove; running: tasks of the node that
 * would get one, with it; L (is_5_9): of the node that has them. */
int64_t fair_adjust_numa(const struct fair *f, int level, int64_t imbalance,
			 int running);

int fair_wake(struct fair *f, const struct view *v,
	      const struct select_args *a);
int fair_wake_affine(struct fair *f, const struct view *v,
		     const struct select_args *a, int this_cpu);
int fair_idle_sibling(struct fair *f, const struct view *v,
		      const struct select_args *a, int target);

/* SIS_PROP of 5.9: an idle CPU of the target's cache, or -1; with
 * params.cluster_wake all of its cluster's are looked at first. */
int fair_scan_5_9(struct fair *f, const struct view *v,
		  const struct select_args *a, int target);

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
