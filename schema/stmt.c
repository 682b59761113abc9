/* SPDX-License-Identifier: MIT */
#include "schema/stmt_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/store_local.h"

struct stmt {
	struct stmt *next;
	struct store *store;
	const struct stmt_def *def;
	enum place place;
	sqlite3_stmt *st;
	bool in_use;
	int rc;			/* of the first bind that failed */
};

static char *with_place(const char *sql, enum place p)
{
	const char *name = p == PLACE_TEMP ? "temp." : "main.";
	size_t n = strlen(sql) + 1, used = 0;
	char *out;

	for (const char *c = sql; (c = strstr(c, "@.")); c += 2)
		n += strlen(name);
	out = malloc(n);
	if (!out)
		return NULL;
	for (const char *c = sql; *c; c++) {
		if (c[0] == '@' && c[1] == '.') {
			memcpy(out + used, name, strlen(name));
			used += strlen(name);
			c++;
		} else {
			out[used++] = *c;
		}
	}
	out[used] = '\0';
	return out;
}

static int prepare(struct stmt *st, struct err *err)
{
	char *sql = with_place(st->def->sql, st->place);
	int rc;

	if (!sql)
		return err_nomem(err);
	rc = sqlite3_prepare_v3(st->store->db, sql, -1,
				SQLITE_PREPARE_PERSISTENT, &st->st, NULL);
	free(sql);
	return rc == SQLITE_OK ? 0 : store_error(st->store, rc, "read", err);
}

int stmt_begin(struct store *s, enum place p, const struct stmt_def *def,
	       struct stmt **out, struct err *err)
{
	struct stmt *st;

	*out = NULL;
	pthread_mutex_lock(&s->lock);
	for (st = s->stmts; st; st = st->next)
		if (st->def == def && st->place == p && !st->in_use)
			break;
	if (!st) {
		st = calloc(1, sizeof(*st));
		if (!st) {
			err_nomem(err);
			goto fail;
		}
		*st = (struct stmt){ .store = s, .def = def, .place = p };
		if (prepare(st, err)) {
			free(st);
			goto fail;
		}
		st->next = s->stmts;
		s->stmts = st;
	}
	s->ticks = p == PLACE_TEMP ? -1 : 0;
	st->in_use = true;
	st->rc = SQLITE_OK;
	*out = st;
	return 0;
fail:
	pthread_mutex_unlock(&s->lock);
	return err->code;
}

#ifdef HOMENODE_DEBUG
static void warn_status(struct stmt *st, int op, unsigned int allowed,
			const char *what)
{
	int n = sqlite3_stmt_status(st->st, op, 1);
	char text[600];

	if (n <= 0 || st->def->flags & allowed)
		return;
	snprintf(text, sizeof(text), "%s (%d): %s", what, n, st->def->sql);
	if (st->store->warn)
		st->store->warn(st->store->warn_ctx, text);
	else
		fprintf(stderr, "homenode: debug: %s\n", text);
}

static void warn_cost(struct stmt *st)
{
	warn_status(st, SQLITE_STMTSTATUS_FULLSCAN_STEP, STMT_SCAN,
		    "full scan");
	warn_status(st, SQLITE_STMTSTATUS_SORT, STMT_SORT, "sort");
	warn_status(st, SQLITE_STMTSTATUS_AUTOINDEX, 0, "automatic index");
}
#else
static void warn_cost(struct stmt *st)
{
	(void)st;
}
#endif

void stmt_end(struct stmt *st)
{
	struct store *s;

	if (!st)
		return;
	s = st->store;
	warn_cost(st);
	sqlite3_reset(st->st);
	st->in_use = false;
	pthread_mutex_unlock(&s->lock);
}

static void bound(struct stmt *st, int rc)
{
	if (rc != SQLITE_OK && st->rc == SQLITE_OK)
		st->rc = rc;
}

void stmt_bind_int(struct stmt *st, int n, int64_t v)
{
	bound(st, sqlite3_bind_int64(st->st, n, v));
}

void stmt_bind_text(struct stmt *st, int n, const char *v)
{
	if (v)
		bound(st, sqlite3_bind_text(st->st, n, v, -1, SQLITE_STATIC));
	else
		bound(st, sqlite3_bind_null(st->st, n));
}

void stmt_bind_blob(struct stmt *st, int n, const void *v, size_t len)
{
	bound(st, sqlite3_bind_blob64(st->st, n, v, len, SQLITE_STATIC));
}

int stmt_step(struct stmt *st, struct err *err)
{
	int rc = st->rc;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st->st);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return store_error(st->store, rc,
			   sqlite3_stmt_readonly(st->st) ? "read" : "write",
			   err);
}

int stmt_run(struct stmt *st, struct err *err)
{
	int rc;

	do {
		rc = stmt_step(st, err);
	} while (rc > 0);
	stmt_rewind(st);
	return rc;
}

void stmt_rewind(struct stmt *st)
{
	sqlite3_reset(st->st);
}

sqlite3_stmt *stmt_raw(struct stmt *st)
{
	return st->st;
}

int64_t stmt_int(struct stmt *st, int col)
{
	return sqlite3_column_int64(st->st, col);
}

bool stmt_is_null(struct stmt *st, int col)
{
	return sqlite3_column_type(st->st, col) == SQLITE_NULL;
}

int stmt_text_or_null(struct stmt *st, int col, char **v, struct err *err)
{
	*v = NULL;
	return stmt_is_null(st, col) ? 0 : stmt_text(st, col, v, err);
}

int stmt_text(struct stmt *st, int col, char **v, struct err *err)
{
	const char *text = (const char *)sqlite3_column_text(st->st, col);

	*v = strdup(text ? text : "");
	return *v ? 0 : err_nomem(err);
}

int stmt_number(struct stmt *st, int col, int64_t min, int64_t max, int *v,
		struct err *err)
{
	int64_t n = sqlite3_column_int64(st->st, col);

	if (n < min || n > max)
		return store_damaged(st->store, err,
				     "%s is %lld, not in %lld..%lld",
				     sqlite3_column_name(st->st, col),
				     (long long)n, (long long)min,
				     (long long)max);
	*v = (int)n;
	return 0;
}

void stmt_free_all(struct store *s)
{
	struct stmt *next;

	for (struct stmt *st = s->stmts; st; st = next) {
		next = st->next;
		sqlite3_finalize(st->st);
		free(st);
	}
	s->stmts = NULL;
}
