/* SPDX-License-Identifier: MIT */
/*
 * sample: on which nodes the pages of processes are, area by area, under a
 * budget of time.
 *
 * A process is read through numa_maps ('m': exact, but holds its mmap lock
 * while it walks its page tables); one that takes more CPU time than
 * SAMPLE_SLOW_NS for that SAMPLE_SLOW_READS times in a row (once may be chance,
 * as where a virtual CPU stood still), and every process where the kernel has no
 * numa_maps, is asked with move_pages instead ('e': every page; 'q' if it has an
 * area of more than SAMPLE_EXACT_BYTES, of which it asks one page in so many,
 * counts scaled up; pages marked for a NUMA hinting fault count as absent).
 *
 * All reading together takes no more of one CPU than the budget; a process that
 * was held up long (waiting for a CPU counts) waits so much longer until its
 * next turn.  A process of less than SAMPLE_TINY_BYTES is read once, when there
 * is time to spare, and else only asked for its size.  Kernel threads have no
 * memory of their own and must not be given.
 *
 * Of equal samples in a row only the first two and the last two are handed on:
 * that nothing changed between them is known, and also where pages are, if no
 * event came between two (model/rebuild.h), be it at the beginning or the end.
 */
#ifndef COLLECT_SAMPLE_H
#define COLLECT_SAMPLE_H

#include "collect/ingest.h"

#define SAMPLE_SLOW_NS INT64_C(20000000)
#define SAMPLE_SLOW_READS 3
#define SAMPLE_EXACT_BYTES (INT64_C(64) << 20)
#define SAMPLE_TINY_BYTES (INT64_C(4) << 20)

struct sampler;

struct sampler_setup {
	const char *proc;	/* "/proc" */
	int64_t interval_ns;	/* of one process, at least */
	double budget;		/* share of one CPU's time, 0..1 */
	int64_t page_size;

	/* An area of a sample; after the last one, end(). */
	int (*area)(void *ctx, const struct placement_fact *f, struct err *err);
	int (*end)(void *ctx, int pid, int64_t ts, struct err *err);

	/* Node of each page (negative: none) into status; 0 or -1 and errno, as
	 * move_pages(2).  NULL: that system call. */
	int (*query)(void *ctx, int pid, int nr, void **page, int *status);
	int64_t (*now)(void *ctx);	/* NULL: CLOCK_MONOTONIC */
	int64_t (*spent)(void *ctx);	/* NULL: the thread's CPU time */
	void *ctx;
};

int sampler_new(struct sampler **s, const struct sampler_setup *setup,
		struct err *err);
void sampler_free(struct sampler *s);

/* A process that was not there before, or another one of this pid. */
int sampler_add(struct sampler *s, int pid, struct err *err);

/* Reads what is due as far as the budget goes, no more samples than there are
 * processes; *next gets the time at which it is worth while to call again. */
int sampler_run(struct sampler *s, int64_t *next, struct err *err);

/* A last sample of each process that is not tiny, until now() passes deadline,
 * the budget notwithstanding; then what was held back of equal samples. */
int sampler_last(struct sampler *s, int64_t deadline, struct err *err);

/* Who was sampled, and how much. */
struct sampler_totals {
	int64_t processes;	/* that were read at least once */
	int64_t reads, queries;	/* samples by 'm', by 'e' and 'q' */
	int64_t spent_ns;	/* CPU time */
	int64_t max_stride;	/* largest step between pages asked for */
	int64_t refused;	/* processes that may not be read */
};
const struct sampler_totals *sampler_totals(const struct sampler *s);

#endif
