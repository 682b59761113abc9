/* SPDX-License-Identifier: MIT */
#include "ui/canvas_local.h"

#include "model/err.h"
#include "ui/utf8.h"

#include <stdlib.h>
#include <string.h>

int canvas_init(struct canvas *c, int w, int h, bool half, bool utf8,
		struct err *err)
{
	*c = (struct canvas){ .w = w, .h = h, .half = half, .utf8 = utf8 };
	c->cell = calloc((size_t)w * h, sizeof(*c->cell));
	c->memo = calloc(1, sizeof(*c->memo));
	if (!c->cell || !c->memo) {
		canvas_release(c);
		return err_nomem(err);
	}
	canvas_clear(c);
	return 0;
}

void canvas_release(struct canvas *c)
{
	free(c->cell);
	free(c->memo);
	*c = (struct canvas){ 0 };
}

void canvas_clear(struct canvas *c)
{
	size_t i;

	for (i = 0; i < (size_t)c->w * c->h; i++)
		c->cell[i] = (struct canvas_cell){ .ch = " ", .fg = ROLE_TEXT,
						   .bg = ROLE_PAGE };
}

/* -- text ----------------------------------------------------------------- */

static int width_of(const char *s, int len, int *code)
{
	int w;

	*code = utf8_decode(s, len);
	w = utf8_width(*code);
	return w < 0 ? 1 : w;
}

/* Texts are valid UTF-8; were one not, its bytes count as one column each. */
static int next_char(const char *s, int *len, int *code)
{
	*len = utf8_length(s, strlen(s));
	if (!*len) {
		*len = 1;
		*code = '?';
		return 1;
	}
	return width_of(s, *len, code);
}

int canvas_text_width(const char *text)
{
	int len, code, w = 0;

	for (; *text; text += len)
		w += next_char(text, &len, &code);
	return w;
}

static char ascii_for(int code)
{
	switch (code) {
	case 0x2026:
		return '~';
	case 0xb5:
		return 'u';
	case 0xb7:
		return '-';
	case 0xb1:
		return '+';
	default:
		return code < 0x7f ? code : '?';
	}
}

static void put_char(struct canvas *c, struct canvas_cell *cell, const char *s,
		     int len, int code)
{
	size_t used = strlen(cell->ch);

	if (!c->utf8) {
		cell->ch[0] = ascii_for(code);
		cell->ch[1] = 0;
	} else if (used + len < sizeof(cell->ch)) {
		memcpy(cell->ch + used, s, len);
		cell->ch[used + len] = 0;
	}
}

int canvas_text(struct canvas *c, int x, int y, enum palette_role role,
		bool bold, const char *text)
{
	int from = x, len, code, w;

	for (; *text; text += len) {
		struct canvas_cell *cell;

		w = next_char(text, &len, &code);
		if (x + w > c->w)
			break;
		cell = canvas_at(c, w ? x : x - 1, y);
		if (!cell)
			break;
		if (!w) {	/* combines with the one before it */
			if (c->utf8)
				put_char(c, cell, text, len, code);
			continue;
		}
		cell->ch[0] = 0;
		cell->has_up = cell->has_low = false;
		put_char(c, cell, text, len, code);
		cell->fg = role;
		cell->bold = bold;
		if (w == 2) {
			struct canvas_cell *right = canvas_at(c, x + 1, y);

			strcpy(right->ch, c->utf8 ? "" : "?");
			right->has_up = right->has_low = false;
			right->fg = role;
		}
		x += w;
	}
	return x - from;
}

void canvas_ground(struct canvas *c, int x, int y, int w, int h,
		   enum palette_role role)
{
	int i, k;

	for (k = y; k < y + h; k++)
		for (i = x; i < x + w; i++)
			if (canvas_at(c, i, k))
				canvas_at(c, i, k)->bg = role;
}

void canvas_reverse(struct canvas *c, int x, int y, int w, int h)
{
	int i, k;

	for (k = y; k < y + h; k++)
		for (i = x; i < x + w; i++)
			if (canvas_at(c, i, k))
				canvas_at(c, i, k)->reverse ^= true;
}

static bool blank(const struct canvas *c, int x, int y)
{
	const struct canvas_cell *cell = canvas_at(c, x, y);

	return !cell || !strcmp(cell->ch, " ");
}

