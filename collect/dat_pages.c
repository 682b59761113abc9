/* SPDX-License-Identifier: MIT */
#include "collect/dat_local.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define BUFFER_BUDGET (16u << 20)	/* for all CPUs together */
#define BUFFER_MAX (128u << 10)		/* for one */

/* zlib and zstd cannot shrink by more: a deflate block by about 1,030, a zstd
 * block of 128 KiB to four bytes. */
#define MAX_RATIO 32768

struct dat_codec {
	ZSTD_DCtx *zstd;	/* NULL: zlib or none */
	uint8_t *packed;	/* of the chunk at hand */
	size_t packed_size;
};

struct dat_stream {
	struct dat *d;
	struct dat_cpu at;
	bool compressed, cut;
	size_t page_size;
	int64_t pos, end;	/* of what is not read yet */
	uint32_t nr_chunks;	/* of those */
	bool has_head;
	uint8_t *buf;
	size_t buf_size, buf_len, buf_pos;
};

bool dat_codec_known(const char *name)
{
	return strcmp(name, "none") == 0 || strcmp(name, "zlib") == 0 ||
	       strcmp(name, "zstd") == 0;
}

int dat_codec_open(struct dat *d, struct err *err)
{
	d->codec = calloc(1, sizeof(*d->codec));
	if (!d->codec)
		return err_nomem(err);
	if (strcmp(d->info.compression, "zstd") != 0)
		return 0;
	d->codec->zstd = ZSTD_createDCtx();
	return d->codec->zstd ? 0 : err_nomem(err);
}

void dat_codec_close(struct dat *d)
{
	if (!d->codec)
		return;
	ZSTD_freeDCtx(d->codec->zstd);
	free(d->codec->packed);
	free(d->codec);
}

bool dat_plausible(uint64_t len, uint64_t from_len)
{
	return len / MAX_RATIO <= from_len;
}

bool dat_uncompress(struct dat *d, uint8_t *to, size_t to_len,
		    const uint8_t *from, size_t from_len)
{
	uLongf len = to_len;

	if (d->codec->zstd)
		return ZSTD_decompressDCtx(d->codec->zstd, to, to_len, from,
					   from_len) == to_len;
	return uncompress(to, &len, from, from_len) == Z_OK && len == to_len;
}

/* The first damage is kept for people, all of it becomes a loss. */
static void note_damage(struct dat_stream *s, const char *why)
{
	struct dat *d = s->d;

	if (!d->damage[0])
		snprintf(d->damage, sizeof(d->damage), "CPU %d, at 0x%llx: %s",
			 s->at.cpu, (unsigned long long)s->pos, why);
}

static int grow(uint8_t **buf, size_t *size, size_t want, struct err *err)
{
	uint8_t *new;

	if (want <= *size)
		return 0;
	new = realloc(*buf, want);
	if (!new)
		return err_nomem(err);
	*buf = new;
	*size = want;
	return 0;
}

/* The rest of this CPU cannot be found any more. */
static int give_up(struct dat_stream *s, const char *why)
{
	note_damage(s, why);
	s->d->read += s->end - s->pos;
	s->pos = s->end;
	s->nr_chunks = 0;
	return 0;
}

/* Uncompresses the next chunk: 1, 0 at the end; *hole if one was damaged. */
static int next_chunk(struct dat_stream *s, bool *hole, struct err *err)
{
	struct dat_codec *codec = s->d->codec;
	bool big = s->d->info.big_endian;
	uint32_t from_len, to_len;
	uint8_t head[8];

	while (s->nr_chunks) {
		if (s->end - s->pos < 8) {
			*hole = true;
			return give_up(s, "a chunk's head is cut off");
		}
		if (dat_pread(s->d, head, 8, s->pos, "a chunk", err) < 0)
			return err->code;
		from_len = bytes_u32(head, big);
		to_len = bytes_u32(head + 4, big);
		if (from_len > s->end - s->pos - 8 || from_len > DAT_CHUNK_MAX ||
		    to_len > DAT_CHUNK_MAX || !dat_plausible(to_len, from_len)) {
			*hole = true;
			return give_up(s, "a chunk's size is not that of the file");
		}
		if (grow(&codec->packed, &codec->packed_size, from_len, err) < 0 ||
		    grow(&s->buf, &s->buf_size, to_len, err) < 0 ||
		    dat_pread(s->d, codec->packed, from_len, s->pos + 8,
			      "a chunk", err) < 0)
			return err->code;
		s->nr_chunks--;
		s->buf_pos = s->buf_len = 0;
		if (dat_uncompress(s->d, s->buf, to_len, codec->packed, from_len)) {
			s->buf_len = to_len;
		} else {
			note_damage(s, "cannot uncompress a chunk");
			*hole = true;
		}
		s->pos += 8 + (int64_t)from_len;
		s->d->read += 8 + (int64_t)from_len;
		if (s->buf_len)
			return 1;
	}
	return 0;
}

static int read_chunk_count(struct dat_stream *s, bool *hole, struct err *err)
{
	uint8_t head[4];

	s->has_head = true;
	if (s->pos == s->end)
		return 0;
	if (s->end - s->pos < 4) {
		*hole = true;
		return give_up(s, "the number of chunks is cut off");
	}
	if (dat_pread(s->d, head, 4, s->pos, "the number of chunks", err) < 0)
		return err->code;
	s->nr_chunks = bytes_u32(head, s->d->info.big_endian);
	s->pos += 4;
	s->d->read += 4;
	return 0;
}

