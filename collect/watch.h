/* SPDX-License-Identifier: MIT */
/*
 * watch: one thread that looks at /proc during a recording: for tasks that are
 * new (scan.h) and for where processes have their pages (sample.h), and writes
 * what it sees to the spool.
 *
 * It looks for new tasks every WATCH_SCAN_NS, or less often, so that looking
 * takes no more than a hundredth of a CPU and reading what it finds a twentieth;
 * but never less often than every WATCH_SCAN_MAX_NS: one look that took long (a
 * virtual CPU stood still) must not hide the processes of a whole recording.
 */
#ifndef COLLECT_WATCH_H
#define COLLECT_WATCH_H

#include "collect/sample.h"
#include "collect/spool.h"

#define WATCH_SCAN_NS INT64_C(100000000)
#define WATCH_SCAN_MAX_NS INT64_C(2000000000)

struct watch;

struct watch_setup {
	struct spool *spool;
	const char *proc;	/* "/proc" */
	int command_pid;	/* the COMMAND's first task; 0: none */
	const struct cpumask *all_cpus;
	bool memory;		/* sample where pages are */
	int64_t interval_ns;	/* of samples of one process */
	double budget;		/* share of one CPU for them */
	const int *only;	/* sample these and what they forked; NULL: all */
	int nr_only;
	int stop_fd;		/* becomes readable: last look, then end */
	int failed_fd;		/* eventfd: written when it cannot go on */
};

/* Looks at all tasks at once; facts are those of the recording's start. */
int watch_new(struct watch **w, const struct watch_setup *setup,
	      struct err *err);
int watch_start(struct watch *w, struct err *err);

/* After stop_fd became readable: waits for the last look; what went wrong. */
int watch_join(struct watch *w, struct err *err);
void watch_free(struct watch *w);	/* not while it runs; NULL is fine */

/* What it did, as knobs "homenode.sample_..."; after watch_join(). */
int watch_put_knobs(const struct watch *w, struct err *err);

#endif
