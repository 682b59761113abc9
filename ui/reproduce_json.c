/* SPDX-License-Identifier: MIT */
#include "ui/reproduce_numa_test.h"

#include "ui/reproduce_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_cell(struct json *j, struct json_cell *c, int jobs)
{
	char row[16];

	snprintf(row, sizeof(row), "%d", jobs);
	c->row = row;
	reproduce_cell_json(j, c);
}

/* The policy that stands for a row of the 4-run averages. */
static const struct repro_cell *simulated(const struct repro *r,
					  const struct published_average *a)
{
	return repro_find(r, strcmp(a->system, "2.5.39") ? "ilb" : "A", a->jobs);
}

void reproduce_numa_test_cells(struct json *j, const struct repro *r)
{
	for (int i = 0; i < r->nr; i++) {
		const struct repro_cell *c = &r->cell[i];

		for (int f = 0; c->published && f < FIGURE_NR; f++)
			put_cell(j, &(struct json_cell){
				.table = "numa_test",
				.column = repro_systems[c->system].name,
				.figure = figure_name[f],
				.published = published_figure(c->published, f),
				.simulated = &c->figure[f] }, c->jobs);
	}
	for (const struct published_average *a = published_averages; a->system;
	     a++)
		for (int f = 0; f < 3; f++)
			put_cell(j, &(struct json_cell){
				.table = "numa_test_4run", .column = a->system,
				.figure = figure_name[f],
				.published = a->mean[f],
				.simulated = &simulated(r, a)->figure[f] },
				a->jobs);
	for (const struct published_residency *p = published_residency;
	     p->system; p++)
		for (int k = 0; k < RESIDENCY_NR; k++)
			put_cell(j, &(struct json_cell){
				.table = "numa_test_jobs", .column = p->system,
				.figure = residency_name[k],
				.published = p->figure[k],
				.simulated = &repro_find(r, p->system, p->jobs)
					->residency[k] }, p->jobs);
}

static void put_averages(struct json *j, const struct repro *r)
{
	json_key(j, "numa_test_4run");
	json_object(j);
	for (int f = 0; f < 3; f++) {
		struct stats s = { 0 };

		for (const struct published_average *a = published_averages;
		     a->system; a++)
			stats_add(&s, fabs(stats_mean(&simulated(r, a)
				->figure[f]) / a->mean[f] - 1));
		json_key(j, figure_name[f]);
		json_double(j, stats_mean(&s));
	}
	json_end(j, '}');
}

void reproduce_numa_test_errors(struct json *j, const struct repro *r)
{
	json_key(j, "numa_test");
	json_object(j);
	for (int f = 0; f < FIGURE_NR; f++) {
		json_key(j, figure_name[f]);
		json_double(j, repro_error(r, f, NULL));
	}
	json_end(j, '}');
	put_averages(j, r);
}

void reproduce_numa_test_yards(struct json *j, const struct repro *r)
{
	struct repro_yard yard[REPRO_MAX_YARDS];
	int nr = repro_yards(r, yard);

	json_key(j, "yardsticks");
	json_array(j);
	for (int i = 0; i < nr; i++) {
		json_object(j);
		json_key(j, "what");
		json_text(j, yard[i].what);
		json_key(j, "wanted");
		json_text(j, yard[i].wanted);
		json_key(j, "value");
		json_double(j, yard[i].value);
		json_key(j, "met");
		json_bool(j, yard[i].met);
		json_end(j, '}');
	}
	json_end(j, ']');
}
