/* SPDX-License-Identifier: MIT */
/*
 * queue_fair: the run queues of the completely fair scheduler (CFS, Linux
 * 2.6.23 to 6.5) and of EEVDF, which followed it (6.6 on).
 *
 * Source: algorithms.md, sheets J, M.7 and P.  CFS: whoever has the least
 * virtual run time runs, until its slice of the latency is over or it leads by
 * more than a slice; a sleeper returns at most half a latency behind the
 * queue's clock; a new task begins a slice ahead of it.  EEVDF: of the tasks
 * that are owed time, the one with the earliest virtual deadline runs, as far
 * as RUN_TO_PARITY lets it; what a sleeper was owed is kept.
 *
 * The averages of load (pelt.h) that balancers and wake-ups go by are kept here
 * too, since only the queue sees who runs and who waits.
 *
 * Assumed: all tasks are of one group, no real-time tasks; with DELAY_DEQUEUE a
 * sleeper that owes time does not count in the queue's length.
 */
#include "replay/queue_fair_local.h"

#include <string.h>

#define NS_PER_S 1000000000

static const struct knob fairq_queue_knobs[] = {
	[KNOB_VARIANT] = {
		.name = "variant", .type = KNOB_TEXT, .deflt = "cfs",
		.choices = "cfs|eevdf",
		.help = "CFS (up to 6.5) or EEVDF (6.6 on)" },
	[KNOB_HZ_RATE] = {
		.name = "hz", .type = KNOB_INT, .deflt = "250",
		.unit = "ticks/s", .min = 1, .max = 100000,
		.help = "timer frequency (CONFIG_HZ)" },
	[KNOB_TICK] = {
		.name = "tick", .type = KNOB_NS, .deflt = "0",
		.max = NS_PER_S,
		.help = "effective length of a tick where CPUs stall (a guest's "
			"do); 0: 1/hz" },
	[KNOB_SPREAD] = {
		.name = "tick_spread", .type = KNOB_SHARE, .deflt = "0",
		.help = "ticks are longer or shorter by up to this part" },
	[KNOB_LATENCY] = {
		.name = "latency_ns", .type = KNOB_NS, .deflt = "0",
		.help = "CFS: each task runs once in that time; 0: 6 ms * "
			"(1 + log2(CPUs, at most 8))" },
	[KNOB_MIN_GRAN] = {
		.name = "min_granularity_ns", .type = KNOB_NS, .deflt = "0",
		.help = "CFS: least slice; 0: 0.75 ms, scaled" },
	[KNOB_WAKEUP_GRAN] = {
		.name = "wakeup_granularity_ns", .type = KNOB_NS, .deflt = "0",
		.help = "CFS: lead at which a wakee preempts; 0: 1 ms, scaled" },
	[KNOB_BASE_SLICE] = {
		.name = "base_slice_ns", .type = KNOB_NS, .deflt = "0",
		.help = "EEVDF: slice; 0: 0.7 ms, scaled" },
	[KNOB_START_DEBIT] = {
		.name = "START_DEBIT", .type = KNOB_BOOL, .deflt = "on",
		.help = "CFS: a new task begins a slice ahead" },
	[KNOB_GENTLE] = {
		.name = "GENTLE_FAIR_SLEEPERS", .type = KNOB_BOOL,
		.deflt = "on",
		.help = "CFS: sleepers get half a latency, not a whole one" },
	[KNOB_WAKEUP_PREEMPTION] = {
		.name = "WAKEUP_PREEMPTION", .type = KNOB_BOOL, .deflt = "on",
		.help = "a wakee may preempt" },
	[KNOB_LAST_BUDDY] = {
		.name = "LAST_BUDDY", .type = KNOB_BOOL, .deflt = "on",
		.help = "CFS: who was preempted on a long queue goes on next" },
	[KNOB_PARITY] = {
		.name = "RUN_TO_PARITY", .type = KNOB_BOOL, .deflt = "on",
		.help = "EEVDF: no preemption before the slice is over" },
	[KNOB_LAG] = {
		.name = "PLACE_LAG", .type = KNOB_BOOL, .deflt = "on",
		.help = "EEVDF: a sleeper keeps what it is owed or owes" },
	[KNOB_DELAY] = {
		.name = "DELAY_DEQUEUE", .type = KNOB_BOOL, .deflt = "on",
		.help = "EEVDF: sleeping pays back what is owed (6.12 on)" },
	[KNOB_MIGRATION_COST] = {
		.name = "migration_cost_ns", .type = KNOB_NS, .deflt = "500us",
		.help = "who ran less long ago is cache hot; bounds avg_idle" },
	[KNOB_NR] = { .name = NULL }
};

