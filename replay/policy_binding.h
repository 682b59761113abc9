/* SPDX-License-Identifier: MIT */
/*
 * policy_binding: the bindings of Arcangeli's benchmarks (sheet K.2 of
 * algorithms.md), derived from the topology, never from CPU numbers.
 *
 * Processes with memory are dealt out to the nodes in turn (numa01).  One that
 * has more threads besides its first than a node has CPUs is dealt out in parts:
 * its threads and its memory areas, each in order, in as many equal parts as there
 * are nodes (numa02).  Others are free.
 */
#ifndef REPLAY_POLICY_BINDING_H
#define REPLAY_POLICY_BINDING_H

#include "replay/policy.h"

struct binding {
	int *node;		/* with CPUs, ascending */
	int nr;
	int *task_part;		/* [task] index into node[], -1: free */
	int *area_part;		/* [area] likewise */
	int nr_areas;
};

int binding_init(struct binding *b, const struct view *v, struct err *err);
void binding_release(struct binding *b);

/* Callbacks of a policy whose state begins with a struct bound. */
struct bound {
	struct binding binding;
	int shift;		/* memory lies so many nodes further */
	int all_on;		/* index of the node of all memory; -1 */
	bool tasks_free;
};

int bound_init(void **state, const struct view *v, const struct bound *like,
	       struct err *err);
void bound_exit(void *state);
int bound_select_cpu(void *state, const struct view *v,
		     const struct select_args *a, struct decisions *d);
void bound_tick(void *state, const struct view *v, int cpu,
		struct decisions *d);
void bound_newidle(void *state, const struct view *v, int cpu,
		   struct decisions *d);
int bound_place_page(void *state, const struct view *v, int task, int area,
		     int64_t *pages);

#endif
