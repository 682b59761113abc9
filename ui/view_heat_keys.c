/* SPDX-License-Identifier: MIT */
/* The keys of the heatmap views and what they do. */
#include "ui/view_heat.h"

#include "model/err.h"
#include "ui/axis.h"
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
	HEAT_NEXT_CPU,
	HEAT_PREVIOUS_CPU,
	HEAT_FOLLOW,
	HEAT_MARK,
	HEAT_ZOOM_MARK,
	HEAT_TABLE,
	HEAT_TAG,
	HEAT_DROP,
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

const struct tui_binding view_heat_time_keys[] = {
	{ 0, 0, 0, "moving about in time" },
	{ KEY_OF_LEFT, 'h', HEAT_LEFT, "earlier" },
	{ KEY_OF_RIGHT, 'l', HEAT_RIGHT, "later" },
	{ '+', '=', HEAT_ZOOM_IN, "zoom in about the cursor" },
	{ '-', '_', HEAT_ZOOM_OUT, "zoom out" },
	{ KEY_OF_SHIFT_LEFT, '<', HEAT_PAN_LEFT, "half a screen earlier" },
	{ KEY_OF_SHIFT_RIGHT, '>', HEAT_PAN_RIGHT, "half a screen later" },
	{ 'f', '0', HEAT_FIT, "fit: all of the time" },
	{ 'g', 0, HEAT_GOTO, "go to a time (12.5s, 350ms; @ of the clock)" },
	{ 'n', 0, HEAT_NEXT_MOVE, "next migration of the task to another node" },
	{ 'N', 0, HEAT_PREVIOUS_MOVE, "previous one" },
	{ '.', 0, HEAT_NEXT_CPU, "its next migration to another CPU" },
	{ ',', 0, HEAT_PREVIOUS_CPU, "previous one" },
	{ 'v', 0, HEAT_MARK, "mark a window from here to the cursor; off" },
	{ 'z', 0, HEAT_ZOOM_MARK, "zoom to the marked window" },
	{ KEY_OF_ESCAPE, 0, HEAT_DROP, "mark off, following off" },
	{ 'i', 0, HEAT_TABLE, "table of the marked window, or of this one" },
	{ KEY_OF_WHEEL_UP, 0, HEAT_WHEEL_IN, "zoom in about the pointer" },
	{ KEY_OF_WHEEL_DOWN, 0, HEAT_WHEEL_OUT, "zoom out" },
	{ 0, 0, 0, NULL },
};

const struct tui_binding view_heat_keys[] = {
	{ 0, 0, 0, "rows" },
	{ KEY_OF_UP, 'k', HEAT_UP, "row up" },
	{ KEY_OF_DOWN, 'j', HEAT_DOWN, "row down" },
	{ KEY_OF_PAGE_UP, 0, HEAT_PAGE_UP, "a screen of rows up" },
	{ KEY_OF_PAGE_DOWN, 0, HEAT_PAGE_DOWN, "a screen of rows down" },
	{ KEY_OF_HOME, 0, HEAT_FIRST, "first row" },
	{ KEY_OF_END, 'G', HEAT_LAST, "last row" },
	{ KEY_OF_CLICK, 0, HEAT_POINT, "put the cursor there" },
	{ 'm', 0, HEAT_MODE_NEXT, "colour: node, locality, waiting, load, "
				  "difference of two runs" },
	{ 's', 0, HEAT_SORT_NEXT, "sort by cpu, node, locality, start, name, "
				  "moves" },
	{ 'S', 0, HEAT_SORT_WINDOW, "only what runs in the window, sorted by that" },
	{ 'o', 0, HEAT_OTHER_SIDE, "the task under the cursor among the CPUs; "
				   "from there back" },
	{ 'a', 0, HEAT_FOLLOW, "follow the task across CPUs, or stop it" },
	{ 't', 0, HEAT_TAG, "tag the task, or take its tag off" },
	{ 'p', 0, HEAT_PAGES, "strips of pages on and off" },
	{ 'L', 0, HEAT_LEGEND, "legend on and off" },
	{ KEY_OF_ENTER, 'd', HEAT_DETAIL, "detail of the cell: more, none, less" },
	{ 'w', 0, HEAT_WRITE, "write a picture (.png .svg .pdf) or a table "
			      "(.csv .txt)" },
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
	int64_t at = t->cursor_ns - t->window.from_ns;

	tui_window(t, t->window.from_ns + by, t->window.to_ns + by, false);
	t->cursor_ns = t->window.from_ns + at;
}

