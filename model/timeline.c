/* SPDX-License-Identifier: MIT */
#include "model/timeline.h"

#include "model/cpumask.h"
#include "model/err.h"
#include "model/timeline_local.h"

#include <stdlib.h>
#include <string.h>

static const char *const repair_name[TIMELINE_NR_REPAIRS] = {
	[TIMELINE_BACKWARD_TIME] = "backward_time",
	[TIMELINE_TWO_CPUS] = "two_cpus",
	[TIMELINE_LOST_SWITCH] = "lost_switch",
	[TIMELINE_WAKE_RUNNING] = "wake_running",
	[TIMELINE_WAKE_DROPPED] = "wake_dropped",
	[TIMELINE_WAKE_REPEATED] = "wake_repeated",
	[TIMELINE_NO_WAKE] = "no_wake",
	[TIMELINE_DEAD_RAN] = "dead_ran",
	[TIMELINE_UNKNOWN_TASK] = "unknown_task",
	[TIMELINE_BAD_CPU] = "bad_cpu",
	[TIMELINE_TID_DISTRUST] = "tid_distrust",
	[TIMELINE_CENSORED_START] = "censored_start",
	[TIMELINE_CENSORED_END] = "censored_end",
	[TIMELINE_LOSS_CUT] = "loss_cut",
};

const char *timeline_repair_name(int repair)
{
	if (repair < 0 || repair >= TIMELINE_NR_REPAIRS)
		return NULL;
	return repair_name[repair];
}

int64_t timeline_count(const struct timeline *tl, int repair)
{
	return tl->count[repair];
}

bool timeline_is_stopper(const struct task *t)
{
	int cpu;

	return !strncmp(t->comm, "migration/", 10) &&
	       task_percpu_name(t->comm, &cpu);
}

static int by_from(const void *pa, const void *pb)
{
	const struct timeline_loss *a = pa, *b = pb;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a->cpu - b->cpu;
}

int timeline_new(struct timeline **out, const struct timeline_args *args,
		 struct err *err)
{
	size_t nr_tasks = (size_t)args->tasks->nr;
	size_t nr_loss = (size_t)args->nr_loss;
	struct timeline *tl;

	*out = NULL;
	tl = calloc(1, sizeof(*tl));
	if (!tl)
		return err_nomem(err);
	tl->tasks = args->tasks;
	tl->start_ns = tl->now = args->start_ns;
	tl->end_ns = args->end_ns;
	tl->loss_end = INT64_MIN;
	tl->ops = *args->ops;
	tl->ctx = args->ctx;
	tl->state = calloc(nr_tasks + 1, sizeof(*tl->state));
	tl->loss = calloc(nr_loss + 1, sizeof(*tl->loss));
	if (!tl->state || !tl->loss) {
		err_nomem(err);
		goto out;
	}
	if (tidmap_init(&tl->tids, tl->tasks, err))
		goto out;
	for (size_t i = 0; i < nr_tasks; i++)
		tl->state[i].stopper = timeline_is_stopper(&tl->tasks->task[i]);
	if (nr_loss)
		memcpy(tl->loss, args->loss, nr_loss * sizeof(*tl->loss));
	qsort(tl->loss, nr_loss, sizeof(*tl->loss), by_from);
	tl->nr_loss = args->nr_loss;
	*out = tl;
	return 0;
out:
	timeline_free(tl);
	return err->code;
}

void timeline_free(struct timeline *tl)
{
	if (!tl)
		return;
	tidmap_release(&tl->tids);
	free(tl->state);
	free(tl->cpu);
	free(tl->loss);
	free(tl);
}

/* NULL for a number that cannot be: counted, the event is left out. */
static struct tl_cpu *cpu_of(struct timeline *tl, int cpu, struct err *err)
{
	if (cpu < 0 || cpu >= CPUMASK_MAX) {
		tl->count[TIMELINE_BAD_CPU]++;
		return NULL;
	}
	if (cpu >= tl->nr_cpus) {
		int nr = cpu + 1 > 2 * tl->nr_cpus ? cpu + 1 : 2 * tl->nr_cpus;
		struct tl_cpu *c;

		c = realloc(tl->cpu, (size_t)nr * sizeof(*c));
		if (!c) {
			err_nomem(err);
			return NULL;
		}
		for (int i = tl->nr_cpus; i < nr; i++)
			c[i] = (struct tl_cpu){
				.cur = CUR_UNKNOWN,
				.cur_tid = -1,
				.since = tl->start_ns,
			};
		tl->cpu = c;
		tl->nr_cpus = nr;
	}
	return &tl->cpu[cpu];
}

int tl_task_of(struct timeline *tl, int tid)
{
	int id = tidmap_find(&tl->tids, tid, tl->now);

	if (id == TASK_NONE && tid)
		tl->count[TIMELINE_UNKNOWN_TASK]++;
	return id;
}

