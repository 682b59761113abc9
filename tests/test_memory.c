/* SPDX-License-Identifier: MIT */
/*
 * Page places: areas found, pages followed.  Two nodes, CPU c on node c.  What
 * comes out is written down as "TS AREA:NODE=PAGES" for the run (at most one
 * change per area, node and millisecond; times in ns) and compared with what
 * the rules of model/rebuild.h give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/clusters.h"
#include "model/err.h"
#include "model/pagemap.h"
#include "model/rebuild.h"
#include "model/topo.h"
#include "tests/support/events_text.h"

enum { NODES = 2 };

struct sample {
	int64_t ts;
	int area;
	int64_t pages[NODES];
};

struct memory {
	struct events_text ev;
	struct topo topo;
	struct areas areas;
	int *leader;
	struct area_map map;
	struct rebuild *r;
	const struct sample *sample;
	const char *sources;	/* of the samples; NULL: all 'm' */
	int nr_samples;
	int balancing;		/* as rebuild_args has it */
	enum area_thp thp;
	char mem[4096], told[4096];
};

static int take_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct memory *w = ctx;
	size_t len = strlen(w->mem);

	snprintf(w->mem + len, sizeof(w->mem) - len, "%s%lld %d:%d=%lld",
		 len ? "; " : "", (long long)m->ts, m->area, m->node,
		 (long long)m->pages);
	return 0;
}

static int take_change(void *ctx, const struct demand_mem *m, struct err *err)
{
	struct memory *w = ctx;
	size_t len = strlen(w->told);

	snprintf(w->told + len, sizeof(w->told) - len,
		 "%s%lld t%d %s %d %d>%d %lld", len ? "; " : "",
		 (long long)m->ts, m->task,
		 m->code == DEMAND_TOUCH ? "touch" :
		 m->code == DEMAND_FREE_AT ? "free" :
		 m->code == DEMAND_FOUND ? "found" : "moved", m->area, m->from,
		 m->to, (long long)m->pages);
	return 0;
}

static int take_held(void *ctx, int task, int area, int node, int64_t pages,
		     struct err *err)
{
	struct memory *w = ctx;
	size_t len = strlen(w->told);

	snprintf(w->told + len, sizeof(w->told) - len, "%sheld t%d %d:%d=%lld",
		 len ? "; " : "", task, area, node, (long long)pages);
	return 0;
}

static void begin(struct memory *w, const char *events)
{
	struct err err = { 0 };

	memset(w, 0, sizeof(*w));
	w->balancing = 1;
	events_text_parse(&w->ev, events);
	for (int n = 0; n < NODES; n++) {
		assert_int_equal(topo_add_node(&w->topo, n, &err), 0);
		assert_int_equal(topo_add_cpu(&w->topo, n, n, &err), 0);
	}
	assert_int_equal(topo_finish(&w->topo, &err), 0);
	w->leader = tasks_leaders(&w->ev.tasks);
	assert_non_null(w->leader);
}

/* Pages first..first+pages-1; 0: the end is unknown. */
static void recorded_area(struct memory *w, int proc, uint64_t first,
			  uint64_t pages)
{
	struct area *a = areas_add(&w->areas, proc);

	assert_non_null(a);
	a->start = first * 4096;
	a->bytes = pages * 4096;
}

static void find_areas(struct memory *w)
{
	const struct area_find_args args = {
		.tasks = &w->ev.tasks, .leader = w->leader,
		.areas = &w->areas, .nr_node_ids = NODES, .page_size = 4096,
		.thp = w->thp,
	};
	struct err err = { 0 };
	struct area_find *f;

	assert_int_equal(area_find_new(&f, &args, &err), 0);
	for (int i = 0; i < w->nr_samples; i++)
		assert_int_equal(area_find_sample(f, w->sample[i].ts,
						  w->sample[i].area,
						  w->sample[i].pages, &err), 0);
	for (size_t i = 0; i < w->ev.nr; i++)
		assert_int_equal(area_find_event(f, &w->ev.event[i], &err), 0);
	assert_int_equal(area_find_finish(f, &w->map, &err), 0);
	area_find_free(f);
}

