/* SPDX-License-Identifier: MIT */
/*
 * record: what every source of events hands to ingest: a decoded event with
 * the names that came with it, or a loss.
 */
#ifndef COLLECT_RECORD_H
#define COLLECT_RECORD_H

#include "model/event.h"
#include "schema/store.h"

#define RECORD_MAX_NAMES 3

struct record_name {
	int tid;
	int len;		/* comm is len bytes, no terminator needed */
	const char *comm;	/* valid until the next record */
};

/* Edges of a loss whose other side is not there. */
#define LOSS_FROM_START INT64_MIN	/* before the CPU's first event */
#define LOSS_TO_END INT64_MAX		/* after its last one */

struct record {
	enum { RECORD_EVENT, RECORD_LOSS } what;
	struct event event;
	int nr_names;
	/* Of sched_process_exec: what the task is called from now on. */
	struct record_name name[RECORD_MAX_NAMES];
	enum {
		FORK_UNKNOWN, FORK_PROCESS, FORK_THREAD
	} fork;			/* of sched_process_fork: what it made; zero
				 * before a source is asked */
	int group_dead;		/* of sched_process_exit: 1 the last one of its
				 * thread group, 0 not, -1 unknown */
	struct loss loss;	/* RECORD_LOSS: from the last event before the
				 * hole to the first one after it, on that CPU */
};

/* A stream in time order: 1 record, 0 end, negative error. */
struct record_source {
	void *ctx;
	int (*next)(void *ctx, struct record *r, struct err *err);
	double (*progress)(void *ctx);	/* 0..1, may be NULL */
};

#endif
