/* SPDX-License-Identifier: MIT */
/* A window as a table: the marked one, or the one on the screen. */
#include "ui/axis.h"
#include "ui/tui_table.h"

#include "model/err.h"

#include <stdio.h>
#include <string.h>

struct view_table {
	struct tui_table table;
	struct rows rows;
	struct tui_table_query made;	/* what it was made of */
	bool is_made;
	enum rows_sort sort;
};

enum command { TABLE_MOVE, TABLE_SORT, TABLE_WRITE, TABLE_SHOW, TABLE_POINT,
	       TABLE_LEAVE };

static const struct tui_binding table_keys[] = {
	{ 0, 0, 0, "table" },
	{ KEY_OF_UP, 'k', TABLE_MOVE, "up" },
	{ KEY_OF_DOWN, 'j', TABLE_MOVE, "down" },
	{ KEY_OF_LEFT, 'h', TABLE_MOVE, "columns further left" },
	{ KEY_OF_RIGHT, 'l', TABLE_MOVE, "columns further right" },
	{ KEY_OF_PAGE_UP, 0, TABLE_MOVE, "a screen up" },
	{ KEY_OF_PAGE_DOWN, 0, TABLE_MOVE, "a screen down" },
	{ KEY_OF_HOME, 0, TABLE_MOVE, "first row" },
	{ KEY_OF_END, 'G', TABLE_MOVE, "last row" },
	{ KEY_OF_CLICK, 0, TABLE_POINT, "choose" },
	{ 's', 0, TABLE_SORT, "sort by cpu, node, locality, start, name, "
			      "moves" },
	{ KEY_OF_ENTER, 0, TABLE_SHOW, "look at this task in the window" },
	{ 'w', 0, TABLE_WRITE, "write the table (.csv, .txt)" },
	{ 'i', 0, TABLE_LEAVE, "back to the heatmap" },
	{ 0, 0, 0, NULL },
};

static void close_table(void *view)
{
	struct view_table *v = view;

	rows_release(&v->rows);
}

static void stale(void *view, struct tui *t, unsigned what)
{
	struct view_table *v = view;

	if (what & (STALE_RUN | STALE_FILTER))
		v->is_made = false;
}

static bool counts_all(const void *view, const struct tui *t)
{
	const struct view_table *v = view;

	return rows_count_all(&v->rows);
}

static int make(struct view_table *v, struct tui *t, struct err *err)
{
	struct tui_table_query *q = &t->table;
	struct rows_query r = {
		.kind = q->kind,
		.sort = v->sort,
		.text = t->filter,
		.only = t->only_tagged ? t->tagged : NULL,
		.from_ns = q->window.from_ns,
		.to_ns = q->window.to_ns,
		.max_spans = TUI_MAX_SPANS,
	};
	int ret;

	if (v->is_made && v->made.kind == q->kind &&
	    v->made.window.from_ns == q->window.from_ns &&
	    v->made.window.to_ns == q->window.to_ns)
		return 0;
	rows_release(&v->rows);
	ret = rows_build(&v->rows, t->study, &t->run, 1, &r, err);
	if (ret < 0)
		return ret;
	v->made = *q;
	v->is_made = !ret;
	return ret;
}

/* Another run or another file may be shorter. */
static void cut_window(struct tui *t)
{
	struct tui_window *w = &t->table.window;

	if (w->from_ns < t->begin_ns || w->to_ns > t->end_ns ||
	    w->from_ns >= w->to_ns)
		*w = t->window;
}

static int draw_rows(struct view_table *v, struct tui *t, int top, int lines,
		     struct err *err)
{
	struct tui_table_rows q = { .rows = &v->rows,
				    .window = v->made.window };
	struct table *table;
	int ret;

