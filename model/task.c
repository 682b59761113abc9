/* SPDX-License-Identifier: MIT */
#include "model/task.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

void tasks_release(struct tasks *t)
{
	for (int i = 0; i < t->nr; i++) {
		cpumask_release(&t->task[i].affinity);
		free(t->task[i].comm);
		free(t->task[i].cgroup);
		free(t->task[i].nspid);
	}
	free(t->task);
	free(t->by_tid);
	*t = (struct tasks){ 0 };
}

struct task *tasks_add(struct tasks *t, int tid, int64_t start_ns)
{
	struct task *task;
	char *comm;

	if (t->nr == t->size) {
		int size = t->size ? t->size * 2 : 64;

		task = realloc(t->task, (size_t)size * sizeof(*task));
		if (!task)
			return NULL;
		t->task = task;
		t->size = size;
	}
	comm = calloc(1, 1);
	if (!comm)
		return NULL;
	task = &t->task[t->nr];
	*task = (struct task){
		.id = t->nr, .tid = tid, .pid = -1, .parent = TASK_NONE,
		.start_ns = start_ns, .end_ns = -1, .nice = NICE_UNKNOWN,
		.comm = comm,
	};
	t->nr++;
	return task;
}

static int by_tid(const void *pa, const void *pb, void *ctx)
{
	const struct task *task = ctx;
	const struct task *a = &task[*(const int *)pa];
	const struct task *b = &task[*(const int *)pb];

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->id < b->id ? -1 : 1;
}

int tasks_index(struct tasks *t, struct err *err)
{
	int *ids = malloc(((size_t)t->nr + 1) * sizeof(*ids));

	if (!ids)
		return err_nomem(err);
	for (int i = 0; i < t->nr; i++)
		ids[i] = i;
	if (t->nr)
		qsort_r(ids, (size_t)t->nr, sizeof(*ids), by_tid, t->task);
	free(t->by_tid);
	t->by_tid = ids;
	t->nr_by_tid = t->nr;
	return 0;
}

int tasks_find(const struct tasks *t, int tid, int64_t ts)
{
	int lo = 0, hi = t->nr_by_tid;

	/* The first one that is past (tid, ts). */
	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;
		const struct task *task = &t->task[t->by_tid[mid]];

		if (task->tid < tid || (task->tid == tid && task->start_ns <= ts))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (tid == 0)
		return TASK_NONE;
	if (lo > 0 && t->task[t->by_tid[lo - 1]].tid == tid)
		return t->by_tid[lo - 1];
	if (lo < t->nr_by_tid && t->task[t->by_tid[lo]].tid == tid)
		return t->by_tid[lo];
	return TASK_NONE;
}

bool task_percpu_name(const char *comm, int *cpu)
{
	static const char *const names[] = {
		"kworker", "migration", "ksoftirqd", "cpuhp", "watchdog",
		"rcuc", "ktimers", "irq_work", "idle_inject", "backlog_napi",
		"stopper", "events",
	};
	const char *slash = strchr(comm, '/');
	char *end;
	long n;

	if (!slash || slash[1] < '0' || slash[1] > '9')
		return false;
	n = strtol(slash + 1, &end, 10);
	if (n >= CPUMASK_MAX)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);
		bool worker = i == 0;

		if (len != (size_t)(slash - comm) ||
		    strncmp(comm, names[i], len) != 0)
			continue;
		if (*end != (worker ? ':' : '\0'))
			return false;
		*cpu = (int)n;
		return true;
	}
	return false;
}

int tasks_command(const struct tasks *t)
{
	for (int i = 0; i < t->nr; i++)
		if (t->task[i].flags & TASK_F_COMMAND)
			return i;
	return TASK_NONE;
}

int *tasks_leaders(const struct tasks *t)
{
	int *leader = malloc(((size_t)t->nr + 1) * sizeof(*leader));

	for (int i = 0; leader && i < t->nr; i++) {
		int id = t->task[i].pid <= 0 ? TASK_NONE :
			tasks_find(t, t->task[i].pid, t->task[i].start_ns);

		leader[i] = id == TASK_NONE ? i : id;
	}
	return leader;
}
