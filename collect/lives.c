/* SPDX-License-Identifier: MIT */
#include "collect/lives_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

/* CPUs' clocks differ by less than this where a clock is usable at all. */
#define SKEW_NS 1000000

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

int lives_latest(const struct lives *l, int tid)
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
int lives_begin(struct lives *l, int tid, int64_t ts, uint8_t flags,
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

void lives_end(struct lives *l, int task, int64_t ts)
{
	l->life[task].flags |= LIFE_GONE;
	l->tasks.task[task].end_ns = ts;
}

/* A tid is seen.  `acts`: it runs or is about to; else it is only spoken of,
 * which another CPU may do a little after its end. */
int lives_sight(struct lives *l, int tid, int64_t ts, bool acts,
		struct err *err)
{
	int id = lives_latest(l, tid);
	struct life *life;

	if (tid <= 0)
		return TASK_NONE;
	if (id == TASK_NONE)
		return lives_begin(l, tid, ts, LIFE_SIGHTED, err);
	life = &l->life[id];
	if (life->flags & LIFE_GONE) {
		if (!acts && ts <= l->tasks.task[id].end_ns + SKEW_NS)
			return id;
		l->repairs[LIVES_FORK_NOT_SEEN]++;
		return lives_begin(l, tid, ts, 0, err);
	}
	if (ts > life->last_ts)
		life->last_ts = ts;
	return id;
}

/* A tid is new: by its fork, or by sched_wakeup_new. */
int lives_born(struct lives *l, int tid, int64_t ts, int parent, bool is_fork,
	       struct err *err)
{
	int id = lives_latest(l, tid);
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
		lives_end(l, id, life->last_ts);
	}
	id = lives_begin(l, tid, ts, 0, err);
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

void lives_name(struct lives *l, int task, int64_t ts,
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

int lives_at(struct lives *l, int tid, int64_t ts, bool create, struct err *err)
{
	int id = lives_latest(l, tid), oldest = id;

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
	return lives_begin(l, tid, l->first_ts, LIFE_SIGHTED, err);
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
