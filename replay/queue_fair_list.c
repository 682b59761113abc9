/* SPDX-License-Identifier: MIT */
#include "replay/queue_fair_local.h"

/* Behind `after` (1 + task, 0: at the front). */
static void insert(struct queues *q, struct fairq_rq *rq, int task, int after)
{
	struct fairq_task *t = fairq_task(q, task);

	t->prev = after;
	t->next = after ? fairq_task(q, after - 1)->next : rq->first;
	if (after)
		fairq_task(q, after - 1)->next = task + 1;
	else
		rq->first = task + 1;
	if (t->next)
		fairq_task(q, t->next - 1)->prev = task + 1;
	else
		rq->last = task + 1;
}

/* Most tasks belong near one of the ends: those that slept in front, those that
 * ran at the back.  The search begins at the nearer one; equals keep the order
 * in which they came. */
void fairq_list_add(struct queues *q, int cpu, int task)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	int64_t v = fairq_task(q, task)->vruntime, head, tail;
	int at = rq->last;

	if (!at) {
		insert(q, rq, task, 0);
		return;
	}
	head = fairq_task(q, rq->first - 1)->vruntime;
	tail = fairq_task(q, rq->last - 1)->vruntime;
	if (v - head < tail - v) {
		for (at = rq->first;
		     at && fairq_task(q, at - 1)->vruntime <= v;)
			at = fairq_task(q, at - 1)->next;
		at = at ? fairq_task(q, at - 1)->prev : rq->last;
	} else {
		while (at && fairq_task(q, at - 1)->vruntime > v)
			at = fairq_task(q, at - 1)->prev;
	}
	insert(q, rq, task, at);
}

void fairq_list_del(struct queues *q, int cpu, int task)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	struct fairq_task *t = fairq_task(q, task);

	if (t->prev)
		fairq_task(q, t->prev - 1)->next = t->next;
	else
		rq->first = t->next;
	if (t->next)
		fairq_task(q, t->next - 1)->prev = t->prev;
	else
		rq->last = t->prev;
}

void fairq_order_add(struct queues *q, int cpu, int task)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	struct fairq_task *t = fairq_task(q, task);

	t->newer = 0;
	t->older = rq->newest;
	if (rq->newest)
		fairq_task(q, rq->newest - 1)->newer = task + 1;
	else
		rq->oldest = task + 1;
	rq->newest = task + 1;
}

void fairq_order_del(struct queues *q, int cpu, int task)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	struct fairq_task *t = fairq_task(q, task);

	if (t->older)
		fairq_task(q, t->older - 1)->newer = t->newer;
	else
		rq->oldest = t->newer;
	if (t->newer)
		fairq_task(q, t->newer - 1)->older = t->older;
	else
		rq->newest = t->older;
}