static int fairq_init(struct queues *q, struct err *err)
{
	int64_t tick = q->knobs[KNOB_TICK].i;
	int nr = 0, scale = 1;

	for (int c = 0; c < q->view->nr_cpus && nr < 8; c++)
		nr += q->view->cpu[c].online;
	for (; nr > 1; nr /= 2)
		scale++;
	q->hz = (int)q->knobs[KNOB_HZ_RATE].i;
	if (tick)
		q->hz = (int)((NS_PER_S + tick / 2) / tick);
	if (q->hz > 100000)
		q->hz = 100000;
	q->tick_spread = q->knobs[KNOB_SPREAD].share;
	for (int c = 0; c < q->view->nr_cpus; c++) {
		fairq_rq(q, c)->avg_idle = 2 * q->knobs[KNOB_MIGRATION_COST].i;
		fairq_rq(q, c)->avg.at = q->view->now;
		fairq_rq(q, c)->scale = scale;
		fairq_rq(q, c)->idle_since = -1;
	}
	return 0;
}

/* -- averages --------------------------------------------------------------- */

static struct pelt_input rq_input(const struct fairq_rq *rq)
{
	return (struct pelt_input){
		.load = rq->weight,
		.runnable = (int64_t)rq->nr * 1024,
		.util = rq->curr ? 1024 : 0,
	};
}

static struct pelt_input task_input(const struct fairq_task *t)
{
	bool awake = t->state != FAIR_ASLEEP;

	return (struct pelt_input){
		.load = awake ? t->weight : 0,
		.runnable = awake ? 1024 : 0,
		.util = t->state == FAIR_RUNS ? 1024 : 0,
	};
}

static void age_rq(const struct queues *q, struct fairq_rq *rq)
{
	struct pelt_input in = rq_input(rq);

	pelt_update(&rq->avg, q->view->now, &in);
}

static void age_task(const struct queues *q, struct fairq_task *t)
{
	struct pelt_input in = task_input(t);

	pelt_update(&t->avg, q->view->now, &in);
}

static void set_state(struct queues *q, int task, enum fairq_state state)
{
	struct fairq_task *t = fairq_task(q, task);

	age_task(q, t);
	t->state = (uint8_t)state;
}

static int64_t floor0(int64_t x)
{
	return x > 0 ? x : 0;
}

/* A task's part of a queue's averages goes with it. */
static void detach(struct queues *q, struct fairq_task *t)
{
	struct fairq_rq *rq = fairq_rq(q, t->cpu);

	age_rq(q, rq);
	age_task(q, t);
	rq->avg.load = floor0(rq->avg.load - t->avg.load);
	rq->avg.runnable = floor0(rq->avg.runnable - t->avg.runnable);
	rq->avg.util = floor0(rq->avg.util - t->avg.util);
}

static void attach(struct queues *q, int cpu, struct fairq_task *t)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);

	age_task(q, t);
	rq->avg.load += t->avg.load;
	rq->avg.runnable += t->avg.runnable;
	rq->avg.util += t->avg.util;
	t->cpu = cpu;
}

/* A new task is taken to be busy, as far as there is room for it. */
static void guess_avg(struct queues *q, int cpu, struct fairq_task *t)
{
	const struct fairq_rq *rq = fairq_rq(q, cpu);
	int64_t room = floor0((1024 << PELT_SHIFT) - rq->avg.util) / 2;
	int64_t util = room;

	if (rq->avg.util && rq->avg.load) {
		util = rq->avg.util / (rq->avg.load / t->weight + 1);
		util = util < room ? util : room;
	}
	t->avg.at = q->view->now;
	t->avg.load = (int64_t)t->weight << PELT_SHIFT;
	t->avg.util = t->avg.runnable = util;
}

/* -- virtual place ---------------------------------------------------------- */

/* The longest time that a task can be owed (EEVDF). */
static int64_t lag_limit(const struct queues *q, const struct fairq_task *t)
{
	int64_t slice = 2 * fairq_base_slice(q), tick = NS_PER_S / q->hz;

	return fairq_virtual(t, slice > tick ? slice : tick);
}

static int64_t clip(int64_t x, int64_t limit)
{
	return x > limit ? limit : x < -limit ? -limit : x;
}

static void place_cfs(struct queues *q, struct fairq_rq *rq,
		      struct fairq_task *t, enum enqueue_why why)
{
	int64_t credit = fairq_scaled(q, KNOB_LATENCY, 6000000), least;

	if (why != ENQUEUE_WAKE)
		return;
	if (q->knobs[KNOB_GENTLE].i)
		credit /= 2;
	least = rq->min_vruntime - credit;
	if (t->vruntime < least)
		t->vruntime = least;
}

