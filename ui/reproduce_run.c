/* SPDX-License-Identifier: MIT */
#include "ui/reproduce_run.h"

#include "model/err.h"
#include "ui/bar.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 256
#define MAX_SYSTEMS 16

/* What the threads share: they take the units in order.  A unit is one seed of
 * a workload, replayed for every cell that has it. */
struct work {
	const struct reproduce_options *o;
	struct repro *repro;
	struct policy_spec policy[MAX_SYSTEMS];
	int first_cell[REPRO_MAX_CELLS];	/* [workload] */
	int nr_workloads;
	struct repro_run *run;		/* [cell][seeds] */
	struct bar *bar;
	pthread_mutex_t lock;
	int next, done, all;		/* units */
	struct err err;
};

/* -- preparation ------------------------------------------------------------------ */

static const char *policy_of(const struct reproduce_options *o, const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; i < o->systems.nr; i++)
		if (!strncmp(o->systems.item[i], name, len) &&
		    o->systems.item[i][len] == '=')
			return o->systems.item[i] + len + 1;
	return NULL;
}

static int check_systems(const struct reproduce_options *o, struct err *err)
{
	for (int i = 0; i < o->systems.nr; i++) {
		size_t len = strcspn(o->systems.item[i], "=");
		bool known = false;

		for (int s = 0; repro_systems[s].name; s++)
			known |= strlen(repro_systems[s].name) == len &&
				!memcmp(repro_systems[s].name,
					o->systems.item[i], len);
		if (!known || !o->systems.item[i][len])
			return err_set(err, ERR_USAGE, "--system '%s': "
				       "SYSTEM=POLICY is wanted, SYSTEM one of A "
				       "to F and ilb", o->systems.item[i]);
	}
	return 0;
}

static int read_policies(struct work *w, struct err *err)
{
	if (check_systems(w->o, err))
		return err->code;
	for (int s = 0; repro_systems[s].name; s++) {
		const char *other = policy_of(w->o, repro_systems[s].name);

		if (policy_spec_parse(&w->policy[s], other ? other :
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

/* -- threads ---------------------------------------------------------------------- */

static int run_unit(struct work *w, int unit, struct err *err)
{
	int workload = unit / (int)w->o->seeds, k = unit % (int)w->o->seeds;
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
		    repro_run(&b, &w->policy[cell->system], (uint64_t)seed,
			      &w->run[c * w->o->seeds + k], err))
			break;
	}
out:
	bench_release(&b);
	return err->code;
}

static void *worker(void *ctx)
{
	struct work *w = ctx;

	pthread_mutex_lock(&w->lock);
	while (w->next < w->all && !w->err.code) {
		int unit = w->next++;
		struct err err = { 0 };

		pthread_mutex_unlock(&w->lock);
		run_unit(w, unit, &err);
		pthread_mutex_lock(&w->lock);
		if (err.code && !w->err.code)
			w->err = err;
		bar_show(w->bar, "replays", (double)++w->done / w->all);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static int run_all(struct work *w, struct err *err)
{
	pthread_t thread[MAX_THREADS];
	int nr = 0, want = (int)w->o->jobs;

	while (nr < want - 1 && nr < MAX_THREADS &&
	       !pthread_create(&thread[nr], NULL, worker, w))
		nr++;
	worker(w);
	while (nr)
		pthread_join(thread[--nr], NULL);
	if (w->err.code)
		return err_set(err, w->err.code, "%s", w->err.text);
	for (int c = 0; c < w->repro->nr; c++)
		for (int k = 0; k < w->o->seeds; k++)
			repro_add(&w->repro->cell[c],
				  &w->run[c * w->o->seeds + k]);
	return 0;
}

int reproduce_run(const struct reproduce_options *o, struct repro *r,
		  struct bar *bar, struct err *err)
{
	struct work w = { .o = o, .repro = r, .bar = bar };
	int code;

	repro_cells(r);
	find_workloads(&w);
	w.all = w.nr_workloads * (int)o->seeds;
	w.run = calloc((size_t)r->nr * (size_t)o->seeds, sizeof(*w.run));
	pthread_mutex_init(&w.lock, NULL);
	code = w.run ? read_policies(&w, err) : err_nomem(err);
	if (!code)
		code = run_all(&w, err);
	for (int s = 0; repro_systems[s].name; s++)
		policy_spec_release(&w.policy[s]);
	pthread_mutex_destroy(&w.lock);
	free(w.run);
	return code;
}
