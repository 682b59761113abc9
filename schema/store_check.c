/* SPDX-License-Identifier: MIT */
/* Is a database one of ours, and are its tables what they should be. */
#include "schema/store_local.h"

#include <stdio.h>
#include <string.h>

/*
 * Columns of a plain table as one text.  A view, a virtual table, a computed
 * column or a missing key in place of what we expect could cost any time.
 */
static const char shape_sql[] =
	"SELECT group_concat(x) FROM (SELECT c.name || ' ' || c.type || ' ' ||"
	" c.\"notnull\" || c.pk || c.hidden AS x FROM main.sqlite_schema t,"
	" pragma_table_xinfo(t.name, 'main') c WHERE t.name = ?1"
	" AND t.type = 'table' AND t.rootpage > 0 ORDER BY c.name)";

static int compare_table(struct store *s, sqlite3_stmt *want,
			 sqlite3_stmt *got, const char *name, struct err *err)
{
	const char *a, *b;
	int rc;

	sqlite3_bind_text(want, 1, name, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(got, 1, name, -1, SQLITE_TRANSIENT);
	rc = sqlite3_step(got);
	if (rc != SQLITE_ROW)
		return store_error(s, rc, "read", err);
	if (sqlite3_step(want) != SQLITE_ROW)
		return err_nomem(err);
	a = (const char *)sqlite3_column_text(want, 0);
	b = (const char *)sqlite3_column_text(got, 0);
	if (!a)
		return err_nomem(err);
	if (!b)
		store_damaged(s, err, "there is no table %s", name);
	else if (strcmp(a, b))
		store_damaged(s, err, "table %s has other columns than it "
			      "should", name);
	sqlite3_reset(want);
	sqlite3_reset(got);
	return err->code;
}

static bool is_expected(const struct store *s, const char *name)
{
	if (!name || s->format == STORE_VERSION)
		return true;
	if (s->format < 2 && !strncmp(name, "drawing", 7))
		return false;
	return strcmp(name, "latency") != 0;
}

/* Tables of `model`, an empty database as this version makes it. */
static int compare_tables(struct store *s, sqlite3 *model, struct err *err)
{
	sqlite3_stmt *names = NULL, *want = NULL, *got = NULL;
	int rc;

	if (sqlite3_prepare_v2(model, "SELECT name FROM sqlite_schema WHERE"
			       " type = 'table'", -1, &names, NULL) ||
	    sqlite3_prepare_v2(model, shape_sql, -1, &want, NULL)) {
		err_nomem(err);
		goto out;
	}
	rc = sqlite3_prepare_v2(s->db, shape_sql, -1, &got, NULL);
	if (rc != SQLITE_OK) {
		store_error(s, rc, "read", err);
		goto out;
	}
	while (sqlite3_step(names) == SQLITE_ROW)
		if (is_expected(s, (const char *)
				sqlite3_column_text(names, 0)) &&
		    compare_table(s, want, got, (const char *)
				  sqlite3_column_text(names, 0), err))
			break;
out:
	sqlite3_finalize(names);
	sqlite3_finalize(want);
	sqlite3_finalize(got);
	return err->code;
}

static int check_tables(struct store *s, struct err *err)
{
	sqlite3 *model = NULL;

	if (sqlite3_open_v2(":memory:", &model, SQLITE_OPEN_READWRITE |
			    SQLITE_OPEN_NOMUTEX, NULL) ||
	    sqlite3_exec(model, store_recorded_sql, NULL, NULL, NULL) ||
	    sqlite3_exec(model, store_derived_sql, NULL, NULL, NULL))
		err_nomem(err);
	else
		compare_tables(s, model, err);
	sqlite3_close(model);
	return err->code;
}

int store_check(struct store *s, bool may_upgrade, struct err *err)
{
	int64_t id;

	if (store_int(s, "PRAGMA application_id", 0, &id, err))
		return err->code;
	if (id != STORE_APPLICATION_ID)
		return err_set(err, ERR_FORMAT, "'%s': a SQLite database, but "
			       "not a homenode file", s->path);
	if (store_check_version(s, may_upgrade, err))
		return err->code;
	return check_tables(s, err);
}
