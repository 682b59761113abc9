/* SPDX-License-Identifier: MIT */
#include "replay/engine_local.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_HOUR (3600 * NS_PER_S)
#define FAR_FUTURE (INT64_MAX / 4)
#define PROGRESS_STEPS 200

/* How far apart the counters of ticks of two seeds may start. */
#define TICK_SPREAD_S 64

bool engine_is_cpu(const struct engine *e, int cpu)
{
	return view_cpu_online(&e->view, cpu);
}

bool engine_is_node(const struct engine *e, int node)
{
	return node >= 0 && node < e->view.nr_nodes &&
		e->in->topo->node[node].present;
}

int engine_set_timer(struct engine *e, int task, int64_t ns)
{
	if (ns > FAR_FUTURE)
		return program_bad(e, task, "sleeps beyond the end of time");
	heap_set(&e->heap, slot_task(e, task), e->view.now + ns, RANK_EVENT);
	return 0;
}

/* -- set-up ---------------------------------------------------------------- */

static bool follows(const struct engine *e)
{
	return e->in->policy->ops->flags & POLICY_F_FOLLOW;
}

static int alloc_tables(struct engine *e)
{
	size_t tasks = (size_t)e->view.nr_tasks + 1;
	size_t cpus = (size_t)e->view.nr_cpus + 1;
	size_t nodes = (size_t)e->view.nr_nodes + 1;

	e->task = calloc(tasks, sizeof(*e->task));
	e->cpu = calloc(cpus, sizeof(*e->cpu));
	e->mask = calloc(tasks, sizeof(*e->mask));
	e->resched = calloc(cpus, sizeof(*e->resched));
	e->tick_cpu = calloc(cpus, sizeof(*e->tick_cpu));
	e->tick_phase = calloc(cpus, sizeof(*e->tick_phase));
	e->mover = calloc(nodes, sizeof(*e->mover));
	e->proc_alive = calloc(tasks, sizeof(*e->proc_alive));
	e->check_nr = calloc(cpus, sizeof(*e->check_nr));
	if (!e->task || !e->cpu || !e->mask || !e->resched || !e->tick_cpu ||
	    !e->tick_phase || !e->mover || !e->proc_alive ||
	    !e->check_nr)
		return err_nomem(e->err);
	return 0;
}

static bool usable(const struct cpumask *m, const struct view *v)
{
	for (int c = cpumask_next(m, -1); c >= 0; c = cpumask_next(m, c))
		if (view_cpu_online(v, c))
			return true;
	return false;
}

/* The CPUs that a task may use; none of them here: all. */
static int set_allowed(struct engine *e, const struct task *t)
{
	struct cpumask *m = &e->mask[t->id];
	int cpu;

	if (!cpumask_empty(&t->affinity)) {
		if (cpumask_copy(m, &t->affinity))
			return err_nomem(e->err);
	} else if (task_percpu_name(t->comm, &cpu)) {
		if (cpu < CPUMASK_MAX && cpumask_set(m, cpu))
			return err_nomem(e->err);
	} else {
		return 0;
	}
	if (usable(m, &e->view))
		e->view.task[t->id].allowed = m;
	else
		e->count.affinity_ignored++;
	return 0;
}

static int leader_of(const struct engine *e, const struct task *t)
{
	int leader = t->id;

	if (t->pid >= 0 && t->pid != t->tid)
		leader = tasks_find(e->in->tasks, t->pid, t->start_ns);
	return leader >= 0 ? leader : t->id;
}

static int init_task(struct engine *e, const struct task *t)
{
	struct engine_task *et = &e->task[t->id];
	struct view_task *vt = &e->view.task[t->id];
	double own = e->in->intensity ? e->in->intensity[t->id] : NAN;
	bool given = !isnan(own);

	vt->proc = leader_of(e, t);
	vt->is_kthread = t->flags & TASK_F_KTHREAD;
	et->parent = t->parent;
	et->waker = TASK_NONE;
	et->last_cpu = -1;
	et->ready_ns = -1;
	et->intensity = given ? own : e->in->cost->intensity;
	et->hi_intensity = given || e->in->cost->intensity_set ?
		et->intensity : 1;
	et->lo_intensity = given || e->in->cost->intensity_set ?
		et->intensity : 0;
	if (set_allowed(e, t))
		return e->err->code;
	return memory_add_task(&e->memory, t->id, vt->proc, &et->mem, e->err);
}

