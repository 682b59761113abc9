/* SPDX-License-Identifier: MIT */
#include "ui/replay_table.h"

#include "model/err.h"
#include "schema/store.h"
#include "ui/json.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>

#define NS_PER_S 1e9

/* -- reading ---------------------------------------------------------------------- */

static int read_run(struct replay_group *g, struct store *s, int run,
		    struct err *err)
{
	int64_t elapsed, lo, hi, local, known, remote, unfinished, refused, pages;
	struct metrics_sum m = { 0 };
	double value[METRIC_NR];
	const struct {
		const char *name;
		int64_t *to;
	} count[] = {
		{ "elapsed_ns", &elapsed }, { "cpu_ns", &m.cpu_ns },
		{ "wait_ns", &m.wait_ns }, { "migrations", &m.migrations },
		{ "node_migrations", &m.node_migrations },
		{ "pages_moved", &m.pages_moved }, { "local_ns", &local },
		{ "known_ns", &known }, { "remote_ns", &remote },
		{ "cpu_lo_ns", &lo }, { "cpu_hi_ns", &hi },
		{ "unfinished", &unfinished }, { "refused", &refused },
		{ "pages_refused", &pages },
	};

	for (size_t i = 0; i < sizeof(count) / sizeof(*count); i++)
		if (store_get_count(s, run, count[i].name, count[i].to, err))
			return err->code;
	m.local_ns = (double)local;
	m.known_ns = (double)known;
	m.remote_ns = (double)remote;
	m.last_ns = elapsed;
	metrics_of_run(&m, value);
	for (int i = 0; i < METRIC_NR; i++)
		stats_add(&g->value[i], value[i]);
	stats_add(&g->cpu_lo, (double)lo);
	stats_add(&g->cpu_hi, (double)hi);
	g->unfinished += unfinished;
	g->refused += refused;
	g->pages_refused += pages;
	return 0;
}

int replay_group_read(struct replay_group *g, struct store *s, struct err *err)
{
	for (int i = 0; i < g->nr; i++)
		if (g->run[i] >= 0 && read_run(g, s, g->run[i], err))
			return err->code;
	return 0;
}

/* -- text -------------------------------------------------------------------------- */

static const struct {
	double scale;
	const char *form, *spread;
} units[] = {
	[UNIT_NS] = { 1 / NS_PER_S, "%.3f", "%s ± %.3f" },
	[UNIT_SHARE] = { 100, "%.1f", "%s ± %.1f" },
	[UNIT_FACTOR] = { 1, "%.3f", "%s ± %.3f" },
	[UNIT_COUNT] = { 1, "%.0f", "%s ± %.1f" },
	[UNIT_RATE] = { 1, "%.3f", "%s ± %.3f" },
};

char *metric_text(enum metric_unit unit, const struct stats *s, char *buf,
		  int size)
{
	char mean[40];

	buf[0] = '\0';
	if (!s->n)
		return buf;
	snprintf(mean, sizeof(mean), units[unit].form,
		 stats_mean(s) * units[unit].scale);
	if (s->n < 2)
		snprintf(buf, (size_t)size, "%s", mean);
	else
		snprintf(buf, (size_t)size, units[unit].spread, mean,
			 stats_sd(s) * units[unit].scale);
	return buf;
}

/* Columns of the table for people: fewer than there are metrics. */
static const struct {
	enum metric metric;
	const char *head;
} columns[] = {
	{ METRIC_ELAPSED, "elapsed s" },
	{ METRIC_CPU, "CPU s" },
	{ METRIC_WAIT, "waiting s" },
	{ METRIC_LOCALITY, "local %" },
	{ METRIC_NODE_MIGRATIONS, "node moves" },
	{ METRIC_NODE_RATE, "per CPU s" },
	{ METRIC_MIGRATIONS, "CPU moves" },
	{ METRIC_PAGES_MOVED, "pages moved" },
};

#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static void put_range(struct table *t, const struct replay_group *g)
{
	double lo = stats_mean(&g->cpu_lo) / NS_PER_S;
	double hi = stats_mean(&g->cpu_hi) / NS_PER_S;

	if (!g->cpu_lo.n)
		table_text(t, "");
	else if (fabs(hi - lo) < 0.0005)
		table_printf(t, "%.3f", lo);
	else
		table_printf(t, "%.3f..%.3f", lo, hi);
}

