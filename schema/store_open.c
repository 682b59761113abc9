/* SPDX-License-Identifier: MIT */
/* The life of a store: open, create, commit, close. */
#include "schema/store_local.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No text or blob of ours comes near this. */
#define MAX_LENGTH (64 << 20)

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
	s->format = STORE_VERSION;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&s->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return s;
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

/*
 * A damaged tree can lead SQLite in circles for ever.  No statement of ours
 * has reason to take more steps than these per byte of the file.
 */
#define TICK_STEPS (1 << 24)
#define STEPS_PER_BYTE 16

static int tick(void *ctx)
{
	struct store *s = ctx;
	struct stat st;

	if (s->ticks < 0 || ++s->ticks < 8)
		return 0;
	if (stat(s->tmp ? s->tmp : s->path, &st))
		return 0;
	return s->ticks > 8 + st.st_size / (TICK_STEPS / STEPS_PER_BYTE);
}

static int connect_file(struct store *s, const char *path, const char *query,
			int flags, struct err *err)
{
	char *uri = file_uri(path, query);
	int rc;

	if (!uri)
		return err_nomem(err);
	rc = sqlite3_open_v2(uri, &s->db, flags | SQLITE_OPEN_URI |
			     SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			     NULL);
	free(uri);
	if (rc != SQLITE_OK)
		return store_error(s, rc, "open", err);
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
	sqlite3_progress_handler(s->db, TICK_STEPS, tick, s);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, MAX_LENGTH);
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

static uint32_t big_endian(const uint8_t *p, int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

/* The head of a SQLite file: magic, page size, number of pages. */
static int check_head(struct store *s, int fd, int64_t size, struct err *err)
{
	uint8_t head[100] = { 0 };
	ssize_t n = pread(fd, head, sizeof(head), 0);
	int64_t page, whole;

	if (n < 0)
		return err_set(err, ERR_IO, "'%s': cannot read: %s", s->path,
			       strerror(errno));
	if (n < 16 || memcmp(head, "SQLite format 3", 16))
		return err_set(err, ERR_FORMAT, "'%s': not a homenode file",
			       s->path);
	page = big_endian(head + 16, 2);
	whole = (page == 1 ? 65536 : page) * big_endian(head + 28, 4);
	/* The number of pages holds only if this version wrote last. */
	if (size < whole && !memcmp(head + 24, head + 92, 4))
		return store_damaged(s, err, "it ends at byte %lld of %lld",
				     (long long)size, (long long)whole);
	return 0;
}

/* What the system says of the file before SQLite sees it. */
static int check_file(struct store *s, struct err *err)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
			       "'%s': cannot open: %s", s->path,
			       strerror(errno));
	if (fstat(fd, &st))
		err_set(err, ERR_IO, "'%s': cannot open: %s", s->path,
			strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err_set(err, ERR_FORMAT, "'%s': a directory, not a homenode "
			"file", s->path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ERR_FORMAT, "'%s': not a regular file", s->path);
	else if (!st.st_size)
		err_set(err, ERR_FORMAT, "'%s': empty, not a homenode file",
			s->path);
	else
		check_head(s, fd, st.st_size, err);
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

static int connect_main(struct store *s, const char *query, int flags,
			struct err *err)
{
	if (connect_file(s, s->path, query, flags, err))
		return err->code;
	return store_exec(s, "PRAGMA cell_size_check = ON;"
			  "PRAGMA cache_size = -16384;"
			  "PRAGMA temp.page_size = 16384;"
			  "PRAGMA temp.cache_size = -16384", err);
}

/* A writer that was killed leaves a journal; only a writer can roll it back. */
static int roll_back_journal(struct store *s, struct err *err)
{
	int64_t n;

	if (!connect_main(s, "", SQLITE_OPEN_READWRITE, err))
		store_int(s, "SELECT count(*) FROM sqlite_schema", 0, &n, err);
	disconnect(s);
	return err->code;
}

static int read_main(struct store *s, const char *query, struct err *err)
{
	if (connect_main(s, query, SQLITE_OPEN_READONLY, err))
		return err->code;
	return store_check(s, false, err);
}

static int connect_read(struct store *s, struct err *err)
{
	struct err second = { 0 };

	if (!read_main(s, "", err) || err->code != ERR_IO ||
	    (s->rc & 0xff) == SQLITE_BUSY)
		return err->code;
	disconnect(s);
	if (has_journal(s)) {
		if (roll_back_journal(s, &second))
			return err->code;
		*err = second;
		return read_main(s, "", err);
	}
	/* A file system without locks, or a WAL file on read-only media. */
	if (!read_main(s, "?immutable=1", &second))
		*err = second;
	return err->code;
}

static int connect_write(struct store *s, struct err *err)
{
	char *folder;

	s->writable = true;
	if (connect_main(s, "", SQLITE_OPEN_READWRITE, err))
		return err->code;
	if (sqlite3_db_readonly(s->db, "main"))
		return err_set(err, ERR_IO, "'%s': cannot write: the file is "
			       "read-only", s->path);
	/* Said now and not at the end of a long replay: the journal of every
	 * change needs room beside the file. */
	folder = strdup(s->path);
	if (!folder)
		return err_nomem(err);
	if (access(dirname(folder), W_OK))
		err_set(err, ERR_IO, "'%s': cannot write in its folder: %s",
			s->path, strerror(errno));
	free(folder);
	return err->code ? err->code : store_check(s, true, err);
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
	if (mode == STORE_READ ? connect_read(s, err) : connect_write(s, err))
		goto fail;
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
	    connect_file(s, s->tmp, "", SQLITE_OPEN_READWRITE, err))
		goto fail;
	/* A file that is removed unless it is complete needs no journal, which
	 * SQLite leaves out only when it is not defensive. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	if (store_exec(s, "PRAGMA page_size = 16384;"
		       "PRAGMA journal_mode = OFF;"
		       "PRAGMA synchronous = OFF;"
		       "PRAGMA locking_mode = EXCLUSIVE;"
		       "PRAGMA cache_size = -8192;"
		       "PRAGMA application_id = 1752067940;"
		       "BEGIN", err) ||
	    store_exec(s, store_recorded_sql, err) ||
	    store_exec(s, store_derived_sql, err) ||
	    store_exec(s, "PRAGMA user_version = 3; COMMIT", err))
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
	return connect_main(s, "", SQLITE_OPEN_READWRITE, err);
}
