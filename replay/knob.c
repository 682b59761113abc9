/* SPDX-License-Identifier: MIT */
#include "replay/knob.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"

#define DEFAULT_MAX INT64_C(1000000000000000)
#define NANO INT64_C(1000000000)

int knob_count(const struct knob *table)
{
	int n = 0;

	while (table && table[n].name)
		n++;
	return n;
}

int knob_find(const struct knob *table, const char *name)
{
	for (int i = 0; table && table[i].name; i++)
		if (!strcmp(table[i].name, name))
			return i;
	return -1;
}

int knob_defaults(const struct knob *table, struct knob_value *values,
		  struct err *err)
{
	int r = 0;

	for (int i = 0; !r && table && table[i].name; i++)
		r = knob_parse(&table[i], table[i].deflt, &values[i], err);
	return r;
}

static void limits(const struct knob *k, int64_t *min, int64_t *max)
{
	bool given = k->min || k->max;

	*min = given ? k->min : 0;
	*max = given ? k->max : DEFAULT_MAX;
}

static int parse_int(const struct knob *k, const char *text, int64_t *v,
		     struct err *err)
{
	int64_t min, max;
	char *end;

	limits(k, &min, &max);
	errno = 0;
	*v = strtoll(text, &end, 10);
	if (errno || end == text || *end || *v < min || *v > max)
		return err_set(err, ERR_USAGE,
			       "knob '%s': '%s' is not a number of %s from %"
			       PRId64 " to %" PRId64, k->name, text,
			       k->unit ? k->unit : "units", min, max);
	return 0;
}

/* Digits with an optional fraction, in units of 1/scale: exact and the same
 * in every locale. */
static bool parse_decimal(const char **text, int64_t scale, int64_t *v)
{
	const char *p = *text;

	if (!isdigit((unsigned char)*p))
		return false;
	*v = 0;
	for (; isdigit((unsigned char)*p); p++) {
		*v = *v * 10 + (*p - '0');
		if (*v > DEFAULT_MAX / scale)
			return false;
	}
	*v *= scale;
	if (*p == '.') {
		for (p++; isdigit((unsigned char)*p); p++) {
			scale /= 10;
			*v += (*p - '0') * scale;
		}
	}
	*text = p;
	return true;
}

static int parse_ns(const struct knob *k, const char *text, int64_t *v,
		    struct err *err)
{
	static const struct {
		const char *suffix;
		int64_t ns;
	} unit[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	int64_t min, max;

	limits(k, &min, &max);
	if (!strcmp(text, "0") && min <= 0) {
		*v = 0;
		return 0;
	}
	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		const char *p = text;

		if (parse_decimal(&p, unit[i].ns, v) &&
		    !strcmp(p, unit[i].suffix) && *v >= min && *v <= max)
			return 0;
	}
	return err_set(err, ERR_USAGE,
		       "knob '%s': '%s' is not a time such as 20ms, 1.5s or 3us",
		       k->name, text);
}

static int parse_share(const struct knob *k, const char *text,
		       struct knob_value *v, struct err *err)
{
	const char *p = text;

	if (!parse_decimal(&p, NANO, &v->i) || *p || v->i > NANO)
		return err_set(err, ERR_USAGE,
			       "knob '%s': '%s' is not a share from 0 to 1",
			       k->name, text);
	v->share = (double)v->i / NANO;
	return 0;
}

static int parse_bool(const struct knob *k, const char *text, int64_t *v,
		      struct err *err)
{
	if (!strcmp(text, "on") || !strcmp(text, "1"))
		*v = 1;
	else if (!strcmp(text, "off") || !strcmp(text, "0"))
		*v = 0;
	else
		return err_set(err, ERR_USAGE, "knob '%s': '%s' is not on or off",
			       k->name, text);
	return 0;
}

static int parse_text(const struct knob *k, const char *text, int64_t *v,
		      struct err *err)
{
	size_t len = strlen(text);

	*v = 0;
	if (!k->choices)
		return 0;
	for (const char *c = k->choices; c; (*v)++) {
		const char *bar = strchr(c, '|');
		size_t n = bar ? (size_t)(bar - c) : strlen(c);

		if (n == len && !memcmp(c, text, n))
			return 0;
		c = bar ? bar + 1 : NULL;
	}
	return err_set(err, ERR_USAGE, "knob '%s': '%s' is none of %s",
		       k->name, text, k->choices);
}

int knob_parse(const struct knob *k, const char *text, struct knob_value *v,
	       struct err *err)
{
	*v = (struct knob_value){ .text = text };
	switch (k->type) {
	case KNOB_INT:
		return parse_int(k, text, &v->i, err);
	case KNOB_NS:
		return parse_ns(k, text, &v->i, err);
	case KNOB_SHARE:
		return parse_share(k, text, v, err);
	case KNOB_BOOL:
		return parse_bool(k, text, &v->i, err);
	case KNOB_TEXT:
		return parse_text(k, text, &v->i, err);
	}
	return 0;
}

/* Text being written like snprintf() does it: cut, but fully counted. */
struct out {
	char *buf;
	size_t size, len;
};

static void add(struct out *o, const char *text)
{
	for (; *text; text++, o->len++)
		if (o->len + 1 < o->size)
			o->buf[o->len] = *text;
	if (o->size)
		o->buf[o->len < o->size ? o->len : o->size - 1] = '\0';
}

static void add_quoted(struct out *o, const char *text)
{
	char piece[8];

	add(o, "\"");
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			snprintf(piece, sizeof(piece), "\\%c", *p);
		else if (*p < 0x20 || *p >= 0x7f)
			snprintf(piece, sizeof(piece), "\\u%04x", *p);
		else
			snprintf(piece, sizeof(piece), "%c", *p);
		add(o, piece);
	}
	add(o, "\"");
}

static void add_knob(struct out *o, const struct knob *k,
		     const struct knob_value *v)
{
	char number[48] = "";

	add_quoted(o, k->name);
	add(o, ": ");
	switch (k->type) {
	case KNOB_INT:
	case KNOB_NS:
		snprintf(number, sizeof(number), "%" PRId64, v->i);
		break;
	case KNOB_SHARE:
		snprintf(number, sizeof(number), "%" PRId64 ".%09" PRId64,
			 v->i / NANO, v->i % NANO);
		break;
	case KNOB_BOOL:
		add(o, v->i ? "true" : "false");
		break;
	case KNOB_TEXT:
		add_quoted(o, v->text);
		break;
	}
	add(o, number);
}

size_t knob_json(const struct knob *k, const struct knob_value *v, char *buf,
		 size_t size)
{
	struct out o = { .buf = buf, .size = size };

	add_knob(&o, k, v);
	return o.len;
}

size_t knob_table_json(const struct knob *table, const struct knob_value *v,
		       char *buf, size_t size)
{
	struct out o = { .buf = buf, .size = size };

	if (size)
		*buf = '\0';
	for (int i = 0; i < knob_count(table); i++) {
		if (i)
			add(&o, ", ");
		add_knob(&o, &table[i], &v[i]);
	}
	return o.len;
}
