/* SPDX-License-Identifier: MIT */
/*
 * sched_numa: Zijlstra's sched/numa of March 2012 ("numasched") on the scheduler
 * of that year (cfs34.h): every process has a home node.
 *
 *	sched_numa.c		set-up, choice of a home, wake-ups, load balancing
 *	sched_numa_lazy.c	pages that are not at home follow when touched
 *	sched_numa_daemon.c	numad: processes change homes
 *
 * Source: algorithms.md, sheet I, and for numad the posting itself (NS 14/26,
 * LKML, 16 March 2012): a node is overloaded if tasks at home there run elsewhere
 * (remote cpu), or if pages that were meant for it found no room (remote mem);
 * by how much, is told by the loads of all that are at home there, and by the
 * pages that are in use there.
 *
 * Assumed: a process that was alive when the recording began has the node of its
 * CPU, as it would choose it on idle nodes; a task walks over what it uses at an
 * even pace (walk_ns), and each page that follows it keeps it for lazy_move_ns;
 * within a node task_numa_hot() does not count.  numad takes no time.
 */
#ifndef REPLAY_SCHED_NUMA_H
#define REPLAY_SCHED_NUMA_H

#include "replay/cfs34.h"

enum sched_numa_knob {
	SCHED_NUMA_HYSTERESIS = CFS34_NR_KNOBS, SCHED_NUMA_HOT, SCHED_NUMA_PULL,
	SCHED_NUMA_PULL_BIAS, SCHED_NUMA_BALANCE, SCHED_NUMA_SELECT,
	SCHED_NUMA_FILTER, SCHED_NUMA_SLOW, SCHED_NUMA_PERIOD,
	SCHED_NUMA_LAZY, SCHED_NUMA_LAZY_MOVE, SCHED_NUMA_WALK,
	SCHED_NUMA_NR_KNOBS
};

/* A process. */
struct sched_numa_proc {
	int home;		/* -1: none */
	int nr_tasks;		/* alive */
	int first_area;		/* -1: none */
	int64_t total, lazy;	/* pages when its home changed; of them not yet
				 * touched and not at home */
	int64_t was_lazy;
	int64_t since_ns;	/* when that was */
	uint64_t turn;		/* order in the list of its node */
};

/* What numad knows of a node, of its last look. */
struct sched_numa_node {
	int64_t remote_cpu, cpu;	/* weight of tasks at home there: that
					 * run elsewhere, all */
	int64_t remote_mem;	/* pages that found no room, since the look before */
	int64_t foreign;	/* and since then */
	int64_t next_ns;
};

struct sched_numa {
	struct cfs34 cfs;	/* first: fair.h's callbacks get all of it */
	const struct knob_value *knob;
	const struct view *v;	/* during a callback */
	struct decisions *d;
	int nr_nodes, nr_areas, nr_tasks;
	int *next_area;		/* [area] of the same process, -1 */
	struct sched_numa_proc *proc;	/* [task id of a leader] */
	int64_t *credit;	/* [task] ns of walking not yet used up */
	struct sched_numa_node *node;
	int64_t max_pages;	/* a node's, smoothed: what it holds when full */
	uint64_t turn;
};

/* -- sched_numa.c */

/* Callbacks of the policy; the state is a struct sched_numa. */
int sched_numa_init(void **state, const struct view *v,
		    const struct knob_value *knobs, struct err *err);
void sched_numa_exit(void *state);
void sched_numa_exit_task(void *state, const struct view *v, int task);

void sched_numa_begin_task(struct sched_numa *s, int task, int parent);

/* The node that a new process, or one that execs on `node`, makes its home. */
int sched_numa_idlest_node(const struct sched_numa *s, int node);
void sched_numa_set_home(struct sched_numa *s, int proc, int node);

/* -- sched_numa_lazy.c */

/* Its home has changed: whatever is not there is unmapped. */
void sched_numa_unmap(struct sched_numa *s, int proc);
void sched_numa_ran(struct sched_numa *s, int task, int64_t ns);

/* -- sched_numa_daemon.c */
int64_t sched_numa_node_pages(const struct sched_numa *s, int node);
void sched_numa_look(struct sched_numa *s, int node);

/* The node to take from, -1: none; by how much. */
struct sched_numa_imbalance {
	bool by_cpu, by_mem;	/* somebody is overloaded */
	int64_t cpu, mem;
};
int sched_numa_busiest(const struct sched_numa *s, int node,
		       struct sched_numa_imbalance *imb);
void sched_numa_daemon(struct sched_numa *s);

#endif
