/* SPDX-License-Identifier: MIT */
#include "replay/fair.h"

#include "model/task.h"

#define NS_PER_MS INT64_C(1000000)

/* -- which group ------------------------------------------------------------ */

/* All groups of a domain. */
struct sums {
	const struct fair_set *busiest;
	struct fair_stats local, most;
	int64_t load, capacity;
	bool prefer_sibling;
};

/* Of two that are equally busy the one that was seen first is taken; where all
 * CPUs of both have one task, as a rule, their load is not looked at. */
static bool is_busier(const struct fair_stats *a, const struct fair_stats *b)
{
	if (a->type != b->type)
		return a->type > b->type;
	if (a->type == FAIR_FULLY_BUSY)
		return false;
	if (a->type == FAIR_OVERLOADED)
		return a->avg_load > b->avg_load;
	if (a->idle_cpus != b->idle_cpus)
		return a->idle_cpus < b->idle_cpus;
	return a->nr_running > b->nr_running;
}

static void look(struct fair_env *e, struct sums *s)
{
	const struct fair_domains *d = &e->f->domains;
	const struct fair_set *set = fair_domain(d, e->level, e->cpu);
	const struct fair_set *own = fair_set_of(d, e->level - 1, e->cpu);
	int pct = fair_pct(e->f, e->level, e->cpu);
	int child = fair_child(d, e->level, e->cpu);

	*s = (struct sums){ .prefer_sibling = child > 0 &&
		d->level[child].kind != FAIR_NUMA };
	for (int i = 0; i < set->nr_groups; i++) {
		const struct fair_set *g = fair_group(d, e->level, e->cpu, i);
		struct fair_stats st;

		fair_group_stats(e->f, e->v, g, TASK_NONE, pct, &st);
		s->load += st.load;
		s->capacity += (int64_t)st.nr_cpus * 1024;
		if (g == own) {
			s->local = st;
		} else if (st.nr_running &&
			   (!s->busiest || is_busier(&st, &s->most))) {
			s->busiest = g;
			s->most = st;
		}
	}
}

static int64_t mean_load(const struct sums *s)
{
	return s->capacity ? s->load * 1024 / s->capacity : 0;
}

