/* SPDX-License-Identifier: MIT */
#include "replay/sched_numa.h"

#include "model/task.h"

static int64_t pages_away(const struct sched_numa *s, int area, int home)
{
	int64_t sum = 0;

	for (int n = 0; n < s->nr_nodes; n++)
		if (n != home)
			sum += view_area_pages(s->v, area, n);
	return sum;
}

void sched_numa_unmap(struct sched_numa *s, int proc)
{
	struct sched_numa_proc *p = &s->proc[proc];

	p->total = p->lazy = 0;
	if (!s->knob[SCHED_NUMA_LAZY].i)
		return;
	for (int a = p->first_area; a >= 0; a = s->next_area[a]) {
		int64_t away = pages_away(s, a, p->home);

		p->lazy += away;
		p->total += away + view_area_pages(s->v, a, p->home);
	}
	p->was_lazy = p->lazy;
	p->since_ns = view_now(s->v);
}

/* From the areas that the task uses, the nodes in order; returns how many. */
static int64_t fetch(struct sched_numa *s, int task, int64_t pages)
{
	const struct sched_numa_proc *p = &s->proc[view_task_proc(s->v, task)];
	int64_t left = pages;

	for (int a = p->first_area; a >= 0 && left > 0; a = s->next_area[a]) {
		if (!view_access(s->v, task, a))
			continue;
		for (int n = 0; n < s->nr_nodes && left > 0; n++) {
			int64_t some = view_area_pages(s->v, a, n);

			some = some < left ? some : left;
			if (n == p->home || some <= 0)
				continue;
			decide_pages(s->d, &(struct page_move){
				.area = a, .from = n, .to = p->home,
				.pages = some });
			left -= some;
		}
	}
	return pages - left;
}

/* Pages reach a node one after the other (engine.h): so long a task waits for
 * one while so many of its process want theirs too. */
static int64_t wait_ns(const struct sched_numa *s, int proc)
{
	int nr = 0;

	for (int c = 0; c < s->cfs.fair.nr_cpus; c++) {
		int task = view_curr(s->v, c);

		nr += task != TASK_NONE && view_task_proc(s->v, task) == proc;
	}
	return s->knob[SCHED_NUMA_LAZY_MOVE].i * (nr ? nr : 1);
}

void sched_numa_ran(struct sched_numa *s, int task, int64_t ns)
{
	int proc = view_task_proc(s->v, task);
	struct sched_numa_proc *p = &s->proc[proc];
	int64_t step, pages, got, wait;

	if (p->lazy <= 0) {
		s->credit[task] = 0;
		return;
	}
	/* It meets one such page after so many others. */
	wait = wait_ns(s, proc);
	step = s->knob[SCHED_NUMA_WALK].i * p->total / p->was_lazy + wait;
	if (ns > view_now(s->v) - p->since_ns)
		ns = view_now(s->v) - p->since_ns;
	s->credit[task] += ns;
	pages = step > 0 ? s->credit[task] / step : p->lazy;
	if (pages > p->lazy)
		pages = p->lazy;
	if (pages <= 0)
		return;
	s->credit[task] -= pages * step;
	got = fetch(s, task, pages);
	p->lazy -= pages;
	if (got)
		decide_time(s->d, task, got * wait);
}
