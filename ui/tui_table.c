/* SPDX-License-Identifier: MIT */
#include "ui/tui_table.h"

#include "model/err.h"
#include "ui/axis.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- lines ---------------------------------------------------------------- */

static int split(struct tui_table *v, struct err *err)
{
	int room = 0, nr = 0;
	char *at;

	for (at = v->text; at && *at; at++)
		room += *at == '\n';
	v->line = calloc(room + 1, sizeof(*v->line));
	if (!v->line)
		return err_nomem(err);
	for (at = v->text; nr < room; nr++) {
		v->line[nr] = at;
		at = strchr(at, '\n');
		*at++ = 0;
	}
	v->nr = nr > 0 ? nr - 1 : 0;
	return 0;
}

static void drop(struct tui_table *v)
{
	table_free(v->table);
	free(v->text);
	free(v->line);
	v->table = NULL;
	v->text = NULL;
	v->line = NULL;
	v->nr = 0;
}

void tui_table_release(struct tui_table *v)
{
	drop(v);
}

int tui_table_set(struct tui_table *v, struct table *table, struct err *err)
{
	size_t size = 0;
	FILE *out;
	int ret;

	drop(v);
	v->table = table;
	out = open_memstream(&v->text, &size);
	if (!out)
		return err_nomem(err);
	ret = table_print(table, out);
	if (fclose(out) || ret < 0)
		return err_nomem(err);
	return split(v, err);
}

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

void tui_table_draw(struct tui_table *v, struct tui *t, int top, int lines)
{
	struct canvas *c = &t->canvas;
	int i;

	v->shown = lines > 1 ? lines - 1 : 1;
	keep_inside(v);
	if (!v->line)
		return;
	canvas_text(c, 0, top, ROLE_TEXT, true, from_column(v->line[0], v->left));
	for (i = v->first; i < v->nr && i < v->first + v->shown; i++) {
		int y = top + 1 + i - v->first;

		canvas_text(c, 0, y, ROLE_TEXT, false,
			    from_column(v->line[i + 1], v->left));
		if (i == v->row)
			canvas_reverse(c, 0, y, c->w, 1);
	}
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
		v->left += v->line && strlen(v->line[0]) > (size_t)v->left + 16 ?
				   8 : 0;
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
	int fd, ret;
	FILE *out;

	if (!tui_table_is_name(path))
		return err_set(err, ERR_USAGE,
			       "'%s': tables end in .csv or .txt", path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST)
		return err_set(err, ERR_EXISTS, "'%s' exists", path);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return err_set(err, ERR_IO, "cannot create '%s': %s", path,
			       strerror(errno));
	ret = ends_with(path, ".csv") ? table_csv(table, out) :
					table_print(table, out);
	if (fclose(out) || ret < 0) {
		ret = errno;
		unlink(path);
		return err_set(err, ERR_IO, "cannot write '%s': %s", path,
			       strerror(ret));
	}
	return 0;
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
		      const struct rows *rows, const struct tui_window *w,
		      bool plain, struct err *err)
{
	const struct tracks *k = t->study->run[t->run].tracks;
	struct table *table = table_new();
	struct grid g;
	int i, ret = grid_init(&g, w->from_ns, w->to_ns, 1, 1,
			       tracks_nr_nodes(k), err);

	*made = table;
	if (ret < 0)
		return ret;
	put_heads(table, k, rows->kind == ROWS_MEMORY, plain);
	for (i = 0; i < rows->nr; i++) {
		grid_clear(&g);
		row_fill(t->study, t->run, &rows->row[i], &g, 0);
		put_row(table, k, &rows->row[i], &g, plain);
	}
	grid_release(&g);
	return table ? 0 : err_nomem(err);
}
