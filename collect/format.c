/* SPDX-License-Identifier: MIT */
#include "collect/format.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 65535	/* of offsets and sizes: a record is smaller */
#define MAX_DEPTH 64		/* of parentheses in an expression */

/* A place in a text and its end. */
struct scan {
	const char *p, *end;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n'))
		s->p++;
}

static bool find(struct scan *s, const char *what)
{
	const char *at = s->p < s->end ?
		memmem(s->p, (size_t)(s->end - s->p), what, strlen(what)) : NULL;

	if (!at)
		return false;
	s->p = at + strlen(what);
	return true;
}

/* Goes to the next line that begins with key, and past the key. */
static bool next_line(struct scan *s, const char *key, struct scan *line)
{
	size_t len = strlen(key);

	while (s->p < s->end) {
		const char *stop = memchr(s->p, '\n', (size_t)(s->end - s->p));

		*line = (struct scan){ s->p, stop ? stop : s->end };
		s->p = stop ? stop + 1 : s->end;
		if ((size_t)(line->end - line->p) >= len &&
		    memcmp(line->p, key, len) == 0) {
			line->p += len;
			return true;
		}
	}
	return false;
}

bool format_line(const struct format *f, const char *key, const char **at,
		 size_t *len)
{
	struct scan s = { f->text, f->text + f->len }, line;

	if (!next_line(&s, key, &line))
		return false;
	*at = line.p;
	*len = (size_t)(line.end - line.p);
	return true;
}

/* The number after key in the line. */
static bool line_number(struct scan line, const char *key, uint32_t *v)
{
	if (!find(&line, key) || line.p == line.end || *line.p < '0' ||
	    *line.p > '9')
		return false;
	for (*v = 0; line.p < line.end && *line.p >= '0' && *line.p <= '9'; line.p++)
		if ((*v = *v * 10 + (uint32_t)(*line.p - '0')) > NUMBER_MAX)
			return false;
	return true;
}

/* "char prev_comm[16]", "__data_loc char[] comm", "pid_t pid" */
static bool declares(const struct scan *decl, const char *name, bool *is_array)
{
	const char *end = decl->end, *begin;
	size_t len = strlen(name);

	*is_array = false;
	if (end > decl->p && end[-1] == ']') {
		while (end > decl->p && *end != '[')
			end--;
		*is_array = true;
	}
	for (begin = end; begin > decl->p && is_word(begin[-1]);)
		begin--;
	return (size_t)(end - begin) == len && memcmp(begin, name, len) == 0;
}

static bool contains(struct scan s, const char *what)
{
	return find(&s, what);
}

bool format_field(const struct format *f, const char *name,
		  struct format_field *field)
{
	struct scan s = { f->text, f->text + f->len }, line;

	while (next_line(&s, "\tfield:", &line)) {
		const char *stop = memchr(line.p, ';', (size_t)(line.end - line.p));
		struct scan decl = { line.p, stop ? stop : line.end };
		uint32_t is_signed = 0;

		if (!declares(&decl, name, &field->is_array))
			continue;
		line.p = decl.end;
		if (!line_number(line, "\toffset:", &field->offset) ||
		    !line_number(line, "\tsize:", &field->size))
			return false;
		/* Kernels before 2.6.33 do not tell. */
		if (!line_number(line, "\tsigned:", &is_signed))
			is_signed = 1;
		field->is_signed = is_signed;
		field->place = contains(decl, "__data_loc") ? FORMAT_DATA_LOC :
			       contains(decl, "__rel_loc") ? FORMAT_REL_LOC :
							     FORMAT_INLINE;
		return true;
	}
	return false;
}

/* -- constant expressions -------------------------------------------------- */

static bool expression(struct scan *s, int level, int depth, uint64_t *v);

static bool take(struct scan *s, const char *op)
{
	size_t len = strlen(op);

	skip_blanks(s);
	if ((size_t)(s->end - s->p) < len || memcmp(s->p, op, len) != 0)
		return false;
	s->p += len;
	return true;
}

static bool number(struct scan *s, uint64_t *v)
{
	char digits[24], *stop;
	size_t n = 0;

	while (n < sizeof(digits) - 1 && s->p + n < s->end && is_word(s->p[n])) {
		digits[n] = s->p[n];
		n++;
	}
	digits[n] = '\0';
	if (n == 0 || digits[0] < '0' || digits[0] > '9')
		return false;
	*v = strtoull(digits, &stop, 0);
	s->p += n;
	/* UL and the like may follow. */
	return *stop == '\0' || strspn(stop, "uUlL") == strlen(stop);
}