static void follow(struct memory *w)
{
	static const struct rebuild_ops ops = {
		.mem = take_mem, .change = take_change, .held = take_held,
	};
	struct rebuild_args args = {
		.tasks = &w->ev.tasks, .leader = w->leader, .topo = &w->topo,
		.areas = &w->areas, .map = &w->map, .page_size = 4096,
		.start_ns = w->ev.start_ns, .end_ns = w->ev.end_ns,
		.numa_balancing = w->balancing, .ops = &ops, .ctx = w,
	};
	struct err err = { 0 };
	int s = 0;

	find_areas(w);
	assert_int_equal(rebuild_new(&w->r, &args, &err), 0);
	assert_int_equal(rebuild_start(w->r, &err), 0);
	for (size_t i = 0; i <= w->ev.nr; i++) {
		int64_t ts = i < w->ev.nr ? w->ev.event[i].ts : INT64_MAX;

		for (; s < w->nr_samples && w->sample[s].ts <= ts; s++) {
			const struct rebuild_sample sample = {
				w->sample[s].ts, w->sample[s].area,
				w->sources ? w->sources[s] : 'm',
				w->sample[s].pages,
			};

			assert_int_equal(rebuild_sample(w->r, &sample, &err),
					 0);
		}
		if (i < w->ev.nr)
			assert_int_equal(rebuild_event(w->r, &w->ev.event[i],
						       &err), 0);
	}
	assert_int_equal(rebuild_finish(w->r, &err), 0);
}

static void done(struct memory *w)
{
	rebuild_free(w->r);
	area_map_release(&w->map);
	areas_release(&w->areas);
	free(w->leader);
	topo_release(&w->topo);
	events_text_release(&w->ev);
}

static void expect_pages(const struct memory *w, int area, int64_t n0,
			 int64_t n1)
{
	if (rebuild_pages(w->r, area, 0) != n0 ||
	    rebuild_pages(w->r, area, 1) != n1)
		fail_msg("area %d: %lld %lld instead of %lld %lld", area,
			 (long long)rebuild_pages(w->r, area, 0),
			 (long long)rebuild_pages(w->r, area, 1),
			 (long long)n0, (long long)n1);
}

static void expect_count(const struct memory *w, int count, int64_t n)
{
	if (rebuild_count(w->r, count) != n)
		fail_msg("%s: %lld instead of %lld", rebuild_count_name(count),
			 (long long)rebuild_count(w->r, count), (long long)n);
}

/* -- by faults ------------------------------------------------------------ */

static void balancing_on(void **state)
{
	struct memory w;

	/* Page 10: first touch on node 0, hinting fault on node 1, moved.
	 * Page 11: the same, but the move fails.  Page 12: a hinting fault on
	 * its own node.  Page 13: read on 0, then written on 1 (zero page). */
	begin(&w, "start 0; 1 0 1 fault 10 6; 2 0 1 fault 11 6;"
	      "3 0 1 fault 12 6; 4 0 1 fault 13 4; 5 1 1 fault 10 4;"
	      "6 1 1 pages 1 0; 7 1 1 fault 11 6; 8 1 1 pages 0 1;"
	      "9 0 1 fault 12 4; 10 1 1 fault 13 7; 11 0 1 pages 1 0 other;"
	      "12 0 1 fault 10 4; 2000000 0 1 fault 14 6");
	follow(&w);
	assert_int_equal(w.areas.nr, 1);
	assert_int_equal(w.areas.area[0].kind, AREA_INFERRED);
	assert_int_equal(w.areas.area[0].start, 10 * 4096);
	assert_int_equal(w.areas.area[0].bytes, 5 * 4096);
	expect_pages(&w, 0, 3, 2);	/* 11, 12 and 14; 10 and 13 */
	expect_count(&w, REBUILD_FIRST_TOUCHES, 5);
	expect_count(&w, REBUILD_HINTING_FAULTS, 4);
	expect_count(&w, REBUILD_HINTING_LOCAL, 1);
	expect_count(&w, REBUILD_RETOUCHES, 1);
	expect_count(&w, REBUILD_PAGES_MOVED, 1);
	expect_count(&w, REBUILD_PAGES_NOT_MOVED, 1);
	expect_count(&w, REBUILD_OTHER_MOVES, 1);
	expect_count(&w, REBUILD_MOVES_UNPLACED, 0);
	assert_string_equal(w.mem, "1000000 0:0=2; 1000000 0:1=2; "
			    "2000000 0:0=3");
	assert_string_equal(w.told, "1 t0 touch 0 0>0 1; 2 t0 touch 0 0>0 1; "
			    "3 t0 touch 0 0>0 1; 4 t0 touch 0 0>0 1; "
			    "6 t0 moved 0 0>1 1; 10 t0 found 0 0>1 1; "
			    "2000000 t0 touch 0 0>0 1");
	done(&w);
}

