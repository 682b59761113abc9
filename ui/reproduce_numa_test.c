/* SPDX-License-Identifier: MIT */
#include "ui/reproduce_numa_test.h"

#include "model/err.h"
#include "ui/reproduce_table.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void put_spread(struct table *t, const struct stats *s)
{
	if (s->n)
		table_printf(t, "%.2f ± %.2f", stats_mean(s), stats_sd(s));
	else
		table_text(t, NULL);
}

static void put_figure(struct table *t, const struct repro_cell *c,
		       enum figure f)
{
	double p = c->published ? published_figure(c->published, f) : NAN;
	double s = stats_mean(&c->figure[f]);

	put_number(t, p);
	put_spread(t, &c->figure[f]);
	put_error(t, p, s);
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
	for (int i = 0; i < r->nr; i++) {
		const struct repro_cell *c = &r->cell[i];

		if (c->jobs != jobs)
			table_rule(t);
		jobs = c->jobs;
		table_text(t, repro_systems[c->system].name);
		table_printf(t, "%d", c->jobs);
		for (size_t f = 0; f < sizeof(shown) / sizeof(*shown); f++)
			put_figure(t, c, shown[f]);
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

/* What was printed of where the jobs of a cell were; NULL: nothing. */
static const struct published_residency *printed(const struct repro_cell *c)
{
	for (const struct published_residency *p = published_residency;
	     p->system; p++)
		if (p->jobs == c->jobs &&
		    !strcmp(p->system, repro_systems[c->system].name))
			return p;
	return NULL;
}

static int print_residency(const struct repro *r, struct err *err)
{
	struct table *t = table_new();
	int code;

	table_column(t, "jobs", TABLE_LEFT);
	table_column(t, "N", TABLE_RIGHT);
	for (int k = 0; k < RESIDENCY_NR; k++) {
		table_column(t, residency_name[k], TABLE_RIGHT);
		table_column(t, "simulated", TABLE_RIGHT);
	}
	for (int i = 0; i < r->nr; i++) {
		const struct repro_cell *c = &r->cell[i];
		const struct published_residency *p = printed(c);

		if (!p)
			continue;
		table_text(t, p->system);
		table_printf(t, "%d", p->jobs);
		for (int k = 0; k < RESIDENCY_NR; k++) {
			put_number(t, p->figure[k]);
			put_spread(t, &c->residency[k]);
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

int reproduce_numa_test_print(const struct repro *r, int seeds,
			      struct err *err)
{
	printf("numa_test on azusa, seed 000 lines 40-69, beside the mean and the "
	       "spread of\n%d seeds (E-H: elapsed less hackbench)\n\n", seeds);
	if (print_cells(r, err) || (puts(""), print_averages(r, err)))
		return err->code;
	puts("\nWhere the jobs were: those that spent most of their time away from "
	     "the node they\nbegan on (moved), the CPU seconds that these had spent "
	     "there (start), jobs with 99 %\non one node (settled), and the mean "
	     "share of the node with most (share)\n");
	if (print_residency(r, err) || (puts(""), print_yards(r, err)))
		return err->code;
	puts("\nA of the summary is one run, and differs from its own 4-run averages by "
	     "up to\n10 % (algorithms.md O.3); E at N = 64 was printed without "
	     "hackbench (O.6).  Where\nA's jobs began was printed as node 0 for all.  "
	     "Job 19 of C at N = 32 is counted as\nmoved though no * is printed (O.1).");
	return 0;
}

