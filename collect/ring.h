/* SPDX-License-Identifier: MIT */
/*
 * ring: walks the entries of one raw ring-buffer page (sub-buffer) as the
 * kernel writes it: u64 time stamp, long commit (with the missed-events flags
 * in bits 31 and 30), then entries whose first u32 holds type_len and
 * time_delta.  Layout: the recording's header_page and header_event; Linux
 * include/linux/ring_buffer.h names the four special types.
 *
 *	type_len	entry
 *	1..28		data of 4 * type_len bytes
 *	0		u32 length (that of itself and the data), data
 *	29		padding; time_delta 0: to the end of the page, else a
 *			discarded entry: u32 length, as type 0
 *	30		time extend: u32 with the delta's bits from 27 on
 *	31		absolute time, low 59 bits: as type 30
 *
 * libtraceevent's kbuffer does the same but trusts every length on the page;
 * this walker checks each against the page, so that a damaged page loses only
 * itself.
 */
#ifndef COLLECT_RING_H
#define COLLECT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define RING_PAGE_MIN 256
#define RING_PAGE_MAX (4u << 20)

/* How pages of one recording look; from header_page, or the defaults. */
struct ring_format {
	bool big_endian;
	int long_size;		/* 4 or 8: the kernel's */
	size_t page_size;	/* bytes of a whole sub-buffer */
	size_t commit_offset;	/* 8 */
	size_t data_offset;	/* 16 (long 8) or 12 */
};

struct ring_page {
	const struct ring_format *format;
	const uint8_t *page;
	size_t end;		/* of the entries, from the page's start */
	size_t pos;		/* of the next entry, from the page's start */
	int64_t ts;		/* of the last entry returned; at first, the
				 * page's own stamp */
	int64_t missed;		/* events lost before it: 0, n, -1: unknown */
	bool cut;		/* not all that was committed is there */
};

struct ring_entry {
	int64_t ts;
	const uint8_t *data;	/* in the page */
	size_t len;
};

/* The layout that Linux uses where header_page is not known. */
void ring_format_default(struct ring_format *f, bool big_endian, int long_size,
			 size_t page_size);

/* Reads the text of "header_page" (big_endian must be set already): every
 * other field of f is set.  ERR_FORMAT. */
int ring_format_parse(struct ring_format *f, const char *header_page,
		      size_t len, struct err *err);

/* len may be less than page_size for a last, cut page.  ERR_FORMAT where the
 * head does not fit or commit is larger than a page. */
int ring_page_init(struct ring_page *p, const struct ring_format *f,
		   const uint8_t *page, size_t len, struct err *err);

/* 1 entry, 0 end, ERR_FORMAT: the rest of the page is damaged or cut off. */
int ring_page_next(struct ring_page *p, struct ring_entry *e, struct err *err);

#endif
