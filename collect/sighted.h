/* SPDX-License-Identifier: MIT */
/*
 * sighted: what a recording says of tasks beside its events: the thread group,
 * and the name, which may be that of another time.  Each task is remembered once,
 * up to SIGHTED_MAX of them, until one with its tid is born.
 */
#ifndef COLLECT_SIGHTED_H
#define COLLECT_SIGHTED_H

#include "collect/ingest.h"

#define SIGHTED_MAX 131072

struct sighted {
	struct sighted_task *task;
	int nr, size;
	int *slot;		/* hash: tid to the latest of task[], -1 free */
	int nr_slots;
};

void sighted_release(struct sighted *t);

/* A task was seen; tgid -1 and len 0: nothing was told. */
int sighted_see(struct sighted *t, int64_t ts, int tid, int tgid,
		const char *comm, int len, struct err *err);

/* A task of that tid was born: what was said before was of another one. */
void sighted_born(struct sighted *t, int tid);

/* Gives all of it to ingest. */
int sighted_put(const struct sighted *t, struct ingest *in,
		struct err *err);

#endif
