/* SPDX-License-Identifier: MIT */
#include "ui/tui_table.h"

#include "model/err.h"
#include "ui/axis.h"
#include "ui/outfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- lines ---------------------------------------------------------------- */

/* Bytes before the column that comes first. */
static const char *from_column(const char *line, int left)
{
	for (; *line && left > 0; left--)
		do
			line++;
		while ((*line & 0xc0) == 0x80);
	return line;
}

static void keep_inside(struct tui_table *v)
{
	if (v->row >= v->nr)
		v->row = v->nr - 1;
	if (v->row < 0)
		v->row = 0;
	if (v->row >= v->first + v->shown)
		v->first = v->row - v->shown + 1;
	if (v->row < v->first)
		v->first = v->row;
}

void tui_table_place(struct tui_table *v, int nr, int lines)
{
	v->nr = nr;
	v->shown = lines > 1 ? lines - 1 : 1;
	keep_inside(v);
}

static void draw_lines(struct tui_table *v, struct tui *t, int top, char *text)
{
	struct canvas *c = &t->canvas;
	int i;

	for (i = 0; *text && i <= v->shown; i++) {
		size_t len = strcspn(text, "\n");
		bool more = text[len];

		text[len] = 0;
		if (!i)
			v->width = canvas_text_width(text);
		canvas_text(c, 0, top + i, ROLE_TEXT, !i,
			    from_column(text, v->left));
		if (i && v->first + i - 1 == v->row)
			canvas_reverse(c, 0, top + i, c->w, 1);
		text += len + more;
	}
}

int tui_table_draw(struct tui_table *v, struct tui *t, int top,
		   const struct table *table, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		return err_nomem(err);
	ret = table_print(table, out);
	if (fclose(out) || ret < 0)
		ret = err_nomem(err);
	else
		draw_lines(v, t, top, text);
	free(text);
	return ret;
}

bool tui_table_key(struct tui_table *v, int key)
{
	switch (key) {
	case KEY_OF_UP:
	case 'k':
		v->row--;
		break;
	case KEY_OF_DOWN:
	case 'j':
		v->row++;
		break;
	case KEY_OF_PAGE_UP:
		v->row -= v->shown;
		break;
	case KEY_OF_PAGE_DOWN:
		v->row += v->shown;
		break;
	case KEY_OF_HOME:
		v->row = 0;
		break;
	case KEY_OF_END:
	case 'G':
		v->row = v->nr - 1;
		break;
	case KEY_OF_LEFT:
	case 'h':
		v->left = v->left > 8 ? v->left - 8 : 0;
		break;
	case KEY_OF_RIGHT:
	case 'l':
		v->left += v->width > v->left + 16 ? 8 : 0;
		break;
	default:
		return false;
	}
	keep_inside(v);
	return true;
}

void tui_table_point(struct tui_table *v, int top, int y)
{
	if (y > top && v->first + y - top - 1 < v->nr)
		v->row = v->first + y - top - 1;
}

/* -- files ---------------------------------------------------------------- */

static bool ends_with(const char *path, const char *end)
{
	size_t len = strlen(path), n = strlen(end);

	return len > n && !strcmp(path + len - n, end);
}

bool tui_table_is_csv(const char *path)
{
	return ends_with(path, ".csv");
}

bool tui_table_is_name(const char *path)
{
	return ends_with(path, ".csv") || ends_with(path, ".txt");
}

int tui_table_save(const struct table *table, const char *path, struct err *err)
{
	struct outfile o;
	int ret;

	if (!tui_table_is_name(path))
		return err_set(err, ERR_USAGE,
			       "'%s': tables end in .csv or .txt", path);
	ret = outfile_open(&o, path, OUTFILE_NEW, err);
	if (ret < 0)
		return ret;
	ret = tui_table_is_csv(path) ? table_csv(table, o.out) :
				       table_print(table, o.out);
	if (ret == ERR_NOMEM)
		err_nomem(err);
	return outfile_close(&o, ret == ERR_NOMEM ? ret : 0, err);
}

/* -- rows as a table ------------------------------------------------------ */

