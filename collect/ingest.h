/* SPDX-License-Identifier: MIT */
/*
 * ingest: the one path from any source of records into a new file.
 *
 * Gives tasks their identity (tid, start), follows their names, writes events,
 * losses, companions (topology, knobs, /proc facts, placement samples) and the
 * capture's head.  The order of calls: ingest_new(), the facts that are known
 * beforehand in any order, ingest_run(), ingest_finish().
 */
#ifndef COLLECT_INGEST_H
#define COLLECT_INGEST_H

#include "collect/record.h"

struct ingest;

int ingest_new(struct ingest **in, struct store *s, struct err *err);
void ingest_free(struct ingest *in);

/* Facts; each is copied. */
int ingest_capture(struct ingest *in, const struct capture *c, struct err *err);
int ingest_topo(struct ingest *in, const struct topo *t, struct err *err);
int ingest_knob(struct ingest *in, const char *name, const char *value,
		struct err *err);

/* What /proc (or the trace's own tables) said of a task at a time; -1 / NULL /
 * empty where it is unknown.  Facts may come before or after the events. */
struct task_fact {
	int64_t ts;		/* of the trace's clock; INT64_MIN: at the start */
	int tid, pid;
	const char *comm, *cgroup, *nspid;
	const struct cpumask *affinity;
	int nice;
	uint32_t flags;		/* TASK_F_KTHREAD, TASK_F_RECORDER */
};
int ingest_task_fact(struct ingest *in, const struct task_fact *f, struct err *err);

/* One sampled area: pages[] by node id. */
struct placement_fact {
	int64_t ts;
	int pid;
	uint64_t start, bytes;	/* bytes 0: unknown */
	int kind;		/* enum area_kind */
	const char *name;
	char source;		/* 'm' or 'q' */
	int nr_node_ids;
	const int64_t *pages;
};
int ingest_placement(struct ingest *in, const struct placement_fact *f,
		     struct err *err);

/* Pulls the source dry.  progress may be NULL; non-zero return stops. */
int ingest_run(struct ingest *in, struct record_source *src,
	       int (*progress)(void *ctx, double done), void *ctx,
	       struct err *err);

/* Counts repairs (kept in the file), e.g. what merge found. */
int ingest_repair(struct ingest *in, const char *kind, int64_t count,
		  struct err *err);
int ingest_skipped(struct ingest *in, const char *name, int64_t count,
		   struct err *err);

/* Writes tasks, areas, capture.  Does not commit the store. */
int ingest_finish(struct ingest *in, struct err *err);

#endif
