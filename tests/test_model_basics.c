/* SPDX-License-Identifier: MIT */
/* Lists of names, CPU sets, event kinds and states, tasks by tid, topology. */
#include "model/cpumask.h"
#include "model/err.h"
#include "model/event.h"
#include "model/task.h"
#include "model/topo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* "ab, c" and its end take six bytes: a third name has no room. */
static void test_err_list(void **state)
{
	char list[6] = "";

	assert_true(err_list(list, sizeof(list), "ab"));
	assert_false(err_list(list, sizeof(list), "cd"));
	assert_true(err_list(list, sizeof(list), "c"));
	assert_false(err_list(list, sizeof(list), ""));
	assert_string_equal(list, "ab, c");
}

static void test_cpumask_bits(void **state)
{
	struct cpumask a = { 0 }, b = { 0 };

	assert_true(cpumask_empty(&a));
	assert_int_equal(cpumask_next(&a, -1), -1);
	assert_int_equal(cpumask_set(&a, 0), 0);
	assert_int_equal(cpumask_set(&a, 63), 0);
	assert_int_equal(cpumask_set(&a, 64), 0);
	assert_int_equal(cpumask_set(&a, 1023), 0);
	assert_int_equal(cpumask_set(&a, -1), ERR_USAGE);
	assert_int_equal(cpumask_set(&a, CPUMASK_MAX), ERR_USAGE);
	assert_int_equal(cpumask_count(&a), 4);
	assert_int_equal(cpumask_next(&a, -1), 0);
	assert_int_equal(cpumask_next(&a, 0), 63);
	assert_int_equal(cpumask_next(&a, 63), 64);
	assert_int_equal(cpumask_next(&a, 64), 1023);
	assert_int_equal(cpumask_next(&a, 1023), -1);
	assert_false(cpumask_test(&a, 1));
	assert_false(cpumask_test(&a, 1 << 30));
	assert_int_equal(cpumask_copy(&b, &a), 0);
	assert_true(cpumask_equal(&a, &b));
	cpumask_clear(&b, 1023);
	assert_false(cpumask_equal(&a, &b));
	/* Masks of other length with the same numbers are equal. */
	cpumask_clear(&a, 1023);
	cpumask_release(&b);
	assert_int_equal(cpumask_parse(&b, "0,63-64", &(struct err){ 0 }), 0);
	assert_true(cpumask_equal(&a, &b));
	cpumask_release(&a);
	cpumask_release(&b);
}

static void test_cpumask_text(void **state)
{
	static const struct {
		const char *in, *out;
	} good[] = {
		{ "", "" },		    { "\n", "" },
		{ "0", "0" },		    { "0-3,8,10-11", "0-3,8,10-11" },
		{ "3,2,1", "1-3" },	    { " 5 , 7\n", "5,7" },
		{ "65535", "65535" },
	};
	static const char *const bad[] = {
		"a", "1-", "-1", "3-1", "1,,x", "65536", "0x3", "1-2-3",
		"99999999999999999999",
	};
	struct cpumask m = { 0 };
	char text[64];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err err = { 0 };

		assert_int_equal(cpumask_parse(&m, good[i].in, &err), 0);
		assert_int_equal(cpumask_print(&m, text, sizeof(text)),
				 strlen(good[i].out));
		assert_string_equal(text, good[i].out);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };

		assert_int_equal(cpumask_parse(&m, bad[i], &err), ERR_FORMAT);
		assert_true(err.text[0]);
	}
	/* A failed parse leaves what was there; a short buffer is cut. */
	assert_int_equal(cpumask_count(&m), 1);
	assert_int_equal(cpumask_parse(&m, "100-200,300", &(struct err){ 0 }), 0);
	assert_int_equal(cpumask_print(&m, text, 6), 11);
	assert_string_equal(text, "100-2");
	assert_int_equal(cpumask_print(&m, NULL, 0), 11);
	cpumask_release(&m);
}

