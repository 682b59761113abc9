/* SPDX-License-Identifier: MIT */
/*
 * demand_build: programs (demand.h) from what the timeline finds out.
 *
 * The functions from _on to _move have the arguments of the timeline's
 * callbacks and are to be called from them, in their order; memory changes are
 * given as they happen, before whatever follows them in time.
 *
 * A WAKE is put down where the waker's run has got to, to the nanosecond.  One
 * for a task that has not gone to sleep yet (TIMELINE_WAKE_EARLY) is put down
 * too and taken out again if it ends no sleep; until that is known the waker's
 * chunk is held back, and if the chunk is full before, the WAKE is taken out
 * and the sleep gets its recorded length.
 *
 * Memory is one chunk at most for each task: bounded by tasks, not by events.
 */
#ifndef MODEL_DEMAND_BUILD_H
#define MODEL_DEMAND_BUILD_H

#include "model/demand.h"
#include "model/timeline.h"

struct cost;
struct demand_build;
struct topo;

struct demand_build_args {
	const struct tasks *tasks;
	const struct topo *topo;
	const struct cost *cost;
	int64_t start_ns;	/* of the recording */
	struct demand_sink sink;
	/* Fills share[nr_node_ids] with the parts of the task's accesses that
	 * go to each node now (all 0: unknown).  May be NULL. */
	void (*share)(void *ctx, int task, double *share);
	void *share_ctx;
};

int demand_build_new(struct demand_build **b,
		     const struct demand_build_args *args, struct err *err);
void demand_build_free(struct demand_build *b);

/* Before anything else of the task: pages that were there already. */
int demand_build_held(struct demand_build *b, int task, int area, int node,
		      int64_t pages, struct err *err);

int demand_build_on(struct demand_build *b, const struct timeline_on *on,
		    struct err *err);
int demand_build_off(struct demand_build *b, const struct span *s,
		     struct err *err);
int demand_build_wake(struct demand_build *b, const struct timeline_wake *w,
		      struct err *err);
int demand_build_fork(struct demand_build *b, int64_t ts, int parent,
		      int child, struct err *err);
int demand_build_exec(struct demand_build *b, int64_t ts, int task,
		      struct err *err);
int demand_build_exit(struct demand_build *b, int64_t ts, int task,
		      struct err *err);
int demand_build_move(struct demand_build *b, const struct move *m,
		      struct err *err);

/* A change of memory: DEMAND_TOUCH (of pages that are on node `to`), _FREE_AT,
 * _MOVED or _FOUND.  It stands in the program of the task, at its next run if it
 * does not run just now, or at its end. */
struct demand_mem {
	int64_t ts;
	int task;
	int code;
	int area, from, to;
	int64_t pages;
};
int demand_build_mem(struct demand_build *b, const struct demand_mem *m,
		     struct err *err);

/* Ends all programs, after timeline_finish().  *tasks (allocated, by task id)
 * gets those that have a program. */
int demand_build_finish(struct demand_build *b, struct demand_task **tasks,
			int *nr, struct err *err);

#endif
