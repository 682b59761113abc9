/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

#include <math.h>
#include <stdlib.h>

struct store_query {
	struct store *s;
	sqlite3_stmt *st;
};

int store_query_open(struct store *s, const char *sql, const char **rest,
		     struct store_query **out, struct err *err)
{
	struct store_query *q;
	int rc;

	*out = NULL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return err_nomem(err);
	q->s = s;
	rc = sqlite3_prepare_v2(s->db, sql, -1, &q->st, rest);
	if (rc == SQLITE_ERROR)
		err_set(err, ERR_USAGE, "%s", sqlite3_errmsg(s->db));
	else if (rc != SQLITE_OK)
		store_error(s, rc, "read", err);
	if (rc != SQLITE_OK || !q->st) {
		free(q);
		return err->code;
	}
	*out = q;
	return 0;
}

int store_query_step(struct store_query *q, struct err *err)
{
	int rc;

	q->s->ticks = -1;	/* how long it may take is the user's affair */
	rc = sqlite3_step(q->st);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	if (rc == SQLITE_ERROR)
		return err_set(err, ERR_USAGE, "%s", sqlite3_errmsg(q->s->db));
	if ((rc & 0xff) == SQLITE_READONLY && !q->s->writable)
		return err_set(err, ERR_USAGE, "'%s': is open for reading "
			       "only", q->s->path);
	return store_error(q->s, rc, "read", err);
}

bool store_query_complete(const char *sql)
{
	return sqlite3_complete(sql);
}

int store_query_columns(const struct store_query *q)
{
	return sqlite3_column_count(q->st);
}

const char *store_query_name(const struct store_query *q, int col)
{
	const char *name = sqlite3_column_name(q->st, col);

	return name ? name : "";
}

const char *store_query_text(const struct store_query *q, int col, int *len,
			     bool *is_number)
{
	int type = sqlite3_column_type(q->st, col);
	const char *text;

	*len = 0;
	*is_number = type == SQLITE_INTEGER ||
		     (type == SQLITE_FLOAT &&
		      isfinite(sqlite3_column_double(q->st, col)));
	if (type == SQLITE_NULL)
		return NULL;
	text = (const char *)sqlite3_column_text(q->st, col);
	*len = sqlite3_column_bytes(q->st, col);
	return text ? text : "";
}

void store_query_close(struct store_query *q)
{
	if (q)
		sqlite3_finalize(q->st);
	free(q);
}
