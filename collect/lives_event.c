/* SPDX-License-Identifier: MIT */
#include "collect/lives_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

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
	int old = lives_latest(l, ev->exec.old_tid), leader, id;

	if (ev->exec.tid <= 0)
		return;
	l->running[ev->cpu] = ev->exec.tid;
	if (ev->exec.old_tid != ev->exec.tid && old != TASK_NONE) {
		leader = lives_latest(l, ev->exec.tid);
		lives_end(l, old, ev->ts);
		if (leader != TASK_NONE && !(l->life[leader].flags & LIFE_GONE))
			lives_end(l, leader, ev->ts);
		id = lives_begin(l, ev->exec.tid, ev->ts, 0, err);
		if (id != TASK_NONE && leader != TASK_NONE)
			l->tasks.task[id].parent = l->tasks.task[leader].parent;
	} else {
		id = lives_sight(l, ev->exec.tid, ev->ts, true, err);
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
		int id = lives_sight(l, tid[i], ev->ts, false, err);

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
	prev = lives_sight(l, ev->sw.prev_tid, ev->ts, true, err);
	if (prev != TASK_NONE && ev->sw.state == STATE_DEAD)
		lives_end(l, prev, ev->ts);
	lives_sight(l, ev->sw.next_tid, ev->ts, true, err);
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
		lives_sight(l, ev->migrate.tid, ev->ts, false, err);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
		lives_sight(l, ev->wake.tid, ev->ts, false, err);
		break;
	case EVENT_WAKEUP_NEW:
		lives_born(l, ev->wake.tid, ev->ts, lives_latest(l, ev->tid), false, err);
		break;
	case EVENT_FORK:
		id = lives_sight(l, ev->fork.parent_tid, ev->ts, true, err);
		if (id != TASK_NONE)
			l->life[id].flags |= LIFE_FORKS;
		id = lives_born(l, ev->fork.child_tid, ev->ts, id, true, err);
		if (id != TASK_NONE)
			on_fork_kind(l, id, r);
		break;
	case EVENT_EXEC:
		on_exec(l, r, err);
		break;
	case EVENT_EXIT:
		id = lives_sight(l, ev->exit.tid, ev->ts, true, err);
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
		lives_sight(l, ev->tid, ev->ts, false, err);
		l->running[ev->cpu] = ev->tid;
	}
	on_kind(l, r, err);
	for (int i = 0; i < r->nr_names && ev->kind != EVENT_EXEC; i++) {
		int id = lives_latest(l, r->name[i].tid);

		if (id != TASK_NONE)
			lives_name(l, id, ev->ts, &r->name[i], err);
	}
	return err->code;
}
