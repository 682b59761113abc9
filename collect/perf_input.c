/* SPDX-License-Identifier: MIT */
#include "collect/perf_input.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define BUFFER (512 * 1024)
#define HEAD 8

enum { RECORD_COMPRESSED = 81, RECORD_COMPRESSED2 = 83 };

/* Bytes that are read or unpacked: from..to of buf wait. */
struct window {
	uint8_t *buf;
	size_t from, to;
};

struct perf_input {
	int fd;
	bool big_endian;
	int64_t from, pos, end;	/* of the file: first, next to read, last + 1 */
	struct window raw, plain;
	uint8_t *packed;	/* a compressed record's data */
	size_t packed_at, packed_len;
	bool has_more;		/* unpacked, but not yet taken from zstd */
	ZSTD_DStream *zstd;
	char damage[120];
	bool is_over;
};

int perf_input_new(struct perf_input **in, int fd, bool big_endian,
		   int64_t from, int64_t to, struct err *err)
{
	struct perf_input *new = calloc(1, sizeof(*new));

	*in = NULL;
	if (!new) {
		close(fd);
		return err_nomem(err);
	}
	new->fd = fd;
	new->big_endian = big_endian;
	new->from = new->pos = from;
	new->end = to;
	new->raw.buf = malloc(BUFFER);
	if (!new->raw.buf) {
		perf_input_free(new);
		return err_nomem(err);
	}
	*in = new;
	return 0;
}

void perf_input_free(struct perf_input *in)
{
	if (!in)
		return;
	if (in->fd >= 0)
		close(in->fd);
	ZSTD_freeDStream(in->zstd);
	free(in->raw.buf);
	free(in->plain.buf);
	free(in->packed);
	free(in);
}

/* What stands first stays. */
static void damaged(struct perf_input *in, const char *what)
{
	in->is_over = true;
	if (!in->damage[0])
		snprintf(in->damage, sizeof(in->damage), "%.60s at byte %lld",
			 what, (long long)(in->pos - (int64_t)(in->raw.to -
			 in->raw.from)));
}

static void compact(struct window *w)
{
	memmove(w->buf, w->buf + w->from, w->to - w->from);
	w->to -= w->from;
	w->from = 0;
}

/* Reads on until len bytes wait: 1, 0 where the file has no more, error. */
static int need(struct perf_input *in, size_t len, struct err *err)
{
	struct window *w = &in->raw;

	if (w->to - w->from >= len)
		return 1;
	compact(w);
	while (w->to < len && in->pos < in->end) {
		size_t room = BUFFER - w->to;
		ssize_t n;

		if ((int64_t)room > in->end - in->pos)
			room = (size_t)(in->end - in->pos);
		n = pread(in->fd, w->buf + w->to, room, in->pos);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_IO, "cannot read: %s",
				       strerror(errno));
		if (n == 0)
			in->end = in->pos;
		w->to += (size_t)n;
		in->pos += n;
	}
	return w->to >= len;
}

static void head(const struct perf_input *in, const uint8_t *at,
		 struct perf_record *r)
{
	r->type = bytes_u32(at, in->big_endian);
	r->misc = bytes_u16(at + 4, in->big_endian);
	r->size = bytes_u16(at + 6, in->big_endian);
	r->data = at;
}

/* A record of a window: 1, 0 it is not whole yet, -1 it is none. */
static int whole(const struct perf_input *in, struct window *w,
		 struct perf_record *r)
{
	if (w->to - w->from < HEAD)
		return 0;
	head(in, w->buf + w->from, r);
	if (r->size < HEAD)
		return -1;
	if (w->to - w->from < r->size)
		return 0;
	w->from += r->size;
	return 1;
}

static int raw_record(struct perf_input *in, struct perf_record *r,
		      struct err *err)
{
	int got = need(in, HEAD, err);

