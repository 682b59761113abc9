/* SPDX-License-Identifier: MIT */
/*
 * demand: what each task wanted, free of where it ran: one program per task.
 *
 * A program is a sequence of operations, coded as varints and cut into chunks
 * (a chunk never splits an operation), so that a replay holds one chunk per
 * task however long the recording is.  Operations and their arguments:
 *
 *	RUN cpu_ns slow crowd	needs cpu_ns of CPU time as it was recorded.
 *				Memory as it lay and was shared made a task that
 *				does nothing but wait for it (intensity 1) slow /
 *				1024 times as slow (M of cost.h, >= 1024); busy
 *				siblings and others on its queue made it crowd /
 *				1024 times as slow (>= 1024).  At intensity i its
 *				work is cpu_ns / (1 + i * (slow / 1024 - 1)) /
 *				(crowd / 1024)
 *	WAKE task		wakes it: adds a token to (this task, task)
 *	WAIT task		sleeps until (task, this task) holds a token;
 *				takes it
 *	SLEEP ns		sleeps that long (timer, device, unknown waker)
 *	FORK task		makes it; its program begins here and now (with
 *				a WAIT for its parent, or a SLEEP)
 *	EXEC			a new program image: its memory areas are gone
 *	TOUCH area pages	first touch of so many further pages
 *	FREE area pages		pages of the area that are gone
 *	EXIT			ends; last operation
 *	END			the recording ended here (censored); last
 *				operation, whatever the task did then
 *	OPEN chan size low how	makes a channel (socket, pipe) with room for `size`
 *				messages (> 0); a sender that found it full is
 *				woken when a RECV leaves at most `low` (< size):
 *				the first who sleeps then, with DEMAND_WAKES_ALL
 *				in `how` all of them (AF_UNIX sockets).  With
 *				DEMAND_SYNC all its wake-ups are synchronous
 *				(pipes): the waker says that it will sleep soon
 *	SEND chan		puts a message in, sleeps while there is no room,
 *				wakes the first receiver that sleeps
 *	RECV chan		takes the oldest out, sleeps while there is none
 *	HELD area node pages	these pages lay there already when the program
 *				began; stands before its first PLACE only.  Every
 *				policy begins with them where they were
 *	TOUCH_AT area node pages	a TOUCH of pages that lay on this node in
 *				the recording, whoever touched them: there
 *				`recorded` puts them, every other policy where
 *				it puts those of a TOUCH
 *	FREE_AT area node pages	a FREE of pages that lay on this node in the
 *				recording: from there `recorded` takes them
 *
 * and three that only tell what was recorded, which every policy but `recorded`
 * skips:
 *
 *	PLACE cpu wait_ns	goes on this CPU wait_ns after it became runnable
 *				(or was preempted: PLACE between two RUNs)
 *	MOVED area from to n	pages that the kernel moved between nodes (from
 *				== to: nobody knows from where)
 *	FOUND area from to n	pages that were seen on another node than before,
 *				by a sample or a new page in the place of an old
 *				one: as MOVED, but no migration
 *
 * SEND and RECV take no time of their own; a message from another CPU makes
 * the receiver's next RUN longer by transfer_ns of cost.h, a channel that was
 * last used on another CPU that of who uses it now by handover_ns.  Who is woken tries
 * again and may find that another was faster.  Recordings have no channels:
 * what went through them cannot be seen in a schedule (their programs have the
 * WAKEs and WAITs that it led to); generated demand has (replay/synth.h).
 *
 * A WAKE is only there if it was matched to a WAIT, so tokens never pile up,
 * and since every WAIT follows its WAKE in recorded time no program order can
 * deadlock.  DESIGN section 5; findings-replay.md section 2.
 *
 * What a replay under `recorded` does, to the nanosecond.  Each task has a
 * clock `now` and a time `ready`.
 *
 *	begin	now = ready = appears_ns, or the time of its parent's FORK
 *	PLACE	a span ends at `now` if one is open (preempted: ready = now);
 *		then now = ready + wait_ns and a span begins on cpu
 *	RUN	now += cpu_ns
 *	WAKE, FORK, EXEC, TOUCH, FREE, MOVED ...	happen at `now`, take no
 *		time, and stand inside a span; memory also before an END or EXIT
 *		outside of one
 *	SLEEP	an open span ends at `now`; now = ready = now + ns
 *	WAIT	an open span ends at `now`; now = ready = the later of `now`
 *		and the time of the WAKE whose token it takes (k-th WAIT of a
 *		pair takes the token of its k-th WAKE)
 *	EXIT, END	an open span ends at `now`
 *
 * This gives back every recorded span (CPU, start, end), one per PLACE, also
 * those of no length, which hold no RUN.  No rule for equal times is needed:
 * a token that is put at the very time of its WAIT counts as there.  Spans of
 * one CPU never overlap, but a span may begin at the instant at which another
 * one ends or has no length, so a replay must not refuse a PLACE because of
 * whom it handles first at that instant.
 *
 * Other policies skip PLACE: RUN PLACE RUN is then one piece of work, and a
 * WAIT that finds its token goes on without sleeping.
 *
 * Cases.  A task that ran when the window began starts with PLACE cpu 0; one
 * that was first seen going on a CPU with no wake-up before was runnable since
 * the start (PLACE cpu wait); one that was first seen being woken starts with
 * WAIT or SLEEP.  Preempted, running or asleep when the recording ended: END
 * follows the last thing that is known (a sleep without end has no SLEEP).  A
 * fork whose child is never seen: the child's program is END.  A fork of which
 * the parent's place in time is not known: `forked` is 0 and the child appears
 * by itself.  TOUCH, FREE and MOVED stand before the RUN during which they
 * happened; pieces of RUN are cut so that this is at most 1 ms early.  What
 * changed after the task's last run stands before its end; what did though no
 * task of its process ever ran is HELD, FREE_AT, MOVED and FOUND alone.  A replay
 * moves and frees no more than what is there.  Tasks may come out of order by
 * that 1 ms, so `recorded` adds up what is told: in between it may know of fewer
 * pages than none, and shows none; in the end they are where they were.
 *
 * The kernel's stopper threads (migration/N) carry out moves of the recorded
 * scheduler.  They are marked `stopper`: `recorded` runs their programs, every
 * other policy leaves them out.  Nobody WAKEs or WAITs for them; a task that
 * slept until one woke it goes on as if it had been preempted.
 */
