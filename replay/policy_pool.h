/* SPDX-License-Identifier: MIT */
/*
 * policy_pool: what the pooling NUMA schedulers (Focht 2002, sheet D) share: a
 * pool is a node with online CPUs; a CPU balances inside its pool first and
 * takes from another pool only after a delay that depends on how loaded its
 * own pool is.  The node affine schedulers (sheets E, F) build on it through
 * the hooks.
 */
#ifndef REPLAY_POLICY_POOL_H
#define REPLAY_POLICY_POOL_H

#include "replay/policy.h"
#include "replay/prev_load.h"

struct pool_wait {
	int node;		/* the pool it wants to take from, -1 */
	int64_t since;		/* tick */
};

/* Knobs of every policy that is built on pools: they stand first in its table,
 * POOL_KNOBS(idle delay) in its initialiser, and pool_read_knobs() reads them. */
enum {
	POOL_BUSY, POOL_IDLE, POOL_DECAY, POOL_DELAY, POOL_DELAY_SHIFT,
	POOL_IDLE_DELAY, POOL_STEAL, POOL_NR_KNOBS
};

#define POOL_KNOBS(idle_delay_ticks) \
	[POOL_BUSY] = { \
		.name = "busy_rebalance", .type = KNOB_NS, .deflt = "200ms", \
		.help = "period of a busy CPU (D.1); 0: never" }, \
	[POOL_IDLE] = { \
		.name = "idle_rebalance", .type = KNOB_NS, .deflt = "1ms", \
		.help = "period of an idle CPU, at least a tick (D.1); 0: never" }, \
	[POOL_DECAY] = { \
		.name = "cache_decay_ticks", .type = KNOB_INT, .deflt = "8", \
		.unit = "ticks", .max = 1000000, \
		.help = "how long a task is cache hot (B)" }, \
	[POOL_DELAY] = { \
		.name = "pool_delay", .type = KNOB_INT, .deflt = "100", \
		.unit = "ticks", .max = 1000000, \
		.help = "wait before taking from another node (D.1.6)" }, \
	[POOL_DELAY_SHIFT] = { \
		.name = "pool_delay_shift", .type = KNOB_INT, .deflt = "6", \
		.unit = "bits", .max = 62, \
		.help = "how much shorter if the own node has less than average" }, \
	[POOL_IDLE_DELAY] = { \
		.name = "idle_pool_delay", .type = KNOB_INT, \
		.deflt = idle_delay_ticks, \
		.unit = "ticks", .min = -1, .max = 1000000, \
		.help = "pool_delay of idle CPUs; -1: as the two above say" }, \
	[POOL_STEAL] = { \
		.name = "steal", .type = KNOB_TEXT, .deflt = "tails", \
		.choices = "tails|lists", \
		.help = "look at the tail of each priority list or at all of it" }

struct pool_knobs {
	int64_t busy_ns, idle_ns;	/* periods of rebalancing */
	int64_t cache_decay;	/* ticks */
	int64_t delay;		/* ticks before taking from another pool */
	int64_t delay_shift;	/* the delay is so much shorter for a pool that
				 * has less than the average load */
	int64_t idle_delay;	/* instead of both, for idle CPUs; -1: no */
	bool whole_lists;	/* look at every task, not only at tails */
};

struct pool {
	struct pool_knobs knob;
	struct prev_load load;
	int *node;		/* nodes that are pools, ascending */
	int *first, *cpu;	/* [pool + 1] where its CPUs begin in cpu[] */
	int *index;		/* [node] its index in node[], -1 */
	int nr;
	int nr_cpus;		/* online, of all pools */
	struct pool_wait *wait;	/* [cpu] */
	int last_exec;		/* index of the pool of the last exec placement */

	/* Added to the load of a CPU of another pool that is not idle, and the
	 * weight of a task that may be taken (cold: 1 and up); NULL: nothing,
	 * cold. */
	void *ctx;
	int (*extra_load)(void *ctx, const struct view *v, int cpu,
			  int this_node);
	int64_t (*weight)(void *ctx, const struct view *v, int task,
			  int this_cpu, int64_t cold, struct decisions *d);
};

/* m: tasks of the other, t: of one's own; also used for loads times 100. */
bool pool_balanced(int64_t m, int64_t t);

void pool_read_knobs(struct pool *p, const struct knob_value *k);
int pool_init(struct pool *p, const struct view *v, struct err *err);
void pool_release(struct pool *p);

/* One call of load_balance(); true if a busiest queue was found, also if
 * nothing could be taken from it. */
bool pool_balance(struct pool *p, const struct view *v, int cpu, bool is_idle,
		  struct decisions *d);

/* B: takes the heaviest task of a CPU's queue, if that still has more than one
 * more than nr. */
void pool_take(const struct pool *p, const struct view *v, int cpu, int busiest,
	       int nr, struct decisions *d);

/* True if a rebalancing is due at this tick; *is_idle tells of which kind. */
bool pool_due(const struct pool *p, const struct view *v, int cpu,
	      bool *is_idle);

/*
 * Placement at exec and fork: the pool with the first strictly smallest load,
 * beginning after the pool of the last placement, that has a CPU which the
 * task may use; then the CPU with the first strictly smallest nr_running.
 * load() gives a pool's load times 100 per CPU.  Returns the CPU.
 */
int pool_place(struct pool *p, const struct view *v, int task,
	       int64_t (*load)(struct pool *p, const struct view *v, int task,
			       int node));

/* D.3: tasks on the pool's queues, without the one that execs. */
int64_t pool_running_load(struct pool *p, const struct view *v, int task,
			  int node);

/* The lowest CPU of a node that a task may use, -1: none; among those whose
 * number fits() accepts (NULL: all). */
int pool_lowest_cpu(const struct view *v, int task, int node,
		    bool (*fits)(const struct view *v, int cpu, int node));

/* Callbacks of a policy that is nothing but pools: its state is a struct pool. */
int pooling_init(void **state, const struct view *v, const struct knob_value *k,
		 struct err *err);
void pooling_exit(void *state);
void pooling_tick(void *state, const struct view *v, int cpu,
		  struct decisions *d);
void pooling_newidle(void *state, const struct view *v, int cpu,
		     struct decisions *d);

#endif
