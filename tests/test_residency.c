/* SPDX-License-Identifier: MIT */
/* Residency and locality: integrals worked out by hand in the comments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "model/cost.h"
#include "model/curve.h"
#include "model/err.h"
#include "model/residency.h"

/* Three nodes of two CPUs (CPU c on node c / 2); task 0 with its thread 1;
 * task 2 alone, there before the recording.  Areas 0 and 1 of 0, 2 of 2. */
struct world {
	struct topo topo;
	struct tasks tasks;
	struct areas areas;
	struct cost cost;
	struct residency *r;
	struct err err;
};

static void make(struct world *w, int64_t from, int64_t to)
{
	*w = (struct world){ 0 };
	for (int n = 0; n < 3; n++)
		assert_int_equal(topo_add_node(&w->topo, n, &w->err), 0);
	for (int c = 0; c < 6; c++)
		assert_int_equal(topo_add_cpu(&w->topo, c, c / 2, &w->err), 0);
	assert_int_equal(topo_finish(&w->topo, &w->err), 0);
	for (int t = 0; t < 3; t++) {
		struct task *task = tasks_add(&w->tasks, 10 + t, 0);

		assert_non_null(task);
		task->pid = t == 1 ? 10 : 10 + t;
	}
	w->tasks.task[2].flags = TASK_F_BORN_BEFORE;
	assert_int_equal(tasks_index(&w->tasks, &w->err), 0);
	for (int a = 0; a < 3; a++)
		assert_non_null(areas_add(&w->areas, a == 2 ? 2 : 0));
	assert_int_equal(cost_init(&w->cost, &w->topo, &w->err), 0);
	w->r = residency_new(&w->topo, &w->tasks, &w->areas, &w->cost, from,
			     to, &w->err);
	assert_non_null(w->r);
}

static void unmake(struct world *w)
{
	residency_free(w->r);
	cost_release(&w->cost);
	areas_release(&w->areas);
	tasks_release(&w->tasks);
	topo_release(&w->topo);
}

static void mem(struct world *w, int64_t ts, int area, int node, int64_t pages)
{
	const struct mem_change m = { ts, area, node, pages };

	assert_int_equal(residency_mem(w->r, &m, &w->err), 0);
}

static void touched(struct world *w, int task, int area, int64_t faults)
{
	const struct mem_access a = { task, area, faults };

	assert_int_equal(residency_access(w->r, &a, &w->err), 0);
}

static void seal(struct world *w)
{
	assert_int_equal(residency_seal(w->r, &w->err), 0);
}

static void span(struct world *w, int task, int cpu, int64_t from, int64_t to)
{
	const struct span s = {
		.task = task, .cpu = cpu, .start_ns = from, .end_ns = to,
		.ready_ns = from - 3, .waker = TASK_NONE,
	};

	assert_int_equal(residency_span(w->r, &s, &w->err), 0);
}

static void near_to(double is, double want)
{
	if (is < want - 1e-6 || is > want + 1e-6)
		fail_msg("%.12g instead of %.12g", is, want);
}

static void time_on_nodes(void **state)
{
	const struct residency_task *t;
	struct world w;

	make(&w, 100, 200);
	seal(&w);
	span(&w, 0, 0, 50, 90);		/* before the window */
	span(&w, 0, 0, 95, 110);	/* 10 of it inside */
	span(&w, 0, 1, 110, 115);	/* other CPU, same node */
	span(&w, 0, 5, 120, 150);	/* other node */
	span(&w, 0, 2, 190, 230);	/* 10 inside */
	span(&w, 0, 3, 240, 250);	/* after it */
	span(&w, 2, 2, 100, 101);
	t = residency_task(w.r, 0);
	assert_int_equal(t->cpu_ns, 10 + 5 + 30 + 10);
	assert_int_equal(t->node_ns[0], 15);
	assert_int_equal(t->node_ns[1], 10);
	assert_int_equal(t->node_ns[2], 30);
	assert_int_equal(t->first_node, 0);
	assert_int_equal(t->most_node, 2);
	assert_int_equal(t->spans, 4);
	assert_int_equal(t->migrations, 3);
	assert_int_equal(t->node_migrations, 2);
	/* Waits of 3 each, of spans that began inside. */
	assert_int_equal(t->wait_ns, 9);
	assert_int_equal(t->censored, 0);
	assert_int_equal(t->first_ns, 95);
	assert_int_equal(t->last_ns, 230);
	near_to(t->known_ns, 0);
	assert_int_equal(residency_task(w.r, 2)->censored, 1);
	assert_null(residency_task(w.r, 1));
	unmake(&w);
}

