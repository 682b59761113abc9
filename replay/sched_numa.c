/* SPDX-License-Identifier: MIT */
#include "replay/sched_numa.h"

#include <stdlib.h>

#include "model/err.h"
#include "model/task.h"

static int home_of(const struct sched_numa *s, const struct view *v, int task)
{
	return s->proc[view_task_proc(v, task)].home;
}

/* -- load balancing --------------------------------------------------------- */

/* First those that are not at home where they wait, then the others. */
static bool in_pass(void *numa, const struct fair_env *e, int task, int pass)
{
	const struct sched_numa *s = numa;
	int home = home_of(s, e->v, task);
	bool away = s->knob[SCHED_NUMA_PULL].i && home >= 0 &&
		home != view_cpu_node(e->v, e->src);

	return away == !pass;
}

/* Only towards its home. */
static int degrades(void *numa, const struct view *v, int task, int src,
		    int dst, bool is_idle)
{
	const struct sched_numa *s = numa;
	int home = home_of(s, v, task);
	int from = view_cpu_node(v, src), to = view_cpu_node(v, dst);

	if (!s->knob[SCHED_NUMA_HOT].i || home < 0 || from == to)
		return -1;
	return topo_distance(view_topo(v), to, home) <
		topo_distance(view_topo(v), from, home) ? -1 : 1;
}

static const struct fair_numa_ops numa_ops = {
	.degrades = degrades, .nr_passes = 2, .in_pass = in_pass };

/* Runnable tasks of a group that are not at home there, and their weight. */
static int away_from_home(const struct fair_env *e, const struct fair_set *g,
			  int64_t *weight)
{
	int nr = 0;

	for (int i = 0; i < g->nr; i++) {
		int cpu = g->cpu[i], here = view_cpu_node(e->v, cpu), away = 0;

		for (int n = 0; n < view_nr_node_ids(e->v); n++)
			if (n != here)
				away += view_nr_home(e->v, cpu, n);
		if (!away)
			continue;
		nr += away;
		*weight += away * view_signal(e->v, SIGNAL_CPU_WEIGHT, cpu) /
			view_nr_running(e->v, cpu);
	}
	return nr;
}

/* NUMA_PULL_BIAS: balanced, but somebody may want to come home. */
static bool find_biased(struct fair_env *e)
{
	const struct fair_domains *d = &e->f->domains;
	const struct fair_level *below = &d->level[e->level - 1];
	const struct fair_set *set = fair_domain(d, e->level, e->cpu);
	const struct sched_numa *s = e->f->numa;
	int best = 0;

	if (!s->knob[SCHED_NUMA_PULL_BIAS].i ||
	    d->level[e->level].kind != FAIR_NUMA || view_random(e->v, 2))
		return false;
	for (int i = 0; i < set->nr_groups; i++) {
		const struct fair_set *g = &below->set[set->group[i]];
		int64_t weight = 0;
		int nr;

		if (set->group[i] == below->set_of[e->cpu])
			continue;
		nr = away_from_home(e, g, &weight);
		if (nr <= best)
			continue;
		best = nr;
		e->busiest = g;
		e->imbalance = weight / nr;
	}
	e->type = FAIR_MIGRATE_LOAD;
	e->kind = FAIR_ALL;
	return best > 0 && e->imbalance > 0;
}

static bool find_group(struct fair_env *e)
{
	return cfs34_find_group(e) || find_biased(e);
}

/* -- wake-ups --------------------------------------------------------------- */

static int cpu_at_home(const struct view *v, int task, int home)
{
	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == home && view_allowed(v, task, c))
			return c;
	return -1;
}

static int wake(struct fair *f, const struct view *v,
		const struct select_args *a)
{
	const struct sched_numa *s = f->numa;
	int home = home_of(s, v, a->task), cpu;
	struct select_args b = *a;

	if (home >= 0 && view_cpu_node(v, a->prev_cpu) != home) {
		cpu = cpu_at_home(v, a->task, home);
		if (cpu >= 0)
			b.prev_cpu = cpu;
	}
	return cfs34_wake(f, v, &b);
}

/* The highest level that stays inside a node. */
static int level_in_node(const struct fair *f)
{
	int level = f->domains.nr_levels - 1;

	while (level > 0 && f->domains.level[level].kind == FAIR_NUMA)
		level--;
	return level;
}

static int slow(struct fair *f, const struct view *v,
		const struct select_args *a)
{
	struct sched_numa *s = f->numa;
	int proc = view_task_proc(v, a->task), cpu = a->prev_cpu, home;

	if (a->why == SELECT_EXEC && s->knob[SCHED_NUMA_SELECT].i)
		sched_numa_set_home(s, proc, sched_numa_idlest_node(s,
			view_cpu_node(v, a->prev_cpu)));
	home = s->proc[proc].home;
	if (home < 0)
		return cfs34_slow(f, v, a);
	if (view_cpu_node(v, cpu) != home)
		cpu = cpu_at_home(v, a->task, home);
	if (cpu < 0)
		return cfs34_slow(f, v, a);
	return cfs34_descend(f, v, a->task, cpu, level_in_node(f));
}

