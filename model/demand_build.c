/* SPDX-License-Identifier: MIT */
#include "model/demand_build_local.h"

#include "model/cost.h"
#include "model/err.h"
#include "model/pressure.h"
#include "model/topo.h"

#include <stdlib.h>
#include <string.h>

/* Memory changes stand at most this long before they happened. */
#define MEM_SLACK_NS 1000000

#define MEM_PENDING_MAX 64	/* changes in one piece of RUN */
#define BUF_MIN 128

int demand_build_new(struct demand_build **out,
		     const struct demand_build_args *args, struct err *err)
{
	struct demand_build *b = calloc(1, sizeof(*b));
	int nr = args->tasks->nr;

	*out = NULL;
	if (!b)
		return err_nomem(err);
	b->args = *args;
	b->prog = calloc((size_t)nr + 1, sizeof(*b->prog));
	b->share = calloc((size_t)args->topo->nr_node_ids + 1,
			  sizeof(*b->share));
	if (!b->prog || !b->share) {
		err_nomem(err);
		goto out;
	}
	for (int i = 0; i < nr; i++) {
		b->prog[i].stopper =
			timeline_is_stopper(&args->tasks->task[i]);
		b->prog[i].first_cpu = b->prog[i].last_cpu = -1;
		b->prog[i].cpu = -1;
	}
	if (!args->cost->flat &&
	    pressure_new(&b->pressure, args->topo, args->cost, err))
		goto out;
	*out = b;
	return 0;
out:
	demand_build_free(b);
	return err->code;
}

void demand_build_free(struct demand_build *b)
{
	if (!b)
		return;
	for (int i = 0; b->prog && i < b->args.tasks->nr; i++) {
		free(b->prog[i].buf);
		free(b->prog[i].early);
		free(b->prog[i].mem);
	}
	pressure_free(b->pressure);
	free(b->prog);
	free(b->share);
	free(b);
}

/* -- writing a program ---------------------------------------------------- */

void demand_take_out(struct prog *p, int i)
{
	struct early e = p->early[i];

	memmove(p->buf + e.at, p->buf + e.at + e.len, p->len - e.at - e.len);
	p->len -= e.len;
	p->early[i] = p->early[--p->nr_early];
	for (int k = 0; k < p->nr_early; k++)
		if (p->early[k].at > e.at)
			p->early[k].at -= e.len;
}

static int flush(struct demand_build *b, int task, struct err *err)
{
	struct prog *p = &b->prog[task];
	const struct demand_sink *sink = &b->args.sink;

	while (p->nr_early)
		demand_take_out(p, 0);
	if (!p->len)
		return 0;
	if (sink->chunk(sink->ctx, task, p->nr_chunks, p->buf, p->len, err))
		return err->code;
	p->nr_chunks++;
	p->len = 0;
	return 0;
}

static int put(struct demand_build *b, int task, const struct demand_op *op,
	       struct err *err)
{
	struct prog *p = &b->prog[task];
	uint8_t bytes[DEMAND_OP_MAX];
	size_t len = demand_encode(bytes, op);

	if (p->len + len > DEMAND_CHUNK && flush(b, task, err))
		return err->code;
	if (p->len + len > p->size) {
		uint32_t size = p->size ? 2 * p->size : BUF_MIN;
		uint8_t *buf = realloc(p->buf, size);

		if (!buf)
			return err_nomem(err);
		p->buf = buf;
		p->size = size;
	}
	memcpy(p->buf + p->len, bytes, len);
	p->len += (uint32_t)len;
	return 0;
}

int demand_put_ns(struct demand_build *b, int task, int code, int64_t ns,
		  struct err *err)
{
	const struct demand_op op = { .code = (uint8_t)code, .ns = ns };

	return put(b, task, &op, err);
}

int demand_put_task(struct demand_build *b, int task, int code, int other,
		    struct err *err)
{
	const struct demand_op op = { .code = (uint8_t)code, .task = other };

	return put(b, task, &op, err);
}

/* -- pressure ------------------------------------------------------------- */

static void unqueue(struct demand_build *b, struct prog *p, int64_t ts)
{
	if (p->queued)
		pressure_queue(b->pressure, p->cpu, ts, -1);
	p->queued = false;
}

void demand_queue_on(struct demand_build *b, struct prog *p, int cpu,
		     int64_t ts)
{
	if (!b->pressure)
		return;
	unqueue(b, p, ts);
	p->cpu = cpu;
	p->queued = cpu >= 0;
	if (p->queued)
		pressure_queue(b->pressure, cpu, ts, 1);
}

