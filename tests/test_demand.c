/* SPDX-License-Identifier: MIT */
/*
 * Demand: the code of operations, programs of events written by hand, and the
 * promise that programs give every span back, also of streams that make no
 * sense at all.
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
#include "model/demand_build.h"
#include "model/err.h"
#include "model/topo.h"
#include "tests/support/demand_check.h"
#include "tests/support/events_text.h"

/* -- codec ---------------------------------------------------------------- */

static void codec(void **state)
{
	static const struct demand_op ops[] = {
		{ .code = DEMAND_RUN, .ns = 1, .slow = 1024, .crowd = 1024 },
		{ .code = DEMAND_RUN, .ns = INT64_MAX, .slow = 1024,
		  .crowd = 1024 },
		{ .code = DEMAND_RUN, .ns = 300, .slow = 1500, .crowd = 1024 },
		{ .code = DEMAND_WAKE, .task = 127 },
		{ .code = DEMAND_WAIT, .task = 128 },
		{ .code = DEMAND_SLEEP, .ns = 0 },
		{ .code = DEMAND_FORK, .task = INT32_MAX },
		{ .code = DEMAND_EXEC },
		{ .code = DEMAND_TOUCH, .area = 3, .pages = INT64_MAX },
		{ .code = DEMAND_FREE, .area = INT32_MAX, .pages = 1 },
		{ .code = DEMAND_EXIT },
		{ .code = DEMAND_END },
		{ .code = DEMAND_PLACE, .cpu = 65535, .ns = 123456789 },
		{ .code = DEMAND_MOVED, .area = INT32_MAX, .from = 1023,
		  .to = INT32_MAX, .pages = INT64_MAX },
		{ .code = DEMAND_HELD, .area = 1, .to = 2, .pages = 3 },
		{ .code = DEMAND_TOUCH_AT, .area = 1, .to = 2, .pages = 3 },
		{ .code = DEMAND_FREE_AT, .area = 1, .from = 2, .pages = 3 },
		{ .code = DEMAND_FOUND, .area = 1, .from = 2, .to = 3,
		  .pages = 4 },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		uint8_t buf[DEMAND_OP_MAX];
		struct demand_op back;
		size_t len = demand_encode(buf, &ops[i]);

		assert_true(len > 0 && len <= sizeof(buf));
		assert_int_equal(demand_decode(buf, len, &back), len);
		assert_memory_equal(&back, &ops[i], sizeof(back));
		for (size_t cut = 0; cut < len; cut++)
			assert_int_equal(demand_decode(buf, cut, &back), 0);
	}
}

static void codec_hostile(void **state)
{
	static const uint8_t bad[][12] = {
		{ 0x7f },
		{ 0xff, 1 },
		{ DEMAND_WAKE, 0xff, 0xff, 0xff, 0xff, 0x7f },	/* > INT_MAX */
		{ DEMAND_SLEEP, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		  0xff, 0x7f },				/* > INT64_MAX */
		{ DEMAND_RUN, 5, 0 },			/* slow < 1024 */
	};
	struct demand_op op;
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(demand_decode(bad[i], sizeof(bad[i]), &op), 0);
	for (int n = 0; n < 100000; n++) {
		uint8_t buf[16];
		size_t len;

		for (size_t i = 0; i < sizeof(buf); i++) {
			seed = seed * 1664525 + 1013904223;
			buf[i] = (uint8_t)(seed >> 24);
		}
		buf[0] &= 0x8f;
		len = demand_decode(buf, sizeof(buf), &op);
		assert_true(len <= sizeof(buf));
		assert_true(!len || (op.code < DEMAND_NR && op.ns >= 0 &&
				     op.task >= 0 && op.pages >= 0));
	}
}

/* -- building ------------------------------------------------------------- */

struct built {
	struct events_text ev;
	struct topo topo;
	struct cost cost;
	struct demand_build *b;
	struct demand_store store;
	struct demand_source source;
	struct span_list spans;
	struct demand_task *tasks;
	int nr;
	const struct demand_mem *mem;	/* given when their time comes */
	int nr_mem;
};

