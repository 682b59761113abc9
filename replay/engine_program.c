/* SPDX-License-Identifier: MIT */
#include "replay/engine_local.h"

#include <inttypes.h>

#define PREFETCH_BYTES 64

int program_bad(struct engine *e, int task, const char *what)
{
	return err_set(e->err, ERR_FORMAT,
		       "demand of task %d (chunk %d): %s", task,
		       e->task[task].next_chunk - 1, what);
}

static int fetch(struct engine *e, int task)
{
	struct engine_task *t = &e->task[task];
	size_t len = 0;
	int r = e->in->source.chunk(e->in->source.ctx, task, t->next_chunk,
				    &t->pos, &len, e->err);

	if (r <= 0)
		return r;
	t->next_chunk++;
	t->end = t->pos + len;
	return 1;
}

int program_peek(struct engine *e, int task, struct demand_op *op)
{
	struct engine_task *t = &e->task[task];
	size_t len;

	while (t->pos == t->end) {
		int r = fetch(e, task);

		if (r < 0)
			return r;
		if (!r)
			return program_bad(e, task, "has no end");
	}
	len = demand_decode(t->pos, (size_t)(t->end - t->pos), op);
	if (!len)
		return program_bad(e, task, "damaged operation");
	t->op_len = (int)len;
	return 0;
}

void program_skip(struct engine *e, int task)
{
	struct engine_task *t = &e->task[task];

	t->pos += t->op_len;
	/* Programs are many and long: what follows is not in any cache yet. */
	__builtin_prefetch(t->pos + PREFETCH_BYTES);
}

void program_back(struct engine *e, int task)
{
	e->task[task].pos -= e->task[task].op_len;
}

static int bad_pages(struct engine *e, int task, const struct demand_op *op)
{
	if (op->area >= e->memory.nr_areas)
		return program_bad(e, task, "memory area that does not exist");
	if (op->pages > MEMORY_MAX_PAGES ||
	    (int64_t)(e->memory.touched - e->memory.freed) > MEMORY_MAX_PAGES)
		return program_bad(e, task, "more pages than there can be");
	return 0;
}

static bool follows(const struct engine *e)
{
	return e->in->policy->ops->flags & POLICY_F_FOLLOW;
}

/* Pages of the operation's area come to a node (`by` < 0: leave it). */
static int record(struct engine *e, int task, const struct demand_op *op,
		  int node, int64_t by)
{
	int r = bad_pages(e, task, op);

	if (r)
		return r;
	if (node >= e->memory.nr_nodes)
		return program_bad(e, task, "node that does not exist");
	r = memory_record(&e->memory, op->area, node, by);
	return r > 0 ? program_bad(e, task, "more pages than there can be") : r;
}

/* New pages go where the policy says, else where the task runs. */
static int touch(struct engine *e, int task, const struct demand_op *op)
{
	const struct policy_ops *p = e->in->policy->ops;
	int here = view_cpu_node(&e->view, e->view.task[task].cpu);
	int64_t left = op->pages, some;
	int r = bad_pages(e, task, op), node = here;

	if (follows(e) && op->code == DEMAND_TOUCH_AT)
		node = op->to;
	if (follows(e) && node >= 0)
		return record(e, task, op, node, op->pages);
	for (; !r && left > 0; left -= some) {
		some = left;
		if (p->place_page)
			node = p->place_page(e->policy, &e->view, task,
					     op->area, &some);
		if (some < 1 || some > left)
			some = left;
		if (node >= 0 && !engine_is_node(e, node))
			e->count.pages_refused++;
		node = memory_node_for(&e->memory, node < 0 ? here : node);
		if (node < 0)
			return 0;
		r = memory_add(&e->memory, op->area, node, some);
		if (!r && p->touched) {
			p->touched(e->policy, &e->view, task, op->area, node,
				   some, &e->decisions);
			r = sched_decide(e);
		}
	}
	return r;
}

static int hold(struct engine *e, int task, const struct demand_op *op)
{
	int r;

	if (follows(e))
		return record(e, task, op, op->to, op->pages);
	r = bad_pages(e, task, op);
	return r ? r : memory_add(&e->memory, op->area, op->to, op->pages);
}

static int release(struct engine *e, int task, const struct demand_op *op)
{
	int r;

	if (follows(e) && op->code == DEMAND_FREE_AT)
		return record(e, task, op, op->from, -op->pages);
	r = bad_pages(e, task, op);
	return r ? r : memory_free(&e->memory, op->area, op->pages);
}

/* MOVED and FOUND: only where the recording is followed. */
static int moved(struct engine *e, int task, const struct demand_op *op)
{
	if (!follows(e))
		return 0;
	if (record(e, task, op, op->from, -op->pages) ||
	    record(e, task, op, op->to, op->pages))
		return e->err->code;
	if (op->code == DEMAND_MOVED)
		e->memory.moved += (uint64_t)op->pages;
	return 0;
}

static int wake(struct engine *e, int task, int target)
{
	struct engine_task *t;

	if (target >= e->view.nr_tasks)
		return program_bad(e, task, "wakes a task that does not exist");
	t = &e->task[target];
	if (t->block != BLOCK_TOKEN || t->waits_for != task)
		return tokens_put(&e->tokens, task, target, e->err);
	t->block = BLOCK_NONE;
	if (follows(e))
		return follow_wake(e, target, task);
	return sched_wake(e, &(struct waking){
		.task = target, .waker = task,
		.cpu = e->view.task[task].cpu });
}

