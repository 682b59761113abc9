/* SPDX-License-Identifier: MIT */
/* canvas_picture: a screen of characters as a PNG, for documents. */
#ifndef UI_CANVAS_PICTURE_H
#define UI_CANVAS_PICTURE_H

#include "ui/canvas.h"

/* As a terminal of 24-bit colours shows it, in DejaVu Sans Mono; the canvas is to
 * be made for them.  Replaces the file. */
int canvas_picture(const struct canvas *c, enum theme theme, const char *path,
		   struct err *err);

#endif
