/* SPDX-License-Identifier: MIT */
/*
 * view_local: what stands behind struct view.  The engine writes it; tests of
 * policies and disciplines fill one by hand; nobody else includes this.
 */
#ifndef REPLAY_VIEW_LOCAL_H
#define REPLAY_VIEW_LOCAL_H

#include "model/cpumask.h"
#include "model/rng.h"
#include "model/task.h"
#include "replay/discipline.h"
#include "replay/policy.h"
#include "replay/view.h"

struct view_cpu {
	int node;
	bool online;
	int curr;
};

struct view_task {
	const struct cpumask *allowed;	/* NULL: every online CPU */
	int64_t ran_ns, ran_tick;
	int cpu;
	int proc;
	int home;
	uint8_t state;			/* enum view_state */
	bool is_kthread;
};

struct view {
	int64_t now;
	int64_t tick;
	const struct topo *topo;
	const struct tasks *tasks;	/* NULL: nothing known of them */
	const struct areas *areas;	/* likewise */
	int nr_cpus, nr_nodes, nr_tasks;
	struct view_cpu *cpu;
	int *nr_running;		/* [nr_cpus], see view_run() */
	int nr_crowded;
	struct view_task *task;
	int *node_cpus;			/* [nr_nodes] online ones */
	int *nr_home;			/* [nr_cpus * nr_nodes] */
	const struct mem_access *access;	/* sorted by task */
	int nr_access;
	int64_t page_size;		/* 0: 4096 */
	struct queues *queues;
	struct rng *rng;
	int64_t (*area_pages)(const struct view *v, int area, int node);
	int64_t (*proc_pages)(const struct view *v, int proc, int node);
	void *memory;			/* for the two above */
};

enum decision_kind {
	DECIDE_PULL, DECIDE_PAGES, DECIDE_HOME, DECIDE_TIME, DECIDE_COUNT
};

struct decision {
	enum decision_kind kind;
	union {
		struct pull pull;
		struct page_move pages;
		struct {
			int task, node;
		} home;
		struct {
			int task;
			int64_t ns;
		} time;
		struct {
			enum policy_count what;
			int64_t nr;
		} count;
	};
};

struct decisions {
	int nr, size;
	struct decision *item;
	bool nomem;		/* one was lost, or decide_nomem() */
};

/* Allocates the arrays for a topology and a number of tasks: all CPUs idle,
 * all tasks unborn.  Release it also after an error. */
int view_init(struct view *v, const struct topo *topo, int nr_tasks,
	      struct err *err);
void view_release(struct view *v);

/* So many more (fewer) tasks are runnable on a CPU. */
static inline void view_run(struct view *v, int cpu, int by)
{
	v->nr_crowded -= v->nr_running[cpu] > 1;
	v->nr_running[cpu] += by;
	v->nr_crowded += v->nr_running[cpu] > 1;
}
void decisions_release(struct decisions *d);

#endif
