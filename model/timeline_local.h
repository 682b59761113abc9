/* SPDX-License-Identifier: MIT */
/*
 * timeline_local: the state machine, shared by timeline.c (how a task changes
 * its state, and what is mended on the way) and timeline_events.c (what each
 * kind of event says).
 */
#ifndef MODEL_TIMELINE_LOCAL_H
#define MODEL_TIMELINE_LOCAL_H

#include "model/tidmap.h"
#include "model/timeline.h"

enum where {
	UNSEEN,
	BLOCKED,
	RUNNABLE,
	RUNNING,
	LOST,		/* off its CPU since a loss or a lost switch */
	GONE,
};

struct tl_task {
	int64_t since;		/* when it came to be where it is */
	int64_t ready_ns;	/* of RUNNABLE and of the open span */
	int waker;		/* likewise */
	int kept_waker;
	int cpu;		/* of the open span */
	uint8_t where;
	uint8_t span_flags;	/* of the open span */
	bool kept;		/* a waking is kept for its next sleep */
	bool placing;		/* woken, and sched_wakeup is still to come */
	bool born;		/* forked, and sched_wakeup_new is to come */
	bool moved_by_numa;	/* a NUMA event names it: its next move */
	bool woke_stopper;
	bool stopper;
};

enum { CUR_IDLE = TASK_NONE, CUR_UNKNOWN = -2 };

struct tl_cpu {
	int cur;		/* task id, CUR_IDLE or CUR_UNKNOWN */
	int cur_tid;		/* -1: unknown */
	int64_t since;		/* from when on it has been unknown */
};

struct timeline {
	const struct tasks *tasks;
	struct tidmap tids;
	struct tl_task *state;	/* by task id */
	struct tl_cpu *cpu;	/* by CPU number */
	int nr_cpus;
	struct timeline_loss *loss;	/* by from_ns */
	int nr_loss, next_loss;
	int64_t loss_end;	/* of all that have begun */
	int64_t now, start_ns, end_ns;
	bool distrust;		/* common_pid is not who runs */
	struct timeline_ops ops;
	void *ctx;
	int64_t count[TIMELINE_NR_REPAIRS];
};

/* The task of a tid now, TASK_NONE for idle and (counted) unknown ones. */
int tl_task_of(struct timeline *tl, int tid);

/* Leaves the CPU now; `flags` says that an edge of the span is a mended one. */
int tl_go_off(struct timeline *tl, int task, int64_t ts, int state,
	      uint8_t flags, struct err *err);

/* Goes on a CPU now, off another one before if it was seen there. */
int tl_go_on(struct timeline *tl, int task, int cpu, struct err *err);

/* Becomes runnable; the kept wakings of a running task are not for here. */
void tl_set_runnable(struct tl_task *st, int64_t ready_ns, int waker);

int tl_give_wake(struct timeline *tl, int kind, int task, int waker,
		 struct err *err);
int tl_drop_kept(struct timeline *tl, int task, struct err *err);

/* Makes the CPU's current task the one that an event says was running. */
int tl_sync_cpu(struct timeline *tl, int cpu, int tid, struct err *err);

/* timeline_events.c */
int tl_take_tid(struct timeline *tl, const struct event *ev, struct err *err);
int tl_dispatch(struct timeline *tl, const struct event *ev, struct err *err);

#endif
