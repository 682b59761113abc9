/* SPDX-License-Identifier: MIT */
/*
 * text: a trace in text, of any of those that write one, to records in order of
 * time: the kernel's trace and trace_pipe, trace-cmd report, perf script, atrace
 * and systrace (also its HTML), ftrace's dump in dmesg, homenode export.
 *
 * What is not understood is counted by its kind, with the first line of each.
 * Lines "CPU:0 [LOST 123 EVENTS]", "CPU:0 [123 EVENTS DROPPED]", "##### CPU 2
 * buffer started ####", perf's PERF_RECORD_LOST and "N printk messages dropped"
 * are losses.
 *
 * Lines "# homenode KEY VALUE" say what other text leaves out: clock, kernel,
 * arch, page_size, states ("S=1 D=2 ... +=256"), lost ("CPU FROM TO EVENTS", ns,
 * start or end, -1 for an unknown count).
 */
#ifndef COLLECT_TEXT_H
#define COLLECT_TEXT_H

#include "collect/record.h"
#include "collect/sighted.h"

#include <stdbool.h>

struct text;

struct text_head {
	char clock[32], kernel[128], arch[32];	/* "" unknown */
	int64_t page_size;	/* 0 unknown */
	struct state_table states;
	int64_t overwritten;	/* events that the ring buffer had lost when the
				 * text was made, of all CPUs */
};

/* unit_ns: what a time without a point counts, 0: not told (such a time then is
 * an error).  Reads the comments at the start. */
int text_open(struct text **t, const char *path, int64_t unit_ns,
	      struct err *err);
void text_close(struct text *t);

/* As of record_source. */
int text_next(struct text *t, struct record *r, struct err *err);
double text_progress(const struct text *t);

/* Complete after the last record. */
const struct text_head *text_head(const struct text *t);
const struct sighted *text_tasks(const struct text *t);
int64_t text_nr_lines(const struct text *t);
int64_t text_nr_understood(const struct text *t);	/* lines of events */
int64_t text_backward(const struct text *t);	/* times that ran back */
int64_t text_late(const struct text *t);	/* too far out of order */

/* Lines that were not understood: what they have in common, how many, number
 * and text of the first, printable. */
int text_each_miss(const struct text *t, int (*fn)(void *ctx, const char *what,
		   int64_t count, int64_t line, const char *first), void *ctx);

/* Events that are not kept, by name. */
int text_each_skipped(const struct text *t, int (*fn)(void *ctx,
		      const char *name, int64_t count, struct err *err),
		      void *ctx, struct err *err);

#endif
