/* SPDX-License-Identifier: MIT */
#include "replay/engine_local.h"

#include <stdlib.h>
#include <string.h>

/* Users of a node are counted in these steps, so that adding and taking away
 * in any order is exact. */
#define SHARE_STEPS 1048576.0

/* Shorter times fit in 64 bits with the digits after the point. */
#define SHORT_NS (INT64_C(1) << 42)

/* No factor is larger: keeps products of time and factor inside 64 bits. */
#define FACTOR_MAX (INT64_C(1) << 40)

static double *share_on(const struct engine *e, int cpu)
{
	return e->share_on + (size_t)cpu * (size_t)e->view.nr_nodes;
}

/* -- set-up ----------------------------------------------------------------- */

static bool remote_costs(const struct cost *c)
{
	int n = c->nr_node_ids;

	for (int i = 0; c->remote && i < n * n; i++)
		if (c->remote[i] != 1)
			return true;
	return false;
}

int speed_init(struct engine *e)
{
	const struct cost *c = e->in->cost;
	size_t cpus = (size_t)e->view.nr_cpus + 1;
	size_t nodes = (size_t)e->view.nr_nodes + 1;

	e->mem_costed = !c->flat && e->memory.nr_procs &&
		(c->contention > 0 || remote_costs(c));
	e->smt_costed = c->smt != 1;
	e->over_costed = c->oversubscribed != 1;
	e->costed = e->mem_costed || e->smt_costed || e->over_costed;
	for (int i = 0; i < e->view.nr_cpus; i++) {
		e->cpu[i].factor = FACTOR_ONE;
		e->cpu[i].memory = e->cpu[i].crowd = 1;
		e->cpu[i].mem_index = -1;
	}
	e->mem_cpu = calloc(cpus, sizeof(*e->mem_cpu));
	e->speed_cpu = calloc(cpus, sizeof(*e->speed_cpu));
	e->share_on = calloc(cpus * nodes, sizeof(*e->share_on));
	e->users = calloc(nodes, sizeof(*e->users));
	e->users_was = calloc(nodes, sizeof(*e->users_was));
	if (!e->mem_cpu || !e->speed_cpu || !e->share_on || !e->users ||
	    !e->users_was)
		return err_nomem(e->err);
	return 0;
}

void speed_release(struct engine *e)
{
	free(e->mem_cpu);
	free(e->speed_cpu);
	free(e->share_on);
	free(e->users);
	free(e->users_was);
}

/* -- work and time ---------------------------------------------------------- */

/* Work at intensity i of CPU time that was recorded (RUN of demand.h). */
static double undone(const struct demand_op *op, double i)
{
	double slow = 1 + i * ((double)op->slow / DEMAND_SLOW_ONE - 1);
	int crowd = op->crowd > DEMAND_SLOW_ONE ? op->crowd : DEMAND_SLOW_ONE;

	return (double)op->ns / slow * DEMAND_SLOW_ONE / crowd;
}

/*
 * Besides the work that is simulated the predicted range is kept: for each
 * piece of work that is done, the time that it would take at the lowest and at
 * the highest intensity (count_range()), as M and the rest are at that moment.
 * Which of the two takes longer depends on where the pages were and are; time
 * grows or falls all the way between them, so what is simulated lies within.
 */
void speed_set_work(struct engine *e, int task, const struct demand_op *op)
{
	struct engine_task *t = &e->task[task];
	double work;

	t->pieces = 1;
	t->work = op->ns;
	t->lo_per_work = t->hi_per_work = 0;
	if (!op->ns)
		return;
	if (op->slow == DEMAND_SLOW_ONE && op->crowd <= DEMAND_SLOW_ONE) {
		if (e->costed) {
			t->lo_per_work = t->hi_per_work = 1;
			return;
		}
		e->count.lo_ns += (double)op->ns;
		e->count.hi_ns += (double)op->ns;
		return;
	}
	work = undone(op, t->intensity);
	t->work = (int64_t)(work + 0.5);
	if (t->work < 1)
		t->work = 1;
	t->lo_per_work = undone(op, t->lo_intensity) / work;
	t->hi_per_work = undone(op, t->hi_intensity) / work;
}

