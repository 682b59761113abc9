/* SPDX-License-Identifier: MIT */
/* canvas_local: what drawing on a canvas and showing it share. */
#ifndef UI_CANVAS_LOCAL_H
#define UI_CANVAS_LOCAL_H

#include "ui/canvas.h"

/* Nearest colours of a terminal, found before; hashed by colour. */
#define CANVAS_MEMO_SIZE 4096
struct canvas_memo {
	struct {
		uint32_t rgb;
		int16_t nearest;	/* 0: empty; numbers begin at 16 */
	} slot[CANVAS_MEMO_SIZE];
};

/* NULL outside. */
static inline struct canvas_cell *canvas_at(const struct canvas *c, int x, int y)
{
	if (x < 0 || y < 0 || x >= c->w || y >= c->h)
		return NULL;
	return &c->cell[(size_t)y * c->w + x];
}

#endif
