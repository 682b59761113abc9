/* SPDX-License-Identifier: MIT */
#include "collect/text_tasks.h"

#include "collect/lives.h"
#include "model/err.h"

#include <stdlib.h>
#include <string.h>

struct text_task {
	int64_t ts;
	int tid, tgid;
	bool is_over;
	char comm[LIVES_NAME_MAX + 1];
};

void text_tasks_release(struct text_tasks *t)
{
	free(t->task);
	free(t->slot);
	*t = (struct text_tasks){ 0 };
}

static int *find(const struct text_tasks *t, int tid)
{
	unsigned mask = (unsigned)t->nr_slots - 1;
	unsigned at = (unsigned)tid * 2654435761u & mask;

	while (t->slot[at] >= 0 && t->task[t->slot[at]].tid != tid)
		at = (at + 1) & mask;
	return &t->slot[at];
}

static int grow(struct text_tasks *t, struct err *err)
{
	int size = t->size ? t->size * 2 : 256;
	struct text_task *task = realloc(t->task, (size_t)size * sizeof(*task));
	int *slot;

	if (!task)
		return err_nomem(err);
	t->task = task;
	slot = realloc(t->slot, (size_t)size * 2 * sizeof(*slot));
	if (!slot)
		return err_nomem(err);
	t->slot = slot;
	t->size = size;
	t->nr_slots = size * 2;
	for (int i = 0; i < t->nr_slots; i++)
		slot[i] = -1;
	for (int i = 0; i < t->nr; i++)
		*find(t, task[i].tid) = i;
	return 0;
}

int text_tasks_see(struct text_tasks *t, int64_t ts, int tid, int tgid,
		   const char *comm, int len, struct err *err)
{
	struct text_task *new;
	int *slot;

	if (tid <= 0)
		return 0;
	if (t->nr == t->size && t->nr < TEXT_TASKS_MAX && grow(t, err) < 0)
		return err->code;
	slot = find(t, tid);
	if (*slot >= 0 && !t->task[*slot].is_over &&
	    (tgid < 0 || t->task[*slot].tgid == tgid))
		return 0;
	if (*slot >= 0 && !t->task[*slot].is_over && t->task[*slot].tgid < 0) {
		t->task[*slot].tgid = tgid;
		return 0;
	}
	if (t->nr == TEXT_TASKS_MAX)
		return 0;
	*slot = t->nr;
	new = &t->task[t->nr++];
	*new = (struct text_task){ .ts = ts, .tid = tid, .tgid = tgid };
	if (len > LIVES_NAME_MAX)
		len = LIVES_NAME_MAX;
	if (len != 5 || memcmp(comm, "<...>", 5) != 0)
		memcpy(new->comm, comm, (size_t)len);
	return 0;
}

void text_tasks_born(struct text_tasks *t, int tid)
{
	int *slot = t->nr ? find(t, tid) : NULL;

	if (slot && *slot >= 0)
		t->task[*slot].is_over = true;
}

int text_tasks_put(const struct text_tasks *t, struct ingest *in,
		   struct err *err)
{
	int code = 0;

	for (int i = 0; i < t->nr && code == 0; i++) {
		const struct text_task *task = &t->task[i];
		struct task_fact f = {
			.ts = task->ts, .tid = task->tid, .pid = task->tgid,
			.nice = NICE_UNKNOWN,
		};

		if (f.pid > 0)
			code = ingest_task_fact(in, &f, err);
		f.pid = -1;
		f.comm = task->comm;
		f.weak_comm = true;
		if (code == 0 && f.comm[0])
			code = ingest_task_fact(in, &f, err);
	}
	return code;
}
