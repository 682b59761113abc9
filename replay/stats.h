/* SPDX-License-Identifier: MIT */
/*
 * stats: mean and spread of some numbers, as they come.
 *
 * Welford's recurrence: mean += (x - mean) / n, and m2 += (x - old mean) *
 * (x - new mean), so that large values with small differences lose nothing.
 * NANs (unknown) are left out and not counted.
 */
#ifndef REPLAY_STATS_H
#define REPLAY_STATS_H

struct stats {
	int n;
	double mean;		/* 0 for n = 0 */
	double m2;
	double min, max;
};

void stats_add(struct stats *s, double x);	/* an all-zero one is empty */
double stats_mean(const struct stats *s);	/* NAN for n = 0 */
double stats_sd(const struct stats *s);		/* of a sample; NAN for n < 2 */

#endif