static const struct fair_hooks hooks = {
	.wake = wake, .slow = slow, .find_group = find_group };

/* -- homes ------------------------------------------------------------------ */

static int64_t node_load(const struct sched_numa *s, int node)
{
	int64_t load = s->node[node].remote_cpu;

	for (int c = 0; c < s->cfs.fair.nr_cpus; c++)
		if (view_cpu_online(s->v, c) && view_cpu_node(s->v, c) == node)
			load += view_signal(s->v, SIGNAL_CPU_WEIGHT, c);
	return load;
}

/* The least loaded of those that had room for all their pages (of all, if none
 * had). */
int sched_numa_idlest_node(const struct sched_numa *s, int node)
{
	int64_t least = 0, load, here = -1;
	int best = -1;
	bool any = true;

	for (int n = 0; n < s->nr_nodes; n++)
		any &= !view_node_cpus(s->v, n) || s->node[n].remote_mem;
	for (int n = 0; n < s->nr_nodes; n++) {
		if (!view_node_cpus(s->v, n) || (s->node[n].remote_mem && !any))
			continue;
		load = node_load(s, n);
		if (n == node)
			here = load;
		if (best < 0 || load < least) {
			best = n;
			least = load;
		}
	}
	if (here >= 0 && here * 100 < least *
	    (100 + s->knob[SCHED_NUMA_HYSTERESIS].i))
		return node;
	return best;
}

void sched_numa_set_home(struct sched_numa *s, int proc, int node)
{
	struct sched_numa_proc *p = &s->proc[proc];

	p->turn = ++s->turn;
	if (p->home == node)
		return;
	p->home = node;
	for (int t = 0; t < s->nr_tasks; t++)
		if (view_task_proc(s->v, t) == proc &&
		    view_task_state(s->v, t) != VIEW_UNBORN &&
		    view_task_state(s->v, t) != VIEW_GONE)
			decide_home(s->d, t, node);
	sched_numa_unmap(s, proc);
}

void sched_numa_begin_task(struct sched_numa *s, int task, int parent)
{
	int proc = view_task_proc(s->v, task);
	struct sched_numa_proc *p = &s->proc[proc];
	int cpu = view_task_cpu(s->v, parent != TASK_NONE ? parent : task);

	p->nr_tasks++;
	if (view_task_is_kthread(s->v, task))
		return;
	if (task == proc && parent == TASK_NONE)
		sched_numa_set_home(s, proc, view_cpu_node(s->v, cpu));
	else if (task == proc && s->knob[SCHED_NUMA_SELECT].i)
		sched_numa_set_home(s, proc, sched_numa_idlest_node(s,
			view_cpu_node(s->v, cpu)));
	if (p->home >= 0)
		decide_home(s->d, task, p->home);
}

void sched_numa_exit_task(void *state, const struct view *v, int task)
{
	struct sched_numa *s = state;

	s->proc[view_task_proc(v, task)].nr_tasks--;
}

/* -- set-up ----------------------------------------------------------------- */

/* In the order of their numbers. */
static void link_areas(struct sched_numa *s, const struct view *v)
{
	for (int a = s->nr_areas - 1; a >= 0; a--) {
		int proc = view_area_proc(v, a);

		s->next_area[a] = -1;
		if (proc < 0 || proc >= s->nr_tasks)
			continue;
		s->next_area[a] = s->proc[proc].first_area;
		s->proc[proc].first_area = a;
	}
}

int sched_numa_init(void **state, const struct view *v,
		    const struct knob_value *knobs, struct err *err)
{
	struct sched_numa *s = *state = calloc(1, sizeof(*s));
	size_t tasks = (size_t)view_nr_tasks(v) + 1;

	if (!s)
		return err_nomem(err);
	s->knob = knobs;
	s->nr_nodes = view_nr_node_ids(v);
	s->nr_areas = view_nr_areas(v);
	s->nr_tasks = view_nr_tasks(v);
	if (cfs34_init(&s->cfs, &hooks, v, knobs, err))
		return err->code;
	s->cfs.fair.numa_ops = &numa_ops;
	s->cfs.fair.numa = s;
	s->proc = calloc(tasks, sizeof(*s->proc));
	s->credit = calloc(tasks, sizeof(*s->credit));
	s->next_area = calloc((size_t)s->nr_areas + 1, sizeof(*s->next_area));
	s->node = calloc((size_t)s->nr_nodes + 1, sizeof(*s->node));
	if (!s->proc || !s->credit || !s->next_area || !s->node)
		return err_nomem(err);
	for (int t = 0; t < s->nr_tasks; t++)
		s->proc[t].home = s->proc[t].first_area = -1;
	for (int n = 0; n < s->nr_nodes; n++)
		s->node[n].next_ns = view_now(v) + knobs[SCHED_NUMA_PERIOD].i;
	link_areas(s, v);
	return 0;
}

void sched_numa_exit(void *state)
{
	struct sched_numa *s = state;

	if (!s)
		return;
	cfs34_release(&s->cfs);
	free(s->proc);
	free(s->credit);
	free(s->next_area);
	free(s->node);
	free(s);
}
