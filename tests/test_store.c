/* SPDX-License-Identifier: MIT */
/* What was recorded, but for events, through the file and back. */
#include "tests/support/scratch.h"

#include "model/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* -- facts ---------------------------------------------------------------- */

static void test_capture(void **state)
{
	struct scratch *y = *state;
	struct capture in = {
		.source = (char *)"trace.dat v7",
		.kernel = (char *)"6.1.0-13-amd64", .arch = (char *)"x86_64",
		.clock = (char *)"mono", .tool = (char *)"homenode 0.1.0",
		.command = (char *)"hackbench -l 'x y' \xff",
		.page_size = 65536,
		.start_ns = INT64_MIN, .end_ns = INT64_MAX,
		.window_start_ns = -5, .window_end_ns = 5,
		.nr_cpus = 3000,
		.topology_known = true, .has_faults = true,
		.states = { .nr = 2, .flag = { { 0x80000000u, 'W' },
					       { 1, 'S' } },
			    .preempt_bit = 0x40000000 },
	}, got;
	struct err err = { 0 };

	OK(store_put_capture(y->s, &in, &err));
	in.kernel = (char *)"6.1.0-14-amd64";	/* the last word counts */
	OK(store_put_capture(y->s, &in, &err));
	scratch_reopen(y, STORE_READ);
	OK(store_get_capture(y->s, &got, &err));
	assert_string_equal(got.source, in.source);
	assert_string_equal(got.kernel, in.kernel);
	assert_string_equal(got.arch, in.arch);
	assert_string_equal(got.clock, in.clock);
	assert_string_equal(got.tool, in.tool);
	assert_string_equal(got.command, in.command);
	assert_true(got.page_size == 65536 && got.nr_cpus == 3000);
	assert_true(got.start_ns == INT64_MIN && got.end_ns == INT64_MAX);
	assert_true(got.window_start_ns == -5 && got.window_end_ns == 5);
	assert_true(got.topology_known && got.has_faults);
	assert_int_equal(got.states.nr, 2);
	assert_true(got.states.flag[0].bit == 0x80000000u);
	assert_int_equal(got.states.flag[0].letter, 'W');
	assert_int_equal(got.states.flag[1].letter, 'S');
	assert_true(got.states.preempt_bit == 0x40000000);
	capture_release(&got);
}

static void test_no_capture(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };
	struct capture c;

	scratch_reopen(y, STORE_READ);
	assert_int_equal(store_get_capture(y->s, &c, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "x.hn': damaged: it holds no "
			       "capture"));
	capture_release(&c);
}

/* Nodes 0, 8 and 9 (no CPUs, no memory known), CPU 5 missing, CPU 6 off. */
static void test_topo(void **state)
{
	struct scratch *y = *state;
	struct topo t = { 0 }, got;
	struct err err = { 0 };
	static const int node_of[] = { 0, 0, 8, 8, 8, -1, 8 };

	OK(topo_add_node(&t, 0, &err));
	OK(topo_add_node(&t, 8, &err));
	OK(topo_add_node(&t, 9, &err));
	t.node[0].mem_bytes = 0;
	t.node[8].mem_bytes = 17179869184;
	t.node[9].mem_bytes = -1;
	t.node[9].online = false;
	for (int i = 0; i < 7; i++) {
		if (node_of[i] < 0)
			continue;
		OK(topo_add_cpu(&t, i, node_of[i], &err));
		t.cpu[i].online = i != 6;
		t.cpu[i].package = node_of[i] / 8;
		t.cpu[i].llc = 10 + node_of[i];
		t.cpu[i].core = i / 2;
		t.cpu[i].smt = i % 2;
	}
	t.distance[0 * t.nr_node_ids + 8] = 21;
	t.distance[8 * t.nr_node_ids + 0] = 22;
	OK(topo_finish(&t, &err));
	OK(store_put_topo(y->s, &t, &err));
	scratch_reopen(y, STORE_READ);
	OK(store_get_topo(y->s, &got, &err));
	assert_int_equal(got.nr_node_ids, 10);
	assert_int_equal(got.nr_cpu_ids, 7);
	for (int n = 0; n < 10; n++) {
		assert_int_equal(got.node[n].present, n == 0 || n >= 8);
		if (!got.node[n].present)
			continue;
		assert_true(got.node[n].mem_bytes == t.node[n].mem_bytes);
		assert_int_equal(got.node[n].online, n != 9);
		assert_int_equal(got.node[n].nr_cpus, t.node[n].nr_cpus);
	}
	for (int i = 0; i < 7; i++) {
		assert_int_equal(got.cpu[i].present, i != 5);
		if (i == 5)
			continue;
		assert_int_equal(got.cpu[i].online, i != 6);
		assert_int_equal(got.cpu[i].node, node_of[i]);
		assert_int_equal(got.cpu[i].package, node_of[i] / 8);
		assert_int_equal(got.cpu[i].llc, t.cpu[i].llc);
		assert_int_equal(got.cpu[i].core, i / 2);
		assert_int_equal(got.cpu[i].smt, i % 2);
		assert_int_equal(got.cpu[i].die, t.cpu[i].die);
	}
	assert_int_equal(topo_distance(&got, 0, 8), 21);
	assert_int_equal(topo_distance(&got, 8, 0), 22);
	assert_int_equal(topo_distance(&got, 9, 9), 10);
	topo_release(&t);
	topo_release(&got);
}

