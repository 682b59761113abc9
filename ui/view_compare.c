/* SPDX-License-Identifier: MIT */
/*
 * Two runs: what changed, task by task, the largest change first; below it the
 * task under the cursor in both runs and their difference, on one time axis with
 * one cursor.
 */
#include "ui/axis.h"
#include "ui/tui_table.h"
#include "ui/view_heat.h"

#include "model/err.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node migration counts as much as so much time (replay/compare.h). */
#define MOVE_NS 200000

/* Lines of the difference of two runs; the least of the table. */
#define DIFF_LINES 3
#define LEAST_TABLE 2
#define GOOD_TABLE 8

struct change {
	int row;		/* of rows; -1: all of them */
	double weight;		/* ns */
};

struct view_compare {
	struct view_heat heat;	/* of the one task, in both runs */
	struct view_heat diff;	/* B minus A */
	struct tui_table table;
	struct rows rows;
	struct change *change;
	bool *only;		/* by task id */
	int nr_tasks;		/* of only */
	int task;		/* that heat shows, TASK_NONE */
	int taken;		/* run beside, where the user chose none; -1 */
	bool is_made;
};

enum command { COMPARE_ROW = 1000, COMPARE_WRITE, COMPARE_SHOW, COMPARE_SWAP,
	       COMPARE_COLUMNS, COMPARE_POINT };

static const struct tui_binding compare_keys[] = {
	{ 0, 0, 0, "compare" },
	{ KEY_OF_UP, 'k', COMPARE_ROW, "up" },
	{ KEY_OF_DOWN, 'j', COMPARE_ROW, "down" },
	{ KEY_OF_PAGE_UP, 0, COMPARE_ROW, "a screen up" },
	{ KEY_OF_PAGE_DOWN, 0, COMPARE_ROW, "a screen down" },
	{ KEY_OF_HOME, 0, COMPARE_ROW, "first row: all tasks together" },
	{ KEY_OF_END, 'G', COMPARE_ROW, "last row" },
	{ KEY_OF_CLICK, 0, COMPARE_POINT, "choose a row, or a time" },
	{ '[', ']', COMPARE_COLUMNS, "columns further left, right" },
	{ 'x', 0, COMPARE_SWAP, "exchange the two runs" },
	{ KEY_OF_ENTER, 0, COMPARE_SHOW, "this task among the tasks" },
	{ 'w', 0, COMPARE_WRITE, "write the table (.csv, .txt)" },
	{ 0, 0, 0, NULL },
};

static int open_compare(void *view, struct tui *t, struct err *err)
{
	struct view_compare *v = view;

	v->task = TASK_NONE;
	v->taken = -1;
	v->diff.swapped = v->diff.no_legend = v->diff.no_pages = true;
	v->diff.detail = DETAIL_NONE;
	return view_heat_open(&v->diff, t, ROWS_TASKS) < 0 ?
		       err->code : view_heat_open(&v->heat, t, ROWS_TASKS);
}

static void close_compare(void *view)
{
	struct view_compare *v = view;

	view_heat_close(&v->heat);
	view_heat_close(&v->diff);
	rows_release(&v->rows);
	free(v->change);
	free(v->only);
}

static void stale(void *view, struct tui *t, unsigned what)
{
	struct view_compare *v = view;

	if (what & (STALE_RUN | STALE_FILTER | STALE_WINDOW))
		v->is_made = false;
	view_heat_stale(&v->heat, t, what);
	view_heat_stale(&v->diff, t, what);
}

/* -- what changed --------------------------------------------------------- */

static double locality(const struct row_sum *s)
{
	return s->known_ns > 0 ? s->local_ns / s->known_ns : NAN;
}