int tl_give_wake(struct timeline *tl, int kind, int task, int waker,
		 struct err *err)
{
	const struct timeline_wake w = {
		.ts = tl->now,
		.kind = kind,
		.task = task,
		.waker = waker,
	};

	return tl->ops.wake ? tl->ops.wake(tl->ctx, &w, err) : 0;
}

int tl_drop_kept(struct timeline *tl, int task, struct err *err)
{
	struct tl_task *st = &tl->state[task];

	st->kept = false;
	tl->count[TIMELINE_WAKE_DROPPED]++;
	return tl_give_wake(tl, TIMELINE_WAKE_GONE, task, st->kept_waker, err);
}

void tl_set_runnable(struct tl_task *st, int64_t ready_ns, int waker)
{
	st->where = RUNNABLE;
	st->since = st->ready_ns = ready_ns;
	st->waker = waker;
}

/* What a task is after its span, and what becomes of a kept waking. */
static int settle(struct timeline *tl, int task, const struct span *s,
		  enum where where, struct err *err)
{
	struct tl_task *st = &tl->state[task];

	st->since = s->end_ns;
	st->where = where;
	if (where == RUNNABLE)
		tl_set_runnable(st, s->end_ns, TASK_NONE);
	if (!st->kept)
		return 0;
	if (where != BLOCKED)
		return tl_drop_kept(tl, task, err);
	st->kept = false;
	tl_set_runnable(st, s->end_ns, st->kept_waker);
	return tl_give_wake(tl, TIMELINE_WAKE_KEPT, task, st->waker, err);
}

int tl_go_off(struct timeline *tl, int task, int64_t ts, int state,
	      uint8_t flags, struct err *err)
{
	struct tl_task *st = &tl->state[task];
	const struct span s = {
		.task = task,
		.cpu = st->cpu,
		.start_ns = st->since,
		.end_ns = ts,
		.ready_ns = st->ready_ns,
		.waker = st->waker,
		.state = (uint8_t)state,
		.flags = st->span_flags | flags,
	};
	enum where where = state == STATE_RUNNABLE ? RUNNABLE
			   : state == STATE_DEAD   ? GONE
						   : BLOCKED;

	if (flags & (SPAN_F_UNSURE | SPAN_F_REPAIRED))
		where = LOST;
	if (tl->ops.off && tl->ops.off(tl->ctx, &s, err))
		return err->code;
	return settle(tl, task, &s, where, err);
}

/* Somebody else, or nobody knows who, is on the CPU from now on. */
static int clear_cpu(struct timeline *tl, struct tl_cpu *c, int64_t since,
		     uint8_t flags, struct err *err)
{
	int task = c->cur;
	int64_t ts = since < tl->now ? since : tl->now;

	*c = (struct tl_cpu){ .cur = CUR_UNKNOWN,
			      .cur_tid = -1,
			      .since = since };
	if (task < 0)
		return 0;
	return tl_go_off(tl, task, ts, STATE_RUNNABLE, flags, err);
}

/* A task cannot be on two CPUs: the older span ends now. */
static int leave_other_cpu(struct timeline *tl, int task, struct err *err)
{
	tl->count[TIMELINE_TWO_CPUS]++;
	return clear_cpu(tl, &tl->cpu[tl->state[task].cpu], tl->now,
			 SPAN_F_REPAIRED, err);
}

static int go_on(struct timeline *tl, int task, int cpu, int64_t start,
		 uint8_t flags, struct err *err)
{
	struct tl_task *st = &tl->state[task];
	struct tl_cpu *c = &tl->cpu[cpu];
	struct timeline_on on = {
		.task = task,
		.cpu = cpu,
		.start_ns = start,
		.ready_ns = -1,
		.waker = TASK_NONE,
	};

	if (st->where == RUNNABLE) {
		on.ready_ns = st->ready_ns;
		on.waker = st->waker;
	} else if (st->where == BLOCKED) {
		tl->count[TIMELINE_NO_WAKE]++;
	} else if (st->where == GONE) {
		tl->count[TIMELINE_DEAD_RAN]++;
	}
	if (st->where == LOST ||
	    (st->where == BLOCKED && tl->loss_end > st->since))
		flags |= SPAN_F_UNSURE;
	st->where = RUNNING;
	st->since = start;
	st->ready_ns = on.ready_ns;
	st->waker = on.waker;
	st->cpu = cpu;
	st->span_flags = flags;
	st->placing = st->born = st->moved_by_numa = false;
	st->woke_stopper = false;
	c->cur = task;
	c->cur_tid = tl->tasks->task[task].tid;
	return tl->ops.on ? tl->ops.on(tl->ctx, &on, err) : 0;
}