static int next_window(struct dat_stream *s, struct err *err)
{
	int64_t left = s->end - s->pos;

	s->buf_pos = s->buf_len = 0;
	if (left <= 0)
		return 0;
	if (left > (int64_t)s->buf_size)
		left = (int64_t)s->buf_size;
	if (dat_pread(s->d, s->buf, (size_t)left, s->pos, "trace data", err) < 0)
		return err->code;
	s->buf_len = (size_t)left;
	s->pos += left;
	s->d->read += left;
	return 1;
}

static int next_page(void *ctx, const uint8_t **page, size_t *len, bool *hole,
		     struct err *err)
{
	struct dat_stream *s = ctx;
	int got = 1;

	if (s->compressed && !s->has_head &&
	    read_chunk_count(s, hole, err) < 0)
		return err->code;
	if (s->buf_pos == s->buf_len)
		got = s->compressed ? next_chunk(s, hole, err) :
				      next_window(s, err);
	if (got <= 0) {
		*hole = *hole || s->cut;
		s->cut = false;
		return got;
	}
	*page = s->buf + s->buf_pos;
	*len = s->buf_len - s->buf_pos;
	if (*len > s->page_size)
		*len = s->page_size;
	s->buf_pos += *len;
	return 1;
}

/* Whole pages; fewer for each CPU where there are many. */
static size_t window_size(size_t page_size, int nr)
{
	size_t size = BUFFER_BUDGET / (size_t)(nr ? nr : 1);

	if (size > BUFFER_MAX)
		size = BUFFER_MAX;
	return size > page_size ? size / page_size * page_size : page_size;
}

static int open_stream(struct dat *d, struct dat_stream *s,
		       const struct dat_cpu *at, bool partial, struct err *err)
{
	size_t window = window_size(s->page_size, d->nr_streams);
	int64_t there = d->size - at->offset;

	s->d = d;
	s->at = *at;
	s->compressed = d->info.version == 7 &&
			strcmp(d->info.compression, "none") != 0;
	if (there < 0)
		there = 0;
	if (at->size > there) {
		if (!partial)
			return err_set(err, ERR_FORMAT,
				       "'%s': the file is cut: data of CPU %d should end at 0x%llx, the file ends at 0x%llx (--partial imports what is there)",
				       d->path, at->cpu,
				       (unsigned long long)(at->offset + at->size),
				       (unsigned long long)d->size);
		s->cut = true;
		if (!d->damage[0])
			snprintf(d->damage, sizeof(d->damage),
				 "CPU %d: the file is cut at 0x%llx", at->cpu,
				 (unsigned long long)d->size);
	}
	s->pos = at->offset;
	s->end = at->offset + (at->size < there ? at->size : there);
	/* trace-cmd does not count the number of chunks in. */
	if (s->compressed && s->pos < s->end)
		s->end += d->size - s->end < 4 ? d->size - s->end : 4;
	d->to_read += s->end - s->pos;
	/* Else many CPUs could share one place and be read for ever. */
	if (d->to_read - 4 * (int64_t)d->nr_streams > d->size)
		return err_set(err, ERR_FORMAT,
			       "'%s': the data of all CPUs is said to be larger than the file",
			       d->path);
	if (s->compressed || s->pos == s->end)
		return 0;
	return grow(&s->buf, &s->buf_size, window, err);
}

static int find_table(struct dat *d, struct dat_buffer *b, struct err *err)
{
	struct dat_cursor *c;
	int code;

	if (!b->table_offset || b->nr_cpus)
		return 0;
	if (b->table_offset < 0 || b->table_offset > d->size)
		return err_set(err, ERR_FORMAT,
			       "'%s': buffer '%s' is said to be at 0x%llx", d->path,
			       b->name, (unsigned long long)b->table_offset);
	c = malloc(sizeof(*c));
	if (!c)
		return err_nomem(err);
	dat_cursor_file(c, d, "the table of CPUs", b->table_offset, d->size);
	code = dat_read_cpu_table(d, b, c, err);
	free(c);
	return code;
}

int dat_streams(struct dat *d, int buffer, bool partial,
		struct ring_format *format, struct page_stream **streams,
		int *nr, struct err *err)
{
	struct dat_buffer *b = &d->info.buffer[buffer];
	size_t page_size;

	*streams = NULL;
	*nr = 0;
	if (find_table(d, b, err) < 0)
		return err->code;
	if (b->is_text)
		return err_set(err, ERR_FORMAT,
			       "'%s': a latency trace, which is text and has no events to read",
			       d->path);
	page_size = b->page_size ? b->page_size : d->info.page_size;
	*format = d->info.ring;
	format->page_size = page_size;
	d->stream = calloc((size_t)b->nr_cpus + 1, sizeof(*d->stream));
	*streams = calloc((size_t)b->nr_cpus + 1, sizeof(**streams));
	if (!d->stream || !*streams)
		return err_nomem(err);
	d->nr_streams = b->nr_cpus;
	for (int i = 0; i < b->nr_cpus; i++) {
		struct dat_stream *s = &d->stream[i];

		s->page_size = page_size;
		if (open_stream(d, s, &b->cpu[i], partial, err) < 0)
			return err->code;
		(*streams)[i] = (struct page_stream){
			.cpu = b->cpu[i].cpu, .ctx = s, .next = next_page,
		};
	}
	*nr = b->nr_cpus;
	return 0;
}

void dat_close_streams(struct dat *d)
{
	for (int i = 0; i < d->nr_streams; i++)
		free(d->stream[i].buf);
	free(d->stream);
}

double dat_progress(const struct dat *d)
{
	return d->to_read ? (double)d->read / (double)d->to_read : 1;
}

const char *dat_damage(const struct dat *d)
{
	return d->damage;
}
