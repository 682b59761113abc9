/* SPDX-License-Identifier: MIT */
/* A wait is satisfied by the matching wake-up, as in a semaphore; a wake-up that
 * comes before its sleep is kept for it. */
#include "model/demand_build_local.h"

#include "model/err.h"
#include "model/varint.h"

#include <stdlib.h>

bool demand_may_wake(const struct demand_build *b, int waker)
{
	return waker != TASK_NONE && b->prog[waker].where == RUNNING &&
	       !b->prog[waker].stopper;
}

static bool by_stopper(const struct demand_build *b, int waker)
{
	return waker != TASK_NONE && b->prog[waker].stopper;
}

static int put_wake(struct demand_build *b, const struct timeline_wake *w,
		    struct err *err)
{
	if (demand_cut(b, w->waker, w->ts, err))
		return err->code;
	return demand_put_task(b, w->waker, DEMAND_WAKE, w->task, err);
}

static int wake_early(struct demand_build *b, const struct timeline_wake *w,
		      struct err *err)
{
	uint8_t bytes[VARINT_MAX];
	struct prog *p;
	struct early *e;
	uint32_t len;

	if (!demand_may_wake(b, w->waker) || b->prog[w->task].stopper)
		return 0;
	p = &b->prog[w->waker];
	if (put_wake(b, w, err))
		return err->code;
	e = realloc(p->early, ((size_t)p->nr_early + 1) * sizeof(*e));
	if (!e)
		return err_nomem(err);
	p->early = e;
	/* Its code, and whom it wakes. */
	len = 1 + (uint32_t)(varint_put(bytes, (uint64_t)w->task) - bytes);
	p->early[p->nr_early++] = (struct early){
		.wakee = w->task, .at = p->len - len, .len = len,
	};
	return 0;
}

static int find_early(const struct demand_build *b, int waker, int wakee)
{
	if (waker == TASK_NONE)
		return -1;
	for (int i = 0; i < b->prog[waker].nr_early; i++)
		if (b->prog[waker].early[i].wakee == wakee)
			return i;
	return -1;
}

static void set_ready(struct demand_build *b, int task, int64_t ready_ns,
		      int64_t now)
{
	struct prog *p = &b->prog[task];

	p->where = READY;
	p->ready_ns = ready_ns;
	demand_queue_on(b, p, p->cpu, now);
}

static int wake_kept(struct demand_build *b, const struct timeline_wake *w,
		     struct err *err)
{
	int i = find_early(b, w->waker, w->task);
	struct prog *p;

	if (i >= 0) {
		p = &b->prog[w->waker];
		p->early[i] = p->early[--p->nr_early];
		if (demand_put_task(b, w->task, DEMAND_WAIT, w->waker, err))
			return err->code;
	} else if (!by_stopper(b, w->waker) &&
		   demand_put_ns(b, w->task, DEMAND_SLEEP, 0, err)) {
		return err->code;
	}
	set_ready(b, w->task, w->ts, w->ts);
	return 0;
}

static int wake_now(struct demand_build *b, const struct timeline_wake *w,
		    struct err *err)
{
	struct prog *p = &b->prog[w->task];
	bool fresh = p->where == FRESH;

	demand_begin(b, w->task, w->ts);
	if (p->where != OFF_RUNNABLE && p->where != OFF_ASLEEP)
		return 0;
	if (by_stopper(b, w->waker) && !fresh && !p->stopper) {
		set_ready(b, w->task, p->off_ns, w->ts);
		return 0;
	}
	if (demand_may_wake(b, w->waker) && !p->stopper) {
		if (put_wake(b, w, err) ||
		    demand_put_task(b, w->task, DEMAND_WAIT, w->waker, err))
			return err->code;
	} else if (demand_put_ns(b, w->task, DEMAND_SLEEP, w->ts - p->off_ns, err)) {
		return err->code;
	}
	set_ready(b, w->task, w->ts, w->ts);
	return 0;
}

int demand_build_wake(struct demand_build *b, const struct timeline_wake *w,
		      struct err *err)
{
	int i;

	switch (w->kind) {
	case TIMELINE_WAKE:
		return wake_now(b, w, err);
	case TIMELINE_WAKE_EARLY:
		return wake_early(b, w, err);
	case TIMELINE_WAKE_KEPT:
		return wake_kept(b, w, err);
	default:
		i = find_early(b, w->waker, w->task);
		if (i >= 0)
			demand_take_out(&b->prog[w->waker], i);
		return 0;
	}
}