static double weight(const struct row *r)
{
	const struct row_sum *a = &r->sum[0], *b = &r->sum[1];
	double w = fabs((double)(a->run_ns - b->run_ns)), d;

	d = fabs((double)(a->wait_ns - b->wait_ns));
	w = d > w ? d : w;
	d = fabs((double)(a->node_moves - b->node_moves)) * MOVE_NS;
	w = d > w ? d : w;
	d = fabs(locality(a) - locality(b)) *
	    (a->run_ns > b->run_ns ? a->run_ns : b->run_ns);
	return d > w ? d : w;	/* false where one locality is unknown */
}

static int by_weight(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->row - b->row;
}

static void put_heads(struct table *table, bool plain)
{
	table_column(table, "task", TABLE_LEFT);
	table_column(table, "local A", TABLE_RIGHT);
	table_column(table, "B", TABLE_RIGHT);
	table_column(table, "B-A", TABLE_RIGHT);
	table_column(table, plain ? "cpu_ns A" : "cpu A", TABLE_RIGHT);
	table_column(table, "B", TABLE_RIGHT);
	table_column(table, "B-A", TABLE_RIGHT);
	table_column(table, plain ? "wait_ns A" : "waited A", TABLE_RIGHT);
	table_column(table, "B", TABLE_RIGHT);
	table_column(table, "moves A", TABLE_RIGHT);
	table_column(table, "B", TABLE_RIGHT);
}

static void put_locality(struct table *table, double share, bool plain)
{
	char buf[32];

	if (isnan(share))
		table_text(table, plain ? "" : "?");
	else if (plain)
		table_printf(table, "%.6g", share);
	else
		table_text(table, axis_share(share, buf, sizeof(buf)));
}

static void put_length(struct table *table, int64_t ns, bool plain, bool sign)
{
	char len[32];

	if (plain)
		table_printf(table, "%" PRId64, ns);
	else
		table_printf(table, "%s%s", ns < 0 ? "-" : sign && ns ? "+" : "",
			     axis_length(ns < 0 ? -ns : ns, len, sizeof(len)));
}

static void put_change(struct table *table, const char *name,
		       const struct row_sum *sum, bool plain)
{
	const struct row_sum *a = &sum[0], *b = &sum[1];
	double by = locality(b) - locality(a);

	table_text(table, name);
	put_locality(table, locality(a), plain);
	put_locality(table, locality(b), plain);
	if (isnan(by) || plain)
		put_locality(table, by, plain);
	else
		table_printf(table, fabs(by) < 0.005 ? "=" : "%+.0f", by * 100);
	put_length(table, a->run_ns, plain, false);
	put_length(table, b->run_ns, plain, false);
	put_length(table, b->run_ns - a->run_ns, plain, true);
	put_length(table, a->wait_ns, plain, false);
	put_length(table, b->wait_ns, plain, false);
	table_printf(table, "%" PRId64, a->node_moves);
	table_printf(table, "%" PRId64, b->node_moves);
}

/* Row 0 is all of them together. */
static struct table *make_table(const struct view_compare *v, int from, int to,
				bool plain)
{
	struct table *table = table_new();
	struct row_sum all[2] = { { 0 } };
	int i;

	for (i = 0; i < v->rows.nr; i++) {
		row_sum_add(&all[0], &v->rows.row[i].sum[0]);
		row_sum_add(&all[1], &v->rows.row[i].sum[1]);
	}
	put_heads(table, plain);
	for (i = from; i < to; i++) {
		const struct row *r = i ? &v->rows.row[v->change[i - 1].row] :
					  NULL;

		put_change(table, r ? r->label : "all", r ? r->sum : all, plain);
	}
	return table;
}

