/* SPDX-License-Identifier: MIT */
/* The layout; heatmap_paint.c paints it, heat_head.c, heat_topo.c and
 * heat_legend.c what is above the rows. */
#include "ui/heatmap.h"

#include "model/err.h"
#include "ui/heatmap_local.h"

#include <stdio.h>
#include <string.h>

/* Rows of all panels up to which they are made higher. */
#define FEW_ROWS 24

/* Rows of a panel that come before words. */
#define SOME_ROWS 4

/* Widest text that a figure column is made for. */
static const char *const figure_sample[NR_FIGURES] = {
	[FIGURE_LOCALITY] = "100 %",
	[FIGURE_CPU] = "99.9 ms",
	[FIGURE_MOVES] = "99999",
	[FIGURE_MEMORY] = "99.9 MiB",
};

static const char *const figure_head[NR_FIGURES] = {
	[FIGURE_LOCALITY] = "local",
	[FIGURE_CPU] = "cpu",
	[FIGURE_MOVES] = "moves",
	[FIGURE_MEMORY] = "memory",
};

const char *heatmap_figure_head(enum heat_figure f)
{
	return figure_head[f];
}

static int max(int a, int b)
{
	return a > b ? a : b;
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

static int nr_panels(const struct heatmap *h)
{
	return h->mode == HEAT_DIFF ? 1 : h->nr_runs;
}

static bool has_pages(const struct heatmap *h)
{
	return h->pages && h->rows->kind != ROWS_MEMORY;
}

/* -- across --------------------------------------------------------------- */

static int label_width(const struct heatmap *h, const struct draw *d, int w)
{
	int i, widest = draw_width(d, DRAW_LABEL, "999 others");

	for (i = 0; i < h->rows->nr; i++) {
		const char *label = h->rows->row[i].label;

		/* In a terminal no text has more columns than bytes. */
		if (draw_in_cells(d) && strlen(label) <= (size_t)widest)
			continue;
		widest = max(widest, draw_width(d, DRAW_LABEL, label));
	}
	return min(widest, w / 4);
}

static int figure_width(const struct draw *d, int f)
{
	return max(draw_width(d, DRAW_SMALL, figure_sample[f]),
		   draw_width(d, DRAW_SMALL, figure_head[f]));
}

/* Which figures a row has, most important first: CPUs do not move; only
 * locality has a difference that means something. */
static int figures_of(const struct heatmap *h, const enum heat_figure **f)
{
	static const enum heat_figure all[] = { FIGURE_LOCALITY, FIGURE_CPU,
						FIGURE_MOVES };
	static const enum heat_figure memory[] = { FIGURE_MEMORY };

	*f = h->rows->kind == ROWS_MEMORY ? memory : all;
	if (h->rows->kind == ROWS_MEMORY || h->mode == HEAT_DIFF)
		return 1;
	return h->rows->kind <= ROWS_PROCESSES ? 3 : 2;
}

/* Columns from the right; the plot keeps half of the width at least. */
static void across(struct heat_layout *l, const struct heatmap *h,
		   const struct draw *d)
{
	const struct draw_metrics *m = &d->metrics;
	int right = l->w - m->margin, sum = 0, nr = 0, f;
	const enum heat_figure *figure = NULL;

	l->label_x = m->margin;
	l->label_w = label_width(h, d, l->w);
	l->plot_x = l->label_x + l->label_w + m->pad;
	if (h->figures)
		nr = figures_of(h, &figure);
	for (; l->nr_figures < nr; l->nr_figures++) {
		int more = figure_width(d, figure[l->nr_figures]) + 2 * m->pad;

		if (right - sum - more - l->plot_x < l->w / 2)
			break;
		sum += more;
	}
	for (f = l->nr_figures - 1; f >= 0; f--) {
		l->figure[f].what = figure[f];
		l->figure[f].x = right;
		right -= figure_width(d, figure[f]) + 2 * m->pad;
	}
	l->plot_w = right - l->plot_x;
	l->nr_cols = l->plot_w;
	if (l->nr_cols > h->to_ns - h->from_ns)
		l->nr_cols = max(1, h->to_ns - h->from_ns);
}

/* -- down ----------------------------------------------------------------- */

/* Everything but the rows. */
static int fixed_height(const struct heat_layout *l, const struct heatmap *h,
			const struct draw *d)
{
	const struct draw_metrics *m = &d->metrics;
	int sum = 2 * m->margin, p;

	if (l->title_lines)
		sum += l->title_lines * m->line[DRAW_TITLE] + m->gap;
	sum += l->topo_h;
	if (l->legend_lines)
		sum += l->legend_lines * m->line[DRAW_SMALL] + m->gap;
	for (p = 0; p < l->nr_panels; p++)
		sum += l->panel[p].head_h + m->gap;
	sum += m->tick_h + m->line[DRAW_SMALL];
	return sum;
}

/* What is left for the rows of each panel. */
static int rows_room(const struct heat_layout *l, const struct heatmap *h,
		     const struct draw *d)
{
	return (l->h - fixed_height(l, h, d)) / l->nr_panels;
}

static int nr_groups(const struct heatmap *h)
{
	int i, nr = 0;

	for (i = 1; i < h->rows->nr; i++)
		nr += h->rows->row[i].node != h->rows->row[i - 1].node;
	return nr;
}

/* Strips of `halves` / 2 of the height that is wished. */
static void strips(struct heat_layout *l, const struct heatmap *h,
		   const struct draw *d, int halves)
{
	const struct draw_metrics *m = &d->metrics;

	l->mark_h = m->mark_h;
	l->mem_h = has_pages(h) ? m->mem_h * halves / 2 : 0;
	l->run_h = max(m->run_h * halves / 2, m->line[DRAW_LABEL] - l->mem_h -
						      l->mark_h - m->row_gap);
	l->pitch = l->mark_h + l->run_h + l->mem_h + m->row_gap;
	/* In a terminal rows begin where a line does. */
	if (!m->row_gap && l->pitch % m->line[DRAW_LABEL]) {
		int more = m->line[DRAW_LABEL] - l->pitch % m->line[DRAW_LABEL];

		l->run_h += more;
		l->pitch += more;
	}
	l->group_gap = m->row_gap;
}

/* The lowest rows: what labels and strips need at least. */
static void low_strips(struct heat_layout *l, const struct heatmap *h,
		       const struct draw *d)
{
	const struct draw_metrics *m = &d->metrics;
	int gap = m->row_gap ? 1 : 0;

	l->mark_h = 0;
	l->run_h = m->min_run_h;
	l->mem_h = has_pages(h) ? m->min_mem_h : 0;
	l->run_h = max(l->run_h, m->line[DRAW_SMALL] - l->mem_h - gap);
	l->pitch = l->run_h + l->mem_h + gap;
	l->group_gap = gap;
}

static int rows_height(const struct heat_layout *l, const struct heatmap *h)
{
	return l->pitch * h->rows->nr + l->group_gap * nr_groups(h);
}

static void heads(struct heat_layout *l, const struct heatmap *h,
		  const struct draw *d, bool words)
{
	int p;

	l->words = words;
	for (p = 0; p < l->nr_panels; p++)
		l->panel[p].head_h = heatmap_head(l, h, d, p, false);
}

/* Some rows come before words, one before the topology. */
static void begin(struct heat_layout *l, const struct heatmap *h,
		  const struct draw *d, int w, int hgt)
{
	*l = (struct heat_layout){ .w = w, .h = hgt,
				   .nr_panels = nr_panels(h) };
	across(l, h, d);
	low_strips(l, h, d);
	l->title_lines = heatmap_title(l, h, d, false);
	if (h->legend == LEGEND_FULL)
		heatmap_topo_fit(l, h, d);
	if (h->legend)
		l->legend_lines = heatmap_legend(l, h, d, false);
	heads(l, h, d, h->legend == LEGEND_FULL);
	if (hgt && l->words &&
	    rows_room(l, h, d) < l->pitch * min(h->rows->nr, SOME_ROWS))
		heads(l, h, d, false);
	if (!hgt || !l->topo_h || rows_room(l, h, d) >= l->pitch)
		return;
	l->topo_h = 0;
	l->legend_lines = heatmap_legend(l, h, d, false);
}

int heatmap_fit(const struct heatmap *h, const struct draw *d, int w, int hgt)
{
	struct heat_layout l;
	int room;

	begin(&l, h, d, w, hgt);
	room = rows_room(&l, h, d) - l.group_gap * nr_groups(h);
	return room > 0 ? room / l.pitch : 0;
}

int heatmap_least_height(const struct heatmap *h, const struct draw *d, int w)
{
	struct heat_layout l;

	begin(&l, h, d, w, 1);
	return fixed_height(&l, h, d) +
	       l.nr_panels * (l.pitch + l.group_gap * nr_groups(h));
}

int heatmap_height(const struct heatmap *h, const struct draw *d, int w)
{
	struct heat_layout l;

	begin(&l, h, d, w, 0);
	strips(&l, h, d, l.nr_panels * h->rows->nr <= FEW_ROWS ? 3 : 2);
	return fixed_height(&l, h, d) + l.nr_panels * rows_height(&l, h);
}

/* The highest strips with which every row has room; else the lowest. */
static void choose_strips(struct heat_layout *l, const struct heatmap *h,
			  const struct draw *d)
{
	int room = rows_room(l, h, d);
	int halves = 2 * max(1, h->max_row_scale);

	for (; halves >= 2; halves--) {
		strips(l, h, d, halves);
		if (rows_height(l, h) <= room)
			return;
	}
	low_strips(l, h, d);
	/* Between the lowest and the wished ones: share what is left over. */
	if (h->rows->nr > 0 && d->metrics.row_gap) {
		int more = (room - rows_height(l, h)) / h->rows->nr;

		more = min(more, d->metrics.run_h - l->run_h);
		if (more > 0) {
			l->run_h += more;
			l->pitch += more;
		}
	}
}

int heatmap_layout(struct heat_layout *l, const struct heatmap *h,
		   const struct draw *d, int w, int hgt, struct err *err)
{
	const struct draw_metrics *m = &d->metrics;
	int y = m->margin, room, p;

	begin(l, h, d, w, hgt);
	choose_strips(l, h, d);
	room = rows_room(l, h, d);
	if (l->plot_w < 2 || room < l->pitch)
		return err_set(err, ERR_USAGE,
			       "%dx%d is too small for %d run%s", w, hgt,
			       l->nr_panels, l->nr_panels > 1 ? "s" : "");
	l->nr_rows = max(0, min(h->rows->nr - h->first_row,
				(room - l->group_gap * nr_groups(h)) /
					l->pitch));
	if (l->title_lines) {
		l->title_y = y;
		y += l->title_lines * m->line[DRAW_TITLE] + m->gap;
	}
	l->topo_y = y;
	y += l->topo_h;
	if (l->legend_lines) {
		l->legend_y = y;
		y += l->legend_lines * m->line[DRAW_SMALL] + m->gap;
	}
	for (p = 0; p < l->nr_panels; p++) {
		l->panel[p].head_y = y;
		l->panel[p].rows_y = y + l->panel[p].head_h +
				     (m->gap + 1) / 2;
		y = heatmap_row_y(l, h, p, h->first_row + l->nr_rows) +
		    m->gap / 2;
	}
	l->axis_y = y;
	return 0;
}

int heatmap_row_y(const struct heat_layout *l, const struct heatmap *h,
		  int panel, int row)
{
	int y = l->panel[panel].rows_y + (row - h->first_row) * l->pitch;
	int i;

	for (i = h->first_row + 1; l->group_gap && i <= row && i < h->rows->nr;
	     i++)
		if (h->rows->row[i].node != h->rows->row[i - 1].node)
			y += l->group_gap;
	return y;
}

const char *draw_fit(const struct draw *d, enum draw_style style,
		     const char *text, int width, char *buf, int size)
{
	static const char ellipsis[] = "\342\200\246";
	int lo = 0, hi = strlen(text);

	if (draw_width(d, style, text) <= width)
		return text;
	if (hi > size - (int)sizeof(ellipsis))
		hi = size - (int)sizeof(ellipsis);
	/* The longest beginning, cut between characters, that has room. */
	while (lo < hi) {
		int mid = lo + (hi - lo + 1) / 2, len = mid;

		while (len > 0 && (text[len] & 0xc0) == 0x80)
			len--;
		memcpy(buf, text, len);
		strcpy(buf + len, ellipsis);
		if (draw_width(d, style, buf) <= width)
			lo = mid;
		else
			hi = mid - 1;
	}
	while (lo > 0 && (text[lo] & 0xc0) == 0x80)
		lo--;
	if (!lo)
		return "";
	memcpy(buf, text, lo);
	strcpy(buf + lo, ellipsis);
	return buf;
}
