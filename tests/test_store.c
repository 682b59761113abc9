/* SPDX-License-Identifier: MIT */
/* Everything but events through the file and back: facts, runs, demand. */
#include "schema/store.h"

#include "model/err.h"
#include "tests/support/folder.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#define OK(call) do { \
		int rc_ = (call); \
		if (rc_) \
			fail_msg("%s: %d %s", #call, rc_, err.text); \
	} while (0)

struct fixture {
	char *folder;
	struct store *s;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = { 0 };

	f->folder = folder_new();
	*state = f;
	return store_create(&f->s, folder_path(f->folder, "x.hn"), false,
			    &err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	store_close(f->s);
	folder_remove(f->folder);
	free(f);
	return 0;
}

static void reopen(struct fixture *f, enum store_mode mode)
{
	struct err err = { 0 };

	OK(store_commit(f->s, &err));
	store_close(f->s);
	OK(store_open(&f->s, folder_path(f->folder, "x.hn"), mode, &err));
}

/* -- facts ---------------------------------------------------------------- */

static void test_capture(void **state)
{
	struct fixture *f = *state;
	struct capture in = {
		.source = "trace.dat v7", .kernel = "6.1.0-13-amd64",
		.arch = "x86_64", .clock = "mono", .tool = "homenode 0.1.0",
		.command = "hackbench -l 'x y' \xff", .page_size = 65536,
		.start_ns = INT64_MIN, .end_ns = INT64_MAX,
		.window_start_ns = -5, .window_end_ns = 5, .nr_cpus = 3000,
		.topology_known = true, .has_faults = true,
		.states = { .nr = 2, .flag = { { 0x80000000u, 'W' },
					       { 1, 'S' } },
			    .preempt_bit = 0x40000000 },
	}, got;
	struct err err = { 0 };

	OK(store_put_capture(f->s, &in, &err));
	in.kernel = "6.1.0-14-amd64";		/* the last word counts */
	OK(store_put_capture(f->s, &in, &err));
	reopen(f, STORE_READ);
	OK(store_get_capture(f->s, &got, &err));
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
	struct fixture *f = *state;
	struct err err = { 0 };
	struct capture c;

	reopen(f, STORE_READ);
	assert_int_equal(store_get_capture(f->s, &c, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "x.hn': damaged: it holds no capture"));
	capture_release(&c);
}

/* Nodes 0, 8 and 9 (no CPUs, no memory known), CPU 5 missing, CPU 6 off. */
static void test_topo(void **state)
{
	struct fixture *f = *state;
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
	OK(store_put_topo(f->s, &t, &err));
	reopen(f, STORE_READ);
	OK(store_get_topo(f->s, &got, &err));
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
	struct fixture *f = *state;
	struct text knobs = { "", 0 }, one = { "", 1 }, repairs = { "", 0 },
		    skipped = { "", 0 };
	struct err err = { 0 };

	OK(store_put_knob(f->s, "vm.zone_reclaim_mode", "0", &err));
	OK(store_put_knob(f->s, "kernel.numa_balancing", "0", &err));
	OK(store_put_knob(f->s, "kernel.numa_balancing", "1", &err));
	OK(store_put_repair(f->s, "backward_time", 3, &err));
	OK(store_put_repair(f->s, "backward_time", 4, &err));
	OK(store_put_skipped(f->s, "sys_enter", 5000000000, &err));
	OK(store_put_skipped(f->s, "irq_handler_entry", 1, &err));
	reopen(f, STORE_READ);
	OK(store_each_knob(f->s, note_text, &knobs, &err));
	assert_string_equal(knobs.buf, "kernel.numa_balancing=1;"
			    "vm.zone_reclaim_mode=0;");
	assert_int_equal(store_each_knob(f->s, note_text, &one, &err), 7);
	assert_string_equal(one.buf, "kernel.numa_balancing=1;");
	OK(store_each_repair(f->s, note_count, &repairs, &err));
	assert_string_equal(repairs.buf, "backward_time=7;");
	OK(store_each_skipped(f->s, note_count, &skipped, &err));
	assert_string_equal(skipped.buf,
			    "irq_handler_entry=1;sys_enter=5000000000;");
}

static void test_losses(void **state)
{
	static const struct loss in[] = {
		{ 3, 200, 300, 10 }, { 1, 100, 150, -1 }, { 1, 100, 150, 4 },
		{ 3, 200, 300, 5 }, { 2, 200, 300, 0 },
	};
	struct fixture *f = *state;
	struct err err = { 0 };
	struct loss *l;
	int nr;

	for (int i = 0; i < 5; i++)
		OK(store_put_loss(f->s, &in[i], &err));
	reopen(f, STORE_READ);
	OK(store_get_loss(f->s, &l, &nr, &err));
	assert_int_equal(nr, 3);
	assert_true(l[0].cpu == 1 && l[0].from_ns == 100 &&
		    l[0].to_ns == 150 && l[0].events == -1);
	assert_true(l[1].cpu == 2 && l[1].events == 0);
	assert_true(l[2].cpu == 3 && l[2].events == 15);
	free(l);
}

static void test_tasks(void **state)
{
	struct fixture *f = *state;
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
	OK(store_put_tasks(f->s, &t, &err));
	reopen(f, STORE_READ);
	OK(store_get_tasks(f->s, &got, &err));
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

/* So many tasks that rows of runs and areas may name them. */
static void put_world(struct store *s, int nr_tasks, int nr_areas)
{
	struct tasks t = { 0 };
	struct areas a = { 0 };
	struct err err = { 0 };

	for (int i = 0; i < nr_tasks; i++)
		assert_non_null(tasks_add(&t, 100 + i, 0));
	for (int i = 0; i < nr_areas; i++)
		assert_non_null(areas_add(&a, 0));
	OK(store_put_tasks(s, &t, &err));
	OK(store_put_areas(s, &a, &err));
	tasks_release(&t);
	areas_release(&a);
}

static void test_areas(void **state)
{
	struct fixture *f = *state;
	struct areas a = { 0 }, got;
	struct err err = { 0 };
	struct area *x;

	put_world(f->s, 3, 0);
	x = areas_add(&a, 2);
	x->kind = AREA_FILE;
	x->start = 0xffffffffff600000u;
	x->bytes = UINT64_MAX;
	free(x->name);
	x->name = strdup("/a b\n\xff");
	assert_non_null(areas_add(&a, 0));
	OK(store_put_areas(f->s, &a, &err));
	reopen(f, STORE_READ);
	OK(store_get_areas(f->s, &got, &err));
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

static void test_placements(void **state)
{
	static const struct placement in[] = {
		{ 200, 1, 0, 7, 'm' }, { 100, 1, 3, 9, 'q' },
		{ 100, 1, -1, 0, 'm' }, { 200, 1, 2, INT64_MAX, 'm' },
		{ 100, 0, 3, 8, 'q' },
	};
	static const int order[] = { 4, 2, 1, 0, 3 };
	struct store_placements *it;
	struct fixture *f = *state;
	struct err err = { 0 };
	struct placement p;

	put_world(f->s, 1, 2);
	for (int i = 0; i < 5; i++)
		OK(store_put_placement(f->s, &in[i], &err));
	reopen(f, STORE_READ);
	assert_int_equal(store_nr_placements(f->s), 4);
	OK(store_placements_open(f->s, &it, &err));
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

/* -- runs ----------------------------------------------------------------- */

struct rng {
	uint64_t x;
};

static int below(struct rng *r, int n)
{
	r->x ^= r->x << 13;
	r->x ^= r->x >> 7;
	r->x ^= r->x << 17;
	return (int)(r->x % (uint64_t)n);
}

/* The n-th span of a made-up run: ends grow, the length is up to 5000 ns, every
 * 1500th is long. */
static struct span nth_span(int run, int n)
{
	struct rng r = { (uint64_t)(run * 100000 + n) * 2654435761u + 1 };
	struct span sp = {
		.task = below(&r, 50),
		.cpu = below(&r, 300) - 1,
		.end_ns = 1000000 + 100 * (int64_t)n,
		.ready_ns = -1,
		.waker = TASK_NONE,
		.state = (uint8_t)below(&r, STATE_OTHER + 1),
		.flags = (uint8_t)below(&r, 16),
	};

	sp.start_ns = sp.end_ns - below(&r, 5000);
	if (n % 1500 == 1499)
		sp.start_ns = sp.end_ns - 100000;
	if (below(&r, 2)) {
		sp.ready_ns = sp.start_ns - below(&r, 1000000);
		sp.waker = below(&r, 50);
	}
	return sp;
}

static void assert_span(const struct span *a, const struct span *b)
{
	assert_true(a->task == b->task && a->cpu == b->cpu);
	assert_true(a->start_ns == b->start_ns && a->end_ns == b->end_ns);
	assert_true(a->ready_ns == b->ready_ns && a->waker == b->waker);
	assert_true(a->state == b->state && a->flags == b->flags);
}

static void put_run(struct store *s, int id, int nr_spans)
{
	struct run_info info = { .id = id, .policy = "o1", .seed = UINT64_MAX,
				 .knobs = "{\"a\":1}", .cost = "{}",
				 .discipline = "queue_o1", .fidelity = NULL,
				 .start_ns = 5, .end_ns = 6 };
	struct mem_change m = { 1000, 1, 3, 77 };
	struct mem_access a = { 49, 1, 5000000000 };
	struct move v = { 2000, 3, 0, 299, MOVE_PUSH, 1 };
	struct err err = { 0 };
	struct run_sink sink;

	OK(store_run_begin(s, &info, &sink, &err));
	for (int n = 0; n < nr_spans; n++) {
		struct span sp = nth_span(info.id, n);

		OK(sink.span(sink.ctx, &sp, &err));
	}
	OK(sink.mem(sink.ctx, &m, &err));
	m.pages = 0;
	OK(sink.mem(sink.ctx, &m, &err));
	OK(sink.access(sink.ctx, &a, &err));
	OK(sink.move(sink.ctx, &v, &err));
	v.why = MOVE_RECORDED;
	v.refused = 0;
	v.from = -1;
	OK(sink.move(sink.ctx, &v, &err));
	OK(sink.count(sink.ctx, "migrations", 17, &err));
	OK(sink.count(sink.ctx, "migrations", 1, &err));
	OK(store_run_end(s, &info, &err));
}

static void check_window(struct store *s, int run, int nr, int64_t from,
			 int64_t to)
{
	struct store_spans *it;
	struct err err = { 0 };
	struct span sp;

	OK(store_spans_open(s, run, from, to, &it, &err));
	for (int n = 0; n < nr; n++) {
		struct span want = nth_span(run, n);

		if (want.end_ns <= from || want.start_ns >= to)
			continue;
		assert_int_equal(store_spans_next(it, &sp, &err), 1);
		assert_span(&want, &sp);
	}
	assert_int_equal(store_spans_next(it, &sp, &err), 0);
	store_spans_close(it);
}

static void check_spans(struct store *s, int run, int nr)
{
	int64_t end = 1000000 + 100 * (int64_t)nr;

	check_window(s, run, nr, INT64_MIN, INT64_MAX);
	check_window(s, run, nr, 0, 10);
	check_window(s, run, nr, 1000000, 1000001);
	check_window(s, run, nr, 1100000, 1100100);
	check_window(s, run, nr, end - 150000, end - 149000);
	check_window(s, run, nr, end, INT64_MAX);
}

static int count_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	int *n = ctx;

	assert_true(m->ts == 1000 && m->area == 1 && m->node == 3);
	assert_int_equal(m->pages, (*n)++ ? 0 : 77);
	return 0;
}

static int count_access(void *ctx, const struct mem_access *a,
			struct err *err)
{
	int *n = ctx;

	assert_true(a->task == 49 && a->area == 1 && a->faults == 5000000000);
	(*n)++;
	return 0;
}

static int count_move(void *ctx, const struct move *m, struct err *err)
{
	int *n = ctx;

	assert_true(m->ts == 2000 && m->task == 3 && m->to == 299);
	if ((*n)++)
		assert_true(m->why == MOVE_RECORDED && !m->refused &&
			    m->from == -1);
	else
		assert_true(m->why == MOVE_PUSH && m->refused && m->from == 0);
	return 0;
}

static int stop_move(void *ctx, const struct move *m, struct err *err)
{
	return err_set(err, ERR_STOPPED, "enough");
}

static void check_run(struct store *s, int run, int nr_spans)
{
	int mems = 0, accesses = 0, moves = 0;
	struct err err = { 0 };
	int64_t count;

	check_spans(s, run, nr_spans);
	OK(store_each_mem(s, run, count_mem, &mems, &err));
	OK(store_each_access(s, run, count_access, &accesses, &err));
	OK(store_each_move(s, run, count_move, &moves, &err));
	assert_true(mems == 2 && accesses == 1 && moves == 2);
	OK(store_get_count(s, run, "migrations", &count, &err));
	assert_int_equal(count, 18);
	OK(store_get_count(s, run, "refused", &count, &err));
	assert_int_equal(count, 0);
	assert_int_equal(store_each_move(s, run, stop_move, NULL, &err),
			 ERR_STOPPED);
}

static void assert_runs(struct store *s, const char *ids)
{
	struct run_info *runs;
	struct err err = { 0 };
	char got[100] = "";
	int nr;

	OK(store_get_runs(s, &runs, &nr, &err));
	for (int i = 0; i < nr; i++) {
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%d ",
			 runs[i].id);
		assert_string_equal(runs[i].policy, "o1");
		assert_string_equal(runs[i].knobs, "{\"a\":1}");
		assert_string_equal(runs[i].cost, "{}");
		assert_string_equal(runs[i].discipline, "queue_o1");
		assert_null(runs[i].fidelity);
		assert_true(runs[i].seed == UINT64_MAX);
		assert_true(runs[i].start_ns == 5 && runs[i].end_ns == 6);
		run_info_release(&runs[i]);
	}
	free(runs);
	assert_string_equal(got, ids);
}

static void test_runs(void **state)
{
	struct run_info again = { .id = 1 };
	struct fixture *f = *state;
	struct run_sink sink;
	struct err err = { 0 };

	put_world(f->s, 50, 2);
	put_run(f->s, 0, 5000);
	put_run(f->s, -1, 1024);	/* becomes 1 */
	reopen(f, STORE_WRITE);
	put_run(f->s, -1, 1025);
	put_run(f->s, -1, 0);
	assert_runs(f->s, "0 1 2 3 ");
	check_run(f->s, 0, 5000);
	check_run(f->s, 1, 1024);
	check_run(f->s, 2, 1025);
	check_run(f->s, 3, 0);
	assert_int_equal(store_run_begin(f->s, &again, &sink, &err),
			 ERR_EXISTS);
	err.code = 0;
	OK(store_run_drop(f->s, 1, &err));
	assert_int_equal(store_run_drop(f->s, 1, &err), ERR_NOTFOUND);
	err.code = 0;
	put_run(f->s, 1, 3);
	check_run(f->s, 1, 3);
	check_run(f->s, 0, 5000);
	check_run(f->s, 2, 1025);
	OK(store_drop_derived(f->s, &err));
	assert_runs(f->s, "");
}

/* Two runs written at the same time, one of them given up. */
static void test_runs_side_by_side(void **state)
{
	struct run_info a = { .id = -1, .policy = "a" }, b = a;
	struct fixture *f = *state;
	struct run_info *runs;
	struct run_sink sa, sb;
	struct err err = { 0 };
	struct span sp;
	int nr;

	put_world(f->s, 50, 0);
	reopen(f, STORE_WRITE);
	OK(store_run_begin(f->s, &a, &sa, &err));
	OK(store_run_begin(f->s, &b, &sb, &err));
	assert_true(a.id == 1 && b.id == 2);
	for (int n = 0; n < 3000; n++) {
		sp = nth_span(1, n);
		OK(sa.span(sa.ctx, &sp, &err));
		sp = nth_span(2, n);
		OK(sb.span(sb.ctx, &sp, &err));
	}
	OK(store_run_drop(f->s, 1, &err));
	OK(store_run_end(f->s, &b, &err));
	check_spans(f->s, 2, 3000);
	check_spans(f->s, 1, 0);
	OK(store_get_runs(f->s, &runs, &nr, &err));
	assert_int_equal(nr, 1);
	assert_int_equal(runs[0].id, 2);
	assert_string_equal(runs[0].knobs, "{}");
	run_info_release(&runs[0]);
	free(runs);
}

/* Times as far apart as they come survive, and so do strange fields. */
static void test_extreme_spans(void **state)
{
	static const struct span in[] = {
		{ 0, -1, INT64_MIN, INT64_MIN + 1, INT64_MAX, 0, 0, 0 },
		{ 1, 65535, INT64_MIN, INT64_MAX, 0, TASK_NONE, 7, 31 },
		{ 0, 0, 5, 5, INT64_MIN, 1, 1, 1 },
	};
	struct run_info info = { .id = 0 };
	struct event ev = { .ts = 123456789, .kind = EVENT_FORK };
	struct fixture *f = *state;
	struct store_spans *it;
	struct run_sink sink;
	struct err err = { 0 };
	struct span sp;
	int seen = 0;

	put_world(f->s, 2, 0);
	OK(store_put_event(f->s, &ev, &err));
	OK(store_run_begin(f->s, &info, &sink, &err));
	for (int i = 0; i < 3; i++)
		OK(sink.span(sink.ctx, &in[i], &err));
	OK(store_run_end(f->s, &info, &err));
	reopen(f, STORE_READ);
	OK(store_spans_open(f->s, 0, INT64_MIN, INT64_MAX, &it, &err));
	while (store_spans_next(it, &sp, &err) > 0) {
		int i = sp.cpu == -1 ? 0 : sp.cpu ? 1 : 2;

		assert_span(&in[i], &sp);
		seen |= 1 << i;
	}
	assert_int_equal(err.code, 0);
	assert_int_equal(seen, 7);
	store_spans_close(it);
}

/* A file opened for reading takes what is derived into a private database:
 * the file stays as it is, byte for byte. */
static void test_derive_while_reading(void **state)
{
	struct demand_task dt = { .task = 7, .appears_ns = 5, .first_cpu = 2 };
	struct fixture *f = *state;
	struct demand_task *tasks;
	struct demand_source src;
	struct demand_sink sink;
	const uint8_t *bytes;
	uint8_t *before, *after;
	struct err err = { 0 };
	char *value;
	size_t n, m, len;
	int nr;

	put_world(f->s, 50, 2);
	put_run(f->s, 3, 100);
	OK(store_put_derived(f->s, "version", "old", &err));
	OK(store_put_derived(f->s, "kept", "yes", &err));
	reopen(f, STORE_READ);
	before = file_read(folder_path(f->folder, "x.hn"), &n);
	OK(store_begin(f->s, &err));
	put_run(f->s, 0, 2000);
	OK(store_put_derived(f->s, "version", "new", &err));
	OK(store_put_demand_task(f->s, &dt, &err));
	store_demand_sink(f->s, &sink);
	OK(sink.chunk(sink.ctx, 7, 0, (const uint8_t *)"abc", 3, &err));
	OK(store_end(f->s, &err));
	put_run(f->s, -1, 10);		/* becomes 4 */
	assert_runs(f->s, "0 3 4 ");
	check_run(f->s, 0, 2000);
	check_run(f->s, 3, 100);
	check_run(f->s, 4, 10);
	OK(store_run_drop(f->s, 4, &err));
	assert_runs(f->s, "0 3 ");
	OK(store_get_derived(f->s, "version", &value, &err));
	assert_string_equal(value, "new");
	free(value);
	OK(store_get_derived(f->s, "kept", &value, &err));
	assert_string_equal(value, "yes");
	free(value);
	OK(store_get_demand_tasks(f->s, &tasks, &nr, &err));
	assert_true(nr == 1 && tasks[0].task == 7 && tasks[0].first_cpu == 2);
	free(tasks);
	store_demand_source(f->s, &src);
	assert_int_equal(src.chunk(src.ctx, 7, 0, &bytes, &len, &err), 1);
	assert_true(len == 3 && !memcmp(bytes, "abc", 3));
	assert_int_equal(store_drop_derived(f->s, &err), ERR_USAGE);
	store_close(f->s);
	f->s = NULL;
	after = file_read(folder_path(f->folder, "x.hn"), &m);
	assert_true(n == m && !memcmp(before, after, n));
	assert_int_equal(folder_count(f->folder), 1);
	free(before);
	free(after);
}

/* -- demand --------------------------------------------------------------- */

static void fill_chunk(uint8_t *buf, int task, int n)
{
	for (int i = 0; i < DEMAND_CHUNK; i++)
		buf[i] = (uint8_t)(task * 31 + n * 7 + i);
}

static size_t chunk_length(int task, int n)
{
	return (size_t)(n == 4 ? 1 + task : DEMAND_CHUNK);
}

static void put_demand(struct store *s, int nr_tasks)
{
	uint8_t buf[DEMAND_CHUNK];
	struct demand_sink sink;
	struct err err = { 0 };

	OK(store_begin(s, &err));
	store_demand_sink(s, &sink);
	for (int t = 0; t < nr_tasks; t++) {
		struct demand_task dt = { .task = t, .appears_ns = t * 1000,
					  .forked = t & 1, .first_cpu = t - 1 };

		OK(store_put_demand_task(s, &dt, &err));
	}
	for (int n = 0; n < 5; n++) {
		for (int t = 0; t < nr_tasks; t++) {
			fill_chunk(buf, t, n);
			OK(sink.chunk(sink.ctx, t, n, buf, chunk_length(t, n),
				      &err));
		}
	}
	OK(store_end(s, &err));
}

static int read_demand(struct store *s, int nr_tasks)
{
	uint8_t want[DEMAND_CHUNK];
	struct demand_source src;
	struct err err = { 0 };
	const uint8_t *bytes, *first;
	int bad = 0;
	size_t len;

	store_demand_source(s, &src);
	for (int n = 0; n < 5; n++) {
		bad += src.chunk(src.ctx, 0, n, &first, &len, &err) != 1;
		for (int t = 1; t < nr_tasks; t++) {
			bad += src.chunk(src.ctx, t, n, &bytes, &len,
					 &err) != 1;
			fill_chunk(want, t, n);
			bad += len != chunk_length(t, n) ||
			       memcmp(bytes, want, len);
		}
		/* The first task's bytes are still there. */
		fill_chunk(want, 0, n);
		bad += memcmp(first, want, chunk_length(0, n)) != 0;
	}
	bad += src.chunk(src.ctx, 3, 5, &bytes, &len, &err) != 0;
	bad += src.chunk(src.ctx, 999, 0, &bytes, &len, &err) != 0;
	store_demand_source_close(s, &src);
	return bad + err.code;
}

static void test_demand(void **state)
{
	struct fixture *f = *state;
	struct demand_task *t;
	struct err err = { 0 };
	int nr;

	put_world(f->s, 40, 0);
	put_demand(f->s, 40);
	reopen(f, STORE_READ);
	OK(store_get_demand_tasks(f->s, &t, &nr, &err));
	assert_int_equal(nr, 40);
	for (int i = 0; i < nr; i++)
		assert_true(t[i].task == i && t[i].appears_ns == i * 1000 &&
			    t[i].forked == (i & 1) && t[i].first_cpu == i - 1);
	free(t);
	assert_int_equal(read_demand(f->s, 40), 0);
}

static void *read_in_thread(void *ctx)
{
	int bad = 0;

	for (int i = 0; i < 20; i++)
		bad += read_demand(ctx, 40);
	return bad ? ctx : NULL;
}

/* Replays read demand in threads while the store's own thread writes a run. */
static void test_demand_in_threads(void **state)
{
	struct fixture *f = *state;
	pthread_t thread[2];
	void *bad;

	put_world(f->s, 50, 2);
	put_demand(f->s, 40);
	reopen(f, STORE_WRITE);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL,
						read_in_thread, f->s), 0);
	put_run(f->s, 1, 20000);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], &bad);
		assert_null(bad);
	}
	check_run(f->s, 1, 20000);
}

