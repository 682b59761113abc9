/* SPDX-License-Identifier: MIT */
/*
 * memory: the pages of each area on each node during a replay.
 *
 * Pages come with memory_add(), leave with memory_free() and memory_drop(),
 * and change nodes with memory_move(); their sum is touched - freed at any
 * time.  Each change of an area on a node is told through changed().  A node
 * has room for its mem_bytes (unknown: no end to it); where all are full the
 * nearest node takes more than it has.  memory_record() knows none of this.
 *
 * Shares: which part of a task's accesses goes to each node (residency.h): by
 * its access weights where there are any, else by the pages of its process.
 */
#ifndef REPLAY_MEMORY_LOCAL_H
#define REPLAY_MEMORY_LOCAL_H

#include "model/run.h"
#include "model/topo.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct page_move;

struct memory_task {
	int proc;		/* index of its process, -1 */
	uint64_t gen;		/* of the process when the shares were made */
	int first_access, nr_access;	/* in the input's access[] */
};

struct memory {
	const struct topo *topo;
	const struct mem_access *access;
	int nr_access, access_at;
	int nr_areas, nr_nodes, nr_procs, nr_tasks;
	int64_t *pages;		/* [area][node] */
	int64_t *area_pages;	/* [area] */
	int *area_proc;		/* [area] index of its process, -1 */
	int *proc_of;		/* [task id of a leader] index, -1 */
	int *proc_leader;	/* [proc] */
	int *proc_area;		/* [proc] its first area, -1 */
	int *next_area;		/* [area] the next of its process, -1 */
	int64_t *proc_pages;	/* [proc][node] */
	uint64_t *proc_gen;	/* [proc] goes up with every change */
	int64_t *node_pages, *node_room;	/* room INT64_MAX: no end to it */
	uint64_t touched, freed, moved;

	struct memory_task *task;	/* [nr_mem_tasks] */
	int nr_mem_tasks, size_mem_tasks;
	double *share;		/* [nr_mem_tasks][node], sum 1 or all 0 */

	int (*changed)(void *ctx, int area, int node, int64_t pages);
	void *changed_ctx;
};

/* More pages than that in an area are a damaged recording. */
#define MEMORY_MAX_PAGES (INT64_C(1) << 40)

struct memory_input {
	const struct topo *topo;
	const struct areas *areas;
	int nr_tasks;
	int64_t page_size;
	const struct mem_access *access;	/* sorted by task */
	int nr_access;
};

int memory_init(struct memory *m, const struct memory_input *in,
		struct err *err);
void memory_release(struct memory *m);

/* Gives *mem, the index for memory_share() of a task of a process (its leader's
 * id), -1 if nothing can be known of its accesses.  Call it for each task, in
 * order of their ids. */
int memory_add_task(struct memory *m, int task, int leader, int *mem,
		    struct err *err);

/* The node that takes a page which is meant for `node`. */
int memory_node_for(const struct memory *m, int node);

/* Puts pages where they are meant to go or, when that is full, on the next
 * nodes; 0 or what changed() returned. */
int memory_add(struct memory *m, int area, int node, int64_t pages);

/* Adds pages as recorded (`by` < 0: takes them away), whatever is there or would
 * fit: for a moment fewer than none may be there, which is told as none.  1 if
 * that would be more than there can be, else 0 or what changed() returned. */
int memory_record(struct memory *m, int area, int node, int64_t by);

/* Takes up to so many pages away, from each node its proportion. */
int memory_free(struct memory *m, int area, int64_t pages);
int memory_drop(struct memory *m, int leader);	/* all areas of a process */

/* The process is gone: its room is free again, but what lay where at its end
 * stays what the run knows of it: nothing is told. */
void memory_forget(struct memory *m, int leader);

/* Moves as many as lie there (and have room); *done how many. */
int memory_move(struct memory *m, const struct page_move *p, int64_t *done);

/* Shares of a task by its index, valid until the next change; the pages they
 * were made from have changed since. */
const double *memory_share(struct memory *m, int mem);
bool memory_share_is_old(const struct memory *m, int mem);

int64_t memory_pages(const struct memory *m, int area, int node);
int64_t memory_proc_pages(const struct memory *m, int leader, int node);

#endif
