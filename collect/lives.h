/* SPDX-License-Identifier: MIT */
/*
 * lives: which task a tid is at a time, and what it is called, found from the
 * events in their order.  The rules stand at the head of ingest.h.
 */
#ifndef COLLECT_LIVES_H
#define COLLECT_LIVES_H

#include "collect/record.h"
#include "model/task.h"

#define LIVES_NAME_MAX 31	/* bytes of a comm; the kernel's have 15 */

/* A name that holds from a time on: what store_put_name() wants. */
struct name_change {
	int task;
	int64_t from_ns;
	char comm[LIVES_NAME_MAX + 1];
};

struct name_log {
	struct name_change *change;
	int nr, size;
};
void name_log_release(struct name_log *log);

/* A name that a tid is known to have had when the recording began. */
struct known_name {
	int tid;
	const char *comm;
};

/* What had to be guessed or mended. */
enum lives_repair {
	LIVES_FORK_NOT_SEEN,	/* an ended tid is seen again */
	LIVES_EXIT_NOT_SEEN,	/* a tid is born again without an end */
	LIVES_EARLY_CHILD,	/* a child is seen just before its fork */
	LIVES_PID_MINUS_ONE,	/* an exiting task's -1 put right */
	LIVES_NR_REPAIRS
};
const char *lives_repair_name(enum lives_repair r);

struct life;
struct lives_exec;

struct lives {
	struct tasks tasks;
	struct life *life;	/* by task id */
	int nr_lives;
	struct lives_slot *slot;	/* hash: tid to its latest task */
	int nr_slots, nr_used;
	int *running;		/* by CPU: tid, -1 unknown */
	int nr_cpus;
	struct lives_exec *exec;	/* in order of time */
	int nr_execs, size_execs;
	const struct known_name *known;	/* borrowed, sorted by tid */
	int nr_known;
	bool has_first;
	int64_t first_ts;	/* of the first event */
	int64_t repairs[LIVES_NR_REPAIRS];
	struct name_log *log;	/* where changes of names go */
};

/* `known` must be sorted by tid and outlive the events. */
void lives_init(struct lives *l, const struct known_name *known, int nr);
void lives_release(struct lives *l);

/* Takes one event; appends to l->log; may put a tid of -1 in it right. */
int lives_event(struct lives *l, struct record *r, struct err *err);

/* The task that had tid at ts; `create` makes one that was alive before the
 * recording where there is none.  TASK_NONE, with err set if it is for want of
 * memory. */
int lives_at(struct lives *l, int tid, int64_t ts, bool create, struct err *err);

/* Number of the last exec of the task at or before ts (its image), -1 none;
 * *since gets its time. */
int lives_image(const struct lives *l, int task, int64_t ts, int64_t *since);

/* True if any event named the task. */
bool lives_named(const struct lives *l, int task);

/* Gives a task that has no name yet one from its beginning. */
int lives_set_name(struct lives *l, int task, const char *comm, struct err *err);

/* Sets start times of those alive before, ends, and task[].comm. */
int lives_finish(struct lives *l, int64_t start_ns, struct err *err);

#endif
