/* SPDX-License-Identifier: MIT */
/*
 * tui_table: tables in the terminal program: those rows of a table that have room
 * on the screen are made as it is drawn, all of them when it is written.
 */
#ifndef UI_TUI_TABLE_H
#define UI_TUI_TABLE_H

#include "ui/rows.h"
#include "ui/table.h"
#include "ui/tui.h"

struct tui_table {
	int nr;			/* rows */
	int row, first, shown;	/* under the cursor; at the top; on the screen */
	int left;		/* first column of text that is shown */
	int width;		/* columns of text that there are */
};

/* Says how many rows and lines there are: then v->first and v->shown are what is
 * to be drawn. */
void tui_table_place(struct tui_table *v, int nr, int lines);

/* Draws a table of the rows from v->first on, v->shown of them at most.  Widths
 * follow what is shown. */
int tui_table_draw(struct tui_table *v, struct tui *t, int top,
		   const struct table *table, struct err *err);

/* Up, Down, PgUp, PgDn, Home, End: rows; Left, Right: text.  False: no such key. */
bool tui_table_key(struct tui_table *v, int key);
void tui_table_point(struct tui_table *v, int top, int y);

struct tui_table_rows {
	const struct rows *rows;
	int from, to;		/* of them */
	struct tui_window window;
	bool plain;		/* bare numbers (ns, shares from 0 to 1) */
};

/* Over a window in the run that is shown: per row time on CPU, waiting, locality,
 * migrations, share of each node; pages of memory areas. */
int tui_table_of_rows(struct table **table, struct tui *t,
		      const struct tui_table_rows *q, struct err *err);

/* .csv as such, .txt as aligned text; ERR_EXISTS, ERR_IO. */
bool tui_table_is_name(const char *path);
bool tui_table_is_csv(const char *path);
int tui_table_save(const struct table *table, const char *path, struct err *err);

#endif
