/* SPDX-License-Identifier: MIT */
#include "ui/view_heat.h"

#include "model/err.h"
#include "ui/axis.h"
#include "ui/tui_detail.h"
#include "ui/view_heat_local.h"

#include <stdlib.h>
#include <string.h>

int view_heat_open(struct view_heat *v, struct tui *t, enum rows_kind kind)
{
	v->kind = kind;
	v->chosen = -1;
	v->sorted_from_ns = t->begin_ns;
	v->sorted_to_ns = t->end_ns;
	return 0;
}

void view_heat_close(void *view)
{
	struct view_heat *v = view;

	rows_release(&v->rows);
	free(v->kept);
	v->kept = NULL;
}

void view_heat_stale(void *view, struct tui *t, unsigned what)
{
	struct view_heat *v = view;

	if (what & (STALE_RUN | STALE_FILTER))
		v->has_rows = false;
	if (what & STALE_RUN) {
		v->sorted_from_ns = t->begin_ns;
		v->sorted_to_ns = t->end_ns;
		if (v->mode == HEAT_DIFF && t->other < 0)
			v->mode = HEAT_NODE;
	}
	v->has_figures = false;
	v->is_kept = false;
}

static int runs_of(const struct view_heat *v, const struct tui *t, int *run)
{
	bool swap = v->swapped && t->other >= 0;

	run[0] = swap ? t->other : t->run;
	run[1] = swap ? t->run : t->other;
	return t->other >= 0 ? 2 : 1;
}

/* The row that was under the cursor, wherever it is now. */
static void find_chosen(struct view_heat *v)
{
	enum track_kind kind = v->kind <= ROWS_PROCESSES ? TRACK_TASK :
			       v->kind == ROWS_MEMORY	 ? TRACK_NONE :
							   TRACK_CPU;
	int row = v->chosen >= 0 ? rows_find(&v->rows, kind, v->chosen) : -1;

	if (row >= 0)
		v->row = row;
	if (v->row >= v->rows.nr)
		v->row = v->rows.nr - 1;
	if (v->row < 0)
		v->row = 0;
}

static int make_rows(struct view_heat *v, struct tui *t, struct err *err)
{
	struct rows_query q = {
		.kind = v->kind,
		.sort = v->sort,
		.text = t->filter,
		.only = v->only ? v->only : t->only_tagged ? t->tagged : NULL,
		.keep_idle = v->sorted_from_ns == t->begin_ns &&
			     v->sorted_to_ns == t->end_ns,
		.from_ns = v->sorted_from_ns,
		.to_ns = v->sorted_to_ns,
		.max_spans = TUI_MAX_SPANS,
	};
	int run[2], nr = runs_of(v, t, run), ret;

	if (!v->has_rows) {
		rows_release(&v->rows);
		ret = rows_build(&v->rows, t->study, run, nr, &q, err);
		if (ret < 0)
			return ret;
		v->has_rows = true;
		v->has_figures = v->sorted_from_ns == t->window.from_ns &&
				 v->sorted_to_ns == t->window.to_ns;
		v->is_kept = false;
		find_chosen(v);
	}
	if (!v->has_figures) {
		ret = rows_figures(&v->rows, t->study, run, t->window.from_ns,
				   t->window.to_ns, err);
		if (ret < 0)
			return ret;
		v->has_figures = true;
		v->is_kept = false;
	}
	return 0;
}

void view_heat_map(const struct view_heat *v, const struct tui *t,
		   struct heatmap *h)
{
	*h = (struct heatmap){
		.study = t->study,
		.rows = &v->rows,
		.mode = v->mode,
		.from_ns = t->window.from_ns,
		.to_ns = t->window.to_ns,
		.zero_ns = t->begin_ns,
		.legend = v->no_legend ? LEGEND_NONE : LEGEND_SHORT,
		.figures = true,
		.pages = !v->no_pages,
		.first_row = v->first_row,
		.max_row_scale = 3,
	};
	h->nr_runs = runs_of(v, t, h->run);
}

/* -- cursor and screen ---------------------------------------------------- */

int64_t view_heat_cell_ns(const struct view_heat *v, const struct tui *t,
			  int col)
{
	uint64_t width = t->window.to_ns - t->window.from_ns;
	uint64_t nr = v->layout.nr_cols;

	return t->window.from_ns + (int64_t)(width / nr * col +
					     width % nr * col / nr);
}

int view_heat_col(const struct view_heat *v, const struct tui *t)
{
	double at = (double)(t->cursor_ns - t->window.from_ns) /
		    (double)(t->window.to_ns - t->window.from_ns);
	int col = at * v->layout.nr_cols;

	while (col + 1 < v->layout.nr_cols &&
	       view_heat_cell_ns(v, t, col + 1) <= t->cursor_ns)
		col++;
	while (col > 0 && view_heat_cell_ns(v, t, col) > t->cursor_ns)
		col--;
	return col;
}

