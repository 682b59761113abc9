/* SPDX-License-Identifier: MIT */
/*
 * fields: lines of texts separated by tabs, in which any byte but NUL can
 * stand: tab, line feed and backslash are written as \t, \n and \\.
 */
#ifndef COLLECT_FIELDS_H
#define COLLECT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes one field as it must stand in a line; NULL as an empty one. */
void fields_put(FILE *f, const char *text);

/* Cuts a line (changed in place, its line feed dropped) into at most max
 * fields and undoes the escapes; returns how many.  More are left out. */
int fields_split(char *line, char **field, int max);

/* A decimal number that is all of the text and in [min, max]. */
bool fields_int(const char *text, int64_t min, int64_t max, int64_t *value);

#endif
