/* SPDX-License-Identifier: MIT */
/*
 * queue_o1: the run queue of the O(1) scheduler of Linux 2.5.39 (Molnar).
 *
 * Source: sheet A of algorithms.md (A.1 to A.5), times counted in whole ticks
 * as there.  Per CPU two arrays of 140 first-in-first-out lists, `active` and
 * `expired`; the head of the highest list that is not empty runs and stays in
 * its list meanwhile.  A task that used up its slice waits in `expired` until
 * `active` is empty, unless it is interactive.  Sleeping earns a bonus of up to
 * 5 priorities, running loses it again.
 *
 * Assumed: all tasks are normal ones (priorities 100 to 139), since demand
 * knows no real-time class; a task that was alive when the recording began
 * starts with a full slice and no sleep average.
 */
#include <string.h>

#include "replay/discipline.h"
#include "replay/view_local.h"

#define NR_PRIO 140
#define FIRST_PRIO 100			/* of normal tasks */
#define USER_PRIOS 40
#define NICE_0_PRIO 120
#define NR_WORDS ((NR_PRIO + 63) / 64)

struct prio_array {
	uint64_t bitmap[NR_WORDS];
	int head[NR_PRIO], tail[NR_PRIO];	/* 1 + task, 0: none */
};

struct rq {
	struct prio_array array[2];
	int active;			/* index of the active one */
	int64_t expired_tick;		/* first expiry since the last switch */
	bool has_expired;
};

struct o1_task {
	int next, prev;			/* 1 + task, 0: end */
	int prio;
	int static_prio;
	int array;			/* which one it is in */
	int slice;			/* ticks left */
	int64_t sleep_avg;		/* ticks */
	bool first_slice;		/* of the first slice after fork */
};

enum {
	KNOB_HZ_, KNOB_MIN_SLICE, KNOB_MAX_SLICE, KNOB_CHILD, KNOB_PARENT,
	KNOB_EXIT, KNOB_BONUS, KNOB_DELTA, KNOB_MAX_SLEEP, KNOB_STARVATION
};

static const struct knob o1_knobs[] = {
	[KNOB_HZ_] = {
		.name = "hz", .type = KNOB_INT, .deflt = "1024",
		.unit = "ticks/s", .min = 1, .max = 100000,
		.help = "timer frequency (ia64: 1024, i386 of 2.5: 1000)" },
	[KNOB_MIN_SLICE] = {
		.name = "min_timeslice", .type = KNOB_NS, .deflt = "10ms",
		.help = "slice of nice 19 (sheet A.2)" },
	[KNOB_MAX_SLICE] = {
		.name = "max_timeslice", .type = KNOB_NS, .deflt = "300ms",
		.help = "slice of nice -20 (sheet A.2)" },
	[KNOB_CHILD] = {
		.name = "child_penalty", .type = KNOB_INT, .deflt = "95",
		.unit = "%", .max = 100,
		.help = "of the parent's sleep average that a child gets" },
	[KNOB_PARENT] = {
		.name = "parent_penalty", .type = KNOB_INT, .deflt = "100",
		.unit = "%", .max = 100,
		.help = "of its sleep average that a parent keeps at fork" },
	[KNOB_EXIT] = {
		.name = "exit_weight", .type = KNOB_INT, .deflt = "3",
		.unit = "parts", .max = 1000,
		.help = "weight of the parent's sleep average at a child's exit" },
	[KNOB_BONUS] = {
		.name = "prio_bonus_ratio", .type = KNOB_INT, .deflt = "25",
		.unit = "%", .max = 100,
		.help = "part of the 40 priorities that sleeping can earn" },
	[KNOB_DELTA] = {
		.name = "interactive_delta", .type = KNOB_INT, .deflt = "2",
		.unit = "priorities", .min = -40, .max = 40,
		.help = "bonus at which a nice 0 task counts as interactive" },
	[KNOB_MAX_SLEEP] = {
		.name = "max_sleep_avg", .type = KNOB_NS, .deflt = "2s",
		.help = "cap of the sleep average" },
	[KNOB_STARVATION] = {
		.name = "starvation_limit", .type = KNOB_NS, .deflt = "2s",
		.help = "per runnable task, after which interactive ones expire too" },
	{ .name = NULL }
};

