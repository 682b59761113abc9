/* SPDX-License-Identifier: MIT */
/*
 * reader: one thread that moves the raw pages of one CPU's ring buffer to a
 * file.
 *
 * Whole pages are spliced when half of the buffer is full (the kernel wakes
 * the thread then and not before), and once a second; then also the page that
 * is being written is read as far as it goes, so that little is missing if the
 * recorder is killed.  Nothing in a page is changed or looked into but for its
 * length.  A page has page_bytes in the file; what is behind the data of one
 * that is not full stays a hole.
 */
#ifndef COLLECT_READER_H
#define COLLECT_READER_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct reader;

struct reader_setup {
	int cpu;
	int ring_fd;		/* trace_pipe_raw, not blocking; is taken over */
	int out_fd;		/* is taken over */
	size_t page_bytes;
	int64_t buffer_bytes;	/* of the ring, to tell a useful wake-up */
	int stop_fd;		/* becomes readable: drain everything and end */
	int failed_fd;		/* eventfd: written when the thread gives up */
	const char *file;	/* for messages */

	/* Called in the thread: everything of the CPU before ns is written. */
	void (*mark)(void *ctx, int cpu, int64_t ns);
	void *ctx;
};

/* Closes both fds on failure too. */
int reader_start(struct reader **r, const struct reader_setup *setup,
		 struct err *err);

/* After stop_fd became readable: waits for the end; returns what went wrong in
 * the thread (*error: errno of a failed write, else as it was).  NULL is fine. */
int reader_join(struct reader *r, int *error, struct err *err);

#endif
