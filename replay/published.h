/* SPDX-License-Identifier: MIT */
/*
 * published: the tables of numa_test as they were printed in seed 000 (Focht to
 * LKML, October 2002), seconds on an AzusA of 16 CPUs.  Tests hold them against
 * tests/data/published.
 */
#ifndef REPLAY_PUBLISHED_H
#define REPLAY_PUBLISHED_H

/* What a run of numa_test prints, and what follows from it. */
enum figure {
	FIGURE_U,		/* average user time of the jobs */
	FIGURE_TU,		/* total user time */
	FIGURE_E,		/* elapsed */
	FIGURE_H,		/* hackbench's own */
	FIGURE_EH,		/* E - H (E where there was no hackbench) */
	FIGURE_NR
};

extern const char *const figure_name[FIGURE_NR];	/* "U", ... "E-H" */

/* One run each of systems A to F; NAN: not printed. */
struct published_run {
	const char *system;
	int jobs;
	double u, tu, e, h;
};
extern const struct published_run published_numa_test[];	/* ends NULL */
double published_figure(const struct published_run *r, enum figure f);

/* Averages over 4 runs with the spread that was printed. */
struct published_average {
	const char *system;
	int jobs;
	double mean[3];		/* U, TU, E */
	double plus_minus[3];
};
extern const struct published_average published_averages[];	/* ends NULL */

/* Where the jobs of a run were. */
enum residency_figure {
	RESIDENCY_MOVED,	/* jobs that spent most of their time away from
				 * the node they began on */
	RESIDENCY_START,	/* CPU s that these spent there, mean */
	RESIDENCY_SETTLED,	/* jobs with at least 99 % on one node */
	RESIDENCY_SHARE,	/* % of the node with most, mean */
	RESIDENCY_NR
};

extern const char *const residency_name[RESIDENCY_NR];

struct published_residency {
	const char *system;
	int jobs;
	double figure[RESIDENCY_NR];	/* NAN: cannot be told */
};
extern const struct published_residency published_residency[];	/* ends NULL */

#endif
