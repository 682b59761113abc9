/* SPDX-License-Identifier: MIT */
#include "collect/text_local.h"

#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line from a stranger, fit for a terminal. */
static void printable(char *to, size_t size, const char *line, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 8 < size; i++) {
		unsigned char c = (unsigned char)line[i];

		if (c == '\t')
			to[n++] = ' ';
		else if (c >= ' ' && c < 0x7f)
			to[n++] = (char)c;
		else
			n += (size_t)snprintf(to + n, size - n, "\\x%02x", c);
	}
	to[n] = '\0';
}

void text_miss(struct text *t, int what, const char *line, size_t len)
{
	struct text_miss *m = &t->miss[what];

	if (m->count++)
		return;
	m->line = text_lines_number(t->lines);
	printable(m->first, sizeof(m->first), line, len);
}

int text_each_miss(const struct text *t, int (*fn)(void *ctx, const char *what,
		   int64_t count, int64_t line, const char *first), void *ctx)
{
	int code = 0;

	for (int i = 0; i < TEXT_NR_MISSES && code == 0; i++) {
		const struct text_miss *m = &t->miss[i];
		char what[64] = "no event of a known form";

		if (!m->count)
			continue;
		if (i == TEXT_MISS_CUT)
			snprintf(what, sizeof(what), "longer than %d bytes",
				 TEXT_LINE_MAX);
		if (i >= TEXT_MISS_FIELDS)
			snprintf(what, sizeof(what), "%s without its fields",
				 event_kind_name(i - TEXT_MISS_FIELDS));
		code = fn(ctx, what, m->count, m->line, m->first);
	}
	return code;
}

int text_skip(struct text *t, const char *name, size_t len, struct err *err)
{
	const unsigned mask = 2 * TEXT_MAX_NAMES - 1;
	unsigned at = 2166136261u;

	if (!t->skip) {
		t->skip = calloc(mask + 1, sizeof(*t->skip));
		if (!t->skip)
			return err_nomem(err);
	}
	if (len > TEXT_NAME_MAX)
		len = TEXT_NAME_MAX;
	for (size_t i = 0; i < len; i++)
		at = (at ^ (unsigned char)name[i]) * 16777619u;
	for (at &= mask; t->skip[at].count; at = (at + 1) & mask)
		if (strncmp(t->skip[at].name, name, len) == 0 &&
		    !t->skip[at].name[len]) {
			t->skip[at].count++;
			return 0;
		}
	if (t->nr_skips == TEXT_MAX_NAMES) {
		t->others.count++;
		return 0;
	}
	t->nr_skips++;
	memcpy(t->skip[at].name, name, len);
	t->skip[at].count = 1;
	return 0;
}

int text_each_skipped(const struct text *t, int (*fn)(void *ctx,
		      const char *name, int64_t count, struct err *err),
		      void *ctx, struct err *err)
{
	int code = 0;

	for (int i = 0; t->skip && i < 2 * TEXT_MAX_NAMES && code == 0; i++) {
		char name[4 * TEXT_NAME_MAX + 16];

		if (!t->skip[i].count)
			continue;
		printable(name, sizeof(name), t->skip[i].name,
			  strlen(t->skip[i].name));
		code = fn(ctx, name, t->skip[i].count, err);
	}
	if (code == 0 && t->others.count)
		code = fn(ctx, "(events of many other names)", t->others.count,
			  err);
	return code;
}
