/* SPDX-License-Identifier: MIT */
#include "ui/heatmap.h"

#include "model/err.h"
#include "ui/axis.h"
#include "ui/heatmap_local.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct painter {
	const struct heat_layout *l;
	const struct heatmap *h;
	const struct draw *d;
	struct grid grid[2];	/* one row each; the second for HEAT_DIFF */
	struct paint *paint;	/* [nr_cols] */
};

static int painter_init(struct painter *p, struct err *err)
{
	const struct study *s = p->h->study;
	int nr_nodes = tracks_nr_nodes(s->run[p->h->run[0]].tracks);
	int ret, i;

	p->paint = calloc(p->l->nr_cols, sizeof(*p->paint));
	if (!p->paint)
		return err_nomem(err);
	for (i = 0; i < 2; i++) {
		ret = grid_init(&p->grid[i], p->h->from_ns, p->h->to_ns,
				p->l->nr_cols, 1, nr_nodes, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static void painter_release(struct painter *p)
{
	grid_release(&p->grid[0]);
	grid_release(&p->grid[1]);
	free(p->paint);
}

static void text(const struct painter *p, struct draw_text t)
{
	p->d->ops->text(p->d->ctx, &t);
}

/* -- one row -------------------------------------------------------------- */

static int column_x(const struct heat_layout *l, int col)
{
	return l->plot_x +
	       (int)((2LL * col + 1) * l->plot_w / (2 * l->nr_cols));
}

static void paint_moves(const struct painter *p, int y)
{
	const struct draw_metrics *m = &p->d->metrics;
	int i, last = -m->min_mark_gap;

	for (i = 0; i < p->l->nr_cols; i++) {
		int x = column_x(p->l, i);

		if (!grid_at(&p->grid[0], 0, i)->node_moves ||
		    x - last < m->min_mark_gap)
			continue;
		p->d->ops->mark(p->d->ctx, DRAW_MARK_MOVE, x, y);
		last = x;
	}
}

static double pages_in(const struct grid *g, int col)
{
	const double *pages = grid_page_nodes(g, 0, col);
	double sum = 0;
	int i;

	for (i = 0; i < g->nr_nodes; i++)
		sum += pages[i];
	return sum / (g->edge[col + 1] - g->edge[col]);
}

/* A mark whenever a twentieth of the row's pages moved since the last one, by
 * and by or at once; what trickles, at long intervals, is no burst. */
static void paint_bursts(const struct painter *p, int y)
{
	const struct draw_metrics *m = &p->d->metrics;
	const struct grid *g = &p->grid[0];
	int i, last = -m->min_mark_gap, since = 0;
	double moved = 0;

	for (i = 0; i < p->l->nr_cols; i++) {
		int x = column_x(p->l, i);
		int64_t more = grid_at(g, 0, i)->pages_moved;

		if (more && x - since > 4 * m->min_mark_gap)
			moved = 0;
		if (more)
			since = x;
		moved += more;
		if (!moved || 20 * moved < pages_in(g, i) ||
		    x - last < m->min_mark_gap)
			continue;
		p->d->ops->mark(p->d->ctx, DRAW_MARK_PAGES, x, y);
		last = x;
		moved = 0;
	}
}

static void paint_strips(const struct painter *p, int panel,
			 const struct row *row, int y)
{
	const struct heat_layout *l = p->l;
	int64_t capacity = row_capacity(p->h->rows, row);
	const struct grid *g = &p->grid[0];
	struct draw_box b = { l->plot_x, y + l->mark_h, l->plot_w, l->run_h };
	enum theme theme = p->d->theme;
	int i;

	for (i = 0; i < l->nr_cols; i++)
		p->paint[i] = row->kind == TRACK_NONE ?
				      heat_cell_pages(g, 0, i, theme) :
			      p->h->mode == HEAT_DIFF ?
				      heat_cell_diff(g, &p->grid[1], 0, i,
						     theme, capacity) :
				      heat_cell_run(g, 0, i, p->h->mode, theme,
						    capacity);
	p->d->ops->cells(p->d->ctx, &b, p->paint, l->nr_cols);
	if (l->mark_h && row->kind == TRACK_TASK && row->proc >= 0 && p->h->pages)
		paint_bursts(p, y);
	if (l->mark_h && row->nr == 1 && row->kind == TRACK_TASK)
		paint_moves(p, y);
	if (!l->mem_h || (row->kind == TRACK_TASK && row->proc < 0))
		return;
	/* A line of paper between the two, where it does not cost a strip. */
	b.y += l->run_h + (l->mem_h >= 4);
	b.h = l->mem_h - (l->mem_h >= 4);
	for (i = 0; i < l->nr_cols; i++)
		p->paint[i] = row->kind == TRACK_CPU ?
				      heat_cell_home(g, 0, i, theme, capacity) :
				      heat_cell_pages(g, 0, i, theme);
	p->d->ops->cells(p->d->ctx, &b, p->paint, l->nr_cols);
}

static double locality(const struct row_sum *sum)
{
	return sum->known_ns > 0 ? sum->local_ns / sum->known_ns : -1;
}

static void locality_text(const struct painter *p, const struct row_sum *sum,
			  char *buf, int size)
{
	bool differs = p->h->mode == HEAT_DIFF;
	double points;

	if (locality(sum) < 0 || (differs && locality(&sum[1]) < 0)) {
		snprintf(buf, size, "?");
	} else if (!differs) {
		axis_share(locality(sum), buf, size);
	} else {
		points = 100 * (locality(sum) - locality(&sum[1]));
		if (points > -0.5 && points < 0.5)
			points = 0;
		snprintf(buf, size, points ? "%+.0f %%" : "%.0f %%", points);
	}
}

static void memory_text(const struct painter *p, const struct row_sum *sum,
			char *buf, int size)
{
	int64_t page = p->h->study->capture.page_size;

	if (page > 0)
		axis_bytes((double)sum->pages * page, buf, size);
	else
		snprintf(buf, size, "%" PRId64 " p", sum->pages);
}

/* sum: of the panel's run; for a difference, that of the other one follows. */
static void paint_figures(const struct painter *p, const struct row_sum *sum,
			  int y)
{
	const struct heat_layout *l = p->l;
	char buf[64];
	int f;

	for (f = 0; f < l->nr_figures; f++) {
		struct draw_text t = { .x = l->figure[f].x, .y = y,
				       .align = DRAW_RIGHT,
				       .style = DRAW_SMALL, .role = ROLE_DIM,
				       .text = buf };

		switch (l->figure[f].what) {
		case FIGURE_LOCALITY:
			t.role = ROLE_TEXT;
			locality_text(p, sum, buf, sizeof(buf));
			break;
		case FIGURE_MEMORY:
			t.role = ROLE_TEXT;
			memory_text(p, sum, buf, sizeof(buf));
			break;
		case FIGURE_CPU:
			axis_length(sum->run_ns, buf, sizeof(buf));
			break;
		default:
			snprintf(buf, sizeof(buf), "%" PRId64,
				 sum->node_moves);
			break;
		}
		text(p, t);
	}
}

/* A label that is too wide loses the end of the name, not the number. */
static const char *fit_label(const struct painter *p, const struct row *row,
			     char *buf, int size)
{
	const char *tail = row->label + strlen(row->label);
	int width = p->l->label_w, used, nr = row->nr > 1 ? 2 : 1;
	char head[256], cut[256];

	if (row->kind != TRACK_TASK || row->is_others ||
	    draw_width(p->d, DRAW_LABEL, row->label) <= width)
		return draw_fit(p->d, DRAW_LABEL, row->label, width, buf, size);
	while (tail > row->label && nr)
		nr -= *--tail == ' ';
	used = draw_width(p->d, DRAW_LABEL, tail);
	if (nr || used >= width)
		return draw_fit(p->d, DRAW_LABEL, row->label, width, buf, size);
	snprintf(head, sizeof(head), "%.*s", (int)(tail - row->label),
		 row->label);
	snprintf(buf, size, "%s%s",
		 draw_fit(p->d, DRAW_LABEL, head, width - used, cut,
			  sizeof(cut)), tail);
	return buf;
}

static void paint_row(struct painter *p, int panel, int at)
{
	const struct heatmap *h = p->h;
	const struct heat_layout *l = p->l;
	const struct row *row = &h->rows->row[at];
	int y = heatmap_row_y(l, h, panel, at);
	int high = l->mark_h + l->run_h + l->mem_h;
	int dy = (high - p->d->metrics.line[DRAW_SMALL]) / 2;
	char buf[256];

	grid_clear(&p->grid[0]);
	row_fill(h->study, h->run[panel], row, &p->grid[0], 0);
	if (h->mode == HEAT_DIFF) {
		grid_clear(&p->grid[1]);
		row_fill(h->study, h->run[1], row, &p->grid[1], 0);
	}
	text(p, (struct draw_text){
		.x = l->label_x + l->label_w, .y = y + (dy > 0 ? dy : 0),
		.align = DRAW_RIGHT, .style = DRAW_LABEL,
		.role = row->is_others ? ROLE_DIM : ROLE_TEXT,
		.text = fit_label(p, row, buf, sizeof(buf)) });
	paint_strips(p, panel, row, y);
	paint_figures(p, &row->sum[panel], y + (dy > 0 ? dy : 0));
}

/* -- around the rows ------------------------------------------------------ */

static int x_of(const struct painter *p, int64_t ns)
{
	double at = ((double)ns - p->h->from_ns) /
		    ((double)p->h->to_ns - p->h->from_ns);

	return p->l->plot_x + (int)(at * p->l->plot_w);
}

static void axis_of(const struct painter *p, struct axis *a)
{
	int each = draw_width(p->d, DRAW_SMALL, "88.888 ms") +
		   2 * p->d->metrics.em;
	int most = p->l->plot_w / (each > 0 ? each : 1);

	axis_init(a, p->h->from_ns - p->h->zero_ns,
		  p->h->to_ns - p->h->zero_ns, most > 2 ? most : 2);
}

/* Labels of ticks whose text would touch the one before are left out. */
static void paint_axis(const struct painter *p)
{
	const struct draw_metrics *m = &p->d->metrics;
	int y = p->l->axis_y, free_from = p->l->label_x, i;
	int right = p->l->w - m->margin;
	struct axis a;

	axis_of(p, &a);
	for (i = 0; i < a.nr; i++) {
		int x = x_of(p, a.first_ns + i * a.step_ns + p->h->zero_ns);
		char label[64];
		int w;

		axis_label(&a, i, label, sizeof(label));
		w = draw_width(p->d, DRAW_SMALL, label);
		if (m->tick_h)
			p->d->ops->mark(p->d->ctx, DRAW_MARK_TICK, x, y);
		if (x - w / 2 < free_from || x + (w + 1) / 2 > right)
			continue;
		text(p, (struct draw_text){ .x = x, .y = y + m->tick_h,
					    .align = DRAW_CENTER,
					    .style = DRAW_SMALL,
					    .role = ROLE_DIM, .text = label });
		free_from = x + (w + 1) / 2 + m->pad;
	}
}

/* Faint lines at the ticks, seen between the rows. */
static void paint_rules(const struct painter *p, int panel)
{
	int top = p->l->panel[panel].rows_y, i;
	int end = heatmap_row_y(p->l, p->h, panel,
				p->h->first_row + p->l->nr_rows);
	struct axis a;

	if (!p->d->metrics.tick_h)
		return;
	axis_of(p, &a);
	for (i = 0; i < a.nr; i++) {
		struct draw_box b = { x_of(p, a.first_ns + i * a.step_ns +
						      p->h->zero_ns),
				      top, 1, end - top };

		p->d->ops->fill(p->d->ctx, &b, ROLE_RULE);
	}
}

int heatmap_paint(const struct heat_layout *l, const struct heatmap *h,
		  const struct draw *d, struct err *err)
{
	struct painter p = { .l = l, .h = h, .d = d };
	int ret, panel, row;

	ret = painter_init(&p, err);
	if (ret < 0)
		goto out;
	study_look(h->study);
	heatmap_title(l, h, d, true);
	if (l->topo_h)
		heatmap_topo_paint(l, h, d);
	if (l->legend_lines)
		heatmap_legend(l, h, d, true);
	for (panel = 0; panel < l->nr_panels; panel++) {
		heatmap_head(l, h, d, panel, true);
		paint_rules(&p, panel);
		for (row = 0; row < l->nr_rows; row++)
			paint_row(&p, panel, h->first_row + row);
	}
	paint_axis(&p);
	ret = study_look_end(h->study, h->run, h->nr_runs, err);
out:
	painter_release(&p);
	return ret;
}
