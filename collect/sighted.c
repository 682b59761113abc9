/* SPDX-License-Identifier: MIT */
#include "collect/sighted.h"

#include "collect/lives.h"
#include "model/err.h"

#include <stdlib.h>
#include <string.h>

struct sighted_task {
	int64_t ts;
	int tid, tgid;
	bool is_over;
	char comm[LIVES_NAME_MAX + 1];
};

void sighted_release(struct sighted *t)
{
	free(t->task);
	free(t->slot);
	*t = (struct sighted){ 0 };
}

static int *find(const struct sighted *t, int tid)
{
	unsigned mask = (unsigned)t->nr_slots - 1;
	unsigned at = (unsigned)tid * 2654435761u & mask;

	while (t->slot[at] >= 0 && t->task[t->slot[at]].tid != tid)
		at = (at + 1) & mask;
	return &t->slot[at];
}

static int grow(struct sighted *t, struct err *err)
{
	int size = t->size ? t->size * 2 : 256;
	struct sighted_task *task = realloc(t->task, (size_t)size * sizeof(*task));
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

int sighted_see(struct sighted *t, int64_t ts, int tid, int tgid,
		const char *comm, int len, struct err *err)
{
	struct sighted_task *new;
	int *slot;

	if (tid <= 0)
		return 0;
	if (t->nr == t->size && t->nr < SIGHTED_MAX && grow(t, err) < 0)
		return err->code;
	slot = find(t, tid);
	if (*slot >= 0 && !t->task[*slot].is_over &&
	    (tgid < 0 || t->task[*slot].tgid == tgid))
		return 0;
	if (*slot >= 0 && !t->task[*slot].is_over && t->task[*slot].tgid < 0) {
		t->task[*slot].tgid = tgid;
		return 0;
	}
	if (t->nr == SIGHTED_MAX)
		return 0;
	*slot = t->nr;
	new = &t->task[t->nr++];
	*new = (struct sighted_task){ .ts = ts, .tid = tid, .tgid = tgid };
	if (len > LIVES_NAME_MAX)
		len = LIVES_NAME_MAX;
	if (len != 5 || memcmp(comm, "<...>", 5) != 0)
		memcpy(new->comm, comm, (size_t)len);
	return 0;
}

void sighted_born(struct sighted *t, int tid)
{
	int *slot = t->nr ? find(t, tid) : NULL;

	if (slot && *slot >= 0)
		t->task[*slot].is_over = true;
}

int sighted_put(const struct sighted *t, struct ingest *in,
		struct err *err)
{
	int code = 0;

	for (int i = 0; i < t->nr && code == 0; i++) {
		const struct sighted_task *task = &t->task[i];
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
