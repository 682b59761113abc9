/* SPDX-License-Identifier: MIT */
#include "replay/engine_local.h"

#include <stdlib.h>

/* Of a decide_time(). */
#define MAX_TIME_NS (INT64_C(1) << 50)

static int node_of(const struct engine *e, int cpu)
{
	return e->view.cpu[cpu].node;
}

/* -- queues ----------------------------------------------------------------- */

void sched_resched(struct engine *e, int cpu)
{
	int at;

	if (e->cpu[cpu].resched)
		return;
	e->cpu[cpu].resched = true;
	at = e->resched_head + e->nr_resched++;
	e->resched[at < e->view.nr_cpus ? at : at - e->view.nr_cpus] = cpu;
}

static void count_home(struct engine *e, int cpu, int task, int by)
{
	int home = e->view.task[task].home;

	if (home >= 0)
		e->view.nr_home[(size_t)cpu * (size_t)e->view.nr_nodes +
				(size_t)home] += by;
}

static void enqueue(struct engine *e, int cpu, int task, enum enqueue_why why)
{
	struct view_cpu *c = &e->view.cpu[cpu];
	struct view_task *v = view_of(e, task);

	v->state = VIEW_QUEUED;
	v->cpu = cpu;
	e->queues.ops->enqueue(&e->queues, cpu, task, why);
	view_run(&e->view, cpu, 1);
	e->total_running++;
	count_home(e, cpu, task, 1);
	speed_queue_changed(e, cpu);
	if (c->curr == TASK_NONE ||
	    e->queues.ops->preempts(&e->queues, cpu, task, why))
		sched_resched(e, cpu);
}

static void dequeue(struct engine *e, int cpu, int task, enum dequeue_why why)
{
	count_home(e, cpu, task, -1);
	view_run(&e->view, cpu, -1);
	e->queues.ops->dequeue(&e->queues, cpu, task, why);
	if (!--e->total_running)
		e->idle_since = e->view.now;
	speed_queue_changed(e, cpu);
}

/* -- on and off a CPU ------------------------------------------------------- */

/* The scheduler looked at the task that runs: the stamp that balancers use to
 * tell who is cache hot. */
static void stamp(struct engine *e, int task)
{
	struct view_task *v = view_of(e, task);

	v->ran_ns = e->view.now;
	v->ran_tick = e->view.tick;
}

static void arrive(struct engine *e, int cpu, int task)
{
	struct engine_task *t = &e->task[task];
	int last = t->last_cpu;

	t->span_start = e->view.now;
	t->last_cpu = cpu;
	e->count.switches++;
	if (last < 0 || last == cpu)
		return;
	e->count.migrations++;
	e->count.node_migrations += node_of(e, last) != node_of(e, cpu);
	t->extra += e->in->cost->migrate_ns[
		topo_shared_level(e->in->topo, last, cpu)];
}

static int carry_out(struct engine *e, struct decisions *d);

/* Tells the policy how long the running task did so. */
static int tell_ran(struct engine *e, int cpu, bool goes_off)
{
	const struct policy_ops *p = e->in->policy->ops;
	struct engine_cpu *c = &e->cpu[cpu];
	int64_t ns = e->view.now - c->told;

	c->told = e->view.now;
	if (!p->ran || ns <= 0)
		return 0;
	p->ran(e->policy, &e->view, e->view.cpu[cpu].curr, cpu, ns, goes_off,
	       goes_off ? &e->late : &e->decisions);
	return carry_out(e, goes_off ? &e->late : &e->decisions);
}

static void switch_in(struct engine *e, int cpu, int task)
{
	e->cpu[cpu].told = e->view.now;
	e->view.cpu[cpu].curr = task;
	view_of(e, task)->state = VIEW_RUNNING;
	arrive(e, cpu, task);
	speed_start(e, cpu);
}

/* The running task leaves its CPU; it is on the queue still.  The CPU must
 * choose again at once: whoever comes takes its place in the heap. */
static int switch_out(struct engine *e, int cpu, enum task_state state,
		      unsigned int flags)
{
	int task = e->view.cpu[cpu].curr;
	struct engine_task *t = &e->task[task];
	struct span s = {
		.task = task,
		.cpu = cpu,
		.start_ns = t->span_start,
		.end_ns = e->view.now,
		.ready_ns = t->ready_ns,
		.waker = t->waker,
		.state = (uint8_t)state,
		.flags = (uint8_t)flags,
	};

	if (tell_ran(e, cpu, true))
		return e->err->code;
	speed_charge(e, cpu);
	speed_stop(e, cpu);
	stamp(e, task);
	e->view.cpu[cpu].curr = TASK_NONE;
	t->ready_ns = e->view.now;
	t->waker = TASK_NONE;
	return emit_span(e, &s);
}

