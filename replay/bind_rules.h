/* SPDX-License-Identifier: MIT */
/*
 * bind_rules: what numactl, cpusets and pinned virtual machines say, as text:
 *
 *	comm=mysqld* nodes=0+1 interleave=0+1; cgroup=/batch/?? cpus=8-15 mem=2
 *
 * Rules are separated by ';' or newline; '#' begins a comment.  A rule is words
 * separated by blanks, first whom it is for (all must hold), then what holds for
 * them:
 *
 *	comm=GLOB, cgroup=GLOB, pid=N	names as fnmatch(3) has them; the pid of a
 *			thread's process or its own tid
 *	cpus=LIST	CPUs it may use; nodes=LIST: those of these nodes
 *	mem=LIST	pages lie on the nearest of these nodes
 *	prefer=N	pages lie on this node
 *	interleave=LIST	pages lie evenly on these nodes
 *	weights=N:W+N:W	pages lie on nodes N in proportion to W
 *
 * LIST: "0-3+8" or "0-3,8".  The first rule that fits a task holds.
 */
#ifndef REPLAY_BIND_RULES_H
#define REPLAY_BIND_RULES_H

#include "model/cpumask.h"

#include <stdbool.h>

struct err;
struct view;

enum bind_memory { BIND_LOCAL, BIND_NEAREST, BIND_SPREAD };

struct bind_rule {
	char *comm, *cgroup;	/* NULL: any */
	int pid;		/* -1: any */
	bool has_cpus, has_nodes;
	struct cpumask cpus, nodes;
	enum bind_memory memory;
	int *weight;		/* [nr_nodes] of BIND_NEAREST (0, 1), SPREAD */
	int total;		/* of the weights */
};

struct bind_rules {
	struct bind_rule *rule;
	int nr, size, nr_nodes;
};

/* Adds the rules of a text; ERR_USAGE names the rule and what is wrong.  Nodes
 * and CPUs that v does not have are refused. */
int bind_rules_parse(struct bind_rules *r, const char *text,
		     const struct view *v, struct err *err);
void bind_rules_release(struct bind_rules *r);

/* The rule for a task; -1: none. */
int bind_rules_find(const struct bind_rules *r, const struct view *v, int task);

#endif
