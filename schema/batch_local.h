/* SPDX-License-Identifier: MIT */
/*
 * batch: rows of integers on their way into one table, many per statement,
 * which more than doubles what one row per statement reaches.
 */
#ifndef SCHEMA_BATCH_LOCAL_H
#define SCHEMA_BATCH_LOCAL_H

#include "schema/stmt_local.h"

#define BATCH_ROWS 32
#define BATCH_COLUMNS 14

/* Texts of the same statement for BATCH_ROWS rows and for one row. */
struct batch_def {
	int columns;
	struct stmt_def many, one;
};

/* BATCH_DEF("event", 5, "(?,?,?,?,?)") */
#define BATCH_TEXT_4(r) r "," r "," r "," r
#define BATCH_TEXT_32(r) BATCH_TEXT_4(r) "," BATCH_TEXT_4(r) "," \
	BATCH_TEXT_4(r) "," BATCH_TEXT_4(r) "," BATCH_TEXT_4(r) "," \
	BATCH_TEXT_4(r) "," BATCH_TEXT_4(r) "," BATCH_TEXT_4(r)
#define BATCH_DEF(table, n, row) { \
	.columns = (n), \
	.many = { .sql = "INSERT OR FAIL INTO " table " VALUES " \
			 BATCH_TEXT_32(row) }, \
	.one = { .sql = "INSERT OR FAIL INTO " table " VALUES " row }, \
}

struct batch {
	const struct batch_def *def;
	enum place place;
	int nr;
	int64_t row[BATCH_ROWS][BATCH_COLUMNS];
	uint16_t nulls[BATCH_ROWS];	/* bit c: column c is NULL */
};

void batch_init(struct batch *b, const struct batch_def *def, enum place p);

/* The next row to fill, all columns not NULL; flushes when the batch is full.
 * NULL: err is set. */
int64_t *batch_row(struct store *s, struct batch *b, struct err *err);
/* Makes a column of the row that batch_row() gave last NULL. */
void batch_null(struct batch *b, int column);
int batch_flush(struct store *s, struct batch *b, struct err *err);

#endif
