/* SPDX-License-Identifier: MIT */
/*
 * The engine against hand-written demand.  Unless a test says otherwise the
 * policy is stay, the queue first in first out, memory costs nothing, and all
 * CPUs tick together every millisecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/err.h"
#include "model/event.h"
#include "replay/view.h"
#include "tests/support/replay_run.h"

#define MS INT64_C(1000000)

static char text[20000];

static struct replay_run fifo(const char *machine)
{
	return (struct replay_run){
		.machine = machine,
		.policy = "stay",
		.discipline = "queue_fifo",
	};
}

static void expect_spans(struct replay_run *r, const char *demand,
			 const char *spans)
{
	if (replay_run(r, demand))
		fail_msg("%s", r->error);
	assert_string_equal(replay_spans(r, text, sizeof(text)), spans);
	assert_int_equal(replay_count(r, "unfinished"), 0);
}

/* -- programs ------------------------------------------------------------------ */

static void test_run(void **state)
{
	struct replay_run r = fifo("1x2");

	/* Every operation in a chunk of its own; RUNs of one span add up. */
	r.chunk = 1;
	expect_spans(&r, "task a cpu=1: run 2us; place 0 5us; run 3us; exit\n",
		     "a 1 0-5000");
	assert_int_equal(r.span[0].state, STATE_DEAD);
	assert_int_equal(replay_count(&r, "switches"), 1);
	assert_int_equal(replay_count(&r, "cpu_ns"), 5000);
	assert_int_equal(replay_count(&r, "elapsed_ns"), 5000);
	replay_run_release(&r);
}

/* The run is over when the command is, whoever else goes on. */
static void test_command(void **state)
{
	struct replay_run r = fifo("1x2");

	expect_spans(&r, "task a cpu=0: sleep 1ms; run 5us; exit\n"
			 "task b cpu=1 command: run 2us; exit\n",
		     "b 1 0-2000; a 0 1000000-1005000");
	assert_int_equal(replay_count(&r, "cpu_ns"), 7000);
	assert_int_equal(replay_count(&r, "elapsed_ns"), 2000);
	replay_run_release(&r);
}

/*
 * b waits for a: it starts when a wakes it, on its own CPU.  c's token is there
 * before c waits: c does not sleep at all.
 */
static void test_tokens(void **state)
{
	struct replay_run r = fifo("1x3");

	expect_spans(&r,
		     "task a cpu=0: run 4ms; wake b; wake c; run 1ms; exit\n"
		     "task b cpu=1: wait a; run 2ms; exit\n"
		     "task c cpu=2: run 6ms; wait a; run 1ms; exit\n",
		     "a 0 0-5000000; b 1 4000000-6000000; c 2 0-7000000");
	assert_int_equal(r.span[1].waker, 0);
	assert_int_equal(r.span[1].ready_ns, 4 * MS);
	assert_int_equal(r.span[2].waker, TASK_NONE);
	replay_run_release(&r);
}

/* Two tokens for two waits; a third wait is never satisfied. */
static void test_unfinished(void **state)
{
	struct replay_run r = fifo("1x2");

	assert_int_equal(replay_run(&r,
		"task a cpu=0: run 1ms; wake b; wake b; exit\n"
		"task b cpu=1: wait a; run 1ms; wait a; run 1ms; wait a; exit\n"),
		0);
	assert_string_equal(replay_spans(&r, text, sizeof(text)),
			    "a 0 0-1000000; b 1 1000000-3000000");
	assert_int_equal(replay_count(&r, "unfinished"), 1);
	replay_run_release(&r);
}

static void test_sleep(void **state)
{
	struct replay_run r = fifo("1x1");

	/* b becomes ready while a runs: it waits until a is through. */
	expect_spans(&r,
		     "task a cpu=0: run 1ms; sleep 2ms; run 4ms; exit\n"
		     "task b cpu=0: sleep 5ms; run 1ms; exit\n",
		     "a 0 0-1000000; a 0 3000000-7000000; b 0 7000000-8000000");
	assert_int_equal(r.span[2].ready_ns, 5 * MS);
	assert_int_equal(r.span[0].state, STATE_SLEEPING);
	/* a begins, a and b wake up; b begins by sleeping. */
	assert_int_equal(replay_count(&r, "wakeups"), 3);
	replay_run_release(&r);
}

