/* SPDX-License-Identifier: MIT */
/*
 * units: many independent pieces of work, some at a time.  Where the result of
 * each has its own place, the whole does not depend on how many.
 */
#ifndef UI_UNITS_H
#define UI_UNITS_H

struct bar;
struct err;

struct units {
	int nr;			/* pieces, numbered from 0 */
	int jobs;		/* at a time, > 0 */
	int (*run)(void *ctx, int unit, struct err *err);	/* any thread */
	void *ctx;
	struct bar *bar;	/* shows how far it is */
	const char *what;	/* "replays" */
};

/* All of them, in order of their numbers; stops taking new ones after an error
 * and returns the first. */
int units_run(const struct units *u, struct err *err);

#endif
