/* SPDX-License-Identifier: MIT */
/*
 * curve: shares of memory on several nodes as a step function of time, with
 * its integral, so that the integral over any window costs two look-ups.
 *
 * A step holds until the next one; before the first nothing is known.  A step
 * that changes nothing takes no memory; others take 16 bytes and 8 for each
 * node that ever has a share.
 */
#ifndef MODEL_CURVE_H
#define MODEL_CURVE_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct curve {
	int nr;			/* steps */
	int size;
	int nr_nodes;		/* that may have a share */
	int *node;		/* their numbers, rising */
	int64_t *ts;
	double *sum;		/* [nr][1 + nr_nodes]: integrals up to the step
				 * of "anything is known" and of each share */
	double *rate;		/* [1 + nr_nodes] since the last step */
};

/* Takes nodes[] (nr of them, rising) over as a copy. */
int curve_init(struct curve *c, const int *nodes, int nr, struct err *err);
void curve_release(struct curve *c);

/* From ts (not before the last step) on the shares are share[nr_nodes], in the
 * order of node[]; NULL: nothing is known. */
int curve_step(struct curve *c, int64_t ts, const double *share,
	       struct err *err);

/*
 * Integrals over [from, to) in ns: returns that of "known"; into[nr_nodes]
 * gets that of each share.  *hint speeds up calls whose times rise slowly;
 * start with 0; NULL: none.
 */
double curve_integral(const struct curve *c, int64_t from, int64_t to,
		      int *hint, double *into);

#endif