/* Turns of 10 ms: at the tick of 10 ms a has used up its turn. */
static void test_turns(void **state)
{
	struct replay_run r = fifo("1x1");

	expect_spans(&r,
		     "task a cpu=0: run 15ms; exit\n"
		     "task b cpu=0: run 12ms; exit\n",
		     "a 0 0-10000000; b 0 10000000-20000000; "
		     "a 0 20000000-25000000; b 0 25000000-27000000");
	assert_int_equal(r.span[0].state, STATE_RUNNABLE);
	assert_int_equal(r.span[2].ready_ns, 10 * MS);
	replay_run_release(&r);
}

static void test_fork(void **state)
{
	struct replay_run r = fifo("1x2");

	/* The child begins on its parent's CPU when it is first woken. */
	expect_spans(&r,
		     "task a cpu=1: run 1ms; fork b; run 1ms; wake b; run 2ms; exit\n"
		     "task b forked: wait a; run 1ms; exit\n",
		     "a 1 0-4000000; b 1 4000000-5000000");
	assert_int_equal(r.span[1].ready_ns, 2 * MS);
	replay_run_release(&r);

	/* One without a wait is born runnable. */
	r = fifo("1x2");
	expect_spans(&r,
		     "task a cpu=1: run 1ms; fork b; run 1ms; exit\n"
		     "task b forked: run 1ms; exit\n",
		     "a 1 0-2000000; b 1 2000000-3000000");
	assert_int_equal(r.span[1].ready_ns, 1 * MS);
	replay_run_release(&r);

	/* One that is never seen again. */
	r = fifo("1x1");
	expect_spans(&r,
		     "task a cpu=0: run 1ms; fork b; exit\n"
		     "task b forked: end\n",
		     "a 0 0-1000000");
	replay_run_release(&r);
}

static void test_appears(void **state)
{
	struct replay_run r = fifo("1x1");

	expect_spans(&r,
		     "task a cpu=0 at=3ms: run 1ms; end\n"
		     "task m cpu=0 stopper: run 9ms; exit\n",
		     "a 0 3000000-4000000");
	assert_int_equal(r.span[0].flags, SPAN_F_CENSORED_END);
	replay_run_release(&r);
}

/* Ticks pause while nothing runs, but the count of ticks goes on: the time
 * slice that begins at 3600.0005 s ends at a tick, 10 ms later. */
static void test_long_sleep(void **state)
{
	struct replay_run r = fifo("1x1");

	r.end_ns = 4000 * 1000 * MS;
	expect_spans(&r,
		     "task a cpu=0: sleep 3600000.5ms; run 15ms; exit\n"
		     "task b cpu=0: sleep 3600000.5ms; run 5ms; exit\n",
		     "a 0 3600000500000-3600010000000; "
		     "b 0 3600010000000-3600015000000; "
		     "a 0 3600015000000-3600020500000");
	assert_true(replay_count(&r, "ticks") < 2000);
	replay_run_release(&r);
}

/* -- affinity -------------------------------------------------------------------- */

static int select_3(void *state, const struct view *v,
		    const struct select_args *a, struct decisions *d)
{
	return 3;
}

static int select_99(void *state, const struct view *v,
		     const struct select_args *a, struct decisions *d)
{
	return 99;
}

static void test_affinity(void **state)
{
	static const struct policy_ops to_3 = {
		.name = "to_3", .discipline = "queue_fifo",
		.select_cpu = select_3 };
	struct replay_run r = fifo("2x2");

	/* a may go to CPU 3, b may not: refused and counted.  ksoftirqd/1 is
	 * pinned by its name.  e names CPUs that do not exist here. */
	r.ops = &to_3;
	expect_spans(&r,
		     "task a cpu=0: run 1ms; exit\n"
		     "task b cpu=0 cpus=0-1: run 1ms; exit\n"
		     "task ksoftirqd/1 cpu=1 kthread: run 1ms; exit\n"
		     "task e cpu=2 cpus=8-9: run 1ms; exit\n",
		     "b 0 0-1000000; ksoftirqd/1 1 0-1000000; "
		     "a 3 0-1000000; e 3 1000000-2000000");
	assert_int_equal(replay_count(&r, "refused"), 2);
	assert_int_equal(replay_count(&r, "moves_wake"), 2);
	assert_int_equal(replay_count(&r, "affinity_ignored"), 1);
	assert_int_equal(r.nr_moves, 4);
	assert_int_equal(r.move[1].refused, 1);
	assert_int_equal(r.move[1].to, 3);
	replay_run_release(&r);
}

static void cpu_1_offline(struct topo *t)
{
	t->cpu[1].online = false;
}