static int give_mem(struct built *u, int64_t until, struct err *err)
{
	for (; u->nr_mem && u->mem->ts <= until; u->nr_mem--, u->mem++)
		if (demand_build_mem(u->b, u->mem, err))
			return err->code;
	return 0;
}

static int on(void *ctx, const struct timeline_on *o, struct err *err)
{
	struct built *u = ctx;

	return demand_build_on(u->b, o, err);
}

static int off(void *ctx, const struct span *s, struct err *err)
{
	struct built *u = ctx;

	if (give_mem(u, s->end_ns - 1, err))
		return err->code;
	span_list_add(&u->spans, s);
	return demand_build_off(u->b, s, err);
}

static int wake(void *ctx, const struct timeline_wake *w, struct err *err)
{
	struct built *u = ctx;

	if (give_mem(u, w->ts - 1, err))
		return err->code;
	return demand_build_wake(u->b, w, err);
}

static int fork_task(void *ctx, int64_t ts, int parent, int child,
		     struct err *err)
{
	return demand_build_fork(((struct built *)ctx)->b, ts, parent, child,
				 err);
}

static int exec_task(void *ctx, int64_t ts, int task, struct err *err)
{
	return demand_build_exec(((struct built *)ctx)->b, ts, task, err);
}

static int exit_task(void *ctx, int64_t ts, int task, struct err *err)
{
	return demand_build_exit(((struct built *)ctx)->b, ts, task, err);
}

static int move(void *ctx, const struct move *m, struct err *err)
{
	return demand_build_move(((struct built *)ctx)->b, m, err);
}

static const struct timeline_ops ops = {
	.on = on, .off = off, .wake = wake, .fork = fork_task,
	.exec = exec_task, .exit = exit_task, .move = move,
};

static void shares_of_first_node(void *ctx, int task, double *share)
{
	share[0] = 1;
	share[1] = 0;
}

static void prepare(struct built *u, const char *cost)
{
	struct demand_build_args args = {
		.tasks = &u->ev.tasks, .topo = &u->topo, .cost = &u->cost,
		.start_ns = u->ev.start_ns, .share = shares_of_first_node,
	};
	struct err err = { 0 };

	for (int n = 0; n < 2; n++)
		assert_int_equal(topo_add_node(&u->topo, n, &err), 0);
	for (int c = 0; c < 4; c++)
		assert_int_equal(topo_add_cpu(&u->topo, c, c / 2, &err), 0);
	assert_int_equal(topo_finish(&u->topo, &err), 0);
	assert_int_equal(cost_init(&u->cost, &u->topo, &err), 0);
	assert_int_equal(cost_parse(&u->cost, cost, &err), 0);
	demand_store_init(&u->store, u->ev.tasks.nr);
	demand_store_sink(&u->store, &args.sink);
	demand_store_source(&u->store, &u->source);
	assert_int_equal(demand_build_new(&u->b, &args, &err), 0);
}

static void run_events(struct built *u, const struct timeline_loss *loss,
		       int nr_loss)
{
	const struct timeline_args args = {
		.tasks = &u->ev.tasks, .loss = loss, .nr_loss = nr_loss,
		.start_ns = u->ev.start_ns, .end_ns = u->ev.end_ns,
		.ops = &ops, .ctx = u,
	};
	struct err err = { 0 };
	struct timeline *tl;
	char why[300] = "";

	assert_int_equal(timeline_new(&tl, &args, &err), 0);
	for (size_t i = 0; i < u->ev.nr; i++)
		assert_int_equal(timeline_event(tl, &u->ev.event[i], &err), 0);
	assert_int_equal(timeline_finish(tl, &err), 0);
	assert_int_equal(demand_build_finish(u->b, &u->tasks, &u->nr, &err), 0);
	timeline_free(tl);
	if (demand_check(u->tasks, u->nr, &u->source, &u->spans, why,
			 sizeof(why)))
		fail_msg("%s", why);
}

