/* SPDX-License-Identifier: MIT */
/*
 * Two replays are only comparable if nothing but the policy (or one policy's
 * knobs) differs between them.
 */
#include "ui/compare_study.h"
#include "ui/say.h"

#include "replay/discipline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int warn(const struct compare_study *c, int group, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int warn(const struct compare_study *c, int group, const char *fmt, ...)
{
	char why[500];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	say("WARNING: '%s' against '%s': %s", c->group[group].spec,
	    c->group[0].spec, why);
	return 1;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const struct run_info *run_of(const struct compare_study *c, int group,
				     int i)
{
	return &c->runs[c->group[group].index[i]];
}

/* The value of a key in a flat JSON object, as text; *len 0: none. */
static const char *value_of(const char *json, const char *name, size_t *len)
{
	char key[100];
	const char *p;

	*len = 0;
	snprintf(key, sizeof(key), "\"%s\": ", name);
	p = strstr(json, key);
	if (!p)
		return "";
	p += strlen(key);
	*len = *p == '"' ? strcspn(p + 1, "\"") + 2 : strcspn(p, ",}");
	return p;
}

/* Knobs of the run queue, which two policies on one queue share. */
static int warn_queue(const struct compare_study *c, int group)
{
	const struct run_info *a = run_of(c, 0, 0), *b = run_of(c, group, 0);
	const struct discipline_ops *d = discipline_find(a->discipline);
	int nr = 0;

	for (int i = 0; d && i < knob_count(d->knobs); i++) {
		const char *name = d->knobs[i].name;
		size_t la, lb;
		const char *x = value_of(a->knobs, name, &la);
		const char *y = value_of(b->knobs, name, &lb);

		if (la != lb || memcmp(x, y, la))
			nr += warn(c, group, "the run queue's knob %s is %.*s, "
				   "not %.*s", name, (int)lb, y, (int)la, x);
	}
	return nr;
}

static bool has_seed(const struct compare_study *c, int group, uint64_t seed)
{
	for (int i = 0; i < c->group[group].nr; i++)
		if (run_of(c, group, i)->seed == seed)
			return true;
	return false;
}

static int warn_seeds(const struct compare_study *c, int group)
{
	int only = 0;

	for (int i = 0; i < c->group[0].nr; i++)
		only += !has_seed(c, group, run_of(c, 0, i)->seed);
	for (int i = 0; i < c->group[group].nr; i++)
		only += !has_seed(c, 0, run_of(c, group, i)->seed);
	return only ? warn(c, group, "the seeds differ: %d are only in one of "
			   "them", only) : 0;
}

static bool is_replay(const struct run_info *r)
{
	return r->id && strcmp(r->policy, "recorded");
}

static int warn_pair(const struct compare_study *c, int group)
{
	const struct run_info *a = run_of(c, 0, 0), *b = run_of(c, group, 0);
	int nr = 0;

	if (!same(a->topology, b->topology))
		nr += warn(c, group, "the machines differ");
	if (is_replay(a) != is_replay(b))
		return nr + warn(c, group, "a replay against what was recorded:"
				 " part of the difference is the replay's own"
				 " error");
	if (!is_replay(a))
		return nr;
	if (!same(a->cost, b->cost))
		nr += warn(c, group, "the cost models differ");
	if (a->engine != b->engine)
		nr += warn(c, group, "replayed by engine versions %d and %d",
			   b->engine, a->engine);
	if (!same(a->discipline, b->discipline))
		nr += warn(c, group, "the run queues differ: %s, not %s",
			   b->discipline, a->discipline);
	else if (!same(a->policy, b->policy))
		nr += warn_queue(c, group);
	return nr + warn_seeds(c, group);
}

/* Several settings under one name. */
static int warn_mixed(const struct compare_study *c, int group)
{
	const struct run_info *a = run_of(c, group, 0);

	for (int i = 1; i < c->group[group].nr; i++) {
		const struct run_info *b = run_of(c, group, i);

		if (same(a->knobs, b->knobs) && same(a->cost, b->cost) &&
		    same(a->topology, b->topology) &&
		    same(a->discipline, b->discipline) &&
		    same(a->policy, b->policy))
			continue;
		say("WARNING: '%s' means runs of different settings (%d and %d):"
		    " their mean says little", c->group[group].spec, a->id,
		    b->id);
		return 1;
	}
	return 0;
}

int compare_study_warn(const struct compare_study *c)
{
	int nr = warn_mixed(c, 0);

	for (int g = 1; g < c->nr_groups; g++)
		nr += warn_mixed(c, g) + warn_pair(c, g);
	return nr;
}
