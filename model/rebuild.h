/* SPDX-License-Identifier: MIT */
/*
 * rebuild: where the pages of each process lay over time, put together from
 * page faults, page migrations and placement samples.
 *
 * Areas followed by faults (area_find.h says which), page by page:
 * - the first fault on an address is its first touch: the page is on the node
 *   of that CPU from then on;
 * - with NUMA balancing on, a later one is a hinting fault: the page stays,
 *   unless an mm_migrate_pages with reason numa_misplaced of the same task
 *   follows it and succeeds: then it is on the node of the faulting CPU; a
 *   write to it that is the next fault only lifts a write protection;
 * - with it off, or where the fault wrote to a present page (x86 error code 7:
 *   copy-on-write, a write after the zero page was read), a new page was put
 *   there: it is on the node of that CPU.
 * Events do not tell of memory policies (numactl), of moves for other reasons,
 * and of a thread that is moved to another node between the event of its fault
 * and the fault's end.  So an exact sample ('m'; 'e' if it knows where all pages
 * are) corrects where pages are, if the one before it said the same and no event
 * of the area came since the one before it: then both were taken at rest.  How
 * many pages there are is not corrected.
 *
 * Areas followed by samples: each sample is the truth at its time.  In between
 * pages come and move by the same rules, taken from the node that has most
 * where a moved page's own node is unknown; the next sample starts afresh, so
 * nothing is counted twice.  Those that were there when the recording began
 * have the pages of their first sample from the start on; a first fault on one
 * of their pages is a hinting fault if NUMA balancing is on.
 *
 * An area that a later reading of its process's numa_maps passes by is gone.
 * An exec drops all pages of the process; at exit they stay as they were, for
 * the report.  Areas of huge pages: a fault or a move is one of AREA_BLOCK
 * pages.
 *
 * Out come changes per area and node, at most one per millisecond; each single
 * change for the demand; and the weights of locality.  Memory: 11 to 22 bytes
 * per touched page of living address spaces.
 */
#ifndef MODEL_REBUILD_H
#define MODEL_REBUILD_H

#include "model/area_find.h"
#include "model/demand_build.h"

struct rebuild;
struct topo;

struct rebuild_ops {
	/* As the run's sink wants them.  May be NULL, like the others. */
	int (*mem)(void *ctx, const struct mem_change *m, struct err *err);
	/* For demand_build_mem(): at its time, by the task that did it or, of
	 * samples, by the task of the process that ran last. */
	int (*change)(void *ctx, const struct demand_mem *m, struct err *err);
	/* For demand_build_held(), from rebuild_start(). */
	int (*held)(void *ctx, int task, int area, int node, int64_t pages,
		    struct err *err);
};

struct rebuild_args {
	const struct tasks *tasks;
	const int *leader;		/* tasks_leaders() */
	const struct topo *topo;
	const struct areas *areas;
	const struct area_map *map;
	int64_t page_size;		/* 0: 4096 */
	int64_t start_ns, end_ns;
	int numa_balancing;		/* 1 on, 0 off, -1: on if map saw it */
	const struct rebuild_ops *ops;
	void *ctx;
};

/* All of args must outlive it. */
int rebuild_new(struct rebuild **r, const struct rebuild_args *args,
		struct err *err);
void rebuild_free(struct rebuild *r);

/* Gives what was there at the start; before anything else. */
int rebuild_start(struct rebuild *r, struct err *err);

/* Every event in order; those that say nothing of memory cost a compare. */
int rebuild_event(struct rebuild *r, const struct event *ev, struct err *err);

/* A sample, in order of time with the events.  source as in struct placement:
 * 'm' is one line of numa_maps, of which all lines have one time. */
struct rebuild_sample {
	int64_t ts;
	int area;
	char source;
	const int64_t *pages;	/* [nr_node_ids] */
};
int rebuild_sample(struct rebuild *r, const struct rebuild_sample *s,
		   struct err *err);

/* The task goes on a CPU: samples of its process are its doing from now on. */
void rebuild_ran(struct rebuild *r, int task);

/* Gives the mem changes that are due at or before `until`: call it before a
 * span that ends then is given. */
int rebuild_flush(struct rebuild *r, int64_t until, struct err *err);

/* Gives what remains, at end_ns at the latest. */
int rebuild_finish(struct rebuild *r, struct err *err);

/* The weights of locality so far, by task and area. */
int rebuild_each_access(const struct rebuild *r,
			int (*fn)(void *ctx, const struct mem_access *a,
				  struct err *err), void *ctx,
			struct err *err);

/* Parts of the task's accesses that go to each node now: by its weights over
 * the areas that hold pages, else by the pages of its process; all 0 where
 * nothing is known. */
void rebuild_share(const struct rebuild *r, int task, double *share);

int64_t rebuild_pages(const struct rebuild *r, int area, int node);

enum rebuild_count {
	REBUILD_FIRST_TOUCHES,
	REBUILD_HINTING_FAULTS,
	REBUILD_HINTING_LOCAL,	/* of those: on the node where the page was */
	REBUILD_RETOUCHES,	/* a new page at a known address */
	REBUILD_PAGES_MOVED,	/* by NUMA balancing */
	REBUILD_PAGES_NOT_MOVED,	/* it tried and failed */
	REBUILD_MOVES_UNPLACED,	/* moved, but no fault tells which page */
	REBUILD_OTHER_MOVES,	/* pages moved for other reasons: unknown which */
	REBUILD_HUGE_AREAS,
	REBUILD_AREAS_GONE,
	REBUILD_COMPARED,	/* pages in samples of areas followed by faults */
	REBUILD_DIFFERING,	/* of those: on another node, or not there */
	REBUILD_CORRECTED,	/* of those: put where two samples had them */
	REBUILD_NR_COUNTS
};
const char *rebuild_count_name(int count);	/* "first_touches" ... */
int64_t rebuild_count(const struct rebuild *r, int count);

#endif
