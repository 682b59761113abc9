/* SPDX-License-Identifier: MIT */
#include "replay/cfs34.h"

/* -- groups ----------------------------------------------------------------- */

/* All groups of a domain. */
struct sums {
	const struct fair_set *busiest;
	struct cfs34_group local, most;
	int64_t load, power;
};

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int load_idx(const struct fair_env *e)
{
	if (e->when == FAIR_NEWIDLE)
		return 0;
	return (int)cfs34_number(e->f, e->level, e->when == FAIR_BUSY ?
				 CFS34_BUSY_IDX : CFS34_IDLE_IDX);
}

static void look_at(const struct fair_env *e, const struct fair_set *s,
		    bool is_local, struct cfs34_group *g)
{
	const struct cfs34 *c = cfs34_of(e->f);
	int64_t most = 0, least = INT64_MAX;
	int idx = load_idx(e), longest = 0;

	*g = (struct cfs34_group){ .nr_cpus = s->nr };
	for (int i = 0; i < s->nr; i++) {
		int cpu = s->cpu[i], nr = view_nr_running(e->v, cpu);
		int64_t load = is_local ?
			cfs34_target_load(c, e->v, cpu, idx) :
			cfs34_source_load(c, e->v, cpu, idx);

		most = larger(most, load);
		least = smaller(least, load);
		longest = nr > longest ? nr : longest;
		g->load += load;
		g->weight += view_signal(e->v, SIGNAL_CPU_WEIGHT, cpu);
		g->power += c->power[cpu];
		g->nr_running += nr;
		g->idle_cpus += !nr;
	}
	g->avg_load = g->load * 1024 / g->power;
	g->capacity = (int)((g->power + 512) / 1024);
	if (!g->capacity)
		g->capacity = 1;
	g->is_uneven = !is_local && longest > 1 && g->nr_running &&
		most - least >= g->weight / g->nr_running;
}

static bool is_busiest(const struct sums *s, const struct cfs34_group *g)
{
	if (s->busiest && g->avg_load <= s->most.avg_load)
		return false;
	return g->avg_load > 0 &&
		(g->nr_running > g->capacity || g->is_uneven);
}

static void look(const struct fair_env *e, struct sums *s)
{
	const struct fair_domains *d = &e->f->domains;
	const struct fair_level *below = &d->level[e->level - 1];
	const struct fair_set *set = fair_domain(d, e->level, e->cpu);
	int own = below->set_of[e->cpu];
	int child = fair_child(d, e->level, e->cpu);
	bool spreads;

	*s = (struct sums){ 0 };
	look_at(e, &below->set[own], true, &s->local);
	s->load = s->local.load;
	s->power = s->local.power;
	/* Levels of cores and caches prefer siblings of their own level. */
	spreads = child > 0 && d->level[child].kind != FAIR_SMT &&
		d->level[child].kind != FAIR_NUMA &&
		s->local.capacity > s->local.nr_running;
	for (int i = 0; i < set->nr_groups; i++) {
		const struct fair_set *g = &below->set[set->group[i]];
		struct cfs34_group st;

		if (set->group[i] == own)
			continue;
		look_at(e, g, false, &st);
		s->load += st.load;
		s->power += st.power;
		if (spreads)
			st.capacity = 1;
		if (is_busiest(s, &st)) {
			s->busiest = g;
			s->most = st;
		}
	}
}

/* -- how much --------------------------------------------------------------- */

static int64_t mean_load(const struct sums *s)
{
	return s->load * 1024 / s->power;
}

static int64_t per_task(const struct cfs34_group *g)
{
	return g->nr_running ? g->weight / g->nr_running : 0;
}

/* Less than a task's worth: one moves if that does not make it worse. */
static int64_t small_imbalance(const struct sums *s, int64_t task)
{
	const struct cfs34_group *l = &s->local, *b = &s->most;
	int64_t scaled = task * 1024 / b->power;
	int tasks = l->nr_running && task > per_task(l) ? 1 : 2;

	return b->avg_load - l->avg_load + scaled >= scaled * tasks ? task : 0;
}

static int64_t imbalance(const struct sums *s)
{
	const struct cfs34_group *l = &s->local, *b = &s->most;
	int64_t mean = mean_load(s), task = per_task(b), pull, amount;

	if (b->is_uneven)
		task = smaller(task, mean);
	if (b->avg_load < mean)
		return small_imbalance(s, task);
	pull = b->avg_load - mean;
	if (!b->is_uneven)
		pull = smaller(pull, (int64_t)(b->nr_running - b->capacity) *
			       1024 * 1024 / b->power);
	amount = smaller(pull * b->power, (mean - l->avg_load) * l->power) /
		1024;
	return amount < task ? small_imbalance(s, task) : amount;
}

static bool is_balanced(const struct fair_env *e, const struct sums *s)
{
	const struct cfs34_group *l = &s->local, *b = &s->most;

	if (b->is_uneven || (e->when == FAIR_NEWIDLE &&
			     l->capacity > l->nr_running &&
			     b->capacity <= b->nr_running))
		return false;
	if (l->avg_load >= b->avg_load || l->avg_load >= mean_load(s))
		return true;
	if (e->when == FAIR_IDLE)
		return l->idle_cpus <= b->idle_cpus + 1 &&
			b->nr_running <= b->nr_cpus;
	return 100 * b->avg_load <=
		fair_pct(e->f, e->level, e->cpu) * l->avg_load;
}

bool cfs34_find_group(struct fair_env *e)
{
	struct sums s;

	look(e, &s);
	if (!s.busiest || is_balanced(e, &s))
		return false;
	e->busiest = s.busiest;
	e->type = FAIR_MIGRATE_LOAD;
	e->kind = FAIR_ALL;
	e->imbalance = imbalance(&s);
	return e->imbalance > 0;
}
