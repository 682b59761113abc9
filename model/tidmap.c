/* SPDX-License-Identifier: MIT */
#include "model/tidmap.h"

#include "model/err.h"
#include "model/task.h"

#include <stdlib.h>

/* The tasks of one tid are by_tid[at .. end); the current one is by_tid[at]. */
struct tidmap_slot {
	int tid;		/* 0: free */
	int at, end;
};

static struct tidmap_slot *slot_of(const struct tidmap *m, int tid)
{
	uint32_t i = (uint32_t)tid * 2654435761u;

	for (i &= m->mask; m->slot[i].tid && m->slot[i].tid != tid; )
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

int tidmap_init(struct tidmap *m, const struct tasks *tasks, struct err *err)
{
	uint32_t size = 16;

	while (size < 2 * (uint32_t)tasks->nr_by_tid)
		size *= 2;
	*m = (struct tidmap){ .tasks = tasks, .mask = size - 1 };
	m->slot = calloc(size, sizeof(*m->slot));
	if (!m->slot)
		return err_nomem(err);
	for (int i = 0; i < tasks->nr_by_tid; i++) {
		int tid = tasks->task[tasks->by_tid[i]].tid;
		struct tidmap_slot *s;

		if (!tid)
			continue;
		s = slot_of(m, tid);
		if (!s->tid)
			*s = (struct tidmap_slot){ .tid = tid, .at = i };
		s->end = i + 1;
	}
	return 0;
}

void tidmap_release(struct tidmap *m)
{
	free(m->slot);
	*m = (struct tidmap){ 0 };
}

int tidmap_find(struct tidmap *m, int tid, int64_t ts)
{
	const struct tasks *t = m->tasks;
	struct tidmap_slot *s;

	if (!tid)
		return TASK_NONE;
	s = slot_of(m, tid);
	if (!s->tid)
		return TASK_NONE;
	while (s->at + 1 < s->end &&
	       t->task[t->by_tid[s->at + 1]].start_ns <= ts)
		s->at++;
	return t->by_tid[s->at];
}
