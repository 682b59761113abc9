/* SPDX-License-Identifier: MIT */
#include "replay/policy_spread.h"

#include "replay/view.h"

static bool can(const struct spread *s, const struct view *v, int task, int cpu)
{
	return view_allowed(v, task, cpu) &&
		(!s->fits || s->fits(s->ctx, v, task, cpu));
}

/* Of two CPUs with as many tasks. */
static bool is_nearer(const struct view *v, int cpu, int than, int to)
{
	int node = view_cpu_node(v, to);

	if (than == to || cpu == to)
		return cpu == to;
	return view_cpu_node(v, cpu) == node && view_cpu_node(v, than) != node;
}

int spread_cpu(const struct spread *s, const struct view *v,
	       const struct select_args *a)
{
	int best = -1, min = 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++) {
		int nr = view_nr_running(v, c) - (view_curr(v, c) == a->task);

		if (!can(s, v, a->task, c))
			continue;
		if (best < 0 || nr < min ||
		    (nr == min && is_nearer(v, c, best, a->prev_cpu))) {
			best = c;
			min = nr;
		}
	}
	return best;
}

/* Its first waiting task that may come here. */
static int first_fit(const struct spread *s, const struct view *v, int from,
		     int cpu)
{
	struct queue_pos pos = { 0 };
	int task;

	while ((task = view_queue_next(v, from, &pos)) != TASK_NONE)
		if (can(s, v, task, cpu))
			break;
	return task;
}

void spread_pull(const struct spread *s, const struct view *v, int cpu,
		 struct decisions *d)
{
	int best = TASK_NONE, max = 1, from = -1;

	for (int c = 0; c < view_nr_cpu_ids(v); c++) {
		int nr = view_nr_running(v, c), task;

		if (c == cpu || nr < max || nr < 2)
			continue;
		if (nr == max && (from < 0 || !is_nearer(v, c, from, cpu)))
			continue;
		task = first_fit(s, v, c, cpu);
		if (task == TASK_NONE)
			continue;
		best = task;
		max = nr;
		from = c;
	}
	if (best != TASK_NONE)
		decide_pull(d, &(struct pull){
			.task = best, .to_cpu = cpu, .why = MOVE_BALANCE });
}
