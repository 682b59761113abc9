/* SPDX-License-Identifier: MIT */
/*
 * demand_build_local: the state of demand_build, shared by its files:
 *
 *	demand_build.c		programs: RUNs, memory, life of a task
 *	demand_build_wake.c	wake-ups, and the waits that they end
 *
 * Functions return 0 or a negative enum err_code with err set.
 */
#ifndef MODEL_DEMAND_BUILD_LOCAL_H
#define MODEL_DEMAND_BUILD_LOCAL_H

#include "model/demand_build.h"

#include <stdbool.h>

struct pressure;

enum where {
	FRESH,		/* has no program yet */
	OFF_RUNNABLE,	/* preempted, or nothing is known: maybe asleep */
	OFF_ASLEEP,
	READY,
	RUNNING,
};

/* A WAKE that has not found its sleep yet. */
struct early {
	int wakee;
	uint32_t at;		/* in the waker's buffer */
	uint32_t len;
};

struct prog {
	uint8_t *buf;		/* the chunk that is being filled */
	uint32_t len, size;
	int nr_chunks;
	int64_t appears_ns;
	int64_t mark;		/* RUNNING: where the next RUN begins */
	int64_t off_ns;		/* when it went off, or its program began */
	int64_t ready_ns;
	struct early *early;
	struct demand_mem *mem;	/* changes of the next RUN */
	int nr_early, nr_mem, size_mem;
	int first_cpu, last_cpu;	/* where it went on a CPU, -1: never */
	int cpu;		/* where it runs, or waits */
	uint8_t where;
	bool queued;		/* counted in pressure_queue(cpu) */
	bool forked, exited, stopper;
};

struct demand_build {
	struct demand_build_args args;
	struct prog *prog;	/* by task id */
	struct pressure *pressure;	/* NULL: every slow-down is 1 */
	double *share;
};

/* Adds an operation at the end of the task's program; `other` is a task. */
int demand_put_ns(struct demand_build *b, int task, int code, int64_t ns,
		  struct err *err);
int demand_put_task(struct demand_build *b, int task, int code, int other,
		    struct err *err);

/* Ends the piece of RUN that a running task is in. */
int demand_cut(struct demand_build *b, int task, int64_t ts, struct err *err);

/* The program of a task that is seen for the first time begins. */
void demand_begin(struct demand_build *b, int task, int64_t ts);

/* It waits on the CPU's queue from then on; -1: on none. */
void demand_queue_on(struct demand_build *b, struct prog *p, int cpu,
		     int64_t ts);

/* The waker runs and its wake-ups are its own will (not a stopper's). */
bool demand_may_wake(const struct demand_build *b, int waker);

/* Takes a WAKE that found no sleep out of the waker's program again. */
void demand_take_out(struct prog *p, int early);

#endif
