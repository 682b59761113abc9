/* SPDX-License-Identifier: MIT */
#include "ui/reproduce_run.h"

#include "model/err.h"
#include "replay/repro_table.h"
#include "ui/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SYSTEMS 16
#define DEFAULT_SEEDS 20

/* A unit is one seed of a workload, replayed for every cell that has it. */
struct work {
	const struct reproduce_options *o;
	struct repro *repro;
	struct policy_spec policy[MAX_SYSTEMS];
	int first_cell[REPRO_MAX_CELLS];	/* [workload] */
	int nr_workloads, seeds;
	struct repro_run *run;		/* [cell][seeds] */
};

/* -- preparation ------------------------------------------------------------------ */

const char *reproduce_policy(const struct reproduce_options *o,
			     const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; i < o->systems.nr; i++)
		if (!strncmp(o->systems.item[i], name, len) &&
		    o->systems.item[i][len] == '=')
			return o->systems.item[i] + len + 1;
	return NULL;
}

int reproduce_seeds(const struct reproduce_options *o)
{
	return o->seeds ? (int)o->seeds : DEFAULT_SEEDS;
}

static bool is_name(const char *name, const char *item, size_t len)
{
	return strlen(name) == len && !memcmp(name, item, len);
}

static bool is_system(const char *item, size_t len)
{
	for (int s = 0; repro_systems[s].name; s++)
		if (is_name(repro_systems[s].name, item, len))
			return true;
	for (const struct repro_table *t = repro_tables; t->name; t++)
		for (const struct repro_line *l = t->line; l->row; l++)
			if (is_name(l->column, item, len))
				return true;
	return false;
}

int reproduce_check(const struct reproduce_options *o, struct err *err)
{
	for (int i = 0; i < o->systems.nr; i++) {
		size_t len = strcspn(o->systems.item[i], "=");

		if (!o->systems.item[i][len] ||
		    !is_system(o->systems.item[i], len))
			return err_set(err, ERR_USAGE, "--system '%s': "
				       "SYSTEM=POLICY is wanted, SYSTEM one of A "
				       "to F, ilb, or a column of another table",
				       o->systems.item[i]);
	}
	return 0;
}

static int read_policies(struct work *w, struct err *err)
{
	for (int s = 0; repro_systems[s].name; s++) {
		const char *other = reproduce_policy(w->o, repro_systems[s].name);

		if (policy_spec_pick(&w->policy[s], other ? other :
				     repro_systems[s].policy, NULL, err))
			return err->code;
	}
	return 0;
}

static bool same_workload(const struct repro_cell *a,
			  const struct repro_cell *b)
{
	return a->jobs == b->jobs && a->disturbed == b->disturbed;
}

static void find_workloads(struct work *w)
{
	const struct repro *r = w->repro;

	for (int c = 0; c < r->nr; c++) {
		int i = 0;

		while (i < w->nr_workloads &&
		       !same_workload(&r->cell[w->first_cell[i]], &r->cell[c]))
			i++;
		if (i == w->nr_workloads)
			w->first_cell[w->nr_workloads++] = c;
	}
}

static int make_bench(const struct work *w, const struct repro_cell *c,
		      int64_t seed, struct bench *b, struct err *err)
{
	struct synth_spec spec = { .ops = NULL };
	char text[600], jobs[16];

	snprintf(jobs, sizeof(jobs), "%d", c->jobs);
	if (snprintf(text, sizeof(text), "numa_test%s%s%s",
		     c->disturbed ? "" : ",hackbench=0",
		     w->o->workload ? "," : "",
		     w->o->workload ? w->o->workload : "") >= (int)sizeof(text))
		return err_set(err, ERR_USAGE, "--workload is too long");
	if (!synth_spec_parse(&spec, text, jobs, err))
		bench_init(b, &spec, NULL, NULL, (uint64_t)seed, err);
	synth_spec_release(&spec);
	return err->code;
}

/* -- replays ---------------------------------------------------------------------- */

static int run_unit(void *ctx, int unit, struct err *err)
{
	struct work *w = ctx;
	int workload = unit / w->seeds, k = unit % w->seeds;
	const struct repro_cell *like =
		&w->repro->cell[w->first_cell[workload]];
	int64_t seed = w->o->seed + k;
	struct bench b = { .what = { .nr_access = 0 } };

	if (make_bench(w, like, seed, &b, err))
		goto out;
	for (int c = 0; c < w->repro->nr; c++) {
		const struct repro_cell *cell = &w->repro->cell[c];

		if (!same_workload(cell, like))
			continue;
		if (bench_set_cost(&b, repro_systems[cell->system].machine,
				   w->o->cost, err) ||
		    reproduce_replay(&b, &w->policy[cell->system],
				     (uint64_t)seed,
				     &w->run[c * w->seeds + k], err))
			break;
	}
out:
	bench_release(&b);
	return err->code;
}

static int run_all(struct work *w, struct bar *bar, struct err *err)
{
	const struct units units = {
		.nr = w->nr_workloads * w->seeds,
		.jobs = (int)w->o->jobs, .run = run_unit, .ctx = w,
		.bar = bar, .what = "numa_test" };

	if (units_run(&units, err))
		return err->code;
	for (int c = 0; c < w->repro->nr; c++)
		for (int k = 0; k < w->seeds; k++)
			repro_add(&w->repro->cell[c],
				  &w->run[c * w->seeds + k]);
	return 0;
}

int reproduce_run(const struct reproduce_options *o, struct repro *r,
		  struct bar *bar, struct err *err)
{
	struct work w = { .o = o, .repro = r, .seeds = reproduce_seeds(o) };
	int code;

	repro_cells(r);
	find_workloads(&w);
	w.run = calloc((size_t)r->nr * (size_t)w.seeds, sizeof(*w.run));
	code = w.run ? read_policies(&w, err) : err_nomem(err);
	if (!code)
		code = run_all(&w, bar, err);
	for (int s = 0; repro_systems[s].name; s++)
		policy_spec_release(&w.policy[s]);
	free(w.run);
	return code;
}