int sched_off(struct engine *e, int cpu, enum task_state state)
{
	int task = e->view.cpu[cpu].curr;

	if (switch_out(e, cpu, state, 0))
		return e->err->code;
	dequeue(e, cpu, task, DEQUEUE_SLEEP);
	view_of(e, task)->state = VIEW_BLOCKED;
	sched_resched(e, cpu);
	return 0;
}

static int choose(struct engine *e, int cpu)
{
	const struct policy_ops *p = e->in->policy->ops;
	struct view_cpu *c = &e->view.cpu[cpu];
	int prev = c->curr, next;

	if (prev != TASK_NONE) {
		stamp(e, prev);
		if (e->queues.ops->put_prev)
			e->queues.ops->put_prev(&e->queues, cpu, prev);
	}
	if (!e->view.nr_running[cpu] && p->newidle) {
		p->newidle(e->policy, &e->view, cpu, &e->decisions);
		if (sched_decide(e))
			return e->err->code;
	}
	if (!e->view.nr_running[cpu]) {
		if (e->queues.ops->idle)
			e->queues.ops->idle(&e->queues, cpu);
		heap_clear(&e->heap, cpu);
		return 0;
	}
	next = e->queues.ops->pick(&e->queues, cpu);
	if (next == prev)
		return 0;
	if (prev != TASK_NONE) {
		if (switch_out(e, cpu, STATE_RUNNABLE, 0))
			return e->err->code;
		view_of(e, prev)->state = VIEW_QUEUED;
	}
	switch_in(e, cpu, next);
	return program_run(e, cpu);
}

int sched_pending(struct engine *e)
{
	int cpu = e->resched[e->resched_head];

	if (++e->resched_head == e->view.nr_cpus)
		e->resched_head = 0;
	e->nr_resched--;
	e->cpu[cpu].resched = false;
	return choose(e, cpu);
}

int sched_run_over(struct engine *e, int cpu)
{
	struct engine_task *t = &e->task[e->view.cpu[cpu].curr];

	speed_charge(e, cpu);
	if (e->in->check && t->work > t->pieces)
		return check_broken(e, "task %d has %lld ns of work left over",
				    e->view.cpu[cpu].curr, (long long)t->work);
	t->work = 0;
	t->extra = 0;
	return program_run(e, cpu);
}

/* -- placement -------------------------------------------------------------- */

static int move_task(struct engine *e, int task, int from, int to,
		     enum move_why why)
{
	struct move m = {
		.ts = e->view.now, .task = task, .from = from, .to = to,
		.why = (uint8_t)why };

	return emit_move(e, &m);
}

static int refuse(struct engine *e, int task, int to, enum move_why why)
{
	bool exists = to >= 0 && to < e->view.nr_cpus;
	struct move m = {
		.ts = e->view.now, .task = task, .to = exists ? to : -1,
		.from = view_task_cpu(&e->view, task),
		.why = (uint8_t)why, .refused = 1 };

	return emit_move(e, &m);
}

/* Asks the policy; *cpu is prev_cpu if it has no or no good answer. */
static int select_cpu(struct engine *e, const struct select_args *a, int *cpu)
{
	static const enum move_why why[] = {
		[SELECT_WAKE] = MOVE_WAKE,
		[SELECT_FORK] = MOVE_FORK,
		[SELECT_EXEC] = MOVE_EXEC,
	};
	const struct policy_ops *p = e->in->policy->ops;

	*cpu = a->prev_cpu;
	if (!p->select_cpu)
		return 0;
	*cpu = p->select_cpu(e->policy, &e->view, a, &e->decisions);
	if (sched_decide(e))
		return e->err->code;
	if (*cpu == a->prev_cpu)
		return 0;
	if (view_allowed(&e->view, a->task, *cpu))
		return move_task(e, a->task, a->prev_cpu, *cpu, why[a->why]);
	if (refuse(e, a->task, *cpu, why[a->why]))
		return e->err->code;
	*cpu = a->prev_cpu;
	return 0;
}

