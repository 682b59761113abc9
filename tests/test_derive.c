/* SPDX-License-Identifier: MIT */
/*
 * Run 0 and the demand made from a file: what is in it, that it is made once,
 * that a file opened for reading stays as it is, that stopping leaves nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cost.h"
#include "model/err.h"
#include "schema/derive.h"
#include "tests/support/demand_check.h"
#include "tests/support/events_text.h"
#include "tests/support/folder.h"

/* Task 1 (pid 1) runs, is woken by 2, touches two pages; CPU c is on node c. */
static const char events[] =
	"start 1000; 1100 0 1 fault 16 6; 1200 0 1 switch S 0;"
	"1300 1 0 switch R 2; 1400 1 2 waking 1; 1450 0 0 switch R 1;"
	"1500 0 1 fault 17 6; 1600 0 1 switch R 0; 1650 1 2 waking 3 h;"
	"1700 1 2 switch S 1; 5001000 1 1 fault 16 4; 5001100 1 1 pages 1 0;"
	"6001000 1 1 switch X 0";

struct file {
	char *folder;
	char path[300];
	struct events_text ev;
};

static void put_events(struct file *f, struct store *s, struct err *err)
{
	char empty[] = "", mono[] = "mono";
	const struct capture c = {
		.source = empty, .kernel = empty, .arch = empty,
		.clock = mono, .tool = empty, .command = empty,
		.page_size = 4096, .start_ns = f->ev.start_ns,
		.end_ns = f->ev.end_ns, .nr_cpus = 2, .has_faults = true,
		.states = state_table_default,
	};
	struct topo t = { 0 };

	for (int n = 0; n < 2; n++) {
		assert_int_equal(topo_add_node(&t, n, err), 0);
		assert_int_equal(topo_add_cpu(&t, n, n, err), 0);
	}
	assert_int_equal(topo_finish(&t, err), 0);
	assert_int_equal(store_put_capture(s, &c, err), 0);
	assert_int_equal(store_put_topo(s, &t, err), 0);
	f->ev.tasks.task[1].flags |= TASK_F_COMMAND;
	assert_int_equal(store_put_tasks(s, &f->ev.tasks, err), 0);
	assert_int_equal(store_put_knob(s, "kernel.numa_balancing", "1", err),
			 0);
	for (size_t i = 0; i < f->ev.nr; i++)
		assert_int_equal(store_put_event(s, &f->ev.event[i], err), 0);
	topo_release(&t);
}

static int make(void **state)
{
	struct file *f = calloc(1, sizeof(*f));
	struct err err = { 0 };
	struct store *s;

	assert_non_null(f);
	*state = f;
	f->folder = folder_new();
	snprintf(f->path, sizeof(f->path), "%s", folder_path(f->folder, "f"));
	events_text_parse(&f->ev, events);
	assert_int_equal(store_create(&s, f->path, false, &err), 0);
	assert_int_equal(store_begin(s, &err), 0);
	put_events(f, s, &err);
	assert_int_equal(store_end(s, &err), 0);
	assert_int_equal(store_commit(s, &err), 0);
	store_close(s);
	return 0;
}

static int unmake(void **state)
{
	struct file *f = *state;

	events_text_release(&f->ev);
	folder_remove(f->folder);
	free(f);
	return 0;
}

static struct store *reopen(struct file *f, enum store_mode mode)
{
	struct err err = { 0 };
	struct store *s;

	assert_int_equal(store_open(&s, f->path, mode, &err), 0);
	return s;
}

static void read_spans(struct store *s, struct span_list *l)
{
	struct err err = { 0 };
	struct store_spans *it;
	struct span sp;

	assert_int_equal(store_spans_open(s, 0, INT64_MIN, INT64_MAX, &it,
					  &err), 0);
	while (store_spans_next(it, &sp, &err) > 0)
		span_list_add(l, &sp);
	assert_int_equal(err.code, 0);
	store_spans_close(it);
}

static int note_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	char *text = ctx;

	sprintf(text + strlen(text), "%lld %d:%d=%lld;", (long long)m->ts,
		m->area, m->node, (long long)m->pages);
	return 0;
}

static int note_access(void *ctx, const struct mem_access *a, struct err *err)
{
	char *text = ctx;

	sprintf(text + strlen(text), "t%d a%d %lld;", a->task, a->area,
		(long long)a->faults);
	return 0;
}

static int64_t count_of(struct store *s, const char *name)
{
	struct err err = { 0 };
	int64_t n;

	assert_int_equal(store_get_count(s, 0, name, &n, &err), 0);
	return n;
}

