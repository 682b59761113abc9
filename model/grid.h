/* SPDX-License-Identifier: MIT */
/*
 * grid: rows x time buckets, the one thing that every heatmap is painted from.
 *
 * Every value of a cell is the exact integral over its bucket: intervals are
 * cut at the bucket edges, so nothing is sampled, a burst of a microsecond is
 * there as its share, and the sum over the columns of a row equals the sum of
 * the lengths of the intervals that were added (to the ns, for what lies in
 * the window).  Nodes here are places 0..nr_nodes-1 in the
 * order of the present nodes (tracks_node(), model/tracks.h).
 *
 * Call grid_init(), then grid_time()/grid_run()/grid_pages()/grid_move() in
 * any order, then read cells; grid_clear() for the next row.
 */
#ifndef MODEL_GRID_H
#define MODEL_GRID_H

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Times in a cell, ns. */
enum grid_time {
	GRID_RUN,	/* on a CPU */
	GRID_WAIT,	/* runnable, not running */
	GRID_ALIVE,	/* the task exists; of a CPU: it is there */
	GRID_UNSURE,	/* running in a span that touches a loss interval */
	GRID_CENSORED,	/* running in a span that is open at an edge */
	GRID_LOST,	/* events of the CPU are missing */
	GRID_NR_TIMES
};

struct grid_cell {
	int64_t ns[GRID_NR_TIMES];
	double local_ns;	/* integral of the share of local accesses */
	double known_ns;	/* part of GRID_RUN where that is known */
	int64_t spans;		/* spans that begin in the bucket */
	int64_t node_moves;	/* ... on another node than the one before */
	int64_t pages_moved;	/* that went from one node to another */
};

struct grid {
	int64_t from_ns, to_ns;
	int nr_cols, nr_rows, nr_nodes;
	int hint;		/* bucket that was asked for last */
	int64_t *edge;		/* [nr_cols + 1]: bucket i is edge[i]..edge[i+1] */
	struct grid_cell *cell;	/* [row * nr_cols + col] */
	int64_t *node_ns;	/* [(row * nr_cols + col) * nr_nodes + node] */
	double *page_ns;	/* same: pages on the node, times ns */
};

/* All sizes >= 1 and from < to (asserted); edges are from + i * (to - from) /
 * nr_cols, rounded down, so buckets differ by 1 ns at most. */
int grid_init(struct grid *g, int64_t from_ns, int64_t to_ns, int nr_cols,
	      int nr_rows, int nr_nodes, struct err *err);
void grid_release(struct grid *g);
void grid_clear(struct grid *g);	/* all cells of all rows to zero */

/* The bucket that holds t; -1 before the window, nr_cols at or after its end. */
int grid_col(struct grid *g, int64_t t);

/* Adds [from, to) to one of the times. */
void grid_time(struct grid *g, int row, enum grid_time what, int64_t from_ns,
	       int64_t to_ns);

/* A piece of running: one node, one share of local accesses throughout. */
struct grid_run {
	int64_t start_ns, end_ns;
	int node;		/* -1: unknown, counts to no node */
	bool unsure, censored;
	double local;		/* share of the time, 0..known */
	double known;		/* share of the time, 0..1 */
};
void grid_run(struct grid *g, int row, const struct grid_run *r);

/* A span begins at t; moved: on another node than the one before it. */
void grid_begin(struct grid *g, int row, int64_t t, bool moved);

/* All three of one span: waiting from wait_ns to its start, running, begin. */
void grid_span(struct grid *g, int row, int64_t wait_ns,
	       const struct grid_run *r, bool moved);

/* So many pages went from node to node at t. */
void grid_pages_moved(struct grid *g, int row, int64_t t, int64_t pages);

/* So many pages lie on the node over [from, to). */
void grid_pages(struct grid *g, int row, int node, int64_t from_ns,
		int64_t to_ns, int64_t pages);

static inline struct grid_cell *grid_at(const struct grid *g, int row, int col)
{
	return &g->cell[(int64_t)row * g->nr_cols + col];
}

static inline int64_t *grid_nodes(const struct grid *g, int row, int col)
{
	return &g->node_ns[((int64_t)row * g->nr_cols + col) * g->nr_nodes];
}

static inline double *grid_page_nodes(const struct grid *g, int row, int col)
{
	return &g->page_ns[((int64_t)row * g->nr_cols + col) * g->nr_nodes];
}

/* The index of the largest value, ties to the lower one; -1 if all are 0. */
int grid_most(const int64_t *v, int nr);
int grid_most_pages(const double *v, int nr);

#endif