static void place_eevdf(struct queues *q, int cpu, struct fairq_task *t,
			enum enqueue_why why)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	int64_t mean = fairq_mean(q, cpu), lag = t->lag;
	int64_t slice = fairq_virtual(t, fairq_base_slice(q));
	int64_t left = t->deadline;	/* relative while on no queue */

	if (!q->knobs[KNOB_LAG].i || why == ENQUEUE_NEW)
		lag = 0;
	/* Its own weight will move the mean towards it. */
	if (rq->nr && rq->weight > 0)
		lag = lag * (rq->weight + t->weight) / rq->weight;
	else
		lag = 0;
	t->vruntime = mean - lag;
	if (why == ENQUEUE_NEW)
		left = slice / 2;
	else if (why == ENQUEUE_WAKE)
		left = slice;
	t->deadline = t->vruntime + left;
}

/* Sleeping pays back: V goes on while the task stays where it was. */
static void pay_back(struct queues *q, struct fairq_task *t)
{
	int64_t passed;

	if (!q->knobs[KNOB_DELAY].i || t->lag >= 0 || t->cpu < 0)
		return;
	passed = floor0(fairq_mean(q, t->cpu) - t->zero);
	t->lag = t->lag + passed < 0 ? t->lag + passed : 0;
}

static void take_lag(struct queues *q, int cpu, struct fairq_task *t)
{
	t->zero = fairq_mean(q, cpu);
	t->lag = clip(t->zero - t->vruntime, lag_limit(q, t));
	t->deadline -= t->vruntime;
}

/* -- callbacks -------------------------------------------------------------- */

static int weight_of(const struct queues *q, int task)
{
	int nice = q->view->tasks ? q->view->tasks->task[task].nice :
		NICE_UNKNOWN;
	int64_t w = NICE_0_WEIGHT << 20;

	if (nice < -20 || nice > 19)
		return NICE_0_WEIGHT;
	for (; nice > 0; nice--)
		w = w * 4 / 5;
	for (; nice < 0; nice++)
		w = w * 5 / 4;
	return (int)((w + (1 << 19)) >> 20);
}

static bool fairq_fork(struct queues *q, int task, int parent)
{
	struct fairq_task *t = fairq_task(q, task), *p;
	struct fairq_rq *rq;
	int64_t at;

	memset(t, 0, sizeof(*t));
	t->weight = weight_of(q, task);
	t->cpu = -1;
	t->avg.at = q->view->now;
	if (parent == TASK_NONE)
		return false;
	p = fairq_task(q, parent);
	if (p->cpu < 0)
		return false;
	rq = fairq_rq(q, p->cpu);
	fairq_charge(q, p->cpu);
	at = rq->min_vruntime;
	if (q->knobs[KNOB_START_DEBIT].i)
		at += fairq_virtual(t, fairq_slice(q, t, rq->nr + 1,
						 rq->weight + t->weight));
	if (p->vruntime > at)
		at = p->vruntime;
	t->vruntime = at - rq->min_vruntime;
	return false;
}

static void fairq_exit(struct queues *q, int task, int parent)
{
	struct fairq_task *t = fairq_task(q, task);

	if (t->cpu >= 0)
		detach(q, t);
	t->cpu = -1;
}

static void note_idle(struct queues *q, struct fairq_rq *rq,
		      enum enqueue_why why)
{
	int64_t max = 2 * q->knobs[KNOB_MIGRATION_COST].i;

	if (rq->idle_since >= 0 && why != ENQUEUE_MOVE) {
		rq->avg_idle += (q->view->now - rq->idle_since -
				 rq->avg_idle) / 8;
		if (rq->avg_idle > max)
			rq->avg_idle = max;
	}
	rq->idle_since = -1;
}

static void fairq_enqueue(struct queues *q, int cpu, int task,
			 enum enqueue_why why)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	struct fairq_task *t = fairq_task(q, task);

	note_idle(q, rq, why);
	fairq_charge(q, cpu);
	age_rq(q, rq);
	if (why == ENQUEUE_WAKE && fairq_is_eevdf(q))
		pay_back(q, t);
	if (t->cpu != cpu) {
		if (t->cpu >= 0) {
			t->vruntime -= fairq_rq(q, t->cpu)->min_vruntime;
			detach(q, t);
		}
		t->vruntime += rq->min_vruntime;
		if (why == ENQUEUE_NEW)
			guess_avg(q, cpu, t);
		attach(q, cpu, t);
	}
	if (fairq_is_eevdf(q))
		place_eevdf(q, cpu, t, why);
	else
		place_cfs(q, rq, t, why);
	set_state(q, task, FAIR_WAITS);
	fairq_list_add(q, cpu, task);
	fairq_order_add(q, cpu, task);
	rq->nr++;
	rq->weight += t->weight;
}

