/* SPDX-License-Identifier: MIT */
#include "replay/bench.h"

#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "model/preset.h"
#include "replay/engine.h"

int bench_set_cost(struct bench *b, const char *machine, const char *cost,
		   struct err *err)
{
	cost_release(&b->cost);
	if (cost_init(&b->cost, &b->topo, err) ||
	    cost_parse(&b->cost, machine, err) ||
	    (cost && cost_parse(&b->cost, cost, err)))
		return err->code;
	return 0;
}

int bench_init(struct bench *b, const struct synth_spec *spec,
	       const char *machine, const char *cost, uint64_t seed,
	       struct err *err)
{
	const struct preset *p;
	struct demand_sink sink;

	*b = (struct bench){ 0 };
	if (!machine)
		machine = spec->ops->machine;
	p = preset_find(machine);
	if (!p)
		return err_set(err, ERR_USAGE, "no machine '%s'; there are: %s",
			       machine, PRESET_NAMES);
	demand_mem_sink(&b->demand, &sink);
	if (preset_topo(p, &b->topo, err) ||
	    bench_set_cost(b, machine, cost, err))
		return err->code;
	return synth_make(spec, topo_nr_cpus(&b->topo), seed, &sink, &b->what,
			  err);
}

void bench_release(struct bench *b)
{
	topo_release(&b->topo);
	cost_release(&b->cost);
	synth_result_release(&b->what);
	demand_mem_release(&b->demand);
	*b = (struct bench){ 0 };
}

/* -- what a replay gives ------------------------------------------------------ */

/* What is looked at while a replay goes on. */
struct watch {
	const struct bench *b;
	struct bench_result *r;
	int *job_of;		/* [task] index into r->job, -1 */
	bool *has_run;		/* [task] */
	int *area_job;		/* [area] index of the job it belongs to, -1 */
	int hackbench;		/* its parent's task, TASK_NONE */
	int64_t go_ns, end_ns;
};

static bool is_of_hackbench(const struct watch *w, int task)
{
	return w->hackbench != TASK_NONE && (task == w->hackbench ||
		w->b->what.tasks.task[task].parent == w->hackbench);
}

static int on_span(void *ctx, const struct span *s, struct err *err)
{
	struct watch *w = ctx;
	int node = topo_node_of(&w->b->topo, s->cpu), job = w->job_of[s->task];
	struct bench_job *j;

	if (job >= 0 || w->b->what.role[s->task] == SYNTH_MAIN)
		w->r->elapsed_ns = s->end_ns;
	if (is_of_hackbench(w, s->task))
		w->end_ns = s->end_ns;
	/* Its children sleep until it lets them go. */
	if (s->waker == w->hackbench && w->has_run[s->task] &&
	    (w->go_ns < 0 || s->ready_ns < w->go_ns))
		w->go_ns = s->ready_ns;
	w->has_run[s->task] = true;
	if (job < 0)
		return 0;
	j = &w->r->job[job];
	j->cpu_ns += s->end_ns - s->start_ns;
	j->node_ns[node] += s->end_ns - s->start_ns;
	j->end_ns = s->end_ns;
	if (j->first_node < 0 && j->touch_ns >= s->start_ns)
		j->first_node = node;
	return 0;
}

static int on_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct watch *w = ctx;
	int job = w->area_job[m->area];

	if (job >= 0 && w->r->job[job].touch_ns < 0)
		w->r->job[job].touch_ns = m->ts;
	return 0;
}

static int on_count(void *ctx, const char *name, int64_t value,
		    struct err *err)
{
	struct watch *w = ctx;

	if (!strcmp(name, "switches"))
		w->r->switches = value;
	if (!strcmp(name, "unfinished") && value)
		return err_set(err, ERR_FORMAT, "%lld tasks of the benchmark "
			       "never came to their end", (long long)value);
	return 0;
}

