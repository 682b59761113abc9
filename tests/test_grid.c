/* SPDX-License-Identifier: MIT */
/* Grids, tracks and pages against integrals worked out by hand or by brute
 * force over single intervals. */
#include "model/grid.h"

#include "model/err.h"
#include "model/pages.h"
#include "model/task.h"
#include "model/tracks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* -- the grid itself ------------------------------------------------------ */

static void test_edges(void **state)
{
	struct err err = { 0 };
	struct grid g;
	int i;

	/* 10 ns in 4 buckets: 0, 2.5, 5, 7.5, 10 rounded down. */
	assert_int_equal(grid_init(&g, 100, 110, 4, 1, 1, &err), 0);
	assert_int_equal(g.edge[0], 100);
	assert_int_equal(g.edge[1], 102);
	assert_int_equal(g.edge[2], 105);
	assert_int_equal(g.edge[3], 107);
	assert_int_equal(g.edge[4], 110);
	assert_int_equal(grid_col(&g, 99), -1);
	assert_int_equal(grid_col(&g, 100), 0);
	assert_int_equal(grid_col(&g, 101), 0);
	assert_int_equal(grid_col(&g, 102), 1);
	assert_int_equal(grid_col(&g, 109), 3);
	assert_int_equal(grid_col(&g, 110), 4);
	grid_release(&g);

	/* The widest window there is: no overflow, edges in order. */
	assert_int_equal(grid_init(&g, INT64_MIN, INT64_MAX, 1000, 1, 1, &err),
			 0);
	for (i = 0; i < 1000; i++)
		assert_true(g.edge[i] < g.edge[i + 1]);
	assert_int_equal(g.edge[500], -1);	/* (2^64 - 1) / 2 rounded down */
	assert_true(g.edge[1000] == INT64_MAX);
	grid_release(&g);
}

static void test_more_buckets_than_ns(void **state)
{
	struct err err = { 0 };
	struct grid g;
	int64_t sum = 0;
	int i;

	assert_int_equal(grid_init(&g, 0, 3, 10, 1, 1, &err), 0);
	grid_time(&g, 0, GRID_WAIT, 0, 2);
	for (i = 0; i < 10; i++)
		sum += grid_at(&g, 0, i)->ns[GRID_WAIT];
	assert_int_equal(sum, 2);
	/* Edges 0 0 0 0 1 1 1 2 2 2 3: the ns live in buckets 3, 6 and 9. */
	assert_int_equal(grid_at(&g, 0, 3)->ns[GRID_WAIT], 1);
	assert_int_equal(grid_at(&g, 0, 6)->ns[GRID_WAIT], 1);
	assert_int_equal(grid_at(&g, 0, 9)->ns[GRID_WAIT], 0);
	assert_int_equal(grid_col(&g, 0), 3);
	grid_release(&g);
}

static void test_run_is_cut(void **state)
{
	struct err err = { 0 };
	struct grid_run run = {
		.start_ns = 5, .end_ns = 25, .node = 1, .unsure = true,
		.local = 0.25, .known = 0.5,
	};
	struct grid g;

	/* Buckets 0-10, 10-20, 20-30: pieces of 5, 10 and 5 ns. */
	assert_int_equal(grid_init(&g, 0, 30, 3, 2, 2, &err), 0);
	grid_run(&g, 1, &run);
	grid_begin(&g, 1, 5, false);
	grid_begin(&g, 1, 29, true);
	grid_begin(&g, 1, 30, true);	/* outside */
	assert_int_equal(grid_nodes(&g, 1, 0)[1], 5);
	assert_int_equal(grid_nodes(&g, 1, 1)[1], 10);
	assert_int_equal(grid_nodes(&g, 1, 2)[1], 5);
	assert_int_equal(grid_nodes(&g, 1, 1)[0], 0);
	assert_int_equal(grid_nodes(&g, 0, 1)[1], 0);
	assert_int_equal(grid_at(&g, 1, 1)->ns[GRID_UNSURE], 10);
	assert_int_equal(grid_at(&g, 1, 1)->ns[GRID_CENSORED], 0);
	assert_true(grid_at(&g, 1, 1)->local_ns == 2.5);
	assert_true(grid_at(&g, 1, 2)->known_ns == 2.5);
	assert_int_equal(grid_at(&g, 1, 0)->spans, 1);
	assert_int_equal(grid_at(&g, 1, 0)->node_moves, 0);
	assert_int_equal(grid_at(&g, 1, 2)->spans, 1);
	assert_int_equal(grid_at(&g, 1, 2)->node_moves, 1);

	/* A burst of 1 ns is not lost, however wide the bucket. */
	run = (struct grid_run){ .start_ns = 13, .end_ns = 14, .node = 0 };
	grid_run(&g, 0, &run);
	assert_int_equal(grid_at(&g, 0, 1)->ns[GRID_RUN], 1);
	grid_clear(&g);
	assert_int_equal(grid_at(&g, 0, 1)->ns[GRID_RUN], 0);
	assert_int_equal(grid_nodes(&g, 1, 1)[1], 0);
	grid_release(&g);
}

