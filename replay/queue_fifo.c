/* SPDX-License-Identifier: MIT */
/*
 * queue_fifo: one list per CPU, first come, first served, with an optional
 * round robin.  No priorities and no wake-up preemption: the plainest order,
 * for references and tests.
 */
#include "replay/discipline.h"
#include "replay/view_local.h"

struct rq {
	int head, tail;		/* 1 + task, 0: none */
};

struct fifo_task {
	int next, prev;		/* 1 + task, 0: end */
	int left;		/* ticks of its turn that are left */
};

enum { KNOB_SLICE, KNOB_HZ };

static const struct knob fifo_knobs[] = {
	[KNOB_SLICE] = {
		.name = "slice",
		.type = KNOB_NS,
		.deflt = "10ms",
		.help = "turn of a task while others wait; 0: until it blocks",
	},
	[KNOB_HZ] = {
		.name = "hz",
		.type = KNOB_INT,
		.deflt = "1000",
		.unit = "ticks/s",
		.help = "timer frequency of every CPU",
		.min = 1,
		.max = 100000,
	},
	{ .name = NULL }
};

static struct rq *rq_of(const struct queues *q, int cpu)
{
	return (struct rq *)q->rq + cpu;
}

static struct fifo_task *task_of(const struct queues *q, int task)
{
	return (struct fifo_task *)q->task + task;
}

static int fifo_init(struct queues *q, struct err *err)
{
	q->hz = (int)q->knobs[KNOB_HZ].i;
	return 0;
}

static bool fifo_fork(struct queues *q, int task, int parent)
{
	return false;
}

static void fifo_exit(struct queues *q, int task, int parent)
{
}

static void add_tail(struct queues *q, int cpu, int task)
{
	struct rq *rq = rq_of(q, cpu);
	struct fifo_task *t = task_of(q, task);

	t->next = 0;
	t->prev = rq->tail;
	if (rq->tail)
		task_of(q, rq->tail - 1)->next = task + 1;
	else
		rq->head = task + 1;
	rq->tail = task + 1;
}

static void unlink_task(struct queues *q, int cpu, int task)
{
	struct rq *rq = rq_of(q, cpu);
	struct fifo_task *t = task_of(q, task);

	if (t->prev)
		task_of(q, t->prev - 1)->next = t->next;
	else
		rq->head = t->next;
	if (t->next)
		task_of(q, t->next - 1)->prev = t->prev;
	else
		rq->tail = t->prev;
}

static void refill(struct queues *q, int task)
{
	int64_t ticks = view_ns_to_ticks(q->view, q->knobs[KNOB_SLICE].i);

	task_of(q, task)->left = ticks > 0 ? (int)(ticks & 0x3fffffff) : 1;
}

static void fifo_enqueue(struct queues *q, int cpu, int task,
			 enum enqueue_why why)
{
	refill(q, task);
	add_tail(q, cpu, task);
}

static void fifo_dequeue(struct queues *q, int cpu, int task,
			 enum dequeue_why why)
{
	unlink_task(q, cpu, task);
}

static int fifo_pick(struct queues *q, int cpu)
{
	return rq_of(q, cpu)->head - 1;
}

static bool fifo_tick(struct queues *q, int cpu, int task)
{
	if (!q->knobs[KNOB_SLICE].i || --task_of(q, task)->left > 0)
		return false;
	refill(q, task);
	unlink_task(q, cpu, task);
	add_tail(q, cpu, task);
	return true;
}

static bool fifo_preempts(struct queues *q, int cpu, int task,
			  enum enqueue_why why)
{
	return false;
}

static int fifo_steal_next(const struct queues *q, int cpu,
			   struct queue_pos *pos)
{
	int at;

	if (pos->last && pos->skip_list)
		return TASK_NONE;
	at = pos->last ? task_of(q, pos->last - 1)->prev : rq_of(q, cpu)->tail;
	if (at && q->view->cpu[cpu].curr == at - 1)
		at = task_of(q, at - 1)->prev;
	if (!at)
		return TASK_NONE;
	pos->last = at;
	pos->list = 0;
	return at - 1;
}

extern const struct discipline_ops queue_fifo;
const struct discipline_ops queue_fifo = {
	.name = "queue_fifo",
	.title = "first come, first served, with a round robin",
	.about =
"One list per CPU.  A task that becomes runnable goes to the tail, the head\n"
"runs until it blocks or its slice is over.  No priorities, no wake-up\n"
"preemption.  A thief is offered the tail first.\n",
	.knobs = fifo_knobs,
	.rq_size = sizeof(struct rq),
	.task_size = sizeof(struct fifo_task),
	.init = fifo_init,
	.fork = fifo_fork,
	.exit = fifo_exit,
	.enqueue = fifo_enqueue,
	.dequeue = fifo_dequeue,
	.pick = fifo_pick,
	.tick = fifo_tick,
	.preempts = fifo_preempts,
	.steal_next = fifo_steal_next,
};