static int number_jobs(struct watch *w, struct err *err)
{
	const struct synth_result *what = &w->b->what;
	struct bench_result *r = w->r;
	int nr = what->tasks.nr;

	for (int t = 0; t < nr; t++) {
		w->job_of[t] = what->role[t] == SYNTH_JOB ? r->nr_jobs++ : -1;
		if (what->role[t] == SYNTH_HACKBENCH)
			w->hackbench = t;
	}
	r->job = calloc((size_t)r->nr_jobs + 1, sizeof(*r->job));
	r->node_ns = calloc((size_t)r->nr_jobs * (size_t)r->nr_nodes + 1,
			    sizeof(*r->node_ns));
	if (!r->job || !r->node_ns)
		return err_nomem(err);
	for (int t = 0; t < nr; t++)
		if (w->job_of[t] >= 0)
			r->job[w->job_of[t]] = (struct bench_job){
				.task = t, .first_node = -1, .most_node = -1,
				.touch_ns = -1,
				.node_ns = r->node_ns + (size_t)w->job_of[t] *
					(size_t)r->nr_nodes,
			};
	for (int a = 0; a < what->areas.nr; a++)
		w->area_job[a] = w->job_of[what->areas.area[a].proc];
	return 0;
}

static int watch_init(struct watch *w, const struct bench *b,
		      struct bench_result *r, struct err *err)
{
	size_t tasks = (size_t)b->what.tasks.nr + 1;
	size_t areas = (size_t)b->what.areas.nr + 1;

	*r = (struct bench_result){
		.nr_nodes = b->topo.nr_node_ids, .hackbench_ns = -1 };
	*w = (struct watch){
		.b = b, .r = r,
		.job_of = calloc(tasks, sizeof(*w->job_of)),
		.has_run = calloc(tasks, sizeof(*w->has_run)),
		.area_job = calloc(areas, sizeof(*w->area_job)),
		.hackbench = TASK_NONE, .go_ns = -1,
	};
	if (!w->job_of || !w->has_run || !w->area_job)
		return err_nomem(err);
	return number_jobs(w, err);
}

static void finish(struct watch *w)
{
	struct bench_result *r = w->r;

	if (w->go_ns >= 0)
		r->hackbench_ns = w->end_ns - w->go_ns;
	for (int i = 0; i < r->nr_jobs; i++) {
		struct bench_job *j = &r->job[i];

		for (int n = 0; n < r->nr_nodes; n++)
			if (j->node_ns[n] && (j->most_node < 0 ||
			    j->node_ns[n] > j->node_ns[j->most_node]))
				j->most_node = n;
	}
}

int bench_run(const struct bench *b, const struct policy_spec *policy,
	      uint64_t seed, struct bench_result *r, struct err *err)
{
	struct engine_input in = {
		.topo = &b->topo,
		.tasks = &b->what.tasks,
		.areas = &b->what.areas,
		.demand = b->what.demand,
		.nr_demand = b->what.tasks.nr,
		.cost = &b->cost,
		.access = b->what.access,
		.nr_access = b->what.nr_access,
		.policy = policy,
		.seed = seed,
		.end_ns = b->what.end_ns,
		.page_size = b->what.page_size,
	};
	struct run_sink sink = {
		.span = on_span, .mem = on_mem, .count = on_count };
	struct watch w;

	demand_mem_source(&b->demand, &in.source);
	sink.ctx = &w;
	if (!watch_init(&w, b, r, err) && !engine_run(&in, &sink, err))
		finish(&w);
	free(w.job_of);
	free(w.has_run);
	free(w.area_job);
	return err->code;
}

void bench_result_release(struct bench_result *r)
{
	free(r->job);
	free(r->node_ns);
	*r = (struct bench_result){ 0 };
}

double bench_mean_user(const struct bench_result *r)
{
	double sum = 0;

	for (int i = 0; i < r->nr_jobs; i++)
		sum += (double)r->job[i].cpu_ns / 1e9;
	return r->nr_jobs ? sum / r->nr_jobs : 0;
}
