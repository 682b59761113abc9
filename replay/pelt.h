/* SPDX-License-Identifier: MIT */
/*
 * pelt: exponentially decaying averages of what a task or a queue was, as the
 * fair scheduler keeps them (per-entity load tracking): half of the weight lies
 * in the last 32 periods of 2^20 ns (33.6 ms).  Integers only.
 */
#ifndef REPLAY_PELT_H
#define REPLAY_PELT_H

#include <stdint.h>

#define PELT_SHIFT 10		/* values are kept times 1024 */

struct pelt {
	int64_t at;		/* ns: valid for this time */
	int64_t load;		/* weight while runnable */
	int64_t runnable;	/* 1024 per runnable task */
	int64_t util;		/* 1024 while running */
};

/* What the averages are of, from p->at on. */
struct pelt_input {
	int64_t load, runnable, util;
};

/* An average x (times 1024) after ns with the input `in`: what it is off goes
 * down to 2^(-ns / (32 * 2^20)) of that, rounded towards 0. */
int64_t pelt_towards(int64_t x, int64_t in, int64_t ns);

/* Brings p to `now`, during which the input was constant. */
void pelt_update(struct pelt *p, int64_t now, const struct pelt_input *in);

#endif