static struct rq *rq_of(const struct queues *q, int cpu)
{
	return (struct rq *)q->rq + cpu;
}

static struct o1_task *task_of(const struct queues *q, int task)
{
	return (struct o1_task *)q->task + task;
}

static int64_t knob_ticks(const struct queues *q, int knob)
{
	return view_ns_to_ticks(q->view, q->knobs[knob].i);
}

static int o1_init(struct queues *q, struct err *err)
{
	q->hz = (int)q->knobs[KNOB_HZ_].i;
	return 0;
}

/* -- lists ---------------------------------------------------------------- */

static void add_tail(struct queues *q, int cpu, int array, int task)
{
	struct prio_array *a = &rq_of(q, cpu)->array[array];
	struct o1_task *t = task_of(q, task);

	t->array = array;
	t->next = 0;
	t->prev = a->tail[t->prio];
	if (t->prev)
		task_of(q, t->prev - 1)->next = task + 1;
	else
		a->head[t->prio] = task + 1;
	a->tail[t->prio] = task + 1;
	a->bitmap[t->prio / 64] |= UINT64_C(1) << t->prio % 64;
}

static void unlink_task(struct queues *q, int cpu, int task)
{
	struct o1_task *t = task_of(q, task);
	struct prio_array *a = &rq_of(q, cpu)->array[t->array];

	if (t->prev)
		task_of(q, t->prev - 1)->next = t->next;
	else
		a->head[t->prio] = t->next;
	if (t->next)
		task_of(q, t->next - 1)->prev = t->prev;
	else
		a->tail[t->prio] = t->prev;
	if (!a->head[t->prio])
		a->bitmap[t->prio / 64] &= ~(UINT64_C(1) << t->prio % 64);
}

/* The highest list at or after prio that is not empty; NR_PRIO: none. */
static int next_prio(const struct prio_array *a, int prio)
{
	for (int w = prio / 64; w < NR_WORDS; w++, prio = w * 64) {
		uint64_t bits = a->bitmap[w] >> prio % 64;

		if (bits)
			return prio + __builtin_ctzll(bits);
	}
	return NR_PRIO;
}

/* -- priority and slice --------------------------------------------------- */

static int clip(int prio)
{
	if (prio < FIRST_PRIO)
		return FIRST_PRIO;
	return prio >= NR_PRIO ? NR_PRIO - 1 : prio;
}

/* A.3.1 */
static int effective_prio(const struct queues *q, const struct o1_task *t)
{
	int64_t ratio = USER_PRIOS * q->knobs[KNOB_BONUS].i;
	int64_t max = knob_ticks(q, KNOB_MAX_SLEEP);
	int64_t bonus = (max ? ratio * t->sleep_avg / max / 100 : 0) -
			ratio / 100 / 2;

	return clip(t->static_prio - (int)bonus);
}

/* A.3.2 */
static bool is_interactive(const struct queues *q, const struct o1_task *t)
{
	int64_t ratio = USER_PRIOS * q->knobs[KNOB_BONUS].i / 100;
	int64_t delta = (t->static_prio - NICE_0_PRIO) * ratio / USER_PRIOS +
			q->knobs[KNOB_DELTA].i;

	return t->prio <= t->static_prio - delta;
}

/* A.2, at least one tick */
static int full_slice(const struct queues *q, const struct o1_task *t)
{
	int64_t min = knob_ticks(q, KNOB_MIN_SLICE);
	int64_t max = knob_ticks(q, KNOB_MAX_SLICE);
	int64_t n = min + (max - min) * (NR_PRIO - 1 - t->static_prio) /
			(USER_PRIOS - 1);

	if (n > INT32_MAX / 2)
		n = INT32_MAX / 2;
	return n > 0 ? (int)n : 1;
}