static void build(struct built *u, const char *events)
{
	memset(u, 0, sizeof(*u));
	events_text_parse(&u->ev, events);
	prepare(u, "flat");
	run_events(u, NULL, 0);
}

static void release(struct built *u)
{
	demand_build_free(u->b);
	demand_store_release(&u->store);
	span_list_release(&u->spans);
	free(u->tasks);
	cost_release(&u->cost);
	topo_release(&u->topo);
	events_text_release(&u->ev);
}

/* Tasks have ids in the order in which they are first named. */
static void expect(struct built *u, int task, const char *want)
{
	char *text = demand_text(&u->source, task);

	assert_string_equal(text, want);
	free(text);
}

static const struct demand_task *head(const struct built *u, int task)
{
	for (int i = 0; i < u->nr; i++)
		if (u->tasks[i].task == task)
			return &u->tasks[i];
	return NULL;
}

static void waits_for_its_waker(void **state)
{
	struct built u;

	/* Tasks 0 (tid 1) and 1 (tid 2): 2 wakes 1 30 ns into its run. */
	build(&u, "start 0; 1 0 1 fault 1 4; 5 0 1 switch S 0;"
	      "20 1 0 switch R 2; 50 1 2 waking 1; 51 1 2 wakeup 1;"
	      "60 0 0 switch R 1; 70 0 1 switch S 0; 80 1 2 switch S 0");
	expect(&u, 0, "PLACE 0 0; RUN 5; WAIT 1; PLACE 0 10; RUN 10; END");
	expect(&u, 1, "PLACE 1 20; RUN 30; WAKE 0; RUN 30; END");
	assert_int_equal(head(&u, 0)->first_cpu, 0);
	assert_int_equal(head(&u, 1)->appears_ns, 0);
	release(&u);
}

static void sleeps_by_itself(void **state)
{
	struct built u;

	/* A timer's interrupt, and a sleep of which no end was seen coming. */
	build(&u, "start 0; 5 0 1 switch S 0; 25 0 0 waking 1 h;"
	      "30 0 0 switch R 1; 40 0 1 switch S 0; 70 0 0 switch R 1;"
	      "75 0 1 switch R 0; 80 0 0 switch R 1; 90 0 1 switch D 0");
	expect(&u, 0, "PLACE 0 0; RUN 5; SLEEP 20; PLACE 0 5; RUN 10; SLEEP 30;"
	       " PLACE 0 0; RUN 5; PLACE 0 5; RUN 10; END");
	release(&u);
}

static void early_wake_is_matched(void **state)
{
	struct built u;

	/* 2 wakes 1 twice while it runs: the first is called off, the second
	 * ends its sleep at once.  Only that one is left. */
	build(&u, "start 0; 1 0 1 fault 1 4; 2 1 0 switch R 2;"
	      "10 1 2 waking 1; 11 1 2 wakeup 1; 20 1 2 waking 1;"
	      "25 0 1 switch S 0; 26 1 2 wakeup 1; 30 0 0 switch R 1;"
	      "35 0 1 switch X 0; 36 1 2 switch S 0");
	expect(&u, 0, "PLACE 0 0; RUN 25; WAIT 1; PLACE 0 5; RUN 5; EXIT");
	expect(&u, 1, "PLACE 1 2; RUN 8; RUN 10; WAKE 0; RUN 16; END");
	release(&u);
}

