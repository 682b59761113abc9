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
	numab_begin_task(f->n, &f->m.view, 0, TASK_NONE);
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
	numab_touch(f.n, 0, 0, 5120, 0);
	assert_int_equal(numab_scan_min(f.n, 0), 1000 * MS);
	assert_int_equal(numab_scan_max(f.n, 0), 60000 * MS);
	numab_touch(f.n, 0, 0, 262144 - 5120, 0);
	assert_int_equal(numab_scan_min(f.n, 0), 250 * MS);
	assert_int_equal(numab_scan_max(f.n, 0), 15000 * MS);
	numab_touch(f.n, 0, 0, 15 * 262144, 0);
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
	t->period_ns = 1000 * MS;
	adapt(&f, 10, 0, 10, 0);		/* private 10 of 10: 3 slots */
	assert_int_equal(t->period_ns, 1300 * MS);
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
	assert_int_equal(numab_weight(f.n, 0, 1), 714);	/* 1000 * 100 / 140 */
	/* Node 0: 40 / 2 + 60 = 80, node 1: 100 / 2 = 50. */
	t->buf[0].mem[1] = 60;
	t->locality[1] = 60;
	f.n->proc[0].scan_seq++;
	numab_place(f.n, 0);
	assert_int_equal(t->preferred, 0);
	assert_int_equal(numab_weight(f.n, 0, 0), 615);	/* 1000 * 80 / 130 */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan_period),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_adapt_period),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_degrades),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
