/* SPDX-License-Identifier: MIT */
/* The keys of the heatmap views and what they do. */
#include "ui/view_heat.h"

#include "model/err.h"
#include "ui/axis.h"
#include "ui/draw_cairo.h"
#include "ui/opt.h"
#include "ui/view_heat_local.h"

#include <stdio.h>
#include <string.h>

enum command {
	HEAT_UP,
	HEAT_DOWN,
	HEAT_LEFT,
	HEAT_RIGHT,
	HEAT_PAGE_UP,
	HEAT_PAGE_DOWN,
	HEAT_FIRST,
	HEAT_LAST,
	HEAT_PAN_LEFT,
	HEAT_PAN_RIGHT,
	HEAT_ZOOM_IN,
	HEAT_ZOOM_OUT,
	HEAT_FIT,
	HEAT_GOTO,
	HEAT_NEXT_MOVE,
	HEAT_PREVIOUS_MOVE,
	HEAT_MODE_NEXT,
	HEAT_SORT_NEXT,
	HEAT_SORT_WINDOW,
	HEAT_OTHER_SIDE,
	HEAT_PAGES,
	HEAT_LEGEND,
	HEAT_DETAIL,
	HEAT_WRITE,
	HEAT_WHEEL_IN,
	HEAT_WHEEL_OUT,
	HEAT_POINT,
};

const struct tui_binding view_heat_keys[] = {
	{ 0, 0, 0, "moving about" },
	{ KEY_OF_UP, 'k', HEAT_UP, "row up" },
	{ KEY_OF_DOWN, 'j', HEAT_DOWN, "row down" },
	{ KEY_OF_LEFT, 'h', HEAT_LEFT, "earlier" },
	{ KEY_OF_RIGHT, 'l', HEAT_RIGHT, "later" },
	{ KEY_OF_PAGE_UP, 0, HEAT_PAGE_UP, "a screen of rows up" },
	{ KEY_OF_PAGE_DOWN, 0, HEAT_PAGE_DOWN, "a screen of rows down" },
	{ KEY_OF_HOME, 0, HEAT_FIRST, "first row" },
	{ KEY_OF_END, 'G', HEAT_LAST, "last row" },
	{ '+', '=', HEAT_ZOOM_IN, "zoom in about the cursor" },
	{ '-', '_', HEAT_ZOOM_OUT, "zoom out" },
	{ KEY_OF_SHIFT_LEFT, '<', HEAT_PAN_LEFT, "half a screen earlier" },
	{ KEY_OF_SHIFT_RIGHT, '>', HEAT_PAN_RIGHT, "half a screen later" },
	{ 'f', '0', HEAT_FIT, "fit: all of the time" },
	{ 'g', 0, HEAT_GOTO, "go to a time (12.5s, 350ms, ...)" },
	{ 'n', 0, HEAT_NEXT_MOVE, "next node migration of the task" },
	{ 'N', 0, HEAT_PREVIOUS_MOVE, "previous one" },
	{ KEY_OF_WHEEL_UP, 0, HEAT_WHEEL_IN, "zoom in about the pointer" },
	{ KEY_OF_WHEEL_DOWN, 0, HEAT_WHEEL_OUT, "zoom out" },
	{ KEY_OF_CLICK, 0, HEAT_POINT, "put the cursor there" },
	{ 0, 0, 0, "what is shown" },
	{ 'm', 0, HEAT_MODE_NEXT, "colour by node, locality, waiting, load (and "
				  "difference of two runs)" },
	{ 's', 0, HEAT_SORT_NEXT, "sort by cpu, node, locality, start, name, "
				  "moves" },
	{ 'S', 0, HEAT_SORT_WINDOW, "only what runs in the window, sorted by that" },
	{ 'o', 0, HEAT_OTHER_SIDE, "the task under the cursor among the CPUs; "
				   "from there back" },
	{ 'p', 0, HEAT_PAGES, "strips of pages on and off" },
	{ 'L', 0, HEAT_LEGEND, "legend on and off" },
	{ KEY_OF_ENTER, 'd', HEAT_DETAIL, "detail of the cell on and off" },
	{ 'w', 0, HEAT_WRITE, "write a picture of it (.png, .svg, .pdf)" },
	{ 0, 0, 0, NULL },
};

/* -- time ----------------------------------------------------------------- */

static void zoom(struct tui *t, int64_t about, bool in)
{
	int64_t before = about - t->window.from_ns;
	int64_t after = t->window.to_ns - about;

	if (in)
		tui_window(t, about - before / 2, about + after - after / 2,
			   true);
	else
		tui_window(t,
			   before > (INT64_MAX >> 2) ? t->begin_ns :
						       about - before * 2,
			   after > (INT64_MAX >> 2) ? t->end_ns :
						      about + after * 2,
			   true);
}

static void pan(struct view_heat *v, struct tui *t, int64_t by)
{
	int64_t at = v->cursor_ns - t->window.from_ns;

	tui_window(t, t->window.from_ns + by, t->window.to_ns + by, false);
	v->cursor_ns = t->window.from_ns + at;
}

