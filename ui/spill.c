/* SPDX-License-Identifier: MIT */
#include "ui/spill.h"

#include "model/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER (256 * 1024)

enum row_kind { ROW_MEM, ROW_ACCESS, ROW_MOVE, ROW_COUNT };

/* Both ends are the same program on the same machine: rows are as in memory,
 * without the padding behind their last field. */
#define SIZE_TO(type, last) \
	(offsetof(type, last) + sizeof(((type *)0)->last))
#define SPAN_SIZE SIZE_TO(struct span, flags)

struct row {
	uint8_t kind;
	union {
		struct mem_change mem;
		struct mem_access access;
		struct move move;
		struct {
			char name[40];
			int64_t value;
		} count;
	};
};

static size_t row_size(int kind)
{
	static const size_t size[] = {
		[ROW_MEM] = SIZE_TO(struct mem_change, pages),
		[ROW_ACCESS] = SIZE_TO(struct mem_access, faults),
		[ROW_MOVE] = SIZE_TO(struct move, refused),
		[ROW_COUNT] = sizeof(((struct row *)0)->count),
	};

	return kind <= ROW_COUNT ? size[kind] : 0;
}

static int unlinked_in(const char *folder)
{
	char path[4096];
	int fd;

	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/homenode-XXXXXX", folder) >=
	    (int)sizeof(path))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int spill_file(const char *beside, struct err *err)
{
	const char *slash = strrchr(beside, '/'), *tmp = getenv("TMPDIR");
	char folder[4096] = ".";
	int fd;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s",
			 slash == beside ? 1 : (int)(slash - beside), beside);
	fd = unlinked_in(folder);
	if (fd < 0)
		fd = unlinked_in(tmp && *tmp ? tmp : "/tmp");
	if (fd < 0)
		return err_set(err, ERR_IO,
			       "cannot make a temporary file beside '%s': %s",
			       beside, strerror(errno));
	return fd;
}

static int open_one(FILE **f, const char *beside, char *buffer,
		    struct err *err)
{
	int fd = spill_file(beside, err);

	*f = NULL;
	if (fd < 0)
		return fd;
	*f = fdopen(fd, "w+");
	if (!*f) {
		close(fd);
		return err_nomem(err);
	}
	setvbuf(*f, buffer, _IOFBF, BUFFER);
	return 0;
}

int spill_open(struct spill *s, const char *beside, struct err *err)
{
	*s = (struct spill){ .buffer = malloc(2 * BUFFER) };
	if (!s->buffer)
		return err_nomem(err);
	if (open_one(&s->spans, beside, s->buffer, err))
		return err->code;
	return open_one(&s->rest, beside, s->buffer + BUFFER, err);
}

void spill_close(struct spill *s)
{
	if (s->spans)
		fclose(s->spans);
	if (s->rest)
		fclose(s->rest);
	free(s->buffer);
	*s = (struct spill){ 0 };
}

static int failed(struct err *err)
{
	return err_set(err, ERR_IO, "cannot keep a replayed run: %s",
		       strerror(errno ? errno : EIO));
}

static int put_span(void *ctx, const struct span *s, struct err *err)
{
	FILE *f = ((struct spill *)ctx)->spans;

	return fwrite_unlocked(s, SPAN_SIZE, 1, f) == 1 ? 0 : failed(err);
}

static int put(void *ctx, int kind, const void *row, struct err *err)
{
	FILE *f = ((struct spill *)ctx)->rest;

	if (putc_unlocked(kind, f) == EOF ||
	    fwrite_unlocked(row, row_size(kind), 1, f) != 1)
		return failed(err);
	return 0;
}

static int put_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	return put(ctx, ROW_MEM, m, err);
}

static int put_access(void *ctx, const struct mem_access *a, struct err *err)
{
	return put(ctx, ROW_ACCESS, a, err);
}

static int put_move(void *ctx, const struct move *m, struct err *err)
{
	return put(ctx, ROW_MOVE, m, err);
}

static int put_count(void *ctx, const char *name, int64_t value,
		     struct err *err)
{
	struct row row = { .count = { .value = value } };

	snprintf(row.count.name, sizeof(row.count.name), "%s", name);
	return put(ctx, ROW_COUNT, &row.count, err);
}

void spill_sink(struct spill *s, struct run_sink *sink)
{
	*sink = (struct run_sink){
		.ctx = s, .span = put_span, .mem = put_mem,
		.access = put_access, .move = put_move, .count = put_count,
	};
}

int spill_flush(struct spill *s, struct err *err)
{
	return fflush(s->spans) || fflush(s->rest) ? failed(err) : 0;
}

static int give(const struct run_sink *to, const struct row *row,
		struct err *err)
{
	switch (row->kind) {
	case ROW_MEM:
		return to->mem ? to->mem(to->ctx, &row->mem, err) : 0;
	case ROW_ACCESS:
		return to->access ? to->access(to->ctx, &row->access, err) : 0;
	case ROW_MOVE:
		return to->move ? to->move(to->ctx, &row->move, err) : 0;
	default:
		return to->count ? to->count(to->ctx, row->count.name,
					     row->count.value, err) : 0;
	}
}

int spill_read_rest(struct spill *s, const struct run_sink *to,
		    struct err *err)
{
	struct row row;
	int kind, r = 0;

	rewind(s->rest);
	while (!r && (kind = getc_unlocked(s->rest)) != EOF) {
		row.kind = (uint8_t)kind;
		if (!row_size(kind) ||
		    fread_unlocked(&row.mem, row_size(kind), 1, s->rest) != 1)
			return failed(err);
		r = give(to, &row, err);
	}
	if (!r && ferror(s->rest))
		return failed(err);
	return r;
}

int spill_read_spans(struct spill *s, const struct run_sink *to,
		     struct err *err)
{
	struct span span;
	int r = 0;

	rewind(s->spans);
	while (!r && fread_unlocked(&span, SPAN_SIZE, 1, s->spans) == 1)
		r = to->span(to->ctx, &span, err);
	if (!r && ferror(s->spans))
		return failed(err);
	return r;
}
