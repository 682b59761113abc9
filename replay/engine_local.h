/* SPDX-License-Identifier: MIT */
/*
 * engine_local: the engine's state, shared by its files:
 *
 *	engine.c		set-up, calendar, main loop
 *	engine_program.c	fetches and carries out the operations of demand
 *	engine_channel.c	messages through sockets and pipes
 *	engine_sched.c		queues: wake, switch, block, tick, balance
 *	engine_speed.c		how fast work goes on each CPU
 *	memory.c		pages of areas on nodes
 *	engine_follow.c		POLICY_F_FOLLOW: as it was recorded
 *	engine_emit.c		spans, moves and counts to the sink
 *	engine_check.c		the invariants
 *
 * Functions return 0 or a negative enum err_code with e->err set.
 */
#ifndef REPLAY_ENGINE_LOCAL_H
#define REPLAY_ENGINE_LOCAL_H

#include "model/err.h"
#include "model/event.h"
#include "model/rng.h"
#include "replay/channel_local.h"
#include "replay/engine.h"
#include "replay/heap.h"
#include "replay/memory_local.h"
#include "replay/token_local.h"
#include "replay/view_local.h"

#define NO_NODE (-1)

#ifdef HOMENODE_DEBUG
#define ALWAYS_CHECKS true
#else
#define ALWAYS_CHECKS false
#endif

/* Factors of time per work are kept with 20 binary digits after the point. */
#define FACTOR_SHIFT 20
#define FACTOR_ONE (INT64_C(1) << FACTOR_SHIFT)

/* Ranks of the calendar: what ends, then what begins (FOLLOW). */
enum engine_rank { RANK_EVENT, RANK_BEGIN };

enum block_kind {
	BLOCK_NONE,
	BLOCK_TOKEN,		/* waits for task `waits_for` */
	BLOCK_TIMER,
	BLOCK_CHANNEL,		/* sleeps on one */
	BLOCK_PLACE,		/* FOLLOW: runnable, its place comes */
	BLOCK_RUN,		/* FOLLOW: in a RUN */
};

/* A task's program and what the engine knows beyond struct view_task. */
struct engine_task {
	const uint8_t *pos, *end;	/* in the chunk at hand */
	int next_chunk;
	int waits_for;
	uint8_t block;			/* enum block_kind */
	bool has_program;
	bool forked;			/* its next wake-up is its first */
	bool open;			/* FOLLOW: a span is open */
	uint8_t span_flags;		/* FOLLOW: of that span */
	int parent;
	int waker;			/* of the coming or present span */
	int last_cpu;			/* of its last span, -1 */
	int mem;			/* index of its shares, -1: none */
	int place;			/* FOLLOW: CPU of its present span */
	int pieces;			/* of the present RUN, for the check */
	int op_len;			/* of the operation that was peeked at */
	int64_t ready_ns;
	int64_t span_start;
	int64_t work;			/* of the present RUN that is left */
	int64_t extra;			/* cache refill that is left */
	int64_t transfer;		/* added to it at the next RUN */
	double lo_per_work, hi_per_work;	/* see speed_set_work() */
	double intensity;
	double lo_intensity, hi_intensity;	/* of the predicted range */
};

struct engine_cpu {
	int64_t since;			/* curr ran at `factor` from then on */
	int64_t told;			/* the policy knows that it ran until then */
	int64_t factor;			/* time per work << FACTOR_SHIFT */
	double memory;			/* M of the task that runs */
	double crowd;			/* siblings and queue */
	int mem_index;			/* in engine.mem_cpu, -1 */
	bool resched;			/* waits in engine.resched */
	bool speed_dirty;		/* waits in engine.speed_cpu */
	int sibling;			/* 1 + next thread of its core */
	int64_t busy_until;		/* FOLLOW: end of its last span */
	int64_t tick_phase;		/* about when it ticks in each round */
};

/* Pages on their way to one node, in order. */
struct engine_mover {
	struct page_move *move;
	int first, nr, size;
	int64_t batch;			/* pages that arrive at the next event */
};

struct engine_counts {
	int64_t switches, migrations, node_migrations, wakeups;
	int64_t moves[MOVE_NR], refused, affinity_ignored;
	int64_t policy[POLICY_NR_COUNTS];
	int64_t pages_refused, cpu_ns, last_ns, ticks, conflicts;
	double lo_ns, hi_ns;
};

/* Spans that end now: given to the sink in order of CPU when time goes on. */
struct engine_pending {
	struct span *span;
	int nr, size;
};

struct engine {
	const struct engine_input *in;
	struct run_sink *sink;
	struct err *err;
	struct view view;
	struct queues queues;
	struct rng rng;
	struct heap heap;	/* slots: CPUs, then tasks, then nodes */
	void *policy;		/* its state */
	struct decisions decisions;
	struct decisions late;	/* of ran(), while others are carried out */
	struct engine_task *task;
	struct engine_cpu *cpu;
	struct cpumask *mask;	/* [nr_tasks], empty: every online CPU */
	struct tokens tokens;
	struct channels channels;
	struct memory memory;
	struct engine_pending pending;
	struct engine_counts count;

