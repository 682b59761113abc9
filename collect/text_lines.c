/* SPDX-License-Identifier: MIT */
#include "collect/text_lines.h"

#include "model/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (256 * 1024)

struct text_lines {
	char *path;
	int fd;
	int64_t size, read;	/* bytes of the file, and those read */
	char *buf;
	size_t from, to;	/* what is left of buf */
	bool at_end;
	int64_t number, cut;
	bool skip;		/* the rest of the line is not wanted */
	bool is_html;
	enum { OUTSIDE, IN_ELEMENT, IN_STRING } place;	/* of HTML */
};

int text_lines_open(struct text_lines **l, const char *path, struct err *err)
{
	struct text_lines *new = calloc(1, sizeof(*new));
	struct stat st;

	*l = NULL;
	if (!new)
		return err_nomem(err);
	new->path = strdup(path);
	new->buf = malloc(BUFFER);
	new->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!new->path || !new->buf)
		err_nomem(err);
	else if (new->fd < 0 || fstat(new->fd, &st) < 0)
		err_set(err, ERR_IO, "cannot open '%s': %s", path,
			strerror(errno));
	if (err->code) {
		text_lines_close(new);
		return err->code;
	}
	new->size = st.st_size;
	*l = new;
	return 0;
}

void text_lines_close(struct text_lines *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	free(l->buf);
	free(l->path);
	free(l);
}

static int fill(struct text_lines *l, struct err *err)
{
	ssize_t n;

	memmove(l->buf, l->buf + l->from, l->to - l->from);
	l->to -= l->from;
	l->from = 0;
	do
		n = read(l->fd, l->buf + l->to, BUFFER - l->to);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(err, ERR_IO, "cannot read '%s': %s", l->path,
			       strerror(errno));
	l->at_end = n == 0;
	l->to += (size_t)n;
	l->read += n;
	return 0;
}

/* Drops what is left of a line that was cut. */
static int skip_rest(struct text_lines *l, struct err *err)
{
	char *end;

	l->skip = false;
	while (!(end = memchr(l->buf + l->from, '\n', l->to - l->from))) {
		l->from = l->to;
		if (l->at_end)
			return 0;
		if (fill(l, err) < 0)
			return err->code;
	}
	l->from = (size_t)(end + 1 - l->buf);
	return 0;
}

static int raw_line(struct text_lines *l, char **line, size_t *len,
		    struct err *err)
{
	char *at, *end;
	size_t left;

	if (l->skip && skip_rest(l, err) < 0)
		return err->code;
	for (;;) {
		at = l->buf + l->from;
		left = l->to - l->from;
		end = memchr(at, '\n', left);
		if (end || left > TEXT_LINE_MAX || l->at_end)
			break;
		if (fill(l, err) < 0)
			return err->code;
	}
	if (!end && !left)
		return 0;
	l->number++;
	*line = at;
	*len = end ? (size_t)(end - at) : left;
	l->skip = !end && !l->at_end;
	l->from += *len + (end != NULL);
	if (*len > TEXT_LINE_MAX) {
		*len = TEXT_LINE_MAX;
		l->cut++;
	}
	if (*len && (*line)[*len - 1] == '\r')
		--*len;
	return 1;
}

static bool has(const char *line, size_t len, const char *what)
{
	return memmem(line, len, what, strlen(what)) != NULL;
}

static bool ends_with(const char *line, size_t len, const char *what)
{
	size_t n = strlen(what);

	return len >= n && memcmp(line + len - n, what, n) == 0;
}

/* Undoes JavaScript's escapes of a line "...\n\". */
static void unescape(char *line, size_t *len)
{
	size_t to = 0;

	if (ends_with(line, *len, "\\n\\"))
		*len -= 3;
	if (!memchr(line, '\\', *len))
		return;
	for (size_t i = 0; i < *len; i++) {
		if (line[i] == '\\' && i + 1 < *len)
			i++;
		line[to++] = line[i];
	}
	*len = to;
}

/* True if a line of HTML is one of the trace. */
static bool take_html(struct text_lines *l, char *line, size_t *len)
{
	switch (l->place) {
	case OUTSIDE:
		if (has(line, *len, "trace-data") && has(line, *len, "<script"))
			l->place = IN_ELEMENT;
		else if (ends_with(line, *len, "\"\\"))
			l->place = IN_STRING;
		return false;
	case IN_ELEMENT:
		if (!has(line, *len, "</script"))
			return true;
		l->place = OUTSIDE;
		return false;
	case IN_STRING:
		if (!ends_with(line, *len, "\";")) {
			unescape(line, len);
			return true;
		}
		l->place = OUTSIDE;
		return false;
	}
	return false;
}

/* "   12.345678", "  T123", "Tue Dec  1 06:12:11 2026" */
static bool is_log_time(const char *p, const char *end)
{
	bool is_date = end - p == 24 && p[13] == ':' && p[16] == ':';

	if (is_date || p == end)
		return is_date;
	for (; p < end; p++)
		if ((*p < '0' || *p > '9') && !strchr(" .TC", *p))
			return false;
	return true;
}

/* "[   12.345678] ", "[  T123] ", "<4>" and what journalctl writes before them
 * go. */
static void strip_log_prefix(char **line, size_t *len)
{
	char *p = *line, *end = p + *len, *kernel;

	kernel = end - p > 20 && p[0] >= 'A' && p[0] <= 'Z' && p[3] == ' ' ?
		 memmem(p, *len < 100 ? *len : 100, " kernel: ", 9) : NULL;
	if (kernel)
		p = kernel + 9;
	if (end - p > 3 && p[0] == '<') {
		char *q = p + 1;

		while (q < end && *q >= '0' && *q <= '9')
			q++;
		if (q > p + 1 && q < end && *q == '>')
			p = q + 1;
	}
	while (end - p > 3 && p[0] == '[') {
		char *q = memchr(p, ']', (size_t)(end - p < 28 ? end - p : 28));

		if (!q || q + 1 == end || q[1] != ' ' || !is_log_time(p + 1, q))
			break;
		p = q + 2;
	}
	*len = (size_t)(end - p);
	*line = p;
}

static void find_html(struct text_lines *l, const char *line, size_t len)
{
	while (len && (*line == ' ' || *line == '\t' || (*line & 0x80))) {
		line++;
		len--;
	}
	l->is_html = len && *line == '<' &&
		     (has(line, len, "html") || has(line, len, "HTML") ||
		      has(line, len, "<script"));
}

int text_lines_next(struct text_lines *l, char **line, size_t *len,
		    struct err *err)
{
	int got;

	do {
		got = raw_line(l, line, len, err);
		if (got <= 0)
			return got;
		if (l->number == 1)
			find_html(l, *line, *len);
	} while (l->is_html && !take_html(l, *line, len));
	if (*len && (**line == '[' || **line == '<' ||
		     (**line >= 'A' && **line <= 'Z')))
		strip_log_prefix(line, len);
	return 1;
}

int64_t text_lines_number(const struct text_lines *l)
{
	return l->number;
}

double text_lines_progress(const struct text_lines *l)
{
	double done = l->size > 0 ? (double)(l->read - (int64_t)(l->to - l->from)) /
		      (double)l->size : 1;

	return done < 0 ? 0 : done > 1 ? 1 : done;
}

int64_t text_lines_cut(const struct text_lines *l)
{
	return l->cut;
}

bool text_lines_is_html(const struct text_lines *l)
{
	return l->is_html;
}