static void step(struct view_heat *v, struct tui *t, int by)
{
	int col = view_heat_col(v, t) + by;
	int64_t width = t->window.to_ns - t->window.from_ns;

	if (col < 0 || col >= v->layout.nr_cols) {
		pan(v, t, by * (width / 4 > 0 ? width / 4 : 1));
		return;
	}
	v->cursor_ns = view_heat_cell_ns(v, t, col);
}

static int goto_done(void *view, struct tui *t, const char *text,
		     struct err *err)
{
	struct view_heat *v = view;
	int64_t ns;
	int ret = opt_time(text, &ns, err);
	char len[64];

	if (ret < 0)
		return ret;
	if (ns >= t->end_ns - t->begin_ns)
		return err_set(err, ERR_USAGE, "the run is %s long",
			       axis_length(t->end_ns - t->begin_ns, len,
					   sizeof(len)));
	view_heat_go(v, t, v->chosen, t->begin_ns + ns);
	return 0;
}

static int node_at(const struct tui *t, int task, int64_t i)
{
	struct span sp;

	tracks_get(t->study->run[t->run].tracks, TRACK_TASK, task, i, &sp);
	return topo_node_of(&t->study->topo, sp.cpu);
}

static void go_move(struct view_heat *v, struct tui *t, int by)
{
	const struct row *r = &v->rows.row[v->row];
	const struct tracks *k = t->study->run[t->run].tracks;
	struct track_total total;
	struct span sp;
	int64_t i;

	if (r->kind != TRACK_TASK || r->nr != 1) {
		tui_message(t, "only single tasks move between nodes");
		return;
	}
	tracks_total(k, TRACK_TASK, r->number[0], &total);
	i = tracks_find(k, TRACK_TASK, r->number[0], v->cursor_ns);
	if (by < 0 && i < total.nr_spans) {
		tracks_get(k, TRACK_TASK, r->number[0], i, &sp);
		/* Not the one that the cursor is on. */
		i -= sp.start_ns >= v->cursor_ns;
	}
	for (i += by > 0; i > 0 && i < total.nr_spans; i += by)
		if (node_at(t, r->number[0], i) !=
		    node_at(t, r->number[0], i - 1))
			break;
	if (i <= 0 || i >= total.nr_spans) {
		tui_message(t, "no %s node migration of this task",
			    by > 0 ? "further" : "earlier");
		return;
	}
	tracks_get(k, TRACK_TASK, r->number[0], i, &sp);
	view_heat_go(v, t, r->number[0], sp.start_ns);
	tui_message(t, "node %d to node %d", node_at(t, r->number[0], i - 1),
		    node_at(t, r->number[0], i));
}

/* -- pointer -------------------------------------------------------------- */

static int64_t ns_at(const struct view_heat *v, const struct tui *t, int x)
{
	const struct heat_layout *l = &v->layout;
	int col = (int)((int64_t)(x - l->plot_x) * l->nr_cols / l->plot_w);

	if (x < l->plot_x || col >= l->nr_cols)
		return v->cursor_ns;
	return view_heat_cell_ns(v, t, col);
}

static void point(struct view_heat *v, struct tui *t, const struct tui_key *key)
{
	const struct heat_layout *l = &v->layout;
	int unit = t->canvas.half ? 2 : 1, p, i;
	struct heatmap h;

	view_heat_map(v, t, &h);
	v->cursor_ns = ns_at(v, t, key->x);
	for (p = 0; p < l->nr_panels; p++)
		for (i = v->first_row; i < v->first_row + l->nr_rows; i++) {
			int y = v->top + heatmap_row_y(l, &h, p, i) / unit;

			if (key->y >= y && key->y < y + l->pitch / unit)
				v->row = i;
		}
}

/* -- pictures ------------------------------------------------------------- */

static int write_done(void *view, struct tui *t, const char *text,
		      struct err *err)
{
	struct view_heat *v = view;
	enum picture_format format;
	struct picture *p;
	struct heat_layout l;
	struct heatmap h;
	int ret = picture_format_of(text, &format, err), w = 1600, hgt, room;

	if (ret < 0)
		return ret;
	p = picture_new(THEME_LIGHT, 1, err);
	if (!p)
		return err->code;
	view_heat_map(v, t, &h);
	h.legend = LEGEND_FULL;
	hgt = heatmap_height(&h, picture_draw(p), w);
	if (hgt > 4000)
		hgt = 4000;
	room = heatmap_fit(&h, picture_draw(p), w, hgt);
	if (h.first_row + room > v->rows.nr)
		h.first_row = v->rows.nr > room ? v->rows.nr - room : 0;
	ret = heatmap_layout(&l, &h, picture_draw(p), w, hgt, err);
	if (!ret)
		ret = picture_begin(p, format, w, hgt, err);
	if (!ret)
		ret = heatmap_paint(&l, &h, picture_draw(p), err);
	if (!ret)
		ret = picture_save(p, text, false, err);
	if (!ret)
		tui_message(t, "wrote %s", text);
	picture_free(p);
	return ret;
}