static void test_most(void **state)
{
	static const int64_t v[] = { 0, 7, 9, 9 }, none[] = { 0, 0 };
	static const double d[] = { 0.5, 0.25 };

	assert_int_equal(grid_most(v, 4), 2);
	assert_int_equal(grid_most(none, 2), -1);
	assert_int_equal(grid_most_pages(d, 2), 0);
}

/* -- tracks --------------------------------------------------------------- */

/* Nodes 0 and 8 (a hole between), CPUs 0,1 on 0 and 2,3 on 8. */
static void two_nodes(struct topo *t)
{
	struct err err = { 0 };
	int cpu;

	*t = (struct topo){ 0 };
	assert_int_equal(topo_add_node(t, 0, &err), 0);
	assert_int_equal(topo_add_node(t, 8, &err), 0);
	for (cpu = 0; cpu < 4; cpu++)
		assert_int_equal(topo_add_cpu(t, cpu, cpu < 2 ? 0 : 8, &err),
				 0);
	assert_int_equal(topo_finish(t, &err), 0);
}

static struct span span_of(int task, int cpu, int64_t start, int64_t end)
{
	return (struct span){ .task = task, .cpu = cpu, .start_ns = start,
			      .end_ns = end, .ready_ns = -1,
			      .waker = TASK_NONE };
}

static struct tracks *plain_tracks(const struct topo *topo, int nr_tasks)
{
	struct tracks_source source = { .topo = topo, .nr_tasks = nr_tasks };
	struct err err = { 0 };

	return tracks_new(&source, &err);
}

static void test_tracks_by_hand(void **state)
{
	struct err err = { 0 };
	struct track_total total;
	struct tracks *t;
	struct topo topo;
	struct span s;
	struct grid g;

	two_nodes(&topo);
	t = plain_tracks(&topo, 2);
	assert_non_null(t);
	assert_int_equal(tracks_nr_nodes(t), 2);
	assert_int_equal(tracks_place(t, 8), 1);
	assert_int_equal(tracks_place(t, 1), -1);
	assert_int_equal(tracks_place(t, 9), -1);
	assert_int_equal(tracks_node(t, 1), 8);

	s = span_of(0, 0, 0, 4);	/* node 0 */
	assert_int_equal(tracks_span(t, &s, &err), 0);
	s = span_of(1, 1, 2, 6);	/* node 0, waited 1..2 */
	s.ready_ns = 1;
	assert_int_equal(tracks_span(t, &s, &err), 0);
	s = span_of(0, 2, 6, 11);	/* node 8: a node move at 6 */
	s.ready_ns = 4;
	s.flags = SPAN_F_UNSURE;
	assert_int_equal(tracks_span(t, &s, &err), 0);
	tracks_seal(t);

	/* Buckets 0-3, 3-6, 6-9, 9-12. */
	assert_int_equal(grid_init(&g, 0, 12, 4, 3, 2, &err), 0);
	tracks_fill(t, TRACK_TASK, 0, &g, 0);
	tracks_fill(t, TRACK_TASK, 1, &g, 1);
	tracks_fill(t, TRACK_CPU, 2, &g, 2);
	assert_int_equal(grid_nodes(&g, 0, 0)[0], 3);
	assert_int_equal(grid_nodes(&g, 0, 1)[0], 1);
	assert_int_equal(grid_nodes(&g, 0, 2)[1], 3);
	assert_int_equal(grid_nodes(&g, 0, 3)[1], 2);
	assert_int_equal(grid_at(&g, 0, 1)->ns[GRID_WAIT], 2);
	assert_int_equal(grid_at(&g, 0, 2)->node_moves, 1);
	assert_int_equal(grid_at(&g, 0, 3)->ns[GRID_UNSURE], 2);
	assert_int_equal(grid_at(&g, 1, 0)->ns[GRID_RUN], 1);
	assert_int_equal(grid_at(&g, 1, 0)->ns[GRID_WAIT], 1);
	assert_int_equal(grid_at(&g, 1, 1)->ns[GRID_RUN], 3);
	assert_int_equal(grid_nodes(&g, 2, 2)[1], 3);
	assert_int_equal(grid_at(&g, 2, 1)->ns[GRID_WAIT], 2);
	assert_int_equal(grid_at(&g, 2, 2)->node_moves, 0);
	grid_release(&g);

	tracks_total(t, TRACK_TASK, 0, &total);
	assert_int_equal(total.run_ns, 9);
	assert_int_equal(total.wait_ns, 2);
	assert_int_equal(total.node_ns[0], 4);
	assert_int_equal(total.node_ns[1], 5);
	assert_int_equal(total.node_moves, 1);
	assert_int_equal(total.nr_spans, 2);
	assert_int_equal(total.first_ns, 0);
	assert_int_equal(total.last_ns, 11);
	tracks_total(t, TRACK_TASK, 77, &total);
	assert_null(total.node_ns);

	assert_int_equal(tracks_find(t, TRACK_TASK, 0, 3), 0);
	assert_int_equal(tracks_find(t, TRACK_TASK, 0, 4), 1);
	assert_int_equal(tracks_find(t, TRACK_TASK, 0, 11), 2);
	tracks_get(t, TRACK_CPU, 2, 0, &s);
	assert_int_equal(s.task, 0);
	assert_int_equal(s.start_ns, 6);
	assert_int_equal(s.ready_ns, 4);
	tracks_free(t);
	topo_release(&topo);
}