static void ties(void **state)
{
	struct world w;

	make(&w, 0, 100);
	seal(&w);
	span(&w, 0, 4, 0, 10);
	span(&w, 0, 0, 10, 20);
	assert_int_equal(residency_task(w.r, 0)->most_node, 0);
	assert_int_equal(residency_task(w.r, 0)->first_node, 2);
	unmake(&w);
}

/* Without weights: uniform over the pages of the process, its threads too. */
static void pooled(void **state)
{
	const struct residency_task *t;
	struct world w;
	double known;

	make(&w, 0, 1000);
	mem(&w, 100, 0, 0, 30);
	mem(&w, 100, 1, 1, 10);		/* from 100: 3/4 on 0, 1/4 on 1 */
	mem(&w, 200, 0, 0, 10);
	mem(&w, 200, 0, 1, 20);		/* from 200: 1/4 on 0, 3/4 on 1 */
	mem(&w, 300, 2, 2, 5);		/* of another process */
	seal(&w);
	/* On node 0 from 50 to 250: nothing known for 50; 100 * 3/4; 50 / 4. */
	span(&w, 0, 0, 50, 250);
	/* On node 1 from 150 to 220: 50 / 4 + 20 * 3/4. */
	span(&w, 1, 2, 150, 220);
	t = residency_task(w.r, 0);
	near_to(t->known_ns, 150);
	near_to(t->local_ns, 75 + 12.5);
	/* 1.31 for what is not local (distance 20). */
	near_to(t->remote_ns, 87.5 + 62.5 * 1.31);
	t = residency_task(w.r, 1);
	near_to(t->known_ns, 70);
	near_to(t->local_ns, 12.5 + 15);
	assert_int_equal(t->mem_pages[0], 10);
	assert_int_equal(t->mem_pages[1], 30);
	assert_int_equal(t->mem_pages[2], 0);
	near_to(residency_local(w.r, 0, 1, 150, 250, &known),
		50 * 0.25 + 50 * 0.75);
	near_to(known, 100);
	assert_int_equal(residency_pages(w.r, 0, -1, 0, 150), 30);
	assert_int_equal(residency_pages(w.r, 0, 0, 1, 199), 0);
	assert_int_equal(residency_pages(w.r, 0, 0, 1, 200), 20);
	assert_int_equal(residency_pages(w.r, 2, -1, 2, 299), 0);
	assert_int_equal(residency_pages(w.r, 2, -1, 2, 5000), 5);
	unmake(&w);
}

/* With weights: 3 to 1 for areas 0 and 1, whatever their sizes; an area that
 * holds nothing does not count. */
static void weighted(void **state)
{
	const struct residency_task *t;
	struct world w;

	make(&w, 0, 1000);
	mem(&w, 0, 0, 0, 1000);
	mem(&w, 100, 1, 1, 1);
	mem(&w, 200, 0, 0, 0);
	mem(&w, 300, 1, 1, 0);
	touched(&w, 0, 0, 3);
	touched(&w, 0, 1, 1);
	seal(&w);
	/* On node 0: 0-100 all local; 100-200 3/4; 200-300 none; then nothing
	 * is known. */
	span(&w, 0, 0, 0, 400);
	t = residency_task(w.r, 0);
	near_to(t->local_ns, 100 + 75);
	near_to(t->known_ns, 300);
	/* The thread has no weights of its own: pooled, 1000 to 1. */
	span(&w, 1, 0, 150, 160);
	near_to(residency_task(w.r, 1)->local_ns, 10 * 1000.0 / 1001);
	unmake(&w);
}

/* So many changes that the task shares its areas' curves: area 0 goes to and
 * fro between nodes 0 and 1 every 10 ns, area 1 comes at 20000 and leaves at
 * 40000.  Task 0 weighs them 1 to 1. */
static void shared_curves(void **state)
{
	const struct residency_task *t;
	struct world w;
	double known;

	make(&w, 0, 100000);
	for (int i = 0; i < 6000; i++) {
		if (i == 2000)
			mem(&w, 20000, 1, 2, 7);
		if (i == 4000)
			mem(&w, 40000, 1, 2, 0);
		mem(&w, 10 * i, 0, i & 1, 4);
		mem(&w, 10 * i, 0, !(i & 1), 0);
	}
	touched(&w, 0, 0, 5);
	touched(&w, 0, 1, 5);
	seal(&w);
	/* Half of 0-20000 on node 0; half of it while area 1 is there. */
	span(&w, 0, 0, 0, 60000);
	t = residency_task(w.r, 0);
	near_to(t->known_ns, 60000);
	near_to(t->local_ns, 10000 + 5000 + 10000);
	near_to(residency_local(w.r, 0, 2, 15000, 25000, &known), 2500);
	near_to(residency_local(w.r, 0, 0, 10, 20, &known), 0);
	near_to(residency_local(w.r, 0, 0, 20, 30, &known), 10);
	near_to(residency_local(w.r, 0, 1, 30015, 30020, &known), 2.5);
	near_to(known, 5);
	unmake(&w);
}