static void keep_cursor_inside(struct tui *t)
{
	if (t->cursor_ns < t->window.from_ns)
		t->cursor_ns = t->window.from_ns;
	if (t->cursor_ns >= t->window.to_ns)
		t->cursor_ns = t->window.to_ns - 1;
}

/* Screen column of a column of the grid. */
int view_heat_x(const struct view_heat *v, int col)
{
	const struct heat_layout *l = &v->layout;

	return l->plot_x + (int)(((int64_t)col * l->plot_w + l->nr_cols - 1) /
				 l->nr_cols);
}

/* The time under the cursor on the axis, instead of the labels it touches. */
static void draw_on_axis(const struct view_heat *v, struct tui *t, int x,
			 const char *text)
{
	int unit = t->canvas.half ? 2 : 1, w = canvas_text_width(text);
	int y = v->top + v->layout.axis_y / unit;

	x -= w / 2;
	if (x + w >= t->canvas.w)
		x = t->canvas.w - w - 1;
	x = x < 0 ? 0 : x;
	canvas_blank(&t->canvas, x, y, w);
	canvas_text(&t->canvas, x, y, ROLE_TEXT, true, text);
	canvas_reverse(&t->canvas, x, y, w, 1);
}

static void draw_cursor(const struct view_heat *v, struct tui *t,
			const struct heatmap *h)
{
	const struct heat_layout *l = &v->layout;
	int x, p, col = view_heat_col(v, t);
	int64_t step = (t->window.to_ns - t->window.from_ns) / l->nr_cols;
	char at[64];

	x = view_heat_x(v, col);
	for (p = 0; p < l->nr_panels; p++) {
		canvas_reverse(&t->canvas, l->label_x,
			       view_heat_label_line(v, t, h, p, v->row),
			       l->label_w, 1);
		canvas_cursor(&t->canvas, x,
			      view_heat_line(v, t, h, p, v->row));
	}
	axis_point(view_heat_cell_ns(v, t, col) - t->begin_ns,
		   step / 10 + 1, at, sizeof(at));
	draw_on_axis(v, t, x, at);
}

static int draw_detail(const struct view_heat *v, struct tui *t, int top,
		       int lines, struct err *err)
{
	int col = view_heat_col(v, t), i, at = 0, ret;
	struct detail_query q = {
		.study = t->study,
		.run = t->run,
		.other = t->other,
		.row = &v->rows.row[v->row],
		.from_ns = view_heat_cell_ns(v, t, col),
		.to_ns = view_heat_cell_ns(v, t, col + 1),
		.at_ns = t->cursor_ns,
		.zero_ns = t->begin_ns,
	};
	struct detail d;

	if (q.to_ns <= q.from_ns)
		q.to_ns = q.from_ns + 1;
	ret = tui_detail(&d, &q, err);
	for (i = 0; !ret && i < d.nr && at < lines; i++)
		at += canvas_wrap(&t->canvas, 0, top + at, lines - at,
				  i ? ROLE_DIM : ROLE_TEXT, d.line[i]);
	return ret;
}

static void align(struct heat_layout *l, const struct heat_layout *as)
{
	l->label_w = as->label_w;
	l->plot_x = as->plot_x;
	l->plot_w = as->plot_w;
	l->nr_cols = as->nr_cols;
}

static int lay_out(struct view_heat *v, struct tui *t, struct heatmap *h,
		   const struct draw *d, int lines, struct err *err)
{
	int unit = t->canvas.half ? 2 : 1, ret, turn;

	/* How many rows have room is only known from a layout. */
	for (turn = 0; turn < 2; turn++) {
		if (turn && h->first_row == v->first_row)
			break;
		h->first_row = v->first_row;
		ret = heatmap_layout(&v->layout, h, d, t->canvas.w,
				     lines * unit, err);
		if (ret < 0)
			return ret;
		if (v->as)
			align(&v->layout, v->as);
		if (v->row >= v->first_row + v->layout.nr_rows)
			v->first_row = v->row - v->layout.nr_rows + 1;
		if (v->row < v->first_row)
			v->first_row = v->row;
	}
	v->has_layout = true;
	return 0;
}

bool view_heat_ready(struct tui *t)
{
	const struct study_run *run = t->study->run;

	if (!run[t->run].tracks || (t->other >= 0 && !run[t->other].tracks))
		return false;
	tracks_seal(run[t->run].tracks);
	if (t->other >= 0)
		tracks_seal(run[t->other].tracks);
	return true;
}

static void draw_nothing(const struct view_heat *v, struct tui *t, int top)
{
	canvas_text(&t->canvas, 0, top, ROLE_TEXT, false,
		    t->loading	   ? "loading" :
		    t->filter[0]   ? "nothing has this in its name; / and Esc "
				     "show all again" :
		    t->only_tagged ? "nothing that is tagged is here; T shows all" :
		    v->kind == ROWS_MEMORY ?
				     "nothing is known of memory: no areas were "
				     "sampled and no faults recorded" :
				     "nothing ran");
}

