/* SPDX-License-Identifier: MIT */
/*
 * numab against sheet M.1 to M.3 of algorithms.md: scan windows, the two-stage
 * filter, placement and the scan period, worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/numab.h"
#include "tests/support/view_make.h"

#define MS INT64_C(1000000)

struct fixture {
	struct view_make m;
	struct areas areas;
	struct numab *n;
};

/* Task 0 is a process of its own with one area, on CPU 0. */
static void make(struct fixture *f)
{
	f->areas = (struct areas){ 0 };
	view_make_init(&f->m, "4x2", "numab");
	areas_add(&f->areas, 0);
	f->m.view.areas = &f->areas;
	view_make_policy(&f->m);
	f->n = f->m.state;
	f->n->v = &f->m.view;
	f->n->d = &f->m.d;
	view_make_task(&f->m, 0, 0);
	numab_init_task(f->n, &f->m.view, 0, TASK_NONE, NULL);
}

static void drop(struct fixture *f)
{
	view_make_release(&f->m);
	areas_release(&f->areas);
}

/* Pages of 4 KiB, windows of 256 MiB: 20 MiB are one, 1 GiB four, 16 GiB 64 -
 * but 2560 MB a second at most: 100 ms. */
static void test_scan_period(void **state)
{
	struct fixture f;

	make(&f);
	numab_touch(f.n, 0, 0, 5120);
	assert_int_equal(numab_scan_min(f.n, 0), 1000 * MS);
	assert_int_equal(numab_scan_max(f.n, 0), 60000 * MS);
	numab_touch(f.n, 0, 0, 262144 - 5120);
	assert_int_equal(numab_scan_min(f.n, 0), 250 * MS);
	assert_int_equal(numab_scan_max(f.n, 0), 15000 * MS);
	numab_touch(f.n, 0, 0, 15 * 262144);
	assert_int_equal(numab_scan_min(f.n, 0), 100 * MS);
	assert_in_range(f.n->area[0].nr, 1, NUMAB_MAX_UNITS);
	drop(&f);
}

/* Ten pages on node 0, five on node 1. */
static int64_t area_pages(const struct view *v, int area, int node)
{
	return node == 0 ? 10 : node == 1 ? 5 : 0;
}

/* Not before the task has run for a second; then all but the pages on its own
 * node.  The next one is a second of its time, and of the clock, later. */
static void test_scan(void **state)
{
	struct fixture f;

	make(&f);
	f.m.view.area_pages = area_pages;
	f.n->task[0].runtime = 1000 * MS;
	f.m.view.now = 5000 * MS;
	assert_false(numab_scan(f.n, 0, 0));
	f.n->task[0].runtime++;
	assert_true(numab_scan(f.n, 0, 0));
	assert_int_equal(f.n->area[0].pages, 15);
	assert_int_equal(f.n->area[0].nr_marked, 5);
	assert_int_equal(f.n->proc[0].scan_seq, 1);
	f.n->task[0].runtime = 2001 * MS;
	assert_false(numab_scan(f.n, 0, 2));
	f.m.view.now = 6000 * MS;
	f.n->task[0].runtime = 3001 * MS;
	assert_true(numab_scan(f.n, 0, 2));
	assert_int_equal(f.n->area[0].nr_marked, 15);
	drop(&f);
}

static void test_filter(void **state)
{
	struct fixture f;
	struct numab_unit u = { .node = 1 };

	make(&f);
	/* No preferred node yet, nobody used it: it follows at once. */
	assert_true(numab_follows(f.n, 0, 0, &u));
	assert_int_equal(u.last, 1);
	/* Used by another task on another node: not now, but twice in a row. */
	f.n->task[0].preferred = 0;
	f.n->task[0].scan_seq = 5;
	u.last = 8;
	u.last_node = 2;
	assert_false(numab_follows(f.n, 0, 0, &u));
	assert_true(numab_follows(f.n, 0, 0, &u));
	/* Its own use from elsewhere: in the first four passes at once. */
	u.last_node = 3;
	assert_false(numab_follows(f.n, 0, 0, &u));
	f.n->task[0].scan_seq = 4;
	u.last_node = 3;
	assert_true(numab_follows(f.n, 0, 0, &u));
	drop(&f);
}

