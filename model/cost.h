/* SPDX-License-Identifier: MIT */
/*
 * cost: how much longer a piece of work takes where it runs than on local,
 * uncontended memory on a core of its own.
 *
 * The time per unit of work of a task on CPU c is
 *
 *	1 + intensity * (M - 1)		times smt if an SMT sibling runs
 *	M = sum over nodes m of share(m) * remote(node(c), m)
 *			* (1 + contention * max(0, users(m) - 1))
 *
 * times `oversubscribed` while other tasks are runnable on its CPU.
 * share(m) is the part of the task's accesses that goes to node m, users(m)
 * the running tasks weighted by their shares on m.  The form is that of
 * findings-numa_test.md ("Model"), whose four numbers explain the 336 job rows
 * of the seeds within 2 %.  A task without known memory has M = 1.
 */
#ifndef MODEL_COST_H
#define MODEL_COST_H

#include <stdint.h>

struct err;
struct topo;

struct cost {
	int flat;		/* 1: remote memory costs nothing: M = 1 always */
	int nr_node_ids;
	double *remote;		/* [from * nr_node_ids + to], >= 1, own node 1 */
	double contention;	/* per further user of a node's memory */
	double oversubscribed;	/* >= 1 */
	double smt;		/* >= 1: slow-down by a busy sibling */
	double intensity;	/* 0..1: default part of time that waits for memory */
	int64_t migrate_ns[6];	/* cache refill after a move across this enum
				 * topo_level (index), added to the next run */
};

/*
 * Defaults from a topology: remote = distance / 10, damped so that 20 means
 * the 1.31 that the seeds' machine showed at SLIT 20:
 * remote = 1 + 0.31 * (distance - 10) / 10.
 */
int cost_init(struct cost *c, const struct topo *t, struct err *err);
void cost_release(struct cost *c);

/* Reads "flat" or "contention=0.05,intensity=0.5,remote=1.31,..." on top of
 * what c holds; ERR_USAGE names what is wrong and what would be valid. */
int cost_parse(struct cost *c, const char *spec, struct err *err);

/* All numbers as a JSON object, allocated; NULL: no memory.  Same numbers,
 * same text. */
char *cost_json(const struct cost *c);

/* M above for shares[nr_node_ids] (sum 1; all 0: nothing known -> 1). */
double cost_memory(const struct cost *c, int node, const double *share,
		   const double *users);

#endif
