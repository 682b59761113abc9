/* SPDX-License-Identifier: MIT */
#include "model/timeline_local.h"

#include "model/err.h"

static int handle_switch(struct timeline *tl, const struct event *ev,
			 struct err *err)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];
	int prev = ev->sw.prev_tid, task;

	if (prev < 0)
		prev = c->cur_tid;
	if (ev->tid >= 0 && ev->tid != prev && !tl->distrust) {
		tl->distrust = true;
		tl->count[TIMELINE_TID_DISTRUST]++;
	}
	if (prev >= 0 && tl_sync_cpu(tl, ev->cpu, prev, err))
		return err->code;
	task = c->cur;
	c->cur = CUR_IDLE;
	c->cur_tid = 0;
	if (task >= 0 && tl_go_off(tl, task, tl->now, ev->sw.state, 0, err))
		return err->code;
	task = tl_task_of(tl, ev->sw.next_tid);
	if (task == TASK_NONE) {
		c->cur_tid = ev->sw.next_tid;
		return 0;
	}
	return tl_go_on(tl, task, ev->cpu, err);
}

static int waker_of(const struct timeline *tl, const struct event *ev)
{
	int cur = tl->cpu[ev->cpu].cur;

	if (ev->flags & (EVENT_F_HARDIRQ | EVENT_F_SOFTIRQ | EVENT_F_NMI))
		return TASK_NONE;
	return cur >= 0 ? cur : TASK_NONE;
}

static int wake_running(struct timeline *tl, const struct event *ev, int task,
			int waker, struct err *err)
{
	struct tl_task *st = &tl->state[task];

	if (ev->kind != EVENT_WAKING)
		return st->kept ? tl_drop_kept(tl, task, err) : 0;
	if (st->kept) {
		tl->count[TIMELINE_WAKE_REPEATED]++;
		return 0;
	}
	tl->count[TIMELINE_WAKE_RUNNING]++;
	st->kept = true;
	st->kept_waker = waker;
	return tl_give_wake(tl, TIMELINE_WAKE_EARLY, task, waker, err);
}

static int handle_wake(struct timeline *tl, const struct event *ev,
		       struct err *err)
{
	int task = tl_task_of(tl, ev->wake.tid);
	int waker = waker_of(tl, ev);
	struct tl_task *st;

	if (task == TASK_NONE || !ev->wake.success)
		return 0;
	st = &tl->state[task];
	if (waker == task)
		waker = TASK_NONE;
	if (waker != TASK_NONE && st->stopper)
		tl->state[waker].woke_stopper = true;
	st->placing = ev->kind == EVENT_WAKING;
	if (ev->kind == EVENT_WAKEUP_NEW)
		st->born = false;
	if (st->where == RUNNING)
		return wake_running(tl, ev, task, waker, err);
	if (st->where == RUNNABLE) {
		tl->count[TIMELINE_WAKE_REPEATED] += ev->kind == EVENT_WAKING;
		return 0;
	}
	tl->count[TIMELINE_DEAD_RAN] += st->where == GONE;
	if (tl_give_wake(tl, TIMELINE_WAKE, task, waker, err))
		return err->code;
	tl_set_runnable(st, tl->now, waker);
	return 0;
}

static int handle_fork(struct timeline *tl, const struct event *ev,
		       struct err *err)
{
	int parent = tl->cpu[ev->cpu].cur;
	int child = tl_task_of(tl, ev->fork.child_tid);
	struct tl_task *st;

	if (child == TASK_NONE)
		return 0;
	st = &tl->state[child];
	if (st->where != UNSEEN)
		return 0;
	if (parent < 0 || tl->tasks->task[parent].tid != ev->fork.parent_tid)
		parent = TASK_NONE;
	st->where = BLOCKED;
	st->since = tl->now;
	st->born = true;
	return tl->ops.fork ? tl->ops.fork(tl->ctx, tl->now, parent, child, err)
			    : 0;
}

/* A thread that execs takes its leader's tid over, without a switch. */
int tl_take_tid(struct timeline *tl, const struct event *ev, struct err *err)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];
	int task = c->cur;

	if (ev->exec.old_tid == ev->exec.tid || task < 0 ||
	    c->cur_tid != ev->exec.old_tid)
		return 0;
	c->cur = CUR_IDLE;
	if (tl->ops.exit && tl->ops.exit(tl->ctx, tl->now, task, err))
		return err->code;
	if (tl_go_off(tl, task, tl->now, STATE_DEAD, 0, err))
		return err->code;
	task = tl_task_of(tl, ev->exec.tid);
	if (task == TASK_NONE) {
		c->cur_tid = ev->exec.tid;
		return 0;
	}
	return tl_go_on(tl, task, ev->cpu, err);
}