static void step(struct view_heat *v, struct tui *t, int by)
{
	int col = view_heat_col(v, t) + by;
	int64_t width = t->window.to_ns - t->window.from_ns;

	if (col < 0 || col >= v->layout.nr_cols) {
		pan(v, t, by * (width / 4 > 0 ? width / 4 : 1));
		return;
	}
	t->cursor_ns = view_heat_cell_ns(v, t, col);
}

static int goto_done(void *view, struct tui *t, const char *text,
		     struct err *err)
{
	bool clock = *text == '@';	/* of the trace's clock */
	struct view_heat *v = view;
	int64_t ns;
	int ret = opt_time(text + clock, &ns, err);
	char len[64];

	if (ret < 0)
		return ret;
	if (clock)
		ns -= t->begin_ns;
	if (ns < 0 || ns >= t->end_ns - t->begin_ns)
		return err_set(err, ERR_USAGE, "the run is %s long",
			       axis_length(t->end_ns - t->begin_ns, len,
					   sizeof(len)));
	view_heat_go(v, t, v->chosen, t->begin_ns + ns);
	return 0;
}

/* -- pointer -------------------------------------------------------------- */

static int64_t ns_at(const struct view_heat *v, const struct tui *t, int x)
{
	const struct heat_layout *l = &v->layout;
	int col = (int)((int64_t)(x - l->plot_x) * l->nr_cols / l->plot_w);

	if (x < l->plot_x || col >= l->nr_cols)
		return t->cursor_ns;
	return view_heat_cell_ns(v, t, col);
}

void view_heat_point(struct view_heat *v, struct tui *t,
		     const struct tui_key *key)
{
	const struct heat_layout *l = &v->layout;
	int unit = t->canvas.half ? 2 : 1, p, i;
	struct heatmap h;

	view_heat_map(v, t, &h);
	t->cursor_ns = ns_at(v, t, key->x);
	for (p = 0; p < l->nr_panels; p++)
		for (i = v->first_row; i < v->first_row + l->nr_rows; i++) {
			int y = v->top + heatmap_row_y(l, &h, p, i) / unit;

			if (key->y >= y && key->y < y + l->pitch / unit)
				v->row = i;
		}
}

static void ask_time(struct view_heat *v, struct tui *t)
{
	tui_ask(t, &(struct tui_prompt){ .label = "go to: ", .view = v,
					 .done = goto_done }, "");
}

/* -- what is shown -------------------------------------------------------- */

static void next_mode(struct view_heat *v, struct tui *t)
{
	do {
		v->mode = (v->mode + 1) % NR_HEAT_MODES;
	} while ((v->mode == HEAT_DIFF && t->other < 0) ||
		 !heat_mode_suits(v->mode, v->kind));
	tui_message(t, "colour: %s", heat_mode_name(v->mode));
}

static void sort_again(struct view_heat *v, struct tui *t, bool window)
{
	bool whole = v->sorted_from_ns == t->begin_ns &&
		     v->sorted_to_ns == t->end_ns;
	bool fit = t->window.from_ns == t->begin_ns &&
		   t->window.to_ns == t->end_ns;

	/* Where the figures are those to sort by, the rows may stay. */
	if (!window && whole && fit && v->has_rows && v->has_figures)
		rows_sort(&v->rows, t->study, v->sort);
	else
		v->has_rows = v->has_figures = false;
	v->is_kept = false;
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
		zoom(t, t->cursor_ns, command == HEAT_ZOOM_IN);
		return true;
	case HEAT_WHEEL_IN:
	case HEAT_WHEEL_OUT:
		zoom(t, ns_at(v, t, key->x), command == HEAT_WHEEL_IN);
		return true;
	case HEAT_FIT:
		tui_window(t, t->begin_ns, t->end_ns, true);
		return true;
	case HEAT_POINT:
		view_heat_point(v, t, key);
		return true;
	default:
		return false;
	}
}

