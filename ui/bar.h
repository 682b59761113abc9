/* SPDX-License-Identifier: MIT */
/*
 * bar: a progress bar on stderr, where that is a terminal and something takes
 * longer than a moment.
 */
#ifndef UI_BAR_H
#define UI_BAR_H

#include <stdbool.h>
#include <stdint.h>

struct bar {
	bool on;
	bool lines;		/* "progress 0.42" each, for programs */
	bool drawn;
	int64_t since_ns;	/* of CLOCK_MONOTONIC */
	int64_t drawn_ns;
};

void bar_init(struct bar *b);

/* Lines for a program that reads stderr, instead of a bar for people. */
void bar_lines(struct bar *b);

/* Shows "WHAT  42 %" now and then; returns 0.  Is a study_progress. */
int bar_show(void *bar, const char *what, double done);

/* Takes it away again. */
void bar_clear(struct bar *b);

#endif