static int handle_exec(struct timeline *tl, const struct event *ev,
		       struct err *err)
{
	int task = tl->cpu[ev->cpu].cur;

	if (task < 0 || !tl->ops.exec)
		return 0;
	return tl->ops.exec(tl->ctx, tl->now, task, err);
}

static int handle_exit(struct timeline *tl, const struct event *ev,
		       struct err *err)
{
	int task = tl_task_of(tl, ev->exit.tid);

	if (task == TASK_NONE || !tl->ops.exit)
		return 0;
	return tl->ops.exit(tl->ctx, tl->now, task, err);
}

static int handle_numa(struct timeline *tl, const struct event *ev)
{
	int task = tl_task_of(tl, ev->numa.src_tid);

	if (ev->kind == EVENT_STICK_NUMA)
		return 0;
	if (task != TASK_NONE)
		tl->state[task].moved_by_numa = true;
	if (ev->kind == EVENT_SWAP_NUMA && ev->numa.dst_tid > 0) {
		task = tl_task_of(tl, ev->numa.dst_tid);
		if (task != TASK_NONE)
			tl->state[task].moved_by_numa = true;
	}
	return 0;
}

static enum move_why why_moved(const struct timeline *tl, int task,
			       const struct event *ev)
{
	const struct tl_task *st = &tl->state[task];
	const struct cpumask *may = &tl->tasks->task[task].affinity;
	int cur = tl->cpu[ev->cpu].cur;

	if (st->born)
		return MOVE_FORK;
	if (st->placing)
		return MOVE_WAKE;
	if (cur >= 0 && tl->state[cur].stopper) {
		if (st->moved_by_numa)
			return MOVE_NUMA;
		return st->woke_stopper ? MOVE_EXEC : MOVE_BALANCE;
	}
	if (!cpumask_empty(may) && !cpumask_test(may, ev->migrate.orig_cpu))
		return MOVE_AFFINITY;
	return MOVE_BALANCE;
}

static int handle_migrate(struct timeline *tl, const struct event *ev,
			  struct err *err)
{
	struct move m = {
		.ts = tl->now,
		.task = tl_task_of(tl, ev->migrate.tid),
		.from = ev->migrate.orig_cpu,
		.to = ev->migrate.dest_cpu,
	};

	if (m.task == TASK_NONE || !tl->ops.move)
		return 0;
	m.why = (uint8_t)why_moved(tl, m.task, ev);
	tl->state[m.task].moved_by_numa = false;
	return tl->ops.move(tl->ctx, &m, err);
}

static int handle_fault(struct timeline *tl, const struct event *ev,
			struct err *err)
{
	const struct timeline_fault f = {
		.ts = tl->now,
		.task = tl->cpu[ev->cpu].cur,
		.cpu = ev->cpu,
		.address = ev->fault.address,
		.error_code = ev->fault.error_code,
	};

	if (f.task < 0 || !tl->ops.fault)
		return 0;
	return tl->ops.fault(tl->ctx, &f, err);
}

static int handle_pages(struct timeline *tl, const struct event *ev,
			struct err *err)
{
	const struct timeline_pages p = {
		.ts = tl->now,
		.cpu = ev->cpu,
		.task = tl->cpu[ev->cpu].cur >= 0 ? tl->cpu[ev->cpu].cur
						  : TASK_NONE,
		.succeeded = ev->pages.succeeded,
		.failed = ev->pages.failed,
		.thp_succeeded = ev->pages.thp_succeeded,
		.thp_failed = ev->pages.thp_failed,
		.reason = ev->pages.reason,
	};

	return tl->ops.pages ? tl->ops.pages(tl->ctx, &p, err) : 0;
}

int tl_dispatch(struct timeline *tl, const struct event *ev, struct err *err)
{
	switch (ev->kind) {
	case EVENT_SWITCH:
		return handle_switch(tl, ev, err);
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		return handle_wake(tl, ev, err);
	case EVENT_FORK:
		return handle_fork(tl, ev, err);
	case EVENT_EXEC:
		return handle_exec(tl, ev, err);
	case EVENT_EXIT:
		return handle_exit(tl, ev, err);
	case EVENT_MIGRATE_TASK:
		return handle_migrate(tl, ev, err);
	case EVENT_MOVE_NUMA:
	case EVENT_SWAP_NUMA:
	case EVENT_STICK_NUMA:
		return handle_numa(tl, ev);
	case EVENT_PAGE_FAULT_USER:
		return handle_fault(tl, ev, err);
	case EVENT_MIGRATE_PAGES:
		return handle_pages(tl, ev, err);
	default:
		return 0;
	}
}