static void balancing_off(void **state)
{
	struct memory w;

	begin(&w, "start 0; 1 0 1 fault 10 6; 2 1 1 fault 10 6;"
	      "3 0 1 fault 11 4; 4 0 1 fault 11 7");
	w.balancing = 0;
	follow(&w);
	expect_pages(&w, 0, 1, 1);
	expect_count(&w, REBUILD_RETOUCHES, 2);
	expect_count(&w, REBUILD_HINTING_FAULTS, 0);
	done(&w);
}

/* Where the setting is unknown, a migration of NUMA balancing tells. */
static void balancing_unknown(void **state)
{
	struct memory w;

	begin(&w, "start 0; 1 0 1 fault 10 6; 2 1 1 fault 10 6");
	w.balancing = -1;
	follow(&w);
	expect_pages(&w, 0, 0, 1);
	done(&w);
	begin(&w, "start 0; 1 0 1 fault 10 6; 2 1 1 fault 10 6;"
	      "3 0 2 pages 1 0");
	w.balancing = -1;
	follow(&w);
	expect_pages(&w, 0, 1, 0);
	expect_count(&w, REBUILD_MOVES_UNPLACED, 1);
	done(&w);
}

/* A move belongs to the task's own last fault, and to that only once. */
static void moves_of_two_tasks(void **state)
{
	struct memory w;

	begin(&w, "start 0; pid 2 1; 1 0 1 fault 10 6; 2 0 1 fault 11 6;"
	      "3 0 1 fault 12 6; 4 1 1 fault 10 4; 5 1 2 fault 11 4;"
	      "6 1 1 pages 1 0; 7 1 1 pages 1 0; 8 1 2 pages 1 0");
	follow(&w);
	expect_pages(&w, 0, 1, 2);	/* 12 stayed */
	expect_count(&w, REBUILD_MOVES_UNPLACED, 1);
	done(&w);
}

static void exec_begins_anew(void **state)
{
	struct memory w;

	begin(&w, "start 0; 1 0 1 fault 10 6; 2 0 1 fault 11 6; 3 0 1 exec;"
	      "4 1 1 fault 10 6; 5 1 1 fault 2000 6");
	follow(&w);
	assert_int_equal(w.areas.nr, 3);
	expect_pages(&w, 0, 0, 0);
	expect_pages(&w, 1, 0, 1);
	expect_pages(&w, 2, 0, 1);
	expect_count(&w, REBUILD_FIRST_TOUCHES, 4);
	assert_string_equal(w.mem, "5 1:1=1; 5 2:1=1");
	done(&w);
}

static void weights(void **state)
{
	struct memory w;
	double share[NODES];

	/* Thread 2 touches area 0 three times and area 1 once. */
	begin(&w, "start 0; pid 2 1; 1 0 2 fault 10 6; 2 1 2 fault 11 6;"
	      "3 1 2 fault 11 4; 4 1 2 fault 5000 6; 5 0 1 switch S 0;"
	      "6 0 3 switch S 0");
	follow(&w);
	rebuild_share(w.r, events_text_task(&w.ev, 2, 0), share);
	/* Area 0: half and half, weight 3; area 1: node 1, weight 1. */
	assert_true(share[0] > 0.375 - 1e-9 && share[0] < 0.375 + 1e-9);
	assert_true(share[1] > 0.625 - 1e-9 && share[1] < 0.625 + 1e-9);
	/* The leader has none of its own: by pages, 1 to 2. */
	rebuild_share(w.r, events_text_task(&w.ev, 1, 0), share);
	assert_true(share[0] > 1 / 3.0 - 1e-9 && share[0] < 1 / 3.0 + 1e-9);
	rebuild_share(w.r, events_text_task(&w.ev, 3, 0), share);
	assert_true(share[0] + share[1] == 0);
	done(&w);
}

