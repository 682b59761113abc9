/* SPDX-License-Identifier: MIT */
#include "replay/engine_local.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A walk is made after a share of its own length in events, so that checking
 * costs at most so many steps an event. */
#define STEPS_PER_EVENT 256

int check_broken(struct engine *e, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e->err, ERR_FORMAT, "engine: at %" PRId64 " ns: %s",
		       e->view.now - e->in->start_ns, text);
}

static int check_task(struct engine *e, int task)
{
	const struct view_task *v = &e->view.task[task];

	if (v->state != VIEW_QUEUED && v->state != VIEW_RUNNING)
		return 0;
	if (!view_allowed(&e->view, task, v->cpu))
		return check_broken(e, "task %d is on CPU %d, which it may not use",
				    task, v->cpu);
	if ((v->state == VIEW_RUNNING) != (e->view.cpu[v->cpu].curr == task))
		return check_broken(e, "task %d and CPU %d disagree on who runs",
				    task, v->cpu);
	e->check_nr[v->cpu]++;
	return 0;
}

/* The queue holds exactly the tasks that wait there. */
static int check_cpu(struct engine *e, int cpu)
{
	const struct view_cpu *c = &e->view.cpu[cpu];
	int nr = c->curr != TASK_NONE, all = e->view.nr_running[cpu], task;
	struct queue_pos pos = { 0 };

	if (e->check_nr[cpu] != all)
		return check_broken(e, "CPU %d has %d runnable tasks, not %d",
				    cpu, e->check_nr[cpu], all);
	e->check_nr[cpu] = 0;
	while ((task = view_queue_next(&e->view, cpu, &pos)) != TASK_NONE) {
		if (e->view.task[task].state != VIEW_QUEUED ||
		    e->view.task[task].cpu != cpu)
			return check_broken(e, "task %d is on the queue of CPU %d wrongly",
					    task, cpu);
		if (++nr > all)
			break;
	}
	if (nr != all)
		return check_broken(e, "the queue of CPU %d holds %d tasks, not %d",
				    cpu, nr, all);
	return 0;
}

static int check_crowded(struct engine *e)
{
	int nr = 0;

	for (int c = 0; c < e->view.nr_cpus; c++)
		nr += e->view.nr_running[c] > 1;
	return nr == e->view.nr_crowded ? 0 :
		check_broken(e, "%d CPUs have two tasks or more, not %d", nr,
			     e->view.nr_crowded);
}

/* Recorded changes may come out of order (demand.h): then fewer pages than none
 * are no error. */
static int check_memory(struct engine *e, bool follows)
{
	const struct memory *m = &e->memory;
	uint64_t sum = 0, by_node = 0;

	for (int n = 0; n < m->nr_nodes; n++)
		by_node += (uint64_t)m->node_pages[n];
	for (int a = 0; a < m->nr_areas; a++) {
		for (int n = 0; n < m->nr_nodes; n++) {
			int64_t pages = memory_pages(m, a, n);

			if (pages < 0 && !follows)
				return check_broken(e, "area %d has %" PRId64
						    " pages on node %d", a, pages, n);
			sum += (uint64_t)pages;
		}
	}
	if (sum != m->touched - m->freed || by_node != sum)
		return check_broken(e, "%" PRIu64 " pages, not %" PRIu64, sum,
				    m->touched - m->freed);
	return 0;
}

int check_walk(struct engine *e)
{
	int64_t steps = e->view.nr_tasks + 2 * (int64_t)e->view.nr_cpus +
		(int64_t)e->memory.nr_areas * e->memory.nr_nodes;
	bool follows = e->in->policy->ops->flags & POLICY_F_FOLLOW;
	int r = 0;

	if (e->events < e->next_check)
		return 0;
	e->next_check = e->events + 1 + (uint64_t)(steps / STEPS_PER_EVENT);
	for (int t = 0; !r && !follows && t < e->view.nr_tasks; t++)
		r = check_task(e, t);
	for (int c = 0; !r && !follows && c < e->view.nr_cpus; c++)
		r = check_cpu(e, c);
	if (!r && !follows)
		r = check_crowded(e);
	return r ? r : check_memory(e, follows);
}