static void test_event_names(void **state)
{
	assert_string_equal(event_kind_name(EVENT_SWITCH), "sched_switch");
	assert_string_equal(event_kind_system(EVENT_SWITCH), "sched");
	assert_string_equal(event_kind_system(EVENT_PAGE_FAULT_USER),
			    "exceptions");
	assert_null(event_kind_name(EVENT_NR_KINDS));
	assert_null(event_kind_name(-1));
	assert_int_equal(event_kind_of("sched_switchx"), -1);
	for (int i = 0; i < EVENT_NR_KINDS; i++)
		assert_int_equal(event_kind_of(event_kind_name(i)), i);
}

static void test_states(void **state)
{
	/* Linux 4.4 (events/sched/sched_switch/format of that kernel). */
	static const struct state_table old = {
		.nr = 11,
		.flag = { { 1, 'S' }, { 2, 'D' }, { 4, 'T' }, { 8, 't' },
			  { 16, 'Z' }, { 32, 'X' }, { 64, 'x' }, { 128, 'K' },
			  { 256, 'W' }, { 512, 'P' }, { 1024, 'N' } },
		.preempt_bit = 2048,
	};
	const struct state_table *now = &state_table_default;
	static const struct {
		int raw;
		enum task_state state;
		const char *text;
	} today[] = {
		{ 0, STATE_RUNNABLE, "R" },	{ 0x100, STATE_RUNNABLE, "R+" },
		{ 1, STATE_SLEEPING, "S" },	{ 2, STATE_DISK, "D" },
		{ 4, STATE_STOPPED, "T" },	{ 8, STATE_STOPPED, "t" },
		{ 0x10, STATE_DEAD, "X" },	{ 0x20, STATE_DEAD, "Z" },
		{ 0x40, STATE_PARKED, "P" },	{ 0x80, STATE_IDLE, "I" },
		{ 0x400, STATE_OTHER, "0x400" },
		{ 3, STATE_DISK, "S|D" },
	}, before[] = {
		{ 2048, STATE_RUNNABLE, "R+" },
		/* Preempted on the way to sleep: it is still on the queue. */
		{ 2049, STATE_RUNNABLE, "S+" },
		{ 64, STATE_DEAD, "x" },	{ 16, STATE_DEAD, "Z" },
		{ 130, STATE_DISK, "D|K" },	{ 1026, STATE_IDLE, "D|N" },
		{ 128, STATE_OTHER, "K" },
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(today) / sizeof(today[0]); i++) {
		assert_int_equal(state_decode(now, today[i].raw), today[i].state);
		assert_string_equal(state_text(now, today[i].raw, buf, 32),
				    today[i].text);
	}
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		assert_int_equal(state_decode(&old, before[i].raw),
				 before[i].state);
		assert_string_equal(state_text(&old, before[i].raw, buf, 32),
				    before[i].text);
	}
	assert_int_equal(state_decode(now, -1), STATE_RUNNABLE);
	assert_string_equal(state_text(now, 3, buf, 3), "S|");
	assert_string_equal(state_text(now, 3, buf, 1), "");
}

static void test_tasks_by_time(void **state)
{
	struct tasks t = { 0 };
	struct err err = { 0 };

	/* tid 7 lives three times, added out of order */
	assert_non_null(tasks_add(&t, 7, 500));
	assert_non_null(tasks_add(&t, 9, 100));
	assert_non_null(tasks_add(&t, 7, 100));
	assert_non_null(tasks_add(&t, 7, 900));
	assert_int_equal(tasks_index(&t, &err), 0);
	assert_int_equal(tasks_find(&t, 7, 100), 2);
	assert_int_equal(tasks_find(&t, 7, 499), 2);
	assert_int_equal(tasks_find(&t, 7, 500), 0);
	assert_int_equal(tasks_find(&t, 7, INT64_MAX), 3);
	assert_int_equal(tasks_find(&t, 7, 0), 2);	/* before all: the first */
	assert_int_equal(tasks_find(&t, 9, 5000), 1);
	assert_int_equal(tasks_find(&t, 8, 5000), TASK_NONE);
	assert_int_equal(tasks_find(&t, 0, 5000), TASK_NONE);
	assert_int_equal(t.task[1].pid, -1);
	assert_int_equal(t.task[1].nice, NICE_UNKNOWN);
	assert_string_equal(t.task[1].comm, "");
	tasks_release(&t);
	assert_int_equal(tasks_index(&t, &err), 0);
	assert_int_equal(tasks_find(&t, 7, 100), TASK_NONE);
	tasks_release(&t);
}

