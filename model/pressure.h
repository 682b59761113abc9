/* SPDX-License-Identifier: MIT */
/*
 * pressure: how much a schedule slowed its own tasks down, by the cost model.
 *
 * Follows who runs where, with which shares of its accesses on which nodes,
 * and keeps running integrals of what cost.h asks for: users of each node's
 * memory beyond the first, busy SMT siblings, other runnable tasks on the CPU.
 * The slow-down of a piece is the formula of cost.h with their means over the
 * piece (M is linear in them, so nothing but products of the factors is
 * approximate).  Costs O(nodes) per change; times must not go back.
 */
#ifndef MODEL_PRESSURE_H
#define MODEL_PRESSURE_H

#include <stdint.h>

struct cost;
struct err;
struct pressure;
struct topo;

int pressure_new(struct pressure **p, const struct topo *topo,
		 const struct cost *cost, struct err *err);
void pressure_free(struct pressure *p);

/* A task with these shares [nr_node_ids] begins to run on a CPU / leaves it.
 * CPUs that the topology does not have are left out. */
void pressure_on(struct pressure *p, int cpu, int64_t ts, const double *share);
void pressure_off(struct pressure *p, int cpu, int64_t ts);

/* The shares of the task on the CPU are these from now on. */
void pressure_share(struct pressure *p, int cpu, int64_t ts,
		    const double *share);

/* So many more (fewer) tasks wait on a CPU. */
void pressure_queue(struct pressure *p, int cpu, int64_t ts, int more);

/* Slow-downs in 1/1024 (>= 1024) of the task on the CPU since it went on it or
 * since the last call: by memory if it does nothing but wait for it, and by
 * siblings and the queue (RUN of demand.h). */
struct pressure_slow {
	int memory, crowd;
};
struct pressure_slow pressure_take(struct pressure *p, int cpu, int64_t ts);

#endif