static void family(void **state)
{
	struct built u;

	build(&u, "start 0; 10 0 1 fork 5; 12 0 1 new 5; 15 1 0 switch R 5;"
	      "20 1 5 exec; 25 1 5 exit; 30 1 5 switch X 0; 32 0 1 fork 6;"
	      "40 0 1 switch S 0");
	expect(&u, 0, "PLACE 0 0; RUN 10; FORK 1; RUN 2; WAKE 1; RUN 20; FORK 2;"
	       " RUN 8; END");
	expect(&u, 1, "WAIT 0; PLACE 1 3; RUN 5; EXEC; RUN 10; EXIT");
	expect(&u, 2, "END");	/* its child was never seen */
	assert_true(head(&u, 1)->forked);
	assert_true(head(&u, 2)->forked);
	release(&u);
	/* The fork of somebody who is not known to run: it appears by itself. */
	build(&u, "start 0; 10 0 0 fork 5; 15 1 0 switch R 5; 20 1 5 switch S 0");
	expect(&u, 0, "SLEEP 5; PLACE 1 0; RUN 5; END");
	assert_false(head(&u, 0)->forked);
	assert_int_equal(head(&u, 0)->appears_ns, 10);
	release(&u);
}

static void stopper(void **state)
{
	struct built u;

	/* 1 asks migration/0 to move it, sleeps until that wakes it, goes on
	 * on CPU 2: for a replay it only ran on. */
	build(&u, "start 0; name 9 migration/0; 1 0 1 fault 1 4;"
	      "10 0 1 waking 9; 12 0 1 switch D 9; 15 0 9 migrate 1 0 2;"
	      "16 0 9 waking 1; 18 0 9 switch S 0; 20 2 0 switch R 1;"
	      "30 2 1 switch S 0");
	expect(&u, 1, "PLACE 0 0; RUN 12; PLACE 2 8; RUN 10; END");
	expect(&u, 0, "SLEEP 10; PLACE 0 2; RUN 6; END");
	assert_true(head(&u, 0)->stopper);
	assert_false(head(&u, 1)->stopper);
	release(&u);
}

static void exec_by_thread(void **state)
{
	struct built u;

	build(&u, "start 0; pid 7 5; 1 0 7 fault 1 4; 2 1 0 switch R 5;"
	      "4 1 5 exit; 5 1 5 switch X 0; 10 0 5 exec 7;"
	      "20 0 5 switch S 0");
	expect(&u, 0, "PLACE 0 0; RUN 10; EXIT");
	/* The leader is back from the dead. */
	expect(&u, 1, "PLACE 1 2; RUN 3; SLEEP 5; PLACE 0 0; EXEC; RUN 10;"
	       " EXIT");
	release(&u);
}

static void memory_changes(void **state)
{
	static const struct demand_mem mem[] = {
		{ 100, 0, DEMAND_TOUCH, 0, 0, 0, 1 },
		{ 200, 0, DEMAND_TOUCH, 0, 0, 0, 2 },
		{ 300, 0, DEMAND_MOVED, 0, 0, 1, 1 },
		{ 3000000, 0, DEMAND_TOUCH, 1, 0, 1, 5 },
		{ 3000500, 0, DEMAND_FREE_AT, 0, 1, 0, 1 },
		{ 3000600, 0, DEMAND_FREE_AT, 0, 0, 0, 1 },
		{ 3000700, 0, DEMAND_FREE_AT, 0, 1, 0, 2 },
		{ 3000800, 0, DEMAND_TOUCH, 0, 0, 0, 1 },
		/* Not before the touch of what it frees. */
		{ 3000900, 0, DEMAND_FREE_AT, 0, 0, 0, 1 },
		/* When it does not run any more: at its end. */
		{ 4500000, 0, DEMAND_FOUND, 0, 0, 1, 1 },
		/* Of a process that never runs. */
		{ 4500000, 1, DEMAND_TOUCH, 3, 0, 1, 9 },
		{ 4600000, 1, DEMAND_FREE_AT, 3, 1, 0, 4 },
	};
	struct built u = { 0 };
	struct err err = { 0 };

	/* Those of the first microsecond stand together before the run in
	 * which they happened; 3 ms on the run is cut.  The task runs on node
	 * 0: what it touched on node 1 lay elsewhere than where it ran. */
	events_text_parse(&u.ev, "start 0; 1 0 1 fault 1 4;"
			  "4000000 0 1 switch S 0; 5000000 0 0 waking 2");
	prepare(&u, "flat");
	u.mem = mem;
	u.nr_mem = sizeof(mem) / sizeof(*mem);
	assert_int_equal(demand_build_held(u.b, 0, 2, 1, 77, &err), 0);
	run_events(&u, NULL, 0);
	expect(&u, 0, "HELD 2 1 77; PLACE 0 0; TOUCH 0 3; MOVED 0 0>1 1;"
	       " RUN 3000000; TOUCH_AT 1 1 5; FREE_AT 0 1 3; FREE_AT 0 0 1;"
	       " TOUCH 0 1; FREE_AT 0 0 1; RUN 1000000; FOUND 0 0>1 1; END");
	expect(&u, 1, "SLEEP 5000000; HELD 3 1 9; FREE_AT 3 1 4; END");
	release(&u);
}

