/* SPDX-License-Identifier: MIT */
/*
 * numab: automatic NUMA balancing of Linux (since 3.8): pages are marked now
 * and then so that the next access faults; from these hinting faults a task
 * learns where its memory is, pages follow tasks and tasks follow pages.
 *
 *	numab.c		set-up, tasks, processes
 *	numab_pages.c	which pages lie where, who used them last
 *	numab_scan.c	marking (M.1)
 *	numab_fault.c	hinting faults, whether a page moves (M.2)
 *	numab_group.c	tasks that share pages
 *	numab_far.c	nodes that are farther away than others
 *	numab_place.c	the preferred node, the scan period (M.3)
 *	numab_move.c	going there, also by a swap (M.4)
 *
 * Source: algorithms.md, sheet M.1 to M.5, and what findings-replay.md adds: a
 * single-threaded process's pages on its own node are not marked; one page in
 * use lies where the parent ran when it forked; the scan period begins anew when
 * a task is moved away from its preferred node; placement goes by the faults of
 * the pass before.  Threads that fault on each other's pages form a group
 * (numab_group.c): it has one preferred node, takes longer between scans, and
 * keeps pages where it runs.
 *
 * Which page a task touches next is taken as even over those it uses (DESIGN,
 * locality).  It touches them faster than it can fault: as long as pages are
 * marked, one fault follows the other, fault_ns apart, and move_ns more for one
 * that moves its page.
 */
#ifndef REPLAY_NUMAB_H
#define REPLAY_NUMAB_H

#include "replay/fair.h"

#include <stdbool.h>
#include <stdint.h>

enum numab_knob {
	NUMAB_SCAN_DELAY = FAIR_NR_KNOBS, NUMAB_PERIOD_MIN, NUMAB_PERIOD_MAX,
	NUMAB_SCAN_SIZE, NUMAB_FAULT_NS, NUMAB_MOVE_NS, NUMAB_MARK_NS,
	NUMAB_SKIP_LOCAL, NUMAB_HOT_PAGE, NUMAB_SWAP, NUMAB_GROUPS, NUMAB_NR_KNOBS
};

/* Some pages that are treated as one, to bound memory: at most NUMAB_MAX_UNITS
 * to an area. */
#define NUMAB_MAX_UNITS 16384

/* The tasks of a process do not scan at once: two ticks of HZ 250, by the clock,
 * however long ticks last. */
#define NUMAB_STAGGER_NS INT64_C(8000000)

struct numab_unit {
	int last;		/* 1 + task that used it last, 0: unknown */
	int16_t last_node;	/* where that was */
	int16_t node;
	bool marked;
};

struct numab_area {
	struct numab_unit *unit;
	int nr, size, nr_marked;
	int next;		/* where to look for a marked one */
	int64_t per_unit;	/* pages */
	int64_t pages;
	int proc;		/* task id of the leader */
	int sibling;		/* next area of the process, -1 */
};

struct numab_proc {
	int first_area;		/* -1: none */
	int nr_tasks;		/* alive */
	int64_t next_scan_ns;
	int64_t period_ns;	/* of the task that scanned last, 0: none */
	int scan_seq;
	int scan_area, scan_unit;	/* where the scan goes on, area -1: at
					 * the beginning */
	struct numab_unit hot;	/* node -1: there is none */
};

/* Faults by node, private and shared. */
struct numab_faults {
	int64_t mem[2], cpu[2];
};

/* Tasks that fault on each other's pages: all that was learnt of one of them
 * counts for all.  It is kept in the place of the task that founded it. */
struct numab_group {
	int nr_tasks;		/* 0: there is none */
	int nr_active;		/* nodes on which it runs much */
	int64_t most_cpu;	/* faults from the node where it runs most */
	int64_t total;
	struct numab_faults *sum;	/* [node] of all members */
};

struct numab_task {
	int64_t runtime;	/* ns on CPUs */
	int64_t stamp;		/* of runtime: last scan; 0: none yet */
	int64_t period_ns;	/* 0: not begun */
	int64_t credit;		/* ns that are left of the time for faults */
	int64_t retry_ns;
	int64_t placed_ns, placed_runtime;	/* at the last placement */
	int64_t total;		/* faults, decayed */
	int64_t locality[3];	/* remote, local, failed to move */
	int scan_seq;
	int group;		/* 1 + its founder, 0: none */
	int preferred;		/* node, -1 */
	int node;		/* where it was seen last, -1 */
	struct numab_faults *sum, *buf;	/* [node] decayed, new; NULL: none */
};

