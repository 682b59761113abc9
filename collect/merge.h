/* SPDX-License-Identifier: MIT */
/*
 * merge: per-CPU streams of raw pages to one record_source in order of
 * (time, CPU, position).  A CPU's time that runs back is kept as it is,
 * counted, and takes its place in the buffer's order.  Lost pages and damaged
 * ones become RECORD_LOSS, which comes before the first event after the hole.
 */
#ifndef COLLECT_MERGE_H
#define COLLECT_MERGE_H

#include "collect/decoder.h"
#include "collect/ring.h"

/* The pages of one CPU in order: 1 page, 0 end, negative error.  The bytes stay
 * valid until the next call.  A source that knows of a hole before this page
 * (bytes it could not read) sets *hole; so it may at the end. */
struct page_stream {
	int cpu;
	void *ctx;
	int (*next)(void *ctx, const uint8_t **page, size_t *len, bool *hole,
		    struct err *err);
};

struct merge;

/* Copies the stream structs; format and decoder must outlive it. */
int merge_new(struct merge **m, const struct page_stream *streams, int nr,
	      const struct ring_format *format, struct decoder *decoder,
	      struct err *err);
void merge_free(struct merge *m);
int merge_next(struct merge *m, struct record *r, struct err *err);

/* First and last time stamp seen so far on a stream; false: none. */
bool merge_edges(const struct merge *m, int stream, int64_t *first, int64_t *last);
int64_t merge_backward(const struct merge *m);	/* stamps that ran back */
int64_t merge_damaged(const struct merge *m);	/* pages lost to damage */

/* What was wrong with the first damaged page, and where; "" if none was. */
const char *merge_damage(const struct merge *m);

#endif
