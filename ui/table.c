/* SPDX-License-Identifier: MIT */
#include "ui/table.h"

#include "model/err.h"
#include "ui/tty_out.h"
#include "ui/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct column {
	char *head;
	enum table_align align;
};

struct cell {
	char *text;
	bool rule;	/* a line across instead of a row; has no cells */
};

struct table {
	struct column *column;
	int nr_columns;
	struct cell *cell;
	int nr_cells, size;
	bool failed;
};

struct table *table_new(void)
{
	return calloc(1, sizeof(struct table));
}

void table_free(struct table *t)
{
	int i;

	if (!t)
		return;
	for (i = 0; i < t->nr_columns; i++)
		free(t->column[i].head);
	for (i = 0; i < t->nr_cells; i++)
		free(t->cell[i].text);
	free(t->column);
	free(t->cell);
	free(t);
}

void table_column(struct table *t, const char *head, enum table_align a)
{
	struct column *c;
	char *copy = strdup(head);

	if (!t || !copy)
		goto fail;
	c = realloc(t->column, (size_t)(t->nr_columns + 1) * sizeof(*c));
	if (!c)
		goto fail;
	t->column = c;
	c[t->nr_columns++] = (struct column){ .head = copy, .align = a };
	return;
fail:
	free(copy);
	if (t)
		t->failed = true;
}

static struct cell *add_cell(struct table *t)
{
	if (t->nr_cells == t->size) {
		int size = t->size ? 2 * t->size : 64;
		struct cell *c = realloc(t->cell, (size_t)size * sizeof(*c));

		if (!c) {
			t->failed = true;
			return NULL;
		}
		t->cell = c;
		t->size = size;
	}
	t->cell[t->nr_cells] = (struct cell){ .text = NULL };
	return &t->cell[t->nr_cells++];
}

void table_text(struct table *t, const char *text)
{
	struct cell *c = t ? add_cell(t) : NULL;

	if (!c)
		return;
	c->text = strdup(text ? text : "");
	if (!c->text)
		t->failed = true;
}

void table_printf(struct table *t, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	table_text(t, buf);
}

void table_rule(struct table *t)
{
	struct cell *c = t ? add_cell(t) : NULL;

	if (c)
		c->rule = true;
}

/* Appends one character of a text in its safe form; returns its columns, or 0
 * where it does not fit into the room left (bytes or columns). */
static int append_safe(const char *s, int len, int *used, int room_columns,
		       char *buf, int size, int *at)
{
	char hex[8];
	int n = utf8_length(s, len), w = n ? utf8_width(utf8_decode(s, n)) : -1;

	*used = n ? n : 1;
	if (w < 0) {
		snprintf(hex, sizeof(hex), "\\x%02x", (unsigned char)*s);
		s = hex;
		n = w = 4;
		*used = 1;
	}
	if (w > room_columns || *at + n >= size)
		return -1;
	memcpy(buf + *at, s, (size_t)n);
	*at += n;
	return w;
}

char *text_safe(const char *bytes, int len, int width, char *buf, int size)
{
	int room = width ? width : size, at = 0, cut = 0, i = 0, n, w;

	/* cut: the last place after which one column is left for the '~' */
	while (i < len) {
		if (room >= 1)
			cut = at;
		w = append_safe(bytes + i, len - i, &n, room, buf, size - 1, &at);
		if (w < 0) {
			at = cut;
			if (size > 1)
				buf[at++] = '~';
			break;
		}
		room -= w;
		i += n;
	}
	buf[at] = 0;
	return buf;
}

static int columns_of(const char *safe)
{
	int len = (int)strlen(safe), i = 0, n, width = 0;

	while (i < len) {
		n = utf8_length(safe + i, len - i);
		width += n ? utf8_width(utf8_decode(safe + i, n)) : 1;
		i += n ? n : 1;
	}
	return width;
}

/* Room for every byte as \xNN. */
char *text_safe_copy(const char *text)
{
	int len = (int)strlen(text);
	char *buf = malloc((size_t)len * 4 + 2);

	return buf ? text_safe(text, len, 0, buf, len * 4 + 2) : NULL;
}

