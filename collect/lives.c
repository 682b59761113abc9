/* SPDX-License-Identifier: MIT */
#include "collect/lives.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

/* CPUs' clocks differ by less than this where a clock is usable at all. */
#define SKEW_NS 1000000

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

const char *lives_repair_name(enum lives_repair r)
{
	static const char *const names[LIVES_NR_REPAIRS] = {
		[LIVES_FORK_NOT_SEEN] = "fork_not_seen",
		[LIVES_EXIT_NOT_SEEN] = "exit_not_seen",
		[LIVES_EARLY_CHILD] = "early_child",
		[LIVES_PID_MINUS_ONE] = "pid_minus_one",
	};

	return names[r];
}

void name_log_release(struct name_log *log)
{
	free(log->change);
	*log = (struct name_log){ 0 };
}

void lives_init(struct lives *l, const struct known_name *known, int nr)
{
	*l = (struct lives){ .known = known, .nr_known = nr };
}

void lives_release(struct lives *l)
{
	tasks_release(&l->tasks);
	free(l->life);
	free(l->slot);
	free(l->running);
	free(l->exec);
	*l = (struct lives){ 0 };
}

static uint32_t hash(int tid)
{
	return (uint32_t)tid * UINT32_C(2654435761);
}

/* The slot of a tid, or the free one where it belongs. */
static struct lives_slot *find_slot(const struct lives *l, int tid)
{
	uint32_t mask = (uint32_t)l->nr_slots - 1, at = hash(tid) >> 7 & mask;

	while (l->slot[at].tid && l->slot[at].tid != tid)
		at = (at + 1) & mask;
	return &l->slot[at];
}

static int latest(const struct lives *l, int tid)
{
	struct lives_slot *slot;

	if (tid <= 0 || !l->nr_slots)
		return TASK_NONE;
	slot = find_slot(l, tid);
	return slot->tid ? slot->task : TASK_NONE;
}

static int grow_slots(struct lives *l, struct err *err)
{
	struct lives_slot *old = l->slot;
	int nr_old = l->nr_slots;

	if (l->nr_used < l->nr_slots - l->nr_slots / 4)
		return 0;
	l->nr_slots = nr_old ? nr_old * 2 : 1024;
	l->slot = calloc((size_t)l->nr_slots, sizeof(*l->slot));
	if (!l->slot) {
		l->slot = old;
		l->nr_slots = nr_old;
		return err_nomem(err);
	}
	for (int i = 0; i < nr_old; i++)
		if (old[i].tid)
			*find_slot(l, old[i].tid) = old[i];
	free(old);
	return 0;
}

