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

/* What the threads share: they take the replays in order. */
struct work {
	const struct reproduce_options *o;
	struct repro *repro;
	struct bench *bench;		/* [cell] equal ones are made once */
	int *bench_of;			/* [cell] */
	struct policy_spec policy[MAX_SYSTEMS];
	struct repro_run *run;		/* [cell * seeds + k] */
	struct bar *bar;
	pthread_mutex_t lock;
	int next, done, all;
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

static int make_bench(struct work *w, int cell, struct err *err)
{
	const struct repro_cell *c = &w->repro->cell[cell];
	struct synth_spec spec = { .ops = NULL };
	char text[600], jobs[16];

	w->bench_of[cell] = cell;
	for (int i = 0; i < cell; i++) {
		const struct repro_cell *o = &w->repro->cell[i];

		if (o->jobs == c->jobs && o->disturbed == c->disturbed) {
			w->bench_of[cell] = i;
			return 0;
		}
	}
	snprintf(jobs, sizeof(jobs), "%d", c->jobs);
	if (snprintf(text, sizeof(text), "numa_test%s%s%s",
		     c->disturbed ? "" : ",hackbench=0",
		     w->o->workload ? "," : "",
		     w->o->workload ? w->o->workload : "") >= (int)sizeof(text))
		return err_set(err, ERR_USAGE, "--workload is too long");
	if (!synth_spec_parse(&spec, text, jobs, err))
		bench_init(&w->bench[cell], &spec, "azusa", w->o->cost, 1, err);
	synth_spec_release(&spec);
	return err->code;
}

/* -- threads ---------------------------------------------------------------------- */

static void tell(struct work *w)
{
	w->done++;
	if (bar_show(w->bar, "replays", (double)w->done / w->all))
		err_set(&w->err, ERR_STOPPED, "stopped");
}

static void *worker(void *ctx)
{
	struct work *w = ctx;

	pthread_mutex_lock(&w->lock);
	while (w->next < w->all && !w->err.code) {
		int i = w->next++, cell = i / (int)w->o->seeds;
		int system = w->repro->cell[cell].system;
		struct err err = { 0 };

		pthread_mutex_unlock(&w->lock);
		repro_run(&w->bench[w->bench_of[cell]], &w->policy[system],
			  (uint64_t)(w->o->seed + i % w->o->seeds),
			  &w->run[i], &err);
		pthread_mutex_lock(&w->lock);
		if (err.code && !w->err.code)
			w->err = err;
		tell(w);
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
	for (int i = 0; i < w->all; i++)
		repro_add(&w->repro->cell[i / w->o->seeds], &w->run[i]);
	return 0;
}

int reproduce_run(const struct reproduce_options *o, struct repro *r,
		  struct bar *bar, struct err *err)
{
	struct work w = { .o = o, .repro = r, .bar = bar };
	int code;

	repro_cells(r);
	w.all = r->nr * (int)o->seeds;
	w.bench = calloc((size_t)r->nr, sizeof(*w.bench));
	w.bench_of = calloc((size_t)r->nr, sizeof(*w.bench_of));
	w.run = calloc((size_t)w.all, sizeof(*w.run));
	pthread_mutex_init(&w.lock, NULL);
	code = w.bench && w.bench_of && w.run ? 0 : err_nomem(err);
	if (!code)
		code = read_policies(&w, err);
	for (int i = 0; !code && i < r->nr; i++)
		code = make_bench(&w, i, err);
	if (!code)
		code = run_all(&w, err);
	for (int i = 0; w.bench && i < r->nr; i++)
		bench_release(&w.bench[i]);
	for (int s = 0; repro_systems[s].name; s++)
		policy_spec_release(&w.policy[s]);
	pthread_mutex_destroy(&w.lock);
	free(w.bench);
	free(w.bench_of);
	free(w.run);
	return code;
}