static void test_offline(void **state)
{
	static const struct policy_ops nowhere = {
		.name = "nowhere", .discipline = "queue_fifo",
		.select_cpu = select_99 };
	struct replay_run r = fifo("1x3");

	/* First seen on a CPU that is offline here: put on another by number;
	 * a CPU that does not exist is refused. */
	r.adapt = cpu_1_offline;
	r.ops = &nowhere;
	expect_spans(&r,
		     "task a cpu=1: run 1ms; exit\n"
		     "task b cpu=1: run 1ms; exit\n",
		     "a 0 0-1000000; b 2 0-1000000");
	assert_int_equal(replay_count(&r, "refused"), 2);
	replay_run_release(&r);
}

/* -- decisions --------------------------------------------------------------------- */

/* Wishes of the policy at each tick of CPU 0, by the number of the tick. */
struct wish {
	int64_t tick;
	struct pull pull;
};

static const struct wish *wishes;

static void wish_tick(void *state, const struct view *v, int cpu,
		      struct decisions *d)
{
	for (const struct wish *w = wishes; cpu == 0 && w->tick; w++)
		if (w->tick == view_ticks(v))
			decide_pull(d, &w->pull);
}

static const struct policy_ops wishing = {
	.name = "wishing", .discipline = "queue_fifo", .tick = wish_tick };

/*
 * a runs on CPU 0, b waits behind it.  Tick 1: b may be pulled, a may not,
 * since it runs; nobody pulls c, which sleeps, nor a task that does not exist,
 * nor to a CPU that does not.  Tick 2: a is pushed though it runs.
 */
static void test_pull(void **state)
{
	static const struct wish list[] = {
		{ 1, { 1, 2, MOVE_BALANCE } },
		{ 1, { 0, 1, MOVE_BALANCE } },
		{ 1, { 2, 1, MOVE_PUSH } },
		{ 1, { 77, 1, MOVE_PUSH } },
		{ 1, { 1, 77, MOVE_BALANCE } },
		{ 2, { 0, 1, MOVE_PUSH } },
		{ 0 }
	};
	struct replay_run r = fifo("2x2");

	wishes = list;
	r.ops = &wishing;
	r.cost = "flat,migrate:system=1000,migrate:node=100";
	expect_spans(&r,
		     "task a cpu=0: run 3ms; exit\n"
		     "task b cpu=0: run 1ms; exit\n"
		     "task c cpu=3: sleep 9ms; run 1ms; exit\n",
		     /* a's move inside the node costs 100 ns.  b never ran
		      * before it was moved: no cache to refill. */
		     "a 0 0-2000000; b 2 1000000-2000000; "
		     "a 1 2000000-3000100; c 3 9000000-10000000");
	assert_int_equal(replay_count(&r, "refused"), 4);
	assert_int_equal(replay_count(&r, "moves_balance"), 1);
	assert_int_equal(replay_count(&r, "moves_push"), 1);
	assert_int_equal(replay_count(&r, "migrations"), 1);
	assert_int_equal(replay_count(&r, "node_migrations"), 0);
	replay_run_release(&r);
}

static int exec_to_3(void *state, const struct view *v,
		     const struct select_args *a, struct decisions *d)
{
	return a->why == SELECT_EXEC ? 3 : a->prev_cpu;
}

static void test_exec(void **state)
{
	static const struct policy_ops ops = {
		.name = "exec_to_3", .discipline = "queue_fifo",
		.select_cpu = exec_to_3 };
	struct replay_run r = fifo("2x2");

	r.ops = &ops;
	r.cost = "flat,migrate:system=1000";
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: touch x 5; run 1ms; exec; run 1ms; exit\n",
		     "a 0 0-1000000; a 3 1000000-2001000");
	assert_int_equal(replay_count(&r, "node_migrations"), 1);
	assert_int_equal(r.move[0].why, MOVE_EXEC);
	/* The old image's memory is gone at once. */
	assert_int_equal(r.nr_mems, 2);
	assert_int_equal(r.mem[1].pages, 0);
	assert_int_equal(r.mem[1].ts, 1 * MS);
	replay_run_release(&r);
}

/* -- memory ------------------------------------------------------------------------ */

