/* SPDX-License-Identifier: MIT */
/*
 * stmt: one prepared statement, kept by the store and used again.
 *
 * Its text stands beside its use, in a const stmt_def, whose address is the
 * key it is kept under.  "@." in it stands for the place of derived tables.
 * stmt_begin() takes the store's lock and stmt_end() gives it back; every
 * begin needs its end, also after an error.  A definition can be in use
 * several times at once.
 *
 * In debug builds stmt_end() warns when SQLite scanned a table from end to
 * end, made an automatic index or sorted, and the definition did not say so.
 */
#ifndef SCHEMA_STMT_LOCAL_H
#define SCHEMA_STMT_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct sqlite3_stmt;
struct store;
struct stmt;

/* Where derived tables are. */
enum place {
	PLACE_MAIN,
	PLACE_TEMP,
};

enum stmt_flag {
	STMT_SCAN = 1,	/* reads a whole table, and is meant to */
	STMT_SORT = 2,	/* sorts, and is meant to */
};

struct stmt_def {
	const char *sql;
	unsigned int flags;
};

int stmt_begin(struct store *s, enum place p, const struct stmt_def *def,
	       struct stmt **st, struct err *err);
void stmt_end(struct stmt *st);		/* NULL is fine */

/* Columns and parameters count from 1 when bound, from 0 when read. */
void stmt_bind_int(struct stmt *st, int n, int64_t v);
void stmt_bind_text(struct stmt *st, int n, const char *v);	/* NULL: NULL */
void stmt_bind_blob(struct stmt *st, int n, const void *v, size_t len);

/* 1: a row, 0: no more, negative: an error (also of a bind before). */
int stmt_step(struct stmt *st, struct err *err);
/* Steps to the end, resets for the next binds. */
int stmt_run(struct stmt *st, struct err *err);
/* Makes it ready for other binds and another walk. */
void stmt_rewind(struct stmt *st);

/* For loops over columns that cost must be kept out of. */
struct sqlite3_stmt *stmt_raw(struct stmt *st);

int64_t stmt_int(struct stmt *st, int col);
bool stmt_is_null(struct stmt *st, int col);
/* Copied; "" for NULL with text(), NULL with text_or_null().  NULL and err set
 * when there is no memory. */
int stmt_text(struct stmt *st, int col, char **v, struct err *err);
int stmt_text_or_null(struct stmt *st, int col, char **v, struct err *err);
/* A number of the file that must fit an int in [min, max]. */
int stmt_number(struct stmt *st, int col, int64_t min, int64_t max, int *v,
		struct err *err);

/* Ends all of them (closing, dropping tables). */
void stmt_free_all(struct store *s);

#endif
