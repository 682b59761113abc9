/* SPDX-License-Identifier: MIT */
#include "ui/fidelity_study.h"

#include "model/err.h"
#include "schema/derive.h"
#include "ui/in_force.h"
#include "ui/replay_jobs.h"
#include "ui/replay_study.h"

#include <stdio.h>
#include <stdlib.h>

/* -- a recorded run --------------------------------------------------------------- */

static int each_span(struct store *s, int run, struct run_sink *sink,
		     struct err *err)
{
	struct store_spans *it = NULL;
	struct span sp;
	int r = store_spans_open(s, run, INT64_MIN, INT64_MAX, &it, err);

	while (!r && (r = store_spans_next(it, &sp, err)) > 0)
		r = sink->span(sink->ctx, &sp, err);
	store_spans_close(it);
	return r;
}

static int choose(struct store *s, const struct tasks *tasks,
		  const struct areas *areas, bool *judged, struct err *err)
{
	struct fidelity_choice *c = NULL;
	struct run_sink sink;

	if (!fidelity_choice_new(&c, tasks, areas, err)) {
		fidelity_choice_sink(c, &sink);
		if (!store_each_mem(s, 0, sink.mem, sink.ctx, err) &&
		    !each_span(s, 0, &sink, err))
			fidelity_choice_end(c, judged, err);
	}
	fidelity_choice_free(c);
	return err->code;
}

static int add_counts(struct store *s, struct run_sink *sink, struct err *err)
{
	static const char *const names[] = {
		"pages_moved", "hinting_faults", "hinting_faults_local" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int64_t value;

		if (store_get_count(s, 0, names[i], &value, err) ||
		    sink->count(sink->ctx, names[i], value, err))
			return err->code;
	}
	return 0;
}

static int measure(struct store *s, const struct fidelity_args *a,
		   double *value, struct err *err)
{
	struct fidelity *f = NULL;
	struct run_sink sink;

	if (!fidelity_new(&f, a, err)) {
		fidelity_sink(f, &sink);
		if (!store_each_mem(s, 0, sink.mem, sink.ctx, err) &&
		    !store_each_access(s, 0, sink.access, sink.ctx, err) &&
		    !each_span(s, 0, &sink, err) && !add_counts(s, &sink, err))
			fidelity_values(f, value, err);
	}
	fidelity_free(f);
	return err->code;
}

/* What a file tells of the machine and of who ran on it. */
struct loaded {
	struct topo topo;
	struct tasks tasks;
	struct areas areas;
	struct cost cost;
	bool *judged;
};

static int load(struct loaded *l, struct store *s, struct err *err)
{
	if (store_get_topo(s, &l->topo, err) ||
	    store_get_tasks(s, &l->tasks, err) ||
	    store_get_areas(s, &l->areas, err) ||
	    tasks_index(&l->tasks, err) || cost_init(&l->cost, &l->topo, err))
		return err->code;
	l->judged = calloc((size_t)l->tasks.nr + 1, sizeof(*l->judged));
	if (!l->judged)
		return err_nomem(err);
	return choose(s, &l->tasks, &l->areas, l->judged, err);
}

static void release(struct loaded *l)
{
	topo_release(&l->topo);
	tasks_release(&l->tasks);
	areas_release(&l->areas);
	cost_release(&l->cost);
	free(l->judged);
}

static int refuse_generated(struct store *s, struct err *err)
{
	bool is = false;

	if (store_is_generated(s, &is, err))
		return err->code;
	return is ? err_set(err, ERR_USAGE, "'%s' was generated: there is no "
			    "reality to hold a replay against", store_path(s)) : 0;
}

int fidelity_of_file(const char *path, double *value, struct err *err)
{
	struct loaded l = { 0 };
	struct store *s = NULL;

	if (!store_open(&s, path, STORE_READ, err) &&
	    !refuse_generated(s, err) &&
	    !derive_run0(s, NULL, NULL, err) && !load(&l, s, err)) {
		struct fidelity_args a = {
			.topo = &l.topo, .tasks = &l.tasks, .areas = &l.areas,
			.cost = &l.cost, .judged = l.judged };

		measure(s, &a, value, err);
	}
	release(&l);
	store_close(s);
	return err->code;
}

/* -- replays ------------------------------------------------------------------------ */

struct replays {
	struct replay_study study;
	struct policy_spec spec;
	bool *judged;
	struct stats *sim;
};

static int finished(void *ctx, struct replay_job *job, struct err *err)
{
	struct replays *r = ctx;
	struct fidelity_args a = {
		.topo = &r->study.topo, .tasks = &r->study.tasks,
		.areas = &r->study.areas, .cost = &r->study.cost,
		.judged = r->judged };
	struct fidelity *f = NULL;
	double value[FIDELITY_NR];
	struct run_sink sink;

	if (job->err.code)
		return err_set(err, job->err.code, "%s", job->err.text);
	if (!fidelity_new(&f, &a, err)) {
		fidelity_sink(f, &sink);
		if (!spill_read_rest(&job->spill, &sink, err) &&
		    !spill_read_spans(&job->spill, &sink, err) &&
		    !fidelity_values(f, value, err))
			for (int i = 0; i < FIDELITY_NR; i++)
				stats_add(&r->sim[i], value[i]);
	}
	fidelity_free(f);
	return err->code;
}

static int run_jobs(struct replays *r, const struct fidelity_want *w,
		    struct err *err)
{
	struct replay_jobs j = {
		.job = calloc((size_t)w->seeds, sizeof(*j.job)),
		.nr = (int)w->seeds, .at_once = (int)w->jobs,
		.beside = w->path, .bar = w->bar, .finished = finished,
		.ctx = r,
	};
	int ret;

	if (!j.job)
		return err_nomem(err);
	for (int i = 0; i < j.nr; i++) {
		replay_study_input(&r->study, &j.job[i].input);
		j.job[i].input.policy = &r->spec;
		j.job[i].input.seed = (uint64_t)(w->seed + i);
		j.job[i].demand = &r->study.copy;
		j.job[i].title = w->path;
	}
	ret = replay_jobs_run(&j, err);
	free(j.job);
	return ret;
}

static int check_policy(const struct policy_spec *s, struct err *err)
{
	return !(s->ops->flags & POLICY_F_FOLLOW) ? 0 :
		err_set(err, ERR_USAGE, "policy '%s' follows the recording: it "
			"has no error to be found", s->ops->name);
}

int fidelity_replay(const struct fidelity_want *w, struct stats *sim,
		    char **spec, struct err *err)
{
	struct replay_study_args args = { .path = w->path, .cost = w->cost };
	struct replays r = { .sim = sim };
	char *text = NULL;

	if (replay_study_open(&r.study, &args, w->bar, err) ||
	    refuse_generated(r.study.store, err) ||
	    in_force_spec(r.study.store, w->policy, &text, err) ||
	    policy_spec_pick(&r.spec, text, NULL, err) ||
	    check_policy(&r.spec, err))
		goto out;
	r.judged = calloc((size_t)r.study.tasks.nr + 1, sizeof(*r.judged));
	if (!r.judged)
		err_nomem(err);
	else if (!choose(r.study.store, &r.study.tasks, &r.study.areas,
			 r.judged, err))
		run_jobs(&r, w, err);
out:
	if (spec && !err->code) {
		*spec = text;
		text = NULL;
	}
	free(text);
	free(r.judged);
	policy_spec_release(&r.spec);
	replay_study_release(&r.study);
	return err->code;
}
