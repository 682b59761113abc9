/* SPDX-License-Identifier: MIT */
/*
 * draw_cairo: the picture back end: PNG, SVG and PDF by cairo and pango.
 *
 * Order of calls: picture_new(), measure with picture_draw(), picture_begin()
 * when the size is known, paint, picture_save().  The same calls give the same
 * bytes: no time, host, user or path gets into a picture.  Text is set in
 * DejaVu Sans.
 */
#ifndef UI_DRAW_CAIRO_H
#define UI_DRAW_CAIRO_H

#include "ui/draw.h"
#include "ui/outfile.h"

#include <stdbool.h>

struct err;
struct picture;

enum picture_format { PICTURE_PNG, PICTURE_SVG, PICTURE_PDF };

/* Longest side of a picture, pixels or points. */
#define PICTURE_MAX 20000

/* The format of a file's name; ERR_USAGE for another ending. */
int picture_format_of(const char *path, enum picture_format *f, struct err *err);

/* scale 1: text of 12 px. */
struct picture *picture_new(enum theme theme, double scale, struct err *err);
void picture_free(struct picture *p);
const struct draw *picture_draw(const struct picture *p);

int picture_begin(struct picture *p, enum picture_format f, int w, int h,
		  struct err *err);

/* Errors as of outfile_open(). */
int picture_save(struct picture *p, const char *path, enum outfile_mode mode,
		 struct err *err);

#endif
