/* SPDX-License-Identifier: MIT */
/*
 * palette: what a value looks like, for every back end at once.
 *
 * A `struct paint` carries all forms of one cell: a colour for pictures and
 * 24-bit or 256-colour terminals, one of the eight basic colours with a shade,
 * and a letter for terminals and mails without colours.  The colours keep apart
 * for readers with protanopia, deuteranopia and tritanopia: the first 16 nodes
 * by an OKLab distance of 0.07 and more (tests/ui/test_palette.c measures it);
 * further nodes repeat them with a pattern.
 */
#ifndef UI_PALETTE_H
#define UI_PALETTE_H

#include <stdint.h>

enum theme { THEME_LIGHT, THEME_DARK };

/* Things that are not values. */
enum palette_role {
	ROLE_PAGE,	/* the paper */
	ROLE_TEXT,
	ROLE_DIM,	/* less important text */
	ROLE_RULE,	/* ticks, lines */
	ROLE_ALIVE,	/* a task that exists and does not run */
	ROLE_MARK,	/* marks on cells */
	ROLE_PAGES,	/* marks of pages that moved */
	ROLE_CURSOR,	/* the place under the cursor */
	ROLE_BAR,	/* status lines */
	NR_ROLES
};

enum paint_pattern {
	PAINT_PLAIN,
	PAINT_STRIPES,		/* unsure: an edge of it was not recorded */
	PAINT_LOST,		/* events of this CPU were lost */
	PAINT_CENSORED,		/* it began before, or went on after */
	PAINT_DOTS,		/* running, but nothing is known */
	PAINT_BANDS,		/* second sixteen of nodes */
	PAINT_CHECKS,		/* third and later sixteens */
};

struct paint {
	uint32_t rgb;		/* 0xRRGGBB, blended with the ground */
	uint8_t pattern;	/* enum paint_pattern */
	uint8_t basic;		/* 0..7: ANSI colour */
	uint8_t shade;		/* 0..4: empty to full */
	char letter;
};

#define PALETTE_NODES 16

/* Colour of a node (by its place) at full strength. */
uint32_t palette_node_rgb(int place);
uint32_t palette_role_rgb(enum theme theme, enum palette_role role);

/* Nobody is there; it is there and does not run. */
struct paint paint_nothing(enum theme theme);
struct paint paint_idle(enum theme theme);

/* Most of the time on this node; share 0..1 of the cell that it ran.  Anything
 * above 0 can be told from paint_idle(). */
struct paint paint_node(enum theme theme, int place, double share);

/* Pages: share 0..1 of them that lie on this node, the one with most. */
struct paint paint_pages(enum theme theme, int place, double share);

/* Share of local accesses 0..1 (remote purple to local green); share of the
 * cell that it ran.  local < 0: not known. */
struct paint paint_locality(enum theme theme, double local, double share);

/* 0..1 from nothing to full (load, waiting). */
struct paint paint_amount(enum theme theme, double amount);

/* -1..1: less to more than the other run; 0 is neutral. */
struct paint paint_diff(enum theme theme, double diff, double share);

/* The letter of a node in text without colours: A, B, ... */
char palette_letter(int place);

/* Nearest of the 256 colours of xterm (16..255). */
int palette_256(uint32_t rgb);

#endif
