/* SPDX-License-Identifier: MIT */
/*
 * repro_table: published tables of which every figure is that of one kind of
 * replay: what was printed, and what has to be replayed to compare with it.
 * (numa_test's have a form of their own: reproduce.h.)
 *
 * Running the replays is the caller's; see repro_table_sum().
 */
#ifndef REPLAY_REPRO_TABLE_H
#define REPLAY_REPRO_TABLE_H

#include "replay/reproduce.h"

/* One kind of replay and its figures. */
struct repro_line {
	const char *row, *column;	/* as the table prints them */
	const char *workload;	/* "hackbench,cpus=24" */
	const char *operand;	/* "4"; NULL: none */
	const char *policy;	/* as policy_spec_parse() reads it */
	double published[FIGURE_NR];	/* s; NAN or 0: not printed */
};

struct repro_table {
	const char *name;	/* "cluster" */
	const char *title;
	const char *machine;	/* of preset.h */
	const char *cost;	/* on top of its numbers; NULL: none */
	const char *further;	/* knobs added to every workload; NULL: none */
	double scale;		/* the published runs were so many times longer */
	int seeds;		/* as many at most */
	const char *base;	/* column that the others of its row gain over;
				 * NULL: gains are not printed */
	enum figure gain_of;
	const char *notes;	/* what is calibration, what is known to be wrong */
	const struct repro_line *line;	/* ends with row NULL */
};

extern const struct repro_table repro_tables[];	/* ends with name NULL */

const struct repro_table *repro_table_find(const char *name);	/* or NULL */
int repro_table_lines(const struct repro_table *t);

/* What the seeds gave of a line: figures times scale, and by what share it takes
 * less than its base in the same seed (n = 0: it has none). */
struct repro_result {
	struct stats figure[FIGURE_NR];
	struct stats gain;
};

/* run: [line][seeds], one replay each; results: one per line, all zero. */
void repro_table_sum(const struct repro_table *t, const struct repro_run *run,
		     int seeds, struct repro_result *results);

/* NAN: not printed. */
double repro_line_published(const struct repro_line *l, enum figure f);
double repro_line_gain(const struct repro_table *t, const struct repro_line *l);

/* Mean over the lines that were printed of |simulated / published - 1|, and of
 * the difference of gains. */
double repro_table_error(const struct repro_table *t,
			 const struct repro_result *results, enum figure f);
double repro_table_gain_error(const struct repro_table *t,
			      const struct repro_result *results);

#endif