int sched_fork(struct engine *e, int task, int parent)
{
	const struct policy_ops *p = e->in->policy->ops;
	int cpu;

	stamp(e, task);
	if (parent != TASK_NONE) {
		cpu = e->view.task[parent].cpu;
		if (view_allowed(&e->view, task, cpu))
			view_of(e, task)->cpu = cpu;
		e->task[task].parent = parent;
	}
	if (e->queues.ops->fork(&e->queues, task, parent))
		sched_resched(e, e->view.task[parent].cpu);
	if (!p->init_task)
		return 0;
	p->init_task(e->policy, &e->view, task, parent, &e->decisions);
	return sched_decide(e);
}

int sched_wake(struct engine *e, const struct waking *w)
{
	struct engine_task *t = &e->task[w->task];
	struct select_args a = {
		.task = w->task,
		.prev_cpu = view_of(e, w->task)->cpu,
		.waker = w->waker,
		.waker_cpu = w->cpu,
		.why = t->forked ? SELECT_FORK : SELECT_WAKE,
		.is_sync = w->is_sync,
	};
	int cpu;

	if (t->forked && view_allowed(&e->view, w->task, w->cpu))
		a.prev_cpu = w->cpu;
	if (select_cpu(e, &a, &cpu))
		return e->err->code;
	e->count.wakeups++;
	t->block = BLOCK_NONE;
	t->waker = w->waker;
	t->ready_ns = e->view.now;
	enqueue(e, cpu, w->task, t->forked ? ENQUEUE_NEW : ENQUEUE_WAKE);
	t->forked = false;
	return 0;
}

/* Takes a runnable task, running or not, to another queue. */
static int carry(struct engine *e, int task, int to)
{
	int from = e->view.task[task].cpu;

	if (e->view.task[task].state == VIEW_RUNNING) {
		if (switch_out(e, from, STATE_RUNNABLE, 0))
			return e->err->code;
		sched_resched(e, from);
	}
	dequeue(e, from, task, DEQUEUE_MOVE);
	enqueue(e, to, task, ENQUEUE_MOVE);
	return 0;
}

int sched_exec(struct engine *e, int cpu)
{
	int task = e->view.cpu[cpu].curr, to;
	struct select_args a = {
		.task = task,
		.prev_cpu = cpu,
		.waker = TASK_NONE,
		.waker_cpu = cpu,
		.why = SELECT_EXEC,
	};

	if (select_cpu(e, &a, &to))
		return e->err->code;
	return to == cpu ? 0 : carry(e, task, to);
}

int sched_exit(struct engine *e, int cpu, bool is_censored)
{
	const struct policy_ops *p = e->in->policy->ops;
	int task = e->view.cpu[cpu].curr, parent = e->task[task].parent;
	struct view_task *v = view_of(e, task);
	enum view_state s = view_task_state(&e->view, parent);

	if (switch_out(e, cpu, is_censored ? STATE_RUNNABLE : STATE_DEAD,
		       is_censored ? SPAN_F_CENSORED_END : 0))
		return e->err->code;
	dequeue(e, cpu, task, DEQUEUE_EXIT);
	v->state = VIEW_GONE;
	sched_resched(e, cpu);
	e->queues.ops->exit(&e->queues, task,
			    s == VIEW_UNBORN || s == VIEW_GONE ? TASK_NONE : parent);
	if (p->exit_task)
		p->exit_task(e->policy, &e->view, task);
	if (!is_censored && !--e->proc_alive[v->proc])
		memory_forget(&e->memory, v->proc);
	return 0;
}

int sched_tick(struct engine *e, int cpu)
{
	const struct policy_ops *p = e->in->policy->ops;
	int curr = e->view.cpu[cpu].curr;

	e->count.ticks++;
	if (curr != TASK_NONE && e->queues.ops->tick(&e->queues, cpu, curr))
		sched_resched(e, cpu);
	if (p->ran && curr != TASK_NONE && tell_ran(e, cpu, false))
		return e->err->code;
	if (!p->tick)
		return 0;
	p->tick(e->policy, &e->view, cpu, &e->decisions);
	return e->decisions.nr || e->decisions.nomem ? sched_decide(e) : 0;
}

/* -- decisions -------------------------------------------------------------- */