/* Whether all nodes are as far from each other, or those farthest apart have some
 * between them, or are reached only behind others. */
enum numab_shape { NUMAB_DIRECT, NUMAB_MESH, NUMAB_BACKPLANE };

struct numab {
	struct fair fair;	/* first: fair.h's callbacks get all of it */
	const struct view *v;	/* during a callback */
	struct decisions *d;
	const struct knob_value *knob;
	int nr_nodes, nr_areas, nr_tasks;
	struct numab_area *area;
	struct numab_proc *proc;	/* [task id of a leader] */
	struct numab_task *task;
	struct numab_group *group;	/* [task that founded it] */
	struct fair_set *node_set;	/* [node] its online CPUs */
	int *node_cpu;			/* owns theirs */
	enum numab_shape shape;
	int farthest;		/* distance of two nodes */
	bool moved;		/* this callback has sent its task away */
};

/* -- numab.c */

/* Callbacks of the policy; the state is a struct numab. */
int numab_init(void **state, const struct view *v,
	       const struct knob_value *knobs, struct err *err);
void numab_exit(void *state);
void numab_init_task(void *state, const struct view *v, int task, int parent,
		     struct decisions *d);
void numab_exit_task(void *state, const struct view *v, int task);
void numab_ran(void *state, const struct view *v, int task, int cpu,
	       int64_t ns, bool goes_off, struct decisions *d);

int numab_degrades(void *numab, const struct view *v, int task, int src,
		   int dst, bool is_idle);
bool numab_has_faults(const struct numab *n, int task);

/* -- numab_pages.c */
void numab_touch(struct numab *n, int area, int node, int64_t pages);

/* Brings what is known in line with what is there (pages that were there from
 * the start, that were freed). */
void numab_sync(struct numab *n, int area);

/* A marked unit that the task uses; NULL: none.  *area: -1 for the hot one. */
struct numab_unit *numab_next_marked(struct numab *n, int task, int *area);

/* -- numab_scan.c */

/* Scan periods of a task, ns: the least, the one to begin with and the longest;
 * a group, which shares the work, takes longer. */
int64_t numab_scan_min(const struct numab *n, int task);
int64_t numab_scan_start(const struct numab *n, int task);
int64_t numab_scan_max(const struct numab *n, int task);

/* Marks pages if it is time; how many.  The task's next scan is later by 32 times
 * what this one took, in whole ticks: shorter scans are not seen to take any. */
int64_t numab_scan(struct numab *n, int task, int cpu);

/* -- numab_fault.c */

/* M.2, the two-stage filter: does a page move to the node of the task's CPU?
 * Notes who used it. */
bool numab_follows(struct numab *n, int task, int node, struct numab_unit *u);
void numab_fault(struct numab *n, int task, int cpu, bool goes_off);

/* -- numab_group.c */
struct numab_group *numab_group(const struct numab *n, int task); /* or NULL */

/* A task faults on a page that another used last, on that node: it founds a group
 * if it has none, and joins the other's if that is larger and the other one of
 * the same process that runs there now. */
void numab_group_meet(struct numab *n, int task, int last, int last_node);
void numab_group_leave(struct numab *n, int task);

int64_t numab_group_weight(const struct numab *n, int task, int node,
			   int within);
bool numab_group_is_active(const struct numab_group *g, int node);
void numab_group_count_active(struct numab *n, struct numab_group *g);

/* A scan period for as many tasks and as much sharing as the group has. */
int64_t numab_group_scale(const struct numab *n, int task, int64_t period);

/* Does a page that the task's group shares go from src to dst? */
bool numab_group_wants(const struct numab *n, int task, int src, int dst);

/* -- numab_place.c */
void numab_place(struct numab *n, int task);
void numab_adapt_period(struct numab *n, int task, int64_t private,
			int64_t shared);

/* Of the task's faults those on the node, as numab_part(); numab_rank(): of its
 * group where it has one. */
int64_t numab_weight(const struct numab *n, int task, int node, int within);
int64_t numab_rank(const struct numab *n, int task, int node, int within);

/* -- numab_far.c */
void numab_find_shape(struct numab *n);

/* Of the faults those on the node, in 1/1000, and where nodes are not all as far
 * apart those nearby: in a mesh the less the farther, behind a backplane those
 * nearer than within. */
int64_t numab_part(const struct numab *n, const struct numab_faults *sum,
		   int64_t total, int node, int within);

/* Where a group belongs (M.3); best: the node with most of its faults, -1. */
int numab_group_node(struct numab *n, const struct numab_group *g, int best);

/* -- numab_move.c */
void numab_move(struct numab *n, int task);

#endif