static const char *known_name(const struct lives *l, int tid)
{
	int lo = 0, hi = l->nr_known;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (l->known[mid].tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->nr_known && l->known[lo].tid == tid ?
		l->known[lo].comm : NULL;
}

static void log_name(struct lives *l, int task, int64_t from, struct err *err)
{
	struct name_log *log = l->log;
	struct life *life = &l->life[task];

	if (life->flags & LIFE_NAMED && from <= life->name_from)
		from = life->name_from + 1;
	life->name_from = from;
	life->flags |= LIFE_NAMED;
	if (log->nr == log->size) {
		int size = log->size ? log->size * 2 : 64;
		struct name_change *new;

		new = realloc(log->change, (size_t)size * sizeof(*new));
		if (!new) {
			err_nomem(err);
			return;
		}
		log->change = new;
		log->size = size;
	}
	log->change[log->nr].task = task;
	log->change[log->nr].from_ns = from;
	memcpy(log->change[log->nr].comm, life->name, sizeof(life->name));
	log->nr++;
}

/* A number for a task and its life; TASK_NONE: no memory. */
static int add_life(struct lives *l, int tid, int64_t ts, struct err *err)
{
	struct task *task = tasks_add(&l->tasks, tid, ts);
	struct life *life;

	if (task && task->id >= l->nr_lives) {
		life = realloc(l->life, (size_t)l->tasks.size * sizeof(*life));
		if (life) {
			l->life = life;
			l->nr_lives = l->tasks.size;
		}
	}
	if (task && task->id < l->nr_lives)
		return task->id;
	err_nomem(err);
	return TASK_NONE;
}

/* A new task; `flags` LIFE_SIGHTED: it was alive before the recording. */
static int begin(struct lives *l, int tid, int64_t ts, uint8_t flags,
		 struct err *err)
{
	struct lives_slot *slot;
	const char *comm;
	struct life *life;
	int id;

	if (grow_slots(l, err) < 0)
		return TASK_NONE;
	id = add_life(l, tid, ts, err);
	if (id == TASK_NONE)
		return TASK_NONE;
	slot = find_slot(l, tid);
	life = &l->life[id];
	*life = (struct life){
		.first_ts = ts, .last_ts = ts, .exec_ts = NEVER, .last_exec = -1,
		.prev = slot->tid ? slot->task : TASK_NONE, .flags = flags,
	};
	if (!slot->tid)
		l->nr_used++;
	*slot = (struct lives_slot){ tid, id };
	if (!(flags & LIFE_SIGHTED))
		return id;
	l->tasks.task[id].flags |= TASK_F_BORN_BEFORE;
	comm = known_name(l, tid);
	if (comm) {
		strncpy(life->name, comm, LIVES_NAME_MAX);
		log_name(l, id, l->first_ts, err);
	}
	return id;
}

static void end(struct lives *l, int task, int64_t ts)
{
	l->life[task].flags |= LIFE_GONE;
	l->tasks.task[task].end_ns = ts;
}

/* A tid is seen.  `acts`: it runs or is about to; else it is only spoken of,
 * which another CPU may do a little after its end. */
static int sight(struct lives *l, int tid, int64_t ts, bool acts,
		 struct err *err)
{
	int id = latest(l, tid);
	struct life *life;

	if (tid <= 0)
		return TASK_NONE;
	if (id == TASK_NONE)
		return begin(l, tid, ts, LIFE_SIGHTED, err);
	life = &l->life[id];
	if (life->flags & LIFE_GONE) {
		if (!acts && ts <= l->tasks.task[id].end_ns + SKEW_NS)
			return id;
		l->repairs[LIVES_FORK_NOT_SEEN]++;
		return begin(l, tid, ts, 0, err);
	}
	if (ts > life->last_ts)
		life->last_ts = ts;
	return id;
}

/* A tid is new: by its fork, or by sched_wakeup_new. */
static int born(struct lives *l, int tid, int64_t ts, int parent, bool is_fork,
		struct err *err)
{
	int id = latest(l, tid);
	struct task *task;

	if (tid <= 0)
		return TASK_NONE;
	if (id != TASK_NONE && !(l->life[id].flags & LIFE_GONE)) {
		struct life *life = &l->life[id];

		if (!is_fork && life->flags & LIFE_FORKED) {
			life->flags &= (uint8_t)~LIFE_FORKED;
			return id;
		}
		if (life->flags & LIFE_SIGHTED && ts - life->first_ts < SKEW_NS) {
			l->repairs[LIVES_EARLY_CHILD]++;
			l->tasks.task[id].flags &= ~(uint32_t)TASK_F_BORN_BEFORE;
			life->flags &= (uint8_t)~LIFE_SIGHTED;
			goto found;
		}
		if (!(life->flags & LIFE_EXITING))
			l->repairs[LIVES_EXIT_NOT_SEEN]++;
		end(l, id, life->last_ts);
	}
	id = begin(l, tid, ts, 0, err);
	if (id == TASK_NONE)
		return id;
found:
	task = &l->tasks.task[id];
	task->parent = parent;
	if (is_fork)
		l->life[id].flags |= LIFE_FORKED;
	/* Kernel threads are children of kthreadd, which always has tid 2. */
	if (parent != TASK_NONE && l->tasks.task[parent].tid == 2) {
		task->flags |= TASK_F_KTHREAD;
		task->pid = tid;
	}
	return id;
}

/* From when on the first name that a task is seen with holds. */
static int64_t name_begin(const struct lives *l, const struct life *life)
{
	return life->flags & LIFE_SIGHTED ? l->first_ts : life->first_ts;
}

static void name(struct lives *l, int task, int64_t ts,
		 const struct record_name *n, struct err *err)
{
	struct life *life = &l->life[task];
	size_t len = n->len < LIVES_NAME_MAX ? (size_t)n->len : LIVES_NAME_MAX;
	int64_t from = ts;

	if (life->exec_ts != NEVER) {
		from = life->exec_ts;
		life->exec_ts = NEVER;
	}
	if (life->flags & LIFE_NAMED && memcmp(life->name, n->comm, len) == 0 &&
	    !life->name[len])
		return;
	if (!(life->flags & LIFE_NAMED))
		from = name_begin(l, life);
	memset(life->name, 0, sizeof(life->name));
	memcpy(life->name, n->comm, len);
	log_name(l, task, from, err);
}

/* Notes that the task got a new image, and what it is called then. */
static void add_exec(struct lives *l, int task, const struct record *r,
		     struct err *err)
{
	struct lives_exec *exec;
	size_t len;

	if (l->nr_execs == l->size_execs) {
		int size = l->size_execs ? l->size_execs * 2 : 64;

		exec = realloc(l->exec, (size_t)size * sizeof(*exec));
		if (!exec) {
			err_nomem(err);
			return;
		}
		l->exec = exec;
		l->size_execs = size;
	}
	exec = &l->exec[l->nr_execs];
	*exec = (struct lives_exec){
		.task = task, .prev = l->life[task].last_exec, .ts = r->event.ts,
	};
	if (r->nr_names) {
		len = (size_t)r->name[0].len;
		memcpy(exec->name, r->name[0].comm,
		       len < LIVES_NAME_MAX ? len : LIVES_NAME_MAX);
	}
	l->life[task].last_exec = l->nr_execs++;
	l->life[task].exec_ts = r->event.ts;
}

static void on_exec(struct lives *l, const struct record *r, struct err *err)
{
	const struct event *ev = &r->event;
	int old = latest(l, ev->exec.old_tid), leader, id;

	if (ev->exec.tid <= 0)
		return;
	l->running[ev->cpu] = ev->exec.tid;
	if (ev->exec.old_tid != ev->exec.tid && old != TASK_NONE) {
		leader = latest(l, ev->exec.tid);
		end(l, old, ev->ts);
		if (leader != TASK_NONE && !(l->life[leader].flags & LIFE_GONE))
			end(l, leader, ev->ts);
		id = begin(l, ev->exec.tid, ev->ts, 0, err);
		if (id != TASK_NONE && leader != TASK_NONE)
			l->tasks.task[id].parent = l->tasks.task[leader].parent;
	} else {
		id = sight(l, ev->exec.tid, ev->ts, true, err);
	}
	if (id == TASK_NONE)
		return;
	l->tasks.task[id].pid = ev->exec.tid;
	add_exec(l, id, r, err);
}

static void on_numa(struct lives *l, const struct event *ev, struct err *err)
{
	const int tid[] = { ev->numa.src_tid, ev->numa.dst_tid };
	const int tgid[] = { ev->numa.src_tgid, ev->numa.dst_tgid };

	for (int i = 0; i < 2; i++) {
		int id = sight(l, tid[i], ev->ts, false, err);

		if (id != TASK_NONE && tgid[i] > 0)
			l->tasks.task[id].pid = tgid[i];
	}
}

/*
 * Its exit tells which thread group a task was in: either that of its parent or
 * one of its own.  Not the last of its group and childless: it was no leader,
 * so its parent's.  The last one while its parent lives: not its parent's.
 */
static void on_exit_event(struct lives *l, int id, int group_dead)
{
	struct task *t = &l->tasks.task[id];
	struct life *life = &l->life[id];
	const struct life *parent;

	life->flags |= LIFE_EXITING;
	if (t->pid >= 0 || t->parent == TASK_NONE || group_dead < 0)
		return;
	parent = &l->life[t->parent];
	if (!group_dead && !(life->flags & LIFE_FORKS))
		life->flags |= LIFE_THREAD;
	else if (group_dead && !(parent->flags & (LIFE_GONE | LIFE_EXITING)))
		t->pid = t->tid;
}

static void on_switch(struct lives *l, struct event *ev, struct err *err)
{
	int *running = &l->running[ev->cpu], prev;

	if (ev->sw.prev_tid < 0 && *running >= 0) {
		ev->sw.prev_tid = *running;
		l->repairs[LIVES_PID_MINUS_ONE]++;
	}
	prev = sight(l, ev->sw.prev_tid, ev->ts, true, err);
	if (prev != TASK_NONE && ev->sw.state == STATE_DEAD)
		end(l, prev, ev->ts);
	sight(l, ev->sw.next_tid, ev->ts, true, err);
	*running = ev->sw.next_tid;
}

static int grow_cpus(struct lives *l, int cpu, struct err *err)
{
	int nr = cpu + 16, *new;

	if (cpu < l->nr_cpus)
		return 0;
	new = realloc(l->running, (size_t)nr * sizeof(*new));
	if (!new)
		return err_nomem(err);
	for (int i = l->nr_cpus; i < nr; i++)
		new[i] = -1;
	l->running = new;
	l->nr_cpus = nr;
	return 0;
}

static void on_fork_kind(struct lives *l, int id, const struct record *r)
{
	if (r->fork == FORK_PROCESS)
		l->tasks.task[id].pid = l->tasks.task[id].tid;
	else if (r->fork == FORK_THREAD && l->tasks.task[id].parent != TASK_NONE)
		l->life[id].flags |= LIFE_THREAD;
}

static void on_kind(struct lives *l, struct record *r, struct err *err)
{
	struct event *ev = &r->event;
	int id;

	switch (ev->kind) {
	case EVENT_SWITCH:
		on_switch(l, ev, err);
		break;
	case EVENT_MIGRATE_TASK:
		sight(l, ev->migrate.tid, ev->ts, false, err);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
		sight(l, ev->wake.tid, ev->ts, false, err);
		break;
	case EVENT_WAKEUP_NEW:
		born(l, ev->wake.tid, ev->ts, latest(l, ev->tid), false, err);
		break;
	case EVENT_FORK:
		id = sight(l, ev->fork.parent_tid, ev->ts, true, err);
		if (id != TASK_NONE)
			l->life[id].flags |= LIFE_FORKS;
		id = born(l, ev->fork.child_tid, ev->ts, id, true, err);
		if (id != TASK_NONE)
			on_fork_kind(l, id, r);
		break;
	case EVENT_EXEC:
		on_exec(l, r, err);
		break;
	case EVENT_EXIT:
		id = sight(l, ev->exit.tid, ev->ts, true, err);
		if (id != TASK_NONE)
			on_exit_event(l, id, r->group_dead);
		break;
	case EVENT_MOVE_NUMA:
	case EVENT_SWAP_NUMA:
	case EVENT_STICK_NUMA:
		on_numa(l, ev, err);
		break;
	}
}

int lives_event(struct lives *l, struct record *r, struct err *err)
{
	struct event *ev = &r->event;

	if (!l->has_first) {
		l->has_first = true;
		l->first_ts = ev->ts;
	}
	if (grow_cpus(l, ev->cpu, err) < 0)
		return err->code;
	if (ev->tid < 0 && l->running[ev->cpu] >= 0)
		ev->tid = l->running[ev->cpu];
	/* Who runs was seen when it was switched to. */
	if (ev->kind != EVENT_SWITCH && ev->kind != EVENT_EXEC &&
	    ev->tid != l->running[ev->cpu]) {
		sight(l, ev->tid, ev->ts, false, err);
		l->running[ev->cpu] = ev->tid;
	}
	on_kind(l, r, err);
	for (int i = 0; i < r->nr_names && ev->kind != EVENT_EXEC; i++) {
		int id = latest(l, r->name[i].tid);

		if (id != TASK_NONE)
			name(l, id, ev->ts, &r->name[i], err);
	}
	return err->code;
}

int lives_at(struct lives *l, int tid, int64_t ts, bool create, struct err *err)
{
	int id = latest(l, tid), oldest = id;

	if (tid <= 0)
		return TASK_NONE;
	for (; id != TASK_NONE; id = l->life[id].prev) {
		oldest = id;
		if (l->tasks.task[id].flags & TASK_F_BORN_BEFORE ||
		    l->tasks.task[id].start_ns <= ts)
			return id;
	}
	if (!create)
		return TASK_NONE;
	if (oldest != TASK_NONE)
		return oldest;
	return begin(l, tid, l->first_ts, LIFE_SIGHTED, err);
}

int lives_image(const struct lives *l, int task, int64_t ts, int64_t *since)
{
	int at = l->life[task].last_exec;

	while (at >= 0 && l->exec[at].ts > ts)
		at = l->exec[at].prev;
	if (at >= 0)
		*since = l->exec[at].ts;
	return at;
}

bool lives_named(const struct lives *l, int task)
{
	return l->life[task].flags & LIFE_NAMED;
}

int lives_set_name(struct lives *l, int task, const char *comm, struct err *err)
{
	struct life *life = &l->life[task];

	strncpy(life->name, comm, LIVES_NAME_MAX);
	log_name(l, task, name_begin(l, life), err);
	return err->code;
}

int lives_finish(struct lives *l, int64_t start_ns, struct err *err)
{
	for (int i = 0; i < l->tasks.nr; i++) {
		struct task *task = &l->tasks.task[i];
		struct life *life = &l->life[i];
		char *comm;

		if (task->flags & TASK_F_BORN_BEFORE)
			task->start_ns = start_ns;
		/* Parents come before their children. */
		if (life->flags & LIFE_THREAD && task->pid < 0)
			task->pid = l->tasks.task[task->parent].pid;
		if (life->flags & LIFE_EXITING && !(life->flags & LIFE_GONE))
			task->end_ns = life->last_ts;
		if (life->exec_ts != NEVER && life->last_exec >= 0 &&
		    l->exec[life->last_exec].name[0]) {
			memcpy(life->name, l->exec[life->last_exec].name,
			       sizeof(life->name));
			log_name(l, i, life->exec_ts, err);
		}
		comm = strdup(life->name);
		if (!comm)
			return err_nomem(err);
		free(task->comm);
		task->comm = comm;
	}
	return err->code;
}
