/* SPDX-License-Identifier: MIT */
/*
 * demand: what each task wanted, free of where it ran: one program per task.
 *
 * A program is a sequence of operations, coded as varints and cut into chunks
 * (a chunk never splits an operation), so that a replay holds one chunk per
 * task however long the recording is.  Operations and their arguments:
 *
 *	RUN cpu_ns slow		needs cpu_ns of CPU time as it was recorded; the
 *				recorded circumstances made it slow/1024 times as
 *				long as on local, uncontended memory (>= 1024;
 *				cost.h), so its work is cpu_ns * 1024 / slow
 *	WAKE task		wakes it: adds a token to (this task, task)
 *	WAIT task		sleeps until (task, this task) holds a token;
 *				takes it
 *	SLEEP ns		sleeps that long (timer, device, unknown waker)
 *	FORK task		makes it; its program then begins with WAIT
 *	EXEC			a new program image: its memory areas are gone
 *	TOUCH area pages	first touch of so many further pages
 *	FREE area pages
 *	EXIT			ends
 *	END			the recording ended here (censored)
 *
 * and two that only tell what was recorded, which every policy but `recorded`
 * skips:
 *
 *	PLACE cpu wait_ns	goes on this CPU wait_ns after it became runnable
 *				(or was preempted: PLACE between two RUNs)
 *	MOVED area from to n	pages that the kernel moved between nodes
 *
 * A WAKE is only there if it was matched to a WAIT, so tokens never pile up,
 * and since every WAIT follows its WAKE in recorded time no program order can
 * deadlock.  DESIGN section 5; findings-replay.md section 2.
 */
#ifndef MODEL_DEMAND_H
#define MODEL_DEMAND_H

#include <stddef.h>
#include <stdint.h>

struct err;

enum demand_code {
	DEMAND_RUN,
	DEMAND_WAKE,
	DEMAND_WAIT,
	DEMAND_SLEEP,
	DEMAND_FORK,
	DEMAND_EXEC,
	DEMAND_TOUCH,
	DEMAND_FREE,
	DEMAND_EXIT,
	DEMAND_END,
	DEMAND_PLACE,
	DEMAND_MOVED,
	DEMAND_NR
};

struct demand_op {
	uint8_t code;		/* enum demand_code */
	int task;		/* WAKE, WAIT, FORK */
	int64_t ns;		/* RUN cpu_ns, SLEEP, PLACE wait_ns */
	int slow;		/* RUN: 1024 = no slow-down */
	int cpu;		/* PLACE */
	int area, from, to;	/* TOUCH, FREE, MOVED */
	int64_t pages;
};

#define DEMAND_SLOW_ONE 1024
#define DEMAND_CHUNK 4096	/* bytes at most */
#define DEMAND_OP_MAX 48	/* bytes of the longest coded operation */

/* Codes op into buf (at least DEMAND_OP_MAX bytes); returns the length. */
size_t demand_encode(uint8_t *buf, const struct demand_op *op);

/* Decodes one; returns its length, 0 if the bytes are damaged or cut. */
size_t demand_decode(const uint8_t *buf, size_t len, struct demand_op *op);

/* One task as a replay needs it. */
struct demand_task {
	int task;		/* task id */
	int64_t appears_ns;	/* when its program begins: the window's start for
				 * those alive then; ignored for forked ones */
	uint8_t forked;		/* 1: its program begins with its parent's FORK */
	int first_cpu;		/* where it was first seen, -1: nowhere */
};

/*
 * Where programs come from.  chunk() gives the n-th chunk (from 0) of a task:
 * 1 and bytes that stay valid until the next call for the same task, 0 past the
 * last one, or an error.  The ctx belongs to one replay.
 */
struct demand_source {
	void *ctx;
	int (*chunk)(void *ctx, int task, int n, const uint8_t **bytes,
		     size_t *len, struct err *err);
};

/* Where programs go while they are made; chunks of one task come in order. */
struct demand_sink {
	void *ctx;
	int (*chunk)(void *ctx, int task, int n, const uint8_t *bytes,
		     size_t len, struct err *err);
};

#endif
