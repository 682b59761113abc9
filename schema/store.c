/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char store_recorded_sql[] =
#include "gen/recorded_sql.h"
	;
const char store_derived_sql[] =
#include "gen/derived_sql.h"
	;

/* How long a reader waits for a writer in another process. */
#define BUSY_MS 5000

int store_error(struct store *s, int rc, const char *doing, struct err *err)
{
	int sys = s->db ? sqlite3_system_errno(s->db) : 0;
	const char *why = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);

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
		return err_set(err, ERR_IO, "'%s': cannot write: the file is "
			       "read-only", s->path);
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

int store_int(struct store *s, const char *sql, int64_t missing,
	      int64_t *value, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc;

	*value = missing;
	pthread_mutex_lock(&s->lock);
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

/* -- life ----------------------------------------------------------------- */

static struct store *store_new(const char *path, struct err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	pthread_mutexattr_t attr;

	if (s)
		s->path = strdup(path);
	if (!s || !s->path) {
		free(s);
		err_nomem(err);
		return NULL;
	}
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&s->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return s;
}

static int connect_file(struct store *s, const char *name, int flags,
			struct err *err)
{
	int rc = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX |
				 SQLITE_OPEN_EXRESCODE, NULL);

	if (rc != SQLITE_OK)
		return store_error(s, rc, "open", err);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0,
			  NULL);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	return 0;
}

static void disconnect(struct store *s)
{
	stmt_free_all(s);
	sqlite3_close(s->db);
	s->db = NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	store_events_writer_free(s);
	store_runs_free(s);
	store_readers_free(s);
	disconnect(s);
	if (s->tmp)
		unlink(s->tmp);
	pthread_mutex_destroy(&s->lock);
	free(s->temp_run);
	free(s->tmp);
	free(s->path);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

void store_on_warning(struct store *s,
		      void (*fn)(void *ctx, const char *text), void *ctx)
{
	s->warn = fn;
	s->warn_ctx = ctx;
}

/* SQLite's URI form of a path, so that any byte of it is taken as it is. */
static char *file_uri(const char *path, const char *query)
{
	char *uri = malloc(3 * strlen(path) + strlen(query) + 16);
	size_t n;

	if (!uri)
		return NULL;
	n = (size_t)sprintf(uri, "file:%s", path[0] == '/' ? "" : "./");
	for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
		if (*c < 0x21 || *c > 0x7e || strchr("%?#", *c))
			n += (size_t)sprintf(uri + n, "%%%02X", *c);
		else
			uri[n++] = (char)*c;
	}
	strcpy(uri + n, query);
	return uri;
}

/* What the system says of the file before SQLite sees it. */
static int check_file(struct store *s, struct err *err)
{
	char head[16] = { 0 };
	struct stat st;
	ssize_t n;
	int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
			       "'%s': cannot open: %s", s->path,
			       strerror(errno));
	if (fstat(fd, &st))
		err_set(err, ERR_IO, "'%s': cannot open: %s", s->path,
			strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err_set(err, ERR_FORMAT, "'%s': is a directory, not a homenode "
			"file", s->path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ERR_FORMAT, "'%s': is not a regular file",
			s->path);
	else if (!st.st_size)
		err_set(err, ERR_FORMAT, "'%s': is empty, not a homenode file",
			s->path);
	if (err->code)
		goto out;
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0)
		err_set(err, ERR_IO, "'%s': cannot read: %s", s->path,
			strerror(errno));
	else if (n < 16 || memcmp(head, "SQLite format 3", 16))
		err_set(err, ERR_FORMAT, "'%s': not a homenode file", s->path);
out:
	close(fd);
	return err->code;
}

static bool has_journal(const struct store *s)
{
	char *name = malloc(strlen(s->path) + 16);
	bool found = false;

	if (!name)
		return true;
	sprintf(name, "%s-journal", s->path);
	found = access(name, F_OK) == 0;
	sprintf(name, "%s-wal", s->path);
	found = found || access(name, F_OK) == 0;
	free(name);
	return found;
}

static int connect_uri(struct store *s, const char *query, int flags,
		       struct err *err)
{
	char *uri = file_uri(s->path, query);
	int rc;

	if (!uri)
		return err_nomem(err);
	rc = connect_file(s, uri, flags | SQLITE_OPEN_URI, err);
	free(uri);
	if (!rc)
		rc = store_exec(s, "PRAGMA cell_size_check = ON;"
				"PRAGMA cache_size = -16384;"
				"PRAGMA temp.page_size = 32768;"
				"PRAGMA temp.cache_size = -16384", err);
	return rc;
}

