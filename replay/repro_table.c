/* SPDX-License-Identifier: MIT */
#include "replay/repro_table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const struct repro_table *repro_table_find(const char *name)
{
	for (const struct repro_table *t = repro_tables; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

int repro_table_lines(const struct repro_table *t)
{
	int nr = 0;

	while (t->line[nr].row)
		nr++;
	return nr;
}

/* The line that another one is compared with: of its row; -1: none. */
static int base_of(const struct repro_table *t, int line)
{
	if (!t->base || !strcmp(t->line[line].column, t->base))
		return -1;
	for (int i = 0; t->line[i].row; i++)
		if (!strcmp(t->line[i].row, t->line[line].row) &&
		    !strcmp(t->line[i].column, t->base))
			return i;
	return -1;
}

void repro_table_sum(const struct repro_table *t, const struct repro_run *run,
		     int seeds, struct repro_result *results)
{
	for (int i = 0; t->line[i].row; i++) {
		int base = base_of(t, i);

		for (int k = 0; k < seeds; k++) {
			const struct repro_run *r = &run[i * seeds + k];
			double was, is = r->figure[t->gain_of];

			for (int f = 0; f < FIGURE_NR; f++)
				stats_add(&results[i].figure[f],
					  r->figure[f] * t->scale);
			if (base < 0)
				continue;
			was = run[base * seeds + k].figure[t->gain_of];
			stats_add(&results[i].gain, 1 - is / was);
		}
	}
}

double repro_line_published(const struct repro_line *l, enum figure f)
{
	return l->published[f] > 0 ? l->published[f] : NAN;
}

double repro_line_gain(const struct repro_table *t, const struct repro_line *l)
{
	int base = base_of(t, (int)(l - t->line));

	if (base < 0)
		return NAN;
	return 1 - repro_line_published(l, t->gain_of) /
		repro_line_published(&t->line[base], t->gain_of);
}

double repro_table_error(const struct repro_table *t,
			 const struct repro_result *results, enum figure f)
{
	struct stats s = { 0 };

	for (int i = 0; t->line[i].row; i++) {
		double p = repro_line_published(&t->line[i], f);

		if (!isnan(p))
			stats_add(&s, fabs(stats_mean(&results[i].figure[f]) /
					   p - 1));
	}
	return stats_mean(&s);
}

double repro_table_gain_error(const struct repro_table *t,
			      const struct repro_result *results)
{
	struct stats s = { 0 };

	for (int i = 0; t->line[i].row; i++) {
		double p = repro_line_gain(t, &t->line[i]);

		if (!isnan(p))
			stats_add(&s, fabs(stats_mean(&results[i].gain) - p));
	}
	return stats_mean(&s);
}
