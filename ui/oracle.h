/* SPDX-License-Identifier: MIT */
/*
 * oracle: are the spans of a run those that were recorded, and do its pages lie
 * in the end where they lay?
 *
 * oracle_open(), oracle_span() for each span of the run in its order, then
 * oracle_close(), which fills the verdict; oracle_memory() adds the pages to it.
 */
#ifndef UI_ORACLE_H
#define UI_ORACLE_H

#include "model/run.h"

#include <stdbool.h>
#include <stdint.h>

struct demand_task;
struct err;
struct oracle;
struct store;

struct oracle_verdict {
	int64_t spans;		/* that agree: task, CPU, start and end */
	int64_t missing;	/* recorded, but not in the run */
	int64_t extra;		/* in the run, but not recorded */
	int64_t ready;		/* of those that agree: other ready times, where
				 * both are known and no stopper woke the task
				 * (demand.h takes their wakes out) */
	int64_t pages;		/* at the end of the recording */
	int64_t pages_differ;	/* too many or too few, over areas and nodes */
	char first[200];	/* what the first difference is, "" if none */
};

/* tasks: the demand's, sorted by task id. */
int oracle_open(struct oracle **o, struct store *s,
		const struct demand_task *tasks, int nr, struct err *err);
int oracle_span(struct oracle *o, const struct span *s, struct err *err);
int oracle_close(struct oracle *o, struct oracle_verdict *v, struct err *err);

/* True if a run has as many spans as run 0 and the same sum of checksums
 * (span_checksum()); fills v then. */
bool oracle_agrees_fast(struct store *s, int run, struct oracle_verdict *v,
			struct err *err);

/* Compares the pages of each area on each node at the end of a run with those of
 * run 0.  (In between a replay knows of them up to 1 ms early, demand.h.) */
int oracle_memory(struct store *s, int run, struct oracle_verdict *v,
		  struct err *err);

bool oracle_agrees(const struct oracle_verdict *v);

#endif
