/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "ui/bar.h"
#include "ui/json.h"
#include "ui/reproduce_run.h"
#include "ui/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_SEEDS 10000

struct options {
	struct reproduce_options run;
	bool json;
};

/* -- text -------------------------------------------------------------------------- */

static void put_number(struct table *t, double v)
{
	if (isnan(v))
		table_text(t, NULL);
	else
		table_printf(t, "%.2f", v);
}

static void put_error(struct table *t, double published, double simulated)
{
	double e = 100 * (simulated / published - 1);

	if (isnan(e))
		table_text(t, NULL);
	else
		table_printf(t, "%+.1f", e);
}

static void put_figure(struct table *t, const struct repro_cell *c,
		       enum figure f)
{
	double p = c->published ? published_figure(c->published, f) : NAN;
	double s = stats_mean(&c->figure[f]);

	put_number(t, p);
	if (isnan(s))
		table_text(t, NULL);
	else
		table_printf(t, "%.2f ± %.2f", s, stats_sd(&c->figure[f]));
	put_error(t, p, s);
}

static void put_displaced(struct table *t, const struct repro_cell *c)
{
	const char *name = repro_systems[c->system].name;
	const struct published_displaced *p = published_displaced;

	while (p->system && (strcmp(p->system, name) || p->jobs != c->jobs))
		p++;
	if (p->system)
		table_printf(t, "%d", p->displaced);
	else
		table_text(t, NULL);
	table_printf(t, "%.1f", stats_mean(&c->displaced));
}

static int print_cells(const struct repro *r, struct err *err)
{
	static const enum figure shown[] = {
		FIGURE_U, FIGURE_TU, FIGURE_E, FIGURE_H, FIGURE_EH };
	struct table *t = table_new();
	char head[16];
	int code, jobs = r->cell[0].jobs;

	table_column(t, "", TABLE_LEFT);
	table_column(t, "N", TABLE_RIGHT);
	for (size_t f = 0; f < sizeof(shown) / sizeof(*shown); f++) {
		table_column(t, figure_name[shown[f]], TABLE_RIGHT);
		snprintf(head, sizeof(head), "simulated");
		table_column(t, head, TABLE_RIGHT);
		table_column(t, "%", TABLE_RIGHT);
	}
	table_column(t, "moved", TABLE_RIGHT);
	table_column(t, "sim.", TABLE_RIGHT);
	for (int i = 0; i < r->nr; i++) {
		const struct repro_cell *c = &r->cell[i];

		if (c->jobs != jobs)
			table_rule(t);
		jobs = c->jobs;
		table_text(t, repro_systems[c->system].name);
		table_printf(t, "%d", c->jobs);
		for (size_t f = 0; f < sizeof(shown) / sizeof(*shown); f++)
			put_figure(t, c, shown[f]);
		put_displaced(t, c);
	}
	code = table_print(t, stdout);
	table_free(t);
	return code ? err_set(err, code, "cannot print") : 0;
}

static int print_averages(const struct repro *r, struct err *err)
{
	static const enum figure figure[] = { FIGURE_U, FIGURE_TU, FIGURE_E };
	struct table *t = table_new();
	int code;

	table_column(t, "4 runs", TABLE_LEFT);
	table_column(t, "N", TABLE_RIGHT);
	for (int f = 0; f < 3; f++) {
		table_column(t, figure_name[figure[f]], TABLE_RIGHT);
		table_column(t, "simulated", TABLE_RIGHT);
		table_column(t, "%", TABLE_RIGHT);
	}
	for (const struct published_average *a = published_averages; a->system;
	     a++) {
		const struct repro_cell *c = repro_find(r,
			strcmp(a->system, "2.5.39") ? "ilb" : "A", a->jobs);

		table_text(t, a->system);
		table_printf(t, "%d", a->jobs);
		for (int f = 0; f < 3; f++) {
			const struct stats *s = &c->figure[figure[f]];

			table_printf(t, "%.2f ± %.2f", a->mean[f],
				     a->plus_minus[f]);
			table_printf(t, "%.2f ± %.2f", stats_mean(s),
				     stats_sd(s));
			put_error(t, a->mean[f], stats_mean(s));
		}
	}
	code = table_print(t, stdout);
	table_free(t);
	return code ? err_set(err, code, "cannot print") : 0;
}