static void test_derived_values(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };
	char *value;

	OK(store_get_derived(f->s, "cost", &value, &err));
	assert_null(value);
	OK(store_put_derived(f->s, "cost", "{}", &err));
	OK(store_put_derived(f->s, "cost", "{\"flat\":1}", &err));
	reopen(f, STORE_WRITE);
	OK(store_get_derived(f->s, "cost", &value, &err));
	assert_string_equal(value, "{\"flat\":1}");
	free(value);
	OK(store_drop_derived(f->s, &err));
	OK(store_get_derived(f->s, "cost", &value, &err));
	assert_null(value);
}

#ifdef HOMENODE_DEBUG
static void count_warning(void *ctx, const char *text)
{
	int *n = ctx;

	(*n)++;
	print_message("%s\n", text);
}

/* Debug builds tell of statements that read more than they should: there are
 * none among ours. */
static void test_no_warnings(void **state)
{
	struct fixture *f = *state;
	struct capture c = { .start_ns = 1 };
	struct err err = { 0 };
	int warnings = 0;

	store_on_warning(f->s, count_warning, &warnings);
	put_world(f->s, 50, 2);
	put_demand(f->s, 40);
	put_run(f->s, 0, 5000);
	OK(store_put_capture(f->s, &c, &err));
	check_run(f->s, 0, 5000);
	OK(store_run_drop(f->s, 0, &err));
	assert_int_equal(read_demand(f->s, 40), 0);
	assert_int_equal(warnings, 0);
}
#endif

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_capture),
		TEST(test_no_capture),
		TEST(test_topo),
		TEST(test_named),
		TEST(test_losses),
		TEST(test_tasks),
		TEST(test_areas),
		TEST(test_placements),
		TEST(test_runs),
		TEST(test_runs_side_by_side),
		TEST(test_extreme_spans),
		TEST(test_derive_while_reading),
		TEST(test_demand),
		TEST(test_demand_in_threads),
		TEST(test_derived_values),
#ifdef HOMENODE_DEBUG
		TEST(test_no_warnings),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
