/* SPDX-License-Identifier: MIT */
#include "replay/autonuma.h"

#include <stdlib.h>

#include "model/err.h"
#include "model/task.h"

/* -- load balancing and wake-ups (H.4) -------------------------------------- */

/* First who keeps to its node, then, if idle CPUs only may break that, the
 * others. */
static bool in_pass(void *numa, const struct fair_env *e, int task, int pass)
{
	const struct autonuma *a = numa;
	int node = a->task[task].node;
	bool keeps = node < 0 || node == view_cpu_node(e->v, e->cpu);

	if (keeps)
		return !pass;
	return pass && (e->when != FAIR_BUSY || !a->knob[AUTONUMA_STRICT].i);
}

static const struct fair_numa_ops numa_ops = {
	.nr_passes = 2, .in_pass = in_pass };

static int wake(struct fair *f, const struct view *v,
		const struct select_args *s)
{
	const struct autonuma *a = f->numa;
	int this_cpu = s->waker_cpu >= 0 ? s->waker_cpu : s->prev_cpu;
	int node = a->task[s->task].node, target = s->prev_cpu;

	if (this_cpu != s->prev_cpu && view_allowed(v, s->task, this_cpu) &&
	    (node < 0 || node == view_cpu_node(v, this_cpu)) &&
	    cfs34_wake_affine(f, v, s, this_cpu))
		target = this_cpu;
	/* Caches do not span nodes here: idle siblings are all of one node. */
	return cfs34_idle_sibling(f, v, s->task, target);
}

static const struct fair_hooks hooks = {
	.wake = wake, .slow = cfs34_slow, .find_group = cfs34_find_group };

/* -- set-up ----------------------------------------------------------------- */

/* In the order of their numbers. */
static void link_areas(struct autonuma *a, const struct view *v)
{
	for (int i = a->nr_areas - 1; i >= 0; i--) {
		int proc = view_area_proc(v, i);

		a->area[i] = (struct autonuma_area){
			.per_unit = a->unit_pages, .proc = -1, .sibling = -1 };
		if (proc < 0 || proc >= a->nr_tasks)
			continue;
		a->area[i].proc = proc;
		a->area[i].sibling = a->mm[proc].first_area;
		a->mm[proc].first_area = i;
	}
}

static int alloc(struct autonuma *a, struct err *err)
{
	size_t nodes = (size_t)a->nr_nodes + 1;
	size_t tasks = (size_t)a->nr_tasks + 1;

	a->area = calloc((size_t)a->nr_areas + 1, sizeof(*a->area));
	a->mm = calloc(tasks, sizeof(*a->mm));
	a->task = calloc(tasks, sizeof(*a->task));
	a->queue = calloc(nodes * nodes, sizeof(*a->queue));
	a->mover = calloc(nodes, sizeof(*a->mover));
	a->balance_ns = calloc((size_t)a->cfs.fair.nr_cpus + 1,
			       sizeof(*a->balance_ns));
	return a->area && a->mm && a->task && a->queue && a->mover &&
		a->balance_ns ? 0 : err_nomem(err);
}

int autonuma_init(void **state, const struct view *v,
		  const struct knob_value *knobs, struct err *err)
{
	struct autonuma *a = *state = calloc(1, sizeof(*a));
	int64_t pass = knobs[AUTONUMA_PASS_SLEEP].i;

	if (!a)
		return err_nomem(err);
	a->knob = knobs;
	a->nr_nodes = view_nr_node_ids(v);
	a->nr_tasks = view_nr_tasks(v);
	a->nr_areas = view_nr_areas(v);
	a->unit_pages = knobs[AUTONUMA_PMD].i ?
		(INT64_C(2) << 20) / view_page_size(v) : 1;
	if (!a->unit_pages)
		a->unit_pages = 1;
	if (cfs34_init(&a->cfs, &hooks, v, knobs, err) || alloc(a, err))
		return err->code;
	a->cfs.fair.numa_ops = &numa_ops;
	a->cfs.fair.numa = a;
	for (int t = 0; t < a->nr_tasks; t++) {
		a->mm[t].first_area = -1;
		a->task[t].node = -1;
	}
	link_areas(a, v);
	a->scan_area = -1;
	/* The daemon has been there before: it is somewhere in its pause. */
	a->scan_ns = view_now(v);
	if (pass > 0)
		a->scan_ns += (int64_t)view_random(v, (uint64_t)pass);
	return 0;
}

void autonuma_exit(void *state)
{
	struct autonuma *a = state;

	if (!a)
		return;
	cfs34_release(&a->cfs);
	for (int i = 0; a->area && i < a->nr_areas; i++)
		free(a->area[i].unit);
	for (int t = 0; a->mm && a->task && t < a->nr_tasks; t++) {
		free(a->mm[t].pages);
		free(a->task[t].faults);
	}
	for (int i = 0; a->queue && i < a->nr_nodes * a->nr_nodes; i++)
		free(a->queue[i].move);
	free(a->area);
	free(a->mm);
	free(a->task);
	free(a->queue);
	free(a->mover);
	free(a->balance_ns);
	free(a);
}

/* -- tasks ------------------------------------------------------------------ */

void autonuma_init_task(void *state, const struct view *v, int task,
			int parent, struct decisions *d)
{
	struct autonuma *a = state;

	a->mm[view_task_proc(v, task)].nr_tasks++;
}

static void forget_task(struct autonuma *a, int task)
{
	struct autonuma_task *t = &a->task[task];

	free(t->faults);
	*t = (struct autonuma_task){ .node = -1 };
}

void autonuma_exit_task(void *state, const struct view *v, int task)
{
	struct autonuma *a = state;

	a->mm[view_task_proc(v, task)].nr_tasks--;
	forget_task(a, task);
}

void autonuma_exec(struct autonuma *a, const struct view *v, int task)
{
	struct autonuma_mm *mm = &a->mm[view_task_proc(v, task)];

	forget_task(a, task);
	free(mm->pages);
	mm->pages = mm->count = NULL;
	mm->total = 0;
}
