/* SPDX-License-Identifier: MIT */
/*
 * Follows the recording: each task by itself, by the rules of model/demand.h,
 * with no queue and no tick.  What ends at an instant is handled before what
 * begins then, so that a span may begin when the one before it on its CPU ends.
 */
#include "replay/engine_local.h"

static int close_span(struct engine *e, int task, enum task_state state,
		      unsigned int flags)
{
	struct engine_task *t = &e->task[task];
	struct span s = {
		.task = task,
		.cpu = t->place,
		.start_ns = t->span_start,
		.end_ns = e->view.now,
		.ready_ns = t->ready_ns,
		.waker = t->waker,
		.state = (uint8_t)state,
		.flags = (uint8_t)(flags | t->span_flags),
	};

	if (!t->open)
		return 0;
	t->open = false;
	t->waker = TASK_NONE;
	t->ready_ns = e->view.now;
	return emit_span(e, &s);
}

static void open_span(struct engine *e, int task)
{
	struct engine_task *t = &e->task[task];
	int last = t->last_cpu, here = t->place;

	t->open = true;
	t->span_start = e->view.now;
	t->last_cpu = here;
	view_of(e, task)->cpu = here;
	e->count.switches++;
	if (last < 0 || last == here)
		return;
	e->count.migrations++;
	e->count.node_migrations += e->view.cpu[last].node != e->view.cpu[here].node;
}

static void wait_until(struct engine *e, int task, int64_t at,
		       enum block_kind block)
{
	e->task[task].block = (uint8_t)block;
	heap_set(&e->heap, slot_task(e, task), at,
		 block == BLOCK_PLACE ? RANK_BEGIN : RANK_EVENT);
}

static int place(struct engine *e, int task, const struct demand_op *op)
{
	struct engine_task *t = &e->task[task];
	bool first = t->last_cpu < 0 && !t->forked;

	if (op->cpu >= e->view.nr_cpus || !e->in->topo->cpu[op->cpu].present)
		return program_bad(e, task, "is placed on a CPU that does not exist");
	if (op->ns > INT64_MAX / 4)
		return program_bad(e, task, "waits beyond the end of time");
	if (close_span(e, task, STATE_RUNNABLE, 0))
		return e->err->code;
	t->place = op->cpu;
	t->span_flags = 0;
	if (first && e->view.now == e->in->start_ns && !op->ns) {
		t->span_flags = SPAN_F_CENSORED_START;
		t->ready_ns = -1;
	}
	wait_until(e, task, e->view.now + op->ns, BLOCK_PLACE);
	return 1;
}

static int wait_for(struct engine *e, int task, int target)
{
	struct engine_task *t = &e->task[task];

	if (target >= e->view.nr_tasks)
		return program_bad(e, task, "waits for a task that does not exist");
	if (close_span(e, task, STATE_SLEEPING, 0))
		return e->err->code;
	if (tokens_take(&e->tokens, target, task)) {
		t->waker = target;
		t->ready_ns = e->view.now;
		return 0;
	}
	t->block = BLOCK_TOKEN;
	t->waits_for = target;
	return 1;
}

static int end(struct engine *e, int task, bool is_censored)
{
	struct view_task *v = view_of(e, task);
	bool at_end = is_censored && e->view.now >= e->in->end_ns;
	enum task_state s = !is_censored ? STATE_DEAD :
		at_end ? STATE_RUNNABLE : STATE_SLEEPING;

	v->state = VIEW_GONE;
	if (close_span(e, task, s, at_end ? SPAN_F_CENSORED_END : 0))
		return e->err->code;
	if (!is_censored && !--e->proc_alive[v->proc])
		memory_forget(&e->memory, v->proc);
	return 1;
}

static int follow_op(struct engine *e, int task, const struct demand_op *op)
{
	bool handled;

	switch (op->code) {
	case DEMAND_PLACE:
		return place(e, task, op);
	case DEMAND_WAIT:
		return wait_for(e, task, op->task);
	case DEMAND_SLEEP:
		if (close_span(e, task, STATE_SLEEPING, 0) ||
		    engine_set_timer(e, task, op->ns))
			return e->err->code;
		e->task[task].block = BLOCK_TIMER;
		return 1;
	case DEMAND_EXIT:
	case DEMAND_END:
		return end(e, task, op->code == DEMAND_END);
	case DEMAND_HELD:
	case DEMAND_TOUCH:
	case DEMAND_TOUCH_AT:
	case DEMAND_FREE:
	case DEMAND_FREE_AT:
	case DEMAND_MOVED:
	case DEMAND_FOUND:
		return program_common(e, task, op, &handled);
	case DEMAND_RUN:
		if (!e->task[task].open)
			break;
		e->count.lo_ns += (double)op->ns;
		e->count.hi_ns += (double)op->ns;
		if (!op->ns)
			return 0;
		e->task[task].block = BLOCK_RUN;
		return engine_set_timer(e, task, op->ns) ? e->err->code : 1;
	default:
		if (e->task[task].open)
			return program_common(e, task, op, &handled);
		break;
	}
	return program_bad(e, task, "runs without a place");
}

/* Until time passes. */
static int go_on(struct engine *e, int task)
{
	struct demand_op op;
	int r = 0;

	while (!r) {
		r = program_peek(e, task, &op);
		if (r)
			break;
		program_skip(e, task);
		r = follow_op(e, task, &op);
	}
	return r < 0 ? r : 0;
}

int follow_begin(struct engine *e, int task)
{
	view_of(e, task)->state = VIEW_BLOCKED;
	e->task[task].ready_ns = e->view.now;
	return go_on(e, task);
}

int follow_event(struct engine *e, int task)
{
	struct engine_task *t = &e->task[task];

	if (t->block == BLOCK_PLACE)
		open_span(e, task);
	else if (t->block == BLOCK_TIMER)
		t->ready_ns = e->view.now;
	t->block = BLOCK_NONE;
	return go_on(e, task);
}

int follow_wake(struct engine *e, int task, int waker)
{
	struct engine_task *t = &e->task[task];

	e->count.wakeups++;
	t->waker = waker;
	t->ready_ns = e->view.now;
	return go_on(e, task);
}

int follow_finish(struct engine *e)
{
	if (e->view.now < e->in->end_ns && emit_flush(e))
		return e->err->code;
	for (int t = 0; t < e->view.nr_tasks; t++) {
		if (!e->task[t].open)
			continue;
		e->view.now = e->in->end_ns;
		if (close_span(e, t, STATE_RUNNABLE, SPAN_F_CENSORED_END))
			return e->err->code;
	}
	return 0;
}