static void count_range(struct engine *e, const struct engine_cpu *c,
			const struct engine_task *t, int64_t work)
{
	double w = (double)work * c->crowd;
	double lo = w * t->lo_per_work * (1 + t->lo_intensity * (c->memory - 1));
	double hi = w * t->hi_per_work * (1 + t->hi_intensity * (c->memory - 1));

	e->count.lo_ns += lo < hi ? lo : hi;
	e->count.hi_ns += lo < hi ? hi : lo;
}

static int64_t work_in(int64_t ns, int64_t factor)
{
	if (factor == FACTOR_ONE)
		return ns;
	if (ns < SHORT_NS)
		return ns * FACTOR_ONE / factor;
	return ns / factor * FACTOR_ONE + ns % factor * FACTOR_ONE / factor;
}

/* Rounded up: when the time is over, so is the work. */
static int64_t time_for(int64_t work, int64_t factor)
{
	int64_t whole = work >> FACTOR_SHIFT;
	int64_t rest = work & (FACTOR_ONE - 1);

	if (factor == FACTOR_ONE)
		return work;
	if (whole && factor > INT64_MAX / 4 / whole)
		return INT64_MAX / 4;
	return whole * factor + ((rest * factor + FACTOR_ONE - 1) >> FACTOR_SHIFT);
}

void speed_charge(struct engine *e, int cpu)
{
	struct engine_cpu *c = &e->cpu[cpu];
	struct engine_task *t = &e->task[e->view.cpu[cpu].curr];
	int64_t ns = e->view.now - c->since, done;

	c->since = e->view.now;
	if (t->extra) {
		int64_t some = ns < t->extra ? ns : t->extra;

		t->extra -= some;
		ns -= some;
		e->count.lo_ns += (double)some;
		e->count.hi_ns += (double)some;
	}
	if (!ns)
		return;
	done = work_in(ns, c->factor);
	if (done > t->work)
		done = t->work;
	t->work -= done;
	t->pieces++;
	if (t->hi_per_work > 0)
		count_range(e, c, t, done);
}

static void dirty(struct engine *e, int cpu)
{
	if (e->cpu[cpu].speed_dirty)
		return;
	e->cpu[cpu].speed_dirty = true;
	e->speed_cpu[e->nr_speed_cpu++] = cpu;
}

static void calendar(struct engine *e, int cpu)
{
	const struct engine_task *t = &e->task[e->view.cpu[cpu].curr];
	int64_t ns = time_for(t->work, e->cpu[cpu].factor);

	if (ns > INT64_MAX / 4 - t->extra)
		ns = INT64_MAX / 4 - t->extra;
	heap_set(&e->heap, cpu, e->view.now + t->extra + ns, RANK_EVENT);
}

void speed_calendar(struct engine *e, int cpu)
{
	if (!e->cpu[cpu].speed_dirty)
		calendar(e, cpu);
}

/* -- what changes the speed ------------------------------------------------- */

static double quantised(double share)
{
	return (double)(int64_t)(share * SHARE_STEPS + 0.5) / SHARE_STEPS;
}

static void add_users(struct engine *e, int cpu, const double *share)
{
	double *on = share_on(e, cpu);

	for (int n = 0; n < e->view.nr_nodes; n++) {
		on[n] = quantised(share[n]);
		e->users[n] += on[n];
	}
}

static void take_users(struct engine *e, int cpu)
{
	double *on = share_on(e, cpu);

	for (int n = 0; n < e->view.nr_nodes; n++) {
		e->users[n] -= on[n];
		on[n] = 0;
	}
}

static bool is_sibling(const struct engine *e, int a, int b)
{
	const struct topo_cpu *x = &e->in->topo->cpu[a], *y = &e->in->topo->cpu[b];

	return a != b && x->core >= 0 && x->core == y->core && y->present;
}

/* Threads of one core are few, but may have any numbers: e->cpu[].sibling
 * links them in a ring, made on first use. */
static int next_sibling(struct engine *e, int cpu)
{
	struct engine_cpu *c = &e->cpu[cpu];

	if (c->sibling)
		return c->sibling - 1;
	c->sibling = cpu + 1;
	for (int i = 1; i < e->view.nr_cpus; i++) {
		int other = (cpu + i) % e->view.nr_cpus;

		if (is_sibling(e, cpu, other)) {
			c->sibling = other + 1;
			break;
		}
	}
	return c->sibling - 1;
}