void canvas_blank(struct canvas *c, int x, int y, int w)
{
	int end = x + w;

	while (!blank(c, x, y) || !blank(c, x - 1, y))
		x--;
	while (!blank(c, end - 1, y) || !blank(c, end, y))
		end++;
	for (; x < end; x++)
		if (canvas_at(c, x, y))
			strcpy(canvas_at(c, x, y)->ch, " ");
}

void canvas_cursor(struct canvas *c, int x, int y)
{
	if (canvas_at(c, x, y))
		canvas_at(c, x, y)->cursor = true;
}

void canvas_dot(struct canvas *c, int x, int y)
{
	if (canvas_at(c, x, y))
		canvas_at(c, x, y)->dot = true;
}

/* Bytes of the text that have room: all, up to a blank, or as many as fit. */
static int bytes_that_fit(const char *text, int room)
{
	int i, len, code, w = 0, blank_at = 0;

	for (i = 0; text[i]; i += len) {
		w += next_char(text + i, &len, &code);
		if (w > room)
			return blank_at ? blank_at : i;
		if (text[i + len] == ' ' || !text[i + len])
			blank_at = i + len;
	}
	return i;
}

int canvas_wrap(struct canvas *c, int x, int y, int lines,
		enum palette_role role, const char *text)
{
	char part[1024];
	int n, used = 0;

	while (*text && used < lines && c->w - x > used * 2) {
		int indent = used ? 2 : 0;

		n = used + 1 == lines ? (int)strlen(text) :
					bytes_that_fit(text, c->w - x - indent);
		n = n < (int)sizeof(part) ? n : (int)sizeof(part) - 1;
		if (!n)
			break;
		memcpy(part, text, n);
		part[n] = 0;
		canvas_text(c, x + indent, y + used++, role, false, part);
		text += n;
		text += strspn(text, " ");
	}
	return used;
}

/* -- the back end --------------------------------------------------------- */

static int down(const struct canvas_draw *cd, int y)
{
	return cd->canvas->half ? y >> 1 : y;
}

static int op_text_width(void *ctx, enum draw_style style, const char *text)
{
	return canvas_text_width(text);
}

static void op_text(void *ctx, const struct draw_text *t)
{
	struct canvas_draw *cd = ctx;
	int w = canvas_text_width(t->text);
	int x = t->align == DRAW_LEFT  ? t->x :
		t->align == DRAW_RIGHT ? t->x - w :
					 t->x - w / 2;

	canvas_text(cd->canvas, x, cd->top + down(cd, t->y), t->role,
		    t->style == DRAW_HEAD || t->style == DRAW_TITLE, t->text);
}

static void op_fill(void *ctx, const struct draw_box *b, enum palette_role role)
{
	struct canvas_draw *cd = ctx;

	canvas_ground(cd->canvas, b->x, cd->top + down(cd, b->y), b->w,
		      down(cd, b->h + cd->canvas->half), role);
}

static void op_cells(void *ctx, const struct draw_box *b, const struct paint *p,
		     int nr)
{
	struct canvas_draw *cd = ctx;
	int x, y;

	for (y = b->y; y < b->y + b->h; y++) {
		for (x = 0; x < b->w; x++) {
			struct canvas_cell *c = canvas_at(cd->canvas, b->x + x,
						   cd->top + down(cd, y));
			const struct paint *cell = &p[(int64_t)x * nr / b->w];

			if (!c)
				continue;
			if (cd->canvas->half && y & 1) {
				c->low = *cell;
				c->has_low = true;
			} else {
				c->up = *cell;
				c->has_up = true;
			}
			if (!cd->canvas->half) {
				c->low = *cell;
				c->has_low = true;
			}
		}
	}
}

static void op_mark(void *ctx, enum draw_mark mark, int x, int y)
{
}

static const struct draw_ops canvas_ops = {
	.text_width = op_text_width,
	.text = op_text,
	.fill = op_fill,
	.cells = op_cells,
	.mark = op_mark,
};

void canvas_drawing(struct canvas_draw *cd, struct canvas *c, int top,
		    enum theme theme, struct draw *d)
{
	int line = c->half ? 2 : 1;

	*cd = (struct canvas_draw){ c, top };
	*d = (struct draw){
		.ops = &canvas_ops,
		.ctx = cd,
		.theme = theme,
		.metrics = {
			.line = { line, line, line, line },
			.em = 1,
			.pad = 1,
			.run_h = 1,
			.mem_h = 1,
			.min_run_h = 1,
			.min_mem_h = 1,
		},
	};
}
