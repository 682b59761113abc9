/* SPDX-License-Identifier: MIT */
#include "tests/support/view_make.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "tests/support/replay_run.h"

#define MAX_TASKS 2000

void view_make_init(struct view_make *m, const char *machine,
		    const char *policy)
{
	struct err err = { 0 };
	struct queues *q = &m->queues;

	memset(m, 0, sizeof(*m));
	topo_grid(&m->topo, machine);
	for (int i = 0; i < MAX_TASKS; i++)
		tasks_add(&m->tasks, 100 + i, 0);
	tasks_index(&m->tasks, &err);
	rng_seed(&m->rng, 1);
	view_init(&m->view, &m->topo, MAX_TASKS, &err);
	m->view.tasks = &m->tasks;
	m->view.rng = &m->rng;
	m->view.queues = q;
	m->view.tick = 100000;
	policy_spec_parse(&m->spec, policy, NULL, &err);
	if (err.code) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	q->view = &m->view;
	q->ops = m->spec.discipline;
	q->knobs = m->spec.queue_values;
	q->rq = calloc((size_t)m->view.nr_cpus, q->ops->rq_size);
	q->task = calloc(MAX_TASKS, q->ops->task_size);
	q->ops->init(q, &err);
}

void view_make_policy(struct view_make *m)
{
	struct err err = { 0 };

	if (m->spec.ops->init(&m->state, &m->view, m->spec.values, &err))
		abort();
}

void view_make_release(struct view_make *m)
{
	if (m->spec.ops->exit)
		m->spec.ops->exit(m->state);
	decisions_release(&m->d);
	policy_spec_release(&m->spec);
	free(m->queues.rq);
	free(m->queues.task);
	view_release(&m->view);
	tasks_release(&m->tasks);
	topo_release(&m->topo);
}

static int *home_count(struct view_make *m, int task)
{
	const struct view_task *t = &m->view.task[task];

	return &m->view.nr_home[t->cpu * m->view.nr_nodes + t->home];
}

int view_make_task(struct view_make *m, int cpu, int64_t ago)
{
	int id = m->nr_tasks++;
	struct view_task *t = &m->view.task[id];
	struct view_cpu *c = &m->view.cpu[cpu];

	t->cpu = cpu;
	t->ran_tick = m->view.tick;	/* no sleep bonus */
	m->queues.ops->fork(&m->queues, id, TASK_NONE);
	m->queues.ops->enqueue(&m->queues, cpu, id, ENQUEUE_WAKE);
	t->ran_tick = m->view.tick - ago;
	view_run(&m->view, cpu, 1);
	t->state = VIEW_QUEUED;
	if (c->curr == TASK_NONE) {
		c->curr = id;
		t->state = VIEW_RUNNING;
	}
	return id;
}

void view_make_tasks(struct view_make *m, int cpu, int nr, int64_t ago)
{
	for (int i = 0; i < nr; i++)
		view_make_task(m, cpu, ago);
}

static void drop(struct view_make *m, int cpu, int task)
{
	struct view_task *t = &m->view.task[task];

	if (t->home >= 0)
		--*home_count(m, task);
	m->queues.ops->dequeue(&m->queues, cpu, task, DEQUEUE_SLEEP);
	view_run(&m->view, cpu, -1);
	if (m->view.cpu[cpu].curr == task)
		m->view.cpu[cpu].curr = TASK_NONE;
	t->state = VIEW_BLOCKED;
}

void view_make_shrink(struct view_make *m, int cpu, int nr)
{
	while (m->view.nr_running[cpu] > nr) {
		struct queue_pos pos = { 0 };
		int task = view_queue_next(&m->view, cpu, &pos);

		drop(m, cpu, task == TASK_NONE ? m->view.cpu[cpu].curr : task);
	}
}

void view_make_home(struct view_make *m, int task, int node)
{
	struct view_task *t = &m->view.task[task];

	if (t->home >= 0)
		--*home_count(m, task);
	t->home = node;
	++*home_count(m, task);
}

void view_make_tick(struct view_make *m, int64_t tick, int cpu)
{
	int64_t by = tick - m->view.tick;

	/* Time passes, but how long ago each task ran stays. */
	for (int t = 0; t < m->nr_tasks; t++)
		m->view.task[t].ran_tick += by;
	m->view.tick = tick;
	m->d.nr = 0;
	m->spec.ops->tick(m->state, &m->view, cpu, &m->d);
}

void view_make_newidle(struct view_make *m, int cpu)
{
	m->d.nr = 0;
	m->spec.ops->newidle(m->state, &m->view, cpu, &m->d);
}

const char *view_make_pulled(const struct view_make *m, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (int i = 0; i < m->d.nr && len < size; i++)
		if (m->d.item[i].kind == DECIDE_PULL)
			len += (size_t)snprintf(buf + len, size - len, "%s%d",
						len ? " " : "",
						m->d.item[i].pull.task);
	return buf;
}
