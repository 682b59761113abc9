/* SPDX-License-Identifier: MIT */
/*
 * calibration: what was measured of a host's memory (homenode calibrate), and
 * the numbers of the cost model that follow from it.
 *
 * What is measured is the time of a load that waits for the one before it, in a
 * buffer larger than the last-level cache, by a CPU of one node on the memory
 * of another, alone and with co-runners on the same memory.  The measuring
 * itself is collect/calibrate.h; here is what needs no machine.
 */
#ifndef MODEL_CALIBRATION_H
#define MODEL_CALIBRATION_H

#include <stdint.h>

struct cost;
struct cpumask;
struct err;
struct topo;

/* Times in picoseconds: a load takes some 10 to 1000 ns. */
struct latency {
	int cpu_node, mem_node;
	int co_runners;		/* 0: idle latency */
	int64_t median_ps, low_ps, high_ps;	/* quartiles */
	int samples;
	int64_t buffer_bytes;	/* that the loads went over */
	int64_t huge_bytes;	/* of them on huge pages */
};

/* Median and quartiles; sorts v.  nr >= 1.  The quartiles are the values of
 * rank ceil(nr / 4) and ceil(3 nr / 4); the median of an even number is the mean
 * of the middle two, rounded down. */
struct spread {
	int64_t low, median, high;
};
struct spread spread_of(int64_t *v, int nr);

/* One cycle through 0..nr-1, at random but for the seed (Sattolo's algorithm):
 * next[i] is what comes after i. */
void chase_cycle(uint32_t *next, uint32_t nr, uint64_t seed);

/*
 * CPUs to measure a node from: cpu[0] is the one that measures, the others are
 * those for co-runners: first of the node, then of others (nearest first), each
 * by its number; siblings of cpu[0] last.  Only CPUs that are online and, if it
 * is not NULL, in `allowed`.  Returns how many, at most size; 0: the node has
 * none that may be used.
 */
int calibration_cpus(const struct topo *t, const struct cpumask *allowed,
		     int node, int *cpu, int size);

/* Numbers of co-runners to measure with where there are CPUs for `most`: 1, 2,
 * 4, ... and most.  Returns how many; 0 for none. */
#define CALIBRATION_LEVELS 20
int calibration_levels(int most, int *level);

/*
 * Puts what was measured into a cost model of this topology:
 *
 *	remote[from][to] = median(from, to) / local(from), at least 1, where
 *		local(from) = median(from, from), for a node without memory of
 *		its own the median over the nodes that have it
 *	contention = sum k (s_k - 1) / sum k^2 over all loaded rows, at least
 *		0: the line through no co-runners nearest to the slow-downs
 *		s_k = median with k co-runners / idle median
 *
 * Pairs that were not measured keep what they have; *missing (may be NULL) gets
 * how many pairs of a node with CPUs and a node with memory these are.
 * ERR_USAGE: measured on other nodes than those of the topology, or nothing
 * was.
 */
int cost_calibrate(struct cost *c, const struct topo *t,
		   const struct latency *l, int nr, int *missing,
		   struct err *err);

#endif
