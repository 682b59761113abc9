/* SPDX-License-Identifier: MIT */
/*
 * idlest, the bindings of sheet K.2 (hard-bind, inverse-bind, same-node) and bind
 * with its rules, as small replays of hand-written demand.  Machine: 2 nodes of 2
 * CPUs unless said otherwise; ticks of all CPUs at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/err.h"
#include "tests/support/replay_run.h"

static char text[4000];

static void run(struct replay_run *r, const char *machine, const char *policy,
		const char *demand)
{
	*r = (struct replay_run){ .machine = machine, .policy = policy };
	if (replay_run(r, demand))
		fail_msg("%s", r->error);
	assert_int_equal(replay_count(r, "unfinished"), 0);
	assert_int_equal(replay_count(r, "refused"), 0);
}

/* -- idlest --------------------------------------------------------------------------- */

/* Four tasks that begin on CPU 0 spread in order of birth: its own node first. */
static void test_idlest(void **state)
{
	struct replay_run r;

	run(&r, "2x2", "idlest",
	    "task a cpu=0: run 5ms; exit\n"
	    "task b cpu=0: run 6ms; exit\n"
	    "task c cpu=0: run 7ms; exit\n"
	    "task d cpu=0: run 8ms; exit\n");
	assert_string_equal(replay_spans(&r, text, sizeof(text)),
			    "a 0 0-5000000; b 1 0-6000000; c 2 0-7000000; "
			    "d 3 0-8000000");
	replay_run_release(&r);
}

/* Nobody idles while another waits: c, behind b on CPU 1 (both have one; its own
 * CPU is first), moves to CPU 0 when a ends. */
static void test_idlest_pull(void **state)
{
	struct replay_run r;

	run(&r, "1x2", "idlest",
	    "task a cpu=0: run 5ms; exit\n"
	    "task b cpu=1: run 20ms; exit\n"
	    "task c cpu=1: run 9ms; exit\n");
	assert_string_equal(replay_spans(&r, text, sizeof(text)),
			    "a 0 0-5000000; c 0 5000000-14000000; b 1 0-20000000");
	replay_run_release(&r);
}

/* -- K.2 ------------------------------------------------------------------------------- */

/* Two processes with memory, one without: nodes 0 and 1; the third is free. */
#define TWO_PROCESSES \
	"area x proc=a\n" \
	"area y proc=b\n" \
	"task a cpu=0: touch x 100; run 5ms; exit\n" \
	"task a2 cpu=0 proc=a: run 6ms; exit\n" \
	"task b cpu=0: touch y 60; run 7ms; exit\n" \
	"task c cpu=0: run 1ms; exit\n"

/* What was there before the exit. */
static int64_t most_pages(const struct replay_run *r, int area, int node)
{
	int64_t most = 0;

	for (int i = 0; i < r->nr_mems; i++)
		if (r->mem[i].area == area && r->mem[i].node == node &&
		    r->mem[i].pages > most)
			most = r->mem[i].pages;
	return most;
}

static int node_of(const struct replay_run *r, const char *task)
{
	int id = demand_text_task(&r->demand, task), node = -1;

	for (int i = 0; i < r->nr_spans; i++) {
		int n = r->topo.cpu[r->span[i].cpu].node;

		if (r->span[i].task != id)
			continue;
		assert_true(node < 0 || node == n);
		node = n;
	}
	return node;
}

static void test_hard_bind(void **state)
{
	struct replay_run r;

	run(&r, "2x2", "hard-bind", TWO_PROCESSES);
	assert_int_equal(node_of(&r, "a"), 0);
	assert_int_equal(node_of(&r, "a2"), 0);
	assert_int_equal(node_of(&r, "b"), 1);
	assert_int_equal(most_pages(&r, 0, 0), 100);
	assert_int_equal(most_pages(&r, 1, 1), 60);
	replay_run_release(&r);
}

static void test_inverse_bind(void **state)
{
	struct replay_run r;

	run(&r, "2x2", "inverse-bind", TWO_PROCESSES);
	assert_int_equal(node_of(&r, "a"), 0);
	assert_int_equal(node_of(&r, "b"), 1);
	assert_int_equal(most_pages(&r, 0, 1), 100);
	assert_int_equal(most_pages(&r, 1, 0), 60);
	replay_run_release(&r);
}

static void test_same_node(void **state)
{
	struct replay_run r;

	run(&r, "2x2", "same-node,node=1", TWO_PROCESSES);
	assert_int_equal(node_of(&r, "a"), 0);
	assert_int_equal(most_pages(&r, 0, 1), 100);
	assert_int_equal(most_pages(&r, 1, 1), 60);
	replay_run_release(&r);

	r = (struct replay_run){ .machine = "2x2", .policy = "same-node,node=2" };
	assert_int_equal(replay_run(&r, "task a cpu=0: run 1ms; exit\n"),
			 ERR_USAGE);
	replay_run_release(&r);
}

/*
 * numa02: one process, 4 threads on nodes of 1 CPU: more than a node has.  The
 * first half of threads and areas belongs to node 0, the second to node 1; the
 * main thread to node 0, and what it touches lies where it belongs.
 */