static void test_percpu_names(void **state)
{
	static const struct {
		const char *comm;
		int cpu;	/* -1: not one */
	} names[] = {
		{ "kworker/3:1", 3 },	    { "kworker/12:0H", 12 },
		{ "kworker/3:1-events", 3 }, { "kworker/u8:2", -1 },
		{ "kworker/3", -1 },	    { "migration/0", 0 },
		{ "ksoftirqd/31", 31 },	    { "cpuhp/3", 3 },
		{ "watchdog/2", 2 },	    { "rcuc/5", 5 },
		{ "migration/x", -1 },	    { "migration/3a", -1 },
		{ "kcompactd0", -1 },	    { "foo/3", -1 },
		{ "", -1 },		    { "/3", -1 },
		{ "migration/99999999999", -1 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int cpu = -1;

		assert_int_equal(task_percpu_name(names[i].comm, &cpu),
				 names[i].cpu >= 0);
		assert_int_equal(cpu, names[i].cpu);
	}
}

static void test_topo_sparse(void **state)
{
	struct topo t = { 0 }, copy = { 0 };
	struct err err = { 0 };

	/* POWER9: nodes 0, 8, 255; the last without CPUs (bug report 52). */
	assert_int_equal(topo_add_node(&t, 8, &err), 0);
	assert_int_equal(topo_add_cpu(&t, 3, 8, &err), 0);
	assert_int_equal(topo_add_node(&t, 0, &err), 0);
	assert_int_equal(topo_add_cpu(&t, 0, 0, &err), 0);
	t.distance[0 * t.nr_node_ids + 8] = 40;
	assert_int_equal(topo_add_node(&t, 255, &err), 0);
	t.distance[8 * t.nr_node_ids + 255] = 80;
	assert_int_equal(topo_finish(&t, &err), 0);
	assert_int_equal(topo_nr_nodes(&t), 3);
	assert_int_equal(topo_nr_cpus(&t), 2);
	assert_int_equal(topo_node_of(&t, 3), 8);
	assert_int_equal(topo_node_of(&t, 1), -1);
	assert_int_equal(topo_node_of(&t, 99), -1);
	assert_int_equal(topo_distance(&t, 0, 8), 40);
	assert_int_equal(topo_distance(&t, 8, 0), TOPO_DISTANCE_REMOTE);
	assert_int_equal(topo_distance(&t, 8, 255), 80);
	assert_int_equal(topo_distance(&t, 8, 8), TOPO_DISTANCE_LOCAL);
	assert_int_equal(t.node[255].nr_cpus, 0);
	assert_int_equal(t.node[8].nr_cpus, 1);
	assert_false(t.node[1].present);
	assert_int_equal(topo_copy(&copy, &t, &err), 0);
	topo_release(&t);
	assert_int_equal(topo_distance(&copy, 8, 255), 80);
	topo_release(&copy);
}

static void test_topo_memory(void **state)
{
	struct topo t = { 0 };
	struct err err = { 0 };

	for (int n = 0; n < 3; n++)
		assert_int_equal(topo_add_node(&t, n, &err), 0);
	t.node[0].mem_bytes = 0;
	assert_int_equal(topo_nearest_memory(&t, 1), 1);
	assert_int_equal(topo_nearest_memory(&t, 0), 1);	/* tie */
	t.distance[0 * 3 + 2] = 15;
	assert_int_equal(topo_nearest_memory(&t, 0), 2);
	t.node[1].mem_bytes = t.node[2].mem_bytes = 0;
	assert_int_equal(topo_nearest_memory(&t, 0), -1);
	topo_release(&t);
}

static void test_topo_levels(void **state)
{
	struct topo t = { 0 };
	struct err err = { 0 };
	int order[8];

	/* Two nodes of two cores of two threads; CPU n and n+4 are siblings.
	 * One LLC spans both nodes: each node gets its own. */
	for (int n = 0; n < 2; n++)
		assert_int_equal(topo_add_node(&t, n, &err), 0);
	for (int cpu = 0; cpu < 8; cpu++) {
		assert_int_equal(topo_add_cpu(&t, cpu, cpu % 4 / 2, &err), 0);
		t.cpu[cpu].core = cpu % 4;
		t.cpu[cpu].smt = cpu / 4;
		t.cpu[cpu].llc = 5;
	}
	assert_int_equal(topo_finish(&t, &err), 0);
	assert_int_equal(t.cpu[0].llc, 5);
	assert_int_equal(t.cpu[1].llc, 5);
	assert_int_equal(t.cpu[2].llc, 6);
	assert_int_equal(t.cpu[7].llc, 6);
	assert_int_equal(topo_finish(&t, &err), 0);	/* changes nothing */
	assert_int_equal(t.cpu[2].llc, 6);
	assert_int_equal(topo_shared_level(&t, 1, 1), TOPO_SAME_CPU);
	assert_int_equal(topo_shared_level(&t, 1, 5), TOPO_SMT);
	assert_int_equal(topo_shared_level(&t, 0, 1), TOPO_LLC);
	assert_int_equal(topo_shared_level(&t, 0, 2), TOPO_SYSTEM);
	t.cpu[0].cluster = t.cpu[1].cluster = 0;
	assert_int_equal(topo_shared_level(&t, 0, 1), TOPO_CLUSTER);
	t.cpu[0].cluster = t.cpu[0].llc = -1;
	assert_int_equal(topo_shared_level(&t, 0, 1), TOPO_NODE);
	t.cpu[0].llc = 5;
	assert_int_equal(topo_cpu_order(&t, order), 8);
	assert_memory_equal(order, ((const int[]){ 0, 4, 5, 1, 2, 6, 3, 7 }),
			    sizeof(order));
	topo_release(&t);
}

static void test_topo_refuses(void **state)
{
	struct topo t = { 0 };
	struct err err = { 0 };

	assert_int_equal(topo_add_node(&t, TOPO_MAX_NODES, &err), ERR_FORMAT);
	err = (struct err){ 0 };
	assert_int_equal(topo_add_cpu(&t, -1, 0, &err), ERR_FORMAT);
	err = (struct err){ 0 };
	assert_int_equal(topo_add_cpu(&t, 0, 3, &err), 0);
	assert_int_equal(topo_finish(&t, &err), ERR_FORMAT);
	assert_string_equal(err.text, "CPU 0 is on node 3, which is not there");
	topo_release(&t);
	err = (struct err){ 0 };
	assert_int_equal(topo_flat(&t, 3, &err), 0);
	assert_int_equal(topo_nr_cpus(&t), 3);
	assert_int_equal(topo_nr_nodes(&t), 1);
	t.distance[0] = 0;
	assert_int_equal(topo_finish(&t, &err), ERR_FORMAT);
	topo_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err_list),
		cmocka_unit_test(test_cpumask_bits),
		cmocka_unit_test(test_cpumask_text),
		cmocka_unit_test(test_event_names),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_tasks_by_time),
		cmocka_unit_test(test_percpu_names),
		cmocka_unit_test(test_topo_sparse),
		cmocka_unit_test(test_topo_memory),
		cmocka_unit_test(test_topo_levels),
		cmocka_unit_test(test_topo_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