struct text {
	char buf[500];
	int stop_after;
};

static int note_text(void *ctx, const char *name, const char *value)
{
	struct text *t = ctx;

	snprintf(t->buf + strlen(t->buf), sizeof(t->buf) - strlen(t->buf),
		 "%s=%s;", name, value);
	return --t->stop_after == 0 ? 7 : 0;
}

static int note_count(void *ctx, const char *name, int64_t count)
{
	char value[32];

	snprintf(value, sizeof(value), "%lld", (long long)count);
	return note_text(ctx, name, value);
}

static void test_named(void **state)
{
	struct scratch *y = *state;
	struct text knobs = { "", 0 }, one = { "", 1 }, repairs = { "", 0 },
		    skipped = { "", 0 };
	struct err err = { 0 };

	OK(store_put_knob(y->s, "vm.zone_reclaim_mode", "0", &err));
	OK(store_put_knob(y->s, "kernel.numa_balancing", "0", &err));
	OK(store_put_knob(y->s, "kernel.numa_balancing", "1", &err));
	OK(store_put_repair(y->s, "backward_time", 3, &err));
	OK(store_put_repair(y->s, "backward_time", 4, &err));
	OK(store_put_skipped(y->s, "sys_enter", 5000000000, &err));
	OK(store_put_skipped(y->s, "irq_handler_entry", 1, &err));
	scratch_reopen(y, STORE_READ);
	OK(store_each_knob(y->s, note_text, &knobs, &err));
	assert_string_equal(knobs.buf, "kernel.numa_balancing=1;"
			    "vm.zone_reclaim_mode=0;");
	assert_int_equal(store_each_knob(y->s, note_text, &one, &err), 7);
	assert_string_equal(one.buf, "kernel.numa_balancing=1;");
	OK(store_each_repair(y->s, note_count, &repairs, &err));
	assert_string_equal(repairs.buf, "backward_time=7;");
	OK(store_each_skipped(y->s, note_count, &skipped, &err));
	assert_string_equal(skipped.buf,
			    "irq_handler_entry=1;sys_enter=5000000000;");
}

static void test_losses(void **state)
{
	static const struct loss in[] = {
		{ 3, 200, 300, 10 }, { 1, 100, 150, -1 }, { 1, 100, 150, 4 },
		{ 3, 200, 300, 5 }, { 2, 200, 300, 0 },
	};
	struct scratch *y = *state;
	struct err err = { 0 };
	struct loss *l;
	int nr;

	for (int i = 0; i < 5; i++)
		OK(store_put_loss(y->s, &in[i], &err));
	scratch_reopen(y, STORE_READ);
	OK(store_get_loss(y->s, &l, &nr, &err));
	assert_int_equal(nr, 3);
	assert_true(l[0].cpu == 1 && l[0].from_ns == 100 &&
		    l[0].to_ns == 150 && l[0].events == -1);
	assert_true(l[1].cpu == 2 && l[1].events == 0);
	assert_true(l[2].cpu == 3 && l[2].events == 15);
	free(l);
}

static void test_tasks(void **state)
{
	struct scratch *y = *state;
	struct tasks t = { 0 }, got;
	struct err err = { 0 };
	struct task *k;

	k = tasks_add(&t, 4194303, 77);
	k->pid = 4194000;
	k->end_ns = 99;
	k->flags = TASK_F_BORN_BEFORE | TASK_F_KTHREAD;
	k->nice = -20;
	OK(cpumask_parse(&k->affinity, "0-3,900", &err));
	free(k->comm);
	k->comm = strdup("\x01 'q\xff\"");
	k->cgroup = strdup("/system.slice/x");
	k->nspid = strdup("4194303 17");
	k = tasks_add(&t, 4194303, 200);
	k->parent = 0;
	OK(store_put_tasks(y->s, &t, &err));
	scratch_reopen(y, STORE_READ);
	OK(store_get_tasks(y->s, &got, &err));
	assert_int_equal(got.nr, 2);
	k = &got.task[0];
	assert_true(k->id == 0 && k->tid == 4194303 && k->pid == 4194000);
	assert_true(k->parent == TASK_NONE && k->start_ns == 77 &&
		    k->end_ns == 99);
	assert_int_equal(k->flags, TASK_F_BORN_BEFORE | TASK_F_KTHREAD);
	assert_int_equal(k->nice, -20);
	assert_true(cpumask_equal(&k->affinity, &t.task[0].affinity));
	assert_string_equal(k->comm, "\x01 'q\xff\"");
	assert_string_equal(k->cgroup, "/system.slice/x");
	assert_string_equal(k->nspid, "4194303 17");
	k = &got.task[1];
	assert_true(k->id == 1 && k->pid == -1 && k->parent == 0);
	assert_true(k->end_ns == -1 && k->nice == NICE_UNKNOWN && !k->flags);
	assert_true(cpumask_empty(&k->affinity));
	assert_string_equal(k->comm, "");
	assert_null(k->cgroup);
	assert_null(k->nspid);
	assert_int_equal(tasks_find(&got, 4194303, 150), 0);
	assert_int_equal(tasks_find(&got, 4194303, 250), 1);
	tasks_release(&t);
	tasks_release(&got);
}