/* The lowest CPU that it may use, spread over tasks by their number. */
static int any_cpu(const struct engine *e, int task)
{
	int nr = 0, want;

	for (int c = 0; c < e->view.nr_cpus; c++)
		nr += view_allowed(&e->view, task, c);
	want = nr ? task % nr : 0;
	for (int c = 0; c < e->view.nr_cpus; c++)
		if (view_allowed(&e->view, task, c) && !want--)
			return c;
	return -1;
}

static int init_demand(struct engine *e)
{
	for (int i = 0; i < e->in->nr_demand; i++) {
		const struct demand_task *d = &e->in->demand[i];
		struct engine_task *et;
		int64_t at = d->appears_ns;

		if (d->task < 0 || d->task >= e->view.nr_tasks)
			return err_set(e->err, ERR_FORMAT,
				       "demand of a task %d that does not exist",
				       d->task);
		if (d->stopper && !follows(e))
			continue;
		et = &e->task[d->task];
		et->has_program = true;
		et->forked = d->forked;
		e->proc_alive[e->view.task[d->task].proc]++;
		e->view.task[d->task].cpu =
			view_allowed(&e->view, d->task, d->first_cpu) ?
			d->first_cpu : any_cpu(e, d->task);
		if (d->forked)
			continue;
		if (at < e->in->start_ns)
			at = e->in->start_ns;
		if (at > FAR_FUTURE)
			return program_bad(e, d->task, "appears too late");
		heap_set(&e->heap, slot_task(e, d->task), at, RANK_EVENT);
	}
	return 0;
}

static int64_t tick_length(const struct engine *e)
{
	return NS_PER_S / e->queues.hz;
}

/* When in each round a CPU ticks.  Where ticks vary, by so much less than at
 * most that all of a round's stay inside it. */
static int64_t draw_phase(struct engine *e, int cpu)
{
	int64_t len = tick_length(e);
	int64_t vary = (int64_t)(e->queues.tick_spread / 2 * (double)(len - 1));

	if (e->in->aligned_ticks)
		return 0;
	if (!e->round)
		e->cpu[cpu].tick_phase = vary +
			(int64_t)rng_below(&e->rng, (uint64_t)(len - 2 * vary));
	if (!vary)
		return e->cpu[cpu].tick_phase;
	return e->cpu[cpu].tick_phase - vary +
		(int64_t)rng_below(&e->rng, (uint64_t)(2 * vary + 1));
}

/* Puts the online CPUs in the order in which they tick in the coming round. */
static void order_ticks(struct engine *e)
{
	e->nr_online = 0;
	for (int c = 0; c < e->view.nr_cpus; c++) {
		int64_t phase;
		int i;

		if (!engine_is_cpu(e, c))
			continue;
		phase = draw_phase(e, c);
		for (i = e->nr_online++; i > 0 && e->tick_phase[i - 1] > phase; i--) {
			e->tick_phase[i] = e->tick_phase[i - 1];
			e->tick_cpu[i] = e->tick_cpu[i - 1];
		}
		e->tick_phase[i] = phase;
		e->tick_cpu[i] = c;
	}
}

static void init_ticks(struct engine *e)
{
	order_ticks(e);
	e->round = 1;
	if (!e->in->aligned_ticks)
		e->view.tick = (int64_t)rng_below(&e->rng,
				(uint64_t)e->queues.hz * TICK_SPREAD_S);
}

static int init_queues(struct engine *e)
{
	struct queues *q = &e->queues;

	q->view = &e->view;
	e->view.queues = q;
	if (follows(e)) {
		q->hz = 1000;
		return 0;
	}
	q->ops = e->in->policy->discipline;
	q->knobs = e->in->policy->queue_values;
	q->rq = calloc((size_t)e->view.nr_cpus + 1, q->ops->rq_size);
	q->task = calloc((size_t)e->view.nr_tasks + 1, q->ops->task_size);
	if (!q->rq || !q->task)
		return err_nomem(e->err);
	return q->ops->init(q, e->err);
}

static int mem_changed(void *ctx, int area, int node, int64_t pages)
{
	struct engine *e = ctx;
	struct mem_change m = {
		.ts = e->view.now, .area = area, .node = node, .pages = pages };

	e->mem_changed = true;
	return e->sink->mem ? e->sink->mem(e->sink->ctx, &m, e->err) : 0;
}

static int64_t view_area(const struct view *v, int area, int node)
{
	return memory_pages(v->memory, area, node);
}

static int64_t view_proc(const struct view *v, int proc, int node)
{
	return memory_proc_pages(v->memory, proc, node);
}