static void slow_down(void **state)
{
	struct built u = { 0 };
	struct demand_op op;
	const uint8_t *bytes;
	size_t len, at;
	struct err err = { 0 };

	/* Memory all on node 0, at distance 20 from CPU 2: 1.31. */
	events_text_parse(&u.ev, "start 0; 1 2 1 fault 1 4; 100 2 1 switch S 0");
	prepare(&u, "contention=0");
	run_events(&u, NULL, 0);
	assert_int_equal(u.source.chunk(u.source.ctx, 0, 0, &bytes, &len, &err),
			 1);
	at = demand_decode(bytes, len, &op);
	assert_int_equal(op.code, DEMAND_PLACE);
	demand_decode(bytes + at, len - at, &op);
	assert_int_equal(op.code, DEMAND_RUN);
	assert_int_equal(op.ns, 100);
	assert_int_equal(op.slow, 1341);	/* 1.31 * 1024 = 1341.4 */
	release(&u);
}

/* A chunk that must be given away before it is known whether a wake-up ends a
 * sleep: the sleep gets its length instead. */
static void early_wake_in_full_chunk(void **state)
{
	enum { ROUNDS = 3000 };
	char *events = malloc(64 * ROUNDS + 1000), *p = events;
	struct built u;

	/* 2 wakes 1 while 1 runs, then 3000 times 3, which sleeps each time. */
	p += sprintf(p, "start 0;1 0 1 fault 1 4;2 1 0 switch R 2;"
		     "3 1 2 waking 1;");
	for (int i = 0; i < ROUNDS; i++)
		p += sprintf(p, "%d 1 2 waking 3;%d 2 0 switch R 3;"
			     "%d 2 3 switch S 0;", 100 * i + 10, 100 * i + 20,
			     100 * i + 50);
	sprintf(p, "%d 0 1 switch S 0;%d 0 0 switch R 1",
		100 * ROUNDS + 10, 100 * ROUNDS + 20);
	build(&u, events);
	assert_true(u.store.chunks > 4);
	expect(&u, 0, "PLACE 0 0; RUN 300010; SLEEP 0; PLACE 0 10; END");
	release(&u);
	free(events);
}

/* -- streams without sense ------------------------------------------------ */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static void random_event(struct event *ev, uint64_t *seed, int64_t *now)
{
	static const uint8_t kinds[] = {
		EVENT_SWITCH, EVENT_SWITCH, EVENT_SWITCH, EVENT_WAKING,
		EVENT_WAKING, EVENT_WAKEUP, EVENT_WAKEUP_NEW, EVENT_FORK,
		EVENT_EXEC, EVENT_EXIT, EVENT_MIGRATE_TASK,
	};

	*now += draw(seed, 20);
	*ev = (struct event){
		.ts = *now - (draw(seed, 50) ? 0 : draw(seed, 300)),
		.cpu = (int)draw(seed, 4),
		.kind = kinds[draw(seed, sizeof(kinds))],
		.flags = draw(seed, 5) ? 0 : EVENT_F_SOFTIRQ,
		.tid = (int)draw(seed, 7),
	};
	switch (ev->kind) {
	case EVENT_SWITCH:
		ev->sw.prev_tid = ev->tid;
		ev->sw.next_tid = (int)draw(seed, 7);
		ev->sw.state = (int)draw(seed, 9);
		break;
	case EVENT_FORK:
		ev->fork.parent_tid = ev->tid;
		ev->fork.child_tid = 1 + (int)draw(seed, 12);
		break;
	case EVENT_EXEC:
		ev->exec.tid = ev->tid;
		ev->exec.old_tid = draw(seed, 3) ? ev->tid :
						   (int)draw(seed, 7);
		break;
	case EVENT_EXIT:
		ev->exit.tid = ev->tid;
		break;
	case EVENT_MIGRATE_TASK:
		ev->migrate.tid = (int)draw(seed, 7);
		ev->migrate.dest_cpu = (int)draw(seed, 4);
		break;
	default:
		ev->wake.tid = (int)draw(seed, 7);
		ev->wake.success = 1;
	}
}