static const double *share_of(struct demand_build *b, int task)
{
	if (!b->args.share)
		return NULL;
	b->args.share(b->args.share_ctx, task, b->share);
	return b->share;
}

/* -- pieces of RUN -------------------------------------------------------- */

/* Most pages lie where the task runs that touches them; in a process that never
 * runs they are just there. */
static int touch_code(const struct demand_build *b, int task, int node)
{
	int cpu = b->prog[task].last_cpu;

	if (cpu < 0)
		return DEMAND_HELD;
	return topo_node_of(b->args.topo, cpu) == node ? DEMAND_TOUCH :
							 DEMAND_TOUCH_AT;
}

static int put_mem(struct demand_build *b, int task, struct err *err)
{
	struct prog *p = &b->prog[task];

	for (int i = 0; i < p->nr_mem; i++) {
		const struct demand_mem *m = &p->mem[i];
		struct demand_op op = {
			.code = (uint8_t)m->code, .area = m->area,
			.from = m->from, .to = m->to, .pages = m->pages,
		};

		if (m->code == DEMAND_TOUCH)
			op.code = (uint8_t)touch_code(b, task, m->to);
		if (put(b, task, &op, err))
			return err->code;
	}
	p->nr_mem = 0;
	return 0;
}

/* Ends the piece of RUN that has been going on; the task runs on. */
int demand_cut(struct demand_build *b, int task, int64_t ts, struct err *err)
{
	struct prog *p = &b->prog[task];
	struct demand_op op = { .code = DEMAND_RUN, .slow = DEMAND_SLOW_ONE };
	struct pressure_slow slow;
	bool touched = p->nr_mem > 0;

	if (touched && put_mem(b, task, err))
		return err->code;
	if (ts <= p->mark)
		return 0;
	op.ns = ts - p->mark;
	p->mark = ts;
	if (b->pressure) {
		slow = pressure_take(b->pressure, p->cpu, ts);
		op.slow = slow.memory;
		op.crowd = slow.crowd;
		if (touched)
			pressure_share(b->pressure, p->cpu, ts,
				       share_of(b, task));
	}
	return put(b, task, &op, err);
}

void demand_begin(struct demand_build *b, int task, int64_t ts)
{
	struct prog *p = &b->prog[task];
	int64_t born = b->args.tasks->task[task].start_ns;

	if (p->where != FRESH)
		return;
	if (born < b->args.start_ns)
		born = b->args.start_ns;
	p->appears_ns = born < ts ? born : ts;
	p->off_ns = p->appears_ns;
	p->where = OFF_RUNNABLE;
}

int demand_build_held(struct demand_build *b, int task, int area, int node,
		      int64_t pages, struct err *err)
{
	const struct demand_op op = {
		.code = DEMAND_HELD, .area = area, .to = node, .pages = pages,
	};

	demand_begin(b, task, b->args.start_ns);
	return put(b, task, &op, err);
}

int demand_build_on(struct demand_build *b, const struct timeline_on *on,
		    struct err *err)
{
	struct prog *p = &b->prog[on->task];
	struct demand_op op = { .code = DEMAND_PLACE, .cpu = on->cpu };
	int64_t ready;

	demand_begin(b, on->task, on->start_ns);
	ready = p->where == READY ? p->ready_ns : p->off_ns;
	if (p->where == OFF_ASLEEP) {
		if (demand_put_ns(b, on->task, DEMAND_SLEEP, on->start_ns - ready,
			   err))
			return err->code;
		ready = on->start_ns;
	}
	op.ns = on->start_ns - ready;
	if (put(b, on->task, &op, err))
		return err->code;
	if (b->pressure) {
		unqueue(b, p, on->start_ns);
		pressure_on(b->pressure, on->cpu, on->start_ns,
			    share_of(b, on->task));
	}
	if (p->first_cpu < 0)
		p->first_cpu = on->cpu;
	p->cpu = p->last_cpu = on->cpu;
	p->mark = on->start_ns;
	p->where = RUNNING;
	return 0;
}

int demand_build_off(struct demand_build *b, const struct span *s,
		     struct err *err)
{
	struct prog *p = &b->prog[s->task];

