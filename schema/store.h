/* SPDX-License-Identifier: MIT */
/*
 * store: the one SQLite file of a study, and the only door to it.
 *
 * Tables are described in recorded.sql (measured, never rewritten) and
 * derived.sql (can be dropped and rebuilt); their text is compiled in.  All
 * functions return 0 or a negative enum err_code; iterators return 1 with a
 * row, 0 at the end.  Error texts begin with the file's name in quotes.
 *
 * Life of a new file: store_create() makes a file of another name beside the
 * final one; store_commit() syncs it and renames it into place; store_close()
 * without a commit removes it.  So there is never a half-written file under
 * the final name, and an existing one is only replaced by a complete one.
 */
#ifndef SCHEMA_STORE_H
#define SCHEMA_STORE_H

#include "model/demand.h"
#include "model/event.h"
#include "model/run.h"
#include "model/task.h"
#include "model/topo.h"
#include "model/tracks.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct latency;
struct store;

#define STORE_APPLICATION_ID 0x686e6f64	/* "hnod" */
#define STORE_VERSION 3			/* user_version */

/* -- open, create, close ------------------------------------------------ */

enum store_mode {
	STORE_READ,	/* never writes; works on read-only media */
	STORE_WRITE,	/* may add runs; upgrades an older version */
};

int store_open(struct store **s, const char *path, enum store_mode mode,
	       struct err *err);

/* ERR_EXISTS if path exists and !force.  Created 0600. */
int store_create(struct store **s, const char *path, bool force,
		 struct err *err);
int store_commit(struct store *s, struct err *err);
void store_close(struct store *s);	/* NULL is fine */
const char *store_path(const struct store *s);

/* Where debug builds send their warnings of full scans, sorts and automatic
 * indexes; without it they go to stderr.  Release builds have none. */
void store_on_warning(struct store *s,
		      void (*fn)(void *ctx, const char *text), void *ctx);

/* Explicit transactions for batches; begin/end nest by counting. */
int store_begin(struct store *s, struct err *err);
int store_end(struct store *s, struct err *err);

/* -- what was recorded --------------------------------------------------- */

struct capture {
	char *source;		/* "live", "trace.dat v7", ... */
	char *kernel;		/* release, "" unknown */
	char *arch;
	char *clock;		/* "mono", ... "" unknown */
	char *tool;		/* "homenode 0.1.0" */
	char *command;		/* command line that was recorded, "" */
	int64_t page_size;	/* bytes */
	int64_t start_ns, end_ns;	/* first and last event */
	int64_t window_start_ns, window_end_ns;	/* complete on every CPU */
	int nr_cpus;
	bool topology_known;
	bool has_faults;	/* exceptions:page_fault_user was recorded */
	struct state_table states;
};
void capture_release(struct capture *c);

int store_put_capture(struct store *s, const struct capture *c,
		      struct err *err);
int store_get_capture(struct store *s, struct capture *c, struct err *err);

int store_put_topo(struct store *s, const struct topo *t, struct err *err);
int store_get_topo(struct store *s, struct topo *t, struct err *err);

/* Replaces all that calibrate measured (model/calibration.h). */
int store_put_latencies(struct store *s, const struct latency *l, int nr,
			struct err *err);
/* By nodes and co-runners; *l malloced, NULL and 0 if nothing was measured. */
int store_get_latencies(struct store *s, struct latency **l, int *nr,
			struct err *err);

int store_put_knob(struct store *s, const char *name, const char *value,
		   struct err *err);
/* Calls back for each knob by name order; stops at a non-zero return. */
int store_each_knob(struct store *s, int (*fn)(void *ctx, const char *name,
		    const char *value), void *ctx, struct err *err);

int store_put_tasks(struct store *s, const struct tasks *t, struct err *err);
int store_get_tasks(struct store *s, struct tasks *t, struct err *err);

/* A name that holds from a time on. */
int store_put_name(struct store *s, int task, int64_t from_ns,
		   const char *comm, struct err *err);

int store_put_areas(struct store *s, const struct areas *a, struct err *err);
/* Those from number `from` on, in place of the derived ones that there are. */
int store_put_derived_areas(struct store *s, const struct areas *a, int from,
			    struct err *err);