	if (got <= 0) {
		if (got == 0 && in->raw.to > in->raw.from)
			damaged(in, "a record is cut off");
		in->is_over = true;
		return got;
	}
	head(in, in->raw.buf + in->raw.from, r);
	if (r->size < HEAD) {
		damaged(in, "a record without a size");
		return 0;
	}
	got = need(in, r->size, err);
	if (got == 0)
		damaged(in, "a record is cut off");
	if (got == 1)
		got = whole(in, &in->raw, r);
	return got;
}

static int start_packed(struct perf_input *in, const struct perf_record *r,
			struct err *err)
{
	size_t skip = HEAD, len = r->size;

	if (r->type == RECORD_COMPRESSED2) {
		uint64_t told;

		if (len < HEAD + 8)
			return 0;
		told = bytes_u64(r->data + HEAD, in->big_endian);
		skip = HEAD + 8;
		if (told < len - skip)
			len = skip + (size_t)told;
	}
	if (!in->zstd) {
		in->zstd = ZSTD_createDStream();
		in->plain.buf = malloc(BUFFER);
		in->packed = malloc(UINT16_MAX);
		if (!in->zstd || !in->plain.buf || !in->packed)
			return err_nomem(err);
	}
	in->packed_at = 0;
	in->packed_len = len - skip;
	memcpy(in->packed, r->data + skip, in->packed_len);
	return 0;
}

static void unpack(struct perf_input *in)
{
	struct window *w = &in->plain;
	ZSTD_inBuffer src = { in->packed, in->packed_len, in->packed_at };
	ZSTD_outBuffer dst = { w->buf, BUFFER, 0 };
	size_t left;

	compact(w);
	dst.pos = w->to;
	left = ZSTD_decompressStream(in->zstd, &dst, &src);
	if (ZSTD_isError(left)) {
		damaged(in, "compressed records are damaged");
		return;
	}
	/* Neither read nor written: what is there makes no progress. */
	if (src.pos == in->packed_at && dst.pos == w->to)
		src.pos = src.size;
	in->packed_at = src.pos;
	in->has_more = dst.pos == dst.size;
	w->to = dst.pos;
}

int perf_input_next(struct perf_input *in, struct perf_record *r,
		    struct err *err)
{
	while (!in->is_over) {
		int got = in->plain.buf ? whole(in, &in->plain, r) : 0;

		if (got > 0)
			return 1;
		if (got < 0)
			damaged(in, "a compressed record without a size");
		else if (in->packed_at < in->packed_len || in->has_more)
			unpack(in);
		else {
			got = raw_record(in, r, err);
			if (got <= 0)
				return got;
			if (r->type != RECORD_COMPRESSED &&
			    r->type != RECORD_COMPRESSED2)
				return 1;
			if (start_packed(in, r, err) < 0)
				return err->code;
		}
	}
	return 0;
}

int perf_input_take(struct perf_input *in, uint64_t len, size_t max,
		    uint8_t **bytes, size_t *got, struct err *err)
{
	int64_t here = in->pos - (int64_t)(in->raw.to - in->raw.from);
	size_t want = len < max ? (size_t)len : max;
	ssize_t n = 0;

	*bytes = NULL;
	*got = 0;
	if (len > (uint64_t)(in->end - here)) {
		damaged(in, "data behind a record is cut off");
		return 0;
	}
	if (want) {
		*bytes = malloc(want);
		if (!*bytes)
			return err_nomem(err);
	}
	while (*got < want && (n = pread(in->fd, *bytes + *got, want - *got,
					 here + (int64_t)*got)) > 0)
		*got += (size_t)n;
	in->pos = here + (int64_t)len;
	in->raw.from = in->raw.to = 0;
	return n < 0 ? err_set(err, ERR_IO, "cannot read: %s", strerror(errno)) :
		       0;
}

double perf_input_progress(const struct perf_input *in)
{
	int64_t done = in->pos - (int64_t)(in->raw.to - in->raw.from) - in->from;

	return in->end > in->from ? (double)done / (double)(in->end - in->from) :
				    1;
}

const char *perf_input_damage(const struct perf_input *in)
{
	return in->damage;
}
