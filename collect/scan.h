/* SPDX-License-Identifier: MIT */
/*
 * scan: tells of each task once, when it is first seen in /proc, and again when
 * its affinity changed.  A tid that is used again is told again.
 *
 * A process that has as many threads as in the round before is taken to have
 * the same ones; every SCAN_FULL_EVERY rounds they are looked at all the same.
 *
 * Order of calls: scan_new(), scan_round() before the recording and every now
 * and then during it, scan_last() at its end.
 */
#ifndef COLLECT_SCAN_H
#define COLLECT_SCAN_H

#include "collect/ingest.h"

#define SCAN_FULL_EVERY 8

struct scan;

struct scan_setup {
	const char *proc;	/* "/proc" */
	int own_pid;		/* its tasks are the recorder's */
	int command_pid;	/* the COMMAND's first task; 0: none */
	const struct cpumask *all_cpus;	/* an affinity that holds all of them is
					 * none; must outlive the scan */
	/* cpus: NULL where the task may run everywhere. */
	int (*task)(void *ctx, const struct task_fact *f, const char *cpus,
		    struct err *err);
	/* For each process that may have memory; may be NULL. */
	int (*process)(void *ctx, int pid, struct err *err);
	void *ctx;
};

int scan_new(struct scan **s, const struct scan_setup *setup, struct err *err);
void scan_free(struct scan *s);

/* ts: what the facts are dated with. */
int scan_round(struct scan *s, int64_t ts, struct err *err);

/* A round that looks at every task's affinity again, until now() passes
 * deadline (both of CLOCK_MONOTONIC). */
int scan_last(struct scan *s, int64_t ts, int64_t deadline, struct err *err);

/* Tasks that were there in the last round. */
int scan_nr_tasks(const struct scan *s);

/* CPU time of the last round: of looking for tasks, and of reading new ones. */
void scan_cost(const struct scan *s, int64_t *looking, int64_t *reading);

#endif