static void test_first_touch(void **state)
{
	struct replay_run r = fifo("2x1");

	/* b is a thread of a.  At the end of the process its pages stay known. */
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: run 1ms; touch x 30; run 1ms; free x 10; exit\n"
		     "task b cpu=1 proc=a: run 3ms; touch x 10; run 1ms; exit\n",
		     "a 0 0-2000000; b 1 0-4000000");
	/* 30 on node 0; 20; 10 on node 1 */
	assert_int_equal(r.nr_mems, 3);
	assert_int_equal(r.mem[0].ts, 1 * MS);
	assert_int_equal(r.mem[0].pages, 30);
	assert_int_equal(r.mem[1].pages, 20);
	assert_int_equal(r.mem[2].node, 1);
	assert_int_equal(r.mem[2].pages, 10);
	assert_int_equal(r.mem[2].ts, 3 * MS);
	replay_run_release(&r);
}

/* Node 0 has room for 4 pages of 4 KiB, node 2 for 3, node 1 has no memory;
 * node 1 is nearer to node 0 than node 2 is. */
static void tight(struct topo *t)
{
	t->node[0].mem_bytes = 4 * 4096;
	t->node[1].mem_bytes = 0;
	t->node[2].mem_bytes = 3 * 4096;
	t->distance[0 * 3 + 1] = 15;
}

static void test_full_nodes(void **state)
{
	struct replay_run r = fifo("3x1");

	r.adapt = tight;
	/* a: 4 of 5 fit on its node, the next nearest with memory takes one.
	 * b's own node has no memory: the nearest with room is node 2 (0 is
	 * full).  a again: everything is full: too many go on its own node. */
	expect_spans(&r,
		     "area x proc=a\n"
		     "area y proc=b\n"
		     "task a cpu=0: touch x 5; run 2ms; touch x 1; run 1ms; end\n"
		     "task b cpu=1: run 1ms; touch y 2; run 1ms; end\n",
		     "b 1 0-2000000; a 0 0-3000000");
	assert_int_equal(replay_pages(&r, 0, 0), 5);
	assert_int_equal(replay_pages(&r, 0, 2), 1);
	assert_int_equal(replay_pages(&r, 1, 2), 2);
	replay_run_release(&r);
}

static void move_pages(void *state, const struct view *v, int task, int area,
		       int node, int64_t pages, struct decisions *d)
{
	decide_pages(d, &(struct page_move){
		.area = area, .from = node, .to = 1 - node, .pages = pages });
	decide_pages(d, &(struct page_move){ .area = area, .to = 9 });
}

/* 100 pages at 4 us each in batches of 64: 64 arrive after 256 us, the other
 * 36 after 400 us. */
static void test_page_moves(void **state)
{
	static const struct policy_ops ops = {
		.name = "moving", .discipline = "queue_fifo",
		.touched = move_pages };
	struct replay_run r = fifo("2x1");

	r.ops = &ops;
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: touch x 100; run 1ms; end\n",
		     "a 0 0-1000000");
	assert_int_equal(r.nr_mems, 5);
	assert_int_equal(r.mem[2].ts, 256000);
	assert_int_equal(r.mem[2].pages, 64);
	assert_int_equal(r.mem[4].ts, 400000);
	assert_int_equal(r.mem[4].pages, 100);
	assert_int_equal(replay_count(&r, "pages_moved"), 100);
	assert_int_equal(replay_count(&r, "pages_refused"), 1);
	replay_run_release(&r);
}

static void take_time(void *state, const struct view *v, int task, int area,
		      int node, int64_t pages, struct decisions *d)
{
	decide_time(d, task, pages * MS);
	decide_time(d, 99, MS);
	decide_time(d, task, -1);
}

/* 3 + 2 ms for the kernel beside 1 + 1 ms of its own; a task that is not there
 * and a time that is none are refused each time. */
static void test_time(void **state)
{
	static const struct policy_ops ops = {
		.name = "slow", .discipline = "queue_fifo",
		.touched = take_time };
	struct replay_run r = fifo("2x1");

	r.ops = &ops;
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: touch x 3; run 1ms; touch x 2; run 1ms; end\n",
		     "a 0 0-7000000");
	assert_int_equal(replay_count(&r, "refused"), 4);
	replay_run_release(&r);
}

static void forget(void *state, const struct view *v, int task, int cpu,
		   int64_t ns, bool goes_off, struct decisions *d)
{
	if (goes_off)
		decide_nomem(d);
}

/* A policy that has no memory left does not go on as if nothing were. */
static void test_policy_nomem(void **state)
{
	static const struct policy_ops ops = {
		.name = "forgetful", .discipline = "queue_fifo",
		.ran = forget };
	struct replay_run r = fifo("1x1");

	r.ops = &ops;
	assert_int_equal(replay_run(&r, "task a cpu=0: run 1ms; exit\n"),
			 ERR_NOMEM);
	replay_run_release(&r);
}