/* -- areas ---------------------------------------------------------------- */

static void holes_split(void **state)
{
	struct memory w;

	/* 10, 522, 1034, 1546: 512 apart; 2059: 513 behind the last. */
	begin(&w, "start 0; 1 0 1 fault 522 6; 2 0 1 fault 10 6;"
	      "3 0 1 fault 2059 6; 4 0 1 fault 1546 6; 5 0 1 fault 1034 6;"
	      "6 0 1 fault 1034 6; 7 0 1 fault 0x7fffffffffff 20;"
	      "8 0 1 fault 0xfffff00000000 6");
	follow(&w);
	assert_int_equal(w.areas.nr, 2);
	assert_int_equal(w.areas.area[0].start / 4096, 10);
	assert_int_equal(w.areas.area[0].bytes / 4096, 1546 - 10 + 1);
	assert_int_equal(w.areas.area[1].start / 4096, 2059);
	assert_int_equal(w.map.skipped, 2);	/* instruction, kernel */
	expect_pages(&w, 0, 4, 0);
	done(&w);
}

static void recorded_areas_divide(void **state)
{
	static const struct sample samples[] = {
		{ 50, 0, { 2, 0 } }, { 50, 1, { 1, 0 } }, { 50, 2, { 3, 0 } },
	};
	struct memory w;

	/* 0: pages 100.. up to the next, 1: 110..119, 2: from 130, end
	 * unknown.  120..129 belong to nobody, and so does 4000. */
	begin(&w, "start 0; 1 0 1 fault 100 6; 2 0 1 fault 109 6;"
	      "3 0 1 fault 110 6; 4 0 1 fault 121 6; 5 0 1 fault 130 6;"
	      "6 0 1 fault 131 6; 7 0 1 fault 132 6; 8 0 1 fault 4000 6;"
	      "9 0 1 fault 99 6; 60 0 1 switch S 0");
	w.ev.tasks.task[0].flags = 0;
	recorded_area(&w, 0, 100, 0);
	recorded_area(&w, 0, 110, 10);
	recorded_area(&w, 0, 130, 0);
	w.sample = samples;
	w.nr_samples = 3;
	follow(&w);
	assert_int_equal(w.areas.nr, 6);
	expect_pages(&w, 0, 2, 0);
	expect_pages(&w, 1, 1, 0);
	expect_pages(&w, 2, 3, 0);
	assert_int_equal(w.areas.area[3].start / 4096, 99);
	assert_int_equal(w.areas.area[4].start / 4096, 120);
	assert_int_equal(w.areas.area[5].start / 4096, 4000);
	assert_int_equal(w.map.info[0].by, AREA_BY_FAULTS);
	expect_count(&w, REBUILD_COMPARED, 6);
	expect_count(&w, REBUILD_DIFFERING, 0);
	done(&w);
}

/*
 * Bound to node 1 (numactl --membind), touched on node 0.  The second sample says
 * what the first one said, and no fault came since: then both pages are on node 1.
 * A hinting fault there finds page 100 at home.
 */
static void samples_at_rest_correct(void **state)
{
	static const struct sample samples[] = {
		{ 1000000, 0, { 0, 2 } }, { 2000000, 0, { 0, 2 } },
	};
	struct memory w;

	begin(&w, "start 0; 10 0 1 fault 100 6; 20 0 1 fault 101 6;"
	      "3000000 1 1 fault 100 4; 3000001 1 1 pages 0 1;"
	      "5000000 1 1 switch S 0");
	w.ev.tasks.task[0].flags = 0;
	recorded_area(&w, 0, 100, 2);
	w.sample = samples;
	w.nr_samples = 2;
	follow(&w);
	assert_string_equal(w.mem, "1000000 0:0=2; 3000000 0:0=0; "
			    "3000000 0:1=2");
	assert_string_equal(w.told, "10 t0 touch 0 0>0 1; 20 t0 touch 0 0>0 1; "
			    "2000000 t0 found 0 0>1 2");
	expect_count(&w, REBUILD_CORRECTED, 2);
	expect_count(&w, REBUILD_HINTING_FAULTS, 1);
	expect_count(&w, REBUILD_HINTING_LOCAL, 1);
	done(&w);
}