	if (demand_cut(b, s->task, s->end_ns, err))
		return err->code;
	p->off_ns = s->end_ns;
	p->where = s->state == STATE_RUNNABLE ? OFF_RUNNABLE : OFF_ASLEEP;
	if (s->state == STATE_DEAD)
		p->exited = true;
	if (!b->pressure)
		return 0;
	pressure_off(b->pressure, s->cpu, s->end_ns);
	if (p->where == OFF_RUNNABLE)
		demand_queue_on(b, p, s->cpu, s->end_ns);
	return 0;
}

/* -- life ----------------------------------------------------------------- */

int demand_build_fork(struct demand_build *b, int64_t ts, int parent,
		      int child, struct err *err)
{
	struct prog *p = &b->prog[child];

	if (p->where != FRESH)
		return 0;
	demand_begin(b, child, ts);
	p->where = OFF_ASLEEP;
	p->appears_ns = p->off_ns = ts;
	if (!demand_may_wake(b, parent) || p->stopper)
		return 0;
	p->forked = true;
	p->cpu = b->prog[parent].cpu;
	if (demand_cut(b, parent, ts, err))
		return err->code;
	return demand_put_task(b, parent, DEMAND_FORK, child, err);
}

int demand_build_exec(struct demand_build *b, int64_t ts, int task,
		      struct err *err)
{
	const struct demand_op op = { .code = DEMAND_EXEC };

	if (b->prog[task].where != RUNNING)
		return 0;
	if (demand_cut(b, task, ts, err))
		return err->code;
	return put(b, task, &op, err);
}

int demand_build_exit(struct demand_build *b, int64_t ts, int task,
		      struct err *err)
{
	b->prog[task].exited = true;
	return 0;
}

int demand_build_move(struct demand_build *b, const struct move *m,
		      struct err *err)
{
	struct prog *p = &b->prog[m->task];

	if (p->queued)
		demand_queue_on(b, p, m->to, m->ts);
	else if (p->where != RUNNING)
		p->cpu = m->to;
	return 0;
}

/* The pending change that it can be added to.  A FREE must not come before the
 * touch of what it frees. */
static struct demand_mem *find_same(const struct prog *p,
				    const struct demand_mem *m)
{
	for (int i = p->nr_mem - 1; i >= 0; i--) {
		struct demand_mem *old = &p->mem[i];

		if (old->area != m->area)
			continue;
		if (old->code == m->code && old->from == m->from &&
		    old->to == m->to)
			return old;
		if (m->code == DEMAND_FREE_AT && old->code == DEMAND_TOUCH)
			break;
	}
	return NULL;
}

int demand_build_mem(struct demand_build *b, const struct demand_mem *m,
		     struct err *err)
{
	struct prog *p = &b->prog[m->task];
	struct demand_mem *old;

	if (p->where == RUNNING &&
	    (m->ts - p->mark >= MEM_SLACK_NS || p->nr_mem == MEM_PENDING_MAX) &&
	    demand_cut(b, m->task, m->ts, err))
		return err->code;
	old = find_same(p, m);
	if (old) {
		old->pages += m->pages;
		return 0;
	}
	if (p->nr_mem == p->size_mem) {
		int size = p->size_mem ? 2 * p->size_mem : 4;
		struct demand_mem *mem;

		mem = realloc(p->mem, (size_t)size * sizeof(*mem));
		if (!mem)
			return err_nomem(err);
		p->mem = mem;
		p->size_mem = size;
	}
	p->mem[p->nr_mem++] = *m;
	return 0;
}

int demand_build_finish(struct demand_build *b, struct demand_task **tasks,
			int *nr, struct err *err)
{
	int nr_tasks = b->args.tasks->nr;

	*nr = 0;
	*tasks = calloc((size_t)nr_tasks + 1, sizeof(**tasks));
	if (!*tasks)
		return err_nomem(err);
	for (int i = 0; i < nr_tasks; i++) {
		struct prog *p = &b->prog[i];
		const struct demand_op end = {
			.code = p->exited ? DEMAND_EXIT : DEMAND_END,
		};

		if (p->nr_mem)
			demand_begin(b, i, b->args.start_ns);
		if (p->where == FRESH)
			continue;
		if (put_mem(b, i, err) || put(b, i, &end, err) || flush(b, i, err))
			goto out;
		(*tasks)[(*nr)++] = (struct demand_task){
			.task = i, .appears_ns = p->appears_ns,
			.forked = p->forked, .stopper = p->stopper,
			.first_cpu = p->first_cpu,
		};
	}
	return 0;
out:
	free(*tasks);
	*tasks = NULL;
	return err->code;
}