/* A task is seen on a CPU of which nothing was known: since when? */
static int go_on_late(struct timeline *tl, int task, int cpu, struct err *err)
{
	struct tl_task *st = &tl->state[task];
	struct tl_cpu *c = &tl->cpu[cpu];
	int64_t start = c->since;
	uint8_t flags;

	if (st->where == RUNNING && leave_other_cpu(tl, task, err))
		return err->code;
	if (st->where != UNSEEN && start < st->since)
		start = st->since;
	if (start > tl->now)
		start = tl->now;
	flags = start == tl->now ? SPAN_F_REPAIRED : SPAN_F_UNSURE;
	if (start == tl->start_ns && c->since == start) {
		flags = SPAN_F_CENSORED_START;
		tl->count[TIMELINE_CENSORED_START]++;
	}
	return go_on(tl, task, cpu, start, flags, err);
}

int tl_go_on(struct timeline *tl, int task, int cpu, struct err *err)
{
	if (tl->state[task].where == RUNNING && leave_other_cpu(tl, task, err))
		return err->code;
	return go_on(tl, task, cpu, tl->now, 0, err);
}

/* Who is on the CPU just before this instant, by a tid that the event gives. */
int tl_sync_cpu(struct timeline *tl, int cpu, int tid, struct err *err)
{
	struct tl_cpu *c = &tl->cpu[cpu];
	int task;

	if (c->cur_tid == tid)
		return 0;
	if (c->cur != CUR_UNKNOWN) {
		tl->count[TIMELINE_LOST_SWITCH]++;
		if (clear_cpu(tl, c, tl->now, SPAN_F_REPAIRED, err))
			return err->code;
	}
	task = tl_task_of(tl, tid);
	if (task == TASK_NONE) {
		c->cur = CUR_IDLE;
		c->cur_tid = tid;
		return 0;
	}
	return go_on_late(tl, task, cpu, err);
}

static int cut_losses(struct timeline *tl, int64_t until, struct err *err)
{
	while (tl->next_loss < tl->nr_loss &&
	       tl->loss[tl->next_loss].from_ns <= until) {
		const struct timeline_loss *l = &tl->loss[tl->next_loss++];
		struct tl_cpu *c = cpu_of(tl, l->cpu, err);
		bool running;

		if (err->code)
			return err->code;
		if (!c)
			continue;
		if (l->to_ns > tl->loss_end)
			tl->loss_end = l->to_ns;
		if (l->from_ns > tl->now)
			tl->now = l->from_ns;
		running = c->cur >= 0;
		tl->count[TIMELINE_LOSS_CUT] += running;
		if (clear_cpu(tl, c, tl->now, SPAN_F_UNSURE, err))
			return err->code;
		c->since = l->to_ns > tl->now ? l->to_ns : tl->now;
	}
	return 0;
}

int timeline_running(struct timeline *tl, int cpu, int tid, struct err *err)
{
	if (cut_losses(tl, tl->start_ns, err))
		return err->code;
	if (!cpu_of(tl, cpu, err))
		return err->code;
	return tl_sync_cpu(tl, cpu, tid, err);
}

int timeline_event(struct timeline *tl, const struct event *ev, struct err *err)
{
	struct tl_cpu *c;

	if (tl->next_loss < tl->nr_loss && cut_losses(tl, ev->ts, err))
		return err->code;
	if (ev->ts >= tl->now)
		tl->now = ev->ts;
	else
		tl->count[TIMELINE_BACKWARD_TIME]++;
	c = cpu_of(tl, ev->cpu, err);
	if (!c)
		return err->code;
	if (ev->kind == EVENT_EXEC && tl_take_tid(tl, ev, err))
		return err->code;
	if (ev->tid != c->cur_tid && ev->tid >= 0 && !tl->distrust &&
	    ev->kind != EVENT_SWITCH && tl_sync_cpu(tl, ev->cpu, ev->tid, err))
		return err->code;
	return tl_dispatch(tl, ev, err);
}

int timeline_finish(struct timeline *tl, struct err *err)
{
	if (cut_losses(tl, tl->end_ns, err))
		return err->code;
	if (tl->now < tl->end_ns)
		tl->now = tl->end_ns;
	for (int i = 0; i < tl->nr_cpus; i++) {
		struct tl_cpu *c = &tl->cpu[i];
		int task = c->cur;

		if (task < 0)
			continue;
		*c = (struct tl_cpu){ .cur = CUR_UNKNOWN, .cur_tid = -1 };
		tl->count[TIMELINE_CENSORED_END]++;
		if (tl_go_off(tl, task, tl->now, STATE_RUNNABLE,
			      SPAN_F_CENSORED_END, err))
			return err->code;
	}
	return 0;
}
