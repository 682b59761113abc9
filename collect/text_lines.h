/* SPDX-License-Identifier: MIT */
/*
 * text_lines: the lines of a trace in text, taken out of what they are wrapped
 * in: a systrace's HTML (its script element of class trace-data, or the JavaScript
 * string of older ones) and the prefixes of dmesg and of journals.  Reads by
 * pieces; a line over TEXT_LINE_MAX is cut there and counted.
 */
#ifndef COLLECT_TEXT_LINES_H
#define COLLECT_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct text_lines;

#define TEXT_LINE_MAX 8192

int text_lines_open(struct text_lines **l, const char *path, struct err *err);
void text_lines_close(struct text_lines *l);

/* 1 a line without its end, good until the next call; 0 the file's end. */
int text_lines_next(struct text_lines *l, char **line, size_t *len,
		    struct err *err);

int64_t text_lines_number(const struct text_lines *l);	/* of it, from 1 */
double text_lines_progress(const struct text_lines *l);
int64_t text_lines_cut(const struct text_lines *l);
bool text_lines_is_html(const struct text_lines *l);

#endif
