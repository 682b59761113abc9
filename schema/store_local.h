/* SPDX-License-Identifier: MIT */
/*
 * store_local: what the files of schema/ share about an open store.
 *
 * Threads: every statement is used between stmt_begin() and stmt_end(), which
 * hold the store's lock (recursive), so that a demand source can be read by
 * another thread than the one the store belongs to.
 *
 * Places: recorded tables are always in the file.  Derived ones are in the
 * file too, except in a store opened with STORE_READ, which writes them to
 * SQLite's private temporary database; a run is read from where it is.
 */
#ifndef SCHEMA_STORE_LOCAL_H
#define SCHEMA_STORE_LOCAL_H

#include "schema/stmt_local.h"
#include "schema/store.h"

#include "model/err.h"

#include <pthread.h>
#include <sqlite3.h>

/* CPU, node numbers at or above this are damage. */
#define STORE_MAX_NUMBER 65536
/* Of nodes there are distances: the kernel itself stops at 1024. */
#define STORE_MAX_NODE 1023

/* How long a reader waits for a writer in another process. */
#define STORE_BUSY_MS 5000

struct event_writer;
struct store_run;
struct demand_reader;

struct store {
	sqlite3 *db;
	char *path;		/* as the user named it, for messages */
	char *tmp;		/* name while being created, else NULL */
	bool force;		/* replace an existing file at commit */
	bool writable;		/* derived tables go to the file */
	int format;		/* of an older file that is only read; else
				 * STORE_VERSION */
	pthread_mutex_t lock;
	int depth;		/* of store_begin() */
	int rc;			/* SQLite's code of the last error */
	int64_t ticks;		/* of the statement under way; -1: free */
	struct stmt *stmts;
	struct event_writer *events;	/* made by the first put */
	struct store_run *runs;		/* being written */
	struct demand_reader *readers;
	int *temp_run;		/* runs that are in the temporary database */
	int nr_temp_runs;
	bool has_temp;		/* derived tables were made there */
	bool temp_demand;	/* the demand is there */
	bool temp_areas;	/* the derived areas are there */
	int64_t origin_ns;
	bool origin_known;
	void (*warn)(void *ctx, const char *text);
	void *warn_ctx;
};

/* The text of the two .sql files. */
extern const char store_recorded_sql[];
extern const char store_derived_sql[];

/* Sets err from SQLite's own state: what was being done, and why it failed. */
int store_error(struct store *s, int rc, const char *doing, struct err *err);

/* A row that cannot be true; ERR_FORMAT, "'FILE': damaged: ...". */
int store_damaged(struct store *s, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Several statements without results, in order. */
int store_exec(struct store *s, const char *sql, struct err *err);

/* One integer of a query; `missing` where it has no row or NULL. */
int store_int(struct store *s, const char *sql, int64_t missing,
	      int64_t *value, struct err *err);

/* Calls back for each row of a query for names and counts, until fn() returns
 * non-zero, which is returned. */
int store_each_count(struct store *s, const struct stmt_def *def,
		     int (*fn)(void *ctx, const char *name, int64_t count),
		     void *ctx, struct err *err);

/* The time that events and runs count from; fixes it where it is not yet. */
int store_origin(struct store *s, int64_t *origin, struct err *err);

/* Where derived rows go; makes the temporary tables when they are needed. */
int store_write_place(struct store *s, enum place *p, struct err *err);
/* The same for what may be kept there in a store that is written, too. */
int store_make_temp(struct store *s, struct err *err);
enum place store_run_place(const struct store *s, int run);

/* Deletes what a run is drawn from. */
int store_drop_tracks(struct store *s, enum place p, int run, struct err *err);

/* Room for one more behind the nr elements of a list with *size, of `each` bytes:
 * the list, which may have moved.  NULL: no memory; the list stays as it was. */
void *store_room(void *list, int nr, int *size, size_t each, struct err *err);

/* Rows of tasks and areas: ids that a reader may hand on. */
int store_limits(struct store *s, int64_t *tasks, int64_t *areas,
		 struct err *err);

/* store_file.c: names beside the final one. */
int file_make_temp(const char *path, bool force, char **tmp, struct err *err);
int file_put_in_place(const char *tmp, const char *path, bool force,
		      struct err *err);

/* Is it ours, of a version we know, with the tables that it should have. */
int store_check(struct store *s, bool may_upgrade, struct err *err);
/* Refuses newer files; upgrades older ones where it may, else refuses them. */
int store_check_version(struct store *s, bool may_upgrade, struct err *err);

/* Writes what is still buffered; called by store_end() and before reading. */
int store_flush_events(struct store *s, struct err *err);
void store_events_writer_free(struct store *s);
int store_flush_runs(struct store *s, struct err *err);
void store_runs_free(struct store *s);
void store_readers_free(struct store *s);

#endif
