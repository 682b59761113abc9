/* SPDX-License-Identifier: MIT */
#include "ui/replay_session.h"

#include "ui/cost_spec.h"
#include "ui/say.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int insert(struct session *s, struct replay_job *job,
		  struct run_info *info, struct err *err)
{
	struct store *st = s->study.store;
	struct run_sink sink;
	int old = session_find_run(s, info), r;

	info->end_ns = job->end_ns;
	if (session_follows(job->input.policy))
		info->end_ns = s->study.capture.end_ns;
	if (info->end_ns < info->start_ns)
		info->end_ns = info->start_ns;
	if (store_begin(st, err))
		return err->code;
	if (old >= 0 && store_run_drop(st, old, err))
		return err->code;
	info->id = old;
	if (store_run_begin(st, info, &sink, err))
		return err->code;
	r = spill_read_rest(&job->spill, &sink, err);
	if (!r)
		r = spill_read_spans(&job->spill, &sink, err);
	if (!r)
		r = store_run_end(st, info, err);
	if (r)
		store_run_drop(st, info->id, &(struct err){ 0 });
	return store_end(st, err);
}

/* Span by span. */
static int compare_all(struct session *s, int group, struct err *err)
{
	struct store_spans *it = NULL;
	struct oracle *o;
	struct span sp;

	if (!oracle_open(&o, s->study.store, s->study.demand,
			 s->study.nr_demand, err) &&
	    !store_spans_open(s->study.store, s->group[group].run[0],
			      INT64_MIN, INT64_MAX, &it, err))
		while (store_spans_next(it, &sp, err) > 0)
			if (oracle_span(o, &sp, err))
				break;
	store_spans_close(it);
	return oracle_close(o, &s->verdict[group], err);
}

int session_ask_oracle(struct session *s, int group, struct err *err)
{
	struct oracle_verdict *v = &s->verdict[group];
	int run = s->group[group].run[0];

	if ((s->o.check || !oracle_agrees_fast(s->study.store, run, v, err)) &&
	    (err->code || compare_all(s, group, err)))
		return err->code;
	return err->code ? err->code :
		oracle_memory(s->study.store, run, v, err);
}

static int finished(void *ctx, struct replay_job *job, struct err *err)
{
	struct session *s = ctx;
	struct session_wish *w = &s->wish[job - s->job];
	struct run_info info;

	if (job->err.code) {
		bar_clear(&s->bar);
		say("%s", job->err.text);
		s->nr_failed++;
		return 0;
	}
	session_describe(s, w, &info);
	if (insert(s, job, &info, err))
		return err->code;
	w->group->run[w->at] = info.id;
	return 0;
}

int session_run(struct session *s, struct err *err)
{
	struct replay_jobs j = {
		.job = s->job,
		.nr = s->nr_jobs,
		.at_once = (int)s->o.jobs,
		.beside = s->o.study.path,
		.bar = &s->bar,
		.finished = finished,
		.ctx = s,
	};
	int r = 0;

	if (s->nr_jobs)
		r = replay_jobs_run(&j, err);
	bar_clear(&s->bar);
	return r;
}

static void show_verdict(struct session *s, const struct oracle_verdict *v)
{
	if (oracle_agrees(v)) {
		fprintf(stderr, "recorded: all %" PRId64
			" spans are given back exactly", v->spans);
		if (v->pages)
			fprintf(stderr, ", and all %" PRId64
				" pages lie in the end where they lay", v->pages);
		fputc('\n', stderr);
		return;
	}
	s->nr_failed++;
	if (v->pages_differ)
		fprintf(stderr, "homenode: recorded: of %" PRId64 " pages in the "
			"end, %" PRId64 " are too many or too few on a node\n",
			v->pages, v->pages_differ);
	if (!v->missing && !v->extra && !v->ready)
		return;
	fprintf(stderr, "homenode: recorded: %" PRId64 " spans as recorded, %"
		PRId64 " missing, %" PRId64 " not recorded, %" PRId64
		" became ready at another time; first %s\n", v->spans,
		v->missing, v->extra, v->ready, v->first);
}

static void remark(const struct session *s)
{
	if (s->nr_reused)
		fprintf(stderr, "%d of %d run%s in the file already (--again "
			"replays anew)\n", s->nr_reused,
			s->nr_reused + s->nr_jobs,
			s->nr_reused + s->nr_jobs == 1 ? " was" : "s were");
	if (cost_spec_by_distance(&s->study.topo, s->o.study.cost))
		fprintf(stderr, "memory of other nodes costs what SLIT distances "
			"make of it, which are only ranks: 'homenode calibrate "
			"-o %s' measures, on that host\n", s->o.study.path);
	if (s->study.not_measured)
		fprintf(stderr, "%d pair%s of nodes not measured: by their SLIT "
			"distances, which are only ranks\n",
			s->study.not_measured, text_s(s->study.not_measured));
	for (int i = 0; i < s->nr_groups; i++) {
		const struct replay_group *g = &s->group[i];

		if (g->unfinished)
			fprintf(stderr, "%s: %" PRId64
				" task%s never came to the end\n", g->spec,
				g->unfinished, text_s(g->unfinished));
		if (g->refused || g->pages_refused)
			fprintf(stderr, "%s: %" PRId64 " decision%s about tasks "
				"and %" PRId64 " about pages could not be carried "
				"out\n", g->spec, g->refused, text_s(g->refused),
				g->pages_refused);
	}
}

int session_show(struct session *s, struct err *err)
{
	for (int i = 0; i < s->nr_groups; i++) {
		if (replay_group_read(&s->group[i], s->study.store, err))
			return err->code;
		if (!session_follows(&s->spec[i]) || s->group[i].run[0] < 0)
			continue;
		if (session_ask_oracle(s, i, err))
			return err->code;
		show_verdict(s, &s->verdict[i]);
	}
	remark(s);
	if (session_warn_groups(s, s->study.store, err))
		return err->code;
	for (int i = 0; i < s->nr_groups; i++)
		if (!session_follows(&s->spec[i]))
			s->group[i].fidelity = s->fidelity;
	if (s->o.json)
		replay_table_json(s->group, s->nr_groups);
	else if ((s->o.csv ? replay_table_csv(s->group, s->nr_groups) :
		  replay_table_text(s->group, s->nr_groups)))
		return table_output_failed(err);
	if (s->fidelity_line && !s->o.json && !s->o.csv)
		puts(s->fidelity_line);
	return s->nr_failed ? 1 : 0;
}

void session_release(struct session *s)
{
	for (int i = 0; i < s->nr_groups; i++) {
		policy_spec_release(&s->spec[i]);
		free((char *)s->group[i].knobs);
		free(s->group[i].seed);
		free(s->group[i].run);
	}
	for (int i = 0; i < s->nr_runs; i++)
		run_info_release(&s->runs[i]);
	free(s->runs);
	free(s->spec);
	free(s->group);
	free(s->verdict);
	free(s->job);
	free(s->wish);
	free(s->fidelity);
	free(s->fidelity_line);
	replay_study_release(&s->study);
	opt_list_release(&s->o.policies);
	opt_list_release(&s->o.intensity);
}
