/* SPDX-License-Identifier: MIT */
/*
 * residency_local: what residency.c (adding up spans) asks of
 * residency_memory.c (where each task's accesses went over time).
 *
 * A view answers that for one task, or for all tasks of a process that have no
 * weights.  With few changes it is one curve of its own.  A task whose areas
 * changed more often shares their curves with others: its shares are the sum of
 * weight * area / weights(t), where weights(t) is that of the areas that held
 * pages then, a step function with few steps.
 */
#ifndef MODEL_RESIDENCY_LOCAL_H
#define MODEL_RESIDENCY_LOCAL_H

#include "model/curve.h"
#include "model/residency.h"

/* A view with more changes than that shares the areas' curves. */
#define VIEW_OWN_CHANGES 4096

struct mem_step {
	int64_t ts;
	int64_t pages;
	int64_t seq;		/* order in which it was given */
	int area, node;
};

struct mem_part {
	double weight;
	int area;
};

struct mem_view {
	bool shared;
	struct curve own;	/* !shared */
	struct mem_part *part;	/* shared: areas with weights */
	int nr_parts;
	int64_t *ts;		/* shared: from ts[i] on the sum of the weights */
	double *sum;		/* of areas that hold pages is sum[i] */
	int nr_sums;
};

struct mem_history {
	const struct areas *areas;
	int nr_tasks, nr_node_ids;
	struct mem_step *step;	/* by area, then in order */
	int64_t nr_steps, size_steps;
	int64_t *area_at;	/* [area] first step; [areas->nr] end */
	struct mem_access *access;	/* by task */
	int nr_access, size_access;
	struct curve *area_curve;	/* [area], of shared views */
	bool *has_curve;
	struct mem_view *proc_view;	/* [task id of leader] */
	struct mem_view *task_view;	/* [task id]; of those with weights */
	bool *has_weights;	/* [task id] */
	int *leader;
	int *first_area, *next_area;	/* [leader], [area] */
	double *scratch;	/* [node], of mem_view_integral() */
};

int mem_history_seal(struct mem_history *h, struct err *err);
void mem_history_release(struct mem_history *h);

const struct mem_view *mem_history_view(const struct mem_history *h, int task);

/*
 * Adds the integrals of the shares over [from, to) to into[nr_node_ids] and
 * returns that of "anything is known".  *hint as in curve_integral().
 */
double mem_view_integral(const struct mem_history *h, const struct mem_view *v,
			 const int64_t window[2], int *hint, double *into);

/* Pages of an area on a node at a time. */
int64_t mem_history_pages(const struct mem_history *h, int area, int node,
			  int64_t t);

#endif
