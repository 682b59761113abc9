/* SPDX-License-Identifier: MIT */
/*
 * area_find: a first pass over a recording that finds the memory areas of each
 * process, and by what each of them is to be followed (model/rebuild.h).
 *
 * An address belongs to the recorded area (of a placement sample) that covers
 * it: from its start to its end, or where that is unknown to the start of the
 * next, if no hole lies between.  Other touched pages are put together to
 * areas of kind AREA_INFERRED; a step of more than 512 pages splits (more in a
 * process with thousands of them).  An exec begins another address space:
 * areas before and after it are different ones, and a recorded area belongs to
 * those in which it was sampled.
 *
 * Instruction fetches (bit 4 of the x86 error code) and kernel addresses are
 * left out: program text lies in the page cache, of which faults do not tell.
 *
 * Order of calls: area_find_new(), area_find_sample() for every sample in time
 * order, area_find_event() for every event, area_find_finish().  Memory: 11 to
 * 22 bytes per touched page of living address spaces.
 */
#ifndef MODEL_AREA_FIND_H
#define MODEL_AREA_FIND_H

#include "model/event.h"
#include "model/run.h"
#include "model/task.h"

#include <stdbool.h>

struct area_find;

/* Transparent huge pages, as the setting says. */
enum area_thp { AREA_THP_NEVER, AREA_THP_MADVISE, AREA_THP_ALWAYS };

/* How an area's pages are known (rebuild.h). */
enum area_by { AREA_BY_FAULTS, AREA_BY_SAMPLES };

struct area_info {
	uint8_t by;		/* enum area_by */
	bool huge;		/* a fault brings a block of AREA_BLOCK pages */
	bool held;		/* was there when the recording began */
	int64_t distinct;	/* pages (huge: blocks) that were seen touched */
	int64_t blocks;		/* blocks among them, of areas that may be huge */
	int64_t max_pages;	/* the most that a sample saw; -1: no sample */
	int64_t *first;		/* [nr_node_ids] its first sample; NULL */
};

#define AREA_BLOCK 512		/* small pages in a huge one */

/* Pages first..last of an address space belong to an area. */
struct area_range {
	uint64_t first, last;
	int area;
};

/* One address space: of a process between two execs. */
struct area_space {
	int exec;		/* how many execs went before */
	int next;		/* space of the same process, -1 */
	int first_range, nr_ranges;	/* sorted by page */
};

struct area_map {
	struct area_range *range;
	int nr_ranges;
	struct area_space *space;
	int nr_spaces;
	int *first_space;	/* [task id of a leader], -1: nothing touched */
	struct area_info *info;	/* [area id] */
	int nr_areas;
	bool numa_seen;		/* events of NUMA balancing were */
	bool thp_seen;		/* huge pages were migrated */
	int64_t skipped;	/* faults on instructions, kernel addresses */
};

struct area_find_args {
	const struct tasks *tasks;
	const int *leader;	/* tasks_leaders() */
	struct areas *areas;	/* recorded ones; inferred ones are appended */
	int nr_node_ids;
	int64_t page_size;	/* 0: 4096 */
	enum area_thp thp;
};

int area_find_new(struct area_find **f, const struct area_find_args *args,
		  struct err *err);
void area_find_free(struct area_find *f);

/* pages[nr_node_ids] of a recorded area. */
int area_find_sample(struct area_find *f, int64_t ts, int area,
		     const int64_t *pages, struct err *err);
int area_find_event(struct area_find *f, const struct event *ev,
		    struct err *err);

/*
 * An area is followed by samples if it was there before the recording, or if
 * faults account for less than nine tenths of what samples saw (the kernel
 * itself touches pages too, without a user fault); else by faults.
 *
 * It is taken to be of huge pages if these are possible (the setting, or one
 * was seen migrating), it is one block long at least, fewer than 8 pages of
 * each block were seen touched, and either the setting is "always" or a sample
 * saw more than 8 times as many pages as were touched.
 */
int area_find_finish(struct area_find *f, struct area_map *map,
		     struct err *err);
void area_map_release(struct area_map *map);

/* The range of a page in an address space, NULL: none. */
const struct area_range *area_map_find(const struct area_map *map,
				       const struct area_space *space,
				       uint64_t page);

/* True for a fault that counts as a touch of memory. */
bool area_is_touch(const struct event *ev);

#endif