static int init_memory(struct engine *e)
{
	struct memory_input in = {
		.topo = e->in->topo,
		.areas = e->in->areas,
		.nr_tasks = e->view.nr_tasks,
		.page_size = e->in->page_size > 0 ? e->in->page_size : 4096,
		.access = e->in->access,
		.nr_access = e->in->nr_access,
	};

	if (memory_init(&e->memory, &in, e->err))
		return e->err->code;
	e->memory.changed = mem_changed;
	e->memory.changed_ctx = e;
	e->view.memory = &e->memory;
	e->view.area_pages = view_area;
	e->view.proc_pages = view_proc;
	return 0;
}

static void set_limit(struct engine *e)
{
	int64_t len = e->in->end_ns - e->in->start_ns;

	e->limit_ns = FAR_FUTURE;
	if (len < 0)
		len = 0;
	if (len < (FAR_FUTURE - NS_PER_HOUR) / ENGINE_MAX_STRETCH / 2 &&
	    e->in->start_ns < FAR_FUTURE / 2)
		e->limit_ns = e->in->start_ns + len * ENGINE_MAX_STRETCH +
			NS_PER_HOUR;
	e->next_progress = e->in->start_ns;
}

static int init_policy(struct engine *e)
{
	const struct policy_spec *p = e->in->policy;
	int r = 0;

	if (p->ops->init)
		r = p->ops->init(&e->policy, &e->view, p->values, e->err);
	return r || e->err->code ?
		err_set(e->err, ERR_USAGE, "policy '%s': init() gave %d",
			p->ops->name, r) : 0;
}

static int init(struct engine *e)
{
	const struct engine_input *in = e->in;
	int slots;

	if (view_init(&e->view, in->topo, in->tasks->nr, e->err))
		return e->err->code;
	e->view.tasks = in->tasks;
	e->view.areas = in->areas;
	e->view.access = in->access;
	e->view.nr_access = in->nr_access;
	e->view.page_size = in->page_size;
	e->view.now = in->start_ns;
	e->command = tasks_command(in->tasks);
	e->view.rng = &e->rng;
	rng_seed(&e->rng, in->seed);
	slots = e->view.nr_cpus + e->view.nr_tasks + e->view.nr_nodes;
	if (heap_init(&e->heap, slots, e->err) || alloc_tables(e) ||
	    init_memory(e))
		return e->err->code;
	for (int t = 0; t < in->tasks->nr; t++)
		if (init_task(e, &in->tasks->task[t]))
			return e->err->code;
	if (init_queues(e))
		return e->err->code;
	init_ticks(e);
	if (!e->nr_online)
		return err_set(e->err, ERR_FORMAT,
			       "a machine without an online CPU");
	set_limit(e);
	if (speed_init(e) || init_demand(e))
		return e->err->code;
	return init_policy(e);
}

static void release(struct engine *e)
{
	if (e->in->policy->ops->exit)
		e->in->policy->ops->exit(e->policy);
	for (int t = 0; e->mask && t < e->view.nr_tasks; t++)
		cpumask_release(&e->mask[t]);
	for (int n = 0; e->mover && n < e->view.nr_nodes; n++)
		free(e->mover[n].move);
	speed_release(e);
	emit_release(e);
	decisions_release(&e->decisions);
	decisions_release(&e->late);
	tokens_release(&e->tokens);
	channels_release(&e->channels);
	memory_release(&e->memory);
	heap_release(&e->heap);
	free(e->queues.rq);
	free(e->queues.task);
	free(e->task);
	free(e->cpu);
	free(e->mask);
	free(e->resched);
	free(e->tick_cpu);
	free(e->tick_phase);
	free(e->mover);
	free(e->proc_alive);
	free(e->check_nr);
	view_release(&e->view);
}

/* -- time ------------------------------------------------------------------- */

static int show_progress(struct engine *e)
{
	int64_t len = e->in->end_ns - e->in->start_ns;
	double done = len > 0 ?
		(double)(e->view.now - e->in->start_ns) / (double)len : 1;

	e->next_progress = e->view.now + len / PROGRESS_STEPS + 1;
	if (e->in->progress &&
	    e->in->progress(e->in->progress_ctx, done < 1 ? done : 1))
		return err_set(e->err, ERR_STOPPED, "stopped");
	return 0;
}

