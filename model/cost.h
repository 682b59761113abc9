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
	int flat;		/* 1: memory costs nothing: M = 1 always; remote
				 * and contention given after it make it 0 */
	int nr_node_ids;
	double *remote;		/* [from * nr_node_ids + to], >= 1, own node 1 */
	double contention;	/* per further user of a node's memory */
	double oversubscribed;	/* >= 1 */
	double smt;		/* >= 1: slow-down by a busy sibling */
	double intensity;	/* 0..1: default part of time that waits for memory */
	int intensity_set;	/* 1: the user gave it; else times are a range */
	int64_t migrate_ns[6];	/* cache refill after a move across this enum
				 * topo_level (index), added to the next run */
	int64_t transfer_ns[6];	/* fetching a message (RECV of demand.h) that was
				 * sent from a CPU as far away as this level;
				 * default 0: no recording has messages */
	int64_t handover_ns[6];	/* taking a channel (its lock and counters, for
				 * SEND and RECV) over from the CPU that used it
				 * last, as far away as this level; default 0 */
};

/*
 * Defaults from a topology: remote = distance / 10, damped so that 20 means
 * the 1.31 that the seeds' machine showed at SLIT 20:
 * remote = 1 + 0.31 * (distance - 10) / 10.  contention 0.0525 and
 * oversubscribed 1.048 are that machine's too.  smt 1.5 (two siblings do 1.33
 * times the work of one) and migrate_ns (the time to refill an L1, an L2, an
 * LLC's part: smt 0, cluster 5 us, llc 20 us, node 100 us, system 200 us) are
 * rules of thumb, intensity 0.5 is the middle of what is possible.
 */
int cost_init(struct cost *c, const struct topo *t, struct err *err);
void cost_release(struct cost *c);

/*
 * Reads a list such as "flat" or "contention=0.05,remote=1.31" on top of what
 * c holds.  ERR_USAGE names what is wrong and what would be valid.
 *
 *	flat		nothing costs anything: every number becomes neutral;
 *			those that follow count again ("flat,contention=0.1":
 *			only that many at one memory cost something)
 *	remote=F	every other node at once
 *	remote:A:B=F	from CPUs of node A to memory of node B
 *	contention, oversubscribed, smt, intensity =F
 *	NAME		a machine of preset.h (azusa): all its numbers
 *	migrate:smt, migrate:cluster, migrate:llc, migrate:node,
 *	migrate:system =NS
 *	transfer:smt ... transfer:system =NS, handover:... likewise
 *	migrate=NS, transfer=NS, handover=NS	all levels at once
 */
int cost_parse(struct cost *c, const char *spec, struct err *err);

/* All numbers as a JSON object, allocated; NULL: no memory.  Same numbers,
 * same text. */
char *cost_json(const struct cost *c);

/* M above for shares[nr_node_ids] (sum 1; all 0: nothing known -> 1).  users
 * NULL: nobody else.  A node outside the table has all memory at 1. */
double cost_memory(const struct cost *c, int node, const double *share,
		   const double *users);

#endif