static void fairq_dequeue(struct queues *q, int cpu, int task,
			 enum dequeue_why why)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	struct fairq_task *t = fairq_task(q, task);

	fairq_charge(q, cpu);
	age_rq(q, rq);
	if (fairq_is_eevdf(q))
		take_lag(q, cpu, t);
	set_state(q, task, why == DEQUEUE_MOVE ? FAIR_WAITS : FAIR_ASLEEP);
	if (rq->curr == task + 1)
		rq->curr = 0;
	else
		fairq_list_del(q, cpu, task);
	fairq_order_del(q, cpu, task);
	if (rq->buddy == task + 1)
		rq->buddy = 0;
	rq->nr--;
	rq->weight -= t->weight;
	if (why != DEQUEUE_MOVE)
		return;
	t->vruntime -= rq->min_vruntime;
	detach(q, t);
	t->cpu = -1;
}

static void fairq_put_prev(struct queues *q, int cpu, int task)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);

	if (rq->curr != task + 1)
		return;
	fairq_charge(q, cpu);
	age_rq(q, rq);
	set_state(q, task, FAIR_WAITS);
	rq->curr = 0;
	fairq_list_add(q, cpu, task);
}

static int pick(struct queues *q, int cpu)
{
	struct fairq_rq *rq = fairq_rq(q, cpu);
	int task;

	age_rq(q, rq);
	task = fairq_pick(q, cpu);
	set_state(q, task, FAIR_RUNS);
	return task;
}

static void fairq_idle(struct queues *q, int cpu)
{
	fairq_rq(q, cpu)->idle_since = q->view->now;
}

/* From the one that ran or came longest ago. */
static int fairq_steal_next(const struct queues *q, int cpu,
			   struct queue_pos *pos)
{
	const struct fairq_rq *rq = fairq_rq(q, cpu);
	int at = pos->last ? fairq_task(q, pos->last - 1)->newer : rq->oldest;

	if (pos->last && pos->skip_list)
		at = 0;
	if (at && at == rq->curr)
		at = fairq_task(q, at - 1)->newer;
	*pos = (struct queue_pos){ .last = at };
	return at - 1;
}

static int64_t fairq_signal(const struct queues *q, enum view_signal what,
			   int id)
{
	const struct pelt *avg;
	struct pelt_input in;
	int64_t ns, x;

	if (what == SIGNAL_AVG_IDLE)
		return fairq_rq(q, id)->avg_idle;
	if (what == SIGNAL_CPU_WEIGHT)
		return fairq_rq(q, id)->weight;
	if (what == SIGNAL_TASK_WEIGHT)
		return fairq_task(q, id)->weight;
	if (what < SIGNAL_AVG_IDLE) {
		avg = &fairq_rq(q, id)->avg;
		in = rq_input(fairq_rq(q, id));
	} else {
		avg = &fairq_task(q, id)->avg;
		in = task_input(fairq_task(q, id));
	}
	ns = q->view->now - avg->at;
	if (what == SIGNAL_CPU_LOAD || what == SIGNAL_TASK_LOAD)
		x = pelt_towards(avg->load, in.load, ns);
	else if (what == SIGNAL_CPU_RUNNABLE)
		x = pelt_towards(avg->runnable, in.runnable, ns);
	else
		x = pelt_towards(avg->util, in.util, ns);
	return x >> PELT_SHIFT;
}

extern const struct discipline_ops queue_fair;
const struct discipline_ops queue_fair = {
	.name = "queue_fair",
	.title = "virtual run time: CFS, or EEVDF (variant)",
	.about =
"The run queues of Linux since 2.6.23 (sheets J and M.7).  CFS: the least\n"
"virtual run time runs next, for its part of the latency; sleepers return half\n"
"a latency behind, new tasks begin a slice ahead.  EEVDF: of the tasks that are\n"
"owed time, the earliest virtual deadline.  Keeps the decaying averages of load\n"
"and utilisation by which the fair balancers go.\n"
"Assumed: one group of tasks, none of them real-time.\n",
	.knobs = fairq_queue_knobs,
	.rq_size = sizeof(struct fairq_rq),
	.task_size = sizeof(struct fairq_task),
	.init = fairq_init,
	.fork = fairq_fork,
	.exit = fairq_exit,
	.enqueue = fairq_enqueue,
	.dequeue = fairq_dequeue,
	.pick = pick,
	.put_prev = fairq_put_prev,
	.idle = fairq_idle,
	.tick = fairq_tick,
	.preempts = fairq_preempts,
	.steal_next = fairq_steal_next,
	.signal = fairq_signal,
};