static void adapt(struct fixture *f, int64_t local, int64_t remote,
		  int64_t private, int64_t shared)
{
	f->n->task[0].locality[1] = local;
	f->n->task[0].locality[0] = remote;
	numab_adapt_period(f->n, 0, private, shared);
}

static void test_adapt_period(void **state)
{
	struct fixture f;
	struct numab_task *t;

	make(&f);
	t = &f.n->task[0];
	t->period_ns = 1000 * MS;
	adapt(&f, 0, 10, 10, 0);		/* nothing local or shared */
	assert_int_equal(t->period_ns, 2000 * MS);
	assert_int_equal(f.n->proc[0].next_scan_ns, 2000 * MS);
	assert_int_equal(t->locality[0], 10);	/* stays, for this once */
	t->period_ns = 1000 * MS;
	adapt(&f, 10, 0, 10, 0);		/* private 10 of 10: 3 slots */
	assert_int_equal(t->period_ns, 1300 * MS);
	assert_int_equal(t->locality[1], 0);
	t->period_ns = 1000 * MS;
	adapt(&f, 8, 2, 0, 10);			/* local 8 of 10: 1 slot */
	assert_int_equal(t->period_ns, 1100 * MS);
	t->period_ns = 10000 * MS;
	adapt(&f, 4, 6, 0, 10);			/* 7 - 4 slots less */
	assert_int_equal(t->period_ns, 7000 * MS);
	t->period_ns = 2000 * MS;
	adapt(&f, 0, 10, 0, 10);		/* 7 slots less: 600, least 1000 */
	assert_int_equal(t->period_ns, 1000 * MS);
	drop(&f);
}

static void test_place(void **state)
{
	struct numab_faults faults[10] = { 0 };
	struct fixture f;
	struct numab_task *t;

	make(&f);
	t = &f.n->task[0];
	t->sum = faults;
	t->buf = faults + 5;
	t->period_ns = 1000 * MS;
	t->buf[0].mem[1] = 40;
	t->buf[1].mem[1] = 100;
	t->locality[1] = 140;
	numab_place(f.n, 0);			/* the same pass: not yet */
	assert_int_equal(t->preferred, -1);
	f.n->proc[0].scan_seq++;
	numab_place(f.n, 0);
	assert_int_equal(t->preferred, 1);
	assert_int_equal(numab_weight(f.n, 0, 1, 20), 714);	/* 1000 * 100 / 140 */
	/* Node 0: 40 / 2 + 60 = 80, node 1: 100 / 2 = 50. */
	t->buf[0].mem[1] = 60;
	t->locality[1] = 60;
	f.n->proc[0].scan_seq++;
	numab_place(f.n, 0);
	assert_int_equal(t->preferred, 0);
	assert_int_equal(numab_weight(f.n, 0, 0, 20), 615);	/* 1000 * 80 / 130 */
	t->sum = t->buf = NULL;
	drop(&f);
}

/* On its preferred node a task is kept while others could be taken; towards it
 * it goes at once; between two others the weights decide. */
static void test_degrades(void **state)
{
	struct numab_faults faults[10] = { 0 };
	struct fixture f;
	struct numab_task *t;

	make(&f);
	t = &f.n->task[0];
	assert_int_equal(numab_degrades(f.n, &f.m.view, 0, 0, 2, false), -1);
	t->sum = faults;
	t->buf = faults + 5;
	t->total = 100;
	t->preferred = 0;
	faults[0].mem[1] = 60;
	faults[1].mem[1] = 30;
	faults[2].mem[1] = 10;
	view_make_home(&f.m, 0, 0);
	assert_int_equal(numab_degrades(f.n, &f.m.view, 0, 0, 2, false), -1);
	view_make_task(&f.m, 0, 0);
	assert_int_equal(numab_degrades(f.n, &f.m.view, 0, 0, 2, false), 1);
	assert_int_equal(numab_degrades(f.n, &f.m.view, 0, 2, 0, false), 0);
	assert_int_equal(numab_degrades(f.n, &f.m.view, 0, 2, 4, false), 1);
	assert_int_equal(numab_degrades(f.n, &f.m.view, 0, 4, 2, false), 0);
	assert_int_equal(numab_degrades(f.n, &f.m.view, 0, 2, 4, true), -1);
	t->sum = t->buf = NULL;
	drop(&f);
}

/* -- groups ----------------------------------------------------------------- */

