/* SPDX-License-Identifier: MIT */
#include "model/grid.h"

#include "model/err.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t edge_at(const struct grid *g, int i)
{
	/* width * i / nr_cols without overflow */
	uint64_t width = (uint64_t)g->to_ns - (uint64_t)g->from_ns;
	uint64_t each = width / g->nr_cols, rest = width % g->nr_cols;

	return (int64_t)((uint64_t)g->from_ns + each * i +
			 rest * i / g->nr_cols);
}

int grid_init(struct grid *g, int64_t from_ns, int64_t to_ns, int nr_cols,
	      int nr_rows, int nr_nodes, struct err *err)
{
	size_t cells = (size_t)nr_cols * nr_rows;
	int i;

	assert(from_ns < to_ns && nr_cols > 0 && nr_rows > 0 && nr_nodes > 0);
	*g = (struct grid){
		.from_ns = from_ns,
		.to_ns = to_ns,
		.nr_cols = nr_cols,
		.nr_rows = nr_rows,
		.nr_nodes = nr_nodes,
	};
	g->edge = calloc(nr_cols + 1, sizeof(*g->edge));
	g->cell = calloc(cells, sizeof(*g->cell));
	g->node_ns = calloc(cells * nr_nodes, sizeof(*g->node_ns));
	g->page_ns = calloc(cells * nr_nodes, sizeof(*g->page_ns));
	if (!g->edge || !g->cell || !g->node_ns || !g->page_ns) {
		grid_release(g);
		return err_nomem(err);
	}
	for (i = 0; i <= nr_cols; i++)
		g->edge[i] = edge_at(g, i);
	return 0;
}

void grid_release(struct grid *g)
{
	free(g->edge);
	free(g->cell);
	free(g->node_ns);
	free(g->page_ns);
	*g = (struct grid){ 0 };
}

void grid_clear(struct grid *g)
{
	size_t cells = (size_t)g->nr_cols * g->nr_rows;

	memset(g->cell, 0, cells * sizeof(*g->cell));
	memset(g->node_ns, 0, cells * g->nr_nodes * sizeof(*g->node_ns));
	memset(g->page_ns, 0, cells * g->nr_nodes * sizeof(*g->page_ns));
}

static bool is_in(const struct grid *g, int col, int64_t t)
{
	return g->edge[col] <= t && t < g->edge[col + 1];
}

int grid_col(struct grid *g, int64_t t)
{
	int lo = 0, hi = g->nr_cols;

	if (t < g->from_ns)
		return -1;
	if (t >= g->to_ns)
		return g->nr_cols;
	/* Most callers go forward in time. */
	if (is_in(g, g->hint, t))
		return g->hint;
	if (g->hint + 1 < g->nr_cols && is_in(g, g->hint + 1, t))
		return ++g->hint;
	/* The last edge at or before t, so that empty buckets are passed. */
	while (hi - lo > 1) {
		int mid = lo + (hi - lo) / 2;

		if (g->edge[mid] <= t)
			lo = mid;
		else
			hi = mid;
	}
	g->hint = lo;
	return lo;
}

/* Cuts an interval to the window; false if nothing is left. */
static bool cut(const struct grid *g, int64_t *from, int64_t *to)
{
	if (*from < g->from_ns)
		*from = g->from_ns;
	if (*to > g->to_ns)
		*to = g->to_ns;
	return *from < *to;
}

static int64_t piece(const struct grid *g, int col, int64_t from, int64_t to)
{
	int64_t end = g->edge[col + 1] < to ? g->edge[col + 1] : to;

	return end - (g->edge[col] > from ? g->edge[col] : from);
}

void grid_time(struct grid *g, int row, enum grid_time what, int64_t from_ns,
	       int64_t to_ns)
{
	int col;

	if (!cut(g, &from_ns, &to_ns))
		return;
	for (col = grid_col(g, from_ns);
	     col < g->nr_cols && g->edge[col] < to_ns; col++)
		grid_at(g, row, col)->ns[what] += piece(g, col, from_ns, to_ns);
}

static void add_run(struct grid *g, int row, int col, int64_t ns,
		    const struct grid_run *r)
{
	struct grid_cell *c = grid_at(g, row, col);

	c->ns[GRID_RUN] += ns;
	if (r->unsure)
		c->ns[GRID_UNSURE] += ns;
	if (r->censored)
		c->ns[GRID_CENSORED] += ns;
	c->local_ns += r->local * ns;
	c->known_ns += r->known * ns;
	if (r->node >= 0)
		grid_nodes(g, row, col)[r->node] += ns;
}

void grid_run(struct grid *g, int row, const struct grid_run *r)
{
	int64_t from = r->start_ns, to = r->end_ns;
	int col;

	if (!cut(g, &from, &to))
		return;
	for (col = grid_col(g, from); col < g->nr_cols && g->edge[col] < to;
	     col++)
		add_run(g, row, col, piece(g, col, from, to), r);
}

void grid_begin(struct grid *g, int row, int64_t t, bool moved)
{
	int col = grid_col(g, t);

	if (col < 0 || col >= g->nr_cols)
		return;
	grid_at(g, row, col)->spans++;
	if (moved)
		grid_at(g, row, col)->node_moves++;
}

void grid_span(struct grid *g, int row, int64_t wait_ns,
	       const struct grid_run *r, bool moved)
{
	int col = grid_col(g, wait_ns);
	struct grid_cell *c;

	if (col < 0 || col >= g->nr_cols || r->end_ns >= g->edge[col + 1]) {
		grid_run(g, row, r);
		grid_time(g, row, GRID_WAIT, wait_ns, r->start_ns);
		grid_begin(g, row, r->start_ns, moved);
		return;
	}
	c = grid_at(g, row, col);
	c->ns[GRID_WAIT] += r->start_ns - wait_ns;
	c->spans++;
	c->node_moves += moved;
	add_run(g, row, col, r->end_ns - r->start_ns, r);
}

void grid_pages_moved(struct grid *g, int row, int64_t t, int64_t pages)
{
	int col = grid_col(g, t);

	if (col >= 0 && col < g->nr_cols)
		grid_at(g, row, col)->pages_moved += pages;
}

void grid_pages(struct grid *g, int row, int node, int64_t from_ns,
		int64_t to_ns, int64_t pages)
{
	int col;

	if (!pages || !cut(g, &from_ns, &to_ns))
		return;
	for (col = grid_col(g, from_ns);
	     col < g->nr_cols && g->edge[col] < to_ns; col++)
		grid_page_nodes(g, row, col)[node] +=
			(double)pages * piece(g, col, from_ns, to_ns);
}

int grid_most(const int64_t *v, int nr)
{
	int i, most = -1;

	for (i = 0; i < nr; i++)
		if (v[i] > 0 && (most < 0 || v[i] > v[most]))
			most = i;
	return most;
}

int grid_most_pages(const double *v, int nr)
{
	int i, most = -1;

	for (i = 0; i < nr; i++)
		if (v[i] > 0 && (most < 0 || v[i] > v[most]))
			most = i;
	return most;
}
