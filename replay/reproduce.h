/* SPDX-License-Identifier: MIT */
/*
 * reproduce: the published tables of numa_test, simulated: which policy stands
 * for which system, the figures of a replay, and by what the whole is judged.
 *
 * Running the replays is the caller's (they are many and independent): for each
 * cell and seed repro_run(), then repro_add() in the order of the seeds.
 */
#ifndef REPLAY_REPRODUCE_H
#define REPLAY_REPRODUCE_H

#include "replay/bench.h"
#include "replay/published.h"
#include "replay/stats.h"

/* A system of the seed and the policy that follows its sheet. */
struct repro_system {
	const char *name;	/* "A" ... "F", "ilb" */
	const char *policy;	/* as policy_spec_parse() reads it */
	const char *machine;	/* of preset.h: its cost */
	const char *title;
};
extern const struct repro_system repro_systems[];	/* ends with NULL */

#define REPRO_MAX_CELLS 64

/* One system with so many jobs. */
struct repro_cell {
	int system;		/* index into repro_systems */
	int jobs;
	bool disturbed;		/* with hackbench */
	const struct published_run *published;	/* NULL: not printed */
	struct stats figure[FIGURE_NR];
	struct stats residency[RESIDENCY_NR];
};

struct repro {
	struct repro_cell cell[REPRO_MAX_CELLS];
	int nr;
};

/* Every cell that was published, with or without its single run. */
void repro_cells(struct repro *r);

/* What one replay gives. */
struct repro_run {
	double figure[FIGURE_NR];	/* s */
	double residency[RESIDENCY_NR];	/* NAN: no job moved (START) */
};
int repro_run(const struct bench *b, const struct policy_spec *policy,
	      uint64_t seed, struct repro_run *out, struct err *err);
void repro_add(struct repro_cell *c, const struct repro_run *run);

/* Mean of |simulated / published - 1| over the cells that were printed; skip
 * (may be NULL) leaves cells out. */
double repro_error(const struct repro *r, enum figure f,
		   bool (*skip)(const struct repro_cell *c));

const struct repro_cell *repro_find(const struct repro *r, const char *system,
				    int jobs);

/* One thing that the simulation is judged by. */
struct repro_yard {
	char what[96];
	double value;
	char wanted[24];	/* "<= 3 %", ">= 0.85" */
	bool is_share;		/* print value as per cent */
	bool met;
};
#define REPRO_MAX_YARDS 32
int repro_yards(const struct repro *r, struct repro_yard *yard);

#endif
