/* SPDX-License-Identifier: MIT */
#include "replay/engine_local.h"

static struct channel *find(struct engine *e, int task,
			    const struct demand_op *op)
{
	struct channel *c = channels_find(&e->channels, op->area);

	if (!c)
		program_bad(e, task, "a channel that was not opened");
	return c;
}

int channel_open(struct engine *e, int task, const struct demand_op *op)
{
	struct channel like = {
		.id = op->area,
		.size = op->pages,
		.low = op->from,
		.wakes_all = op->to & DEMAND_WAKES_ALL,
		.is_sync = op->to & DEMAND_SYNC,
	};

	if (op->pages < 1 || op->pages > CHANNEL_MAX_SIZE ||
	    op->from >= op->pages ||
	    op->to > (DEMAND_WAKES_ALL | DEMAND_SYNC))
		return program_bad(e, task, "a channel of a size that cannot be");
	if (channels_find(&e->channels, op->area))
		return program_bad(e, task, "opens a channel that exists");
	return channels_open(&e->channels, &like, e->err);
}

/* Its operation is done again when it is woken. */
static int sleep_on(struct engine *e, int cpu, int task,
		    struct channel_queue *q)
{
	e->task[task].block = BLOCK_CHANNEL;
	program_back(e, task);
	if (channels_sleep(&e->channels, q, task, e->view.nr_tasks, e->err))
		return e->err->code;
	return sched_off(e, cpu, STATE_SLEEPING);
}

static int wake_first(struct engine *e, struct channel *c,
		      struct channel_queue *q, int waker, int cpu)
{
	struct waking w = {
		.task = channels_first(&e->channels, q), .waker = waker,
		.cpu = cpu, .is_sync = c->is_sync };

	return w.task < 0 ? 0 : sched_wake(e, &w);
}

/* The task's next RUN is longer by what it takes to get at the channel. */
static void take_over(struct engine *e, struct channel *c, int task, int cpu)
{
	if (c->last_cpu)
		e->task[task].transfer += e->in->cost->handover_ns[
			topo_shared_level(e->in->topo, c->last_cpu - 1, cpu)];
	c->last_cpu = cpu + 1;
}

int channel_send(struct engine *e, int cpu, int task,
		 const struct demand_op *op)
{
	struct channel *c = find(e, task, op);

	if (!c)
		return e->err->code;
	if (c->nr >= c->size)
		return sleep_on(e, cpu, task, &c->senders);
	if (channel_put(c, cpu, e->err))
		return e->err->code;
	take_over(e, c, task, cpu);
	return wake_first(e, c, &c->receivers, task, cpu);
}

int channel_recv(struct engine *e, int cpu, int task,
		 const struct demand_op *op)
{
	struct channel *c = find(e, task, op);
	int from, r = 0;

	if (!c)
		return e->err->code;
	if (!c->nr)
		return sleep_on(e, cpu, task, &c->receivers);
	from = channel_take(c);
	e->task[task].transfer += e->in->cost->transfer_ns[
		topo_shared_level(e->in->topo, from, cpu)];
	take_over(e, c, task, cpu);
	if (c->nr > c->low || !c->senders.first)
		return 0;
	do {
		r = wake_first(e, c, &c->senders, task, cpu);
	} while (!r && c->wakes_all && c->senders.first);
	return r;
}