static int do_pull(struct engine *e, const struct pull *p)
{
	enum view_state s = view_task_state(&e->view, p->task);
	bool can = s == VIEW_QUEUED ||
		(s == VIEW_RUNNING && p->why != MOVE_BALANCE);
	int from = view_task_cpu(&e->view, p->task);

	if (p->why >= MOVE_NR || p->task < 0 || p->task >= e->view.nr_tasks) {
		e->count.refused++;
		return 0;
	}
	if (!can || p->to_cpu == from ||
	    !view_allowed(&e->view, p->task, p->to_cpu))
		return refuse(e, p->task, p->to_cpu, p->why);
	if (move_task(e, p->task, from, p->to_cpu, p->why))
		return e->err->code;
	return carry(e, p->task, p->to_cpu);
}

static void do_home(struct engine *e, int task, int node)
{
	enum view_state s = view_task_state(&e->view, task);
	bool queued = s == VIEW_QUEUED || s == VIEW_RUNNING;
	struct view_task *v;

	if (task < 0 || task >= e->view.nr_tasks || s == VIEW_GONE ||
	    (node != NO_NODE && !engine_is_node(e, node))) {
		e->count.refused++;
		return;
	}
	v = view_of(e, task);
	if (queued)
		count_home(e, v->cpu, task, -1);
	v->home = node;
	if (queued)
		count_home(e, v->cpu, task, 1);
}

static void do_time(struct engine *e, int task, int64_t ns)
{
	enum view_state s = view_task_state(&e->view, task);
	bool runs = s == VIEW_RUNNING;
	int cpu = view_task_cpu(&e->view, task);

	if (s == VIEW_UNBORN || s == VIEW_GONE || ns <= 0 || ns > MAX_TIME_NS) {
		e->count.refused++;
		return;
	}
	if (runs)
		speed_charge(e, cpu);
	e->task[task].extra += ns;
	if (runs)
		speed_calendar(e, cpu);
}

/* So many pages are moved at a time: a replay has fewer events, and pages
 * arrive at most that much late. */
#define MOVER_BATCH 64

void sched_start_mover(struct engine *e, int node)
{
	struct engine_mover *m = &e->mover[node];
	int64_t ns = e->in->page_move_ns > 0 ? e->in->page_move_ns :
		ENGINE_PAGE_MOVE_NS;

	if (!m->nr)
		return;
	m->batch = m->move[m->first].pages;
	if (m->batch > MOVER_BATCH)
		m->batch = MOVER_BATCH;
	heap_set(&e->heap, slot_node(e, node), e->view.now + ns * m->batch,
		 RANK_EVENT);
}

static int push_move(struct engine *e, struct engine_mover *m,
		     const struct page_move *p)
{
	struct page_move *move;
	int size;

	if (m->first + m->nr == m->size && m->first) {
		for (int i = 0; i < m->nr; i++)
			m->move[i] = m->move[m->first + i];
		m->first = 0;
	}
	if (m->nr == m->size) {
		size = m->size ? m->size * 2 : 16;
		move = realloc(m->move, (size_t)size * sizeof(*move));
		if (!move)
			return err_nomem(e->err);
		m->move = move;
		m->size = size;
	}
	m->move[m->first + m->nr++] = *p;
	return 0;
}

static int do_pages(struct engine *e, const struct page_move *p)
{
	struct engine_mover *m;

	if (p->area < 0 || p->area >= e->memory.nr_areas ||
	    !engine_is_node(e, p->from) || !engine_is_node(e, p->to) ||
	    !e->memory.node_room[p->to] || p->pages <= 0 || p->from == p->to) {
		e->count.pages_refused++;
		return 0;
	}
	m = &e->mover[p->to];
	if (push_move(e, m, p))
		return e->err->code;
	if (m->nr == 1)
		sched_start_mover(e, p->to);
	return 0;
}

/* A task that goes off its CPU (late) cannot be moved at that moment. */
static int carry_out(struct engine *e, struct decisions *d)
{
	int r = 0;

	if (d->nomem)
		return err_nomem(e->err);
	for (int i = 0; !r && i < d->nr; i++) {
		const struct decision *x = &d->item[i];

		if (x->kind == DECIDE_PULL && d == &e->late)
			e->count.refused++;
		else if (x->kind == DECIDE_PULL)
			r = do_pull(e, &x->pull);
		else if (x->kind == DECIDE_PAGES)
			r = do_pages(e, &x->pages);
		else if (x->kind == DECIDE_HOME)
			do_home(e, x->home.task, x->home.node);
		else if (x->kind == DECIDE_TIME)
			do_time(e, x->time.task, x->time.ns);
		else
			e->count.policy[x->count.what] += x->count.nr;
	}
	d->nr = 0;
	return r;
}

int sched_decide(struct engine *e)
{
	return carry_out(e, &e->decisions);
}