/* The recorded ones, then the derived ones. */
int store_get_areas(struct store *s, struct areas *a, struct err *err);

/* Events of one batch come in stream order over all batches.  Buffers, so that
 * one statement inserts many rows; store_end() flushes. */
int store_put_event(struct store *s, const struct event *ev, struct err *err);

/* Calls back for each kind of event that there is, in order of enum event_kind,
 * with the kernel's name; stops at a non-zero return. */
int store_each_event_kind(struct store *s, int (*fn)(void *ctx,
			  const char *name, int64_t events), void *ctx,
			  struct err *err);

/* Kept out, but counted: events that homenode does not keep. */
int store_put_skipped(struct store *s, const char *name, int64_t count,
		      struct err *err);
int store_each_skipped(struct store *s, int (*fn)(void *ctx, const char *name,
		       int64_t count), void *ctx, struct err *err);

/* Events of a CPU that are missing between two times; events -1: unknown. */
struct loss {
	int cpu;
	int64_t from_ns, to_ns;
	int64_t events;
};
int store_put_loss(struct store *s, const struct loss *l, struct err *err);
int store_get_loss(struct store *s, struct loss **l, int *nr, struct err *err);

/* A repair or remark of an importer, counted ("backward_time", 3). */
int store_put_repair(struct store *s, const char *kind, int64_t count,
		     struct err *err);
int store_each_repair(struct store *s, int (*fn)(void *ctx, const char *kind,
		      int64_t count), void *ctx, struct err *err);

/* Pages of an area on a node when it was sampled; a sample has one row per
 * node that holds pages, or one with node -1 and pages 0. */
struct placement {
	int64_t ts;
	int area;
	int node;
	int64_t pages;
	char source;		/* 'm' numa_maps; move_pages query of every page:
				 * 'e', of some: 'q', counts scaled up */
};
int store_put_placement(struct store *s, const struct placement *p,
			struct err *err);

/* -- reading events and samples back ------------------------------------ */

struct store_events;
/* Events whose place in the stream is in [from, to): the place of one whose
 * time stood or ran back is just behind the one before it. */
int store_events_open(struct store *s, int64_t from_ns, int64_t to_ns,
		      struct store_events **it, struct err *err);
int store_events_next(struct store_events *it, struct event *ev,
		      struct err *err);
void store_events_close(struct store_events *it);
int64_t store_nr_events(struct store *s);	/* for progress bars */

struct store_placements;
int store_placements_open(struct store *s, struct store_placements **it,
			  struct err *err);	/* in time order */
int store_placements_next(struct store_placements *it, struct placement *p,
			  struct err *err);
void store_placements_close(struct store_placements *it);
int64_t store_nr_placements(struct store *s);	/* samples: areas x times */

/* -- runs ----------------------------------------------------------------- */

/*
 * Adds a run (id -1: the next free one, returned in info->id; run 0 is what
 * was recorded) and fills *sink with functions that add to it.  Ends with
 * store_run_end(), which writes the head; a run without head does not exist.
 */
int store_run_begin(struct store *s, struct run_info *info,
		    struct run_sink *sink, struct err *err);
int store_run_end(struct store *s, const struct run_info *info,
		  struct err *err);
int store_run_drop(struct store *s, int run, struct err *err);
int store_get_runs(struct store *s, struct run_info **runs, int *nr,
		   struct err *err);

struct store_spans;
/* Spans that overlap [from, to) in order of end time. */
int store_spans_open(struct store *s, int run, int64_t from_ns, int64_t to_ns,
		     struct store_spans **it, struct err *err);
int store_spans_next(struct store_spans *it, struct span *sp, struct err *err);
void store_spans_close(struct store_spans *it);

/* Call back for every row of a run, in the order it was given. */
int store_each_mem(struct store *s, int run, int (*fn)(void *ctx,
		   const struct mem_change *m, struct err *err), void *ctx,
		   struct err *err);
int store_each_access(struct store *s, int run, int (*fn)(void *ctx,
		      const struct mem_access *a, struct err *err), void *ctx,
		      struct err *err);
