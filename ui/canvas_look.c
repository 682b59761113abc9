/* SPDX-License-Identifier: MIT */
/* How a canvas looks on terminals of many, few and no colours. */
#include "ui/canvas_local.h"

#include "model/err.h"

#include <string.h>

static int colour_of(const struct canvas *c, uint32_t rgb,
		     enum colours colours)
{
	uint32_t at = (rgb * 2654435761u >> 16) % CANVAS_MEMO_SIZE;

	if (colours == COLOURS_RGB)
		return rgb;
	if (!c->memo->slot[at].nearest || c->memo->slot[at].rgb != rgb) {
		c->memo->slot[at].rgb = rgb;
		c->memo->slot[at].nearest = palette_256(rgb);
	}
	return c->memo->slot[at].nearest;
}

static int role_colour(const struct canvas *c, enum palette_role role,
		       enum colours colours, enum theme theme)
{
	if (role == ROLE_PAGE || role == ROLE_TEXT || colours <= COLOURS_8)
		return -1;
	return colour_of(c, palette_role_rgb(theme, role), colours);
}

static void look_text(const struct canvas *c, const struct canvas_cell *cell,
		      enum colours colours, enum theme theme,
		      struct canvas_look *l)
{
	memcpy(l->ch, cell->ch, sizeof(l->ch));
	l->fg = role_colour(c, cell->fg, colours, theme);
	l->bg = role_colour(c, cell->bg, colours, theme);
	l->bold = cell->bold && colours > COLOURS_NONE;
	if (colours <= COLOURS_8 && cell->bg == ROLE_BAR)
		l->reverse ^= true;
}

static void look_few(const struct canvas *c, const struct canvas_cell *cell,
		     enum colours colours, struct canvas_look *l)
{
	static const char *const shade[] = {
		" ", "\342\226\221", "\342\226\222", "\342\226\223",
		"\342\226\210",
	};

	l->ch[0] = cell->up.pattern == PAINT_STRIPES  ? '/' :
		   cell->up.pattern == PAINT_LOST     ? '!' :
		   cell->up.pattern == PAINT_CENSORED ? '|' :
							cell->up.letter;
	l->ch[1] = 0;
	l->reverse ^= cell->cursor;
	if (cell->dot)
		strcpy(l->ch, "*");
	if (colours == COLOURS_NONE)
		return;
	l->fg = cell->up.basic;
	if (!cell->dot && c->utf8 && cell->up.shade && cell->up.pattern == PAINT_PLAIN)
		strcpy(l->ch, shade[cell->up.shade]);
}

static char pattern_char(const struct paint *p)
{
	switch (p->pattern) {
	case PAINT_STRIPES:
		return '/';
	case PAINT_LOST:
		return '!';
	case PAINT_CENSORED:
		return '|';
	case PAINT_DOTS:
		return ':';
	case PAINT_BANDS:
		return '=';
	case PAINT_CHECKS:
		return '#';
	default:
		return ' ';
	}
}

static void look_many(const struct canvas *c, const struct canvas_cell *cell,
		      enum colours colours, enum theme theme,
		      struct canvas_look *l)
{
	uint32_t page = palette_role_rgb(theme, ROLE_PAGE);
	uint32_t up = cell->has_up ? cell->up.rgb : page;
	uint32_t low = cell->has_low ? cell->low.rgb : page;

	l->fg = up == page ? -1 : colour_of(c, up, colours);
	l->bg = low == page ? -1 : colour_of(c, low, colours);
	if (cell->cursor) {
		strcpy(l->ch, c->utf8 ? "\342\224\203" : "|");
		l->bg = l->fg;
		l->fg = role_colour(c, ROLE_CURSOR, colours, theme);
		l->bold = true;
	} else if (cell->dot) {
		strcpy(l->ch, c->utf8 ? "\342\227\217" : "*");
		l->bg = l->fg;
		l->fg = role_colour(c, ROLE_CURSOR, colours, theme);
	} else if (up == low || !c->half) {
		l->ch[0] = pattern_char(&cell->up);
		l->ch[1] = 0;
		l->bg = l->fg;
		l->fg = l->ch[0] == ' ' ? -1 :
					  role_colour(c, ROLE_MARK, colours,
						      theme);
	} else if (up == page) {
		strcpy(l->ch, "\342\226\204");	/* lower half block */
		l->fg = l->bg;
		l->bg = -1;
	} else {
		strcpy(l->ch, "\342\226\200");	/* upper half block */
	}
}

void canvas_look(const struct canvas *c, int x, int y, enum colours colours,
		 enum theme theme, struct canvas_look *look)
{
	const struct canvas_cell *cell = canvas_at(c, x, y);

	*look = (struct canvas_look){ .ch = " ", .fg = -1, .bg = -1 };
	if (!cell)
		return;
	look->reverse = cell->reverse;
	if (!cell->has_up && !cell->has_low)
		look_text(c, cell, colours, theme, look);
	else if (colours <= COLOURS_8)
		look_few(c, cell, colours, look);
	else
		look_many(c, cell, colours, theme, look);
}

static void print_colour(int colour, enum colours colours, bool ground,
			 FILE *out)
{
	if (colour < 0)
		fprintf(out, "\033[%dm", ground ? 49 : 39);
	else if (colours == COLOURS_RGB)
		fprintf(out, "\033[%d;2;%d;%d;%dm", ground ? 48 : 38,
			colour >> 16, colour >> 8 & 255, colour & 255);
	else if (colours == COLOURS_256)
		fprintf(out, "\033[%d;5;%dm", ground ? 48 : 38, colour);
	else
		fprintf(out, "\033[%dm", (ground ? 40 : 30) + colour);
}

static bool is_blank(const struct canvas_look *l)
{
	return !strcmp(l->ch, " ") && l->bg < 0 && !l->reverse;
}

static void print_line(const struct canvas *c, int y, enum colours colours,
		       enum theme theme, FILE *out)
{
	struct canvas_look l, was = { .fg = -1, .bg = -1 };
	int x, end = c->w;

	for (; end > 0; end--) {
		canvas_look(c, end - 1, y, colours, theme, &l);
		if (!is_blank(&l) && l.ch[0])
			break;
	}
	for (x = 0; x < end; x++) {
		canvas_look(c, x, y, colours, theme, &l);
		if (colours > COLOURS_NONE) {
			if (l.bold != was.bold)
				fputs(l.bold ? "\033[1m" : "\033[22m", out);
			if (l.reverse != was.reverse)
				fputs(l.reverse ? "\033[7m" : "\033[27m", out);
			if (l.fg != was.fg)
				print_colour(l.fg, colours, false, out);
			if (l.bg != was.bg)
				print_colour(l.bg, colours, true, out);
		}
		fputs(l.ch, out);
		was = l;
	}
	if (was.bold || was.reverse || was.fg >= 0 || was.bg >= 0)
		fputs(colours > COLOURS_NONE ? "\033[0m" : "", out);
	putc('\n', out);
}

int canvas_print(const struct canvas *c, enum colours colours, enum theme theme,
		 FILE *out)
{
	int y;

	for (y = 0; y < c->h; y++)
		print_line(c, y, colours, theme, out);
	return ferror(out) ? ERR_IO : 0;
}
