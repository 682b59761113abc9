/* SPDX-License-Identifier: MIT */
/*
 * heatmap: the one layout of rows x time, for every back end.
 *
 *	title
 *	topology: a box for each node, in it the CPUs of its caches
 *	legend
 *	RUN  caption				  headers of figures
 *	label  [strip: where it ran          ]    figures
 *	       [strip: where its pages were  ]
 *	...
 *	label  N others
 *	RUN 2 ...
 *	       time axis
 *
 * Order of calls: fill a struct heatmap; heatmap_fit() says how many rows a
 * height can hold (build struct rows with it); heatmap_layout(); then paint it
 * as often as is liked.  Cells come from a grid of one row at a time, so memory
 * does not grow with the number of rows.
 */
#ifndef UI_HEATMAP_H
#define UI_HEATMAP_H

#include "ui/draw.h"
#include "ui/rows.h"

#define HEATMAP_MAX_RUNS 8

enum heat_mode {
	HEAT_NODE,	/* hue: node of most time; lightness: share that it ran */
	HEAT_LOCALITY,	/* share of local accesses */
	HEAT_WAIT,	/* share of the time that it waited for a CPU */
	HEAT_LOAD,	/* runnable tasks per CPU: running and waiting */
	HEAT_DIFF,	/* locality in the first run minus that in the second */
	NR_HEAT_MODES
};

enum heat_legend {
	LEGEND_NONE,
	LEGEND_SHORT,	/* the colours, in as few lines as can be */
	LEGEND_FULL,	/* and what else is to be seen, and the topology */
};

struct heatmap {
	const struct study *study;
	const struct rows *rows;
	int run[HEATMAP_MAX_RUNS];	/* indices into study->run */
	int nr_runs;			/* HEAT_DIFF: two, in one panel */
	enum heat_mode mode;
	int64_t from_ns, to_ns;		/* of the trace's clock */
	int64_t zero_ns;		/* where the axis counts from */
	const char *title;		/* NULL: none */
	enum heat_legend legend;
	bool figures;			/* columns at the right */
	bool pages;			/* strips of pages */
	bool no_pages_known;		/* there is none to be seen; said so */
	int first_row;			/* the first one shown */
	int max_row_scale;		/* rows may grow so many times higher
					 * than wished to fill the height; >= 1 */
};

enum heat_figure {
	FIGURE_LOCALITY,
	FIGURE_CPU,
	FIGURE_MOVES,
	FIGURE_MEMORY,
	NR_FIGURES
};

/* How much of the topology has room. */
enum heat_topo {
	HEAT_TOPO_CPUS,		/* each CPU, in its cache */
	HEAT_TOPO_CACHES,	/* ranges of CPUs, one for each cache */
	HEAT_TOPO_NODES,	/* ranges of CPUs, one for each node */
	HEAT_TOPO_NO_DISTANCES,	/* and no distances between nodes */
	NR_HEAT_TOPOS
};

struct heat_panel {
	int head_y, head_h;
	int rows_y;
};

struct heat_layout {
	int w, h;
	int title_y, title_lines;
	int topo_y, topo_h;	/* h 0: no room, or not wanted */
	enum heat_topo topo;
	int legend_y, legend_lines;
	bool words;		/* captions may take lines of their own */
	int label_x, label_w;
	int plot_x, plot_w;
	int nr_figures;		/* shown */
	struct {
		enum heat_figure what;
		int x;		/* right end */
	} figure[NR_FIGURES];
	int nr_panels;
	struct heat_panel panel[HEATMAP_MAX_RUNS];
	int nr_rows;		/* shown in each panel */
	int mark_h, run_h, mem_h, pitch;
	int group_gap;		/* more room between rows of two nodes */
	int axis_y;
	int nr_cols;
};

/* Rows that a panel of this layout can hold in a height; 0: not even one. */
int heatmap_fit(const struct heatmap *h, const struct draw *d, int w, int hgt);

/* From which height on heatmap_fit() is more than 0. */
int heatmap_least_height(const struct heatmap *h, const struct draw *d, int w);

/* The height at which every row has what it wishes, and half more where there
 * are few rows. */
int heatmap_height(const struct heatmap *h, const struct draw *d, int w);

/* ERR_USAGE where not even a title, one row and an axis have room. */
int heatmap_layout(struct heat_layout *l, const struct heatmap *h,
		   const struct draw *d, int w, int hgt, struct err *err);

int heatmap_paint(const struct heat_layout *l, const struct heatmap *h,
		  const struct draw *d, struct err *err);

/* Top of a row's box (marks, run strip, pages strip), whatever is shown. */
int heatmap_row_y(const struct heat_layout *l, const struct heatmap *h,
		  int panel, int row);

/* "node", "locality", ...; ERR_USAGE names what is valid. */
int heat_mode_parse(const char *name, struct err *err);
const char *heat_mode_name(enum heat_mode m);

/* Whether such rows have that: memory areas have nothing but their node, and
 * load is what a CPU has. */
bool heat_mode_suits(enum heat_mode m, enum rows_kind kind);

/* How one cell looks (ui/heat_cell.c); capacity: row_capacity(). */
struct paint heat_cell_run(const struct grid *g, int row, int col,
			   enum heat_mode mode, enum theme theme,
			   int64_t capacity);
struct paint heat_cell_pages(const struct grid *g, int row, int col,
			     enum theme theme);
/* Of a row of CPUs: the node that had the memory of what ran longest. */
struct paint heat_cell_home(const struct grid *g, int row, int col,
			    enum theme theme, int64_t capacity);
/* Of two grids' cells: locality in a minus locality in b. */
struct paint heat_cell_diff(const struct grid *a, const struct grid *b,
			    int row, int col, enum theme theme,
			    int64_t capacity);

#endif
