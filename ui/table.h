/* SPDX-License-Identifier: MIT */
/*
 * table: one description of tabular output, three forms of it: aligned text
 * for people, CSV (RFC 4180), and pieces of JSON (json.h).
 *
 * Column widths follow the content; text cells are cut to the terminal only
 * when stdout is one.  comms may hold any bytes: control and invalid UTF-8
 * bytes are shown as \xNN in text, as \u00NN (Latin-1 of the byte) in JSON.
 */
#ifndef UI_TABLE_H
#define UI_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct table;

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table *table_new(void);		/* NULL: no memory; table_* accept NULL */
void table_free(struct table *t);
void table_column(struct table *t, const char *head, enum table_align a);
/* Cells are added row by row, left to right, one per column; a NULL or empty
 * text is an empty cell. */
void table_text(struct table *t, const char *text);
void table_printf(struct table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void table_rule(struct table *t);	/* a line across, text form only */

/* 0, or ERR_NOMEM when any call above ran out of memory, or ERR_IO. */
int table_print(const struct table *t, FILE *out);
int table_csv(const struct table *t, FILE *out);

/* Bytes shown safely in a terminal; cut to `width` columns (0: all) with a
 * trailing '~' where cut.  Returns buf. */
char *text_safe(const char *bytes, int len, int width, char *buf, int size);

/* All of it in memory of its own, to free; NULL: no memory. */
char *text_safe_copy(const char *text);

/* The ending of a noun of which there are nr: "%d task%s". */
static inline const char *text_s(int64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* "cannot write output" and errno's reason, ERR_IO: for what a command prints,
 * as table or otherwise. */
int table_output_failed(struct err *err);

#endif
