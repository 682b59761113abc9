/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char store_recorded_sql[] =
#include "gen/recorded_sql.h"
	;
const char store_derived_sql[] =
#include "gen/derived_sql.h"
	;

int store_error(struct store *s, int rc, const char *doing, struct err *err)
{
	int sys = s->db ? sqlite3_system_errno(s->db) : 0;
	const char *why = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);

	s->rc = rc;
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return err_nomem(err);
	case SQLITE_NOTADB:
		return err_set(err, ERR_FORMAT, "'%s': not a homenode file",
			       s->path);
	case SQLITE_CORRUPT:
		return err_set(err, ERR_FORMAT, "'%s': damaged: %s", s->path,
			       why);
	case SQLITE_FULL:
		return err_set(err, ERR_IO, "'%s': cannot write: %s", s->path,
			       strerror(sys ? sys : ENOSPC));
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return err_set(err, ERR_IO, "'%s': cannot %s: %s", s->path,
			       doing, sys ? strerror(sys) : why);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, ERR_IO, "'%s': cannot %s: another program "
			       "is writing to it", s->path, doing);
	case SQLITE_READONLY:
		return err_set(err, ERR_IO, "'%s': cannot write: %s", s->path,
			       rc == SQLITE_READONLY_ROLLBACK ?
			       "an interrupted change must be undone first, "
			       "and the file is read-only" :
			       "the file is read-only");
	case SQLITE_INTERRUPT:
		return err_set(err, ERR_FORMAT, "'%s': damaged: reading it "
			       "does not come to an end", s->path);
	case SQLITE_ERROR:
		return err_set(err, ERR_FORMAT, "'%s': damaged: %s", s->path,
			       why);
	default:
		return err_set(err, ERR_IO, "'%s': cannot %s: %s", s->path,
			       doing, why);
	}
}

int store_damaged(struct store *s, struct err *err, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(err, ERR_FORMAT, "'%s': damaged: %s", s->path, text);
}

int store_exec(struct store *s, const char *sql, struct err *err)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		store_error(s, rc, "write", err);
	pthread_mutex_unlock(&s->lock);
	return rc == SQLITE_OK ? 0 : err->code;
}

void *store_room(void *list, int nr, int *size, size_t each, struct err *err)
{
	int more = *size ? 2 * *size : 16;

	if (nr < *size)
		return list;
	list = realloc(list, (size_t)more * each);
	if (list)
		*size = more;
	else
		err_nomem(err);
	return list;
}

int store_each_count(struct store *s, const struct stmt_def *def,
		     int (*fn)(void *ctx, const char *name, int64_t count),
		     void *ctx, struct err *err)
{
	struct stmt *st;
	char *name;
	int rc = 0;

	if (stmt_begin(s, PLACE_MAIN, def, &st, err))
		return err->code;
	while (!rc && stmt_step(st, err) > 0) {
		if (stmt_text(st, 0, &name, err))
			break;
		rc = fn(ctx, name, stmt_int(st, 1));
		free(name);
	}
	stmt_end(st);
	return err->code ? err->code : rc;
}

int store_int(struct store *s, const char *sql, int64_t missing,
	      int64_t *value, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc;

	*value = missing;
	pthread_mutex_lock(&s->lock);
	s->ticks = 0;
	rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);
	if (rc == SQLITE_OK) {
		rc = sqlite3_step(st);
		if (rc == SQLITE_ROW &&
		    sqlite3_column_type(st, 0) != SQLITE_NULL)
			*value = sqlite3_column_int64(st, 0);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		store_error(s, rc, "read", err);
	sqlite3_finalize(st);
	pthread_mutex_unlock(&s->lock);
	return err->code;
}

/* -- transactions --------------------------------------------------------- */

int store_begin(struct store *s, struct err *err)
{
	if (!s->depth && store_exec(s, "BEGIN", err))
		return err->code;
	s->depth++;
	return 0;
}

int store_end(struct store *s, struct err *err)
{
	if (s->depth > 1) {
		s->depth--;
		return 0;
	}
	if (store_flush_events(s, err) || store_flush_runs(s, err) ||
	    store_exec(s, "COMMIT", err))
		return err->code;
	s->depth = 0;
	return 0;
}

/* -- small things --------------------------------------------------------- */

int store_origin(struct store *s, int64_t *origin, struct err *err)
{
	if (!s->origin_known) {
		if (store_int(s, "SELECT origin_ns FROM capture", 0,
			      &s->origin_ns, err))
			return err->code;
		s->origin_known = true;
	}
	*origin = s->origin_ns;
	return 0;
}

int store_limits(struct store *s, int64_t *tasks, int64_t *areas,
		 struct err *err)
{
	const char *derived = s->temp_areas ?
		"SELECT max(id) + 1 FROM temp.derived_area" :
		"SELECT max(id) + 1 FROM main.derived_area";
	int64_t more;

	if (store_int(s, "SELECT max(id) + 1 FROM task", 0, tasks, err) ||
	    store_int(s, "SELECT max(id) + 1 FROM area", 0, areas, err) ||
	    store_int(s, derived, 0, &more, err))
		return err->code;
	if (more > *areas)
		*areas = more;
	return 0;
}

enum place store_run_place(const struct store *s, int run)
{
	for (int i = 0; i < s->nr_temp_runs; i++)
		if (s->temp_run[i] == run)
			return PLACE_TEMP;
	return PLACE_MAIN;
}

/* The derived tables again, in SQLite's private temporary database. */
static int make_temp_tables(struct store *s, struct err *err)
{
	static const char from[] = "\nCREATE ", to[] = "\nCREATE TEMP ";
	char *sql = malloc(2 * strlen(store_derived_sql) + 1), *o = sql;
	const char *c = store_derived_sql, *next;
	int rc;

	if (!sql)
		return err_nomem(err);
	while ((next = strstr(c, "\nDROP ")) && next)
		c = strchr(next + 1, '\n');
	while ((next = strstr(c, from))) {
		memcpy(o, c, (size_t)(next - c));
		o += next - c;
		o = stpcpy(o, to);
		c = next + strlen(from);
	}
	strcpy(o, c);
	rc = store_exec(s, sql, err);
	free(sql);
	return rc;
}

int store_make_temp(struct store *s, struct err *err)
{
	if (s->has_temp)
		return 0;
	if (make_temp_tables(s, err))
		return err->code;
	s->has_temp = true;
	return 0;
}

int store_write_place(struct store *s, enum place *p, struct err *err)
{
	*p = s->writable ? PLACE_MAIN : PLACE_TEMP;
	return s->writable ? 0 : store_make_temp(s, err);
}
