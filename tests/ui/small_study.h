/* SPDX-License-Identifier: MIT */
/*
 * small_study: a study made by hand, small enough to work out by hand what a
 * picture of it must look like.  One second, in ms:
 *
 *	node 0: cpu 0, 1; node 4: cpu 2, 3
 *
 *	recorded	alpha 100  cpu 0 0-250, cpu 2 250-500, cpu 0 500-1000
 *			beta  200  cpu 1 0-500, cpu 3 500-1000
 *			beta  201  cpu 3 0-100, 200-300, 400-450 (a thread of 200)
 *			\377x\033  cpu 2 0-200, woken by alpha at 580,
 *				   cpu 1 600-700, then it ends
 *	o1 seed 1	alpha 100  cpu 0 0-1000
 *			beta  200  cpu 1 0-1000
 *			beta  201  cpu 3 0-250
 *			\377x\033  cpu 2 0-300, then it ends
 *
 *	pages		alpha: 100 on node 0 all the time
 *			beta: 50 on node 0, from 500 on 20 there and 30 on node 4
 *	lost		events of cpu 3 from 900 on (recorded)
 */
#ifndef TESTS_UI_SMALL_STUDY_H
#define TESTS_UI_SMALL_STUDY_H

#include "model/err.h"
#include "ui/study.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000LL

static void small_task(struct study *s, int tid, int pid, const char *comm)
{
	struct task *t = tasks_add(&s->tasks, tid, 0);

	t->pid = pid;
	t->flags = TASK_F_BORN_BEFORE;
	free(t->comm);
	t->comm = strdup(comm);
}

static void small_span(struct study *s, int run, int task, int cpu,
		       int64_t from_ms, int64_t to_ms)
{
	struct err err = { 0 };
	struct span sp = {
		.task = task,
		.cpu = cpu,
		.start_ns = from_ms * MS,
		.end_ns = to_ms * MS,
		.ready_ns = from_ms == 600 ? 580 * MS : -1,
		.waker = from_ms == 600 ? 0 : TASK_NONE,
		.state = task == 3 && (to_ms == 700 || run) ? STATE_DEAD :
							      STATE_SLEEPING,
		.flags = !run && cpu == 3 && to_ms > 900 ? SPAN_F_UNSURE : 0,
	};

	assert(!tracks_span(s->run[run].tracks, &sp, &err));
}

static void small_pages(struct study *s, int run, int64_t ms, int area,
			int node, int64_t pages)
{
	struct mem_change m = { ms * MS, area, node, pages };
	struct err err = { 0 };

	assert(!pages_change(s->run[run].pages, &m, &err));
	assert(!residency_mem(s->run[run].residency, &m, &err));
}

static void small_run(struct study *s, int run, const char *title,
		      const char *caption)
{
	struct study_run *r = &s->run[run];
	struct err err = { 0 };

	s->runs[run] = (struct run_info){ .id = run, .end_ns = 1000 * MS };
	s->runs[run].policy = strdup(run ? "o1" : "recorded");
	r->info = &s->runs[run];
	r->title = strdup(title);
	r->caption = strdup(caption);
	r->residency = residency_new(&s->topo, &s->tasks, &s->areas, &s->cost,
				     0, 1000 * MS, &err);
	r->pages = pages_new(&s->topo, &s->areas, s->tasks.nr, &err);
	small_pages(s, run, 0, 0, 0, 100);
	small_pages(s, run, 0, 1, 0, 50);
	small_pages(s, run, 500, 1, 0, 20);
	small_pages(s, run, 500, 1, 4, 30);
	assert(!residency_seal(r->residency, &err));
	r->tracks = tracks_new(&(struct tracks_source){
		&s->topo, s->tasks.nr, r->residency, r->pages, s->leader, NULL },
		&err);
	r->loaded = true;
}

static void small_study(struct study *s)
{
	struct err err = { 0 };
	int cpu;

	*s = (struct study){ .nr_runs = 2 };
	assert(!topo_add_node(&s->topo, 0, &err));
	assert(!topo_add_node(&s->topo, 4, &err));
	for (cpu = 0; cpu < 4; cpu++)
		assert(!topo_add_cpu(&s->topo, cpu, cpu < 2 ? 0 : 4, &err));
	assert(!topo_finish(&s->topo, &err));
	assert(!cost_init(&s->cost, &s->topo, &err));
	small_task(s, 100, 100, "alpha");
	small_task(s, 200, 200, "beta");
	small_task(s, 201, 200, "beta");
	small_task(s, 300, 300, "\377x\033");
	assert(!tasks_index(&s->tasks, &err));
	assert(!study_leaders(s, &err));
	areas_add(&s->areas, 0);
	areas_add(&s->areas, 1);
	s->loss = malloc(sizeof(*s->loss));
	s->loss[s->nr_loss++] = (struct loss){ 3, 900 * MS, 1000 * MS, -1 };
	s->runs = calloc(2, sizeof(*s->runs));
	s->run = calloc(2, sizeof(*s->run));
	small_run(s, 0, "recorded", "Linux 6.1, numa_balancing=0");
	small_span(s, 0, 2, 3, 0, 100);
	small_span(s, 0, 3, 2, 0, 200);
	small_span(s, 0, 0, 0, 0, 250);
	small_span(s, 0, 2, 3, 200, 300);
	small_span(s, 0, 2, 3, 400, 450);
	small_span(s, 0, 0, 2, 250, 500);
	small_span(s, 0, 1, 1, 0, 500);
	small_span(s, 0, 3, 1, 600, 700);
	small_span(s, 0, 0, 0, 500, 1000);
	small_span(s, 0, 1, 3, 500, 1000);
	tracks_seal(s->run[0].tracks);
	small_run(s, 1, "o1 seed 1", "imbalance=25");
	small_span(s, 1, 2, 3, 0, 250);
	small_span(s, 1, 3, 2, 0, 300);
	small_span(s, 1, 0, 0, 0, 1000);
	small_span(s, 1, 1, 1, 0, 1000);
	tracks_seal(s->run[1].tracks);
}

#endif