/* Where the heatmap is on the canvas: nr cells. */
static struct canvas_cell *cells(const struct view_heat *v, struct tui *t,
				 int lines, size_t *nr)
{
	struct canvas *c = &t->canvas;

	*nr = (size_t)c->w * lines;
	return c->cell + (size_t)c->w * v->top;
}

/* Painted anew only when more than the cursor is to change. */
static int paint_rows(struct view_heat *v, struct tui *t,
		      const struct heatmap *h, const struct draw *d, int lines,
		      struct err *err)
{
	size_t nr;
	struct canvas_cell *at = cells(v, t, lines, &nr);
	bool same = v->is_kept && v->nr_kept == nr && v->kept_w == t->canvas.w &&
		    !memcmp(&v->kept_of, h, sizeof(*h)) &&
		    !memcmp(&v->kept_layout, &v->layout, sizeof(v->layout));
	int ret;

	if (same) {
		memcpy(at, v->kept, nr * sizeof(*at));
		return 0;
	}
	v->is_kept = false;
	ret = heatmap_paint(&v->layout, h, d, err);
	if (ret < 0)
		return ret;
	if (v->nr_kept != nr) {
		free(v->kept);
		v->kept = malloc(nr * sizeof(*at));
		v->nr_kept = v->kept ? nr : 0;
	}
	if (!v->kept)
		return 0;
	memcpy(v->kept, at, nr * sizeof(*at));
	v->kept_w = t->canvas.w;
	v->kept_of = *h;
	v->kept_layout = v->layout;
	v->is_kept = true;
	return 0;
}

int view_heat_paint(struct view_heat *v, struct tui *t, int top, int lines,
		    struct err *err)
{
	struct canvas_draw cd;
	struct heatmap h;
	struct draw d;
	int ret;

	view_heat_map(v, t, &h);
	v->top = top;
	canvas_drawing(&cd, &t->canvas, top, t->theme, &d);
	ret = lay_out(v, t, &h, &d, lines, err);
	if (ret < 0)
		return ret;
	ret = paint_rows(v, t, &h, &d, lines, err);
	if (ret < 0)
		return ret;
	view_heat_marks(v, t, &h);
	draw_cursor(v, t, &h);
	return 0;
}

int view_heat_draw(void *view, struct tui *t, int top, int lines,
		   struct err *err)
{
	int below = view_heat_detail_lines(view, lines), ret;
	struct view_heat *v = view;

	v->has_layout = false;
	if (!view_heat_ready(t)) {
		canvas_text(&t->canvas, 0, top, ROLE_DIM, false, "loading");
		return 0;
	}
	ret = make_rows(v, t, err);
	if (ret < 0)
		return ret;
	if (!v->rows.nr) {
		draw_nothing(v, t, top);
		return 0;
	}
	keep_cursor_inside(t);
	view_heat_follow(v, t);
	v->chosen = v->rows.row[v->row].number[0];
	ret = view_heat_paint(v, t, top, lines - below, err);
	if (ret < 0)
		return ret;
	return draw_detail(v, t, top + lines - below, below, err);
}

/* -- for other views ------------------------------------------------------ */

bool view_heat_counts_all(const void *view, const struct tui *t)
{
	const struct view_heat *v = view;

	return rows_count_all(&v->rows);
}

int view_heat_where(void *view, struct tui *t, int64_t *ns)
{
	const struct view_heat *v = view;
	const struct row *r;
	struct span sp;

	*ns = t->cursor_ns;
	if (!v->has_rows || v->row >= v->rows.nr)
		return TASK_NONE;
	r = &v->rows.row[v->row];
	if (r->kind != TRACK_CPU)
		return r->kind == TRACK_TASK ? r->number[0] : r->proc;
	return row_runner(r, t->study->run[t->run].tracks, t->cursor_ns,
			  view_heat_cell_ns(v, t, view_heat_col(v, t) + 1),
			  &sp) ? sp.task : TASK_NONE;
}

void view_heat_go(void *view, struct tui *t, int task, int64_t ns)
{
	struct view_heat *v = view;
	int64_t width = t->window.to_ns - t->window.from_ns;
	const struct tracks *k = t->study->run[t->run].tracks;

	t->cursor_ns = ns;
	if (ns < t->window.from_ns || ns >= t->window.to_ns)
		tui_window(t, ns - width / 2, ns - width / 2 + width, true);
	if (v->kind == ROWS_MEMORY)
		return;
	v->chosen = task;
	if (v->kind > ROWS_PROCESSES && task != TASK_NONE) {
		struct track_total total = { 0 };
		struct span sp;
		int64_t i;

		if (k)
			tracks_total(k, TRACK_TASK, task, &total);
		i = k ? tracks_find(k, TRACK_TASK, task, ns) : 0;
		if (i >= total.nr_spans)
			return;
		tracks_get(k, TRACK_TASK, task, i, &sp);
		v->chosen = sp.cpu;
	}
	if (v->has_rows)
		find_chosen(v);
}