static void ask(struct view_heat *v, struct tui *t, const char *label,
		const char *text,
		int (*done)(void *, struct tui *, const char *, struct err *))
{
	t->prompt = (struct tui_prompt){ .label = label, .view = v,
					 .done = done };
	snprintf(t->prompt.text, sizeof(t->prompt.text), "%s", text);
}

/* -- what is shown -------------------------------------------------------- */

static void next_mode(struct view_heat *v, struct tui *t)
{
	if (v->kind == ROWS_MEMORY)
		return;
	do {
		v->mode = (v->mode + 1) % NR_HEAT_MODES;
	} while ((v->mode == HEAT_DIFF && t->other < 0) ||
		 (v->mode == HEAT_LOAD && v->kind <= ROWS_PROCESSES));
	tui_message(t, "colour: %s", heat_mode_name(v->mode));
}

static void sort_again(struct view_heat *v, struct tui *t, bool window)
{
	v->has_rows = v->has_figures = false;
	v->row = v->first_row = 0;
	v->chosen = -1;
	v->sorted_from_ns = window ? t->window.from_ns : t->begin_ns;
	v->sorted_to_ns = window ? t->window.to_ns : t->end_ns;
	tui_message(t, "sorted by %s%s", rows_sort_name(v->sort),
		    window ? " in this window" : "");
}

static void other_side(struct view_heat *v, struct tui *t)
{
	int64_t ns;
	int task = view_heat_where(v, t, &ns);

	if (task == TASK_NONE)
		tui_message(t, "nobody runs here");
	else
		tui_go(t, v->kind <= ROWS_PROCESSES ? "cpus" : "tasks", task, ns);
}

static void move_row(struct view_heat *v, int by)
{
	v->row += by;
	if (v->row >= v->rows.nr)
		v->row = v->rows.nr - 1;
	if (v->row < 0)
		v->row = 0;
	v->chosen = -1;
}

/* True if the command was one of these. */
static bool moves(struct view_heat *v, struct tui *t, int command,
		  const struct tui_key *key)
{
	int64_t half = (t->window.to_ns - t->window.from_ns) / 2;

	switch (command) {
	case HEAT_UP:
	case HEAT_DOWN:
		move_row(v, command == HEAT_UP ? -1 : 1);
		return true;
	case HEAT_PAGE_UP:
	case HEAT_PAGE_DOWN:
		move_row(v, command == HEAT_PAGE_UP ? -v->layout.nr_rows :
						      v->layout.nr_rows);
		return true;
	case HEAT_FIRST:
	case HEAT_LAST:
		move_row(v, command == HEAT_FIRST ? -v->rows.nr : v->rows.nr);
		return true;
	case HEAT_LEFT:
	case HEAT_RIGHT:
		step(v, t, command == HEAT_LEFT ? -1 : 1);
		return true;
	case HEAT_PAN_LEFT:
	case HEAT_PAN_RIGHT:
		pan(v, t, command == HEAT_PAN_LEFT ? -half : half);
		return true;
	case HEAT_ZOOM_IN:
	case HEAT_ZOOM_OUT:
		zoom(t, v->cursor_ns, command == HEAT_ZOOM_IN);
		return true;
	case HEAT_WHEEL_IN:
	case HEAT_WHEEL_OUT:
		zoom(t, ns_at(v, t, key->x), command == HEAT_WHEEL_IN);
		return true;
	case HEAT_FIT:
		tui_window(t, t->begin_ns, t->end_ns, true);
		return true;
	case HEAT_POINT:
		point(v, t, key);
		return true;
	default:
		return false;
	}
}

int view_heat_command(void *view, struct tui *t, int command,
		      const struct tui_key *key, struct err *err)
{
	struct view_heat *v = view;

	/* Nothing was drawn, so there is nothing to move in. */
	if (!v->has_layout || moves(v, t, command, key))
		return 0;
	switch (command) {
	case HEAT_GOTO:
		ask(v, t, "go to: ", "", goto_done);
		return 0;
	case HEAT_NEXT_MOVE:
	case HEAT_PREVIOUS_MOVE:
		go_move(v, t, command == HEAT_NEXT_MOVE ? 1 : -1);
		return 0;
	case HEAT_MODE_NEXT:
		next_mode(v, t);
		return 0;
	case HEAT_SORT_NEXT:
		v->sort = (v->sort + 1) % NR_SORTS;
		sort_again(v, t, false);
		return 0;
	case HEAT_SORT_WINDOW:
		sort_again(v, t, true);
		return 0;
	case HEAT_OTHER_SIDE:
		other_side(v, t);
		return 0;
	case HEAT_PAGES:
		v->no_pages = !v->no_pages;
		return 0;
	case HEAT_LEGEND:
		v->no_legend = !v->no_legend;
		return 0;
	case HEAT_DETAIL:
		v->no_detail = !v->no_detail;
		return 0;
	case HEAT_WRITE:
		ask(v, t, "write picture to: ", "homenode.png", write_done);
		return 0;
	default:
		return 0;
	}
}