/* A fault between two samples that agree, and samples that do not agree. */
static void samples_in_motion_do_not(void **state)
{
	static const struct sample samples[] = {
		{ 1000000, 0, { 0, 2 } }, { 2000000, 0, { 0, 2 } },
		{ 3000000, 0, { 1, 1 } }, { 4000000, 0, { 0, 2 } },
	};
	struct memory w;

	begin(&w, "start 0; 10 0 1 fault 100 6; 20 0 1 fault 101 6;"
	      "1500000 0 1 fault 100 4; 5000000 0 1 switch S 0");
	w.ev.tasks.task[0].flags = 0;
	recorded_area(&w, 0, 100, 2);
	w.sample = samples;
	w.nr_samples = 4;
	follow(&w);
	assert_int_equal(w.map.info[0].by, AREA_BY_FAULTS);
	expect_pages(&w, 0, 2, 0);
	expect_count(&w, REBUILD_CORRECTED, 0);
	done(&w);
}

/* As many samples of another source: every page was asked for and none was absent,
 * so both are on node 1; nothing is sure where one was absent (marked for a hinting
 * fault), or where only some were asked for. */
static void queries_at_rest(void **state)
{
	static const struct {
		const char *sources;
		struct sample sample[2];
		int64_t on_1;
	} cases[] = {
		{ "ee", { { 1000000, 0, { 0, 2 } }, { 2000000, 0, { 0, 2 } } }, 2 },
		{ "me", { { 1000000, 0, { 0, 2 } }, { 2000000, 0, { 0, 2 } } }, 2 },
		{ "ee", { { 1000000, 0, { 0, 1 } }, { 2000000, 0, { 0, 1 } } }, 0 },
		{ "qq", { { 1000000, 0, { 0, 2 } }, { 2000000, 0, { 0, 2 } } }, 0 },
		{ "qe", { { 1000000, 0, { 0, 2 } }, { 2000000, 0, { 0, 2 } } }, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory w;

		begin(&w, "start 0; 10 0 1 fault 100 6; 20 0 1 fault 101 6;"
		      "5000000 0 1 switch S 0");
		w.ev.tasks.task[0].flags = 0;
		recorded_area(&w, 0, 100, 2);
		w.sample = cases[i].sample;
		w.sources = cases[i].sources;
		w.nr_samples = 2;
		follow(&w);
		expect_pages(&w, 0, 2 - cases[i].on_1, cases[i].on_1);
		expect_count(&w, REBUILD_CORRECTED, cases[i].on_1);
		done(&w);
	}
}

/* An area that was sampled after the exec is not one of before it. */
static void recorded_area_after_exec(void **state)
{
	static const struct sample samples[] = { { 50, 0, { 0, 1 } } };
	struct memory w;

	begin(&w, "start 0; 1 0 1 fault 100 6; 20 0 1 exec; 30 1 1 fault 100 6;"
	      "60 0 1 switch S 0");
	w.ev.tasks.task[0].flags = 0;
	recorded_area(&w, 0, 100, 0);
	w.sample = samples;
	w.nr_samples = 1;
	follow(&w);
	assert_int_equal(w.areas.nr, 2);
	expect_pages(&w, 0, 0, 1);
	expect_pages(&w, 1, 0, 0);
	done(&w);
}

/* -- by samples ----------------------------------------------------------- */

static void samples_only(void **state)
{
	static const struct sample samples[] = {
		{ 1000000, 0, { 10, 0 } }, { 3000000, 0, { 4, 9 } },
		{ 5000000, 0, { 4, 5 } },
	};
	struct memory w;

	/* Born in the recording: nothing is known before the first sample.
	 * 10 on node 0; then 6 moved and 3 came; then 4 went. */
	begin(&w, "start 0; 1 0 1 fork 2; 6000000 0 1 switch S 0");
	recorded_area(&w, 1, 100, 0);
	w.sample = samples;
	w.nr_samples = 3;
	follow(&w);
	assert_int_equal(w.map.info[0].by, AREA_BY_SAMPLES);
	assert_string_equal(w.mem, "2000000 0:0=10; 4000000 0:0=4; "
			    "4000000 0:1=9; 6000000 0:1=5");
	assert_string_equal(w.told, "1000000 t1 touch 0 0>0 10; "
			    "3000000 t1 found 0 0>1 6; "
			    "3000000 t1 touch 0 0>1 3; "
			    "5000000 t1 free 0 1>0 4");
	done(&w);
}

static void held_from_the_start(void **state)
{
	static const struct sample samples[] = {
		{ 500000, 0, { 10, 2 } }, { 500000, 1, { 1, 0 } },
		{ 3000000, 0, { 8, 5 } }, { 3000000, 1, { 1, 0 } },
	};
	struct memory w;

	/* There before: 10 and 2 pages from the start on.  Then a hinting fault
	 * on a page of unknown place, moved to node 1: taken from node 0, which
	 * has most.  The sample sets it right. */
	begin(&w, "start 0; 1000000 1 1 fault 101 4; 1000001 1 1 pages 1 0;"
	      "1000002 1 1 fault 101 4; 1000003 0 1 fault 102 4;"
	      "4000000 0 1 switch S 0");
	recorded_area(&w, 0, 100, 20);
	recorded_area(&w, 0, 5000, 1);
	w.sample = samples;
	w.nr_samples = 4;
	follow(&w);
	assert_true(w.map.info[0].held);
	assert_string_equal(w.mem, "0 0:0=10; 0 0:1=2; 0 1:0=1; "
			    "2000000 0:0=9; 2000000 0:1=3; "
			    "4000000 0:0=8; 4000000 0:1=5");
	assert_string_equal(w.told, "held t0 0:0=10; held t0 0:1=2; "
			    "held t0 1:0=1; 1000001 t0 moved 0 0>1 1; "
			    "3000000 t0 found 0 0>1 1; "
			    "3000000 t0 touch 0 0>1 1");
	expect_count(&w, REBUILD_FIRST_TOUCHES, 0);
	expect_count(&w, REBUILD_HINTING_FAULTS, 3);
	done(&w);
}

/* Faults that account for what samples see, and faults that do not. */
static void who_accounts(void **state)
{
	static const struct sample samples[] = {
		{ 100, 0, { 2, 0 } }, { 100, 1, { 20, 0 } },
	};
	struct memory w;

	begin(&w, "start 0; 1 1 1 fork 2; 2 1 2 fault 100 6; 3 1 2 fault 101 6;"
	      "4 1 2 fault 5000 6; 200 0 1 switch S 0");
	recorded_area(&w, 1, 100, 10);
	recorded_area(&w, 1, 5000, 50);
	w.sample = samples;
	w.nr_samples = 2;
	follow(&w);
	assert_int_equal(w.map.info[0].by, AREA_BY_FAULTS);
	assert_int_equal(w.map.info[1].by, AREA_BY_SAMPLES);
	expect_pages(&w, 0, 0, 2);	/* as the faults say */
	expect_pages(&w, 1, 20, 0);	/* as the sample says */
	expect_count(&w, REBUILD_COMPARED, 2);
	expect_count(&w, REBUILD_DIFFERING, 2);
	done(&w);
}

static void unmapped(void **state)
{
	static const struct sample samples[] = {
		{ 100, 0, { 2, 0 } }, { 100, 1, { 1, 0 } },
		{ 200, 1, { 1, 0 } },
		{ 300, 1, { 1, 0 } },
	};
	struct memory w;

	/* The second reading passes area 0 by: it is gone, and its address is
	 * touched anew later. */
	begin(&w, "start 0; 1 0 1 fork 2; 2 0 2 fault 100 6; 3 0 2 fault 101 6;"
	      "4 0 2 fault 900 6; 400 1 2 fault 100 6; 500 0 1 switch S 0");
	recorded_area(&w, 1, 100, 10);
	recorded_area(&w, 1, 900, 1);
	w.sample = samples;
	w.nr_samples = 4;
	follow(&w);
	expect_count(&w, REBUILD_AREAS_GONE, 1);
	expect_pages(&w, 0, 0, 1);
	expect_pages(&w, 1, 1, 0);
	assert_non_null(strstr(w.told, "300 t1 free 0 0>0 2"));
	done(&w);
}

static void huge_pages(void **state)
{
	struct memory w;
	char events[600] = "start 0;", *p = events + 8;

	/* Four faults 512 pages apart, a later one elsewhere in a block. */
	for (int i = 0; i < 4; i++)
		p += sprintf(p, "%d 0 1 fault %d 6;", i + 1, 5120 + 512 * i);
	sprintf(p, "10 1 1 fault %d 4; 11 1 1 pages 512 0", 5120 + 700);
	begin(&w, events);
	w.thp = AREA_THP_ALWAYS;
	follow(&w);
	assert_true(w.map.info[0].huge);
	expect_pages(&w, 0, 3 * 512, 512);
	expect_count(&w, REBUILD_HINTING_FAULTS, 1);
	expect_count(&w, REBUILD_PAGES_MOVED, 512);
	done(&w);
	begin(&w, events);
	follow(&w);
	assert_false(w.map.info[0].huge);
	expect_pages(&w, 0, 4, 1);
	done(&w);
}

/* -- parts ---------------------------------------------------------------- */

static void map_of_pages(void **state)
{
	enum { RANGE = 3000 };
	static int want[RANGE];
	struct pagemap m = { 0 };
	uint32_t seed = 7;
	uint64_t page;
	size_t at = 0, found = 0;
	int value;

	memset(want, -1, sizeof(want));
	assert_int_equal(pagemap_get(&m, 5), -1);
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525 + 1013904223;
		page = seed >> 16;
		page %= RANGE;
		want[page] = i % 1000;
		assert_int_equal(pagemap_set(&m, page, i % 1000), 0);
		if (i % 5000)
			continue;
		pagemap_drop(&m, 100, 199);
		for (int k = 100; k < 200; k++)
			want[k] = -1;
	}
	for (int i = 0; i < RANGE; i++)
		assert_int_equal(pagemap_get(&m, (uint64_t)i), want[i]);
	while (pagemap_next(&m, &at, &page, &value)) {
		assert_int_equal(want[page], value);
		found++;
	}
	assert_int_equal(found, m.nr);
	assert_int_equal(pagemap_set(&m, PAGEMAP_PAGE_MAX, 3), 0);
	assert_int_equal(pagemap_get(&m, PAGEMAP_PAGE_MAX), 3);
	assert_int_equal(pagemap_set(&m, PAGEMAP_PAGE_MAX + 1, 3), 0);
	assert_int_equal(pagemap_get(&m, PAGEMAP_PAGE_MAX + 1), -1);
	pagemap_release(&m);
}

