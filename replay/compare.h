/* SPDX-License-Identifier: MIT */
/*
 * compare: runs put together in groups (a policy with its seeds), the first
 * group being the base, and what differs between them.
 *
 * compare_init(), compare_add() for each run of each group, compare_sort().
 */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include "replay/metrics.h"
#include "replay/stats.h"

struct err;

struct compare_group {
	struct stats total[METRIC_NR];
	struct stats *task;	/* [nr_tasks][METRIC_NR] */
	int nr_runs;
};

/* One metric of one task. */
struct compare_change {
	int task;
	enum metric metric;
	double weight;		/* how large the largest change is, as time */
};

struct compare {
	struct compare_group *group;
	int nr_groups, nr_tasks;
	struct compare_change *change;	/* of all tasks with spans somewhere, */
	int nr_changes;			/* largest first, after compare_sort() */
	int *task;			/* those tasks by their largest change */
	int nr_changed;
};

/* Release it also after an error. */
int compare_init(struct compare *c, int nr_groups, int nr_tasks,
		 struct err *err);
void compare_release(struct compare *c);

/* Adds a run: a sealed residency that was given all its spans. */
void compare_add(struct compare *c, int group, const struct residency *r,
		 int64_t pages_moved);

/*
 * Changes of the mean against the base, weighed as time so that metrics can be
 * put in one order: CPU time and waiting by themselves, elapsed time by the part
 * of it that the task ran (daemons only wait), locality by the CPU time it is of,
 * remote cost likewise, a node migration as 200 us and another one as 20 us
 * (cost.h, migrate_ns); rates have no weight of their own.
 */
int compare_sort(struct compare *c, struct err *err);

const struct stats *compare_of_task(const struct compare *c, int group,
				    int task, enum metric m);

#endif