/* A stream that mostly makes sense: who runs is followed, switches are lost. */
static void likely_event(struct event *ev, uint64_t *seed, int64_t *now,
			 int *running)
{
	random_event(ev, seed, now);
	ev->tid = running[ev->cpu];
	if (ev->kind == EVENT_FORK)
		ev->fork.parent_tid = ev->tid;
	if (ev->kind == EVENT_EXEC)
		ev->exec.tid = ev->exec.old_tid = ev->tid;
	if (ev->kind != EVENT_SWITCH)
		return;
	ev->sw.prev_tid = ev->tid;
	for (int c = 0; c < 4; c++)
		if (ev->sw.next_tid && running[c] == ev->sw.next_tid)
			ev->sw.next_tid = 0;
	running[ev->cpu] = ev->sw.next_tid;
	if (!draw(seed, 40))
		ev->kind = EVENT_STICK_NUMA;
}

static void random_stream(uint64_t seed, bool likely)
{
	enum { EVENTS = 400 };
	struct timeline_loss loss[3];
	struct built u = { 0 };
	int running[4] = { 0 };
	int64_t now = 1000;
	struct err err = { 0 };

	for (int tid = 1; tid < 13; tid++) {
		struct task *t = tasks_add(&u.ev.tasks, tid, tid < 7 ? 1000 :
					   1000 + draw(&seed, 4000));

		assert_non_null(t);
		t->pid = tid;
		if (tid == 6)
			strcpy(t->comm = realloc(t->comm, 12), "migration/2");
	}
	assert_int_equal(tasks_index(&u.ev.tasks, &err), 0);
	u.ev.event = calloc(EVENTS, sizeof(*u.ev.event));
	u.ev.nr = EVENTS;
	for (int i = 0; i < EVENTS; i++) {
		if (likely)
			likely_event(&u.ev.event[i], &seed, &now, running);
		else
			random_event(&u.ev.event[i], &seed, &now);
	}
	u.ev.start_ns = 1000;
	u.ev.end_ns = now;
	for (int i = 0; i < 3; i++) {
		loss[i].cpu = (int)draw(&seed, 4);
		loss[i].from_ns = 900 + draw(&seed, 4000);
		loss[i].to_ns = loss[i].from_ns + draw(&seed, 500);
	}
	prepare(&u, draw(&seed, 2) ? "flat" : "smt=1.5");
	run_events(&u, loss, (int)draw(&seed, 4));
	release(&u);
}

static void streams_without_sense(void **state)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		random_stream(seed, false);
		random_stream(seed, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codec),
		cmocka_unit_test(codec_hostile),
		cmocka_unit_test(waits_for_its_waker),
		cmocka_unit_test(sleeps_by_itself),
		cmocka_unit_test(early_wake_is_matched),
		cmocka_unit_test(family),
		cmocka_unit_test(stopper),
		cmocka_unit_test(exec_by_thread),
		cmocka_unit_test(memory_changes),
		cmocka_unit_test(slow_down),
		cmocka_unit_test(early_wake_in_full_chunk),
		cmocka_unit_test(streams_without_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
