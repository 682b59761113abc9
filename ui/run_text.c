/* SPDX-License-Identifier: MIT */
#include "ui/run_text.h"

#include "model/cost.h"
#include "model/err.h"
#include "model/run.h"
#include "model/topo.h"
#include "model/topo_text.h"
#include "replay/policy_spec.h"
#include "ui/knob_text.h"
#include "ui/run_pick.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands after the key in the numbers that cost_json() wrote. */
static const char *value_of(const char *json, const char *key)
{
	char quoted[40];
	const char *p;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	p = strstr(json, quoted);
	return p ? p + strlen(quoted) : NULL;
}

static bool is_true(const char *json, const char *key)
{
	const char *v = value_of(json, key);

	return v && !strncmp(v, "true", 4);
}

static double most_remote(const char *json)
{
	const char *p = value_of(json, "remote");
	double most = 1;

	while (p && *p) {
		char *end;
		double v = strtod(p, &end);

		most = end > p && v > most ? v : most;
		p = end > p ? end : p + 1;
	}
	return most;
}

static void put_changed(FILE *out, const char *json, const struct cost *deflt)
{
	const struct {
		const char *key;
		double deflt;
	} number[] = {
		{ "contention", deflt->contention },
		{ "oversubscribed", deflt->oversubscribed },
		{ "smt", deflt->smt },
	};

	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++) {
		const char *v = value_of(json, number[i].key);

		if (v && strtod(v, NULL) != number[i].deflt)
			fprintf(out, ",%s=%g", number[i].key, strtod(v, NULL));
	}
	if (is_true(json, "intensity_set"))
		fprintf(out, ",intensity=%g",
			strtod(value_of(json, "intensity"), NULL));
}

static void put_cost(FILE *out, const struct run_info *r, const char *before)
{
	const char *json = r->cost ? r->cost : "";
	struct topo nowhere = { 0 };
	struct err ignored = { 0 };
	struct cost deflt = { 0 };

	if (!r->id || !value_of(json, "flat"))
		return;
	if (is_true(json, "flat")) {
		fprintf(out, "%sflat", before);
		return;
	}
	fprintf(out, "%sremote=%g", before, most_remote(json));
	if (!cost_init(&deflt, &nowhere, &ignored))
		put_changed(out, json, &deflt);
	cost_release(&deflt);
}

static void put_machine(FILE *out, const struct run_info *r, const char *before)
{
	struct topo topo = { 0 };
	struct err ignored = { 0 };

	if (r->topology && *r->topology &&
	    !topo_from_text(&topo, r->topology, &ignored)) {
		int nodes = topo_nr_nodes(&topo), cpus = topo_nr_cpus(&topo);

		fprintf(out, "%s%d node%s, %d CPU%s", before, nodes,
			nodes == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s");
	}
	topo_release(&topo);
}

static bool is_home_queue(const struct run_info *r)
{
	struct policy_spec s = { 0 };
	struct err ignored = { 0 };
	bool is_home = !r->discipline || !*r->discipline ||
		policy_spec_parse(&s, r->policy, NULL, &ignored) ||
		(s.ops->discipline && !strcmp(s.ops->discipline, r->discipline));

	policy_spec_release(&s);
	return is_home;
}

/* Each with `before` before it. */
static void put_settings(FILE *out, const struct run_info *r,
			 const char *before)
{
	char *knobs = knob_text_changed(r);

	if (r->id && knobs && *knobs)
		fprintf(out, "%s%s", before, knobs);
	free(knobs);
	if (!is_home_queue(r))
		fprintf(out, "%s%s", before, r->discipline);
	put_cost(out, r, before);
}

static void put_all(FILE *out, const struct run_info *r)
{
	char name[200];

	fputs(run_name(r, name, sizeof(name)), out);
	put_settings(out, r, " ");
	put_machine(out, r, " on ");
}

static void put_only_settings(FILE *out, const struct run_info *r)
{
	put_settings(out, r, ", ");
	put_machine(out, r, ", ");
}

static void put_only_cost(FILE *out, const struct run_info *r)
{
	put_cost(out, r, "");
}

static void put_only_machine(FILE *out, const struct run_info *r)
{
	put_machine(out, r, "");
}

static char *text_by(void (*put)(FILE *, const struct run_info *),
		     const struct run_info *r)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put(out, r);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

char *run_text_cost(const struct run_info *r)
{
	return text_by(put_only_cost, r);
}

char *run_text_machine(const struct run_info *r)
{
	return text_by(put_only_machine, r);
}

char *run_text_settings(const struct run_info *r)
{
	char *text = text_by(put_only_settings, r);

	/* Nothing is before the first one. */
	if (text && *text)
		memmove(text, text + 2, strlen(text + 2) + 1);
	return text;
}

char *run_text(const struct run_info *r)
{
	return text_by(put_all, r);
}