static int make(struct view_compare *v, struct tui *t, struct err *err)
{
	int run[2] = { t->run, t->other }, i, ret;
	struct rows_query q = {
		.kind = ROWS_TASKS,
		.text = t->filter,
		.only = t->only_tagged ? t->tagged : NULL,
		.from_ns = t->window.from_ns,
		.to_ns = t->window.to_ns,
	};

	rows_release(&v->rows);
	ret = rows_build(&v->rows, t->study, run, 2, &q, err);
	if (ret < 0)
		return ret;
	free(v->change);
	v->change = calloc(v->rows.nr + 1, sizeof(*v->change));
	if (!v->change)
		return err_nomem(err);
	for (i = 0; i < v->rows.nr; i++)
		v->change[i] = (struct change){ i, weight(&v->rows.row[i]) };
	qsort(v->change, v->rows.nr, sizeof(*v->change), by_weight);
	v->is_made = true;
	return 0;
}

/* -- the task below ------------------------------------------------------- */

static bool counts_all(const void *view, const struct tui *t)
{
	const struct view_compare *v = view;

	return view_heat_counts_all(&v->heat, t);
}

/* The heatmap shows the task of the row; the row of all of them none. */
static int choose(struct view_compare *v, struct tui *t, struct err *err)
{
	int at = v->table.row - 1;
	int task = at >= 0 && at < v->rows.nr ?
			   v->rows.row[v->change[at].row].number[0] :
			   TASK_NONE;

	if (v->nr_tasks != t->study->tasks.nr) {
		free(v->only);
		v->only = calloc(t->study->tasks.nr + 1, sizeof(*v->only));
		if (!v->only)
			return err_nomem(err);
		v->nr_tasks = t->study->tasks.nr;
	} else if (task == v->task) {
		return 0;
	}
	memset(v->only, 0, v->nr_tasks * sizeof(*v->only));
	if (task != TASK_NONE)
		v->only[task] = true;
	v->task = task;
	v->heat.kind = task == TASK_NONE ? ROWS_NODES : ROWS_TASKS;
	v->heat.only = task == TASK_NONE ? NULL : v->only;
	v->diff.only = v->only;
	v->diff.has_rows = v->diff.has_figures = false;
	v->heat.has_rows = v->heat.has_figures = false;
	v->heat.row = v->heat.first_row = 0;
	v->heat.chosen = -1;
	return 0;
}

/* Takes the first other run of the same machine if none is beside. */
static bool two_runs(struct view_compare *v, struct tui *t)
{
	int i = 0;

	if (t->other >= 0)
		return true;
	while (i < t->study->nr_runs &&
	       (i == t->run || !study_same_machine(t->study, t->run, i)))
		i++;
	if (i == t->study->nr_runs)
		return false;
	v->taken = i;
	tui_run(t, t->run, v->taken);
	return true;
}

/* Elsewhere it is not shown beside unless the user wants it. */
static void leave(void *view, struct tui *t)
{
	struct view_compare *v = view;
	bool own = v->taken >= 0 && t->other == v->taken;

	v->taken = -1;
	if (own)
		tui_run(t, t->run, -1);
}

static int draw_rows(struct view_compare *v, struct tui *t, int top, int lines,
		     struct err *err)
{
	int to, nr = v->rows.nr + 1, ret;
	struct table *table;

	tui_table_place(&v->table, nr, lines);
	to = v->table.first + v->table.shown;
	table = make_table(v, v->table.first, to < nr ? to : nr, false);
	ret = tui_table_draw(&v->table, t, top, table, err);
	table_free(table);
	return ret;
}

static void draw_head(struct view_compare *v, struct tui *t, int top)
{
	char head[700], len[32];

	snprintf(head, sizeof(head), "A %s   B %s   over %s, largest change first",
		 t->study->run[t->run].title, t->study->run[t->other].title,
		 axis_length(t->window.to_ns - t->window.from_ns, len,
			     sizeof(len)));
	canvas_text(&t->canvas, 0, top, ROLE_DIM, false, head);
}

/* A head and rows for each run, an axis, and where there is room a legend. */
static int lines_below(struct view_compare *v, const struct tui *t, int lines)
{
	bool small = lines < 18, one_line = t->canvas.half || small;
	int nodes = tracks_nr_nodes(t->study->run[t->run].tracks);
	int rows = (v->task == TASK_NONE ? nodes : 1) * (one_line ? 1 : 2);
	int want = !small + 2 * (1 + rows) + 1;
	int most = lines - 1 - (small ? LEAST_TABLE : GOOD_TABLE);

	v->heat.no_legend = v->heat.no_pages = small;
	v->heat.detail = DETAIL_NONE;
	return want < most ? want : most;
}