static int place_on_1(void *state, const struct view *v, int task, int area,
		      int64_t *pages)
{
	*pages = 3;
	return view_area_pages(v, area, 1) < 3 ? 1 : 0;
}

static void test_place_page(void **state)
{
	static const struct policy_ops ops = {
		.name = "placing", .discipline = "queue_fifo",
		.place_page = place_on_1 };
	struct replay_run r = fifo("2x1");

	r.ops = &ops;
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: touch x 7; run 1ms; end\n", "a 0 0-1000000");
	assert_int_equal(replay_pages(&r, 0, 1), 3);
	assert_int_equal(replay_pages(&r, 0, 0), 4);
	replay_run_release(&r);
}

/* -- cost -------------------------------------------------------------------------- */

static void test_remote(void **state)
{
	static const char *const demand =
		"area x proc=a\n"
		"task a cpu=0: held x 1 10; run 10ms; end\n";
	struct replay_run r = fifo("2x1");

	/* All memory remote at twice the time, half of it waiting: * 1.5; the
	 * range is from 10 to 20 ms. */
	r.cost = "flat,remote=2";
	expect_spans(&r, demand, "a 0 0-15000000");
	assert_int_equal(replay_count(&r, "cpu_lo_ns"), 10 * MS);
	assert_int_equal(replay_count(&r, "cpu_hi_ns"), 20 * MS);
	replay_run_release(&r);

	/* All of it waiting, and said so. */
	r = fifo("2x1");
	r.cost = "flat,remote=2,intensity=1";
	expect_spans(&r, demand, "a 0 0-20000000");
	assert_int_equal(replay_count(&r, "cpu_lo_ns"), 20 * MS);
	assert_int_equal(replay_count(&r, "cpu_hi_ns"), 20 * MS);
	replay_run_release(&r);
}

/* Recorded at twice the time of local memory, replayed on local memory; a
 * sibling that was busy half the time and is not now. */
static void test_recorded_slow(void **state)
{
	struct replay_run r = fifo("2x1");

	r.cost = "flat,remote=3,intensity=1";
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: held x 0 10; run 10ms slow 2048; end\n"
		     "task b cpu=1: run 10ms crowd 1280; end\n",
		     "a 0 0-5000000; b 1 0-8000000");
	replay_run_release(&r);

	/* Intensity 0.5: slow 2048 counts half: 10 / 1.5, then all of it is
	 * remote at 3: times 2.  Range: 10 as recorded, and 10 / 2 * 3. */
	r = fifo("2x1");
	r.cost = "flat,remote=3";
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: held x 1 10; run 9ms slow 2048; end\n",
		     "a 0 0-12000000");
	assert_int_equal(replay_count(&r, "cpu_lo_ns"), 9 * MS);
	assert_int_equal(replay_count(&r, "cpu_hi_ns"), 27 * MS / 2);
	replay_run_release(&r);
}

/*
 * a was recorded on remote memory and is local now: 12 ms at intensity 0, 6 at
 * 1, 12 / 1.5 at 0.5.  b the other way round: 6, 12, and 9.  The sum at 0.5, 17,
 * is less than that at 0 and at 1 (18 both), but within 6 + 6 and 12 + 12.
 */
static void test_range_holds_the_value(void **state)
{
	struct replay_run r = fifo("2x1");

	r.cost = "flat,remote=2";
	expect_spans(&r,
		     "area x proc=a\n"
		     "area y proc=b\n"
		     "task a cpu=0: held x 0 10; run 12ms slow 2048; end\n"
		     "task b cpu=1: held y 0 10; run 6ms; end\n",
		     "a 0 0-8000000; b 1 0-9000000");
	assert_int_equal(replay_count(&r, "cpu_lo_ns"), 12 * MS);
	assert_int_equal(replay_count(&r, "cpu_hi_ns"), 24 * MS);
	replay_run_release(&r);
}

/*
 * All of a's 10 pages are remote: half speed.  At 4 ms, with 2 ms of its work
 * done, its thread b touches 10 more on a's node: half are local now, time is
 * 1.5 times the work: the other 8 ms take 12.
 */
static void test_pages_change_speed(void **state)
{
	struct replay_run r = fifo("2x2");

	r.cost = "flat,remote=2,intensity=1";
	expect_spans(&r,
		     "area x proc=a\n"
		     "task a cpu=0: held x 1 10; run 10ms; end\n"
		     "task b cpu=1 proc=a: sleep 4ms; touch x 10; end\n",
		     "a 0 0-16000000");
	replay_run_release(&r);
}

