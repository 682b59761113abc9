/* SPDX-License-Identifier: MIT */
#include "replay/cfs34.h"

#include "model/task.h"

static bool holds(const struct fair_set *s, int cpu)
{
	for (int i = 0; s && i < s->nr; i++)
		if (s->cpu[i] == cpu)
			return true;
	return false;
}

/* -- the waker's CPU or the wakee's ----------------------------------------- */

/* The pct of the lowest domain that has both; 0: there is none. */
static int affine_pct(const struct fair *f, int this_cpu, int prev)
{
	for (int l = 1; l < f->domains.nr_levels; l++) {
		const int *set_of = f->domains.level[l].set_of;

		if (!fair_domain(&f->domains, l, this_cpu))
			continue;
		/* Only sets of nodes may overlap. */
		if (set_of[this_cpu] == set_of[prev] ||
		    (f->domains.level[l].kind == FAIR_NUMA &&
		     holds(fair_set_of(&f->domains, l, this_cpu), prev)))
			return fair_pct(f, l, this_cpu);
	}
	return 0;
}

bool cfs34_wake_affine(struct fair *f, const struct view *v,
		       const struct select_args *a, int this_cpu)
{
	const struct cfs34 *c = cfs34_of(f);
	int64_t load = view_signal(v, SIGNAL_TASK_WEIGHT, a->task);
	int64_t here = view_signal(v, SIGNAL_CPU_WEIGHT, this_cpu);
	int64_t there = view_signal(v, SIGNAL_CPU_WEIGHT, a->prev_cpu);
	int pct = affine_pct(f, this_cpu, a->prev_cpu);
	int nr = view_nr_running(v, this_cpu);
	int64_t mean = nr ? here / nr : 0;
	bool fits;

	if (!pct)
		return false;
	if (fair_is_sync(f, a))
		here -= view_signal(v, SIGNAL_TASK_WEIGHT, a->waker);
	if (here < 0)
		here = 0;
	fits = !here || 100 * c->power[a->prev_cpu] * (here + load) <=
		(100 + (pct - 100) / 2) * c->power[this_cpu] * there;
	return fits || (here <= there && here + there <= mean);
}

/* -- an idle CPU near the target -------------------------------------------- */

static bool is_idle(const struct view *v, const struct fair_set *g)
{
	for (int i = 0; i < g->nr; i++)
		if (!fair_idle_cpu(v, g->cpu[i]))
			return false;
	return true;
}

static int first_allowed(const struct view *v, const struct fair_set *g,
			 int task)
{
	for (int i = 0; i < g->nr; i++)
		if (view_allowed(v, task, g->cpu[i]))
			return g->cpu[i];
	return -1;
}

/* The groups of a domain, from that of the target on. */
static int idle_group(const struct fair *f, const struct view *v, int level,
		      int task, int target)
{
	const struct fair_set *s = fair_domain(&f->domains, level, target);
	const struct fair_level *below = &f->domains.level[level - 1];
	int own = 0, cpu;

	if (!s)
		return -1;
	while (own < s->nr_groups - 1 &&
	       s->group[own] != below->set_of[target])
		own++;
	for (int i = 0; i < s->nr_groups; i++) {
		const struct fair_set *g =
			&below->set[s->group[(own + i) % s->nr_groups]];

		cpu = is_idle(v, g) ? first_allowed(v, g, task) : -1;
		if (cpu >= 0)
			return cpu;
	}
	return -1;
}

int cfs34_idle_sibling(struct fair *f, const struct view *v, int task,
		       int target)
{
	if (fair_idle_cpu(v, target))
		return target;
	for (int l = f->llc; l > 0; l--) {
		int cpu = idle_group(f, v, l, task, target);

		if (cpu >= 0)
			return cpu;
	}
	return target;
}

int cfs34_wake(struct fair *f, const struct view *v,
	       const struct select_args *a)
{
	int this_cpu = a->waker_cpu >= 0 ? a->waker_cpu : a->prev_cpu;
	int target = a->prev_cpu;

	if (this_cpu != a->prev_cpu && view_allowed(v, a->task, this_cpu) &&
	    cfs34_wake_affine(f, v, a, this_cpu))
		target = this_cpu;
	return cfs34_idle_sibling(f, v, a->task, target);
}

/* -- fork and exec ---------------------------------------------------------- */

struct choice {
	struct fair *f;
	const struct view *v;
	int task, cpu, level;
};

/* Load per power; -1: the task may not run there. */
static int64_t group_load(const struct choice *c, const struct fair_set *g)
{
	const struct cfs34 *k = cfs34_of(c->f);
	int64_t load = 0, power = 0;

	if (first_allowed(c->v, g, c->task) < 0)
		return -1;
	for (int i = 0; i < g->nr; i++) {
		load += view_signal(c->v, SIGNAL_CPU_WEIGHT, g->cpu[i]);
		power += k->power[g->cpu[i]];
	}
	return load * 1024 / power;
}

/* NULL: that of c->cpu. */
static const struct fair_set *idlest_group(const struct choice *c)
{
	const struct fair_set *s = fair_domain(&c->f->domains, c->level, c->cpu);
	const struct fair_level *below = &c->f->domains.level[c->level - 1];
	int pct = 100 + (fair_pct(c->f, c->level, c->cpu) - 100) / 2;
	const struct fair_set *best = NULL;
	int64_t least = 0, own = -1;

	for (int i = 0; i < s->nr_groups; i++) {
		const struct fair_set *g = &below->set[s->group[i]];
		int64_t load = group_load(c, g);

		if (load < 0)
			continue;
		if (holds(g, c->cpu)) {
			own = load;
		} else if (!best || load < least) {
			best = g;
			least = load;
		}
	}
	return best && own >= 0 && 100 * own < pct * least ? NULL : best;
}

static int idlest_cpu(const struct choice *c, const struct fair_set *g)
{
	int64_t least = 0;
	int best = -1;

	for (int i = 0; i < g->nr; i++) {
		int cpu = g->cpu[i];
		int64_t load = view_signal(c->v, SIGNAL_CPU_WEIGHT, cpu);

		if (!view_allowed(c->v, c->task, cpu))
			continue;
		if (best < 0 || load < least ||
		    (load == least && cpu == c->cpu)) {
			best = cpu;
			least = load;
		}
	}
	return best;
}

int cfs34_descend(struct fair *f, const struct view *v, int task, int cpu,
		  int level)
{
	struct choice c = { .f = f, .v = v, .task = task, .cpu = cpu };

	for (c.level = level; c.level > 0; c.level--) {
		const struct fair_set *g;

		if (!fair_domain(&f->domains, c.level, c.cpu))
			continue;
		g = idlest_group(&c);
		cpu = g ? idlest_cpu(&c, g) : -1;
		if (cpu >= 0)
			c.cpu = cpu;
	}
	return c.cpu;
}

int cfs34_slow(struct fair *f, const struct view *v,
	       const struct select_args *a)
{
	return cfs34_descend(f, v, a->task, a->prev_cpu,
			     f->domains.nr_levels - 1);
}
