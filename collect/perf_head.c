/* SPDX-License-Identifier: MIT */
#include "collect/perf_local.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_HEAD 104		/* bytes of a file's head, 16 of a pipe's */
#define PIPE_HEAD 16
#define TRACING_MAX (16 << 20)	/* formats stand before what follows */
#define FEATURE_MAX (4 << 20)
#define NR_FEATURES 256

struct section {
	uint64_t offset, size;
};

bool perf_magic(const uint8_t *bytes, size_t len)
{
	return len >= 16 && (memcmp(bytes, "PERFILE2", 8) == 0 ||
			     memcmp(bytes, "2ELIFREP", 8) == 0);
}

static int read_at(struct perf *p, uint64_t at, void *to, size_t len,
		   struct err *err)
{
	size_t got = 0;

	while (got < len && at + got < (uint64_t)p->size) {
		ssize_t n = pread(p->fd, (uint8_t *)to + got, len - got,
				  (off_t)(at + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_IO, "cannot read '%s': %s",
				       p->path, strerror(errno));
		if (n == 0)
			break;
		got += (size_t)n;
	}
	if (got < len)
		return err_set(err, ERR_FORMAT,
			       "'%s' is cut off: nothing at byte %llu", p->path,
			       (unsigned long long)(at + got));
	return 0;
}

static struct section section_at(const struct perf *p, const uint8_t *at)
{
	return (struct section){
		bytes_u64(at, p->info.big_endian),
		bytes_u64(at + 8, p->info.big_endian),
	};
}

static bool fits(const struct perf *p, const struct section *s)
{
	return s->offset <= (uint64_t)p->size &&
	       s->size <= (uint64_t)p->size - s->offset;
}

/* All of a section, no more than max bytes; *bytes is the caller's. */
static int load(struct perf *p, const struct section *s, size_t max,
		uint8_t **bytes, size_t *len, struct err *err)
{
	*len = s->size < max ? (size_t)s->size : max;
	*bytes = malloc(*len + 1);
	if (!*bytes)
		return err_nomem(err);
	if (read_at(p, s->offset, *bytes, *len, err) < 0) {
		free(*bytes);
		*bytes = NULL;
	}
	return err->code;
}

static int read_ids(struct perf *p, const struct section *s, struct err *err)
{
	uint8_t *bytes;
	size_t len;

	if (!fits(p, s) || s->size % 8)
		return err_set(err, ERR_FORMAT,
			       "'%s': an event's ids at byte %llu are outside the file",
			       p->path, (unsigned long long)s->offset);
	if (load(p, s, (size_t)PERF_MAX_IDS * 8, &bytes, &len, err) < 0)
		return err->code;
	for (size_t i = 0; i + 8 <= len && !err->code; i += 8)
		perf_add_id(p, bytes_u64(bytes + i, p->info.big_endian),
			    p->nr_attrs - 1, err);
	free(bytes);
	return err->code;
}

/* Attributes of attr_size bytes, the last 16 the section of the ids. */
static int read_attrs(struct perf *p, const struct section *s,
		      uint64_t attr_size, struct err *err)
{
	uint8_t *bytes;
	size_t len;

	if (!fits(p, s) || attr_size < 64 + 16 || attr_size > 4096)
		return err_set(err, ERR_FORMAT,
			       "'%s': its events' attributes are outside the file",
			       p->path);
	if (load(p, s, PERF_MAX_ATTRS * 4096, &bytes, &len, err) < 0)
		return err->code;
	for (size_t i = 0; i + attr_size <= len && !err->code; i += attr_size) {
		const uint8_t *ids = bytes + i + attr_size - 16;
		struct section where = section_at(p, ids);

		if (perf_add_attr(p, bytes + i, (size_t)attr_size - 16, err) == 0)
			read_ids(p, &where, err);
	}
	free(bytes);
	return err->code;
}

static int read_features(struct perf *p, const uint8_t *bits, uint64_t at,
			 struct err *err)
{
	const bool big = p->info.big_endian;

	for (unsigned f = 0; f < NR_FEATURES && !err->code; f++) {
		uint64_t word = bytes_u64(bits + f / 64 * 8, big);
		uint8_t where[16], *bytes;
		struct section s;
		size_t len;

		if (!(word >> f % 64 & 1))
			continue;
		/* perf that was killed has marked features and not written. */
		if (at > (uint64_t)p->size || (uint64_t)p->size - at < 16) {
			p->info.is_cut = true;
			return 0;
		}
		if (read_at(p, at, where, sizeof(where), err) < 0)
			return err->code;
		at += sizeof(where);
		s = section_at(p, where);
		if (!fits(p, &s)) {
			p->info.is_cut = true;
			continue;
		}
		if (load(p, &s, f == PERF_FEATURE_TRACING_DATA ? TRACING_MAX :
			 FEATURE_MAX, &bytes, &len, err) < 0)
			return err->code;
		if (f == PERF_FEATURE_TRACING_DATA)
			perf_read_formats(p, bytes, len, err);
		else
			perf_read_feature(p, f, bytes, len, err);
		free(bytes);
	}
	return err->code;
}

static int open_input(struct perf *p, uint64_t from, uint64_t to,
		      struct err *err)
{
	int fd = p->fd;

