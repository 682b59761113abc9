/* SPDX-License-Identifier: MIT */
/*
 * tui_table: tables in the terminal program: a table of table.h as lines that
 * are scrolled, and what is written of it.
 */
#ifndef UI_TUI_TABLE_H
#define UI_TUI_TABLE_H

#include "ui/rows.h"
#include "ui/table.h"
#include "ui/tui.h"

struct tui_table {
	struct table *table;	/* owned */
	char *text;		/* as text: head, then a line a row */
	char **line;
	int nr;			/* rows */
	int row, first, shown;	/* under the cursor; at the top; on the screen */
	int left;		/* first column of text that is shown */
};

/* Takes the table over (also after an error); the cursor stays where it is. */
int tui_table_set(struct tui_table *v, struct table *table, struct err *err);
void tui_table_release(struct tui_table *v);

void tui_table_draw(struct tui_table *v, struct tui *t, int top, int lines);

/* Up, Down, PgUp, PgDn, Home, End: rows; Left, Right: text.  False: no such key. */
bool tui_table_key(struct tui_table *v, int key);
void tui_table_point(struct tui_table *v, int top, int y);

/* A table of rows over a window in the run that is shown: per row time on CPU,
 * waiting, locality, migrations, share of each node; pages of memory areas.
 * plain: bare numbers (ns, shares from 0 to 1), for programs. */
int tui_table_of_rows(struct table **table, struct tui *t,
		      const struct rows *rows, const struct tui_window *w,
		      bool plain, struct err *err);

/* .csv as such, .txt as aligned text; ERR_EXISTS, ERR_IO. */
bool tui_table_is_name(const char *path);
bool tui_table_is_csv(const char *path);
int tui_table_save(const struct table *table, const char *path, struct err *err);

#endif
