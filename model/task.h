/* SPDX-License-Identifier: MIT */
/*
 * task: who ran.  A task is (tid, start time), since tids are reused; its
 * number `id` (index into struct tasks, stable in one file) is what spans,
 * demand and replays use.  Idle tasks (tid 0, one per CPU) are not tasks: they
 * have no number, and a CPU without a span is idle.
 */
#ifndef MODEL_TASK_H
#define MODEL_TASK_H

#include "model/cpumask.h"

#include <stdint.h>

struct err;

#define TASK_NONE (-1)

enum task_flag {
	TASK_F_KTHREAD = 1,	/* a kernel thread */
	TASK_F_BORN_BEFORE = 2,	/* was alive when the recording began */
	TASK_F_RECORDER = 4,	/* homenode's own thread: not shown */
	TASK_F_COMMAND = 8,	/* the COMMAND whose run was recorded */
};

struct task {
	int id;
	int tid;
	int pid;		/* thread group (tgid); -1: unknown */
	int parent;		/* task id of who forked it; TASK_NONE */
	int64_t start_ns;	/* fork, or the capture's start if BORN_BEFORE */
	int64_t end_ns;		/* its last switch away; -1: alive at the end */
	uint32_t flags;		/* enum task_flag */
	int nice;		/* -20..19; NICE_UNKNOWN */
	struct cpumask affinity;	/* empty: unknown or unrestricted */
	char *comm;		/* last known name; any bytes, never NULL */
	char *cgroup;		/* path at first sight, NULL: unknown */
	char *nspid;		/* "1234 17": pids outer to inner, NULL */
};

#define NICE_UNKNOWN 127

struct tasks {
	int nr, size;
	struct task *task;	/* task[i].id == i */
	int *by_tid;		/* private: ids sorted by (tid, start_ns) */
	int nr_by_tid;
};

void tasks_release(struct tasks *t);

/* Appends a task (BORN_BEFORE unset, pid -1, nice unknown, comm "");
 * returns it, valid until the next add; NULL: no memory. */
struct task *tasks_add(struct tasks *t, int tid, int64_t start_ns);

/* Call when all are added (or loaded), before tasks_find(). */
int tasks_index(struct tasks *t, struct err *err);

/* The id of the task that had this tid at a time: the last one that started
 * at or before it, else the first one; TASK_NONE for tid 0 and unknown. */
int tasks_find(const struct tasks *t, int tid, int64_t ts);

/* The task of the COMMAND that was recorded, whose end is that of the work;
 * TASK_NONE: the recording was not of one. */
int tasks_command(const struct tasks *t);

/* Allocated: for each task id the id of its process's leader (the task whose tid
 * is its pid when it starts); itself where the pid is unknown.  NULL: no memory. */
int *tasks_leaders(const struct tasks *t);

/* True for per-CPU kernel threads by their names (kworker/3:1, migration/3,
 * ksoftirqd/3, cpuhp/3 ...); sets *cpu.  kworker/u8:2 is not one. */
bool task_percpu_name(const char *comm, int *cpu);

#endif
