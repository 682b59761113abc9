/* SPDX-License-Identifier: MIT */
#include "replay/fair.h"

#include <stdlib.h>

#include "model/err.h"
#include "model/task.h"

const struct fair_params fair_today = {
	.pct = 117, .pct_llc = 117, .pct_smt = 110, .busy_factor = 16,
	.clusters = true, .cluster_wake = true,
};

int fair_init(struct fair *f, const struct fair_params *p,
	      const struct view *v, const struct knob_value *knobs,
	      struct err *err)
{
	size_t cpus = (size_t)view_nr_cpu_ids(v) + 1;
	size_t tasks = (size_t)view_nr_tasks(v) + 1;

	f->params = p;
	f->knob = knobs;
	f->nr_cpus = view_nr_cpu_ids(v);
	f->nr_tasks = view_nr_tasks(v);
	for (int c = 0; c < f->nr_cpus; c++)
		f->nr_online += view_cpu_online(v, c);
	if (fair_domains_init(&f->domains, view_topo(v),
			      (p->clusters ? FAIR_F_CLUSTERS : 0) |
			      (p->one_numa ? FAIR_F_ONE_NUMA : 0), err))
		return err->code;
	f->llc = fair_llc_level(&f->domains);
	f->balance = calloc(cpus * (size_t)f->domains.nr_levels,
			    sizeof(*f->balance));
	f->flips = calloc(tasks, sizeof(*f->flips));
	f->scan_ns = calloc(cpus, sizeof(*f->scan_ns));
	return f->balance && f->flips && f->scan_ns ? 0 : err_nomem(err);
}

void fair_release(struct fair *f)
{
	fair_domains_release(&f->domains);
	free(f->balance);
	free(f->flips);
	free(f->scan_ns);
	f->scan_ns = NULL;
	f->balance = NULL;
	f->flips = NULL;
}

int fair_new(void **state, const struct fair_params *p, const struct view *v,
	     const struct knob_value *knobs, struct err *err)
{
	*state = calloc(1, sizeof(struct fair));
	return *state ? fair_init(*state, p, v, knobs, err) : err_nomem(err);
}

void fair_exit(void *state)
{
	if (state)
		fair_release(state);
	free(state);
}

int fair_select_cpu(void *state, const struct view *v,
		    const struct select_args *a, struct decisions *d)
{
	struct fair *f = state;
	const struct fair_hooks *h = f->params->hooks;

	if (a->why == SELECT_WAKE)
		return h && h->wake ? h->wake(f, v, a) : fair_wake(f, v, a);
	return h && h->slow ? h->slow(f, v, a) : fair_slow(f, v, a);
}

struct fair_balance *fair_state(const struct fair *f, int level, int cpu)
{
	return &f->balance[(size_t)level * (size_t)f->nr_cpus + (size_t)cpu];
}

int fair_cache_nice(const struct fair *f, int level)
{
	enum fair_kind kind = f->domains.level[level].kind;

	if (f->params->span)
		return f->params->span[kind].cache_nice;
	return kind == FAIR_NUMA ? 2 : 1;
}

int fair_pct(const struct fair *f, int level, int cpu)
{
	if (f->params->span)
		return f->params->span[f->domains.level[level].kind].pct;
	if (f->domains.level[level].kind == FAIR_SMT)
		return f->params->pct_smt;
	return level <= f->llc ? f->params->pct_llc : f->params->pct;
}

int64_t fair_adjust_numa(const struct fair *f, int level, int64_t imbalance,
			 int running)
{
	const struct fair_level *l = &f->domains.level[level];

	if (l->kind != FAIR_NUMA || !f->knob[FAIR_ALLOW_IMBALANCE].i)
		return imbalance;
	if (f->params->is_5_9)
		return running <= 2 ? 0 : imbalance;
	if (running > l->imb_numa)
		return imbalance;
	return imbalance <= 2 ? 0 : imbalance;
}

void fair_group_stats(const struct fair *f, const struct view *v,
		      const struct fair_set *s, int without, int pct,
		      struct fair_stats *st)
{
	enum view_state state = view_task_state(v, without);
	bool queued = state == VIEW_QUEUED || state == VIEW_RUNNING;
	int64_t capacity = (int64_t)s->nr * 1024;

	*st = (struct fair_stats){ .nr_cpus = s->nr };
	for (int i = 0; i < s->nr; i++) {
		int c = s->cpu[i], nr = view_nr_running(v, c);
		int own = view_nr_home(v, c, view_cpu_node(v, c));

		st->load += view_signal(v, SIGNAL_CPU_LOAD, c);
		st->util += view_signal(v, SIGNAL_CPU_UTIL, c);
		st->runnable += view_signal(v, SIGNAL_CPU_RUNNABLE, c);
		st->nr_preferred += own;
		if (c == view_task_cpu(v, without) && without != TASK_NONE) {
			nr -= queued;
			st->load -= view_signal(v, SIGNAL_TASK_LOAD, without);
			st->util -= view_signal(v, SIGNAL_TASK_UTIL, without);
			st->runnable -= view_signal(v, SIGNAL_TASK_RUNNABLE,
						    without);
		}
		st->nr_running += nr;
		st->idle_cpus += !nr;
		for (int n = 0; nr && n < view_nr_node_ids(v); n++)
			st->nr_numa += view_nr_home(v, c, n);
	}
	if (st->load < 0)
		st->load = 0;
	st->avg_load = st->load * 1024 / capacity;
	if (st->nr_running > s->nr && (capacity * 100 < st->util * pct ||
	    capacity * pct < st->runnable * 100))
		st->type = FAIR_OVERLOADED;
	else if (st->nr_running < s->nr ||
		 (capacity * pct >= st->runnable * 100 &&
		  capacity * 100 > st->util * pct))
		st->type = FAIR_HAS_SPARE;
	else
		st->type = FAIR_FULLY_BUSY;
}

enum fair_queue fair_queue_kind(int running, int numa, int preferred)
{
	if (running > numa)
		return FAIR_REGULAR;
	return running > preferred ? FAIR_REMOTE : FAIR_ALL;
}