	tui_table_place(&v->table, v->rows.nr, lines);
	q.from = v->table.first;
	q.to = q.from + v->table.shown;
	if (q.to > v->rows.nr)
		q.to = v->rows.nr;
	ret = tui_table_of_rows(&table, t, &q, err);
	if (!ret)
		ret = tui_table_draw(&v->table, t, top, table, err);
	table_free(table);
	return ret;
}

static int draw(void *view, struct tui *t, int top, int lines, struct err *err)
{
	struct view_table *v = view;
	const struct study_run *r = &t->study->run[t->run];
	char head[400], from[64], len[32];
	int64_t width;
	int ret;

	if (!r->tracks) {
		canvas_text(&t->canvas, 0, top, ROLE_DIM, false, "loading");
		return 0;
	}
	tracks_seal(r->tracks);
	cut_window(t);
	ret = make(v, t, err);
	if (ret < 0)
		return ret;
	width = t->table.window.to_ns - t->table.window.from_ns;
	snprintf(head, sizeof(head), "%s: %s from %s on; %s%s",
		 r->title, axis_length(width, len, sizeof(len)),
		 axis_point(t->table.window.from_ns - t->begin_ns,
			    width / 100 + 1, from, sizeof(from)),
		 rows_are_cpus(t->table.kind) ? "in the machine's order" :
						"sorted by ",
		 rows_are_cpus(t->table.kind) ? "" : rows_sort_name(v->sort));
	canvas_text(&t->canvas, 0, top, ROLE_DIM, false, head);
	if (v->rows.nr)
		return draw_rows(v, t, top + 1, lines - 1, err);
	canvas_text(&t->canvas, 0, top + 2, ROLE_TEXT, false,
			    "nothing that is shown ran in this window");
	return 0;
}

static int write_done(void *view, struct tui *t, const char *text,
		      struct err *err)
{
	struct view_table *v = view;
	struct tui_table_rows q = { &v->rows, 0, v->rows.nr, v->made.window,
				    tui_table_is_csv(text) };
	struct table *table;
	int ret = tui_table_of_rows(&table, t, &q, err);

	if (!ret)
		ret = tui_table_save(table, text, err);
	table_free(table);
	if (!ret)
		tui_message(t, "wrote %s", text);
	return ret;
}

static void show(struct view_table *v, struct tui *t)
{
	struct tui_window w = t->table.window;
	int task = TASK_NONE;

	if (v->table.row < v->rows.nr &&
	    v->rows.row[v->table.row].kind == TRACK_TASK)
		task = v->rows.row[v->table.row].number[0];
	tui_window(t, w.from_ns, w.to_ns, true);
	tui_go(t, rows_kind_name(t->table.kind), task,
	       w.from_ns + (w.to_ns - w.from_ns) / 2);
}

static int command(void *view, struct tui *t, int cmd,
		   const struct tui_key *key, struct err *err)
{
	struct view_table *v = view;

	switch (cmd) {
	case TABLE_MOVE:
		tui_table_key(&v->table, key->code);
		break;
	case TABLE_POINT:
		tui_table_point(&v->table, 2, key->y);
		break;
	case TABLE_SORT:
		if (rows_are_cpus(t->table.kind)) {
			tui_message(t, "CPUs and nodes are not sorted");
			break;
		}
		v->sort = (v->sort + 1) % NR_SORTS;
		v->is_made = false;
		v->table.row = 0;
		break;
	case TABLE_WRITE:
		if (v->rows.nr)
			tui_ask(t, &(struct tui_prompt){
				.label = "write table to: ", .view = v,
				.done = write_done }, "homenode.csv");
		break;
	case TABLE_SHOW:
		show(v, t);
		break;
	default:
		tui_go(t, rows_kind_name(t->table.kind), TASK_NONE, t->cursor_ns);
		break;
	}
	return 0;
}

const struct view_ops view_table = {
	.name = "table",
	.short_name = "table",
	.keys = table_keys,
	.size = sizeof(struct view_table),
	.close = close_table,
	.stale = stale,
	.draw = draw,
	.command = command,
	.counts_all = counts_all,
};
