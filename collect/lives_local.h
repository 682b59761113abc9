/* SPDX-License-Identifier: MIT */
/*
 * lives_local: what lives.c (tasks and their names) and lives_event.c (what
 * each kind of event tells of them) share.
 */
#ifndef COLLECT_LIVES_LOCAL_H
#define COLLECT_LIVES_LOCAL_H

#include "collect/lives.h"

#define NEVER INT64_MIN

enum {
	LIFE_EXITING = 1,	/* its sched_process_exit was seen */
	LIFE_GONE = 2,		/* it will not run again */
	LIFE_FORKED = 4,	/* sched_wakeup_new is still to come */
	LIFE_SIGHTED = 8,	/* began with being seen */
	LIFE_NAMED = 16,
	LIFE_FORKS = 32,	/* it has children */
	LIFE_THREAD = 64,	/* it is of its parent's thread group */
};

struct life {
	int64_t first_ts, last_ts;	/* seen */
	int64_t name_from;
	int64_t exec_ts;	/* of an exec whose name was not seen yet */
	int prev;		/* the task that had this tid before */
	int last_exec;
	uint8_t flags;
	char name[LIVES_NAME_MAX + 1];
};

struct lives_slot {
	int tid;		/* 0: free */
	int task;
};

struct lives_exec {
	int task;
	int prev;		/* the same task's exec before */
	int64_t ts;
	char name[LIVES_NAME_MAX + 1];
};

/* The latest task of a tid, TASK_NONE. */
int lives_latest(const struct lives *l, int tid);

/* All of these return TASK_NONE for tid 0 and below, and with err set for want
 * of memory. */
int lives_begin(struct lives *l, int tid, int64_t ts, uint8_t flags,
		struct err *err);
int lives_sight(struct lives *l, int tid, int64_t ts, bool acts,
		struct err *err);
int lives_born(struct lives *l, int tid, int64_t ts, int parent, bool is_fork,
	       struct err *err);

void lives_end(struct lives *l, int task, int64_t ts);

/* The task is called this at ts. */
void lives_name(struct lives *l, int task, int64_t ts,
		const struct record_name *n, struct err *err);

#endif
