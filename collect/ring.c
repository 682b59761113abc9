/* SPDX-License-Identifier: MIT */
#include "collect/ring.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <stdlib.h>
#include <string.h>

#define COMMIT_MISSED UINT32_C(0x80000000)	/* events were lost before */
#define COMMIT_STORED UINT32_C(0x40000000)	/* ... and counted after the data */
#define COMMIT_SIZE UINT32_C(0x3fffffff)

#define STAMP_BITS 59		/* of an absolute time stamp entry */
#define DELTA_BITS 27
#define DELTA_MASK ((UINT32_C(1) << DELTA_BITS) - 1)

enum { TYPE_LONG = 0, TYPE_PADDING = 29, TYPE_EXTEND, TYPE_STAMP };

void ring_format_default(struct ring_format *f, bool big_endian, int long_size,
			 size_t page_size)
{
	*f = (struct ring_format){
		.big_endian = big_endian,
		.long_size = long_size,
		.page_size = page_size,
		.commit_offset = 8,
		.data_offset = 8 + (size_t)long_size,
	};
}

/* The number after `key` in a line; -1: none or senseless. */
static long line_number(const char *line, const char *end, const char *key)
{
	const char *p = memmem(line, (size_t)(end - line), key, strlen(key));
	long n = 0;

	if (!p)
		return -1;
	p += strlen(key);
	if (p >= end || *p < '0' || *p > '9')
		return -1;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (*p - '0');
		if (n > RING_PAGE_MAX)
			return -1;
	}
	return n;
}

/* Offset and size of the field of this name; false: not there. */
static bool find_field(const char *text, size_t len, const char *name,
		       long *offset, long *size)
{
	const char *end = text + len;

	for (const char *line = text; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const char *found;

		if (!stop)
			stop = end;
		found = memmem(line, (size_t)(stop - line), name, strlen(name));
		if (found) {
			*offset = line_number(found, stop, "offset:");
			*size = line_number(found, stop, "size:");
			return *offset >= 0 && *size >= 0;
		}
		line = stop + 1;
	}
	return false;
}

int ring_format_parse(struct ring_format *f, const char *header_page,
		      size_t len, struct err *err)
{
	long stamp, stamp_size, commit, commit_size, data, data_size;

	if (!find_field(header_page, len, " timestamp;", &stamp, &stamp_size) ||
	    !find_field(header_page, len, " commit;", &commit, &commit_size) ||
	    !find_field(header_page, len, " data;", &data, &data_size))
		return err_set(err, ERR_FORMAT,
			       "header_page does not tell timestamp, commit and data");
	if (stamp != 0 || stamp_size != 8 || commit < 8 || commit > 64 ||
	    (commit_size != 4 && commit_size != 8) ||
	    data < commit + commit_size || data > 128)
		return err_set(err, ERR_FORMAT,
			       "header_page: timestamp at %ld, commit at %ld (%ld bytes), data at %ld is not a layout of Linux",
			       stamp, commit, commit_size, data);
	if (data + data_size < RING_PAGE_MIN || data + data_size > RING_PAGE_MAX)
		return err_set(err, ERR_FORMAT,
			       "header_page: pages of %ld bytes", data + data_size);
	f->long_size = (int)commit_size;
	f->page_size = (size_t)(data + data_size);
	f->commit_offset = (size_t)commit;
	f->data_offset = (size_t)data;
	return 0;
}

static uint64_t read_long(const struct ring_format *f, const uint8_t *p)
{
	return f->long_size == 8 ? bytes_u64(p, f->big_endian) :
				   bytes_u32(p, f->big_endian);
}

static int64_t read_missed(const struct ring_page *p, uint32_t commit,
			   size_t len)
{
	const struct ring_format *f = p->format;
	size_t at = f->data_offset + (commit & COMMIT_SIZE);
	uint64_t count;

	if (!(commit & COMMIT_MISSED))
		return 0;
	if (!(commit & COMMIT_STORED) || at + (size_t)f->long_size > len)
		return -1;
	count = read_long(f, p->page + at);
	return count > 0 && count < UINT64_C(1) << 40 ? (int64_t)count : -1;
}