static void siblings_changed(struct engine *e, int cpu)
{
	if (!e->smt_costed)
		return;
	for (int s = next_sibling(e, cpu); s != cpu; s = next_sibling(e, s))
		if (e->view.cpu[s].curr != TASK_NONE)
			dirty(e, s);
}

static bool sibling_runs(struct engine *e, int cpu)
{
	for (int s = next_sibling(e, cpu); s != cpu; s = next_sibling(e, s))
		if (e->view.cpu[s].curr != TASK_NONE)
			return true;
	return false;
}

void speed_start(struct engine *e, int cpu)
{
	struct engine_cpu *c = &e->cpu[cpu];
	int mem = e->task[e->view.cpu[cpu].curr].mem;

	c->since = e->view.now;
	if (!e->costed)
		return;
	dirty(e, cpu);
	siblings_changed(e, cpu);
	if (!e->mem_costed || mem < 0)
		return;
	c->mem_index = e->nr_mem_cpu;
	e->mem_cpu[e->nr_mem_cpu++] = cpu;
	add_users(e, cpu, memory_share(&e->memory, mem));
}

void speed_stop(struct engine *e, int cpu)
{
	struct engine_cpu *c = &e->cpu[cpu];

	if (!e->costed)
		return;
	siblings_changed(e, cpu);
	if (c->mem_index < 0)
		return;
	take_users(e, cpu);
	e->mem_cpu[c->mem_index] = e->mem_cpu[--e->nr_mem_cpu];
	e->cpu[e->mem_cpu[c->mem_index]].mem_index = c->mem_index;
	c->mem_index = -1;
}

void speed_queue_changed(struct engine *e, int cpu)
{
	int nr = e->view.nr_running[cpu];

	if (e->over_costed && nr <= 2 && e->view.cpu[cpu].curr != TASK_NONE)
		dirty(e, cpu);
}

/* -- new speeds ------------------------------------------------------------- */

static void refresh_shares(struct engine *e)
{
	e->mem_changed = false;
	for (int i = 0; i < e->nr_mem_cpu; i++) {
		int cpu = e->mem_cpu[i];
		int mem = e->task[e->view.cpu[cpu].curr].mem;

		if (!memory_share_is_old(&e->memory, mem))
			continue;
		take_users(e, cpu);
		add_users(e, cpu, memory_share(&e->memory, mem));
		dirty(e, cpu);
	}
}

/* Who shares a node whose number of users changed. */
static void refresh_users(struct engine *e)
{
	for (int n = 0; n < e->view.nr_nodes; n++) {
		if (e->users[n] == e->users_was[n])
			continue;
		e->users_was[n] = e->users[n];
		for (int i = 0; i < e->nr_mem_cpu; i++)
			if (share_on(e, e->mem_cpu[i])[n] > 0)
				dirty(e, e->mem_cpu[i]);
	}
}

static int64_t factor_of(struct engine *e, int cpu)
{
	struct engine_cpu *c = &e->cpu[cpu];
	const struct engine_task *t = &e->task[e->view.cpu[cpu].curr];
	double f;

	c->memory = c->crowd = 1;
	if (c->mem_index >= 0)
		c->memory = cost_memory(e->in->cost, e->view.cpu[cpu].node,
					memory_share(&e->memory, t->mem),
					e->users);
	if (e->smt_costed && sibling_runs(e, cpu))
		c->crowd *= e->in->cost->smt;
	if (e->over_costed && e->view.nr_running[cpu] > 1)
		c->crowd *= e->in->cost->oversubscribed;
	f = (1 + t->intensity * (c->memory - 1)) * c->crowd;
	f = f * (double)FACTOR_ONE + 0.5;
	return f < (double)FACTOR_MAX ? (int64_t)f : FACTOR_MAX;
}

void speed_apply(struct engine *e)
{
	if (!e->costed)
		return;
	if (e->mem_costed) {
		if (e->mem_changed)
			refresh_shares(e);
		if (e->in->cost->contention > 0)
			refresh_users(e);
	}
	for (int i = 0; i < e->nr_speed_cpu; i++) {
		int cpu = e->speed_cpu[i];

		e->cpu[cpu].speed_dirty = false;
		if (e->view.cpu[cpu].curr == TASK_NONE)
			continue;
		speed_charge(e, cpu);
		e->cpu[cpu].factor = factor_of(e, cpu);
		calendar(e, cpu);
	}
	e->nr_speed_cpu = 0;
}
