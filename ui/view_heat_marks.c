/* SPDX-License-Identifier: MIT */
/* What lies over the heatmap: tags, the marked window, the followed task. */
#include "ui/view_heat_local.h"

#include <stdlib.h>

/* Spans of the followed task that are looked at for one column: where more
 * begin in it, the CPUs of the rest are not marked. */
#define SPANS_PER_COLUMN 64

int view_heat_line(const struct view_heat *v, const struct tui *t,
		   const struct heatmap *h, int panel, int row)
{
	int unit = t->canvas.half ? 2 : 1;

	return v->top + heatmap_row_y(&v->layout, h, panel, row) / unit;
}

int view_heat_label_line(const struct view_heat *v, const struct tui *t,
			 const struct heatmap *h, int panel, int row)
{
	const struct heat_layout *l = &v->layout;
	int unit = t->canvas.half ? 2 : 1;
	int down = (l->mark_h + l->run_h + l->mem_h - unit) / 2;
	int y = heatmap_row_y(l, h, panel, row) + (down > 0 ? down : 0);

	return v->top + y / unit;
}

static bool is_tagged(const struct tui *t, const struct row *r)
{
	int i;

	for (i = 0; r->kind == TRACK_TASK && i < r->nr; i++)
		if (t->tagged[r->number[i]])
			return true;
	return false;
}

static bool is_followed(const struct tui *t, const struct row *r)
{
	int i;

	for (i = 0; r->kind == TRACK_TASK && i < r->nr; i++)
		if (t->followed == r->number[i])
			return true;
	return false;
}

static void mark_labels(const struct view_heat *v, struct tui *t,
			const struct heatmap *h, int panel)
{
	const struct heat_layout *l = &v->layout;
	int i;

	for (i = v->first_row; i < v->first_row + l->nr_rows; i++) {
		const struct row *r = &v->rows.row[i];
		const char *mark = is_tagged(t, r)   ? "*" :
				   is_followed(t, r) ? ">" :
						       NULL;

		if (mark)
			canvas_text(&t->canvas, l->label_x,
				    view_heat_label_line(v, t, h, panel, i),
				    ROLE_TEXT, true, mark);
	}
}

/* On the axis, from the mark to the cursor. */
static void mark_window(const struct view_heat *v, struct tui *t)
{
	const struct heat_layout *l = &v->layout;
	struct tui_window w = tui_marked(t);
	int unit = t->canvas.half ? 2 : 1, y = v->top + l->axis_y / unit;
	int from = l->nr_cols, to = -1, i;

	for (i = 0; i < l->nr_cols; i++)
		if (view_heat_cell_ns(v, t, i + 1) > w.from_ns &&
		    view_heat_cell_ns(v, t, i) <= w.to_ns) {
			from = i < from ? i : from;
			to = i;
		}
	if (to < from)
		return;
	from = view_heat_x(v, from);
	to = view_heat_x(v, to) + 1;
	canvas_blank(&t->canvas, from, y, to - from);
	canvas_ground(&t->canvas, from, y, to - from, 1, ROLE_BAR);
	canvas_text(&t->canvas, from, y, ROLE_TEXT, true, "[");
	canvas_text(&t->canvas, to - 1, y, ROLE_TEXT, true, "]");
}

/* -- the followed task ---------------------------------------------------- */

struct trail {
	const struct tracks *tracks;
	int *row_of;		/* by CPU: its row, -1 */
	int64_t nr_spans;
	int panel;
};

static void mark_column(const struct view_heat *v, struct tui *t,
			const struct heatmap *h, const struct trail *r, int col)
{
	int64_t from = view_heat_cell_ns(v, t, col);
	int64_t to = view_heat_cell_ns(v, t, col + 1);
	int64_t i = tracks_find(r->tracks, TRACK_TASK, t->followed, from);
	int n;

	for (n = 0; n < SPANS_PER_COLUMN && i < r->nr_spans; n++, i++) {
		struct span sp;
		int row;

		tracks_get(r->tracks, TRACK_TASK, t->followed, i, &sp);
		if (sp.start_ns >= to)
			return;
		row = r->row_of[sp.cpu];
		if (row >= v->first_row &&
		    row < v->first_row + v->layout.nr_rows)
			canvas_dot(&t->canvas, view_heat_x(v, col),
				   view_heat_line(v, t, h, r->panel, row));
	}
}

static void mark_trail(const struct view_heat *v, struct tui *t,
		       const struct heatmap *h, int panel)
{
	struct trail r = { .tracks = t->study->run[h->run[panel]].tracks,
			   .panel = panel };
	int nr_cpus = study_topo(t->study, t->run)->nr_cpu_ids;
	struct track_total total;
	int i, m;

	r.row_of = malloc((nr_cpus + 1) * sizeof(*r.row_of));
	if (!r.row_of)
		return;
	for (i = 0; i < nr_cpus; i++)
		r.row_of[i] = -1;
	for (i = 0; i < v->rows.nr; i++)
		for (m = 0; m < v->rows.row[i].nr; m++)
			r.row_of[v->rows.row[i].number[m]] = i;
	tracks_total(r.tracks, TRACK_TASK, t->followed, &total);
	r.nr_spans = total.nr_spans;
	for (i = 0; i < v->layout.nr_cols; i++)
		mark_column(v, t, h, &r, i);
	free(r.row_of);
}

void view_heat_marks(const struct view_heat *v, struct tui *t,
		     const struct heatmap *h)
{
	int p;

	for (p = 0; p < v->layout.nr_panels; p++) {
		mark_labels(v, t, h, p);
		if (rows_are_cpus(v->kind) && t->followed != TASK_NONE)
			mark_trail(v, t, h, p);
	}
	if (t->has_mark)
		mark_window(v, t);
}
