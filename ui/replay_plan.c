/* SPDX-License-Identifier: MIT */
#include "ui/replay_session.h"

#include "replay/discipline.h"
#include "ui/in_force.h"
#include "ui/bind_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool session_follows(const struct policy_spec *s)
{
	return s->ops->flags & POLICY_F_FOLLOW;
}

/* Reads the policy of a -p, on the discipline that was asked for if it has one. */
static int read_policy(struct session *s, int i, struct err *err)
{
	struct policy_spec *spec = &s->spec[i];
	char *text;

	if (bind_file_expand(s->o.policies.item[i], &text, err))
		return err->code;
	if (!policy_spec_pick(spec, text, NULL, err) && s->o.discipline &&
	    !session_follows(spec)) {
		policy_spec_release(spec);
		policy_spec_pick(spec, text, s->o.discipline, err);
	}
	free(text);
	return err->code;
}

/* What was recorded of the kernel's settings are the defaults of its policies. */
static int complete(struct session *s, int i, struct err *err)
{
	struct policy_spec *spec = &s->spec[i];
	struct store *st = NULL;
	char *text = NULL;

	if (session_follows(spec) || s->o.discipline ||
	    knob_find(spec->discipline->knobs, "variant") < 0)
		return 0;
	if (!store_open(&st, s->o.study.path, STORE_WRITE, err) &&
	    !in_force_spec(st, s->o.policies.item[i], &text, err)) {
		policy_spec_release(spec);
		policy_spec_pick(spec, text, NULL, err);
	}
	free(text);
	store_close(st);
	return err->code;
}

static int make_group(struct session *s, int i, struct err *err)
{
	struct replay_group *g = &s->group[i];
	struct policy_spec *spec = &s->spec[i];
	int nr = (int)s->o.seeds;

	if (read_policy(s, i, err))
		return err->code;
	if (complete(s, i, err))
		return err->code;
	if (session_follows(spec))
		nr = 1;		/* nothing in it depends on the seed */
	g->spec = s->o.policies.item[i];
	g->policy = spec->ops->name;
	g->knobs = policy_spec_json(spec);
	g->seed = calloc((size_t)nr, sizeof(*g->seed));
	g->run = calloc((size_t)nr, sizeof(*g->run));
	if (!g->knobs || !g->seed || !g->run)
		return err_nomem(err);
	g->nr = nr;
	for (int k = 0; k < nr; k++) {
		g->seed[k] = session_follows(spec) ? 0 :
			(uint64_t)(s->o.seed + k);
		g->run[k] = -1;
	}
	return 0;
}