static void put_row(struct table *t, const struct replay_group *g)
{
	char buf[80];

	table_text(t, g->spec);
	table_printf(t, "%d", g->value[METRIC_CPU].n);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		enum metric m = columns[i].metric;

		table_text(t, g->value[METRIC_CPU].n || i ?
			   metric_text(metric_table[m].unit, &g->value[m],
				       buf, sizeof(buf)) : "failed");
		if (m == METRIC_CPU)
			put_range(t, g);
	}
}

int replay_table_text(const struct replay_group *g, int nr)
{
	struct table *t = table_new();
	int r;

	table_column(t, "policy", TABLE_LEFT);
	table_column(t, "runs", TABLE_RIGHT);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		table_column(t, columns[i].head, TABLE_RIGHT);
		if (columns[i].metric == METRIC_CPU)
			table_column(t, "predicted", TABLE_RIGHT);
	}
	for (int i = 0; i < nr; i++)
		put_row(t, &g[i]);
	r = table_print(t, stdout);
	table_free(t);
	return r;
}

/* -- CSV and JSON -------------------------------------------------------------------- */

static void csv_stats(struct table *t, const char *name, const struct stats *s)
{
	table_text(t, name);
	if (s->n)
		table_printf(t, "%.17g", stats_mean(s));
	else
		table_text(t, "");
	if (s->n > 1)
		table_printf(t, "%.17g", stats_sd(s));
	else
		table_text(t, "");
	table_printf(t, "%d", s->n);
}

static void csv_row(struct table *t, const struct replay_group *g,
		    const char *name, const struct stats *s)
{
	table_text(t, g->spec);
	csv_stats(t, name, s);
}

int replay_table_csv(const struct replay_group *g, int nr)
{
	static const char *const heads[] = { "policy", "metric", "mean", "sd", "n" };
	struct table *t = table_new();
	int r;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		table_column(t, heads[i], TABLE_LEFT);
	for (int i = 0; i < nr; i++) {
		for (int m = 0; m < METRIC_NR; m++)
			csv_row(t, &g[i], metric_table[m].name, &g[i].value[m]);
		csv_row(t, &g[i], "cpu_lo_ns", &g[i].cpu_lo);
		csv_row(t, &g[i], "cpu_hi_ns", &g[i].cpu_hi);
	}
	r = table_csv(t, stdout);
	table_free(t);
	return r;
}

static void json_stats(struct json *j, const char *name, const struct stats *s)
{
	json_key(j, name);
	json_object(j);
	json_key(j, "mean");
	json_double(j, stats_mean(s));
	json_key(j, "sd");
	json_double(j, stats_sd(s));
	json_key(j, "n");
	json_int(j, s->n);
	json_end(j, '}');
}

static void json_group(struct json *j, const struct replay_group *g)
{
	json_object(j);
	json_key(j, "policy");
	json_text(j, g->policy);
	json_key(j, "knobs");
	json_raw(j, g->knobs);
	json_key(j, "seeds");
	json_array(j);
	for (int i = 0; i < g->nr; i++)
		if (g->run[i] >= 0)
			json_int(j, (int64_t)g->seed[i]);
	json_end(j, ']');
	json_key(j, "ids");
	json_array(j);
	for (int i = 0; i < g->nr; i++)
		if (g->run[i] >= 0)
			json_int(j, g->run[i]);
	json_end(j, ']');
	json_key(j, "refused");
	json_int(j, g->refused);
	json_key(j, "pages_refused");
	json_int(j, g->pages_refused);
	json_key(j, "fidelity");
	if (g->fidelity)
		json_raw(j, g->fidelity);
	else
		json_null(j);
	json_key(j, "metrics");
	json_object(j);
	for (int m = 0; m < METRIC_NR; m++)
		json_stats(j, metric_table[m].name, &g->value[m]);
	json_stats(j, "cpu_lo_ns", &g->cpu_lo);
	json_stats(j, "cpu_hi_ns", &g->cpu_hi);
	json_end(j, '}');
	json_end(j, '}');
}

void replay_table_json(const struct replay_group *g, int nr)
{
	struct json j;

	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "runs");
	json_array(&j);
	for (int i = 0; i < nr; i++)
		json_group(&j, &g[i]);
	json_end(&j, ']');
	json_end(&j, '}');
	json_done(&j);
}
