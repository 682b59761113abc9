/* SPDX-License-Identifier: MIT */
/*
 * queue_fair_local: what the files of queue_fair share:
 *
 *	queue_fair.c		on and off a queue, averages
 *	queue_fair_pick.c	who runs, for how long, who preempts
 *	queue_fair_list.c	a queue in order of virtual run time
 *
 * Virtual times are ns at nice 0.  A task stays in the list of a queue that is
 * kept in order of arrival (for thieves) while it runs, but not in the one in
 * order of virtual run time.
 */
#ifndef REPLAY_QUEUE_FAIR_LOCAL_H
#define REPLAY_QUEUE_FAIR_LOCAL_H

#include "replay/discipline.h"
#include "replay/pelt.h"
#include "replay/view_local.h"

#define NICE_0_WEIGHT 1024

struct fairq_task {
	int64_t vruntime;
	int64_t deadline;	/* EEVDF */
	int64_t lag;		/* EEVDF, of a task that is on no queue */
	int64_t began;		/* runs: its virtual time is up to then */
	int64_t ran;		/* ns in this slice */
	int64_t zero;		/* of the queue when it went to sleep: V */
	struct pelt avg;
	int weight;
	int cpu;		/* whose queue vruntime counts on; -1: none's */
	int next, prev;		/* by virtual run time, 1 + task, 0: end */
	int older, newer;	/* by arrival */
	uint8_t state;		/* enum fairq_state */
	bool parity;		/* EEVDF: its slice is not over yet */
};

enum fairq_state { FAIR_ASLEEP, FAIR_WAITS, FAIR_RUNS };

struct fairq_rq {
	int first, last;	/* by virtual run time */
	int oldest, newest;
	int curr;		/* 1 + task, 0: none */
	int buddy;		/* 1 + task that was preempted last */
	int nr;			/* with curr */
	int64_t weight;		/* of all of them */
	int64_t min_vruntime;
	struct pelt avg;
	int64_t idle_since;	/* -1: busy */
	int64_t avg_idle;	/* ns */
	int scale;		/* of latencies, by the number of CPUs */
};

enum fairq_queue_knob {
	KNOB_VARIANT, KNOB_HZ_RATE, KNOB_TICK, KNOB_SPREAD, KNOB_LATENCY,
	KNOB_MIN_GRAN, KNOB_WAKEUP_GRAN, KNOB_BASE_SLICE, KNOB_START_DEBIT,
	KNOB_GENTLE, KNOB_WAKEUP_PREEMPTION, KNOB_LAST_BUDDY, KNOB_PARITY,
	KNOB_LAG, KNOB_DELAY, KNOB_MIGRATION_COST, KNOB_NR
};

enum { VARIANT_CFS, VARIANT_EEVDF };

static inline struct fairq_rq *fairq_rq(const struct queues *q, int cpu)
{
	return (struct fairq_rq *)q->rq + cpu;
}

static inline struct fairq_task *fairq_task(const struct queues *q, int task)
{
	return (struct fairq_task *)q->task + task;
}

static inline bool fairq_is_eevdf(const struct queues *q)
{
	return q->knobs[KNOB_VARIANT].i == VARIANT_EEVDF;
}

/* -- queue_fair_list.c */
void fairq_list_add(struct queues *q, int cpu, int task);
void fairq_list_del(struct queues *q, int cpu, int task);
void fairq_order_add(struct queues *q, int cpu, int task);	/* newest */
void fairq_order_del(struct queues *q, int cpu, int task);

/* -- queue_fair_pick.c */

/* A latency knob: as it is set, or `ns` times 1 + log2 of the number of CPUs
 * (at most 8), as the kernel scales it at boot. */
int64_t fairq_scaled(const struct queues *q, int knob, int64_t ns);

/* Time at nice 0 in virtual time of a task. */
int64_t fairq_virtual(const struct fairq_task *t, int64_t ns);

/* Charges the running task up to now. */
void fairq_charge(struct queues *q, int cpu);

/* The weighted mean of virtual run times of a queue (EEVDF's V). */
int64_t fairq_mean(const struct queues *q, int cpu);

/* CFS: the slice of a task on a queue with `nr` tasks that weigh so much. */
int64_t fairq_slice(const struct queues *q, const struct fairq_task *t, int nr,
		   int64_t weight);
int64_t fairq_base_slice(const struct queues *q);

int fairq_pick(struct queues *q, int cpu);
bool fairq_tick(struct queues *q, int cpu, int task);
bool fairq_preempts(struct queues *q, int cpu, int task, enum enqueue_why why);

#endif