static void add_sleep(const struct queues *q, struct o1_task *t, int64_t ticks)
{
	int64_t max = knob_ticks(q, KNOB_MAX_SLEEP);

	t->sleep_avg += ticks;
	if (t->sleep_avg > max)
		t->sleep_avg = max;
}

static bool is_starving(const struct queues *q, int cpu)
{
	const struct rq *rq = rq_of(q, cpu);
	int64_t limit = knob_ticks(q, KNOB_STARVATION) *
			q->view->nr_running[cpu] + 1;

	return rq->has_expired && q->view->tick - rq->expired_tick >= limit;
}

/* A.3.4: the slice is over. */
static void expire(struct queues *q, int cpu, int task)
{
	struct rq *rq = rq_of(q, cpu);
	struct o1_task *t = task_of(q, task);

	unlink_task(q, cpu, task);
	t->prio = effective_prio(q, t);
	t->slice = full_slice(q, t);
	t->first_slice = false;
	if (is_interactive(q, t) && !is_starving(q, cpu)) {
		add_tail(q, cpu, rq->active, task);
		return;
	}
	if (!rq->has_expired) {
		rq->has_expired = true;
		rq->expired_tick = q->view->tick;
	}
	add_tail(q, cpu, !rq->active, task);
}

/* -- callbacks ------------------------------------------------------------ */

static int nice_of(const struct queues *q, int task)
{
	int nice = q->view->tasks ? q->view->tasks->task[task].nice :
		NICE_UNKNOWN;

	return nice >= -20 && nice <= 19 ? nice : 0;
}

static bool o1_fork(struct queues *q, int task, int parent)
{
	struct o1_task *t = task_of(q, task), *p;
	int64_t avg;
	bool expired;

	memset(t, 0, sizeof(*t));
	t->static_prio = NICE_0_PRIO + nice_of(q, task);
	t->slice = full_slice(q, t);
	t->prio = effective_prio(q, t);
	if (parent == TASK_NONE)
		return false;
	p = task_of(q, parent);
	avg = p->sleep_avg;
	t->first_slice = true;
	t->slice = (p->slice + 1) / 2;
	t->sleep_avg = avg * q->knobs[KNOB_CHILD].i / 100;
	p->sleep_avg = avg * q->knobs[KNOB_PARENT].i / 100;
	p->slice /= 2;
	expired = !p->slice;
	if (expired)
		expire(q, q->view->task[parent].cpu, parent);
	return expired;
}

/* A.5: what is left of a first slice returns to the parent. */
static void o1_exit(struct queues *q, int task, int parent)
{
	struct o1_task *t = task_of(q, task), *p;
	int64_t weight = q->knobs[KNOB_EXIT].i, max;

	if (parent == TASK_NONE)
		return;
	p = task_of(q, parent);
	if (t->first_slice) {
		max = knob_ticks(q, KNOB_MAX_SLICE);
		p->slice += t->slice;
		if (p->slice > max)
			p->slice = max > 0 ? (int)max : 1;
	}
	if (t->sleep_avg < p->sleep_avg)
		p->sleep_avg = (weight * p->sleep_avg + t->sleep_avg) /
			(weight + 1);
}

static void o1_enqueue(struct queues *q, int cpu, int task,
		       enum enqueue_why why)
{
	struct o1_task *t = task_of(q, task);

	if (why == ENQUEUE_WAKE)
		add_sleep(q, t, q->view->tick - q->view->task[task].ran_tick);
	if (why != ENQUEUE_MOVE)
		t->prio = effective_prio(q, t);
	add_tail(q, cpu, rq_of(q, cpu)->active, task);
}

