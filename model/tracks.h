/* SPDX-License-Identifier: MIT */
/*
 * tracks: the spans of one run kept in memory, by task and by CPU, so that a
 * row of a grid is filled for any window without reading every span.
 *
 * A track is a row of blocks of 64 spans, each with the sums of what is in it.
 * Where a whole block lies in one bucket its sums are added; only blocks that
 * an edge cuts are opened.  So a redraw costs (spans of the row / 64) + 64 per
 * bucket, whatever the zoom, and gives the same integers as adding each span
 * would.  A span takes 28 bytes and a
 * little.
 *
 * Order of calls: tracks_new(), tracks_span() in the order of a run (spans of
 * one task and of one CPU do not overlap and come in time order), tracks_seal()
 * whenever spans were added (it costs nothing where none were), then the
 * others.
 */
#ifndef MODEL_TRACKS_H
#define MODEL_TRACKS_H

#include "model/grid.h"
#include "model/run.h"
#include "model/topo.h"

struct pages;
struct residency;
struct tracks;

enum track_kind {
	TRACK_TASK,	/* number: task id */
	TRACK_CPU,	/* number: CPU */
	TRACK_NONE,	/* always empty: rows that are neither */
};

/* What spans are looked at with; all of it must outlive the tracks. */
struct tracks_source {
	const struct topo *topo;
	int nr_tasks;
	const struct residency *residency;	/* sealed; NULL: no locality */
	const struct pages *pages;	/* NULL: no node of its memory */
	const int *leader;	/* by task: whose pages are its; with pages */
};

struct tracks *tracks_new(const struct tracks_source *source, struct err *err);
void tracks_free(struct tracks *t);

/* ERR_FORMAT for a span of no such task or CPU, or one that overlaps the one
 * before it. */
int tracks_span(struct tracks *t, const struct span *s, struct err *err);
void tracks_seal(struct tracks *t);

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

/* Over all of the run. */
struct track_total {
	int64_t nr_spans;
	int64_t run_ns, wait_ns;
	double local_ns, known_ns;
	int64_t node_moves;
	int64_t first_ns, last_ns;	/* start of first span, end of last */
	const int64_t *node_ns;		/* [tracks_nr_nodes()]; NULL: no span */
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