static void put_heads(struct table *table, const struct tracks *k, bool memory,
		      bool plain)
{
	char head[32];
	int i;

	table_column(table, "row", TABLE_LEFT);
	if (memory) {
		table_column(table, "pages", TABLE_RIGHT);
	} else {
		table_column(table, "local", TABLE_RIGHT);
		table_column(table, plain ? "cpu_ns" : "cpu", TABLE_RIGHT);
		table_column(table, plain ? "wait_ns" : "waited", TABLE_RIGHT);
		table_column(table, "moves", TABLE_RIGHT);
	}
	for (i = 0; i < tracks_nr_nodes(k); i++) {
		snprintf(head, sizeof(head), "node %d", tracks_node(k, i));
		table_column(table, head, TABLE_RIGHT);
	}
	if (!memory)
		table_column(table, "pages on", TABLE_LEFT);
}

static void put_share(struct table *table, double part, double whole,
		      bool plain)
{
	char share[32];

	if (!(whole > 0))
		table_text(table, plain ? "" : "-");
	else if (plain)
		table_printf(table, "%.6g", part / whole);
	else
		table_text(table, axis_share(part / whole, share, sizeof(share)));
}

static void put_length(struct table *table, int64_t ns, bool plain)
{
	char len[32];

	if (plain)
		table_printf(table, "%" PRId64, ns);
	else
		table_text(table, axis_length(ns, len, sizeof(len)));
}

static void put_memory(struct table *table, const struct grid *g, bool plain)
{
	const double *pages = grid_page_nodes(g, 0, 0);
	double width = g->to_ns - g->from_ns, all = 0;
	int i;

	for (i = 0; i < g->nr_nodes; i++)
		all += pages[i];
	table_printf(table, "%.0f", all / width);
	for (i = 0; i < g->nr_nodes; i++)
		put_share(table, pages[i], all, plain);
}

/* "0: 120, 1: 4500" */
static void put_pages(struct table *table, const struct tracks *k,
		      const struct grid *g)
{
	const double *pages = grid_page_nodes(g, 0, 0);
	double width = g->to_ns - g->from_ns;
	char text[300] = "";
	int i;

	for (i = 0; i < g->nr_nodes; i++) {
		size_t at = strlen(text);

		if (pages[i] / width >= 0.5)
			snprintf(text + at, sizeof(text) - at, "%s%d: %.0f",
				 at ? ", " : "", tracks_node(k, i),
				 pages[i] / width);
	}
	table_text(table, *text ? text : "-");
}

static void put_row(struct table *table, const struct tracks *k,
		    const struct row *r, const struct grid *g, bool plain)
{
	const struct grid_cell *c = grid_at(g, 0, 0);
	int i;

	table_text(table, r->label);
	if (r->kind == TRACK_NONE) {
		put_memory(table, g, plain);
		return;
	}
	put_share(table, c->local_ns, c->known_ns, plain);
	put_length(table, c->ns[GRID_RUN], plain);
	put_length(table, c->ns[GRID_WAIT], plain);
	table_printf(table, "%" PRId64, c->node_moves);
	for (i = 0; i < g->nr_nodes; i++)
		put_share(table, grid_nodes(g, 0, 0)[i], c->ns[GRID_RUN],
			  plain);
	if (r->kind == TRACK_CPU)
		table_text(table, plain ? "" : "-");
	else
		put_pages(table, k, g);
}

int tui_table_of_rows(struct table **made, struct tui *t,
		      const struct tui_table_rows *q, struct err *err)
{
	const struct tracks *k = t->study->run[t->run].tracks;
	struct table *table;
	struct grid g;
	int i, ret;

	*made = NULL;
	if (!k)
		return err_set(err, ERR_NOTFOUND, "it is still being loaded");
	table = table_new();
	ret = grid_init(&g, q->window.from_ns, q->window.to_ns, 1, 1,
			       tracks_nr_nodes(k), err);
	*made = table;
	if (ret < 0)
		return ret;
	put_heads(table, k, q->rows->kind == ROWS_MEMORY, q->plain);
	for (i = q->from; i < q->to; i++) {
		grid_clear(&g);
		row_fill(t->study, t->run, &q->rows->row[i], &g, 0);
		put_row(table, k, &q->rows->row[i], &g, q->plain);
	}
	grid_release(&g);
	return table ? 0 : err_nomem(err);
}
