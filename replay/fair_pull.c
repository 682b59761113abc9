/* SPDX-License-Identifier: MIT */
#include "replay/fair.h"

#include "model/task.h"

static int64_t shift(int64_t x, int by)
{
	return by < 62 ? x >> by : 0;
}

/* -- which CPU -------------------------------------------------------------- */

static enum fair_queue queue_of(const struct view *v, int cpu)
{
	int numa = 0;

	for (int n = 0; n < view_nr_node_ids(v); n++)
		numa += view_nr_home(v, cpu, n);
	return fair_queue_kind(view_nr_running(v, cpu), numa,
			       view_nr_home(v, cpu, view_cpu_node(v, cpu)));
}

/* How good a CPU is to take from; -1: nothing to be had. */
static int64_t worth(const struct fair_env *e, int cpu)
{
	int nr = view_nr_running(e->v, cpu);
	int64_t load;

	if (!nr || cpu == e->cpu || (int)queue_of(e->v, cpu) > e->kind)
		return -1;
	switch (e->type) {
	case FAIR_MIGRATE_LOAD:
		load = fair_cpu_load(e->f, e->v, cpu);
		return nr == 1 && load > e->imbalance ? -1 : load;
	case FAIR_MIGRATE_UTIL:
		return nr < 2 ? -1 : view_signal(e->v, SIGNAL_CPU_UTIL, cpu);
	case FAIR_MIGRATE_TASK:
		return nr;
	}
	return -1;
}

int fair_find_queue(struct fair_env *e)
{
	int64_t best = 0;

	e->src = -1;
	for (int i = 0; i < e->busiest->nr; i++) {
		int64_t w = worth(e, e->busiest->cpu[i]);

		if (w > best) {
			best = w;
			e->src = e->busiest->cpu[i];
		}
	}
	return e->src >= 0;
}

/* -- which tasks ------------------------------------------------------------ */

static bool is_hot(const struct fair_env *e, int task)
{
	int64_t cost = e->f->knob[FAIR_MIGRATION_COST].i;

	return cost && view_now(e->v) - view_task_ran_ns(e->v, task) < cost;
}

static bool may_pull(struct fair_env *e, int task)
{
	const struct fair_level *l = &e->f->domains.level[e->level];
	int nice = fair_cache_nice(e->f, e->level), hot = -1;

	if (!view_allowed(e->v, task, e->cpu))
		return false;
	e->pinned = false;
	if (fair_state(e->f, e->level, e->cpu)->failed > nice)
		return true;
	if (e->f->numa_ops && e->f->numa_ops->degrades &&
	    l->kind == FAIR_NUMA)
		hot = e->f->numa_ops->degrades(e->f->numa, e->v, task, e->src,
					       e->cpu, e->when == FAIR_IDLE);
	if (hot < 0)
		hot = is_hot(e, task);
	return !hot;
}

/* Takes it off the imbalance; false: it is too large a piece. */
static bool fits(struct fair_env *e, int task)
{
	int failed = fair_state(e->f, e->level, e->cpu)->failed;
	int64_t size;

	switch (e->type) {
	case FAIR_MIGRATE_LOAD:
		size = fair_task_load(e->f, e->v, task);
		if (size < 1)
			size = 1;
		if (shift(size, e->f->params->by_weight ? 1 : failed) >
		    e->imbalance)
			return false;
		e->imbalance -= size;
		return true;
	case FAIR_MIGRATE_UTIL:
		size = view_signal(e->v, SIGNAL_TASK_UTIL, task);
		if (shift(size, failed) > e->imbalance)
			return false;
		e->imbalance -= size;
		return true;
	case FAIR_MIGRATE_TASK:
		e->imbalance--;
		return true;
	}
	return false;
}

static bool in_pass(const struct fair_env *e, int task, int pass)
{
	const struct fair_numa_ops *ops = e->f->numa_ops;

	return !ops || !ops->nr_passes ||
		ops->in_pass(e->f->numa, e, task, pass);
}

static int pull_pass(struct fair_env *e, int pass, int left)
{
	int64_t looks = e->f->knob[FAIR_NR_MIGRATE].i;
	struct queue_pos pos = { 0 };
	int moved = 0, task;

	if (looks > left)
		looks = left;
	while (looks-- > 0 && (e->when == FAIR_BUSY || left - moved > 1) &&
	       (task = view_queue_next(e->v, e->src, &pos)) != TASK_NONE) {
		if (!in_pass(e, task, pass) || !may_pull(e, task) ||
		    !fits(e, task))
			continue;
		decide_pull(e->d, &(struct pull){
			.task = task, .to_cpu = e->cpu, .why = MOVE_BALANCE });
		moved++;
		if (e->imbalance <= 0 ||
		    (e->when == FAIR_NEWIDLE && e->f->knob[FAIR_PREEMPTION].i))
			break;
	}
	return moved;
}

int fair_pull(struct fair_env *e)
{
	const struct fair_numa_ops *ops = e->f->numa_ops;
	int passes = ops && ops->nr_passes ? ops->nr_passes : 1;
	int left = view_nr_running(e->v, e->src), moved = 0;

	if (left < 2)
		return 0;
	e->pinned = true;
	for (int p = 0; p < passes; p++) {
		moved += pull_pass(e, p, left - moved);
		if (e->imbalance <= 0 || (moved && e->when == FAIR_NEWIDLE &&
					  e->f->knob[FAIR_PREEMPTION].i))
			break;
	}
	return moved;
}