static int fork(struct engine *e, int task, int child)
{
	if (child >= e->view.nr_tasks || !e->task[child].has_program)
		return program_bad(e, task, "forks a task without a program");
	if (e->view.task[child].state != VIEW_UNBORN || !e->task[child].forked)
		return program_bad(e, task, "forks a task that exists");
	if (follows(e))
		return follow_begin(e, child);
	return program_begin(e, child, task);
}

int program_common(struct engine *e, int task, const struct demand_op *op,
		   bool *handled)
{
	*handled = true;
	switch (op->code) {
	case DEMAND_WAKE:
		return wake(e, task, op->task);
	case DEMAND_FORK:
		return fork(e, task, op->task);
	case DEMAND_EXEC:
		return memory_drop(&e->memory, e->view.task[task].proc);
	case DEMAND_TOUCH:
	case DEMAND_TOUCH_AT:
		return touch(e, task, op);
	case DEMAND_FREE:
	case DEMAND_FREE_AT:
		return release(e, task, op);
	case DEMAND_MOVED:
	case DEMAND_FOUND:
		return moved(e, task, op);
	case DEMAND_HELD:
		return hold(e, task, op);
	case DEMAND_OPEN:
		return channel_open(e, task, op);
	default:
		*handled = false;
		return 0;
	}
}

/* What a task does before it needs a CPU: 1 if it now waits or is gone. */
static int begin_op(struct engine *e, int task, const struct demand_op *op)
{
	struct engine_task *t = &e->task[task];
	bool handled;

	switch (op->code) {
	case DEMAND_HELD:
	case DEMAND_FREE_AT:
	case DEMAND_MOVED:
	case DEMAND_FOUND:
		program_skip(e, task);
		return program_common(e, task, op, &handled);
	case DEMAND_WAIT:
		program_skip(e, task);
		if (op->task >= e->view.nr_tasks)
			return program_bad(e, task,
					   "waits for a task that does not exist");
		if (tokens_take(&e->tokens, op->task, task))
			return 0;
		t->block = BLOCK_TOKEN;
		t->waits_for = op->task;
		return 1;
	case DEMAND_SLEEP:
		program_skip(e, task);
		t->block = BLOCK_TIMER;
		return engine_set_timer(e, task, op->ns) ? e->err->code : 1;
	case DEMAND_END:
	case DEMAND_EXIT:
		view_of(e, task)->state = VIEW_GONE;
		return 1;
	default:
		return 2;
	}
}

int program_begin(struct engine *e, int task, int parent)
{
	const struct policy_ops *p = e->in->policy->ops;
	struct view_task *v = view_of(e, task);
	struct demand_op op;
	int r;

	if (sched_fork(e, task, parent))
		return e->err->code;
	v->state = VIEW_BLOCKED;
	do {
		r = program_peek(e, task, &op);
		if (!r)
			r = begin_op(e, task, &op);
	} while (!r);
	if (v->state == VIEW_GONE) {
		e->queues.ops->exit(&e->queues, task, TASK_NONE);
		if (p->exit_task)
			p->exit_task(e->policy, &e->view, task);
	}
	if (r != 2)
		return r < 0 ? r : 0;
	return sched_wake(e, &(struct waking){
		.task = task, .waker = parent,
		.cpu = parent == TASK_NONE ? -1 : e->view.task[parent].cpu });
}

static int wait_for(struct engine *e, int cpu, int task, int target)
{
	if (target >= e->view.nr_tasks)
		return program_bad(e, task, "waits for a task that does not exist");
	if (tokens_take(&e->tokens, target, task))
		return 0;
	e->task[task].block = BLOCK_TOKEN;
	e->task[task].waits_for = target;
	return sched_off(e, cpu, STATE_SLEEPING);
}

static int sleep_for(struct engine *e, int cpu, int task, int64_t ns)
{
	e->task[task].block = BLOCK_TIMER;
	return engine_set_timer(e, task, ns) ? e->err->code :
		sched_off(e, cpu, STATE_SLEEPING);
}

static int run_op(struct engine *e, int cpu, int task,
		  const struct demand_op *op)
{
	bool handled;
	int r;

	switch (op->code) {
	case DEMAND_RUN:
		speed_set_work(e, task, op);
		e->task[task].extra += e->task[task].transfer;
		e->task[task].transfer = 0;
		return 0;
	case DEMAND_PLACE:
		return 0;
	case DEMAND_WAIT:
		return wait_for(e, cpu, task, op->task);
	case DEMAND_SLEEP:
		return sleep_for(e, cpu, task, op->ns);
	case DEMAND_SEND:
		return channel_send(e, cpu, task, op);
	case DEMAND_RECV:
		return channel_recv(e, cpu, task, op);
	case DEMAND_EXIT:
	case DEMAND_END:
		return sched_exit(e, cpu, op->code == DEMAND_END);
	default:
		r = program_common(e, task, op, &handled);
		if (!r && op->code == DEMAND_EXEC)
			r = sched_exec(e, cpu);
		return r;
	}
}

int program_run(struct engine *e, int cpu)
{
	int task = e->view.cpu[cpu].curr;
	struct engine_task *t = &e->task[task];
	struct demand_op op;

	while (!t->work && !t->extra) {
		if (program_peek(e, task, &op))
			return e->err->code;
		program_skip(e, task);
		if (run_op(e, cpu, task, &op))
			return e->err->code;
		if (e->view.cpu[cpu].curr != task)
			return 0;
	}
	speed_calendar(e, cpu);
	return 0;
}
