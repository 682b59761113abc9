/* SPDX-License-Identifier: MIT */
/*
 * stall: how long a timer tick really lasted on CPUs that stood still now and
 * then, as those of an emulated guest do.
 *
 * Nothing in the events tells of a standstill but a task that fills its memory
 * page after page: as a rule its faults follow each other within microseconds,
 * so that a gap of more than a millisecond between two of them, in one slice and
 * on neighbouring pages, is one.  All ticks that are due in a gap come as one
 * after it.  With L the time of all such pairs of faults, R the part of it
 * without the gaps and g the gaps, a tick of T lasted
 *
 *	L / (R / T + sum of min(1, g / T))
 */
#ifndef MODEL_STALL_H
#define MODEL_STALL_H

#include "model/seen.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct event;

struct stall_cpu {
	int tid;		/* of its last fault in this slice, 0: none */
	int64_t ts;
	uint64_t page;
	bool again;		/* that page was not new to the task */
	int move_tid;		/* likewise: of its last page that moved */
	int64_t move_ts;
};

struct stall {
	struct stall_cpu *cpu;
	int nr_cpus;
	int64_t page_size, tick_ns;
	int64_t pairs, run_ns;
	int64_t gaps, gap_ns;
	double ticks;		/* in gaps */
	int64_t moves, move_ns;
	int64_t hints, hint_gaps, hint_ns;
	struct seen seen;	/* tid and page */
};

/* Fewer pairs tell nothing, nor do such of which more than one in ten has a gap:
 * then the task computes between its faults. */
#define STALL_MIN_PAIRS 1000

/* tick_ns: as the kernel was built (4 ms for HZ 250).  Release it also after an
 * error. */
int stall_init(struct stall *s, int nr_cpus, int64_t page_size,
	       int64_t tick_ns, struct err *err);
void stall_release(struct stall *s);

/* Each event, in order. */
void stall_event(struct stall *s, const struct event *ev);

/* The mean length of a tick, at least tick_ns; 0: cannot be told. */
int64_t stall_tick(const struct stall *s);

/* The mean time from touching a new page to touching the next, in CPU time as it
 * was recorded, which the gaps are part of; 0: cannot be told. */
int64_t stall_touch(const struct stall *s);

/* Likewise without the gaps: what it takes while the CPU does not stand still. */
int64_t stall_touch_running(const struct stall *s);

/* The mean time from one hinting fault whose page stays to the next one, in one
 * slice, in CPU time as it was recorded; 0: cannot be told.  Any fault of a
 * task on a page on which it faulted before counts, so that pages that it frees
 * and touches anew do too; more than one gap in ten: it computes in between. */
int64_t stall_hint(const struct stall *s);

/* The mean time from one hinting fault that moves its page to the next one, in one
 * slice, likewise; 0: cannot be told. */
int64_t stall_move(const struct stall *s);

#endif
