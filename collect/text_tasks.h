/* SPDX-License-Identifier: MIT */
/*
 * text_tasks: what the heads of the lines say of tasks beside the events: the
 * thread group, where there is a column of it, and the name, which may be that
 * of another time.  Each task is remembered once, up to TEXT_TASKS_MAX of them.
 */
#ifndef COLLECT_TEXT_TASKS_H
#define COLLECT_TEXT_TASKS_H

#include "collect/ingest.h"

#define TEXT_TASKS_MAX 131072

struct text_tasks {
	struct text_task *task;
	int nr, size;
	int *slot;		/* hash: tid to the latest of task[], -1 free */
	int nr_slots;
};

void text_tasks_release(struct text_tasks *t);

/* A head was seen; tgid -1 and len 0: it did not tell. */
int text_tasks_see(struct text_tasks *t, int64_t ts, int tid, int tgid,
		   const char *comm, int len, struct err *err);

/* A task of that tid was born: what was said before was of another one. */
void text_tasks_born(struct text_tasks *t, int tid);

/* Gives all of it to ingest. */
int text_tasks_put(const struct text_tasks *t, struct ingest *in,
		   struct err *err);

#endif
