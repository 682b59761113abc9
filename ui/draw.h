/* SPDX-License-Identifier: MIT */
/*
 * draw: what a layout needs from a back end.
 *
 * Units are the back end's own: pixels or points of a picture; in a terminal
 * columns across, and down either lines or half lines (where two strips share
 * a line by half blocks).  A layout is made once from `struct draw_metrics`
 * and text widths, then painted; it draws no two texts over each other, so a
 * back end need not look after that.  Texts are valid UTF-8 without control
 * characters.
 */
#ifndef UI_DRAW_H
#define UI_DRAW_H

#include "ui/palette.h"

#include <stdbool.h>

struct draw_box {
	int x, y, w, h;
};

enum draw_style {
	DRAW_TITLE,
	DRAW_HEAD,	/* bold, of the size of LABEL */
	DRAW_LABEL,
	DRAW_SMALL,	/* ticks, figures */
	DRAW_NR_STYLES
};

enum draw_align { DRAW_LEFT, DRAW_CENTER, DRAW_RIGHT };

struct draw_text {
	int x, y;	/* y: top of the line; x: left end, middle or right end */
	enum draw_align align;
	enum draw_style style;
	enum palette_role role;
	const char *text;
};

enum draw_mark {
	DRAW_MARK_MOVE,		/* a node migration, above a strip */
	DRAW_MARK_PAGES,	/* many pages moved, above a strip */
	DRAW_MARK_TICK,		/* below an axis */
};

struct draw_metrics {
	int line[DRAW_NR_STYLES];	/* height of a line of text */
	int em;			/* width of a wide character, about */
	int pad;		/* between neighbours, across; >= 1 */
	int gap;		/* between blocks, down */
	int margin;		/* around everything */
	int run_h, mem_h;	/* wished heights of the two strips of a row */
	int min_run_h, min_mem_h;	/* least ones */
	int row_gap;		/* between rows */
	int mark_h;		/* room for marks above a strip; 0: no marks */
	int tick_h;		/* of ticks under an axis; 0: in the label line */
	int min_mark_gap;	/* nearer marks are not drawn */
};

struct draw_ops {
	int (*text_width)(void *ctx, enum draw_style style, const char *text);
	void (*text)(void *ctx, const struct draw_text *t);
	void (*fill)(void *ctx, const struct draw_box *b,
		     enum palette_role role);
	/* nr cells side by side; cell i is w * i / nr .. w * (i + 1) / nr. */
	void (*cells)(void *ctx, const struct draw_box *b,
		      const struct paint *p, int nr);
	/* At x, in a box of the mark's height whose top is y. */
	void (*mark)(void *ctx, enum draw_mark mark, int x, int y);
};

struct draw {
	const struct draw_ops *ops;
	void *ctx;
	enum theme theme;
	struct draw_metrics metrics;
};

static inline int draw_width(const struct draw *d, enum draw_style style,
			     const char *text)
{
	return d->ops->text_width(d->ctx, style, text);
}

/* A terminal: a unit across is a column. */
static inline bool draw_in_cells(const struct draw *d)
{
	return d->metrics.em == 1;
}

/* Shortens text to `width` units, an ellipsis at its end; buf holds it. */
const char *draw_fit(const struct draw *d, enum draw_style style,
		     const char *text, int width, char *buf, int size);

#endif
