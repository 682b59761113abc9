/* SPDX-License-Identifier: MIT */
/*
 * discipline: the order of one CPU's run queue, apart from where tasks go.
 *
 * The engine owns one struct queues per replay and calls a discipline for
 * each change of a queue.  A discipline keeps what it needs in rq_size bytes
 * per CPU and task_size bytes per task, all zero at the start.  It reads the
 * rest (time, ticks, who runs, nr_running) through the view.  The task that
 * runs counts in nr_running and may stay in the lists or not, as the
 * discipline likes; it never is offered to a thief.
 */
#ifndef REPLAY_DISCIPLINE_H
#define REPLAY_DISCIPLINE_H

#include "replay/knob.h"
#include "replay/view.h"

#include <stdbool.h>
#include <stddef.h>

struct err;

struct queues {
	const struct discipline_ops *ops;
	const struct view *view;
	const struct knob_value *knobs;	/* in the order of ops->knobs */
	int hz;			/* set by init(): ticks per second, 1..100000 */
	double tick_spread;	/* likewise: a tick is longer or shorter by up
				 * to this part of it, 0..1; 0: all are equal */
	char *rq;		/* [nr_cpu_ids][ops->rq_size] */
	char *task;		/* [nr_tasks][ops->task_size] */
};

enum enqueue_why {
	ENQUEUE_WAKE,
	ENQUEUE_NEW,		/* its first time after fork */
	ENQUEUE_MOVE,		/* comes from another CPU's queue */
};

enum dequeue_why {
	DEQUEUE_SLEEP,
	DEQUEUE_EXIT,
	DEQUEUE_MOVE,
};

struct discipline_ops {
	const char *name;	/* "queue_o1" */
	const char *title;	/* one line */
	const char *about;
	const struct knob *knobs;
	size_t rq_size, task_size;

	/* Prepares every queue and sets q->hz. */
	int (*init)(struct queues *q, struct err *err);

	/* A task exists: forked by a running parent (true: the parent shall
	 * give way to whoever is best now), or alive when the recording began
	 * (parent TASK_NONE). */
	bool (*fork)(struct queues *q, int task, int parent);

	/* It is gone; parent: if that is still there, else TASK_NONE. */
	void (*exit)(struct queues *q, int task, int parent);

	/* On and off a queue.  nr_running does not yet / no longer count it. */
	void (*enqueue)(struct queues *q, int cpu, int task, enum enqueue_why why);
	void (*dequeue)(struct queues *q, int cpu, int task, enum dequeue_why why);

	/* The task that shall run; nr_running is at least 1. */
	int (*pick)(struct queues *q, int cpu);

	/* The running task goes off its CPU but stays runnable.  NULL: nothing
	 * to do. */
	void (*put_prev)(struct queues *q, int cpu, int task);

	/* The queue ran empty and the CPU goes idle.  NULL: nothing to do. */
	void (*idle)(struct queues *q, int cpu);

	/* The timer tick of a CPU on which task runs; true: choose again. */
	bool (*tick)(struct queues *q, int cpu, int task);

	/* A task was just put on the queue where another runs; true: choose
	 * again. */
	bool (*preempts)(struct queues *q, int cpu, int task, enum enqueue_why why);

	/* See view_queue_next(). */
	int (*steal_next)(const struct queues *q, int cpu, struct queue_pos *pos);

	/* See view_signal().  NULL: it keeps no averages. */
	int64_t (*signal)(const struct queues *q, enum view_signal what, int id);
};

/* All disciplines, ends with NULL. */
extern const struct discipline_ops *const discipline_table[];

const struct discipline_ops *discipline_find(const char *name);

#endif