static int measure(const struct table *t, int *width)
{
	int i, col = 0;

	for (i = 0; i < t->nr_columns; i++)
		width[i] = columns_of(t->column[i].head);
	for (i = 0; i < t->nr_cells; i++) {
		char *safe;
		int w;

		if (t->cell[i].rule)
			continue;
		safe = text_safe_copy(t->cell[i].text);
		if (!safe)
			return ERR_NOMEM;
		w = columns_of(safe);
		if (w > width[col])
			width[col] = w;
		free(safe);
		col = (col + 1) % t->nr_columns;
	}
	return 0;
}

/* The widest left-aligned column gives way when a terminal is too narrow. */
static void fit(const struct table *t, int *width, FILE *out)
{
	struct winsize ws;
	int i, sum = 0, widest = -1;

	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &ws) ||
	    !ws.ws_col)
		return;
	for (i = 0; i < t->nr_columns; i++) {
		sum += width[i] + (i ? 2 : 0);
		if (t->column[i].align == TABLE_LEFT &&
		    (widest < 0 || width[i] > width[widest]))
			widest = i;
	}
	if (widest >= 0 && sum > ws.ws_col)
		width[widest] -= sum - ws.ws_col;
	if (widest >= 0 && width[widest] < 8)
		width[widest] = 8;
}

static int print_cell(const struct table *t, int col, int width,
		      const char *text, FILE *out)
{
	char *safe = text_safe_copy(text), *cut;
	int pad, size;

	if (!safe)
		return ERR_NOMEM;
	size = (int)strlen(safe) + 2;
	cut = malloc((size_t)size);
	if (!cut) {
		free(safe);
		return ERR_NOMEM;
	}
	text_safe(safe, (int)strlen(safe), width, cut, size);
	pad = width - columns_of(cut);
	if (col)
		fputs("  ", out);
	if (t->column[col].align == TABLE_RIGHT)
		fprintf(out, "%*s%s", pad, "", cut);
	else if (col + 1 < t->nr_columns)
		fprintf(out, "%s%*s", cut, pad, "");
	else
		fputs(cut, out);
	if (col + 1 == t->nr_columns)
		putc('\n', out);
	free(cut);
	free(safe);
	return 0;
}

static void print_rule(const struct table *t, const int *width, FILE *out)
{
	int i, n = 2 * (t->nr_columns - 1);

	for (i = 0; i < t->nr_columns; i++)
		n += width[i];
	while (n-- > 0)
		putc('-', out);
	putc('\n', out);
}

int table_print(const struct table *t, FILE *out)
{
	int *width, i, col = 0, ret;

	if (!t || t->failed)
		return ERR_NOMEM;
	if (!t->nr_columns)
		return 0;
	width = calloc((size_t)t->nr_columns, sizeof(*width));
	if (!width)
		return ERR_NOMEM;
	ret = measure(t, width);
	fit(t, width, out);
	for (i = 0; !ret && i < t->nr_columns; i++)
		ret = print_cell(t, i, width[i], t->column[i].head, out);
	for (i = 0; !ret && i < t->nr_cells; i++) {
		if (t->cell[i].rule) {
			print_rule(t, width, out);
			continue;
		}
		ret = print_cell(t, col, width[col], t->cell[i].text, out);
		col = (col + 1) % t->nr_columns;
	}
	free(width);
	return ret ? ret : ferror(out) ? ERR_IO : 0;
}

static void csv_field(const char *text, bool last, FILE *out)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
	} else {
		putc('"', out);
		for (; *text; text++) {
			if (*text == '"')
				putc('"', out);
			putc(*text, out);
		}
		putc('"', out);
	}
	fputs(last ? "\r\n" : ",", out);
}

int table_csv(const struct table *t, FILE *out)
{
	int i, col = 0;
	FILE *to;

	if (!t || t->failed)
		return ERR_NOMEM;
	to = tty_out_open(out);
	for (i = 0; to && i < t->nr_columns; i++)
		csv_field(t->column[i].head, i + 1 == t->nr_columns, to);
	for (i = 0; to && i < t->nr_cells; i++) {
		if (t->cell[i].rule)
			continue;
		csv_field(t->cell[i].text, col + 1 == t->nr_columns, to);
		col = (col + 1) % t->nr_columns;
	}
	return tty_out_close(to, out);
}

int table_output_failed(struct err *err)
{
	return err_set(err, ERR_IO, "cannot write output: %s",
		       strerror(errno ? errno : EIO));
}
