/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#include <stdlib.h>

#include "model/task.h"

#define ACTIVE_FRACTION 3	/* of the most active node's CPU faults */

struct numab_group *numab_group(const struct numab *n, int task)
{
	int id = n->task[task].group;

	return id ? &n->group[id - 1] : NULL;
}

static int64_t both(const int64_t *faults)
{
	return faults[0] + faults[1];
}

/* -- members ---------------------------------------------------------------- */

/* A task's faults come to its group (by 1) or leave it (by -1). */
static void add_member(struct numab *n, struct numab_group *g,
		       const struct numab_task *t, int by)
{
	for (int i = 0; i < n->nr_nodes; i++) {
		for (int p = 0; p < 2; p++) {
			g->sum[i].mem[p] += by * t->sum[i].mem[p];
			g->sum[i].cpu[p] += by * t->sum[i].cpu[p];
		}
	}
	g->total += by * t->total;
	g->nr_tasks += by;
}

static bool found(struct numab *n, int task)
{
	struct numab_group *g = &n->group[task];

	g->sum = calloc((size_t)n->nr_nodes + 1, sizeof(*g->sum));
	if (!g->sum) {
		decide_nomem(n->d);
		return false;
	}
	g->nr_tasks = 0;
	g->nr_active = 1;
	g->most_cpu = 0;
	g->total = 0;
	n->task[task].group = task + 1;
	add_member(n, g, &n->task[task], 1);
	return true;
}

void numab_group_leave(struct numab *n, int task)
{
	struct numab_group *g = numab_group(n, task);

	if (!g)
		return;
	add_member(n, g, &n->task[task], -1);
	n->task[task].group = 0;
	if (g->nr_tasks)
		return;
	free(g->sum);
	g->sum = NULL;
}

/* The smaller group is left for the larger one; of equal ones the later. */
static bool shall_join(const struct numab_group *mine,
		       const struct numab_group *other)
{
	if (mine->nr_tasks != other->nr_tasks)
		return mine->nr_tasks < other->nr_tasks;
	return mine > other;
}

void numab_group_meet(struct numab *n, int task, int last, int last_node)
{
	struct numab_group *other, *mine;

	if (!n->knob[NUMAB_GROUPS].i)
		return;
	if (!n->task[task].group && !found(n, task))
		return;
	if (view_task_state(n->v, last) != VIEW_RUNNING ||
	    view_cpu_node(n->v, view_task_cpu(n->v, last)) != last_node ||
	    view_task_proc(n->v, last) != view_task_proc(n->v, task))
		return;
	mine = numab_group(n, task);
	other = numab_group(n, last);
	if (!other || other == mine || !shall_join(mine, other))
		return;
	numab_group_leave(n, task);
	n->task[task].group = (int)(other - n->group) + 1;
	add_member(n, other, &n->task[task], 1);
}

/* -- what is known of it ---------------------------------------------------- */

int64_t numab_group_weight(const struct numab *n, int task, int node,
			   int within)
{
	const struct numab_group *g = numab_group(n, task);

	return g ? numab_part(n, g->sum, g->total, node, within) : 0;
}

bool numab_group_is_active(const struct numab_group *g, int node)
{
	return both(g->sum[node].cpu) * ACTIVE_FRACTION > g->most_cpu;
}

void numab_group_count_active(struct numab *n, struct numab_group *g)
{
	g->most_cpu = 0;
	for (int i = 0; i < n->nr_nodes; i++)
		if (view_node_cpus(n->v, i) && both(g->sum[i].cpu) > g->most_cpu)
			g->most_cpu = both(g->sum[i].cpu);
	g->nr_active = 0;
	for (int i = 0; i < n->nr_nodes; i++)
		g->nr_active += view_node_cpus(n->v, i) &&
			numab_group_is_active(g, i);
}

/* The floating point is exact enough for periods in ns, and cannot overflow. */
int64_t numab_group_scale(const struct numab *n, int task, int64_t period)
{
	const struct numab_group *g = numab_group(n, task);
	double by[2] = { 0 }, scaled;

	if (!g)
		return period;
	for (int i = 0; i < n->nr_nodes; i++)
		for (int p = 0; p < 2; p++)
			by[p] += (double)g->sum[i].mem[p];
	scaled = (double)period * g->nr_tasks * (by[0] + 1) /
		(by[0] + by[1] + 1);
	return (int64_t)scaled;
}

/* A shared page goes where its group runs more, in proportion to the memory that
 * is there already; 3/4 keeps it from going back and forth. */
bool numab_group_wants(const struct numab *n, int task, int src, int dst)
{
	const struct numab_group *g = numab_group(n, task);
	double from, to, here, there;

	if (!g)
		return true;
	from = (double)both(g->sum[src].cpu);
	to = (double)both(g->sum[dst].cpu);
	here = (double)both(g->sum[src].mem);
	there = (double)both(g->sum[dst].mem);
	return to > from * ACTIVE_FRACTION || to * here * 3 > from * there * 4;
}
