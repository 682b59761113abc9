/* SPDX-License-Identifier: MIT */
/* From the integrals of a cell to what it looks like. */
#include "ui/heatmap.h"

#include "model/err.h"

#include <stdio.h>
#include <string.h>

/* Runnable tasks per CPU that a full cell of HEAT_LOAD means. */
#define FULL_LOAD 4

static const char *const mode_name[NR_HEAT_MODES] = {
	[HEAT_NODE] = "node", [HEAT_LOCALITY] = "locality",
	[HEAT_WAIT] = "wait", [HEAT_LOAD] = "load",
	[HEAT_DIFF] = "diff",
};

int heat_mode_parse(const char *name, struct err *err)
{
	int i;

	for (i = 0; i < NR_HEAT_MODES; i++)
		if (!strcmp(mode_name[i], name))
			return i;
	return err_set(err, ERR_USAGE, "no mode '%s'; there are: node, "
		       "locality, wait, load, diff", name);
}

const char *heat_mode_name(enum heat_mode m)
{
	return mode_name[m];
}

bool heat_mode_suits(enum heat_mode m, enum rows_kind kind)
{
	return kind == ROWS_MEMORY ? m == HEAT_NODE :
				     m != HEAT_LOAD || rows_are_cpus(kind);
}

/* What the bucket could hold at most, ns. */
static double room(const struct grid *g, int col, int64_t capacity)
{
	return (double)(g->edge[col + 1] - g->edge[col]) * capacity;
}

static double share(int64_t part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double locality(const struct grid_cell *c)
{
	return c->known_ns > 0 ? c->local_ns / c->known_ns : -1;
}

static struct paint value(const struct grid *g, int row, int col,
			  enum heat_mode mode, enum theme theme,
			  int64_t capacity)
{
	const struct grid_cell *c = grid_at(g, row, col);
	double whole = room(g, col, capacity);
	int most;

	switch (mode) {
	case HEAT_LOCALITY:
		return paint_locality(theme, locality(c),
				      share(c->ns[GRID_RUN], whole));
	case HEAT_WAIT:
		return paint_amount(theme, share(c->ns[GRID_WAIT], whole));
	case HEAT_LOAD:
		return paint_amount(theme, share(c->ns[GRID_RUN] +
						 c->ns[GRID_WAIT],
						 whole * FULL_LOAD));
	default:
		most = grid_most(grid_nodes(g, row, col), g->nr_nodes);
		return paint_node(theme, most, share(c->ns[GRID_RUN], whole));
	}
}

struct paint heat_cell_run(const struct grid *g, int row, int col,
			   enum heat_mode mode, enum theme theme,
			   int64_t capacity)
{
	const struct grid_cell *c = grid_at(g, row, col);
	struct paint p;

	if (!c->ns[GRID_ALIVE] && !c->ns[GRID_RUN] && !c->ns[GRID_WAIT] &&
	    !c->ns[GRID_LOST])
		return paint_nothing(theme);
	p = value(g, row, col, mode, theme, capacity);
	if (c->ns[GRID_LOST])
		p.pattern = PAINT_LOST;
	else if (2 * c->ns[GRID_UNSURE] > c->ns[GRID_RUN])
		p.pattern = PAINT_STRIPES;
	else if (2 * c->ns[GRID_CENSORED] > c->ns[GRID_RUN])
		p.pattern = PAINT_CENSORED;
	return p;
}

struct paint heat_cell_pages(const struct grid *g, int row, int col,
			     enum theme theme)
{
	const double *pages = grid_page_nodes(g, row, col);
	int i, most = grid_most_pages(pages, g->nr_nodes);
	double sum = 0;

	if (!grid_at(g, row, col)->ns[GRID_ALIVE])
		return paint_nothing(theme);
	for (i = 0; i < g->nr_nodes; i++)
		sum += pages[i];
	return paint_pages(theme, most, most >= 0 ? pages[most] / sum : 0);
}

struct paint heat_cell_home(const struct grid *g, int row, int col,
			    enum theme theme, int64_t capacity)
{
	const double *ns = grid_page_nodes(g, row, col);
	int most = grid_most_pages(ns, g->nr_nodes);

	if (most < 0)
		return paint_nothing(theme);
	return paint_node(theme, most, share(ns[most], room(g, col, capacity)));
}

struct paint heat_cell_diff(const struct grid *a, const struct grid *b,
			    int row, int col, enum theme theme,
			    int64_t capacity)
{
	const struct grid_cell *ca = grid_at(a, row, col);
	const struct grid_cell *cb = grid_at(b, row, col);
	double la = locality(ca), lb = locality(cb);
	int64_t ran = ca->ns[GRID_RUN] > cb->ns[GRID_RUN] ?
			      ca->ns[GRID_RUN] : cb->ns[GRID_RUN];

	if (!ca->ns[GRID_ALIVE] && !cb->ns[GRID_ALIVE])
		return paint_nothing(theme);
	if (ran && (la < 0 || lb < 0))
		return paint_locality(theme, -1,
				      share(ran, room(a, col, capacity)));
	return paint_diff(theme, la - lb, share(ran, room(a, col, capacity)));
}
