/* SPDX-License-Identifier: MIT */
#include "ui/draw_cairo.h"

#include "model/err.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <ctype.h>
#include <pango/pangocairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	unsigned char *data;
	size_t len, size;
	bool failed;
};

struct picture {
	struct draw draw;
	enum picture_format format;
	int w, h;
	double scale;
	cairo_surface_t *surface;
	cairo_t *cr;
	PangoLayout *layout;
	PangoFontDescription *font[DRAW_NR_STYLES];
	struct bytes out;	/* of SVG and PDF */
};

static const struct {
	double size;
	bool bold;
} fonts[DRAW_NR_STYLES] = {
	[DRAW_TITLE] = { 17, true },
	[DRAW_HEAD] = { 12.5, true },
	[DRAW_LABEL] = { 12, false },
	[DRAW_SMALL] = { 11, false },
};

int picture_format_of(const char *path, enum picture_format *f, struct err *err)
{
	static const char *const ending[] = {
		[PICTURE_PNG] = ".png",
		[PICTURE_SVG] = ".svg",
		[PICTURE_PDF] = ".pdf",
	};
	size_t len = strlen(path), i;

	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (len > 4 && !strcasecmp(path + len - 4, ending[i])) {
			*f = i;
			return 0;
		}
	return err_set(err, ERR_USAGE,
		       "'%s': a picture's name ends in .png, .svg or .pdf",
		       path);
}

/* -- drawing -------------------------------------------------------------- */

static void set_colour(cairo_t *cr, uint32_t rgb)
{
	cairo_set_source_rgb(cr, (rgb >> 16 & 255) / 255.,
			     (rgb >> 8 & 255) / 255., (rgb & 255) / 255.);
}

static void set_text(struct picture *p, enum draw_style style, const char *text)
{
	pango_layout_set_font_description(p->layout, p->font[style]);
	pango_layout_set_text(p->layout, text, -1);
}

static int op_text_width(void *ctx, enum draw_style style, const char *text)
{
	struct picture *p = ctx;
	int w;

	set_text(p, style, text);
	pango_layout_get_pixel_size(p->layout, &w, NULL);
	return w;
}

static void op_text(void *ctx, const struct draw_text *t)
{
	struct picture *p = ctx;
	int w, h, x;

	set_text(p, t->style, t->text);
	pango_layout_get_pixel_size(p->layout, &w, &h);
	x = t->align == DRAW_LEFT  ? t->x :
	    t->align == DRAW_RIGHT ? t->x - w :
				     t->x - w / 2;
	set_colour(p->cr, palette_role_rgb(p->draw.theme, t->role));
	cairo_move_to(p->cr, x,
		      t->y + (p->draw.metrics.line[t->style] - h) / 2);
	pango_cairo_show_layout(p->cr, p->layout);
}

static void rectangle(struct picture *p, int x, int y, int w, int h)
{
	cairo_rectangle(p->cr, x, y, w, h);
	cairo_fill(p->cr);
}

static void op_fill(void *ctx, const struct draw_box *b, enum palette_role role)
{
	struct picture *p = ctx;

	set_colour(p->cr, palette_role_rgb(p->draw.theme, role));
	rectangle(p, b->x, b->y, b->w, b->h);
}

static bool same(const struct paint *a, const struct paint *b)
{
	return a->rgb == b->rgb && a->pattern == b->pattern;
}

/* Lines over a box that leave most of its colour to be seen. */
static void paint_pattern(struct picture *p, const struct draw_box *b,
			  enum paint_pattern pattern)
{
	int step = 5 * p->scale, i;

	cairo_save(p->cr);
	cairo_rectangle(p->cr, b->x, b->y, b->w, b->h);
	cairo_clip(p->cr);
	set_colour(p->cr, palette_role_rgb(p->draw.theme,
					   pattern <= PAINT_CENSORED ?
						   ROLE_MARK : ROLE_PAGE));
	cairo_set_line_width(p->cr, p->scale);
	/* From multiples of the step, so that boxes side by side join. */
	for (i = (b->x - b->h) / step * step - step; i < b->x + b->w;
	     i += step) {
		if (pattern == PAINT_DOTS) {
			rectangle(p, i + step / 2, b->y + b->h / 2, p->scale * 2,
				  p->scale * 2);
			continue;
		}
		if (pattern == PAINT_CENSORED) {
			rectangle(p, i, b->y + b->h / 2, step - 2 * p->scale,
				  p->scale);
			continue;
		}
		if (pattern == PAINT_BANDS) {
			cairo_rectangle(p->cr, i, b->y, p->scale, b->h);
			cairo_fill(p->cr);
			continue;
		}
		cairo_move_to(p->cr, i, b->y + b->h);
		cairo_line_to(p->cr, i + b->h, b->y);
		if (pattern == PAINT_CHECKS || pattern == PAINT_LOST) {
			cairo_move_to(p->cr, i, b->y);
			cairo_line_to(p->cr, i + b->h, b->y + b->h);
		}
		cairo_stroke(p->cr);
	}
	cairo_restore(p->cr);
}

