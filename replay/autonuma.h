/* SPDX-License-Identifier: MIT */
/*
 * autonuma: Arcangeli's AutoNUMA of 2012 on the scheduler of that year (cfs34.h).
 *
 *	autonuma.c		set-up, tasks, what load balancing may do
 *	autonuma_pages.c	what a scan knows of pages; who touches which
 *	autonuma_scan.c		knuma_scand marks, knuma_migrated moves
 *	autonuma_fault.c	hinting faults, the two-hit filter
 *	autonuma_balance.c	where a task belongs
 *
 * Source: algorithms.md, sheet H.
 *
 * Assumed: all pages are anonymous, mapped once and without a policy of their
 * own; the two daemons take no CPU time and a hinting fault none of its task's;
 * a task walks over what it uses, one page after the other at an even pace
 * (walk_ns), and so meets its marked pages.  mm statistics are the pages of the
 * process on each node, as the pass counted them.
 */
#ifndef REPLAY_AUTONUMA_H
#define REPLAY_AUTONUMA_H

#include "replay/cfs34.h"

enum autonuma_knob {
	AUTONUMA_VARIANT = CFS34_NR_KNOBS, AUTONUMA_SCAN_CHUNK,
	AUTONUMA_SCAN_SLEEP, AUTONUMA_PASS_SLEEP, AUTONUMA_PMD,
	AUTONUMA_FILTER, AUTONUMA_MIGRATE, AUTONUMA_MIGRATE_CHUNK,
	AUTONUMA_MIGRATE_SLEEP, AUTONUMA_BALANCE, AUTONUMA_BALANCE_PERIOD,
	AUTONUMA_STRICT, AUTONUMA_WALK, AUTONUMA_NR_KNOBS
};

enum { AUTONUMA_ALPHA6, AUTONUMA_ALPHA14, AUTONUMA_AUG };

/* Pages of an area that a scan marks, and a fault meets, at once; at most
 * AUTONUMA_MAX_UNITS to an area, to bound memory. */
#define AUTONUMA_MAX_UNITS 16384

struct autonuma_unit {
	int16_t node;
	int16_t last_nid;	/* who faulted on it last, -1: nobody yet */
	int16_t wanted;		/* queued to move there, -1 */
	bool marked;
};

struct autonuma_area {
	struct autonuma_unit *unit;
	int nr, size, nr_marked;
	int next;		/* where to look for a marked one */
	int64_t per_unit;	/* pages */
	int64_t moved_ns;	/* when units were last sent elsewhere */
	int proc;		/* task id of the leader, -1 */
	int sibling;		/* next area of the process, -1 */
};

struct autonuma_mm {
	int first_area;		/* -1: none */
	int nr_tasks;		/* alive */
	int nr_marked;		/* units */
	int pass;		/* complete ones */
	int64_t *pages;		/* [node] in the last pass; NULL: none yet */
	int64_t *count;		/* [node] in this one */
	int64_t total;
};

struct autonuma_task {
	int node;		/* autonuma_node, -1: none */
	int pass;		/* of the process when it last faulted */
	int64_t *faults;	/* [node] pages; NULL: none yet */
	int64_t total;
	int64_t walked;		/* ns of walking not yet used up */
};

struct autonuma_move {
	int area, unit;
	int64_t per_unit;	/* of the area then: else it is gone */
};

/* Units that wait to move from one node to another. */
struct autonuma_queue {
	struct autonuma_move *move;
	int first, nr, size;
};

/* knuma_migrated of a node. */
struct autonuma_mover {
	int64_t waiting;	/* pages that are wanted here */
	int64_t next_ns;	/* not before */
	int turn;		/* source node */
	bool awake;
};

struct autonuma {
	struct cfs34 cfs;	/* first: fair.h's callbacks get all of it */
	const struct knob_value *knob;
	const struct view *v;	/* during a callback */
	struct decisions *d;
	int nr_nodes, nr_areas, nr_tasks;
	struct autonuma_area *area;
	struct autonuma_mm *mm;		/* [task id of a leader] */
	struct autonuma_task *task;
	struct autonuma_queue *queue;	/* [to * nr_nodes + from] */
	struct autonuma_mover *mover;	/* [node] */
	int64_t *balance_ns;		/* [cpu] when it asks next */
	int64_t scan_ns;		/* when knuma_scand goes on */
	int scan_mm, scan_area, scan_unit;	/* where; area -1: at the
						 * beginning of the process */
	int64_t scanned, last_scanned;	/* pages, this pass and the one before */
	int64_t unit_pages;		/* least of a unit */
};

/* -- autonuma.c */

/* Callbacks of the policy; the state is a struct autonuma. */
int autonuma_init(void **state, const struct view *v,
		  const struct knob_value *knobs, struct err *err);
void autonuma_exit(void *state);
void autonuma_init_task(void *state, const struct view *v, int task,
			int parent, struct decisions *d);
void autonuma_exit_task(void *state, const struct view *v, int task);

/* What was learnt of it and its process is forgotten. */
void autonuma_exec(struct autonuma *a, const struct view *v, int task);

/* -- autonuma_pages.c */

/* Brings the units of an area in line with the pages that are there; their nodes
 * only when what was sent elsewhere has had time to arrive. */
void autonuma_sync(struct autonuma *a, int area);

/* Where the task walks next; NULL: on a page that is not marked.  *area: of it,
 * -1: no page of what it uses is marked. */
struct autonuma_unit *autonuma_walk(struct autonuma *a, int task, int *area);

/* -- autonuma_scan.c */

/* The next chunk, if it is time. */
void autonuma_scan(struct autonuma *a);
void autonuma_want(struct autonuma *a, int area, int unit, int node);
void autonuma_cancel(struct autonuma *a, int area, int unit);
void autonuma_migrate(struct autonuma *a);

/* -- autonuma_fault.c */

/* H.2: a fault by a task on a node.  Queues or cancels the unit's move and
 * returns the node that is counted. */
int autonuma_filter(struct autonuma *a, int area, int unit, int node);
void autonuma_ran(struct autonuma *a, int task, int cpu, int64_t ns);

/* -- autonuma_balance.c */

/* In thousandths; 0 without statistics. */
int64_t autonuma_task_weight(const struct autonuma *a, int task, int node);
int64_t autonuma_mm_weight(const struct autonuma *a, int task, int node);
void autonuma_balance(struct autonuma *a, int cpu);

#endif
