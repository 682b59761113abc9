/* SPDX-License-Identifier: MIT */
/*
 * engine: replays demand on a machine under a policy and a queue discipline.
 *
 * A deterministic discrete-event simulation in integer ns: ties are broken by
 * insertion order, the generator is its own and seeded (it draws the phase of
 * each CPU's tick and what view_random() gives), nothing reads a clock.
 * Memory is bounded by tasks, areas and queues, never by the length of the
 * recording: one chunk of demand per task is looked at at a time.
 *
 * What is simulated.  A task becomes runnable (a token it waits for, the end of
 * a sleep, its birth), select_cpu() puts it on a queue, the discipline decides
 * whether it preempts; a wake-up costs nothing and reaches another CPU at
 * once.  On its own CPU a waker goes on to the end of the operation at hand.
 * RUN is work, not time: it takes
 *
 *	work * (1 + i * (M - 1)) * smt * oversubscribed		(cost.h)
 *
 * with M, the busy sibling and the queue as they are at every moment, i the
 * task's intensity, and the work that demand.h gives.  The first run after a
 * move is lengthened by the cost model's migrate_ns.  A process's
 * pages come into being where the toucher runs, leave with FREE and EXEC, and
 * move when the policy says so, page after page at
 * page_move_ns for each target node.
 *
 * Under a policy with POLICY_F_FOLLOW none of this happens: each task goes
 * where and when PLACE says, for as long as RUN says (demand.h).
 */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "model/cost.h"
#include "model/demand.h"
#include "replay/policy_spec.h"

struct engine_input {
	const struct topo *topo;
	const struct tasks *tasks;
	const struct areas *areas;
	const struct demand_task *demand;	/* one per task with a program */
	int nr_demand;
	struct demand_source source;
	const struct cost *cost;
	const double *intensity;	/* [tasks->nr], NAN: the cost model's;
					 * NULL: for all */
	const struct mem_access *access;	/* weights of locality, sorted by */
	int nr_access;				/* task; handed on to the sink */
	const struct policy_spec *policy;
	uint64_t seed;
	int64_t start_ns;	/* simulated time begins here */
	int64_t end_ns;		/* of the recording; FOLLOW stops here */
	int64_t page_size;	/* bytes; 0: 4096 */
	int64_t page_move_ns;	/* time to move a page; 0: ENGINE_PAGE_MOVE_NS */
	bool aligned_ticks;	/* all CPUs tick at once, in order of number
				 * (else each has a phase of its own) */
	bool check;		/* walk the invariants all the time, as debug
				 * builds always do */
	int (*progress)(void *ctx, double done);	/* non-zero stops; may be NULL */
	void *progress_ctx;
};

/* 4 KiB in 4 us: about 1 GB/s, what the kernel's page migration reaches. */
#define ENGINE_PAGE_MOVE_NS 4000

/* A replay that takes this many times as long as the recording (and an hour)
 * is given up: ERR_FORMAT, the demand cannot be right. */
#define ENGINE_MAX_STRETCH 10000

#define ENGINE_VERSION 4	/* stored with every run */

/*
 * Runs to the end of all programs; everything goes to the sink, counts last:
 *
 *	switches	times a CPU began to run another task
 *	migrations, node_migrations	changes of CPU, of node between two runs
 *	wakeups
 *	moves_wake, moves_fork, moves_exec, moves_balance, moves_push,
 *	moves_numa	decisions that were carried out
 *	refused		decisions that were not
 *	affinity_ignored	tasks none of whose CPUs exist here
 *	pages_moved, pages_refused
 *	cpu_ns		sum of all spans
 *	cpu_lo_ns, cpu_hi_ns	predicted CPU time on this schedule: sums of the
 *			least and the most that each piece of work takes at
 *			intensity 0 or 1, or both at the one that was set
 *	elapsed_ns	from start_ns to the end of the COMMAND that was recorded
 *			(tasks_command()); without one, of the last span
 *	unfinished	tasks that never came to their end
 *	ticks
 *	conflicts	FOLLOW only: spans that began on a CPU not yet free
 *
 * ERR_FORMAT names what is wrong with the demand; ERR_STOPPED if progress()
 * said so.  With check, a broken invariant is an ERR_FORMAT that says "engine:".
 */
int engine_run(const struct engine_input *in, struct run_sink *sink,
	       struct err *err);

#endif
