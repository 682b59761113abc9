/* SPDX-License-Identifier: MIT */
#include "ui/compare_study.h"

#include "model/demand.h"
#include "model/err.h"
#include "model/residency.h"
#include "ui/bar.h"
#include "ui/cost_spec.h"
#include "ui/open.h"
#include "ui/run_pick.h"
#include "ui/run_topo.h"

#include <stdlib.h>
#include <string.h>

/* -- which runs --------------------------------------------------------------------- */

static int pick(struct compare_study *c, struct compare_runs *g,
		struct err *err)
{
	g->index = malloc(((size_t)c->nr_runs + 1) * sizeof(*g->index));
	if (!g->index)
		return err_nomem(err);
	g->nr = run_pick_all(c->runs, c->nr_runs, g->spec, g->index, err);
	if (g->nr < 0)
		return g->nr;
	/* What happened, not the replays that only check the replay. */
	if (!strcmp(g->spec, "recorded") && !c->runs[g->index[0]].id)
		g->nr = 1;
	return 0;
}

static int find_own(struct compare_study *c, struct err *err)
{
	struct demand_task *demand = NULL;
	int nr = 0;

	c->is_own = calloc((size_t)c->tasks.nr + 1, sizeof(*c->is_own));
	if (!c->is_own)
		return err_nomem(err);
	if (store_get_demand_tasks(c->store, &demand, &nr, err))
		return err->code;
	for (int i = 0; i < nr; i++)
		if (demand[i].task < c->tasks.nr)
			c->is_own[demand[i].task] = demand[i].stopper;
	free(demand);
	return 0;
}

int compare_study_open(struct compare_study *c, const char *path,
		       char **spec, int nr, struct bar *bar, struct err *err)
{
	*c = (struct compare_study){ 0 };
	if (open_study(&c->store, path, bar, err) ||
	    store_get_tasks(c->store, &c->tasks, err) ||
	    tasks_index(&c->tasks, err) ||
	    store_get_areas(c->store, &c->areas, err) ||
	    store_get_runs(c->store, &c->runs, &c->nr_runs, err) ||
	    find_own(c, err))
		return err->code;
	c->group = calloc((size_t)nr, sizeof(*c->group));
	if (!c->group)
		return err_nomem(err);
	for (; c->nr_groups < nr; c->nr_groups++) {
		c->group[c->nr_groups].spec = spec[c->nr_groups];
		if (pick(c, &c->group[c->nr_groups], err)) {
			c->nr_groups++;
			return err->code;
		}
	}
	return compare_init(&c->compare, nr, c->tasks.nr, err);
}

void compare_study_release(struct compare_study *c)
{
	for (int i = 0; i < c->nr_groups; i++)
		free(c->group[i].index);
	for (int i = 0; i < c->nr_runs; i++)
		run_info_release(&c->runs[i]);
	free(c->group);
	free(c->runs);
	free(c->is_own);
	compare_release(&c->compare);
	tasks_release(&c->tasks);
	areas_release(&c->areas);
	store_close(c->store);
}

const struct run_info *compare_study_run(const struct compare_study *c,
					 int group)
{
	return &c->runs[c->group[group].index[0]];
}

/* -- adding up ------------------------------------------------------------------------ */

static int take_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	return residency_mem(ctx, m, err);
}

static int take_access(void *ctx, const struct mem_access *a, struct err *err)
{
	return residency_access(ctx, a, err);
}

static int take_spans(struct compare_study *c, int run, struct residency *r,
		      struct err *err)
{
	struct store_spans *it;
	struct span s;

	if (store_spans_open(c->store, run, INT64_MIN, INT64_MAX, &it, err))
		return err->code;
	while (store_spans_next(it, &s, err) > 0)
		if (residency_span(r, &s, err))
			break;
	store_spans_close(it);
	return err->code;
}

static int add_up(struct compare_study *c, int group, int run,
		  struct residency *r, struct err *err)
{
	int64_t pages_moved;

	if (store_each_mem(c->store, run, take_mem, r, err) ||
	    store_each_access(c->store, run, take_access, r, err) ||
	    residency_seal(r, err) || take_spans(c, run, r, err) ||
	    store_get_count(c->store, run, "pages_moved", &pages_moved, err))
		return err->code;
	compare_add(&c->compare, group, r, pages_moved);
	return 0;
}

static int read_run(struct compare_study *c, int group,
		    const struct run_info *run, const char *spec,
		    struct err *err)
{
	struct residency *r = NULL;
	struct cost cost = { 0 };
	struct topo topo = { 0 };

	if (run_topo(c->store, run, &topo, err) ||
	    cost_spec(&cost, &topo, c->store, spec, NULL, err))
		goto out;
	r = residency_new(&topo, &c->tasks, &c->areas, &cost, INT64_MIN / 4,
			  INT64_MAX / 4, err);
	if (r)
		add_up(c, group, run->id, r, err);
out:
	residency_free(r);
	cost_release(&cost);
	topo_release(&topo);
	return err->code;
}

int compare_study_read(struct compare_study *c, const char *cost,
		       struct bar *bar, struct err *err)
{
	int all = 0, done = 0;

	for (int g = 0; g < c->nr_groups; g++)
		all += c->group[g].nr;
	for (int g = 0; g < c->nr_groups; g++) {
		for (int i = 0; i < c->group[g].nr; i++) {
			const struct run_info *run =
				&c->runs[c->group[g].index[i]];

			bar_show(bar, "comparing", (double)done++ / all);
			if (read_run(c, g, run, cost, err))
				return err->code;
		}
	}
	bar_clear(bar);
	return compare_sort(&c->compare, err);
}
