/* SPDX-License-Identifier: MIT */
#include "ui/reproduce_table.h"

#include "model/err.h"
#include "ui/table.h"
#include "ui/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- replays ---------------------------------------------------------------------- */

/* A unit is one seed of a workload, replayed for all lines that have it; they
 * stand together. */
struct work {
	const struct reproduce_options *o;
	const struct repro_table *t;
	int seeds, lines, nr_first;
	int *first;			/* [nr_first] line of a new workload */
	struct repro_run *run;		/* [line][seeds] */
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_work(const struct repro_line *a, const struct repro_line *b)
{
	return same_text(a->workload, b->workload) &&
		same_text(a->operand, b->operand);
}

static int make_bench(const struct work *w, const struct repro_line *l,
		      uint64_t seed, struct bench *b, struct err *err)
{
	struct synth_spec spec = { .ops = NULL };
	char text[600];

	if (snprintf(text, sizeof(text), "%s%s%s%s%s", l->workload,
		     w->t->further ? "," : "",
		     w->t->further ? w->t->further : "",
		     w->o->workload ? "," : "",
		     w->o->workload ? w->o->workload : "") >= (int)sizeof(text))
		return err_set(err, ERR_USAGE, "--workload is too long");
	if (!synth_spec_parse(&spec, text, l->operand, err) &&
	    !bench_init(b, &spec, w->t->machine, w->t->cost, seed, err) &&
	    w->o->cost)
		cost_parse(&b->cost, w->o->cost, err);
	synth_spec_release(&spec);
	return err->code;
}

static int run_line(const struct work *w, const struct bench *b, int line,
		    int k, struct err *err)
{
	const struct repro_line *l = &w->t->line[line];
	const char *other = reproduce_policy(w->o, l->column);
	struct policy_spec policy;

	if (!policy_spec_pick(&policy, other ? other : l->policy, NULL, err))
		reproduce_replay(b, &policy, (uint64_t)(w->o->seed + k),
				 &w->run[line * w->seeds + k], err);
	policy_spec_release(&policy);
	return err->code;
}

static int run_unit(void *ctx, int unit, struct err *err)
{
	struct work *w = ctx;
	int line = w->first[unit / w->seeds], k = unit % w->seeds;
	const struct repro_line *like = &w->t->line[line];
	struct bench b = { .what = { .nr_access = 0 } };

	if (!make_bench(w, like, (uint64_t)(w->o->seed + k), &b, err))
		for (; !err->code && line < w->lines &&
		       same_work(&w->t->line[line], like); line++)
			run_line(w, &b, line, k, err);
	bench_release(&b);
	return err->code;
}

int reproduce_table_run(const struct reproduce_options *o,
			struct reproduced *r, struct bar *bar, struct err *err)
{
	struct work w = {
		.o = o, .t = r->table, .lines = repro_table_lines(r->table),
		.seeds = o->seeds ? (int)o->seeds : r->table->seeds,
	};
	struct units units = {
		.jobs = (int)o->jobs, .run = run_unit, .ctx = &w, .bar = bar,
		.what = r->table->name };
	size_t lines = (size_t)w.lines + 1;