static void test_parts(void **state)
{
	struct replay_run r;

	run(&r, "2x1", "hard-bind",
	    "area p proc=m\n" "area q proc=m\n" "area r proc=m\n" "area s proc=m\n"
	    "task m cpu=0: touch p 10; touch q 20; touch r 30; touch s 40; run 1ms; "
	    "exit\n"
	    "task t1 cpu=0 proc=m: run 5ms; exit\n"
	    "task t2 cpu=0 proc=m: run 5ms; exit\n"
	    "task t3 cpu=0 proc=m: run 5ms; exit\n"
	    "task t4 cpu=0 proc=m: run 5ms; exit\n");
	assert_int_equal(node_of(&r, "m"), 0);
	assert_int_equal(node_of(&r, "t1"), 0);
	assert_int_equal(node_of(&r, "t2"), 0);
	assert_int_equal(node_of(&r, "t3"), 1);
	assert_int_equal(node_of(&r, "t4"), 1);
	assert_int_equal(most_pages(&r, 0, 0), 10);
	assert_int_equal(most_pages(&r, 1, 0), 20);
	assert_int_equal(most_pages(&r, 2, 1), 30);
	assert_int_equal(most_pages(&r, 3, 1), 40);
	replay_run_release(&r);
}

/* -- bind ------------------------------------------------------------------------------ */

static void test_bind_cpus(void **state)
{
	struct replay_run r;

	/* By name, by pid (tids count from 100), by node; the first that fits. */
	run(&r, "2x2",
	    "bind,rules=comm=a* cpus=3; pid=102 nodes=1; comm=? cpus=1",
	    "task ab cpu=0: run 2ms; exit\n"
	    "task b cpu=0: run 3ms; exit\n"
	    "task c cpu=0: run 4ms; exit\n"
	    "task free cpu=0: run 5ms; exit\n");
	assert_string_equal(replay_spans(&r, text, sizeof(text)),
			    "ab 3 0-2000000; b 1 0-3000000; c 2 0-4000000; "
			    "free 0 0-5000000");
	replay_run_release(&r);
}

/* 90 pages on two nodes are 45 and 45; weights 2:1 are 60 and 30; a bound node
 * takes all, wherever the task is. */
static void test_bind_memory(void **state)
{
	static const char demand[] =
		"area x proc=a\n"
		"task a cpu=0: touch x 90; run 1ms; exit\n";
	static const struct {
		const char *policy;
		int64_t on0, on1;
	} c[] = {
		{ "bind,rules=comm=a interleave=0-1", 45, 45 },
		{ "bind,rules=comm=a weights=0:2+1:1", 60, 30 },
		{ "bind,rules=comm=a mem=1", 0, 90 },
		{ "bind,rules=comm=a mem=0+1", 90, 0 },
		{ "bind,rules=comm=a prefer=1", 0, 90 },
		{ "bind,rules=comm=b mem=1", 90, 0 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct replay_run r;

		run(&r, "2x2", c[i].policy, demand);
		assert_int_equal(most_pages(&r, 0, 0), c[i].on0);
		assert_int_equal(most_pages(&r, 0, 1), c[i].on1);
		replay_run_release(&r);
	}
}

/* Single pages take turns. */
static void test_bind_single_pages(void **state)
{
	struct replay_run r;

	run(&r, "3x1", "bind,rules=comm=a interleave=0+2",
	    "area x proc=a\n"
	    "task a cpu=0: 10*(touch x 1; run 1ms); exit\n");
	assert_int_equal(most_pages(&r, 0, 0), 5);
	assert_int_equal(most_pages(&r, 0, 1), 0);
	assert_int_equal(most_pages(&r, 0, 2), 5);
	replay_run_release(&r);
}

static void refused(const char *policy, const char *why)
{
	struct replay_run r = { .machine = "2x2", .policy = policy };

	assert_true(replay_run(&r, "task a cpu=0: run 1ms; exit\n") < 0);
	if (!strstr(r.error, why))
		fail_msg("'%s' instead of '%s'", r.error, why);
	replay_run_release(&r);
}

static void test_bind_refused(void **state)
{
	refused("bind", "needs rules= or file=");
	refused("bind,rules=comm", "KEY=VALUE");
	refused("bind,rules=name=a cpus=1", "the keys are");
	refused("bind,rules=comm=a cpus=9", "none of its CPUs");
	refused("bind,rules=comm=a cpus=x", "x");
	refused("bind,rules=comm=a mem=7", "no such node");
	refused("bind,rules=comm=a weights=0+1", "NODE:WEIGHT");
	refused("bind,rules=comm=a weights=0:0", "all weights");
	refused("bind,rules=pid=x", "a number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idlest),
		cmocka_unit_test(test_idlest_pull),
		cmocka_unit_test(test_hard_bind),
		cmocka_unit_test(test_inverse_bind),
		cmocka_unit_test(test_same_node),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_bind_cpus),
		cmocka_unit_test(test_bind_memory),
		cmocka_unit_test(test_bind_single_pages),
		cmocka_unit_test(test_bind_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
