/* SPDX-License-Identifier: MIT */
/*
 * rebuild_local: shared by rebuild.c (life, counting, output), rebuild_fault.c
 * (what events say) and rebuild_sample.c (what samples say).
 */
#ifndef MODEL_REBUILD_LOCAL_H
#define MODEL_REBUILD_LOCAL_H

#include "model/pagemap.h"
#include "model/rebuild.h"
#include "model/tidmap.h"

struct rb_area {
	int64_t *pages;		/* [node], then as last given; NULL: none yet */
	int64_t total;
	int64_t seen_ns;	/* of its last 'm' sample */
	int64_t *exact;		/* [node] what its last exact sample said, if it is
				 * followed by faults; NULL: none yet */
	int64_t exact_ns;
	int64_t event_ns;	/* of the last event that says something of it */
	int next;		/* area of the same process, -1 */
	uint8_t by;		/* enum area_by, now */
	bool dirty, sampled;
};

struct rb_proc {
	struct pagemap place;	/* node of each page; nr_nodes: unknown */
	const struct area_space *space;	/* current one, NULL: none touched */
	const struct area_range *range;	/* of the last fault */
	int64_t *pages;		/* [node] sum over its areas; NULL */
	int64_t round_ns;	/* of the reading of numa_maps under way */
	uint64_t round_start;	/* highest area seen in it */
	int exec;
	int first_area;		/* -1 */
	int last_task;
	bool round;
};

/* A fault that a migration may follow. */
struct rb_task {
	uint64_t key;
	int area;
	int node;
	int first_access;	/* -1 */
	bool pending;
};

struct rb_access {
	int task, area;
	int next;		/* of the same task, -1 */
	int64_t faults;
};

struct rebuild {
	struct rebuild_args args;
	struct rebuild_ops ops;
	struct tidmap tids;
	struct rb_area *area;	/* by area id */
	struct rb_proc *proc;	/* by task id of the leader */
	struct rb_task *task;	/* by task id */
	struct rb_access *access;
	int nr_access, size_access;
	int *access_slot;	/* hash of (task, area): index + 1 */
	uint32_t access_mask;
	int *dirty;
	int nr_dirty, size_dirty;
	int64_t now, due_ns;	/* when what is dirty is given */
	int nr_nodes;
	bool balancing;
	int64_t count[REBUILD_NR_COUNTS];
};

/* More (or fewer) pages of an area on a node. */
int rb_add(struct rebuild *r, int area, int node, int64_t pages,
	   struct err *err);

/* Tells the demand; nothing if there is nobody to tell. */
int rb_tell(struct rebuild *r, const struct demand_mem *m, struct err *err);

/* The pages of an area that moved are on another node now, and it is told. */
int rb_move(struct rebuild *r, const struct demand_mem *m, struct err *err);

/* Takes all pages of an area off its nodes, without telling. */
int rb_clear(struct rebuild *r, int area, struct err *err);

/* Keys of huge blocks in a pagemap lie above those of pages. */
#define RB_HUGE_KEY (UINT64_C(1) << 47)

/* In a page's value: its last fault was a hinting fault, after which kernels
 * leave it write-protected; a write to it then brings no new page. */
#define RB_HINTED 0x4000

static inline int rb_node_of(int value)
{
	return value < 0 ? -1 : value & ~RB_HINTED;
}

static inline bool rb_is_huge(const struct rebuild *r, int area)
{
	return r->args.map->info[area].huge;
}

#endif