static void op_cells(void *ctx, const struct draw_box *b, const struct paint *c,
		     int nr)
{
	struct picture *p = ctx;
	int i, k;

	for (i = 0; i < nr; i = k) {
		struct draw_box run = { .y = b->y, .h = b->h };

		for (k = i + 1; k < nr && same(&c[i], &c[k]); k++)
			;
		run.x = b->x + (int)((int64_t)b->w * i / nr);
		run.w = b->x + (int)((int64_t)b->w * k / nr) - run.x;
		if (c[i].rgb == palette_role_rgb(p->draw.theme, ROLE_PAGE))
			continue;
		set_colour(p->cr, c[i].rgb);
		rectangle(p, run.x, run.y, run.w, run.h);
		if (c[i].pattern != PAINT_PLAIN)
			paint_pattern(p, &run, c[i].pattern);
	}
}

static void op_mark(void *ctx, enum draw_mark mark, int x, int y)
{
	struct picture *p = ctx;
	const struct draw_metrics *m = &p->draw.metrics;
	double half = m->mark_h * 0.6;

	if (mark == DRAW_MARK_TICK) {
		set_colour(p->cr, palette_role_rgb(p->draw.theme, ROLE_DIM));
		rectangle(p, x, y, p->scale < 1 ? 1 : p->scale,
			  m->tick_h - p->scale);
		return;
	}
	set_colour(p->cr, palette_role_rgb(p->draw.theme,
					   mark == DRAW_MARK_MOVE ?
						   ROLE_MARK : ROLE_PAGES));
	cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_DEFAULT);
	if (mark == DRAW_MARK_MOVE) {
		cairo_move_to(p->cr, x + 0.5 - half, y);
		cairo_line_to(p->cr, x + 0.5 + half, y);
		cairo_line_to(p->cr, x + 0.5, y + m->mark_h - 0.5);
	} else {
		cairo_move_to(p->cr, x + 0.5, y);
		cairo_line_to(p->cr, x + 0.5 + half, y + m->mark_h * 0.5);
		cairo_line_to(p->cr, x + 0.5, y + m->mark_h);
		cairo_line_to(p->cr, x + 0.5 - half, y + m->mark_h * 0.5);
	}
	cairo_fill(p->cr);
	cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_NONE);
}

static const struct draw_ops cairo_ops = {
	.text_width = op_text_width,
	.text = op_text,
	.fill = op_fill,
	.cells = op_cells,
	.mark = op_mark,
};

/* -- life ----------------------------------------------------------------- */

static void set_metrics(struct picture *p)
{
	double s = p->scale;
	struct draw_metrics *m = &p->draw.metrics;
	int i, h;

	*m = (struct draw_metrics){
		.pad = 7 * s,
		.gap = 12 * s,
		.margin = 16 * s,
		.run_h = 16 * s,
		.mem_h = 6 * s,
		.min_run_h = 5 * s,
		.min_mem_h = 2 * s + 0.5,
		.row_gap = 4 * s,
		.mark_h = 4 * s + 1,
		.tick_h = 6 * s,
		.min_mark_gap = 5 * s + 1,
	};
	for (i = 0; i < DRAW_NR_STYLES; i++) {
		set_text(p, i, "Mg");
		pango_layout_get_pixel_size(p->layout, NULL, &h);
		m->line[i] = h + (i == DRAW_SMALL ? 2 * s : 0);
	}
	m->em = op_text_width(p, DRAW_LABEL, "M");
}

static void set_layout(struct picture *p)
{
	cairo_font_options_t *o = cairo_font_options_create();
	PangoContext *c;

	/* Hinting depends on a machine's settings; a picture must not. */
	cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
	if (p->layout)
		g_object_unref(p->layout);
	p->layout = pango_cairo_create_layout(p->cr);
	c = pango_layout_get_context(p->layout);
	pango_cairo_context_set_font_options(c, o);
	pango_cairo_context_set_resolution(c, 96);
	pango_layout_context_changed(p->layout);
	pango_layout_set_single_paragraph_mode(p->layout, TRUE);
	cairo_font_options_destroy(o);
}

struct picture *picture_new(enum theme theme, double scale, struct err *err)
{
	struct picture *p = calloc(1, sizeof(*p));
	int i;