/* Is there anything to do between the two? */
static bool is_unbalanced(const struct fair_env *e, const struct sums *s)
{
	const struct fair_stats *l = &s->local, *b = &s->most;
	int pct = fair_pct(e->f, e->level, e->cpu);

	if (!s->busiest || l->type > b->type)
		return false;
	if (l->type == FAIR_OVERLOADED)
		return l->avg_load < b->avg_load &&
			l->avg_load < mean_load(s) &&
			100 * b->avg_load > pct * l->avg_load;
	if (s->prefer_sibling && l->type == FAIR_HAS_SPARE &&
	    b->nr_running > l->nr_running + 1)
		return true;
	if (b->type == FAIR_OVERLOADED)
		return true;
	if (e->when == FAIR_BUSY)
		return false;
	if (b->nr_cpus > 1 && l->idle_cpus <= b->idle_cpus + 1)
		return false;
	return b->nr_running > 1;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The local group has room. */
static void fill_spare(struct fair_env *e, const struct sums *s)
{
	const struct fair_stats *l = &s->local, *b = &s->most;
	int64_t capacity = (int64_t)l->nr_cpus * 1024, nr;

	if (b->type == FAIR_OVERLOADED && e->level > e->f->llc) {
		e->type = FAIR_MIGRATE_UTIL;
		e->imbalance = capacity > l->util ? capacity - l->util : 0;
		if (e->when != FAIR_BUSY && !e->imbalance) {
			e->type = FAIR_MIGRATE_TASK;
			e->imbalance = 1;
		}
		return;
	}
	e->type = FAIR_MIGRATE_TASK;
	nr = b->nr_cpus == 1 || s->prefer_sibling ?
		b->nr_running - l->nr_running : l->idle_cpus - b->idle_cpus;
	if (nr < 0)
		nr = 0;
	e->imbalance = fair_adjust_numa(e->f, e->level, nr,
		e->f->params->is_5_9 ? b->nr_running : l->nr_running + 1) / 2;
}

static void fill_load(struct fair_env *e, const struct sums *s)
{
	const struct fair_stats *l = &s->local, *b = &s->most;
	int64_t mean = mean_load(s);

	e->type = FAIR_MIGRATE_LOAD;
	e->imbalance = 0;
	if (l->avg_load >= b->avg_load || l->avg_load >= mean)
		return;
	e->imbalance = least((b->avg_load - mean) * b->nr_cpus,
			     (mean - l->avg_load) * l->nr_cpus);
}

bool fair_find_group(struct fair_env *e)
{
	struct sums s;

	look(e, &s);
	if (!is_unbalanced(e, &s))
		return false;
	if (s.local.type == FAIR_HAS_SPARE)
		fill_spare(e, &s);
	else
		fill_load(e, &s);
	e->busiest = s.busiest;
	e->kind = FAIR_ALL;
	if (e->f->domains.level[e->level].kind == FAIR_NUMA)
		e->kind = fair_queue_kind(s.most.nr_running, s.most.nr_numa,
					  s.most.nr_preferred);
	return e->imbalance > 0;
}

/* -- one look --------------------------------------------------------------- */

/* One CPU of each group does it: the first idle one or, if there is none, the
 * first. */
static bool is_my_turn(const struct fair_env *e)
{
	const struct fair_set *g;

	if (e->when == FAIR_NEWIDLE)
		return true;
	g = fair_set_of(&e->f->domains, e->level - 1, e->cpu);
	for (int i = 0; i < g->nr; i++)
		if (fair_idle_cpu(e->v, g->cpu[i]))
			return g->cpu[i] == e->cpu;
	return g->cpu[0] == e->cpu;
}

/* Stops the running task of a CPU and takes it. */
static bool push_running(struct fair_env *e)
{
	int task = view_curr(e->v, e->src);
	bool may = e->f->params->by_weight ? e->when != FAIR_NEWIDLE :
		e->type == FAIR_MIGRATE_TASK;

	if (!may || fair_state(e->f, e->level, e->cpu)->failed <=
	    fair_cache_nice(e->f, e->level) + 2 ||
	    task == TASK_NONE || !view_allowed(e->v, task, e->cpu))
		return false;
	decide_pull(e->d, &(struct pull){
		.task = task, .to_cpu = e->cpu, .why = MOVE_PUSH });
	return true;
}

/* Of the level's kind; NULL: by the number of CPUs. */
static const struct fair_span *span(const struct fair_env *e)
{
	const struct fair_span *all = e->f->params->span;

	return all ? &all[e->f->domains.level[e->level].kind] : NULL;
}

static int64_t min_interval(const struct fair_env *e)
{
	if (span(e))
		return span(e)->min_ns;
	return fair_domain(&e->f->domains, e->level, e->cpu)->nr * NS_PER_MS;
}

static void double_interval(struct fair_env *e, struct fair_balance *b)
{
	int64_t max = span(e) ? span(e)->max_ns : 2 * min_interval(e);

	if (e->when != FAIR_NEWIDLE && b->interval_ns < max)
		b->interval_ns *= 2;
}

static bool find_group(struct fair_env *e)
{
	const struct fair_hooks *h = e->f->params->hooks;

	return h && h->find_group ? h->find_group(e) : fair_find_group(e);
}

/* Returns how many tasks it took. */
static int balance(struct fair_env *e)
{
	struct fair_balance *b = fair_state(e->f, e->level, e->cpu);
	int moved;

	e->pinned = false;
	if (!is_my_turn(e) || !find_group(e) || !fair_find_queue(e)) {
		b->failed = 0;
		double_interval(e, b);
		return 0;
	}
	moved = fair_pull(e);
	if (!moved && e->pinned) {
		b->failed = 0;
		double_interval(e, b);
		return 0;
	}
	b->interval_ns = min_interval(e);
	if (moved) {
		b->failed = 0;
		return moved;
	}
	if (e->when != FAIR_NEWIDLE)
		b->failed++;
	if (push_running(e)) {
		b->failed = 0;
		return 1;
	}
	return 0;
}

/* -- when ------------------------------------------------------------------- */

static int64_t interval(const struct fair_env *e, struct fair_balance *b)
{
	int64_t tick = NS_PER_MS * 1000 / view_hz(e->v), ns;
	int64_t max = 100 * NS_PER_MS * e->f->nr_online;

	if (!b->interval_ns)
		b->interval_ns = min_interval(e);
	ns = b->interval_ns;
	if (e->when == FAIR_BUSY)
		ns = ns * (span(e) ? span(e)->busy_factor :
			   e->f->params->busy_factor) - tick;
	if (ns > max)
		ns = max;
	return ns > tick ? ns : tick;
}

/* Is there anything for an idle CPU to take?  Who goes by weight also spreads
 * tasks that run alone over cores. */
static bool has_work(const struct fair *f, const struct view *v)
{
	const int *nr = view_queue_lengths(v);
	int busy = 0;

	if (!f->params->by_weight || view_nr_crowded(v))
		return view_nr_crowded(v);
	for (int c = 0; c < f->nr_cpus && busy < 2; c++)
		busy += nr[c] > 0;
	return busy > 1;
}

void fair_tick(void *state, const struct view *v, int cpu,
	       struct decisions *d)
{
	struct fair *f = state;
	struct fair_env e = {
		.f = f, .v = v, .d = d, .cpu = cpu,
		.when = view_curr(v, cpu) == TASK_NONE ? FAIR_IDLE : FAIR_BUSY,
	};

	if (e.when == FAIR_IDLE && !has_work(f, v))
		return;
	for (e.level = 1; e.level < f->domains.nr_levels; e.level++) {
		struct fair_balance *b = fair_state(f, e.level, cpu);

		if (!fair_domain(&f->domains, e.level, cpu) ||
		    view_now(v) - b->last_ns < interval(&e, b))
			continue;
		b->last_ns = view_now(v);
		/* What was decided is carried out after this callback: the
		 * levels above have to wait for the next tick. */
		if (balance(&e))
			break;
	}
}

void fair_newidle(void *state, const struct view *v, int cpu,
		  struct decisions *d)
{
	struct fair *f = state;
	int64_t idle = view_signal(v, SIGNAL_AVG_IDLE, cpu), cost = 0;
	struct fair_env e = {
		.f = f, .v = v, .d = d, .cpu = cpu, .when = FAIR_NEWIDLE };

	if (!view_nr_crowded(v) || (f->params->is_5_9 &&
				    idle < f->knob[FAIR_MIGRATION_COST].i))
		return;
	for (e.level = 1; e.level < f->domains.nr_levels; e.level++) {
		const struct fair_set *s = fair_domain(&f->domains, e.level, cpu);

		if (!s)
			continue;
		cost = f->params->newidle_flat ? f->knob[FAIR_MIGRATION_COST].i :
			cost + s->nr * f->knob[FAIR_NEWIDLE_COST].i;
		if (idle < cost || balance(&e))
			break;
	}
}
