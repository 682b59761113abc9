/* SPDX-License-Identifier: MIT */
/*
 * replay_table: what a replay prints at its end: per policy mean and spread
 * over its seeds, from the counts that each run in the file has.
 */
#ifndef UI_REPLAY_TABLE_H
#define UI_REPLAY_TABLE_H

#include "replay/metrics.h"
#include "replay/stats.h"

#include <stdint.h>

struct err;
struct store;

/* One policy with one set of knobs. */
struct replay_group {
	const char *spec;	/* as the user gave it */
	const char *policy;
	const char *knobs;	/* JSON */
	const char *fidelity;	/* JSON, NULL: not known */
	uint64_t *seed;
	int *run;		/* run ids; -1: it failed */
	int nr;

	struct stats value[METRIC_NR];
	struct stats cpu_lo, cpu_hi;
	int64_t unfinished;
	int64_t refused, pages_refused;	/* decisions, and those about pages */
};

/* Fills the statistics from the runs that there are. */
int replay_group_read(struct replay_group *g, struct store *s, struct err *err);

int replay_table_text(const struct replay_group *g, int nr);
int replay_table_csv(const struct replay_group *g, int nr);
void replay_table_json(const struct replay_group *g, int nr);

/* "1.234 s ± 0.02" for a metric; returns buf. */
char *metric_text(enum metric_unit unit, const struct stats *s, char *buf,
		  int size);

#endif