/*
 * Both use node 0's memory: M = 1 + 0.5 * (2 - 1).  a ends at 15 ms; b has
 * done 10 ms of its work by then and does the rest alone.
 */
static void test_contention(void **state)
{
	struct replay_run r = fifo("1x2");

	r.cost = "flat,remote=1,contention=0.5,intensity=1";
	expect_spans(&r,
		     "area x proc=a\n"
		     "area y proc=b\n"
		     "task a cpu=0: held x 0 10; run 10ms; end\n"
		     "task b cpu=1: held y 0 10; run 20ms; end\n",
		     "a 0 0-15000000; b 1 0-25000000");
	replay_run_release(&r);
}

/* Weights of access: a uses only y, which is local, though x is larger. */
static void test_access(void **state)
{
	struct replay_run r = fifo("2x1");

	r.cost = "flat,remote=2,intensity=1";
	expect_spans(&r,
		     "area x proc=a\n"
		     "area y proc=a\n"
		     "task a cpu=0: held x 1 90; held y 0 10; run 10ms; end\n"
		     "access a y 3\n",
		     "a 0 0-10000000");
	replay_run_release(&r);
}

static void same_core(struct topo *t)
{
	t->cpu[0].core = t->cpu[1].core = 7;
}

static void test_smt(void **state)
{
	struct replay_run r = fifo("1x3");

	/* As test_contention(); c on another core is not slowed down. */
	r.adapt = same_core;
	r.cost = "flat,smt=1.5";
	expect_spans(&r,
		     "task a cpu=0: run 10ms; end\n"
		     "task b cpu=1: run 20ms; end\n"
		     "task c cpu=2: run 20ms; end\n",
		     "a 0 0-15000000; c 2 0-20000000; b 1 0-25000000");
	replay_run_release(&r);
}

static void test_oversubscribed(void **state)
{
	struct replay_run r = fifo("1x1");

	r.policy = "stay,slice=0";
	r.cost = "flat,oversubscribed=1.5";
	expect_spans(&r,
		     "task a cpu=0: run 10ms; end\n"
		     "task b cpu=0: run 10ms; end\n",
		     "a 0 0-15000000; b 0 15000000-25000000");
	replay_run_release(&r);
}

/* -- the recording followed ---------------------------------------------------------- */

static struct replay_run follow(const char *machine)
{
	return (struct replay_run){
		.machine = machine,
		.policy = "recorded",
		.end_ns = 20 * MS,
	};
}

static void test_follow(void **state)
{
	struct replay_run r = follow("2x1");

	/* Equal times everywhere: b begins on CPU 0 when a leaves it, a span
	 * of no length lies between them, c is woken at the instant at which
	 * it goes to sleep. */
	expect_spans(&r,
		     "task b: wait a; place 0 1ms; run 5ms; exit\n"
		     "task a: place 0 0ms; run 2ms; wake b; wake c; run 1ms; "
		     "	wait c; place 1 2ms; run 1ms; exit\n"
		     "task c: place 1 0ms; run 2ms; wait a; place 1 0ms; run 2ms;"
		     "	wake a; sleep 1ms; place 0 3ms; place 1 0ms; run 1ms; end\n"
		     "task z: sleep 3ms; place 0 0ms; sleep 1ms; end\n",
		     "c 1 0-2000000; a 0 0-3000000; z 0 3000000-3000000; "
		     "c 1 2000000-4000000; a 1 6000000-7000000; "
		     "b 0 3000000-8000000; c 0 8000000-8000000; "
		     "c 1 8000000-9000000");
	assert_int_equal(replay_count(&r, "conflicts"), 0);
	assert_int_equal(r.span[0].flags, SPAN_F_CENSORED_START);
	assert_int_equal(r.span[5].ready_ns, 2 * MS);
	replay_run_release(&r);
}

/* Still running when the recording ends. */
static void test_follow_end(void **state)
{
	struct replay_run r = follow("1x2");

	assert_int_equal(replay_run(&r,
		"task a: place 0 0ms; run 20ms; end\n"
		"task b: place 1 5ms; run 30ms; end\n"), 0);
	assert_string_equal(replay_spans(&r, text, sizeof(text)),
			    "a 0 0-20000000; b 1 5000000-20000000");
	assert_int_equal(r.span[0].flags,
			 SPAN_F_CENSORED_START | SPAN_F_CENSORED_END);
	assert_int_equal(r.span[1].flags, SPAN_F_CENSORED_END);
	replay_run_release(&r);
}

