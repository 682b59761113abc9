/* SPDX-License-Identifier: MIT */
#include "ui/canvas_picture.h"

#include "model/err.h"
#include "ui/outfile.h"

#include <pango/pangocairo.h>
#include <string.h>

#define CELL_W 8
#define CELL_H 17
#define FONT_SIZE 13

struct sheet {
	const struct canvas *canvas;
	enum theme theme;
	cairo_t *cr;
	PangoLayout *layout;
	PangoFontDescription *font;
};

static void set_colour(const struct sheet *s, int rgb, enum palette_role own)
{
	uint32_t c = rgb < 0 ? palette_role_rgb(s->theme, own) : (uint32_t)rgb;

	cairo_set_source_rgb(s->cr, (c >> 16 & 0xff) / 255.0,
			     (c >> 8 & 0xff) / 255.0, (c & 0xff) / 255.0);
}

/* Blocks fill their cells to the edge, whatever the font does. */
static bool is_block(const struct sheet *s, const char *ch, int x, int y)
{
	bool upper = !strcmp(ch, "\342\226\200");

	if (!upper && strcmp(ch, "\342\226\204"))
		return false;
	cairo_rectangle(s->cr, x, upper ? y : y + (CELL_H + 1) / 2, CELL_W,
			upper ? (CELL_H + 1) / 2 : CELL_H / 2);
	cairo_fill(s->cr);
	return true;
}

static void put_cell(const struct sheet *s, int col, int line)
{
	int x = col * CELL_W, y = line * CELL_H;
	enum palette_role fg = ROLE_TEXT, bg = ROLE_PAGE;
	struct canvas_look l;

	canvas_look(s->canvas, col, line, COLOURS_RGB, s->theme, &l);
	if (l.reverse) {
		int swap = l.fg;

		l.fg = l.bg;
		l.bg = swap;
		fg = ROLE_PAGE;
		bg = ROLE_TEXT;
	}
	set_colour(s, l.bg, bg);
	cairo_rectangle(s->cr, x, y, CELL_W, CELL_H);
	cairo_fill(s->cr);
	set_colour(s, l.fg, fg);
	if (!l.ch[0] || !strcmp(l.ch, " ") || is_block(s, l.ch, x, y))
		return;
	pango_font_description_set_weight(s->font, l.bold ? PANGO_WEIGHT_BOLD :
							    PANGO_WEIGHT_NORMAL);
	pango_layout_set_font_description(s->layout, s->font);
	pango_layout_set_text(s->layout, l.ch, -1);
	cairo_move_to(s->cr, x, y);
	pango_cairo_show_layout(s->cr, s->layout);
}

static cairo_status_t put_bytes(void *out, const unsigned char *data,
				unsigned int len)
{
	return fwrite(data, 1, len, out) == len ? CAIRO_STATUS_SUCCESS :
						  CAIRO_STATUS_WRITE_ERROR;
}

static int save(cairo_surface_t *surface, const char *path, struct err *err)
{
	cairo_status_t status;
	struct outfile o;
	int ret = outfile_open(&o, path, OUTFILE_REPLACE, err);

	if (ret < 0)
		return ret;
	status = cairo_surface_write_to_png_stream(surface, put_bytes, o.out);
	if (status)
		ret = err_set(err, ERR_IO, "cannot write '%s': %s", path,
			      cairo_status_to_string(status));
	return outfile_close(&o, ret, err);
}

int canvas_picture(const struct canvas *c, enum theme theme, const char *path,
		   struct err *err)
{
	cairo_surface_t *surface = cairo_image_surface_create(
		CAIRO_FORMAT_RGB24, c->w * CELL_W, c->h * CELL_H);
	struct sheet s = { .canvas = c, .theme = theme,
			   .cr = cairo_create(surface) };
	int x, y, ret;

	s.layout = pango_cairo_create_layout(s.cr);
	s.font = pango_font_description_from_string("DejaVu Sans Mono");
	pango_font_description_set_absolute_size(s.font,
						 FONT_SIZE * PANGO_SCALE);
	for (y = 0; y < c->h; y++)
		for (x = 0; x < c->w; x++)
			put_cell(&s, x, y);
	if (cairo_status(s.cr))
		ret = err_set(err, ERR_IO, "cannot draw '%s': %s", path,
			      cairo_status_to_string(cairo_status(s.cr)));
	else
		ret = save(surface, path, err);
	pango_font_description_free(s.font);
	g_object_unref(s.layout);
	cairo_destroy(s.cr);
	cairo_surface_destroy(surface);
	return ret;
}