#ifndef MODEL_DEMAND_H
#define MODEL_DEMAND_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* The order is part of the file format: append only. */
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
	DEMAND_HELD,
	DEMAND_OPEN,
	DEMAND_SEND,
	DEMAND_RECV,
	DEMAND_TOUCH_AT,
	DEMAND_FREE_AT,
	DEMAND_FOUND,
	DEMAND_NR
};

struct demand_op {
	uint8_t code;		/* enum demand_code */
	int task;		/* WAKE, WAIT, FORK */
	int64_t ns;		/* RUN cpu_ns, SLEEP, PLACE wait_ns; >= 0 */
	int slow, crowd;	/* RUN: 1024 = no slow-down; crowd 0 is the same */
	int cpu;		/* PLACE */
	int area, from, to;	/* TOUCH, FREE, MOVED, FOUND; node of HELD and
				 * TOUCH_AT: to, of FREE_AT: from;
				 * OPEN, SEND, RECV: channel, low, how */
	int64_t pages;		/* >= 0; OPEN: size */
};

/* `how` of OPEN; other bits are refused. */
enum demand_open_flag {
	DEMAND_WAKES_ALL = 1,
	DEMAND_SYNC = 2,
};

#define DEMAND_SLOW_ONE 1024
#define DEMAND_CHUNK 4096	/* bytes at most */
#define DEMAND_OP_MAX 48	/* bytes of the longest coded operation */

/* Codes op into buf (at least DEMAND_OP_MAX bytes); returns the length. */
size_t demand_encode(uint8_t *buf, const struct demand_op *op);

/* Decodes one; returns its length, 0 if the bytes are damaged or cut.  Fields
 * that the code does not use are 0.  Numbers of tasks, areas, CPUs and nodes
 * are >= 0, but that they exist is for the caller to check. */
size_t demand_decode(const uint8_t *buf, size_t len, struct demand_op *op);

/* One task as a replay needs it. */
struct demand_task {
	int task;		/* task id */
	int64_t appears_ns;	/* when its program begins: the window's start for
				 * those alive then; ignored for forked ones */
	uint8_t forked;		/* 1: its program begins with its parent's FORK */
	uint8_t stopper;	/* 1: only `recorded` runs it (migration/N) */
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
