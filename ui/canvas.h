/* SPDX-License-Identifier: MIT */
/*
 * canvas: a screen of characters in memory, the text back end of drawings.
 *
 * The terminal program, `homenode heatmap` and tests all draw on it; what a
 * cell looks like on a terminal with few, many or no colours is decided when
 * it is shown (canvas_look).  With half blocks two strips share a line, and the
 * draw units down are half lines; canvas_text() always counts in lines.
 */
#ifndef UI_CANVAS_H
#define UI_CANVAS_H

#include "ui/draw.h"

#include <stdbool.h>
#include <stdio.h>

struct err;

enum colours { COLOURS_NONE, COLOURS_8, COLOURS_256, COLOURS_RGB };

struct canvas_cell {
	char ch[8];		/* UTF-8; "": right half of a wide character */
	uint8_t fg, bg;		/* enum palette_role */
	bool bold, reverse, cursor, dot;
	bool has_up, has_low;	/* painted halves */
	struct paint up, low;
};

struct canvas {
	int w, h;		/* columns, lines */
	bool half;		/* draw units down are half lines */
	bool utf8;		/* else ASCII only */
	struct canvas_cell *cell;
	struct canvas_memo *memo;	/* colours that were looked up */
};

int canvas_init(struct canvas *c, int w, int h, bool half, bool utf8,
		struct err *err);
void canvas_release(struct canvas *c);
void canvas_clear(struct canvas *c);

/* A back end that draws on it; its lines begin at line `top`. */
struct canvas_draw {
	struct canvas *canvas;
	int top;
};
void canvas_drawing(struct canvas_draw *cd, struct canvas *c, int top,
		    enum theme theme, struct draw *d);

/* Writes at (column, line), cut at the right edge; returns the columns used.
 * Text is UTF-8; on an ASCII canvas it is transliterated. */
int canvas_text(struct canvas *c, int x, int y, enum palette_role role,
		bool bold, const char *text);
int canvas_text_width(const char *text);

/* The ground of a box of characters; reverse video of one. */
void canvas_ground(struct canvas *c, int x, int y, int w, int h,
		   enum palette_role role);
void canvas_reverse(struct canvas *c, int x, int y, int w, int h);

/* Blanks w characters and the words at its ends that it cuts (words are
 * separated by two blanks). */
void canvas_blank(struct canvas *c, int x, int y, int w);

/* Marks a painted character as the one under the cursor. */
void canvas_cursor(struct canvas *c, int x, int y);

/* A dot on a painted character, whose colour stays. */
void canvas_dot(struct canvas *c, int x, int y);

/* Text over at most so many lines, cut between words where it is too long for
 * one; returns the lines used. */
int canvas_wrap(struct canvas *c, int x, int y, int lines,
		enum palette_role role, const char *text);

/* How a character is shown: colours are numbers of the terminal (0..7, 0..255)
 * or 0xRRGGBB, -1 for its own. */
struct canvas_look {
	char ch[8];
	int fg, bg;
	bool bold, reverse;
};
void canvas_look(const struct canvas *c, int x, int y, enum colours colours,
		 enum theme theme, struct canvas_look *look);

/* All lines without trailing blanks; with COLOURS_NONE plain text.  0 or
 * ERR_IO. */
int canvas_print(const struct canvas *c, enum colours colours, enum theme theme,
		 FILE *out);

#endif