/* -- marks and tags ------------------------------------------------------- */

static void mark(struct tui *t)
{
	t->has_mark = !t->has_mark;
	t->mark_ns = t->cursor_ns;
	if (t->has_mark)
		tui_message(t, "marked; go to the other end, then i (table) or "
			       "z (zoom)");
}

static void zoom_to_mark(struct tui *t)
{
	struct tui_window w = tui_marked(t);

	if (!t->has_mark) {
		tui_message(t, "nothing is marked; v marks one end");
		return;
	}
	t->has_mark = false;
	tui_window(t, w.from_ns, w.to_ns, true);
}

static void tag(struct view_heat *v, struct tui *t)
{
	const struct row *r = &v->rows.row[v->row];
	int64_t ns;
	int task;

	if (r->kind == TRACK_TASK) {
		tui_tag(t, r->number, r->nr);
		return;
	}
	task = view_heat_where(v, t, &ns);
	if (task == TASK_NONE)
		tui_message(t, "nobody runs here");
	else
		tui_tag(t, &task, 1);
}

static void drop(struct tui *t)
{
	if (t->has_mark)
		t->has_mark = false;
	else
		t->followed = TASK_NONE;
}

static void show_table(struct view_heat *v, struct tui *t)
{
	t->table = (struct tui_table_query){ v->kind, tui_marked(t) };
	tui_go(t, "table", TASK_NONE, t->cursor_ns);
}

/* True if the command was one of these. */
static bool marks(struct view_heat *v, struct tui *t, int command)
{
	switch (command) {
	case HEAT_MARK:
		mark(t);
		return true;
	case HEAT_ZOOM_MARK:
		zoom_to_mark(t);
		return true;
	case HEAT_TABLE:
		show_table(v, t);
		return true;
	case HEAT_TAG:
		tag(v, t);
		return true;
	case HEAT_DROP:
		drop(t);
		return true;
	case HEAT_FOLLOW:
		view_heat_follow_key(v, t);
		return true;
	case HEAT_WRITE:
		view_heat_write(v, t);
		return true;
	default:
		return false;
	}
}

static void shows(struct view_heat *v, struct tui *t, int command)
{
	switch (command) {
	case HEAT_MODE_NEXT:
		next_mode(v, t);
		break;
	case HEAT_SORT_NEXT:
	case HEAT_SORT_WINDOW:
		if (rows_are_cpus(v->kind)) {
			tui_message(t, "CPUs and nodes are not sorted");
			break;
		}
		if (command == HEAT_SORT_NEXT)
			v->sort = (v->sort + 1) % NR_SORTS;
		sort_again(v, t, command == HEAT_SORT_WINDOW);
		break;
	case HEAT_OTHER_SIDE:
		other_side(v, t);
		break;
	case HEAT_PAGES:
		v->no_pages = !v->no_pages;
		break;
	case HEAT_LEGEND:
		v->no_legend = !v->no_legend;
		break;
	default:
		v->detail = (v->detail + 1) % NR_DETAILS;
		break;
	}
}

int view_heat_command(void *view, struct tui *t, int command,
		      const struct tui_key *key, struct err *err)
{
	struct view_heat *v = view;

	/* Nothing was drawn, so there is nothing to move in. */
	if (!v->has_layout || moves(v, t, command, key) ||
	    marks(v, t, command))
		return 0;
	switch (command) {
	case HEAT_GOTO:
		ask_time(v, t);
		break;
	case HEAT_NEXT_MOVE:
	case HEAT_PREVIOUS_MOVE:
		view_heat_move(v, t, command == HEAT_NEXT_MOVE ? 1 : -1, true);
		break;
	case HEAT_NEXT_CPU:
	case HEAT_PREVIOUS_CPU:
		view_heat_move(v, t, command == HEAT_NEXT_CPU ? 1 : -1, false);
		break;
	default:
		shows(v, t, command);
		break;
	}
	return 0;
}