int ring_page_init(struct ring_page *p, const struct ring_format *f,
		   const uint8_t *page, size_t len, struct err *err)
{
	uint64_t stamp;
	uint32_t commit;
	size_t size;

	if (len < f->data_offset)
		return err_set(err, ERR_FORMAT,
			       "the page's head is cut after %zu bytes", len);
	stamp = bytes_u64(page, f->big_endian);
	if (stamp > INT64_MAX)
		return err_set(err, ERR_FORMAT, "the page's time is out of range");
	commit = (uint32_t)read_long(f, page + f->commit_offset);
	size = commit & COMMIT_SIZE;
	if (size > f->page_size - f->data_offset)
		return err_set(err, ERR_FORMAT,
			       "commit %zu is larger than the page", size);
	*p = (struct ring_page){
		.format = f, .page = page, .ts = (int64_t)stamp,
		.pos = f->data_offset, .end = f->data_offset + size,
	};
	if (p->end > len) {
		p->end = len;
		p->cut = true;
	}
	p->missed = read_missed(p, commit, len);
	return 0;
}

static int damaged(struct ring_page *p, const char *why, struct err *err)
{
	size_t at = p->pos;

	p->pos = p->end;
	p->cut = false;
	return err_set(err, ERR_FORMAT, "entry at byte %zu of the page: %s", at,
		       why);
}

/* The kernel stores 59 bits; the rest is that of the time before. */
static uint64_t whole_stamp(uint64_t stamp, uint64_t before)
{
	uint64_t high = before >> STAMP_BITS << STAMP_BITS;

	if (!high)
		return stamp;
	stamp |= high;
	return stamp < before ? stamp + (UINT64_C(1) << STAMP_BITS) : stamp;
}

int ring_page_next(struct ring_page *p, struct ring_entry *e, struct err *err)
{
	const bool big = p->format->big_endian;

	while (p->end - p->pos >= 4) {
		const uint8_t *at = p->page + p->pos;
		uint32_t head = bytes_u32(at, big);
		uint32_t type = big ? head >> DELTA_BITS : head & 31;
		uint32_t delta = big ? head & DELTA_MASK : head >> 5;
		uint64_t ts = (uint64_t)p->ts + delta;
		size_t left = p->end - p->pos - 4, len;
		uint32_t more = 0;

		if (type == TYPE_LONG || type >= TYPE_PADDING) {
			if (type == TYPE_PADDING && delta == 0) {
				p->pos = p->end;
				return 0;
			}
			if (left < 4)
				return damaged(p, "its length is cut off", err);
			more = bytes_u32(at + 4, big);
		}
		if (type == TYPE_EXTEND || type == TYPE_STAMP) {
			uint64_t wide = (uint64_t)more << DELTA_BITS;

			ts = type == TYPE_EXTEND ? ts + wide :
				whole_stamp(wide + delta, (uint64_t)p->ts);
			if (ts > INT64_MAX)
				return damaged(p, "its time is out of range", err);
			p->ts = (int64_t)ts;
			p->pos += 8;
			continue;
		}
		if (ts > INT64_MAX)
			return damaged(p, "its time is out of range", err);
		len = type == TYPE_LONG || type == TYPE_PADDING ?
			((size_t)more + 3) & ~(size_t)3 : (size_t)type * 4;
		if (len > left || len < 4)
			return damaged(p, "its length is not that of the page", err);
		p->pos += 4 + len;
		if (type == TYPE_PADDING) {
			/* A delta of 1 stands for 0, which would end the page. */
			if (delta != 1)
				p->ts = (int64_t)ts;
			continue;
		}
		p->ts = (int64_t)ts;
		e->ts = p->ts;
		e->data = type == TYPE_LONG ? at + 8 : at + 4;
		e->len = type == TYPE_LONG ? len - 4 : len;
		return 1;
	}
	if (p->pos < p->end || p->cut)
		return damaged(p, "it is cut off", err);
	return 0;
}