	r->seeds = w.seeds;
	r->result = calloc(lines, sizeof(*r->result));
	w.first = calloc(lines, sizeof(*w.first));
	w.run = calloc(lines * (size_t)w.seeds, sizeof(*w.run));
	if (!r->result || !w.first || !w.run) {
		err_nomem(err);
		goto out;
	}
	for (int i = 0; i < w.lines; i++)
		if (!i || !same_work(&w.t->line[i], &w.t->line[i - 1]))
			w.first[w.nr_first++] = i;
	units.nr = w.nr_first * w.seeds;
	if (!units_run(&units, err))
		repro_table_sum(w.t, w.run, w.seeds, r->result);
out:
	free(w.first);
	free(w.run);
	return err->code;
}

void reproduce_table_release(struct reproduced *r)
{
	free(r->result);
	r->result = NULL;
}

/* -- text -------------------------------------------------------------------------- */

/* Is the figure printed in any line? */
static bool has_figure(const struct repro_table *t, enum figure f)
{
	for (const struct repro_line *l = t->line; l->row; l++)
		if (!isnan(repro_line_published(l, f)))
			return true;
	return false;
}

static void put(struct table *t, double v, const char *form)
{
	if (isnan(v))
		table_text(t, NULL);
	else
		table_printf(t, form, v);
}

static void put_spread(struct table *t, const struct stats *s, double by,
		       const char *form, const char *single)
{
	double sd = stats_sd(s);

	if (!s->n)
		table_text(t, NULL);
	else if (isnan(sd))
		table_printf(t, single, by * stats_mean(s));
	else
		table_printf(t, form, by * stats_mean(s), by * sd);
}

static void add_columns(struct table *out, const struct repro_table *t)
{
	table_column(out, t->name, TABLE_LEFT);
	table_column(out, "", TABLE_LEFT);
	for (int f = 0; f < FIGURE_NR; f++) {
		if (!has_figure(t, f))
			continue;
		table_column(out, figure_name[f], TABLE_RIGHT);
		table_column(out, "simulated", TABLE_RIGHT);
		table_column(out, "%", TABLE_RIGHT);
	}
	if (t->base) {
		table_column(out, "gain %", TABLE_RIGHT);
		table_column(out, "simulated", TABLE_RIGHT);
	}
}

static void add_line(struct table *out, const struct repro_table *t, int i,
		     const struct repro_result *r)
{
	const struct repro_line *l = &t->line[i];

	table_text(out, i && !strcmp(l->row, l[-1].row) ? "" : l->row);
	table_text(out, l->column);
	for (int f = 0; f < FIGURE_NR; f++) {
		double p = repro_line_published(l, f);

		if (!has_figure(t, f))
			continue;
		put(out, p, "%.2f");
		put_spread(out, &r->figure[f], 1, "%.2f ± %.2f", "%.2f");
		put(out, 100 * (stats_mean(&r->figure[f]) / p - 1), "%+.1f");
	}
	if (!t->base)
		return;
	put(out, 100 * repro_line_gain(t, l), "%.1f");
	put_spread(out, &r->gain, 100, "%.1f ± %.1f", "%.1f");
}

int reproduce_table_print(const struct reproduced *r, struct err *err)
{
	const struct repro_table *t = r->table;
	struct table *out = table_new();
	int code;

	printf("%s; beside the mean and the\nspread of %d seeds\n\n", t->title,
	       r->seeds);
	add_columns(out, t);
	for (int i = 0; t->line[i].row; i++)
		add_line(out, t, i, &r->result[i]);
	code = table_print(out, stdout);
	table_free(out);
	if (code)
		return err_set(err, code, "cannot print");
	printf("\nmean error:");
	for (int f = 0; f < FIGURE_NR; f++)
		if (has_figure(t, f))
			printf(" %s %.1f %%", figure_name[f],
			       100 * repro_table_error(t, r->result, f));
	if (t->base)
		printf(", gain %.1f points",
		       100 * repro_table_gain_error(t, r->result));
	printf("\n%s", t->notes);
	return 0;
}

/* -- JSON --------------------------------------------------------------------------- */

void reproduce_cell_json(struct json *j, const struct json_cell *c)
{
	json_object(j);
	json_key(j, "table");
	json_text(j, c->table);
	json_key(j, "row");
	json_text(j, c->row);
	json_key(j, "column");
	json_text(j, c->column);
	json_key(j, "figure");
	json_text(j, c->figure);
	json_key(j, "published");
	json_double(j, c->published);
	json_key(j, "simulated");
	json_double(j, stats_mean(c->simulated));
	json_key(j, "sd");
	json_double(j, stats_sd(c->simulated));
	json_end(j, '}');
}

void reproduce_table_cells(struct json *j, const struct reproduced *r)
{
	const struct repro_table *t = r->table;

	for (int i = 0; t->line[i].row; i++) {
		const struct repro_line *l = &t->line[i];
		struct json_cell c = {
			.table = t->name, .row = l->row, .column = l->column };

		for (int f = 0; f < FIGURE_NR; f++) {
			c.figure = figure_name[f];
			c.published = repro_line_published(l, f);
			c.simulated = &r->result[i].figure[f];
			if (has_figure(t, f))
				reproduce_cell_json(j, &c);
		}
		c.figure = "gain";
		c.published = repro_line_gain(t, l);
		c.simulated = &r->result[i].gain;
		if (c.simulated->n)
			reproduce_cell_json(j, &c);
	}
}

void reproduce_table_errors(struct json *j, const struct reproduced *r)
{
	json_key(j, r->table->name);
	json_object(j);
	for (int f = 0; f < FIGURE_NR; f++) {
		if (!has_figure(r->table, f))
			continue;
		json_key(j, figure_name[f]);
		json_double(j, repro_table_error(r->table, r->result, f));
	}
	if (r->table->base) {
		json_key(j, "gain");
		json_double(j, repro_table_gain_error(r->table, r->result));
	}
	json_end(j, '}');
}
