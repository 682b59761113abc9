/* SPDX-License-Identifier: MIT */
/* Runs that others added to the file meanwhile, or took away. */
#include "ui/study.h"

#include "model/err.h"
#include "ui/study_local.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_run(const struct run_info *a, const struct run_info *b)
{
	return a->id == b->id && a->seed == b->seed &&
	       a->start_ns == b->start_ns && a->end_ns == b->end_ns &&
	       same_text(a->policy, b->policy) && same_text(a->knobs, b->knobs) &&
	       same_text(a->cost, b->cost) && a->engine == b->engine;
}

static bool all_same(const struct study *s, const struct run_info *now, int nr)
{
	int i;

	if (nr != s->nr_runs)
		return false;
	for (i = 0; i < nr; i++)
		if (!same_run(&s->runs[i], &now[i]))
			return false;
	return true;
}

static struct study_run *find_same(struct study *s, const struct run_info *info)
{
	int i;

	for (i = 0; i < s->nr_runs; i++)
		if (same_run(&s->runs[i], info))
			return &s->run[i];
	return NULL;
}

static void free_runs(struct run_info *runs, int nr)
{
	int i;

	for (i = 0; runs && i < nr; i++)
		run_info_release(&runs[i]);
	free(runs);
}

/* A replay may have inferred areas. */
static int areas_again(struct study *s, struct err *err)
{
	struct areas now = { 0 };
	int ret = store_get_areas(s->store, &now, err);

	if (ret < 0 || now.nr <= s->areas.nr) {
		areas_release(&now);
		return ret;
	}
	areas_release(&s->areas);
	s->areas = now;
	return 0;
}

/* What can fail comes first; then all that was loaded is taken over. */
static int make_runs(struct study *s, struct run_info *info, int nr,
		     struct study_run **made, struct err *err)
{
	struct study_run *run = calloc(nr + 1, sizeof(*run));
	int i, ret = run ? areas_again(s, err) : err_nomem(err);

	for (i = 0; i < nr && ret >= 0; i++) {
		run[i].info = &info[i];
		if (!find_same(s, &info[i]))
			ret = study_name_run(s, &run[i], err);
	}
	if (ret < 0) {
		for (i = 0; run && i < nr; i++) {
			free(run[i].title);
			free(run[i].caption);
		}
		free(run);
		return ret;
	}
	for (i = 0; i < nr; i++) {
		struct study_run *was = find_same(s, &info[i]);

		if (!was)
			continue;
		run[i] = *was;
		run[i].info = &info[i];
		*was = (struct study_run){ 0 };
	}
	*made = run;
	return 0;
}

int study_again(struct study *s, struct err *err)
{
	struct run_info *runs = NULL;
	struct study_run *run;
	int nr = 0, ret = store_get_runs(s->store, &runs, &nr, err);

	if (ret < 0)
		return ret;
	if (!nr || all_same(s, runs, nr)) {
		free_runs(runs, nr);
		return 0;
	}
	ret = make_runs(s, runs, nr, &run, err);
	if (ret < 0) {
		free_runs(runs, nr);
		return ret;
	}
	study_release_runs(s);
	s->runs = runs;
	s->run = run;
	s->nr_runs = nr;
	return 1;
}