static void test_tracks_refuse(void **state)
{
	struct err err = { 0 };
	struct tracks *t;
	struct topo topo;
	struct span s;

	two_nodes(&topo);
	t = plain_tracks(&topo, 2);
	s = span_of(2, 0, 0, 1);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(-1, 0, 0, 1);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(0, 4, 0, 1);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(0, 0, 5, 4);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(0, 0, 5, 9);
	assert_int_equal(tracks_span(t, &s, &err), 0);
	s = span_of(0, 1, 8, 10);	/* the task is still running */
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(1, 0, 8, 10);	/* the CPU is still busy */
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	tracks_free(t);
	topo_release(&topo);
}

#define NR_TASKS 5
#define NR_SPANS 20000

/* A schedule of four CPUs made by a small generator, in order of end. */
struct made {
	struct span span[NR_SPANS];
	int nr;
	int64_t end_ns;
};

static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x >> 8;
}

static void make_schedule(struct made *m, uint32_t seed)
{
	int64_t cpu_free[4] = { 0 }, task_free[NR_TASKS] = { 0 };
	int64_t now = 0;

	m->nr = 0;
	while (m->nr < NR_SPANS) {
		int task = next_random(&seed) % NR_TASKS;
		int cpu = next_random(&seed) % 4;
		struct span *s = &m->span[m->nr++];
		int64_t ready;

		/* Ends never go back, as in a run. */
		*s = span_of(task, cpu, 0, 0);
		s->start_ns = cpu_free[cpu] > task_free[task] ?
				      cpu_free[cpu] : task_free[task];
		if (s->start_ns < now - 50)
			s->start_ns = now - 50;
		s->start_ns += next_random(&seed) % 7;
		s->end_ns = s->start_ns + next_random(&seed) % 90;
		if (s->end_ns < now)
			s->end_ns = now;
		ready = s->start_ns - next_random(&seed) % 40;
		if (ready < task_free[task])
			ready = task_free[task];
		s->ready_ns = next_random(&seed) % 4 ? ready : -1;
		if (next_random(&seed) % 16 == 0)
			s->flags = SPAN_F_CENSORED_END;
		now = cpu_free[cpu] = task_free[task] = s->end_ns;
	}
	m->end_ns = now;
}

static int64_t overlap(int64_t a, int64_t b, int64_t from, int64_t to)
{
	int64_t lo = a > from ? a : from, hi = b < to ? b : to;

	return lo < hi ? hi - lo : 0;
}

