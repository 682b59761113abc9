/* SPDX-License-Identifier: MIT */
/*
 * tui_detail: what is known of the cell under the cursor, in words: who ran
 * here for how long, from where it came, who woke it, where its pages are, how
 * much of its accesses were local; and in the run beside.
 */
#ifndef UI_TUI_DETAIL_H
#define UI_TUI_DETAIL_H

#include "ui/rows.h"

#define DETAIL_LINES 6
#define DETAIL_SIZE 400

struct detail {
	char line[DETAIL_LINES][DETAIL_SIZE];
	int nr;
};

struct detail_query {
	const struct study *study;
	int run, other;		/* other: beside it, -1 none */
	const struct row *row;
	int64_t from_ns, to_ns;	/* the cell */
	int64_t at_ns;		/* the cursor, in the cell */
	int64_t zero_ns;	/* times are told from here on */
};

int tui_detail(struct detail *d, const struct detail_query *q, struct err *err);

#endif