int store_each_move(struct store *s, int run, int (*fn)(void *ctx,
		    const struct move *m, struct err *err), void *ctx,
		    struct err *err);
int store_get_count(struct store *s, int run, const char *name, int64_t *value,
		    struct err *err);	/* 0 where it was never counted */

/* -- what a run is drawn from (model/tracks.h) ------------------------------ */

struct store_tracks;
/* What there is of a run: 1, or 0 where it is missing, of another version or not
 * of these spans. */
int store_tracks_open(struct store *s, int run, struct store_tracks **t,
		      struct err *err);
/* Begins to make it anew, in a transaction that store_tracks_done() ends;
 * store_tracks_close() before that undoes it.  In SQLite's temporary database
 * where `temp` is set or the store is not written.  ERR_IO also where another
 * program writes. */
int store_tracks_make(struct store *s, int run, bool temp,
		      struct store_tracks **t, struct err *err);
int store_tracks_done(struct store_tracks *t, struct err *err);
void store_tracks_close(struct store_tracks *t);	/* NULL is fine */

/* For struct tracks_source and tracks_save(); ctx is the struct store_tracks. */
const struct tracks_store *store_tracks_nodes(const struct store_tracks *t);
int store_tracks_put_head(void *ctx, enum track_kind kind, int number,
			  const void *head, size_t len, struct err *err);
int store_tracks_each_head(struct store_tracks *t, tracks_head_fn fn,
			   void *ctx, struct err *err);

/* -- demand --------------------------------------------------------------- */

int store_put_demand_task(struct store *s, const struct demand_task *t,
			  struct err *err);
int store_get_demand_tasks(struct store *s, struct demand_task **t, int *nr,
			   struct err *err);
/* True if the demand was generated, not recorded (homenode synth): the source
 * of its capture begins with this.  Then there is no run 0, and the demand is
 * all there is: it cannot be derived again. */
#define STORE_GENERATED "synth "
int store_is_generated(struct store *s, bool *is, struct err *err);

/* Access weights of generated demand, sorted by task: store_each_access() of
 * run 0 gives them. */
int store_put_accesses(struct store *s, const struct mem_access *a, int nr,
		       struct err *err);

/* Drops every program, to make way for another demand. */
int store_drop_demand(struct store *s, struct err *err);
void store_demand_sink(struct store *s, struct demand_sink *sink);
/* One source for one replay.  It may be read by another thread than the one
 * that the store belongs to.  Ends with the store or with _close(). */
void store_demand_source(struct store *s, struct demand_source *src);
void store_demand_source_close(struct store *s, struct demand_source *src);
/* All chunks at once, by task and number: faster than a source.  ERR_FORMAT if
 * one is missing between others. */
int store_each_chunk(struct store *s, int (*fn)(void *ctx, int task,
		     const uint8_t *bytes, size_t len, struct err *err),
		     void *ctx, struct err *err);

/* -- what was derived from what ------------------------------------------ */

/* Key/value of the derived part ("derived_from", engine version, cost that the
 * demand was made with); *value allocated, NULL where it is not set. */
int store_get_derived(struct store *s, const char *key, char **value,
		      struct err *err);
int store_put_derived(struct store *s, const char *key, const char *value,
		      struct err *err);
/* Drops and makes anew every derived table; run 0 and demand are then gone.
 * ERR_USAGE for generated demand. */
int store_drop_derived(struct store *s, struct err *err);

/* -- free queries (homenode sql) ----------------------------------------- */

struct store_query;
/* The first statement of a text; *rest is what follows it.  *q is NULL for
 * blanks and comments. */
int store_query_open(struct store *s, const char *sql, const char **rest,
		     struct store_query **q, struct err *err);
int store_query_step(struct store_query *q, struct err *err);
/* Does a text end with a whole statement, or is it to be read on? */
bool store_query_complete(const char *sql);
int store_query_columns(const struct store_query *q);
const char *store_query_name(const struct store_query *q, int col);
/* NULL for SQL NULL; *is_number tells whether JSON needs no quotes. */
const char *store_query_text(const struct store_query *q, int col, int *len,
			     bool *is_number);
void store_query_close(struct store_query *q);

#endif