/* One cell of a row by brute force over all spans. */
static void brute(const struct made *m, enum track_kind kind, int number,
		  int64_t from, int64_t to, struct grid_cell *c,
		  int64_t *node_ns)
{
	int last[NR_TASKS], i;

	*c = (struct grid_cell){ 0 };
	node_ns[0] = node_ns[1] = 0;
	for (i = 0; i < NR_TASKS; i++)
		last[i] = -1;
	for (i = 0; i < m->nr; i++) {
		const struct span *s = &m->span[i];
		int node = s->cpu / 2;
		int64_t ns = overlap(s->start_ns, s->end_ns, from, to);
		int before = last[s->task];

		last[s->task] = node;
		if ((kind == TRACK_TASK ? s->task : s->cpu) != number)
			continue;
		c->ns[GRID_RUN] += ns;
		node_ns[node] += ns;
		if (s->flags)
			c->ns[GRID_CENSORED] += ns;
		if (s->ready_ns >= 0)
			c->ns[GRID_WAIT] += overlap(s->ready_ns, s->start_ns,
						    from, to);
		if (s->start_ns < from || s->start_ns >= to)
			continue;
		c->spans++;
		c->node_moves += kind == TRACK_TASK && before >= 0 &&
				 before != node;
	}
}

static void compare_window(const struct made *m, const struct tracks *t,
			   int64_t from, int64_t to, int cols)
{
	struct err err = { 0 };
	struct grid g;
	int row, col;

	assert_int_equal(grid_init(&g, from, to, cols, NR_TASKS + 4, 2, &err),
			 0);
	for (row = 0; row < NR_TASKS + 4; row++) {
		enum track_kind kind = row < NR_TASKS ? TRACK_TASK : TRACK_CPU;
		int number = row < NR_TASKS ? row : row - NR_TASKS;

		tracks_fill(t, kind, number, &g, row);
		for (col = 0; col < cols; col++) {
			struct grid_cell want;
			int64_t nodes[2];

			brute(m, kind, number, g.edge[col], g.edge[col + 1],
			      &want, nodes);
			assert_memory_equal(grid_at(&g, row, col), &want,
					    sizeof(want));
			assert_memory_equal(grid_nodes(&g, row, col), nodes,
					    sizeof(nodes));
		}
	}
	grid_release(&g);
}

static void test_tracks_against_brute_force(void **state)
{
	struct made *m = malloc(sizeof(*m));
	struct err err = { 0 };
	struct topo topo;
	struct tracks *t;
	int64_t sum = 0, run = 0;
	struct grid g;
	int i;

	two_nodes(&topo);
	make_schedule(m, 7);
	t = plain_tracks(&topo, NR_TASKS);
	for (i = 0; i < m->nr; i++) {
		assert_int_equal(tracks_span(t, &m->span[i], &err), 0);
		run += m->span[i].end_ns - m->span[i].start_ns;
	}
	tracks_seal(t);
	/* Whole blocks in few buckets; cut ones; single spans; past the end. */
	compare_window(m, t, 0, m->end_ns, 3);
	compare_window(m, t, 0, m->end_ns + 1000, 37);
	compare_window(m, t, m->end_ns / 3, m->end_ns / 2, 11);
	compare_window(m, t, m->end_ns / 2, m->end_ns / 2 + 300, 60);
	compare_window(m, t, m->end_ns / 2, m->end_ns / 2 + 5, 9);
	compare_window(m, t, m->end_ns + 5, m->end_ns + 50, 4);

	/* The sum over all tasks is the sum of the span lengths, to the ns. */
	assert_int_equal(grid_init(&g, 0, m->end_ns, 77, 1, 2, &err), 0);
	for (i = 0; i < NR_TASKS; i++)
		tracks_fill(t, TRACK_TASK, i, &g, 0);
	for (i = 0; i < 77; i++)
		sum += grid_at(&g, 0, i)->ns[GRID_RUN];
	assert_int_equal(sum, run);
	grid_release(&g);

	/* Numbered spans are those of brute force. */
	for (i = 0; i < 2000; i++) {
		int64_t at = (int64_t)i * m->end_ns / 2000;
		int64_t n = 0, got = tracks_find(t, TRACK_TASK, 2, at);
		struct span s;
		int k;

		for (k = 0; k < m->nr; k++) {
			if (m->span[k].task != 2)
				continue;
			if (m->span[k].end_ns > at)
				break;
			n++;
		}
		assert_int_equal(got, n);
		tracks_get(t, TRACK_TASK, 2, got, &s);
		assert_int_equal(s.start_ns, m->span[k].start_ns);
		assert_int_equal(s.cpu, m->span[k].cpu);
	}
	tracks_free(t);
	topo_release(&topo);
	free(m);
}