static void test_areas(void **state)
{
	struct scratch *y = *state;
	struct areas a = { 0 }, got;
	struct err err = { 0 };
	struct area *x;

	scratch_world(y->s, 3, 0);
	x = areas_add(&a, 2);
	x->kind = AREA_FILE;
	x->start = 0xffffffffff600000u;
	x->bytes = UINT64_MAX;
	free(x->name);
	x->name = strdup("/a b\n\xff");
	assert_non_null(areas_add(&a, 0));
	OK(store_put_areas(y->s, &a, &err));
	scratch_reopen(y, STORE_READ);
	OK(store_get_areas(y->s, &got, &err));
	assert_int_equal(got.nr, 2);
	x = &got.area[0];
	assert_true(x->id == 0 && x->proc == 2 && x->kind == AREA_FILE);
	assert_true(x->start == 0xffffffffff600000u && x->bytes == UINT64_MAX);
	assert_string_equal(x->name, "/a b\n\xff");
	assert_true(got.area[1].id == 1 && got.area[1].proc == 0);
	assert_string_equal(got.area[1].name, "");
	areas_release(&a);
	areas_release(&got);
}

/* Areas that were inferred are numbered on from the recorded ones, and are gone
 * with all that is derived; a reader keeps them to itself. */
static void test_derived_areas(void **state)
{
	struct scratch *y = *state;
	struct areas a = { 0 };
	struct err err = { 0 };

	scratch_world(y->s, 1, 2);
	scratch_reopen(y, STORE_READ);
	OK(store_get_areas(y->s, &a, &err));
	assert_int_equal(a.nr, 2);
	for (int i = 0; i < 3; i++)
		areas_add(&a, 0)->kind = AREA_INFERRED;
	OK(store_put_derived_areas(y->s, &a, 2, &err));
	areas_release(&a);
	OK(store_get_areas(y->s, &a, &err));
	assert_int_equal(a.nr, 5);
	assert_int_equal(a.area[1].kind, AREA_ANON);
	assert_int_equal(a.area[4].kind, AREA_INFERRED);
	store_close(y->s);
	OK(store_open(&y->s, scratch_path(y), STORE_WRITE, &err));
	OK(store_put_derived_areas(y->s, &a, 2, &err));
	areas_release(&a);
	OK(store_get_areas(y->s, &a, &err));
	assert_int_equal(a.nr, 5);
	areas_release(&a);
	OK(store_drop_derived(y->s, &err));
	OK(store_get_areas(y->s, &a, &err));
	assert_int_equal(a.nr, 2);
	areas_release(&a);
}

static void test_placements(void **state)
{
	static const struct placement in[] = {
		{ 200, 1, 0, 7, 'm' }, { 100, 1, 3, 9, 'q' },
		{ 100, 1, -1, 0, 'm' }, { 200, 1, 2, INT64_MAX, 'm' },
		{ 100, 0, 3, 8, 'q' },
	};
	static const int order[] = { 4, 2, 1, 0, 3 };
	struct store_placements *it;
	struct scratch *y = *state;
	struct err err = { 0 };
	struct placement p;

	scratch_world(y->s, 1, 2);
	for (int i = 0; i < 5; i++)
		OK(store_put_placement(y->s, &in[i], &err));
	scratch_reopen(y, STORE_READ);
	assert_int_equal(store_nr_placements(y->s), 4);
	OK(store_placements_open(y->s, &it, &err));
	for (int i = 0; i < 5; i++) {
		const struct placement *want = &in[order[i]];

		assert_int_equal(store_placements_next(it, &p, &err), 1);
		assert_true(p.ts == want->ts && p.area == want->area &&
			    p.node == want->node && p.pages == want->pages &&
			    p.source == want->source);
	}
	assert_int_equal(store_placements_next(it, &p, &err), 0);
	store_placements_close(it);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_capture),
		SCRATCH_TEST(test_no_capture),
		SCRATCH_TEST(test_topo),
		SCRATCH_TEST(test_named),
		SCRATCH_TEST(test_losses),
		SCRATCH_TEST(test_tasks),
		SCRATCH_TEST(test_areas),
		SCRATCH_TEST(test_derived_areas),
		SCRATCH_TEST(test_placements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