/* Tasks 0, 1 and 2 are one process, on nodes 0, 1 and 2; 3 is another one. */
static void make_threads(struct fixture *f, struct numab_faults faults[4][10])
{
	make(f);
	for (int t = 1; t < 4; t++)
		view_make_task(&f->m, 2 * t, 0);
	f->m.view.task[1].proc = f->m.view.task[2].proc = 0;
	for (int t = 0; t < 4; t++) {
		f->n->task[t].sum = faults[t];
		f->n->task[t].buf = faults[t] + 5;
	}
	faults[0][0].mem[1] = f->n->task[0].total = 60;
	faults[1][1].mem[1] = f->n->task[1].total = 100;
}

static void drop_threads(struct fixture *f)
{
	for (int t = 0; t < 4; t++)
		f->n->task[t].sum = f->n->task[t].buf = NULL;
	drop(f);
}

static void test_group_join(void **state)
{
	struct numab_faults faults[4][10] = { 0 };
	struct fixture f;

	make_threads(&f, faults);
	/* The other has no group yet: it will join when it comes by. */
	numab_group_meet(f.n, 0, 1, 1);
	assert_int_equal(numab_group(f.n, 0)->nr_tasks, 1);
	assert_null(numab_group(f.n, 1));
	numab_group_meet(f.n, 1, 0, 0);
	assert_ptr_equal(numab_group(f.n, 1), numab_group(f.n, 0));
	assert_int_equal(numab_group(f.n, 0)->total, 160);
	assert_int_equal(numab_rank(f.n, 0, 1, 20), 625);	/* 1000 * 100 / 160 */
	assert_int_equal(numab_weight(f.n, 0, 1, 20), 0);
	/* Task 1 does not run on node 0 any more: no telling who it was. */
	numab_group_meet(f.n, 2, 1, 0);
	assert_int_equal(numab_group(f.n, 2)->nr_tasks, 1);
	numab_group_meet(f.n, 2, 1, 1);
	assert_int_equal(numab_group(f.n, 2)->nr_tasks, 3);
	/* The larger group does not join the smaller, nor another process. */
	numab_group_meet(f.n, 3, 0, 0);
	numab_group_meet(f.n, 0, 3, 3);
	assert_int_equal(numab_group(f.n, 0)->nr_tasks, 3);
	assert_int_equal(numab_group(f.n, 3)->nr_tasks, 1);
	/* Who goes takes its faults along. */
	numab_group_leave(f.n, 1);
	assert_int_equal(numab_group(f.n, 0)->total, 60);
	assert_int_equal(numab_rank(f.n, 2, 0, 20), 1000);
	drop_threads(&f);
}

/* Three tasks of which 321 in 481 (one added to each) of the faults are shared:
 * 3 * 1000 * 321 / 481 = 2002.079 ms; the longest 60 times that.  Neither is less
 * than without a group where nothing is shared: 3 * 1000 / 161. */
static void test_group_period(void **state)
{
	struct numab_faults faults[4][10] = { 0 };
	struct fixture f;

	make_threads(&f, faults);
	assert_int_equal(numab_scan_start(f.n, 0), 1000 * MS);
	numab_group_meet(f.n, 0, 1, 1);
	numab_group_meet(f.n, 1, 0, 0);
	numab_group_meet(f.n, 2, 0, 0);
	assert_int_equal(numab_scan_start(f.n, 0), 1000 * MS);
	assert_int_equal(numab_scan_max(f.n, 0), 60000 * MS);
	numab_group(f.n, 0)->sum[1].mem[0] = 320;
	assert_int_equal(numab_scan_start(f.n, 1), 2002079002);
	assert_int_equal(numab_scan_max(f.n, 1), 120124740124);
	assert_int_equal(numab_scan_min(f.n, 1), 1000 * MS);
	drop_threads(&f);
}

/* From node 0 to node 1: much more use there, more than 3 : 1; else by use and
 * memory, with 3/4 to spare. */