static int print_yards(const struct repro *r, struct err *err)
{
	struct repro_yard yard[REPRO_MAX_YARDS];
	struct table *t = table_new();
	int nr = repro_yards(r, yard), code;

	table_column(t, "yardstick", TABLE_LEFT);
	table_column(t, "wanted", TABLE_RIGHT);
	table_column(t, "is", TABLE_RIGHT);
	table_column(t, "", TABLE_LEFT);
	for (int i = 0; i < nr; i++) {
		table_text(t, yard[i].what);
		table_text(t, yard[i].wanted);
		if (yard[i].is_share)
			table_printf(t, "%.2f %%", 100 * yard[i].value);
		else
			table_printf(t, "%.3g", yard[i].value);
		table_text(t, yard[i].met ? "" : "missed");
	}
	code = table_print(t, stdout);
	table_free(t);
	return code ? err_set(err, code, "cannot print") : 0;
}

static int print_text(const struct options *o, const struct repro *r,
		      struct err *err)
{
	printf("numa_test on azusa, seed 000 lines 40-69, beside the mean and the "
	       "spread of\n%" PRId64 " seeds (E-H: elapsed less hackbench; moved: "
	       "jobs most of whose time was\naway from the node they began on)\n\n",
	       o->run.seeds);
	if (print_cells(r, err) || (puts(""), print_averages(r, err)) ||
	    (puts(""), print_yards(r, err)))
		return err->code;
	puts("\nA of the summary is one run, and differs from its own 4-run averages by "
	     "up to\n10 % (algorithms.md O.3); E at N = 64 was printed without "
	     "hackbench (O.6).");
	return 0;
}

/* -- JSON --------------------------------------------------------------------------- */

struct json_cell {
	const char *table, *column;
	int row;
	enum figure figure;
	double published;
	const struct stats *simulated;
};

static void json_cell(struct json *j, const struct json_cell *c)
{
	char row[16];

	snprintf(row, sizeof(row), "%d", c->row);
	json_object(j);
	json_key(j, "table");
	json_text(j, c->table);
	json_key(j, "row");
	json_text(j, row);
	json_key(j, "column");
	json_text(j, c->column);
	json_key(j, "figure");
	json_text(j, figure_name[c->figure]);
	json_key(j, "published");
	json_double(j, c->published);
	json_key(j, "simulated");
	json_double(j, stats_mean(c->simulated));
	json_key(j, "sd");
	json_double(j, stats_sd(c->simulated));
	json_end(j, '}');
}

static void json_cells(struct json *j, const struct repro *r)
{
	json_key(j, "cells");
	json_array(j);
	for (int i = 0; i < r->nr; i++) {
		const struct repro_cell *c = &r->cell[i];

		for (int f = 0; c->published && f < FIGURE_NR; f++)
			json_cell(j, &(struct json_cell){
				"numa_test", repro_systems[c->system].name,
				c->jobs, f, published_figure(c->published, f),
				&c->figure[f] });
	}
	for (const struct published_average *a = published_averages; a->system;
	     a++) {
		const struct repro_cell *c = repro_find(r,
			strcmp(a->system, "2.5.39") ? "ilb" : "A", a->jobs);

		for (int f = 0; f < 3; f++)
			json_cell(j, &(struct json_cell){
				"numa_test_4run", a->system, a->jobs, f,
				a->mean[f], &c->figure[f] });
	}
	json_end(j, ']');
}

