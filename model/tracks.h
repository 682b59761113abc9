/* SPDX-License-Identifier: MIT */
/*
 * tracks: the spans of one run kept in memory, by task and by CPU, so that a
 * row of a grid is filled for any window without reading every span.
 *
 * A track is a row of chunks of 256 spans, over them groups of sums of 64
 * chunks, over these groups of 64 groups, and so on.  Where one of them lies in
 * one bucket its sums are added; only what an edge cuts is opened, down to the
 * spans.  So a redraw costs some hundred steps per edge and row at most,
 * whatever the zoom and the number of spans, and gives the same integers as
 * adding each span would.  All but the sums of whole tracks may lie elsewhere
 * (struct tracks_store), a span taking 12 bytes or so in each of two tracks;
 * what was read is kept within a budget of memory.
 *
 * Order of calls: tracks_new(), tracks_span() in the order of a run (spans of
 * one task and of one CPU do not overlap and come in time order), tracks_seal()
 * whenever spans were added (it costs nothing where none were), then the
 * others.  When all are added tracks_save() hands out what tracks_restore()
 * takes in place of all that, with the same source and store.  Reading never
 * fails at once: what cannot be read counts as nothing, and tracks_error() says
 * so afterwards.
 */
#ifndef MODEL_TRACKS_H
#define MODEL_TRACKS_H

#include "model/grid.h"
#include "model/run.h"
#include "model/topo.h"

#include <stddef.h>

struct pages;
struct residency;
struct tracks;

enum track_kind {
	TRACK_TASK,	/* number: task id */
	TRACK_CPU,	/* number: CPU */
	TRACK_NONE,	/* always empty: rows that are neither */
};

/* Increased whenever tracks of the same run come out as other bytes. */
#define TRACKS_VERSION 1

/*
 * Where nodes (chunks, groups) are kept.  put() is called once for each id, 0
 * and up in order; get() calls take() with the bytes, which need not outlast
 * the call, and returns what it returned, or an error.
 */
struct tracks_store {
	void *ctx;
	int (*put)(void *ctx, int64_t id, const void *bytes, size_t len,
		   struct err *err);
	int (*get)(void *ctx, int64_t id,
		   int (*take)(void *ctx, const void *bytes, size_t len),
		   void *take_ctx, struct err *err);
};

/* What spans are looked at with; all of it must outlive the tracks. */
struct tracks_source {
	const struct topo *topo;
	int nr_tasks;
	const struct residency *residency;	/* sealed; NULL: no locality */
	const struct pages *pages;	/* NULL: no node of its memory */
	const int *leader;	/* by task: whose pages are its; with pages */
	const struct tracks_store *store;	/* NULL: kept in memory */
};

struct tracks *tracks_new(const struct tracks_source *source, struct err *err);
void tracks_free(struct tracks *t);

/* ERR_FORMAT for a span of no such task or CPU, or one that overlaps the one
 * before it. */
int tracks_span(struct tracks *t, const struct span *s, struct err *err);
void tracks_seal(struct tracks *t);

/* Hands out the head of each track with spans.  No span may be added then. */
typedef int (*tracks_head_fn)(void *ctx, enum track_kind kind, int number,
			      const void *head, size_t len, struct err *err);
int tracks_save(struct tracks *t, tracks_head_fn fn, void *ctx,
		struct err *err);
/* ERR_FORMAT where it cannot be one. */
int tracks_restore(struct tracks *t, enum track_kind kind, int number,
		   const void *head, size_t len, struct err *err);

/* The first thing that could not be read, if any, else 0. */
int tracks_error(const struct tracks *t, struct err *err);

/* Present nodes have places 0..tracks_nr_nodes()-1 in order of number. */
int tracks_nr_nodes(const struct tracks *t);
int tracks_place(const struct tracks *t, int node);	/* -1: no such node */
int tracks_node(const struct tracks *t, int place);

/* Adds what the track has in the grid's window: GRID_RUN with node_ns, local
 * and known, GRID_WAIT, UNSURE, CENSORED, spans, node_moves.  The waiting of a
 * CPU is that of the spans that ended up on it; and in page_ns it gets the time
 * that was run by those with most of their pages on that node. */
void tracks_fill(const struct tracks *t, enum track_kind kind, int number,
		 struct grid *g, int row);

/* Of a CPU, only what the tasks of only[nr_tasks] ran there.  No sums know
 * tasks, so that it looks at every span in the window. */
void tracks_fill_cpu(const struct tracks *t, int cpu, const bool *only,
		     struct grid *g, int row);

/* Reads what filling cut tracks of tasks begins with, of some of them from number
 * `task` on.  Returns the next, or -1: that is all, or all that is kept. */
int tracks_read_ahead(const struct tracks *t, int task);

/* Over all of the run. */
struct track_total {
	int64_t nr_spans;
	int64_t run_ns, wait_ns;
	double local_ns, known_ns;
	int64_t node_moves;
	int64_t first_ns, last_ns;	/* start of first span, end of last */
	int64_t from_ns;	/* when it was first seen waiting or running */
	int last_state;		/* enum task_state after the last span */
	const int64_t *node_ns;		/* [tracks_nr_nodes()] of a task; NULL:
					 * no span, or a CPU */
};
void tracks_total(const struct tracks *t, enum track_kind kind, int number,
		  struct track_total *total);

/* Single spans, numbered 0.. in time order.  tracks_find(): the first span
 * that ends after t, or the number of spans. */
int64_t tracks_find(const struct tracks *t, enum track_kind kind, int number,
		    int64_t ns);
void tracks_get(const struct tracks *t, enum track_kind kind, int number,
		int64_t i, struct span *s);

#endif
