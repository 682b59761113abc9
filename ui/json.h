/* SPDX-License-Identifier: MIT */
/*
 * json: writes JSON as it goes, commas and nesting taken care of.
 * Doubles are printed with %.17g shortened to what reads back equal, NaN and
 * infinities as null.  Bytes that are not UTF-8 come out as \u00NN.
 */
#ifndef UI_JSON_H
#define UI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	int depth;
	bool first[32];		/* no comma needed yet at this depth */
	bool after_key;
};

void json_open(struct json *j, FILE *out);
void json_object(struct json *j);	/* { */
void json_array(struct json *j);	/* [ */
void json_end(struct json *j, char close);	/* '}' or ']' */
void json_key(struct json *j, const char *key);
void json_text(struct json *j, const char *text);	/* NULL -> null */
void json_bytes(struct json *j, const char *bytes, int len);
void json_int(struct json *j, int64_t v);
void json_double(struct json *j, double v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
void json_raw(struct json *j, const char *text);	/* text is JSON already */
void json_done(struct json *j);		/* final newline */

#endif