static void expect_run0(struct store *s)
{
	/* task, cpu, start, end: by hand from the events */
	static const int64_t want[][4] = {
		{ 0, 0, 1000, 1200 }, { 0, 0, 1450, 1600 },
		{ 1, 1, 1300, 1700 }, { 0, 1, 1700, 6001000 },
	};
	struct span_list l = { 0 };
	struct err err = { 0 };
	struct areas areas;
	char text[400] = "";

	read_spans(s, &l);
	assert_int_equal(l.nr, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(l.span[i].task, want[i][0]);
		assert_int_equal(l.span[i].cpu, want[i][1]);
		assert_int_equal(l.span[i].start_ns, want[i][2]);
		assert_int_equal(l.span[i].end_ns, want[i][3]);
	}
	span_list_release(&l);
	assert_int_equal(store_each_mem(s, 0, note_mem, text, &err), 0);
	/* Two pages in the first millisecond, one moved in the sixth. */
	assert_string_equal(text, "1001000 0:0=2;6001000 0:0=1;"
			    "6001000 0:1=1;");
	*text = '\0';
	assert_int_equal(store_each_access(s, 0, note_access, text, &err), 0);
	assert_string_equal(text, "t0 a0 3;");
	assert_int_equal(store_get_areas(s, &areas, &err), 0);
	assert_int_equal(areas.nr, 1);
	assert_int_equal(areas.area[0].kind, AREA_INFERRED);
	assert_int_equal(areas.area[0].start, 16 * 4096);
	areas_release(&areas);
	assert_int_equal(count_of(s, "migrations"), 1);
	assert_int_equal(count_of(s, "node_migrations"), 1);
	assert_int_equal(count_of(s, "cpu_ns"), 200 + 150 + 400 + 5999300);
	assert_int_equal(count_of(s, "pages_moved"), 1);
	/* Task 1 is the command: it went off at 1700. */
	assert_int_equal(count_of(s, "elapsed_ns"), 700);
	assert_int_equal(count_of(s, "repair_two_cpus"), 0);
}

static int steps(void *ctx, double done)
{
	++*(int *)ctx;
	assert_true(done >= 0 && done <= 1);
	return 0;
}

static int stop(void *ctx, double done)
{
	return 1;
}

static void run0(void **state)
{
	struct store *s = reopen(*state, STORE_WRITE);
	struct err err = { 0 };
	int calls = 0;

	assert_int_equal(derive_run0(s, steps, &calls, &err), 0);
	assert_true(calls > 0);
	expect_run0(s);
	calls = 0;
	assert_int_equal(derive_run0(s, steps, &calls, &err), 0);
	assert_int_equal(calls, 0);
	store_close(s);
	s = reopen(*state, STORE_READ);
	assert_int_equal(derive_run0(s, steps, &calls, &err), 0);
	assert_int_equal(calls, 0);
	expect_run0(s);
	store_close(s);
}

static void for_reading(void **state)
{
	struct file *f = *state;
	struct err err = { 0 };
	struct run_info *runs;
	struct store *s;
	size_t before, after;
	uint8_t *a = file_read(f->path, &before), *b;
	int nr;

	s = reopen(f, STORE_READ);
	assert_int_equal(derive_run0(s, NULL, NULL, &err), 0);
	expect_run0(s);
	assert_int_equal(store_get_runs(s, &runs, &nr, &err), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(runs[0].policy, "recorded");
	assert_int_equal(runs[0].start_ns, 1000);
	assert_int_equal(runs[0].end_ns, 6001000);
	run_info_release(&runs[0]);
	free(runs);
	store_close(s);
	b = file_read(f->path, &after);
	assert_int_equal(before, after);
	assert_memory_equal(a, b, before);
	free(a);
	free(b);
}

static void expect_demand(struct store *s)
{
	struct span_list l = { 0 };
	struct demand_source src;
	struct demand_task *tasks;
	struct err err = { 0 };
	char why[300] = "";
	int nr;

	read_spans(s, &l);
	assert_int_equal(store_get_demand_tasks(s, &tasks, &nr, &err), 0);
	assert_int_equal(nr, 3);
	store_demand_source(s, &src);
	if (demand_check(tasks, nr, &src, &l, why, sizeof(why)))
		fail_msg("%s", why);
	store_demand_source_close(s, &src);
	free(tasks);
	span_list_release(&l);
}

static void demand(void **state)
{
	static const enum store_mode modes[] = { STORE_READ, STORE_WRITE };

	for (int i = 0; i < 2; i++) {
		struct store *s = reopen(*state, modes[i]);
		struct err err = { 0 };
		struct cost cost;
		struct topo t;
		int calls = 0;

		assert_int_equal(store_get_topo(s, &t, &err), 0);
		assert_int_equal(cost_init(&cost, &t, &err), 0);
		assert_int_equal(derive_demand(s, &cost, steps, &calls, &err),
				 0);
		assert_true(calls > 0);
		expect_run0(s);
		expect_demand(s);
		calls = 0;
		assert_int_equal(derive_demand(s, &cost, steps, &calls, &err),
				 0);
		assert_int_equal(calls, 0);
		assert_int_equal(cost_parse(&cost, "remote=3", &err), 0);
		assert_int_equal(derive_demand(s, &cost, steps, &calls, &err),
				 0);
		assert_true(calls > 0);
		expect_demand(s);
		expect_run0(s);
		cost_release(&cost);
		topo_release(&t);
		store_close(s);
	}
}

static void stopped(void **state)
{
	struct store *s = reopen(*state, STORE_WRITE);
	struct err err = { 0 };
	struct run_info *runs;
	int nr;

	assert_int_equal(derive_run0(s, stop, NULL, &err), ERR_STOPPED);
	err.code = 0;
	assert_int_equal(store_get_runs(s, &runs, &nr, &err), 0);
	assert_int_equal(nr, 0);
	free(runs);
	assert_int_equal(derive_run0(s, NULL, NULL, &err), 0);
	expect_run0(s);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(run0, make, unmake),
		cmocka_unit_test_setup_teardown(for_reading, make, unmake),
		cmocka_unit_test_setup_teardown(demand, make, unmake),
		cmocka_unit_test_setup_teardown(stopped, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
