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

/* Growing at 10 and going at 20 are no moves; at 15 four of six go to node 8; at
 * 25 one goes there and four are new there. */
static void test_pages_moved(void **state)
{
	static const int64_t want[] = { 0, 0, 0, 4, 0, 1 };
	struct areas areas = { 0 };
	struct err err = { 0 };
	struct pages *p;
	struct topo topo;
	struct grid g;
	int i;

	two_nodes(&topo);
	assert_non_null(areas_add(&areas, 1));
	p = pages_new(&topo, &areas, 2, &err);
	change(p, 10, 0, 0, 6);
	change(p, 15, 0, 0, 2);
	change(p, 15, 0, 8, 4);
	change(p, 20, 0, 8, 0);
	change(p, 25, 0, 0, 1);
	change(p, 25, 0, 8, 5);
	assert_int_equal(grid_init(&g, 0, 30, 6, 1, 2, &err), 0);
	pages_fill_proc(p, 1, &g, 0);
	for (i = 0; i < 6; i++)
		assert_int_equal(grid_at(&g, 0, i)->pages_moved, want[i]);
	grid_release(&g);
	/* A move at the very begin of a window belongs to it. */
	assert_int_equal(grid_init(&g, 15, 16, 1, 1, 2, &err), 0);
	pages_fill_area(p, 0, &g, 0);
	assert_int_equal(grid_at(&g, 0, 0)->pages_moved, 4);
	assert_true(grid_page_nodes(&g, 0, 0)[1] == 4);
	grid_release(&g);
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
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_pages_kept_states),
		cmocka_unit_test(test_pages_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