static void test_group_wants(void **state)
{
	struct numab_faults faults[4][10] = { 0 };
	struct fixture f;
	struct numab_group *g;

	make_threads(&f, faults);
	assert_true(numab_group_wants(f.n, 0, 0, 1));
	numab_group_meet(f.n, 0, 1, 1);
	g = numab_group(f.n, 0);
	g->sum[0].cpu[0] = 30;
	g->sum[1].cpu[0] = 91;
	g->sum[0].mem[1] = 50;
	g->sum[1].mem[1] = 200;
	assert_true(numab_group_wants(f.n, 0, 0, 1));
	g->sum[1].cpu[0] = 90;		/* 90 * 50 * 3 < 30 * 200 * 4 */
	assert_false(numab_group_wants(f.n, 0, 0, 1));
	g->sum[1].mem[1] = 112;		/* 13500 > 13440 */
	assert_true(numab_group_wants(f.n, 0, 0, 1));
	/* Active: more than a third of the most. */
	g->sum[2].cpu[1] = 31;
	g->sum[3].cpu[1] = 30;
	numab_group_count_active(f.n, g);
	assert_int_equal(g->most_cpu, 90);
	assert_true(numab_group_is_active(g, 2));
	assert_false(numab_group_is_active(g, 3));
	assert_int_equal(g->nr_active, 2);
	drop_threads(&f);
}

/* Sets the distances of four nodes, lower triangle by rows. */
static void set_distances(struct fixture *f, const int *d)
{
	for (int a = 1; a < 4; a++) {
		for (int b = 0; b < a; b++, d++) {
			f->m.topo.distance[4 * a + b] = *d;
			f->m.topo.distance[4 * b + a] = *d;
		}
	}
	numab_find_shape(f->n);
}

/*
 * A ring of four: 30 across, 20 to a neighbour, whose faults count half:
 * (30 - 20) / (30 - 10).  Node 0: 60 + 30 / 2 of 100, node 2: 10 + 30 / 2.
 * A group with 40, 0, 30, 30: node 3 has 30 + (40 + 30) / 2 = 65, node 0 with
 * most of the faults 40 + 30 / 2.
 */
static void test_mesh(void **state)
{
	static const int ring[] = { 20, 30, 20, 20, 30, 20 };
	struct numab_faults faults[4][10] = { 0 };
	struct fixture f;
	struct numab_group *g;

	make_threads(&f, faults);
	assert_int_equal(f.n->shape, NUMAB_DIRECT);
	set_distances(&f, ring);
	assert_int_equal(f.n->shape, NUMAB_MESH);
	faults[0][1].mem[0] = 30;
	faults[0][2].mem[1] = 10;
	f.n->task[0].total = 100;
	assert_int_equal(numab_weight(f.n, 0, 0, 20), 750);
	assert_int_equal(numab_weight(f.n, 0, 2, 20), 250);
	numab_group_meet(f.n, 3, 0, 0);
	g = numab_group(f.n, 3);
	g->sum[0].mem[0] = 40;
	g->sum[2].mem[0] = g->sum[3].mem[0] = 30;
	g->total = 100;
	assert_int_equal(numab_group_node(f.n, g, 0), 3);
	drop_threads(&f);
}

/*
 * Two pairs, 20 inside, 30 between them.  Node 0: 60, and with all that is nearer
 * than 30 those of node 1 too.  A group with 40, 10, 30, 30 belongs to the second
 * pair, there to the first of two equal nodes.
 */
static void test_backplane(void **state)
{
	static const int pairs[] = { 20, 30, 30, 30, 30, 20 };
	struct numab_faults faults[4][10] = { 0 };
	struct fixture f;
	struct numab_group *g;

	make_threads(&f, faults);
	set_distances(&f, pairs);
	assert_int_equal(f.n->shape, NUMAB_BACKPLANE);
	faults[0][1].mem[0] = 30;
	faults[0][2].mem[1] = 10;
	f.n->task[0].total = 100;
	assert_int_equal(numab_weight(f.n, 0, 0, 20), 600);
	assert_int_equal(numab_weight(f.n, 0, 0, 30), 900);
	numab_group_meet(f.n, 3, 0, 0);
	g = numab_group(f.n, 3);
	g->sum[0].mem[0] = 40;
	g->sum[1].mem[0] = 10;
	g->sum[2].mem[0] = g->sum[3].mem[0] = 30;
	g->total = 110;
	assert_int_equal(numab_group_node(f.n, g, 0), 2);
	drop_threads(&f);
}

/* Nothing is better elsewhere: a member of a group is content where it is, one
 * that is alone goes on wishing. */