	if (!p) {
		err_nomem(err);
		return NULL;
	}
	p->draw = (struct draw){ .ops = &cairo_ops, .ctx = p, .theme = theme };
	p->scale = scale;
	p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
	p->cr = cairo_create(p->surface);
	set_layout(p);
	for (i = 0; i < DRAW_NR_STYLES; i++) {
		p->font[i] = pango_font_description_new();
		pango_font_description_set_family_static(p->font[i],
							 "DejaVu Sans");
		pango_font_description_set_weight(
			p->font[i], fonts[i].bold ? PANGO_WEIGHT_BOLD :
						    PANGO_WEIGHT_NORMAL);
		pango_font_description_set_absolute_size(
			p->font[i], fonts[i].size * scale * PANGO_SCALE);
	}
	set_metrics(p);
	return p;
}

static void drop_surface(struct picture *p)
{
	cairo_destroy(p->cr);
	cairo_surface_destroy(p->surface);
	p->cr = NULL;
	p->surface = NULL;
}

void picture_free(struct picture *p)
{
	int i;

	if (!p)
		return;
	drop_surface(p);
	g_object_unref(p->layout);
	for (i = 0; i < DRAW_NR_STYLES; i++)
		pango_font_description_free(p->font[i]);
	free(p->out.data);
	free(p);
}

const struct draw *picture_draw(const struct picture *p)
{
	return &p->draw;
}

static cairo_status_t take_bytes(void *ctx, const unsigned char *data,
				 unsigned int len)
{
	struct bytes *b = ctx;

	if (b->len + len > b->size) {
		size_t more = (b->size + len) * 2;
		void *p = realloc(b->data, more);

		if (!p)
			return CAIRO_STATUS_NO_MEMORY;
		b->data = p;
		b->size = more;
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
	return CAIRO_STATUS_SUCCESS;
}

static int status_error(cairo_status_t st, struct err *err)
{
	if (st == CAIRO_STATUS_NO_MEMORY)
		return err_nomem(err);
	return err_set(err, ERR_IO, "cannot draw the picture: %s",
		       cairo_status_to_string(st));
}

int picture_begin(struct picture *p, enum picture_format f, int w, int h,
		  struct err *err)
{
	struct draw_box page = { 0, 0, w, h };

	drop_surface(p);
	p->format = f;
	p->w = w;
	p->h = h;
	if (f == PICTURE_PNG)
		p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w,
							h);
	else if (f == PICTURE_SVG)
		p->surface = cairo_svg_surface_create_for_stream(
			take_bytes, &p->out, w, h);
	else
		p->surface = cairo_pdf_surface_create_for_stream(
			take_bytes, &p->out, w, h);
	/* Without this cairo writes the time of day. */
	if (f == PICTURE_PDF)
		cairo_pdf_surface_set_metadata(p->surface,
					       CAIRO_PDF_METADATA_CREATE_DATE,
					       "2000-01-01T00:00:00Z");
	p->cr = cairo_create(p->surface);
	if (cairo_status(p->cr))
		return status_error(cairo_status(p->cr), err);
	set_layout(p);
	cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_NONE);
	op_fill(p, &page, ROLE_PAGE);
	return 0;
}

/* -- writing -------------------------------------------------------------- */

/* cairo numbers the surfaces of a process: a second picture would have other
 * bytes.  Where there is but one its number says nothing. */
static void drop_number(struct bytes *b)
{
	static const char name[] = "surface";
	size_t len = sizeof(name) - 1, nr = 0;
	unsigned char *end = b->data + b->len, *at;

	at = memmem(b->data, b->len, name, len);
	if (!at)
		return;
	at += len;
	if (memmem(at, end - at, name, len))
		return;
	while (at + nr < end && isdigit(at[nr]))
		nr++;
	memmove(at, at + nr, end - at - nr);
	b->len -= nr;
}

static int finish(struct picture *p, struct err *err)
{
	cairo_status_t st;

	if (p->format == PICTURE_PNG)
		st = cairo_surface_write_to_png_stream(p->surface, take_bytes,
						       &p->out);
	else
		cairo_surface_finish(p->surface), st = CAIRO_STATUS_SUCCESS;
	if (!st)
		st = cairo_status(p->cr);
	if (!st)
		st = cairo_surface_status(p->surface);
	if (!st && p->format == PICTURE_SVG)
		drop_number(&p->out);
	return st ? status_error(st, err) : 0;
}

int picture_save(struct picture *p, const char *path, enum outfile_mode mode,
		 struct err *err)
{
	struct outfile o;
	int ret = finish(p, err);

	if (!ret)
		ret = outfile_open(&o, path, mode, err);
	if (ret < 0)
		return ret;
	fwrite(p->out.data, 1, p->out.len, o.out);
	return outfile_close(&o, 0, err);
}
