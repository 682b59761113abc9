/* SPDX-License-Identifier: MIT */
#include "replay/fair.h"

#include "model/task.h"

#include <limits.h>
#include <stdlib.h>

struct choice {
	struct fair *f;
	const struct view *v;
	int task, cpu, level;
};

static bool may_use(const struct choice *c, const struct fair_set *g)
{
	for (int i = 0; i < g->nr; i++)
		if (view_allowed(c->v, c->task, g->cpu[i]))
			return true;
	return false;
}

static bool holds(const struct fair_set *g, int cpu)
{
	for (int i = 0; i < g->nr; i++)
		if (g->cpu[i] == cpu)
			return true;
	return false;
}

static bool is_idler(const struct fair_stats *a, const struct fair_stats *best)
{
	if (a->type != best->type)
		return a->type < best->type;
	if (a->type != FAIR_HAS_SPARE)
		return a->avg_load < best->avg_load;
	if (a->idle_cpus != best->idle_cpus)
		return a->idle_cpus > best->idle_cpus;
	return a->util < best->util;
}

static bool on_node(const struct choice *c, const struct fair_set *g, int node)
{
	return node >= 0 && view_cpu_node(c->v, g->cpu[0]) == node;
}

/* Both are of one type: is the other group so much better? */
static bool is_worth_it(const struct choice *c, const struct fair_stats *local,
			const struct fair_set *idlest,
			const struct fair_stats *st)
{
	bool is_numa = c->f->domains.level[c->level].kind == FAIR_NUMA;
	int pct = fair_pct(c->f, c->level, c->cpu);
	int home = view_task_home(c->v, c->task);
	int64_t margin = 1024 * (pct - 100) / 100;

	if (local->type != FAIR_HAS_SPARE) {
		if (is_numa && st->avg_load + margin >= local->avg_load)
			return false;
		return st->avg_load < local->avg_load + margin &&
			100 * local->avg_load > pct * st->avg_load;
	}
	if (is_numa) {
		if (home >= 0 && view_cpu_node(c->v, c->cpu) == home)
			return false;
		if (on_node(c, idlest, home))
			return true;
		if (c->f->params->is_5_9 && local->idle_cpus)
			return false;
		if (!c->f->params->is_5_9 &&
		    !fair_adjust_numa(c->f, c->level,
				      abs(local->idle_cpus - st->idle_cpus),
				      local->nr_running + 1))
			return false;
	}
	return local->idle_cpus < st->idle_cpus;
}

/* NULL: the group of c->cpu. */
static const struct fair_set *idlest_group(const struct choice *c)
{
	const struct fair_set *s = fair_domain(&c->f->domains, c->level, c->cpu);
	const struct fair_set *idlest = NULL;
	struct fair_stats local = { 0 }, best = { 0 }, st;
	int pct = fair_pct(c->f, c->level, c->cpu);
	bool has_local = false;

	for (int i = 0; i < s->nr_groups; i++) {
		const struct fair_set *g = fair_group(&c->f->domains, c->level,
						      c->cpu, i);

		if (!may_use(c, g))
			continue;
		fair_group_stats(c->f, c->v, g, c->task, pct, &st);
		if (holds(g, c->cpu)) {
			local = st;
			has_local = true;
		} else if (!idlest || is_idler(&st, &best)) {
			idlest = g;
			best = st;
		}
	}
	if (!idlest || !has_local)
		return idlest;
	if (local.type != best.type)
		return local.type < best.type ? NULL : idlest;
	return is_worth_it(c, &local, idlest, &best) ? idlest : NULL;
}

/* An idle one; where none is, the least loaded. */
static int idlest_cpu(const struct choice *c, const struct fair_set *g)
{
	int64_t least = INT64_MAX;
	int best = -1;

	for (int i = 0; i < g->nr; i++) {
		int64_t load;

		if (!view_allowed(c->v, c->task, g->cpu[i]))
			continue;
		if (fair_idle_cpu(c->v, g->cpu[i]))
			return g->cpu[i];
		load = view_signal(c->v, SIGNAL_CPU_LOAD, g->cpu[i]);
		if (load < least || best < 0) {
			least = load;
			best = g->cpu[i];
		}
	}
	return best;
}

/* Downwards from the machine to a CPU. */
int fair_slow(struct fair *f, const struct view *v,
	      const struct select_args *a)
{
	struct choice c = { .f = f, .v = v, .task = a->task, .cpu = a->prev_cpu };

	if (a->why == SELECT_EXEC && view_nr_running(v, a->prev_cpu) < 1)
		return a->prev_cpu;
	for (c.level = f->domains.nr_levels - 1; c.level > 0; c.level--) {
		const struct fair_set *g;
		int cpu;

		if (!fair_domain(&f->domains, c.level, c.cpu))
			continue;
		g = idlest_group(&c);
		if (!g)
			continue;
		cpu = idlest_cpu(&c, g);
		if (cpu >= 0)
			c.cpu = cpu;
	}
	/* The lowest groups are single CPUs: c.cpu is one of them. */
	return c.cpu;
}
