/* SPDX-License-Identifier: MIT */
/*
 * prev_load: how the O(1) scheduler's balancers see the length of a queue: not
 * as it is, but together with what they saw when they last looked, so that a
 * short burst does not count (sheet A.6.1, A.6.2).
 *
 * Each CPU remembers the nr_running of every CPU (prev_nr_running[]).  An idle
 * balancer looks at the present numbers only.  A busy one takes for its own
 * queue the larger, for others the smaller of now and then.
 */
#ifndef REPLAY_PREV_LOAD_H
#define REPLAY_PREV_LOAD_H

#include <stdbool.h>
#include <stdint.h>

struct decisions;
struct view;

struct prev_load {
	int *prev;		/* [of this CPU][of that CPU] */
	int nr_cpus;
};

int prev_load_init(struct prev_load *p, const struct view *v);	/* ERR_NOMEM */
void prev_load_release(struct prev_load *p);

/* A.6.1, for the balancing CPU's own queue. */
int prev_load_self(const struct prev_load *p, const struct view *v, int cpu,
		   bool is_idle);

/* A.6.2, for any CPU as `cpu` sees it; remembers its nr_running. */
int prev_load_other(struct prev_load *p, const struct view *v, int cpu,
		    int other, bool is_idle);

/* What `cpu` remembers of every CPU, [view_nr_cpu_ids()], for loops that do what
 * prev_load_other() does. */
int *prev_load_row(const struct prev_load *p, int cpu);

/*
 * The longest queue of all as `cpu` sees them, if it is longer than *max: the
 * first of equals, not its own.  *max gets its load.  -1: none.  Remembers all.
 */
int prev_load_longest(struct prev_load *p, const struct view *v, int cpu,
		      bool is_idle, int *max);

/* Can a balancer take this waiting task to a CPU?  Not if it may not run
 * there, nor if it went through the scheduler at most `decay` ticks ago: its
 * cache is hot then (A.6.7). */
bool prev_load_movable(const struct view *v, int task, int cpu, int64_t decay);

/*
 * A.6.6 to A.6.9: pulls cold tasks of a queue in the order in which they are
 * offered: one for an idle CPU; a busy one goes on until imbalance, counted down
 * after each, is 0 - the source's loop, so that with 0 it takes all there are.
 * decay -1: none is hot.
 */
void prev_load_pull(const struct view *v, int cpu, int busiest, bool is_idle,
		    int imbalance, int64_t decay, struct decisions *d);

/* True if a rebalancing period is over at this tick; never for 0. */
bool prev_load_due(const struct view *v, int64_t period_ns);

#endif