	p->fd = -1;
	return perf_input_new(&p->input, fd, p->info.big_endian, (int64_t)from,
			      (int64_t)to, err);
}

int perf_read_head(struct perf *p, bool partial, struct err *err)
{
	uint8_t head[FILE_HEAD];
	struct section attrs, data;

	if (read_at(p, 0, head, PIPE_HEAD, err) < 0)
		return err->code;
	p->info.big_endian = memcmp(head, "2ELIFREP", 8) == 0;
	if (decoder_new(&p->decoder, p->info.big_endian, err) < 0)
		return err->code;
	p->info.is_pipe = bytes_u64(head + 8, p->info.big_endian) == PIPE_HEAD;
	if (p->info.is_pipe)
		return open_input(p, PIPE_HEAD, (uint64_t)p->size, err);
	if (read_at(p, 0, head, FILE_HEAD, err) < 0)
		return err->code;
	attrs = section_at(p, head + 24);
	data = section_at(p, head + 40);
	if (read_attrs(p, &attrs, bytes_u64(head + 16, p->info.big_endian),
		       err) < 0)
		return err->code;
	if (!data.size) {
		p->info.is_cut = true;
		data.size = (uint64_t)p->size > data.offset ?
			    (uint64_t)p->size - data.offset : 0;
	} else if (!fits(p, &data)) {
		if (!partial)
			return err_set(err, ERR_FORMAT,
				       "'%s' is cut off: its data ends at byte %llu, the file at %lld (--partial takes what is there)",
				       p->path, (unsigned long long)(data.offset +
				       data.size), (long long)p->size);
		p->info.is_cut = true;
		data.size = (uint64_t)p->size > data.offset ?
			    (uint64_t)p->size - data.offset : 0;
	} else if (read_features(p, head + 72, data.offset + data.size, err) < 0) {
		return err->code;
	}
	return open_input(p, data.offset, data.offset + data.size, err);
}

/* -- tracing data --------------------------------------------------------- */

/* The end of a text with a zero; NULL: none. */
static const uint8_t *text_end(const struct perf_bytes *b)
{
	return memchr(b->at, 0, (size_t)(b->end - b->at));
}

static bool skip_bytes(struct perf_bytes *b, uint64_t len)
{
	if (b->bad || len > (uint64_t)(b->end - b->at))
		b->bad = true;
	else
		b->at += len;
	return !b->bad;
}

static bool skip_text(struct perf_bytes *b)
{
	const uint8_t *end = text_end(b);

	b->bad |= !end;
	return end && skip_bytes(b, (uint64_t)(end + 1 - b->at));
}

/* Format texts, each with its length before it. */
static int read_system(struct perf *p, struct perf_bytes *b, const char *system,
		       uint32_t nr, struct err *err)
{
	for (uint32_t i = 0; i < nr && !b->bad && !err->code; i++) {
		uint64_t len = perf_u64(b);
		const char *text = (const char *)b->at;

		if (skip_bytes(b, len))
			decoder_add_format(p->decoder, system, text, (size_t)len,
					   err);
	}
	return err->code;
}

/* magic, version text, byte order, long size, page size, header_page and
 * header_event with their sizes. */
static bool read_tracing_head(struct perf *p, struct perf_bytes *b)
{
	static const char magic[] = "\x17\x08\x44tracing";
	uint32_t page_size;

	if ((size_t)(b->end - b->at) < sizeof(magic) - 1 ||
	    memcmp(b->at, magic, sizeof(magic) - 1) != 0)
		return false;
	skip_bytes(b, sizeof(magic) - 1);
	skip_text(b);
	if (!skip_bytes(b, 2))
		return false;
	b->big_endian = b->at[-2] != 0;
	page_size = perf_u32(b);
	if (page_size >= 1024 && page_size <= 1 << 20)
		p->info.page_size = page_size;
	for (int i = 0; i < 2; i++)
		if (!skip_text(b) || !skip_bytes(b, perf_u64(b)))
			return false;
	return true;
}

int perf_read_formats(struct perf *p, const uint8_t *bytes, size_t len,
		      struct err *err)
{
	struct perf_bytes b = {
		.at = bytes, .end = bytes + len,
		.big_endian = p->info.big_endian,
	};
	uint32_t systems;

	if (!read_tracing_head(p, &b))
		return err_set(err, ERR_FORMAT, "'%s': its tracing data is damaged",
			       p->path);
	read_system(p, &b, "ftrace", perf_u32(&b), err);
	systems = perf_u32(&b);
	for (uint32_t i = 0; i < systems && !b.bad && !err->code; i++) {
		const char *system = (const char *)b.at;

		if (skip_text(&b))
			read_system(p, &b, system, perf_u32(&b), err);
	}
	if (b.bad && !err->code)
		err_set(err, ERR_FORMAT, "'%s': its tracing data is damaged",
			p->path);
	p->has_formats = true;
	return err->code ? err_prefix(err, "'%s'", p->path) : 0;
}
