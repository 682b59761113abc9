/* SPDX-License-Identifier: MIT */
#include "ui/replay_session.h"

#include "ui/fidelity_print.h"
#include "ui/fidelity_study.h"
#include "ui/in_force.h"
#include "ui/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct result {
	double real[FIDELITY_NR];
	struct stats sim[FIDELITY_NR];
	char *spec;
};

static int find_out(struct session *s, struct result *r, struct err *err)
{
	struct fidelity_want w = {
		.path = s->o.study.path, .cost = s->o.study.cost,
		.seeds = s->o.seeds, .seed = s->o.seed ? s->o.seed : 1,
		.jobs = s->o.jobs, .bar = &s->bar,
	};

	if (fidelity_of_file(w.path, r->real, err))
		return err->code;
	return fidelity_replay(&w, r->sim, &r->spec, err);
}

static char *in_json(const struct result *r)
{
	double sim[FIDELITY_NR];
	char *text = NULL, *diff;
	size_t len;
	struct json j;
	FILE *out = open_memstream(&text, &len);

	for (int i = 0; i < FIDELITY_NR; i++)
		sim[i] = stats_mean(&r->sim[i]);
	diff = fidelity_json(r->real, sim);
	if (out && diff) {
		json_open(&j, out);
		json_object(&j);
		json_key(&j, "in_force");
		json_text(&j, r->spec);
		json_key(&j, "seeds");
		json_int(&j, r->sim[FIDELITY_ELAPSED].n);
		json_key(&j, "difference");
		json_raw(&j, diff);
		json_end(&j, '}');
	}
	free(diff);
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}

static void add_words(FILE *out, const struct result *r, int m,
		      const char *what)
{
	double sim = stats_mean(&r->sim[m]);

	if (isfinite(sim) && isfinite(r->real[m]))
		fprintf(out, ", %s %.2f (recorded %.2f)", what, sim, r->real[m]);
}

static char *in_words(const struct result *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "fidelity: %.*s was in force; simulated",
		(int)strcspn(r->spec, ","), r->spec);
	add_words(out, r, FIDELITY_LOCALITY, "locality");
	add_words(out, r, FIDELITY_Q4, "in the 4th quarter");
	add_words(out, r, FIDELITY_NODE_RATE, "node moves /task/s");
	add_words(out, r, FIDELITY_CPU_RATE, "CPU moves /task/s");
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Two lines under this key: in words, and in JSON. */
static void make_key(const struct session *s, char *key, size_t size)
{
	snprintf(key, size, "fidelity %d %" PRId64 " %" PRId64 " %s",
		 ENGINE_VERSION, s->o.seed, s->o.seeds,
		 s->o.study.cost ? s->o.study.cost : "");
}

static bool recall(struct session *s, struct store *st, const char *key,
		   struct err *err)
{
	char *text = NULL, *line;

	if (store_get_derived(st, key, &text, err) || !text)
		return false;
	line = strchr(text, '\n');
	if (line) {
		*line = '\0';
		s->fidelity_line = strdup(text);
		s->fidelity = strdup(line + 1);
	}
	free(text);
	return s->fidelity && s->fidelity_line;
}

static int remember(struct session *s, const char *key, struct err *err)
{
	size_t len = strlen(s->fidelity) + strlen(s->fidelity_line) + 2;
	struct store *st = NULL;
	char *text = malloc(len);

	if (!text)
		return err_nomem(err);
	snprintf(text, len, "%s\n%s", s->fidelity_line, s->fidelity);
	if (!store_open(&st, s->o.study.path, STORE_WRITE, err))
		store_put_derived(st, key, text, err);
	store_close(st);
	free(text);
	return err->code;
}

/* True if there is anything to be found out that is not known. */
static bool is_wanted(struct session *s, const char *key, struct err *err)
{
	struct store *st = NULL;
	bool is_generated = true, known = false, any = false;

	for (int i = 0; i < s->nr_groups; i++)
		any |= !session_follows(&s->spec[i]);
	if (!any)
		return false;
	if (!store_open(&st, s->o.study.path, STORE_READ, err) &&
	    !store_is_generated(st, &is_generated, err) && !is_generated)
		known = recall(s, st, key, err);
	store_close(st);
	return !err->code && !is_generated && !known;
}

int session_fidelity(struct session *s, struct err *err)
{
	struct result r = { 0 };
	char key[300];

	make_key(s, key, sizeof(key));
	if (!is_wanted(s, key, err))
		return err->code;
	if (find_out(s, &r, err)) {
		free(r.spec);
		return err->code;
	}
	s->fidelity = in_json(&r);
	s->fidelity_line = in_words(&r);
	free(r.spec);
	if (!s->fidelity || !s->fidelity_line)
		return err_nomem(err);
	return remember(s, key, err);
}

int session_warn_groups(const struct session *s, struct store *st,
			struct err *err)
{
	bool simulates = !s->nr_groups;

	for (int i = 0; i < s->nr_groups; i++)
		simulates |= !session_follows(&s->spec[i]);
	if (simulates && in_force_groups(st, err))
		fputs("when this was recorded, sessions shared the CPUs "
		      "(kernel.sched_autogroup_enabled); in a replay tasks do, "
		      "however many of them a session has\n", stderr);
	return err->code;
}

static int warn_of_file(const struct session *s, struct err *err)
{
	struct store *st = NULL;

	if (!store_open(&st, s->o.study.path, STORE_READ, err))
		session_warn_groups(s, st, err);
	store_close(st);
	return err->code;
}

int session_fidelity_only(struct session *s, struct err *err)
{
	struct stats real[FIDELITY_NR] = { 0 };
	struct result r = { 0 };
	int ret = find_out(s, &r, err);

	bar_clear(&s->bar);
	for (int i = 0; i < FIDELITY_NR; i++)
		stats_add(&real[i], r.real[i]);
	if (!ret && s->o.json)
		fidelity_print_json(real, r.sim);
	else if (!ret && s->o.csv)
		ret = fidelity_print_csv(real, r.sim, err);
	else if (!ret) {
		printf("in force: %s\n", r.spec);
		ret = fidelity_print(real, r.sim, err);
		if (!ret)
			ret = warn_of_file(s, err);
	}
	free(r.spec);
	return ret;
}