/*
 * Pages are where the recording says, whatever order the tasks tell it in: b
 * frees on node 1 before a's pages are found there, and the node has room for
 * none of them.  Only MOVED is a migration, also from a place nobody knows.
 */
static void test_follow_memory(void **state)
{
	struct replay_run r = follow("2x1");

	expect_spans(&r,
		     "area x proc=a\n"
		     "task a: held x 1 4; place 0 0ms; touch x 6; run 1ms; "
		     "	moved x 1 0 3; run 1ms; found x 0 1 2; moved x 1 1 9;"
		     "	run 1ms; touch_at x 1 5; free_at x 0 1; end\n"
		     "task b: place 1 0ms; free_at x 1 3; run 1ms; sleep 1ms;"
		     "	touch_at x 0 8; end\n",
		     "b 1 0-1000000; a 0 0-3000000");
	/* Node 0: 6 + 3 - 2 - 1 + 8; node 1: 4 - 3 + 2 + 5 - 3. */
	assert_int_equal(replay_pages(&r, 0, 0), 14);
	assert_int_equal(replay_pages(&r, 0, 1), 5);
	assert_int_equal(replay_count(&r, "pages_moved"), 12);
	replay_run_release(&r);
}

/* Not where no pages could be. */
static void test_follow_memory_hostile(void **state)
{
	static const char *const bad[] = {
		"found x 0 7 1", "moved x 7 0 1", "touch_at x 2 1",
		"free_at x 2 1", "free_at x 0 1099511627776; free_at x 0 1",
		"moved x 0 1 1099511627776; moved x 0 1 1",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct replay_run r = follow("2x1");
		char demand[200];

		snprintf(demand, sizeof(demand), "area x proc=a\n"
			 "task a: place 0 0ms; %s; run 1ms; end\n", bad[i]);
		assert_int_equal(replay_run(&r, demand), ERR_FORMAT);
		replay_run_release(&r);
	}
}

/* Other policies: where the task runs, and in proportion. */
static void test_placed_memory_elsewhere(void **state)
{
	struct replay_run r = fifo("2x1");

	assert_int_equal(replay_run(&r, "area x proc=a\n"
		"task a cpu=0: held x 1 4; touch_at x 1 12; run 1ms;"
		"	free_at x 1 8; found x 0 1 2; moved x 0 1 2; end\n"), 0);
	assert_int_equal(replay_pages(&r, 0, 0), 6);
	assert_int_equal(replay_pages(&r, 0, 1), 2);
	assert_int_equal(replay_count(&r, "pages_moved"), 0);
	replay_run_release(&r);
}

static void test_follow_conflict(void **state)
{
	struct replay_run r = follow("1x1");

	expect_spans(&r,
		     "task a: place 0 0ms; run 10ms; end\n"
		     "task b: place 0 2ms; run 1ms; end\n",
		     "b 0 2000000-3000000; a 0 0-10000000");
	assert_int_equal(replay_count(&r, "conflicts"), 1);
	replay_run_release(&r);
}

/* -- bad demand ---------------------------------------------------------------------- */

