/* SPDX-License-Identifier: MIT */
#include "replay/queue_fair_local.h"

#define LATENCY_NS 6000000
#define MIN_GRAN_NS 750000
#define WAKEUP_GRAN_NS 1000000
#define BASE_SLICE_NS 700000

/* -- virtual time ----------------------------------------------------------- */

int64_t fairq_scaled(const struct queues *q, int knob, int64_t ns)
{
	return q->knobs[knob].i ? q->knobs[knob].i :
		ns * fairq_rq(q, 0)->scale;
}

int64_t fairq_virtual(const struct fairq_task *t, int64_t ns)
{
	return t->weight == NICE_0_WEIGHT ? ns :
		ns * NICE_0_WEIGHT / t->weight;
}

/* The queue's own clock never goes back. */
static void advance(struct queues *q, struct fairq_rq *rq)
{
	int64_t v = INT64_MAX, w;

	if (rq->curr)
		v = fairq_task(q, rq->curr - 1)->vruntime;
	if (rq->first) {
		w = fairq_task(q, rq->first - 1)->vruntime;
		v = w < v ? w : v;
	}
	if (v != INT64_MAX && v > rq->min_vruntime)
		rq->min_vruntime = v;
}

void fairq_charge(struct queues *q, int cpu)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	int64_t now = q->view->now;
	struct fairq_task *t;

	if (!rq->curr)
		return;
	t = fairq_task(q, rq->curr - 1);
	t->vruntime += fairq_virtual(t, now - t->began);
	t->ran += now - t->began;
	t->began = now;
	if (fairq_is_eevdf(q) && t->vruntime >= t->deadline) {
		t->deadline = t->vruntime +
			fairq_virtual(t, fairq_base_slice(q));
		t->parity = false;
	}
	advance(q, rq);
}

int64_t fairq_mean(const struct queues *q, int cpu)
{
	const struct fairq_rq *rq = fairq_rq(q, cpu);
	int64_t sum = 0, weight = 0, off;

	for (int at = rq->oldest; at; at = fairq_task(q, at - 1)->newer) {
		const struct fairq_task *t = fairq_task(q, at - 1);

		sum += (t->vruntime - rq->min_vruntime) * t->weight;
		weight += t->weight;
	}
	if (!weight)
		return rq->min_vruntime;
	off = sum / weight;
	if (sum < 0 && sum % weight)
		off--;
	return rq->min_vruntime + off;
}

int64_t fairq_slice(const struct queues *q, const struct fairq_task *t, int nr,
		   int64_t weight)
{
	int64_t latency = fairq_scaled(q, KNOB_LATENCY, LATENCY_NS);
	int64_t least = fairq_scaled(q, KNOB_MIN_GRAN, MIN_GRAN_NS);
	int64_t period = latency, slice;

	if (least > 0 && nr > (latency + least - 1) / least)
		period = nr * least;
	slice = weight > 0 ? period * t->weight / weight : period;
	return slice > least ? slice : least;
}

int64_t fairq_base_slice(const struct queues *q)
{
	return fairq_scaled(q, KNOB_BASE_SLICE, BASE_SLICE_NS);
}

/* -- CFS -------------------------------------------------------------------- */

static int64_t wakeup_gran(const struct queues *q, const struct fairq_task *t)
{
	return fairq_virtual(t, fairq_scaled(q, KNOB_WAKEUP_GRAN,
					   WAKEUP_GRAN_NS));
}

/* The leftmost, or whoever was preempted last if that is about as far. */
static int cfs_best(const struct queues *q, const struct fairq_rq *rq)
{
	const struct fairq_task *left = fairq_task(q, rq->first - 1), *b;

	if (!rq->buddy || rq->buddy == rq->first)
		return rq->first - 1;
	b = fairq_task(q, rq->buddy - 1);
	if (b->vruntime - left->vruntime >= wakeup_gran(q, left))
		return rq->first - 1;
	return rq->buddy - 1;
}

static bool cfs_tick(struct queues *q, struct fairq_rq *rq)
{
	const struct fairq_task *t = fairq_task(q, rq->curr - 1);
	int64_t slice = fairq_slice(q, t, rq->nr, rq->weight), lead;

	if (t->ran > slice) {
		if (rq->buddy == rq->curr)
			rq->buddy = 0;
		return true;
	}
	if (t->ran < fairq_scaled(q, KNOB_MIN_GRAN, MIN_GRAN_NS) || !rq->first)
		return false;
	lead = t->vruntime - fairq_task(q, rq->first - 1)->vruntime;
	return lead > slice;
}

static bool cfs_preempts(struct queues *q, struct fairq_rq *rq, int task)
{
	const struct fairq_task *t = fairq_task(q, task);
	const struct fairq_task *c = fairq_task(q, rq->curr - 1);
	int64_t latency = fairq_scaled(q, KNOB_LATENCY, LATENCY_NS);
	int64_t least = fairq_scaled(q, KNOB_MIN_GRAN, MIN_GRAN_NS);

	if (c->vruntime - t->vruntime <= wakeup_gran(q, t))
		return false;
	if (q->knobs[KNOB_LAST_BUDDY].i && least > 0 &&
	    rq->nr > (latency + least - 1) / least)
		rq->buddy = rq->curr;
	return true;
}

/* -- EEVDF ------------------------------------------------------------------ */

/* The earliest deadline among those that are owed time; curr (1 + task) takes
 * part though it is not in the list. */
static int eevdf_best(const struct queues *q, int cpu, bool with_curr)
{
	const struct fairq_rq *rq = fairq_rq(q, cpu);
	int64_t mean = fairq_mean(q, cpu);
	const struct fairq_task *c =
		with_curr && rq->curr ? fairq_task(q, rq->curr - 1) : NULL;
	int best = c && c->vruntime <= mean ? rq->curr : 0;

	if (best && c->parity && q->knobs[KNOB_PARITY].i)
		return best - 1;
	for (int at = rq->first; at; at = fairq_task(q, at - 1)->next) {
		const struct fairq_task *t = fairq_task(q, at - 1);

		if (t->vruntime > mean)
			break;
		if (!best || t->deadline < fairq_task(q, best - 1)->deadline)
			best = at;
	}
	if (!best)
		best = rq->first ? rq->first : rq->curr;
	return best - 1;
}

/* -- callbacks -------------------------------------------------------------- */

int fairq_pick(struct queues *q, int cpu)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	int task = fairq_is_eevdf(q) ? eevdf_best(q, cpu, false) :
		cfs_best(q, rq);
	struct fairq_task *t = fairq_task(q, task);

	if (rq->buddy == task + 1)
		rq->buddy = 0;
	fairq_list_del(q, cpu, task);
	fairq_order_del(q, cpu, task);
	fairq_order_add(q, cpu, task);
	rq->curr = task + 1;
	t->began = q->view->now;
	t->ran = 0;
	t->parity = true;
	return task;
}

bool fairq_tick(struct queues *q, int cpu, int task)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);

	fairq_charge(q, cpu);
	if (rq->nr < 2)
		return false;
	if (fairq_is_eevdf(q))
		return !fairq_task(q, task)->parity;
	return cfs_tick(q, rq);
}

bool fairq_preempts(struct queues *q, int cpu, int task, enum enqueue_why why)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);

	if (!q->knobs[KNOB_WAKEUP_PREEMPTION].i || !rq->curr)
		return !rq->curr;
	fairq_charge(q, cpu);
	if (fairq_is_eevdf(q))
		return eevdf_best(q, cpu, true) == task;
	return cfs_preempts(q, rq, task);
}
