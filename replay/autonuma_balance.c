/* SPDX-License-Identifier: MIT */
#include "replay/autonuma.h"

#include "model/task.h"

static int64_t share(int64_t part, int64_t total)
{
	return total > 0 ? 1000 * part / total : 0;
}

int64_t autonuma_task_weight(const struct autonuma *a, int task, int node)
{
	const struct autonuma_task *t = &a->task[task];

	return t->faults ? share(t->faults[node], t->total) : 0;
}

int64_t autonuma_mm_weight(const struct autonuma *a, int task, int node)
{
	const struct autonuma_mm *mm = &a->mm[view_task_proc(a->v, task)];

	return mm->pages ? share(mm->pages[node], mm->total) : 0;
}

static bool has_stats(const struct autonuma *a, int task)
{
	return a->task[task].total > 0 &&
		a->mm[view_task_proc(a->v, task)].total > 0;
}

/* The node with most; of equals the lowest. */
static int best_node(const struct autonuma *a, int task,
		     int64_t (*weight)(const struct autonuma *, int, int))
{
	int best = 0;

	for (int n = 1; n < a->nr_nodes; n++)
		if (weight(a, task, n) > weight(a, task, best))
			best = n;
	return best;
}

static void set_node(struct autonuma *a, int task, int node)
{
	if (a->task[task].node == node)
		return;
	a->task[task].node = node;
	decide_home(a->d, task, node);
}

/* What is gained if the task goes there and whoever runs there makes room;
 * <= 0: it must not. */
static int64_t against_idle(const struct autonuma *a, int task, int cur, int cpu)
{
	int n = view_cpu_node(a->v, cpu);
	int64_t here = autonuma_task_weight(a, task, cur);
	int64_t there = autonuma_task_weight(a, task, n);

	if (a->knob[AUTONUMA_VARIANT].i != AUTONUMA_ALPHA6 ||
	    view_signal(a->v, SIGNAL_AVG_IDLE, cpu) <=
	    a->knob[FAIR_MIGRATION_COST].i || there <= here ||
	    autonuma_mm_weight(a, task, n) <= autonuma_mm_weight(a, task, cur))
		return 0;
	return there + 1 + there - here;
}

static int64_t gain(const struct autonuma *a, int task, int cur, int cpu)
{
	int other = view_curr(a->v, cpu), n = view_cpu_node(a->v, cpu);
	int64_t (*weight)(const struct autonuma *, int, int) =
		autonuma_mm_weight;
	int64_t there, here, theirs;

	if (other == TASK_NONE)
		return against_idle(a, task, cur, cpu);
	if (!has_stats(a, other))
		return 0;
	if (view_task_proc(a->v, other) == view_task_proc(a->v, task))
		weight = autonuma_task_weight;
	there = weight(a, task, n);
	here = weight(a, task, cur);
	theirs = weight(a, other, n);
	if (there <= theirs || there <= here)
		return 0;
	return there - theirs + there - here;
}

static void go(struct autonuma *a, int task, int from, int cpu)
{
	int other = view_curr(a->v, cpu);

	set_node(a, task, view_cpu_node(a->v, cpu));
	decide_pull(a->d, &(struct pull){
		.task = task, .to_cpu = cpu, .why = MOVE_NUMA });
	if (a->knob[AUTONUMA_VARIANT].i == AUTONUMA_AUG && other != TASK_NONE &&
	    view_allowed(a->v, other, from))
		decide_pull(a->d, &(struct pull){
			.task = other, .to_cpu = from, .why = MOVE_NUMA });
}

void autonuma_balance(struct autonuma *a, int cpu)
{
	int task = view_curr(a->v, cpu), cur = view_cpu_node(a->v, cpu);
	int64_t best = 0, g;
	int to = -1;

	if (task == TASK_NONE || !a->knob[AUTONUMA_BALANCE].i ||
	    view_now(a->v) < a->balance_ns[cpu])
		return;
	a->balance_ns[cpu] = view_now(a->v) +
		a->knob[AUTONUMA_BALANCE_PERIOD].i;
	if (!has_stats(a, task))
		return;
	if (best_node(a, task, autonuma_task_weight) == cur &&
	    best_node(a, task, autonuma_mm_weight) == cur) {
		set_node(a, task, cur);
		return;
	}
	for (int c = 0; c < a->cfs.fair.nr_cpus; c++) {
		if (view_cpu_node(a->v, c) == cur ||
		    !view_allowed(a->v, task, c))
			continue;
		g = gain(a, task, cur, c);
		if (g > best) {
			best = g;
			to = c;
		}
	}
	if (to >= 0)
		go(a, task, cpu, to);
}
