/* SPDX-License-Identifier: MIT */
/*
 * timeline: the ordered event stream turned into who ran, waited and slept.
 *
 * Per task it knows running (on a CPU), runnable, blocked, gone, or nothing
 * yet; what it finds out goes to the callbacks of struct timeline_ops, in order
 * of time.  This is where all repair lives: whatever the events say, spans of
 * one task and of one CPU never overlap, begin no later than they end, and come
 * in order of end time; every mending is counted by kind and nothing aborts.
 * Memory is bounded by tasks and CPUs; an event costs O(1).
 *
 * Call timeline_new(), timeline_running() for what is known beforehand,
 * timeline_event() for each event, timeline_finish(), timeline_free().
 *
 * Rules:
 * - Time never goes back: an event that is older than the one before it counts
 *   as simultaneous with it.
 * - A task is runnable from its first sched_waking after it went to sleep (or
 *   sched_wakeup where no waking was recorded, sched_wakeup_new for a new one),
 *   or from being preempted.  Further wake-ups before it runs change nothing.
 * - A waking of a task that is still on its CPU is kept.  If the task then goes
 *   to sleep it is runnable again at that instant; the kept waking is dropped
 *   if the task is preempted instead, or if its sched_wakeup comes first.
 * - Who wakes is the task that runs on the event's CPU.  Nobody does if that is
 *   the idle task, an interrupt (EVENT_F_HARDIRQ, _SOFTIRQ, _NMI), or unknown.
 * - The task that runs on a CPU at the start is only known from the CPU's first
 *   event; its span begins at start_ns, SPAN_F_CENSORED_START.
 * - common_pid tells of a switch that was lost, unless the stream was seen to
 *   disagree with itself on it (TIMELINE_TID_DISTRUST).
 * - Open spans are cut where a loss interval of their CPU begins; what follows
 *   it begins at its end.  Both are SPAN_F_UNSURE.
 */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/event.h"
#include "model/run.h"
#include "model/task.h"

#include <stdbool.h>
#include <stdint.h>

struct timeline;

/* What was mended or remarked, counted. */
enum timeline_repair {
	TIMELINE_BACKWARD_TIME,	/* older than the event before it */
	TIMELINE_TWO_CPUS,	/* ran elsewhere already: that span closed */
	TIMELINE_LOST_SWITCH,	/* another task ran on the CPU than was known */
	TIMELINE_WAKE_RUNNING,	/* wake-up of a running task, kept */
	TIMELINE_WAKE_DROPPED,	/* a kept one that ended no sleep */
	TIMELINE_WAKE_REPEATED,	/* wake-up of a runnable task */
	TIMELINE_NO_WAKE,	/* went on a CPU with no wake-up seen */
	TIMELINE_DEAD_RAN,	/* ran or was woken after its end */
	TIMELINE_UNKNOWN_TASK,	/* a tid that no task has */
	TIMELINE_BAD_CPU,	/* a CPU number that cannot be */
	TIMELINE_TID_DISTRUST,	/* common_pid is not who runs: not used */
	TIMELINE_CENSORED_START,	/* spans open at the start */
	TIMELINE_CENSORED_END,	/* spans open at the end */
	TIMELINE_LOSS_CUT,	/* spans cut by a loss interval */
	TIMELINE_NR_REPAIRS
};

/* "backward_time" ... */
const char *timeline_repair_name(int repair);

/* A task goes on a CPU.  start_ns may lie before events already seen (a span
 * that was found out late), never before the task's last end or wake-up. */
struct timeline_on {
	int task, cpu;
	int64_t start_ns;
	int64_t ready_ns;	/* as in struct span */
	int waker;
};

enum timeline_wake_kind {
	TIMELINE_WAKE,		/* it slept and is runnable from ts on */
	TIMELINE_WAKE_EARLY,	/* it runs still: kept; KEPT or DROPPED follows */
	TIMELINE_WAKE_KEPT,	/* a kept one ended the sleep that began at ts;
				 * given right after off(); waker as in EARLY */
	TIMELINE_WAKE_GONE,	/* a kept one was dropped; waker as in EARLY */
};

struct timeline_wake {
	int64_t ts;
	int kind;		/* enum timeline_wake_kind */
	int task;
	int waker;		/* has an open span at ts; TASK_NONE: nobody */
};

struct timeline_fault {
	int64_t ts;
	int task, cpu;
	uint64_t address;
	int error_code;		/* x86: 1 page present, 2 write, 16 instruction */
};

struct timeline_pages {
	int64_t ts;
	int task, cpu;		/* who ran when it was recorded; TASK_NONE */
	int64_t succeeded, failed;
	int64_t thp_succeeded, thp_failed;
	int reason;		/* enum migrate_reason */
};

/* Any may be NULL.  Non-zero return stops the timeline with that code. */
struct timeline_ops {
	int (*on)(void *ctx, const struct timeline_on *on, struct err *err);
	/* The span that on() began is complete. */
	int (*off)(void *ctx, const struct span *s, struct err *err);
	int (*wake)(void *ctx, const struct timeline_wake *w, struct err *err);
	/* parent TASK_NONE: it is not known to run at ts. */
	int (*fork)(void *ctx, int64_t ts, int parent, int child,
		    struct err *err);
	int (*exec)(void *ctx, int64_t ts, int task, struct err *err);
	int (*exit)(void *ctx, int64_t ts, int task, struct err *err);
	int (*fault)(void *ctx, const struct timeline_fault *f,
		     struct err *err);
	int (*pages)(void *ctx, const struct timeline_pages *p,
		     struct err *err);
	/* A sched_migrate_task, with the reason that its context tells. */
	int (*move)(void *ctx, const struct move *m, struct err *err);
};

struct timeline_loss {
	int cpu;
	int64_t from_ns, to_ns;
};

struct timeline_args {
	const struct tasks *tasks;	/* must outlive the timeline */
	const struct timeline_loss *loss;	/* copied; any order */
	int nr_loss;
	int64_t start_ns, end_ns;	/* of the recording */
	const struct timeline_ops *ops;
	void *ctx;
};

int timeline_new(struct timeline **tl, const struct timeline_args *args,
		 struct err *err);
void timeline_free(struct timeline *tl);

/* The task (0: idle) that runs on a CPU when the recording starts.  Optional:
 * what look-ahead to the CPUs' first events found; before the first event. */
int timeline_running(struct timeline *tl, int cpu, int tid, struct err *err);

int timeline_event(struct timeline *tl, const struct event *ev,
		   struct err *err);

/* Closes what is open at end_ns (or at the last event, if that is later). */
int timeline_finish(struct timeline *tl, struct err *err);

int64_t timeline_count(const struct timeline *tl, int repair);

/* True for the kernel's stopper threads (migration/N). */
bool timeline_is_stopper(const struct task *t);

#endif