static void many_clusters(void **state)
{
	struct clusters c = { 0 };
	uint64_t page = 1;

	for (int i = 0; i < 200000; i++) {
		page = page * 6364136223846793005u + 1442695040888963407u;
		assert_int_equal(clusters_add(&c, page >> 13), 0);
		assert_true(c.nr <= CLUSTERS_MAX);
	}
	for (int i = 1; i < c.nr; i++)
		assert_true(c.run[i].first > c.run[i - 1].last + c.gap);
	clusters_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balancing_on),
		cmocka_unit_test(balancing_off),
		cmocka_unit_test(balancing_unknown),
		cmocka_unit_test(moves_of_two_tasks),
		cmocka_unit_test(exec_begins_anew),
		cmocka_unit_test(weights),
		cmocka_unit_test(holes_split),
		cmocka_unit_test(recorded_areas_divide),
		cmocka_unit_test(samples_at_rest_correct),
		cmocka_unit_test(samples_in_motion_do_not),
		cmocka_unit_test(queries_at_rest),
		cmocka_unit_test(recorded_area_after_exec),
		cmocka_unit_test(samples_only),
		cmocka_unit_test(held_from_the_start),
		cmocka_unit_test(who_accounts),
		cmocka_unit_test(unmapped),
		cmocka_unit_test(huge_pages),
		cmocka_unit_test(map_of_pages),
		cmocka_unit_test(many_clusters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