static void test_bad_demand(void **state)
{
	static const struct {
		const char *demand, *error;
	} bad[] = {
		{ "task a cpu=0: run 1ms\n", "has no end" },
		{ "task a cpu=0: run 1ms; fork a; end\n", "forks a task that exists" },
		{ "task a cpu=0: run 1ms; fork b; fork b; end\n"
		  "task b forked: wait a; end\n", "forks a task that exists" },
		{ "area x proc=a\n"
		  "task a cpu=0: touch x 9000000000000; end\n", "more pages" },
		{ "task a cpu=0: run 1ms; sleep 9000000000s; end\n",
		  "beyond the end of time" },
		{ "task a cpu=0: run 1ms; sleep 500000s; run 1ms; end\n",
		  "does not end" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct replay_run r = fifo("1x1");

		r.end_ns = MS;
		assert_int_equal(replay_run(&r, bad[i].demand), ERR_FORMAT);
		if (!strstr(r.error, bad[i].error))
			fail_msg("'%s' does not say '%s'", r.error, bad[i].error);
		replay_run_release(&r);
	}
}

static void test_bad_follow(void **state)
{
	static const struct {
		const char *demand, *error;
	} bad[] = {
		{ "task a: run 1ms; end\n", "runs without a place" },
		{ "task a: sleep 1ms; exec; end\n", "runs without a place" },
		{ "task a: place 7 0ms; run 1ms; end\n", "CPU that does not exist" },
		{ "area x proc=a\n"
		  "task a: place 0 0ms; moved x 0 5 1; end\n",
		  "node that does not exist" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct replay_run r = follow("1x1");

		assert_int_equal(replay_run(&r, bad[i].demand), ERR_FORMAT);
		if (!strstr(r.error, bad[i].error))
			fail_msg("'%s' does not say '%s'", r.error, bad[i].error);
		replay_run_release(&r);
	}
}

/* Damaged bytes anywhere must give an error or another replay, no crash. */
static int damaged_chunk(void *ctx, int task, int n, const uint8_t **bytes,
			 size_t *len, struct err *err)
{
	*bytes = ctx;
	*len = 24;
	return n < 40;
}

static void test_damaged(void **state)
{
	struct replay_run r = fifo("2x2");
	struct rng { uint64_t s; } rng = { 1 };
	struct policy_spec spec;
	struct cost cost;
	struct err err = { 0 };
	struct run_sink sink = { 0 };
	struct engine_input in = { 0 };
	static uint8_t bytes[24];

	assert_int_equal(demand_text_parse(&r.demand,
		"area x proc=a\ntask a: end\ntask b: end\ntask c forked: end\n", 0), 0);
	topo_grid(&r.topo, "2x2");
	assert_int_equal(cost_init(&cost, &r.topo, &err), 0);
	in = (struct engine_input){
		.topo = &r.topo, .tasks = &r.demand.tasks,
		.areas = &r.demand.areas, .demand = r.demand.demand,
		.nr_demand = 3, .cost = &cost, .policy = &spec, .check = true,
		.end_ns = 1000000, .source = { bytes, damaged_chunk } };
	for (int i = 0; i < 3000; i++) {
		for (size_t b = 0; b < sizeof(bytes); b++) {
			rng.s = rng.s * 6364136223846793005u + 1442695040888963407u;
			bytes[b] = (uint8_t)(rng.s >> 33) % (i & 1 ? 16 : 255);
		}
		err = (struct err){ 0 };
		assert_int_equal(policy_spec_parse(&spec,
			i % 3 ? "recorded" : "node-affine", NULL, &err), 0);
		assert_int_not_equal(engine_run(&in, &sink, &err), 1);
		assert_null(strstr(err.text, "engine:"));
		policy_spec_release(&spec);
	}
	cost_release(&cost);
	replay_run_release(&r);
}

/* -- determinism ---------------------------------------------------------------------- */

static void test_seeds(void **state)
{
	static const char *const demand =
		"task a cpu=0: 5*(run 7ms; sleep 2ms); exit\n"
		"task b cpu=0: 5*(run 9ms; sleep 1ms); exit\n"
		"task c cpu=0: run 40ms; exit\n";
	static char first[20000];
	int different = 0;

	for (uint64_t seed = 0; seed < 6; seed++) {
		struct replay_run r = {
			.machine = "2x2", .policy = "o1", .random_ticks = true,
			.seed = seed / 2 };

		assert_int_equal(replay_run(&r, demand), 0);
		replay_spans(&r, text, sizeof(text));
		if (seed & 1)
			assert_string_equal(text, first);
		else
			different += strcmp(text, first) != 0;
		strcpy(first, text);
		assert_int_equal(replay_cpu_ns(&r, "a"), 35 * MS);
		assert_int_equal(replay_cpu_ns(&r, "b"), 45 * MS);
		assert_int_equal(replay_cpu_ns(&r, "c"), 40 * MS);
		replay_run_release(&r);
	}
	assert_int_equal(different, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_appears),
		cmocka_unit_test(test_long_sleep),
		cmocka_unit_test(test_affinity),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_pull),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_first_touch),
		cmocka_unit_test(test_full_nodes),
		cmocka_unit_test(test_page_moves),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_policy_nomem),
		cmocka_unit_test(test_place_page),
		cmocka_unit_test(test_remote),
		cmocka_unit_test(test_recorded_slow),
		cmocka_unit_test(test_range_holds_the_value),
		cmocka_unit_test(test_pages_change_speed),
		cmocka_unit_test(test_contention),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_smt),
		cmocka_unit_test(test_oversubscribed),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_follow_end),
		cmocka_unit_test(test_follow_memory),
		cmocka_unit_test(test_follow_memory_hostile),
		cmocka_unit_test(test_placed_memory_elsewhere),
		cmocka_unit_test(test_follow_conflict),
		cmocka_unit_test(test_bad_demand),
		cmocka_unit_test(test_bad_follow),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_seeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