static int draw(void *view, struct tui *t, int top, int lines, struct err *err)
{
	struct view_compare *v = view;
	int below, diff = DIFF_LINES, ret;

	v->heat.has_layout = false;
	if (!two_runs(v, t)) {
		canvas_wrap(&t->canvas, 0, top, lines, ROLE_TEXT,
			    "this file has one run, so there is nothing to "
			    "compare; P replays it under another policy");
		return 0;
	}
	if (!view_heat_ready(t)) {
		canvas_text(&t->canvas, 0, top, ROLE_DIM, false, "loading");
		return 0;
	}
	ret = v->is_made ? 0 : make(v, t, err);
	if (!ret)
		ret = choose(v, t, err);
	if (ret < 0)
		return ret;
	below = lines_below(v, t, lines);
	if (v->task == TASK_NONE || lines < 1 + GOOD_TABLE + below + diff)
		diff = 0;
	draw_head(v, t, top);
	ret = draw_rows(v, t, top + 1, lines - 1 - below - diff, err);
	if (ret < 0)
		return ret;
	top += lines - below - diff;
	ret = view_heat_draw(&v->heat, t, top, below, err);
	if (!ret && diff && v->heat.has_layout) {
		v->diff.mode = HEAT_DIFF;
		v->diff.as = &v->heat.layout;
		ret = view_heat_draw(&v->diff, t, top + below, diff, err);
	}
	if (ret == ERR_USAGE) {	/* no room for it */
		*err = (struct err){ 0 };
		ret = 0;
	}
	return ret;
}

/* -- keys ----------------------------------------------------------------- */

static int write_done(void *view, struct tui *t, const char *text,
		      struct err *err)
{
	struct view_compare *v = view;
	struct table *table = make_table(v, 0, v->rows.nr + 1,
					 tui_table_is_csv(text));
	int ret = tui_table_save(table, text, err);

	table_free(table);
	if (!ret)
		tui_message(t, "wrote %s", text);
	return ret;
}

static int command(void *view, struct tui *t, int cmd,
		   const struct tui_key *key, struct err *err)
{
	struct view_compare *v = view;

	if (cmd < COMPARE_ROW)
		return view_heat_command(&v->heat, t, cmd, key, err);
	if (!v->is_made)
		return 0;
	switch (cmd) {
	case COMPARE_ROW:
		tui_table_key(&v->table, key->code);
		break;
	case COMPARE_COLUMNS:
		tui_table_key(&v->table, key->code == '[' ? KEY_OF_LEFT :
							    KEY_OF_RIGHT);
		break;
	case COMPARE_POINT:
		if (key->y < v->heat.top)
			tui_table_point(&v->table, 2, key->y);
		else if (v->heat.has_layout)
			view_heat_point(&v->heat, t, key);
		break;
	case COMPARE_SWAP:
		tui_run(t, t->other, t->run);
		break;
	case COMPARE_SHOW:
		v->taken = -1;
		tui_go(t, "tasks", v->task, t->cursor_ns);
		break;
	default:
		tui_ask(t, &(struct tui_prompt){
			.label = "write table to: ", .view = v,
			.done = write_done }, "homenode.csv");
		break;
	}
	return 0;
}

const struct view_ops view_compare = {
	.name = "compare",
	.short_name = "comp",
	.keys = compare_keys,
	.more_keys = view_heat_time_keys,
	.size = sizeof(struct view_compare),
	.open = open_compare,
	.close = close_compare,
	.leave = leave,
	.stale = stale,
	.draw = draw,
	.command = command,
	.counts_all = counts_all,
};