static void json_errors(struct json *j, const struct repro *r)
{
	struct stats s[3] = { { 0 } };

	json_key(j, "mean_error");
	json_object(j);
	json_key(j, "numa_test");
	json_object(j);
	for (int f = 0; f < FIGURE_NR; f++) {
		json_key(j, figure_name[f]);
		json_double(j, repro_error(r, f, NULL));
	}
	json_end(j, '}');
	for (const struct published_average *a = published_averages; a->system;
	     a++)
		for (int f = 0; f < 3; f++)
			stats_add(&s[f], fabs(stats_mean(&repro_find(r,
				strcmp(a->system, "2.5.39") ? "ilb" : "A",
				a->jobs)->figure[f]) / a->mean[f] - 1));
	json_key(j, "numa_test_4run");
	json_object(j);
	for (int f = 0; f < 3; f++) {
		json_key(j, figure_name[f]);
		json_double(j, stats_mean(&s[f]));
	}
	json_end(j, '}');
	json_end(j, '}');
}

static void print_json(const struct options *o, const struct repro *r)
{
	struct repro_yard yard[REPRO_MAX_YARDS];
	int nr = repro_yards(r, yard);
	struct json j;

	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "seeds");
	json_int(&j, o->run.seeds);
	json_cells(&j, r);
	json_errors(&j, r);
	json_key(&j, "yardsticks");
	json_array(&j);
	for (int i = 0; i < nr; i++) {
		json_object(&j);
		json_key(&j, "what");
		json_text(&j, yard[i].what);
		json_key(&j, "wanted");
		json_text(&j, yard[i].wanted);
		json_key(&j, "value");
		json_double(&j, yard[i].value);
		json_key(&j, "met");
		json_bool(&j, yard[i].met);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	json_done(&j);
}

/* -- command ------------------------------------------------------------------------- */

static int parse(struct options *o, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "seeds", 'n', OPT_INT, &o->run.seeds },
		{ "seed", 's', OPT_INT, &o->run.seed },
		{ "jobs", 'j', OPT_INT, &o->run.jobs },
		{ "workload", 'w', OPT_TEXT, &o->run.workload },
		{ "cost", 'c', OPT_TEXT, &o->run.cost },
		{ "system", 'p', OPT_LIST, &o->run.systems },
		{ "json", 0, OPT_FLAG, &o->json },
		{ .name = NULL },
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (nr > 1 || (nr == 1 && strcmp(argv[1], "numa_test")))
		return err_set(err, ERR_USAGE, "there is one table: numa_test");
	if (o->run.seeds < 2 || o->run.seeds > MAX_SEEDS)
		return err_set(err, ERR_USAGE, "--seeds: from 2 to %d", MAX_SEEDS);
	if (o->run.seed < 0)
		return err_set(err, ERR_USAGE, "--seed: 0 or more");
	if (o->run.jobs < 0 || o->run.jobs > 256)
		return err_set(err, ERR_USAGE, "--jobs: from 1 to 256");
	if (!o->run.jobs)
		o->run.jobs = cpus > 0 ? cpus : 1;
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { .run = { .seeds = 20, .seed = 1 } };
	struct repro r;
	struct bar bar;

	bar_init(&bar);
	if (!parse(&o, argc, argv, err))
		reproduce_run(&o.run, &r, &bar, err);
	bar_clear(&bar);
	if (!err->code && o.json)
		print_json(&o, &r);
	else if (!err->code)
		print_text(&o, &r, err);
	opt_list_release(&o.run.systems);
	return err->code;
}

const struct cmd cmd_reproduce = {
	.name = "reproduce",
	.summary = "published tables beside the same, simulated",
	.usage = "homenode reproduce [numa_test] [options]",
	.help =
"Generates numa_test with 4 to 64 jobs, replays it on the machine of the seed\n"
"under the policy of each of its systems, and prints the published figures\n"
"beside the simulated ones, and by what both are held together.\n"
"\n"
"  -n, --seeds N       mean and spread of so many (default 20)\n"
"  -s, --seed S        the first of them (default 1)\n"
"  -j, --jobs N        so many at a time (default: one per CPU)\n"
"      --json          for programs: cells, mean_error, yardsticks\n"
"\n"
"To see what a mechanism does, change it and look again:\n"
"  -w, --workload knob=value,...   of numa_test (homenode synth numa_test)\n"
"  -c, --cost SPEC     on top of the numbers of azusa\n"
"  -p, --system S=POLICY[,knob=value...]   another policy for system A to F or\n"
"                      ilb\n",
	.run = run,
};
