/* SPDX-License-Identifier: MIT */
/*
 * fair_domains: the scheduling domains of a machine, as the fair scheduler
 * builds them: at each level the CPUs that share something (a core, a cluster,
 * a last-level cache, a package, nodes within a distance), divided into the
 * groups of the level below (algorithms.md, M.5 and J).
 *
 * Level 0 is each CPU by itself.  A CPU has no domain at a level where it has
 * company no larger than one level below.  Offline CPUs are in none.
 */
#ifndef REPLAY_FAIR_DOMAINS_H
#define REPLAY_FAIR_DOMAINS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct topo;
struct view;

enum fair_kind {
	FAIR_CPU,
	FAIR_SMT,
	FAIR_CLUSTER,
	FAIR_MC,		/* a last-level cache */
	FAIR_PKG,
	FAIR_NODE,		/* one node: of several packages or caches */
	FAIR_NUMA,		/* nodes up to a distance */
	FAIR_NR_KINDS
};

/* CPUs, in order of their numbers. */
struct fair_set {
	int *cpu;
	int nr;
	int *group;		/* sets of the level below that cover it */
	int nr_groups;
};

struct fair_level {
	enum fair_kind kind;
	int distance;		/* FAIR_NUMA: up to that */
	struct fair_set *set;
	int nr_sets;
	int *set_of;		/* [nr_cpu_ids], -1: none */
	int *own;		/* [nr_cpu_ids] which of its set's groups holds
				 * the CPU; NULL on the lowest level */
	int imb_numa;		/* FAIR_NUMA: tasks that a node may have and not
				 * be emptied for balance's sake (M.5) */
};

struct fair_domains {
	struct fair_level *level;
	int nr_levels, nr_cpus;
};

enum fair_domains_flag {
	FAIR_F_CLUSTERS = 1,	/* with a level for them (since 5.16) */
	FAIR_F_ONE_NUMA = 2,	/* one level for all nodes (up to 3.8) */
};

/* Release it also after an error. */
int fair_domains_init(struct fair_domains *d, const struct topo *t,
		      unsigned int flags, struct err *err);
void fair_domains_release(struct fair_domains *d);

/* The CPUs of a CPU's domain at a level; NULL: it has no domain there. */
const struct fair_set *fair_domain(const struct fair_domains *d, int level,
				   int cpu);

/* The group of a set at a level, counted from the one that holds the CPU, round:
 * in that order the kernel looks at them, so that of equals those of the next
 * numbers are taken. */
const struct fair_set *fair_group(const struct fair_domains *d, int level,
				  int cpu, int nth);

/* The next level below at which the CPU has a domain; 0: none. */
int fair_child(const struct fair_domains *d, int level, int cpu);

/* Its set at a level, domain or not. */
const struct fair_set *fair_set_of(const struct fair_domains *d, int level,
				   int cpu);

/* The level of last-level caches, -1 if there is none. */
int fair_llc_level(const struct fair_domains *d);
bool fair_share_llc(const struct fair_domains *d, int a, int b);

#endif