static bool primary(struct scan *s, int depth, uint64_t *v)
{
	if (depth > MAX_DEPTH)
		return false;
	if (take(s, "~")) {
		if (!primary(s, depth + 1, v))
			return false;
		*v = ~*v;
		return true;
	}
	if (take(s, "("))
		return expression(s, 0, depth + 1, v) && take(s, ")");
	return number(s, v);
}

static uint64_t apply(char op, uint64_t a, uint64_t b)
{
	switch (op) {
	case '|':
		return a | b;
	case '&':
		return a & b;
	case '<':
		return b < 64 ? a << b : 0;
	case '>':
		return b < 64 ? a >> b : 0;
	case '+':
		return a + b;
	case '-':
		return a - b;
	default:
		return a * b;
	}
}

/* C's levels of precedence, the weakest first. */
static bool expression(struct scan *s, int level, int depth, uint64_t *v)
{
	static const char *const ops[][2] = {
		{ "|", "|" }, { "&", "&" }, { "<<", ">>" }, { "+", "-" },
		{ "*", "*" },
	};
	uint64_t right;

	if (level == (int)(sizeof(ops) / sizeof(ops[0])))
		return primary(s, depth, v);
	if (!expression(s, level + 1, depth, v))
		return false;
	for (;;) {
		int which = take(s, ops[level][0]) ? 0 :
			    take(s, ops[level][1]) ? 1 : -1;

		if (which < 0)
			return true;
		if (!expression(s, level + 1, depth, &right))
			return false;
		*v = apply(ops[level][which][0], *v, right);
	}
}

/* -- tables ---------------------------------------------------------------- */

/* { EXPRESSION, "TEXT" } */
static bool read_pair(struct scan *s, struct format_pair *pair)
{
	size_t n = 0;

	if (!take(s, "{") || !expression(s, 0, 0, &pair->value) ||
	    !take(s, ",") || !take(s, "\""))
		return false;
	for (; s->p < s->end && *s->p != '"'; s->p++)
		if (n + 1 < sizeof(pair->text))
			pair->text[n++] = *s->p;
	pair->text[n] = '\0';
	return take(s, "\"") && take(s, "}");
}

/* Is "->FIELD" before the first row of the table at s, and part of this call? */
static bool is_about(struct scan s, const char *field)
{
	size_t len = strlen(field);
	struct scan head = s;

	if (!find(&s, "{"))
		return false;
	head.end = s.p;
	while (find(&head, "->"))
		if ((size_t)(head.end - head.p) > len &&
		    memcmp(head.p, field, len) == 0 && !is_word(head.p[len]))
			return true;
	return false;
}

int format_table(const struct format *f, const char *function,
		 const char *field, struct format_pair *pair, int max)
{
	struct scan s = { f->text, f->text + f->len };
	int nr = 0;

	if (!find(&s, "\nprint fmt:"))
		return 0;
	while (find(&s, function)) {
		const char *open;

		if (!is_about(s, field))
			continue;
		open = memchr(s.p, '{', (size_t)(s.end - s.p));
		s.p = open;
		while (nr < max && read_pair(&s, &pair[nr])) {
			nr++;
			if (!take(&s, ","))
				break;
		}
		return nr;
	}
	return 0;
}

uint64_t format_sign_bit(const struct format *f, const char *field,
			 const char *sign)
{
	struct scan s = { f->text, f->text + f->len };
	size_t len = strlen(field), sign_len = strlen(sign);

	if (!find(&s, "\nprint fmt:"))
		return 0;
	while (find(&s, "->")) {
		struct scan at = s;
		uint64_t bit;

		if ((size_t)(at.end - at.p) <= len || memcmp(at.p, field, len) != 0)
			continue;
		at.p += len;
		if (take(&at, "&") && expression(&at, 1, 0, &bit) &&
		    take(&at, "?") && take(&at, "\"") &&
		    (size_t)(at.end - at.p) > sign_len &&
		    memcmp(at.p, sign, sign_len) == 0 && at.p[sign_len] == '"')
			return bit;
	}
	return 0;
}