static int advance(struct engine *e, int64_t at)
{
	if (at <= e->view.now)
		return at == e->view.now ? 0 :
			check_broken(e, "time goes back to %" PRId64, at);
	if (emit_flush(e))
		return e->err->code;
	if (at > e->limit_ns)
		return err_set(e->err, ERR_FORMAT,
			       "the replay does not end: %" PRId64
			       " s are simulated", (at - e->in->start_ns) / NS_PER_S);
	e->view.now = at;
	if (at >= e->next_progress)
		return show_progress(e);
	return 0;
}

static int64_t round_start(const struct engine *e, int64_t round)
{
	int64_t hz = e->queues.hz;

	return e->in->start_ns + round / hz * NS_PER_S +
		round % hz * NS_PER_S / hz;
}

static int64_t next_tick(const struct engine *e)
{
	return round_start(e, e->round) + e->tick_phase[e->tick_at];
}

/* Leaves out the rounds before `at` in which there was nothing to do. */
static void skip_ticks(struct engine *e, int64_t at)
{
	int64_t rounds = (at - next_tick(e)) / tick_length(e) - 2;

	if (rounds <= 0)
		return;
	e->round += rounds;
	e->view.tick += rounds;
}

static int tick(struct engine *e)
{
	int cpu = e->tick_cpu[e->tick_at];

	if (!e->tick_at)
		e->view.tick++;
	if (++e->tick_at == e->nr_online) {
		e->tick_at = 0;
		e->round++;
		if (e->queues.tick_spread > 0)
			order_ticks(e);
	}
	return sched_tick(e, cpu);
}

/* -- main loop -------------------------------------------------------------- */

/* Pages arrive on a node. */
static int pages_arrive(struct engine *e, int node)
{
	struct engine_mover *m = &e->mover[node];
	struct page_move *p = &m->move[m->first], now = *p;
	int64_t done;
	int r;

	now.pages = m->batch;
	r = memory_move(&e->memory, &now, &done);
	if (done < now.pages)
		p->pages = 0;		/* the rest is not there any more */
	else
		p->pages -= done;
	if (!p->pages) {
		m->first++;
		m->nr--;
	}
	sched_start_mover(e, node);
	return r;
}

static int begin_or_wake(struct engine *e, int task)
{
	if (follows(e))
		return e->view.task[task].state == VIEW_UNBORN ?
			follow_begin(e, task) : follow_event(e, task);
	if (e->view.task[task].state == VIEW_UNBORN)
		return program_begin(e, task, TASK_NONE);
	return sched_wake(e, &(struct waking){
		.task = task, .waker = TASK_NONE, .cpu = -1 });
}

static int event(struct engine *e, int slot)
{
	int cpus = e->view.nr_cpus, tasks = e->view.nr_tasks;

	if (slot < cpus)
		return sched_run_over(e, slot);
	if (slot < cpus + tasks)
		return begin_or_wake(e, slot - cpus);
	return pages_arrive(e, slot - cpus - tasks);
}

static bool ticks_pause(const struct engine *e)
{
	return !e->total_running && e->view.now - e->idle_since > NS_PER_S;
}

/* Whatever comes next; 1 at the end. */
static int step(struct engine *e)
{
	int64_t at = 0, t;
	int slot;

	if (e->nr_resched)
		return sched_pending(e);
	speed_apply(e);
	slot = heap_peek(&e->heap, &at);
	if (slot < 0)
		return 1;
	if (follows(e)) {
		if (at > e->in->end_ns)
			return 1;
	} else {
		if (ticks_pause(e))
			skip_ticks(e, at);
		t = next_tick(e);
		if (t < at)
			return advance(e, t) ? e->err->code : tick(e);
	}
	if (advance(e, at))
		return e->err->code;
	/* What runs on a CPU next takes its place in the heap. */
	if (slot >= e->view.nr_cpus)
		heap_clear(&e->heap, slot);
	return event(e, slot);
}

static int run(struct engine *e)
{
	int r = 0;

	while (!r) {
		r = step(e);
		e->events++;
		if (!r && (e->in->check || ALWAYS_CHECKS))
			r = check_walk(e);
	}
	if (r < 0)
		return r;
	if (follows(e) && follow_finish(e))
		return e->err->code;
	if (emit_flush(e))
		return e->err->code;
	return emit_end(e);
}

int engine_run(const struct engine_input *in, struct run_sink *sink,
	       struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));
	int r;

	if (!e)
		return err_nomem(err);
	e->in = in;
	e->sink = sink;
	e->err = err;
	r = init(e);
	if (!r)
		r = run(e);
	release(e);
	free(e);
	return r;
}
