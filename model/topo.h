/* SPDX-License-Identifier: MIT */
/*
 * topo: the machine: NUMA nodes, their distances, and CPUs in their caches.
 *
 * Arrays are indexed by the kernel's own numbers, which may have holes: an
 * entry counts only if it is `present`.  A node may have no CPUs (CXL, HBM)
 * or no memory.  A CPU that exists but is offline is present and not online.
 * package, die, cluster, llc and core are numbers that are unique over the
 * machine at their level (-1 where the level is unknown): two CPUs share a
 * last-level cache iff their llc is equal and not -1.
 */
#ifndef MODEL_TOPO_H
#define MODEL_TOPO_H

#include <stdbool.h>
#include <stdint.h>

struct err;

#define TOPO_DISTANCE_LOCAL 10	/* ACPI SLIT: a node to itself */
#define TOPO_DISTANCE_REMOTE 20	/* kernel's REMOTE_DISTANCE, where unknown */
#define TOPO_MAX_NODES 1024	/* the kernel's limit; numbers stay below */

struct topo_node {
	bool present;
	bool online;
	int nr_cpus;		/* present CPUs on it */
	int64_t mem_bytes;	/* 0: none; -1: unknown (taken as some) */
};

struct topo_cpu {
	bool present;
	bool online;
	int node;
	int package, die, cluster, llc, core;
	int smt;		/* 0 for the first thread of a core, 1 ... */
};

struct topo {
	int nr_node_ids;	/* size of node[]: highest number + 1 */
	struct topo_node *node;
	int nr_cpu_ids;
	struct topo_cpu *cpu;
	int *distance;		/* [from * nr_node_ids + to], SLIT units */
};

void topo_release(struct topo *t);
int topo_copy(struct topo *to, const struct topo *from, struct err *err);

/* Makes a node or CPU present (growing the arrays); existing ones keep what
 * they have.  New nodes get the default distances, online, mem unknown. */
int topo_add_node(struct topo *t, int node, struct err *err);
int topo_add_cpu(struct topo *t, int cpu, int node, struct err *err);

/* One synthetic node 0 with CPUs 0..nr_cpus-1, for hosts that tell nothing. */
int topo_flat(struct topo *t, int nr_cpus, struct err *err);

/* Sets the derived fields (nr_cpus, an LLC that spans nodes split by node) and
 * checks the rest: every CPU on a present node, distances > 0.  An LLC that
 * spans nodes: the lowest node keeps its number. */
int topo_finish(struct topo *t, struct err *err);

/* Node of a CPU, -1 for one that is not present. */
int topo_node_of(const struct topo *t, int cpu);
int topo_distance(const struct topo *t, int from, int to);
int topo_nr_nodes(const struct topo *t);	/* present ones */
int topo_nr_cpus(const struct topo *t);

/* The present node with memory that is nearest (ties: lower number); itself
 * if it has memory; -1 if there is none. */
int topo_nearest_memory(const struct topo *t, int node);

/* Fills order[] (nr_cpu_ids long) with the present CPUs by node, LLC,
 * cluster, core, SMT, number; returns how many. */
int topo_cpu_order(const struct topo *t, int *order);

/* Lowest scheduling level that two CPUs share, lowest first. */
enum topo_level {
	TOPO_SAME_CPU,
	TOPO_SMT,	/* threads of one core */
	TOPO_CLUSTER,
	TOPO_LLC,
	TOPO_NODE,
	TOPO_SYSTEM,
};
enum topo_level topo_shared_level(const struct topo *t, int a, int b);

#endif