static void test_group_settles(void **state)
{
	struct numab_faults faults[4][10] = { 0 };
	struct fixture f;
	char buf[40];

	for (int grouped = 0; grouped < 2; grouped++) {
		make_threads(&f, faults);
		for (int c = 1; c < 8; c += 2)
			view_make_task(&f.m, c, 0);
		faults[0][1].mem[1] = 60;
		f.n->task[0].total = 120;
		f.n->task[0].preferred = 1;
		if (grouped)
			numab_group_meet(f.n, 0, 1, 1);
		numab_move(f.n, 0);
		assert_string_equal(view_make_pulled(&f.m, buf, sizeof(buf)),
				    "");
		assert_int_equal(f.n->task[0].preferred, grouped ? 0 : 1);
		drop_threads(&f);
	}
}

/* A thread's first scan comes after a second like its parent's, but does not set
 * the period anew; it wants to be where its parent does. */
static void test_thread(void **state)
{
	struct numab_faults faults[4][10] = { 0 };
	struct fixture f;
	struct numab_task *t;

	make_threads(&f, faults);
	f.m.view.area_pages = area_pages;
	f.n->task[0].preferred = 2;
	numab_init_task(f.n, &f.m.view, 1, 0, NULL);
	t = &f.n->task[1];
	assert_int_equal(t->preferred, 2);
	assert_int_equal(t->stamp, 8 * MS);
	t->period_ns = 2000 * MS;
	t->runtime = t->stamp + 2000 * MS + 1;
	f.m.view.now = 5000 * MS;
	assert_int_equal(numab_scan(f.n, 1, 2), 15);
	assert_int_equal(t->period_ns, 2000 * MS);
	assert_int_equal(f.n->proc[0].next_scan_ns, 7000 * MS);
	/* Two ticks more; 15 pages of 50 ns are over before a tick sees them. */
	assert_int_equal(t->stamp, 2016 * MS);
	drop_threads(&f);
}

/* 15 pages of 1 ms: three ticks of 4 ms are seen, and it rests for 32 times 12 ms
 * besides its period of a second and two ticks. */
static void test_rest(void **state)
{
	struct fixture f;

	make(&f);
	f.m.view.area_pages = area_pages;
	f.m.view.now = 5000 * MS;
	f.m.queues.hz = 250;
	f.m.spec.values[NUMAB_MARK_NS].i = MS;
	f.m.spec.values[NUMAB_SKIP_LOCAL].i = 0;
	f.n->task[0].runtime = 1001 * MS;
	assert_int_equal(numab_scan(f.n, 0, 0), 15);
	assert_int_equal(f.n->task[0].stamp, (1000 + 8 + 32 * 12) * MS);
	drop(&f);
}

/* Faults on one marked page on a node, whether it moved. */
static bool fault_on(struct fixture *f, int cpu, struct numab_unit *u)
{
	int was = u->node;

	u->marked = true;
	f->n->area[0].nr_marked = 1;
	f->n->task[0].credit = 500;
	numab_fault(f->n, 0, cpu, true);
	assert_false(u->marked);
	return u->node != was;
}

/*
 * A page on the node of its user is no case for the filter (M.2: "unless same"):
 * the kernel does not note who used it.  So the first use from elsewhere moves
 * it, however late, and for the next one only those from elsewhere count: it was
 * used from node 1 last, though from node 2 after it, where it lay.
 */
static void test_local_use(void **state)
{
	struct fixture f;
	struct numab_unit *u;

	make(&f);
	numab_touch(f.n, 0, 0, 1);
	u = f.n->area[0].unit;
	f.n->task[0].preferred = 0;
	f.n->task[0].scan_seq = 9;
	assert_false(fault_on(&f, 0, u));
	assert_int_equal(u->last, 0);
	assert_true(fault_on(&f, 2, u));	/* CPU 2 is on node 1 */
	assert_int_equal(u->last_node, 1);
	u->node = 2;
	assert_false(fault_on(&f, 4, u));
	assert_int_equal(u->last_node, 1);
	assert_true(fault_on(&f, 2, u));
	assert_false(fault_on(&f, 6, u));	/* 1 before, now 3 */
	assert_true(fault_on(&f, 6, u));
	drop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan_period),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_adapt_period),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_degrades),
		cmocka_unit_test(test_group_join),
		cmocka_unit_test(test_group_period),
		cmocka_unit_test(test_group_wants),
		cmocka_unit_test(test_mesh),
		cmocka_unit_test(test_backplane),
		cmocka_unit_test(test_group_settles),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_local_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
