/* SPDX-License-Identifier: MIT */
/*
 * sql_output: the rows of one query in one of three forms, written as they
 * come: memory does not grow with their number.
 */
#ifndef UI_SQL_OUTPUT_H
#define UI_SQL_OUTPUT_H

#include <stdio.h>

struct err;
struct store_query;

enum sql_form {
	SQL_TEXT,	/* aligned; widths are those of 1000 rows at a time */
	SQL_CSV,	/* with a line of column names */
	SQL_JSON,	/* an array of objects per query */
};

/* Steps the query to its end.  One without columns prints nothing. */
int sql_output(struct store_query *q, enum sql_form form, FILE *out,
	       struct err *err);

#endif
