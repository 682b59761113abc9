/* SPDX-License-Identifier: MIT */
#include "replay/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"

#define NODE_MIGRATION_NS 200000
#define MIGRATION_NS 20000

int compare_init(struct compare *c, int nr_groups, int nr_tasks,
		 struct err *err)
{
	size_t each = (size_t)nr_tasks * METRIC_NR + 1;

	*c = (struct compare){ .nr_tasks = nr_tasks };
	c->group = calloc((size_t)nr_groups + 1, sizeof(*c->group));
	if (!c->group)
		return err_nomem(err);
	for (c->nr_groups = 0; c->nr_groups < nr_groups; c->nr_groups++) {
		struct compare_group *g = &c->group[c->nr_groups];

		g->task = calloc(each, sizeof(*g->task));
		if (!g->task)
			return err_nomem(err);
	}
	return 0;
}

void compare_release(struct compare *c)
{
	for (int i = 0; i < c->nr_groups; i++)
		free(c->group[i].task);
	free(c->group);
	free(c->change);
	free(c->task);
	*c = (struct compare){ 0 };
}

static struct stats *of_task(const struct compare *c, int group, int task)
{
	return c->group[group].task + (size_t)task * METRIC_NR;
}

const struct stats *compare_of_task(const struct compare *c, int group,
				    int task, enum metric m)
{
	return of_task(c, group, task) + m;
}

void compare_add(struct compare *c, int group, const struct residency *r,
		 int64_t pages_moved)
{
	struct compare_group *g = &c->group[group];
	double value[METRIC_NR];
	struct metrics_sum sum;

	metrics_sum(&sum, r, c->nr_tasks);
	sum.pages_moved = pages_moved;
	metrics_of_run(&sum, value);
	g->nr_runs++;
	for (int m = 0; m < METRIC_NR; m++)
		stats_add(&g->total[m], value[m]);
	for (int t = 0; t < c->nr_tasks; t++) {
		const struct residency_task *rt = residency_task(r, t);
		struct stats *s = of_task(c, group, t);

		if (!rt)
			continue;
		metrics_of_task(rt, value);
		for (int m = 0; m < METRIC_NR; m++)
			stats_add(&s[m], value[m]);
	}
}

static double scale_of(enum metric m, double cpu_ns, double elapsed_ns)
{
	switch (m) {
	case METRIC_CPU:
	case METRIC_WAIT:
		return 1;
	case METRIC_ELAPSED:
		return elapsed_ns > 0 ? cpu_ns / elapsed_ns : 0;
	case METRIC_LOCALITY:
	case METRIC_REMOTE_COST:
		return cpu_ns;
	case METRIC_NODE_MIGRATIONS:
		return NODE_MIGRATION_NS;
	case METRIC_MIGRATIONS:
		return MIGRATION_NS;
	default:
		return 0;
	}
}

/* 0: no change, or it cannot be told; a task that ran in one only counts from
 * nothing. */
static double weigh(const struct compare *c, int task, enum metric m)
{
	const struct stats *base = compare_of_task(c, 0, task, m);
	double cpu = compare_of_task(c, 0, task, METRIC_CPU)->mean, most = 0;
	double elapsed = compare_of_task(c, 0, task, METRIC_ELAPSED)->mean;

	for (int g = 1; g < c->nr_groups; g++) {
		const struct stats *s = compare_of_task(c, g, task, m);
		double here = compare_of_task(c, g, task, METRIC_CPU)->mean;
		double w;

		if (!s->n && !base->n)
			continue;
		if ((!s->n || !base->n) &&
		    (m == METRIC_LOCALITY || m == METRIC_REMOTE_COST))
			continue;
		w = fabs(s->mean - base->mean) *
			scale_of(m, here > cpu ? here : cpu, elapsed);
		if (w > most)
			most = w;
	}
	return most;
}

static int by_weight(const void *a, const void *b)
{
	const struct compare_change *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return (x->metric > y->metric) - (x->metric < y->metric);
}

static bool ran(const struct compare *c, int task)
{
	for (int g = 0; g < c->nr_groups; g++)
		if (compare_of_task(c, g, task, METRIC_CPU)->n)
			return true;
	return false;
}

/* Tasks in the order in which they first stand in the list of changes. */
static int order_tasks(struct compare *c, struct err *err)
{
	bool *seen = calloc((size_t)c->nr_tasks + 1, sizeof(*seen));

	c->task = calloc((size_t)c->nr_tasks + 1, sizeof(*c->task));
	if (!seen || !c->task) {
		free(seen);
		return err_nomem(err);
	}
	for (int i = 0; i < c->nr_changes; i++) {
		int t = c->change[i].task;

		if (!seen[t])
			c->task[c->nr_changed++] = t;
		seen[t] = true;
	}
	free(seen);
	return 0;
}

int compare_sort(struct compare *c, struct err *err)
{
	size_t all = (size_t)c->nr_tasks * METRIC_NR + 1;

	c->change = calloc(all, sizeof(*c->change));
	if (!c->change)
		return err_nomem(err);
	for (int t = 0; t < c->nr_tasks; t++) {
		if (!ran(c, t))
			continue;
		for (int m = 0; m < METRIC_NR; m++) {
			if (!metric_table[m].of_task)
				continue;
			c->change[c->nr_changes++] = (struct compare_change){
				.task = t, .metric = (enum metric)m,
				.weight = weigh(c, t, (enum metric)m) };
		}
	}
	qsort(c->change, (size_t)c->nr_changes, sizeof(*c->change), by_weight);
	return order_tasks(c, err);
}