static void o1_dequeue(struct queues *q, int cpu, int task,
		       enum dequeue_why why)
{
	unlink_task(q, cpu, task);
}

static void o1_idle(struct queues *q, int cpu)
{
	rq_of(q, cpu)->has_expired = false;
}

static int o1_pick(struct queues *q, int cpu)
{
	struct rq *rq = rq_of(q, cpu);
	int prio = next_prio(&rq->array[rq->active], 0);

	if (prio == NR_PRIO) {
		rq->active = !rq->active;
		rq->has_expired = false;
		prio = next_prio(&rq->array[rq->active], 0);
	}
	return rq->array[rq->active].head[prio] - 1;
}

static bool o1_tick(struct queues *q, int cpu, int task)
{
	struct o1_task *t = task_of(q, task);

	if (t->array != rq_of(q, cpu)->active)
		return true;
	if (t->sleep_avg)
		t->sleep_avg--;
	if (--t->slice > 0)
		return false;
	expire(q, cpu, task);
	return true;
}

static bool o1_preempts(struct queues *q, int cpu, int task,
			enum enqueue_why why)
{
	return why == ENQUEUE_NEW ||
		task_of(q, task)->prio < task_of(q, q->view->cpu[cpu].curr)->prio;
}

/*
 * The lists in the order of A.6.6: expired before active, from the highest
 * priority down: 0..139 expired, 140..279 active.  Returns the first one from
 * `list` on that is not empty, 2 * NR_PRIO for none.
 */
static int next_list(const struct rq *rq, int list)
{
	int prio;

	if (list < NR_PRIO) {
		prio = next_prio(&rq->array[!rq->active], list);
		if (prio < NR_PRIO)
			return prio;
		list = NR_PRIO;
	}
	return NR_PRIO + next_prio(&rq->array[rq->active], list - NR_PRIO);
}

/* From at towards the head, past the task that runs. */
static int not_running(const struct queues *q, int cpu, int at)
{
	if (at && at - 1 == q->view->cpu[cpu].curr)
		return task_of(q, at - 1)->prev;
	return at;
}

static int o1_steal_next(const struct queues *q, int cpu, struct queue_pos *pos)
{
	const struct rq *rq = rq_of(q, cpu);
	int at = 0, list = -1;

	if (pos->last) {
		list = pos->list;
		if (!pos->skip_list)
			at = not_running(q, cpu, task_of(q, pos->last - 1)->prev);
	}
	while (!at) {
		list = next_list(rq, list + 1);
		if (list >= 2 * NR_PRIO)
			return TASK_NONE;
		at = list < NR_PRIO ? rq->array[!rq->active].tail[list] :
			rq->array[rq->active].tail[list - NR_PRIO];
		at = not_running(q, cpu, at);
	}
	*pos = (struct queue_pos){ .list = list, .last = at };
	return at - 1;
}

extern const struct discipline_ops queue_o1;
const struct discipline_ops queue_o1 = {
	.name = "queue_o1",
	.title = "priority arrays and time slices of the O(1) scheduler",
	.about =
"Linux 2.5.39 (sheet A.1 to A.5): per CPU an active and an expired array of\n"
"140 lists; the head of the highest list runs.  Slices by nice level, split\n"
"at fork, returned at exit; a bonus of up to 5 priorities for sleepers, who\n"
"stay in the active array when their slice is over unless others starve.\n"
"CPU hogs on one queue alternate with periods of up to 151 ms each.\n",
	.knobs = o1_knobs,
	.rq_size = sizeof(struct rq),
	.task_size = sizeof(struct o1_task),
	.init = o1_init,
	.fork = o1_fork,
	.exit = o1_exit,
	.enqueue = o1_enqueue,
	.dequeue = o1_dequeue,
	.pick = o1_pick,
	.idle = o1_idle,
	.tick = o1_tick,
	.preempts = o1_preempts,
	.steal_next = o1_steal_next,
};