static void one_curve(void **state)
{
	static const int nodes[] = { 1, 4 };
	const double a[] = { 0.25, 0.75 }, b[] = { 1, 0 };
	struct err err = { 0 };
	struct curve c;
	double into[2];
	int hint = 0;

	assert_int_equal(curve_init(&c, nodes, 2, &err), 0);
	near_to(curve_integral(&c, 0, 100, NULL, into), 0);
	assert_int_equal(curve_step(&c, 10, a, &err), 0);
	assert_int_equal(curve_step(&c, 15, a, &err), 0);
	assert_int_equal(curve_step(&c, 20, b, &err), 0);
	assert_int_equal(curve_step(&c, 30, NULL, &err), 0);
	assert_int_equal(curve_step(&c, 40, b, &err), 0);
	assert_int_equal(c.nr, 4);	/* that at 15 changed nothing */
	near_to(curve_integral(&c, 0, 50, &hint, into), 10 + 10 + 10);
	near_to(into[0], 2.5 + 10 + 10);
	near_to(into[1], 7.5);
	near_to(curve_integral(&c, 12, 13, &hint, into), 1);
	near_to(into[1], 0.75);
	near_to(curve_integral(&c, 25, 35, &hint, into), 5);
	near_to(curve_integral(&c, 45, 47, &hint, into), 2);
	near_to(curve_integral(&c, 31, 32, &hint, into), 0);
	near_to(curve_integral(&c, 11, 12, &hint, into), 1);
	curve_release(&c);
	/* Times as far apart as can be. */
	assert_int_equal(curve_init(&c, nodes, 2, &err), 0);
	assert_int_equal(curve_step(&c, INT64_MIN, a, &err), 0);
	assert_int_equal(curve_step(&c, INT64_MAX, b, &err), 0);
	assert_true(curve_integral(&c, INT64_MIN, INT64_MAX, NULL, into) >
		    1.8e19);
	curve_release(&c);
}

static void hostile(void **state)
{
	const struct mem_change bad[] = {
		{ 0, -1, 0, 1 }, { 0, 3, 0, 1 }, { 0, 0, -1, 1 },
		{ 0, 0, 3, 1 }, { 0, 0, 0, -1 }, { 0, 0, 0, INT64_MAX },
	};
	const struct mem_access none[] = {
		{ -1, 0, 1 }, { 3, 0, 1 }, { 0, -1, 1 }, { 0, 3, 1 },
		{ 0, 0, -1 },
	};
	struct span s = { .task = 99, .cpu = 0, .end_ns = 1 };
	struct world w;

	make(&w, 0, 100);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		w.err.code = 0;
		assert_int_equal(residency_mem(w.r, &bad[i], &w.err),
				 ERR_FORMAT);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		w.err.code = 0;
		assert_int_equal(residency_access(w.r, &none[i], &w.err),
				 ERR_FORMAT);
	}
	mem(&w, 50, 0, 0, 1);
	w.err.code = 0;
	assert_int_equal(residency_mem(w.r, &(struct mem_change){ 49, 0, 0, 2 },
				       &w.err), ERR_FORMAT);
	w.err.code = 0;
	seal(&w);
	assert_int_equal(residency_span(w.r, &s, &w.err), ERR_FORMAT);
	w.err.code = 0;
	s = (struct span){ .task = 0, .cpu = 9999, .end_ns = 10 };
	assert_int_equal(residency_span(w.r, &s, &w.err), 0);
	assert_int_equal(residency_task(w.r, 0)->cpu_ns, 0);
	s = (struct span){ .task = 0, .cpu = 0, .start_ns = INT64_MIN,
			   .end_ns = INT64_MAX, .ready_ns = INT64_MIN };
	for (int i = 0; i < 3; i++)
		assert_int_equal(residency_span(w.r, &s, &w.err), 0);
	s.start_ns = 10;
	s.end_ns = 15;
	assert_int_equal(residency_span(w.r, &s, &w.err), 0);
	s.end_ns = 5;
	assert_int_equal(residency_span(w.r, &s, &w.err), ERR_FORMAT);
	unmake(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_on_nodes),
		cmocka_unit_test(ties),
		cmocka_unit_test(pooled),
		cmocka_unit_test(weighted),
		cmocka_unit_test(shared_curves),
		cmocka_unit_test(one_curve),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