/* -- pages ---------------------------------------------------------------- */

static void change(struct pages *p, int64_t ts, int area, int node, int64_t n)
{
	struct mem_change m = { ts, area, node, n };
	struct err err = { 0 };

	assert_int_equal(pages_change(p, &m, &err), 0);
}

static void test_pages(void **state)
{
	struct mem_change bad = { 1, 0, 8, 1 };
	struct areas areas = { 0 };
	struct err err = { 0 };
	int64_t count[2] = { 0 };
	struct pages *p;
	struct topo topo;
	struct grid g;

	two_nodes(&topo);
	assert_non_null(areas_add(&areas, 1));
	assert_non_null(areas_add(&areas, 0));
	assert_non_null(areas_add(&areas, 1));
	p = pages_new(&topo, &areas, 2, &err);
	assert_non_null(p);
	assert_false(pages_known(p, 1));
	change(p, 10, 0, 0, 6);
	change(p, 14, 2, 8, 1);
	change(p, 15, 0, 0, 2);	/* 4 pages went to node 8 */
	change(p, 15, 0, 8, 4);
	assert_int_equal(pages_change(p, &bad, &err), ERR_FORMAT);
	assert_true(pages_known(p, 1));
	assert_false(pages_known(p, 0));

	/* Buckets 8-12, 12-16, 16-20.  Area 0 on node 0: 2 ns of 6, then 3 ns
	 * of 6 and 1 of 2, then 4 of 2; process 1 on node 8: 2 ns of 1 and 1
	 * ns of 4, then 4 ns of 5. */
	assert_int_equal(grid_init(&g, 8, 20, 3, 2, 2, &err), 0);
	pages_fill_area(p, 0, &g, 0);
	pages_fill_proc(p, 1, &g, 1);
	pages_fill_proc(p, 2, &g, 1);	/* no such process */
	assert_true(grid_page_nodes(&g, 0, 0)[0] == 12);
	assert_true(grid_page_nodes(&g, 0, 1)[0] == 20);
	assert_true(grid_page_nodes(&g, 0, 2)[0] == 8);
	assert_true(grid_page_nodes(&g, 0, 0)[1] == 0);
	assert_true(grid_page_nodes(&g, 1, 1)[1] == 6);
	assert_true(grid_page_nodes(&g, 1, 2)[1] == 20);
	grid_release(&g);

	/* Most of process 1: node 0 from 10 on, node 8 (5 of 7) from 15 on. */
	assert_int_equal(pages_home(p, 1, 9), -1);
	assert_int_equal(pages_home(p, 1, 10), 0);
	assert_int_equal(pages_home(p, 1, 14), 0);
	assert_int_equal(pages_home(p, 1, 15), 1);
	assert_int_equal(pages_home(p, 0, 15), -1);
	assert_int_equal(pages_home(p, 9, 15), -1);

	pages_at(p, 1, 14, count);
	assert_int_equal(count[0], 6);
	assert_int_equal(count[1], 1);
	pages_free(p);
	areas_release(&areas);
	topo_release(&topo);
}

/* Many changes: windows that begin at any of them see the same state. */
static void test_pages_kept_states(void **state)
{
	struct areas areas = { 0 };
	struct err err = { 0 };
	struct pages *p;
	struct topo topo;
	int64_t i;

	two_nodes(&topo);
	areas_add(&areas, 0);
	p = pages_new(&topo, &areas, 1, &err);
	for (i = 0; i < 3000; i++)
		change(p, i * 10, 0, i % 3 ? 0 : 8, i);
	for (i = 3; i < 3000; i++) {
		int64_t count[2] = { 0 };

		pages_at(p, 0, i * 10, count);
		assert_int_equal(count[1], i - i % 3);
		assert_int_equal(count[0], i % 3 ? i : i - 1);
	}
	pages_free(p);
	areas_release(&areas);
	topo_release(&topo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_more_buckets_than_ns),
		cmocka_unit_test(test_run_is_cut),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_tracks_by_hand),
		cmocka_unit_test(test_tracks_refuse),
		cmocka_unit_test(test_tracks_against_brute_force),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_pages_kept_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