	int *resched;		/* ring of CPUs that must choose again */
	int resched_head, nr_resched;
	int *tick_cpu;		/* online CPUs by phase */
	int64_t *tick_phase;	/* of tick_cpu[i], ns */
	int nr_online, tick_at;	/* which of them ticks next */
	int64_t round;		/* number of the present round of ticks */
	int total_running;
	int64_t idle_since;	/* when total_running became 0 */

	bool costed;		/* the cost model is not neutral */
	bool mem_costed, smt_costed, over_costed;
	bool mem_changed;	/* pages moved since the last speed_apply() */
	int *mem_cpu, nr_mem_cpu;	/* CPUs whose task has memory */
	int *speed_cpu, nr_speed_cpu;	/* CPUs whose speed may have changed */
	double *share_on;	/* [cpu][node] what its task adds to users */
	double *users, *users_was;	/* [node] */

	struct engine_mover *mover;	/* [node] */
	int *proc_alive;	/* [task id of a leader] its living tasks */

	int64_t limit_ns;	/* simulated time may not pass it */
	int64_t next_progress;
	uint64_t events, next_check;
	int command;		/* its end is that of the run, TASK_NONE: all */
	int *check_nr;		/* [cpu] zero between two walks */
};

/* -- engine.c */
static inline int slot_task(const struct engine *e, int task)
{
	return e->view.nr_cpus + task;
}

static inline int slot_node(const struct engine *e, int node)
{
	return e->view.nr_cpus + e->view.nr_tasks + node;
}

static inline struct view_task *view_of(struct engine *e, int task)
{
	return &e->view.task[task];
}

bool engine_is_cpu(const struct engine *e, int cpu);	/* online */
bool engine_is_node(const struct engine *e, int node);	/* present */
int engine_set_timer(struct engine *e, int task, int64_t ns);

/* -- engine_program.c */

/* Looks at the next operation of a task, and goes past it. */
int program_peek(struct engine *e, int task, struct demand_op *op);
void program_skip(struct engine *e, int task);
void program_back(struct engine *e, int task);	/* undoes the last skip */

/* ERR_FORMAT with the task's place in its program. */
int program_bad(struct engine *e, int task, const char *what);

/* Carries out what takes no time, common to all policies; *handled false for
 * RUN, WAIT, SLEEP, EXIT, END, PLACE. */
int program_common(struct engine *e, int task, const struct demand_op *op,
		   bool *handled);

/* A task comes into being and goes to its first sleep or queue. */
int program_begin(struct engine *e, int task, int parent);

/* Runs the operations of the task on the CPU up to its next RUN; the CPU may
 * be without a task afterwards. */
int program_run(struct engine *e, int cpu);

/* -- engine_channel.c: of the task that runs on the CPU, which may sleep then */
int channel_open(struct engine *e, int task, const struct demand_op *op);
int channel_send(struct engine *e, int cpu, int task,
		 const struct demand_op *op);
int channel_recv(struct engine *e, int cpu, int task,
		 const struct demand_op *op);

/* -- engine_sched.c */
void sched_resched(struct engine *e, int cpu);
int sched_pending(struct engine *e);	/* a CPU of the ring chooses again */
int sched_fork(struct engine *e, int task, int parent);

/* Who wakes (or forks) whom: waker TASK_NONE and cpu -1: no task does. */
struct waking {
	int task, waker, cpu;
	bool is_sync;
};
int sched_wake(struct engine *e, const struct waking *w);

int sched_exec(struct engine *e, int cpu);	/* its task may move away */
int sched_off(struct engine *e, int cpu, enum task_state state);
int sched_exit(struct engine *e, int cpu, bool is_censored);
int sched_run_over(struct engine *e, int cpu);
int sched_tick(struct engine *e, int cpu);
int sched_decide(struct engine *e);	/* carries out e->decisions */
void sched_start_mover(struct engine *e, int node);

/* -- engine_speed.c */
int speed_init(struct engine *e);
void speed_release(struct engine *e);
void speed_set_work(struct engine *e, int task, const struct demand_op *op);
void speed_start(struct engine *e, int cpu);	/* curr begins to run */
void speed_stop(struct engine *e, int cpu);	/* curr goes off */
void speed_charge(struct engine *e, int cpu);	/* work done until now */
void speed_calendar(struct engine *e, int cpu);	/* when the RUN will be over */
void speed_queue_changed(struct engine *e, int cpu);	/* alone or not */
void speed_apply(struct engine *e);	/* new speeds, before time goes on */

/* -- engine_follow.c */
int follow_begin(struct engine *e, int task);
int follow_event(struct engine *e, int task);
int follow_wake(struct engine *e, int task, int waker);
int follow_finish(struct engine *e);

/* -- engine_emit.c */
int emit_span(struct engine *e, const struct span *s);
int emit_flush(struct engine *e);
int emit_move(struct engine *e, const struct move *m);
int emit_end(struct engine *e);
void emit_release(struct engine *e);

/* -- engine_check.c */
int check_walk(struct engine *e);
int check_broken(struct engine *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