int session_groups(struct session *s, struct err *err)
{
	int nr = s->o.policies.nr;

	s->spec = calloc((size_t)nr, sizeof(*s->spec));
	s->group = calloc((size_t)nr, sizeof(*s->group));
	s->verdict = calloc((size_t)nr, sizeof(*s->verdict));
	if (!s->spec || !s->group || !s->verdict)
		return err_nomem(err);
	s->nr_groups = nr;
	for (int i = 0; i < nr; i++)
		if (make_group(s, i, err))
			return err->code;
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* What a run of this wish is called in the file. */
void session_describe(const struct session *s, const struct session_wish *w,
		     struct run_info *info)
{
	const struct policy_spec *spec = &s->spec[w->group - s->group];

	*info = (struct run_info){
		.id = -1,
		.policy = (char *)w->group->policy,
		.knobs = (char *)w->group->knobs,
		.seed = w->group->seed[w->at],
		.cost = s->study.cost_json,
		.fidelity = session_follows(spec) ? NULL : s->fidelity,
		.discipline = spec->discipline ?
			(char *)spec->discipline->name : (char *)"",
		.engine = ENGINE_VERSION,
		.topology = s->study.topology,
		.start_ns = s->study.capture.start_ns,
	};
}

int session_find_run(const struct session *s, const struct run_info *want)
{
	for (int i = 0; i < s->nr_runs; i++) {
		const struct run_info *r = &s->runs[i];

		if (r->id && r->seed == want->seed &&
		    r->engine == want->engine &&
		    same_text(r->policy, want->policy) &&
		    same_text(r->knobs, want->knobs) &&
		    same_text(r->cost, want->cost) &&
		    same_text(r->discipline, want->discipline) &&
		    same_text(r->topology, want->topology))
			return r->id;
	}
	return -1;
}

static bool is_wished(const struct session *s, const struct run_info *want)
{
	for (int i = 0; i < s->nr_jobs; i++) {
		struct run_info info;

		session_describe(s, &s->wish[i], &info);
		if (info.seed == want->seed &&
		    same_text(info.policy, want->policy) &&
		    same_text(info.knobs, want->knobs))
			return true;
	}
	return false;
}

static int add_job(struct session *s, const struct session_wish *w)
{
	struct replay_job *job = &s->job[s->nr_jobs];

	s->wish[s->nr_jobs] = *w;
	snprintf(s->wish[s->nr_jobs].title, sizeof(w->title), "%s, seed %" PRIu64,
		 w->group->spec, w->group->seed[w->at]);
	replay_study_input(&s->study, &job->input);
	job->input.policy = &s->spec[w->group - s->group];
	job->input.seed = w->group->seed[w->at];
	job->input.check = s->o.check;
	job->demand = &s->study.copy;
	job->title = s->wish[s->nr_jobs].title;
	s->nr_jobs++;
	return 0;
}

static bool has_cpu(const struct topo *t, int cpu)
{
	return cpu < t->nr_cpu_ids && t->cpu[cpu].present;
}

static bool has_node(const struct topo *t, int node)
{
	return node < t->nr_node_ids && t->node[node].present;
}

/* The CPUs and nodes on which tasks and pages are put as they were must exist. */
static int check_places(const struct session *s, const char *policy,
			struct err *err)
{
	const struct topo *here = &s->study.topo;
	struct topo there = { 0 };
	int cpu = 0, node = 0;

	if (store_get_topo(s->study.store, &there, err))
		goto out;
	while (cpu < there.nr_cpu_ids &&
	       (!has_cpu(&there, cpu) || has_cpu(here, cpu)))
		cpu++;
	while (node < there.nr_node_ids &&
	       (!has_node(&there, node) || has_node(here, node)))
		node++;
	if (cpu < there.nr_cpu_ids || node < there.nr_node_ids)
		err_set(err, ERR_USAGE, "policy '%s' puts tasks and pages where "
			"they were, and the machine of --topology has no %s %d",
			policy, cpu < there.nr_cpu_ids ? "CPU" : "node",
			cpu < there.nr_cpu_ids ? cpu : node);
out:
	topo_release(&there);
	return err->code;
}

static int check_followed(struct session *s, struct err *err)
{
	bool is_generated = false;

	if (store_is_generated(s->study.store, &is_generated, err))
		return err->code;
	for (int i = 0; is_generated && i < s->nr_groups; i++)
		if (session_follows(&s->spec[i]))
			return err_set(err, ERR_USAGE, "policy '%s' follows a "
				       "recording, but the work in '%s' was "
				       "generated", s->group[i].policy,
				       store_path(s->study.store));
	for (int i = 0; s->study.topology && i < s->nr_groups; i++)
		if (session_follows(&s->spec[i]) &&
		    check_places(s, s->group[i].policy, err))
			return err->code;
	return 0;
}

/* Runs that the file has already are not replayed again. */
int session_plan(struct session *s, struct err *err)
{
	bool again = s->o.again || s->o.check;
	int all = 0;

	if (check_followed(s, err) ||
	    store_get_runs(s->study.store, &s->runs, &s->nr_runs, err))
		return err->code;
	for (int i = 0; i < s->nr_groups; i++)
		all += s->group[i].nr;
	s->job = calloc((size_t)all, sizeof(*s->job));
	s->wish = calloc((size_t)all, sizeof(*s->wish));
	if (!s->job || !s->wish)
		return err_nomem(err);
	for (int i = 0; i < s->nr_groups; i++) {
		for (int k = 0; k < s->group[i].nr; k++) {
			struct session_wish w = { .group = &s->group[i], .at = k };
			struct run_info info;
			int id;

			session_describe(s, &w, &info);
			id = session_find_run(s, &info);
			if (id >= 0 && !again) {
				s->group[i].run[k] = id;
				s->nr_reused++;
			} else if (is_wished(s, &info)) {
				return err_set(err, ERR_USAGE,
					       "policy '%s' is asked for twice",
					       s->group[i].spec);
			} else {
				add_job(s, &w);
			}
		}
	}
	return 0;
}