/* A writer that was killed leaves a journal; only a writer can roll it back. */
static int roll_back_journal(struct store *s)
{
	struct err ignored = { 0 };
	int64_t n;
	int rc;

	rc = connect_uri(s, "", SQLITE_OPEN_READWRITE, &ignored);
	if (!rc)
		rc = store_int(s, "SELECT count(*) FROM sqlite_schema", 0, &n,
			       &ignored);
	disconnect(s);
	return rc;
}

static int connect_read(struct store *s, struct err *err)
{
	struct err first = { 0 };

	if (!connect_uri(s, "", SQLITE_OPEN_READONLY, &first) &&
	    !store_check(s, false, &first))
		return 0;
	if (first.code != ERR_IO)
		goto fail;
	disconnect(s);
	if (has_journal(s)) {
		if (roll_back_journal(s))
			goto fail;
		if (connect_uri(s, "", SQLITE_OPEN_READONLY, err))
			return err->code;
		return store_check(s, false, err);
	}
	if (!connect_uri(s, "?immutable=1", SQLITE_OPEN_READONLY, err) &&
	    !store_check(s, false, err))
		return 0;
	err->code = 0;
fail:
	return err_set(err, first.code, "%s", first.text);
}

int store_open(struct store **out, const char *path, enum store_mode mode,
	       struct err *err)
{
	struct store *s = store_new(path, err);

	*out = NULL;
	if (!s)
		return err->code;
	if (check_file(s, err))
		goto fail;
	if (mode == STORE_READ) {
		if (connect_read(s, err))
			goto fail;
	} else {
		s->writable = true;
		if (connect_uri(s, "", SQLITE_OPEN_READWRITE, err) ||
		    store_check(s, true, err))
			goto fail;
		if (sqlite3_db_readonly(s->db, "main")) {
			err_set(err, ERR_IO, "'%s': cannot write: %s", path,
				access(path, W_OK) ? strerror(errno) :
				"the file is read-only");
			goto fail;
		}
	}
	*out = s;
	return 0;
fail:
	store_close(s);
	return err->code;
}

int store_create(struct store **out, const char *path, bool force,
		 struct err *err)
{
	struct store *s = store_new(path, err);

	*out = NULL;
	if (!s)
		return err->code;
	s->force = force;
	s->writable = true;
	if (file_make_temp(path, force, &s->tmp, err) ||
	    connect_file(s, s->tmp, SQLITE_OPEN_READWRITE, err))
		goto fail;
	/* A file that is removed unless it is complete needs no journal. */
	if (store_exec(s, "PRAGMA page_size = 32768;"
		       "PRAGMA journal_mode = OFF;"
		       "PRAGMA synchronous = OFF;"
		       "PRAGMA locking_mode = EXCLUSIVE;"
		       "PRAGMA cache_size = -8192;"
		       "PRAGMA application_id = 1752067940;"
		       "BEGIN", err) ||
	    store_exec(s, store_recorded_sql, err) ||
	    store_exec(s, store_derived_sql, err) ||
	    store_exec(s, "PRAGMA user_version = 1; COMMIT", err))
		goto fail;
	*out = s;
	return 0;
fail:
	store_close(s);
	return err->code;
}

int store_commit(struct store *s, struct err *err)
{
	if (!s->tmp)
		return err_set(err, ERR_USAGE, "'%s': is committed already",
			       s->path);
	if (store_flush_events(s, err) || store_flush_runs(s, err))
		return err->code;
	if (s->depth && store_exec(s, "COMMIT", err))
		return err->code;
	s->depth = 0;
	store_events_writer_free(s);
	disconnect(s);
	if (file_put_in_place(s->tmp, s->path, s->force, err))
		return err->code;
	free(s->tmp);
	s->tmp = NULL;
	return connect_uri(s, "", SQLITE_OPEN_READWRITE, err);
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
	if (store_int(s, "SELECT max(id) + 1 FROM task", 0, tasks, err) ||
	    store_int(s, "SELECT max(id) + 1 FROM area", 0, areas, err))
		return err->code;
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

int store_write_place(struct store *s, enum place *p, struct err *err)
{
	*p = s->writable ? PLACE_MAIN : PLACE_TEMP;
	if (s->writable || s->has_temp)
		return 0;
	if (make_temp_tables(s, err))
		return err->code;
	s->has_temp = true;
	return 0;
}
