/* SPDX-License-Identifier: MIT */
/* What tells runs apart comes out in the words of the options. */
#include "model/cost.h"
#include "model/err.h"
#include "model/run.h"
#include "model/topo.h"
#include "model/topo_text.h"
#include "replay/policy_spec.h"
#include "ui/run_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two nodes of two CPUs each. */
static void machine(struct topo *t)
{
	struct err err = { 0 };

	for (int cpu = 0; cpu < 4; cpu++) {
		if (cpu < 2)
			assert_int_equal(topo_add_node(t, cpu, &err), 0);
		assert_int_equal(topo_add_cpu(t, cpu, cpu / 2, &err), 0);
	}
	assert_int_equal(topo_finish(t, &err), 0);
}

static void run_with(struct run_info *r, const char *spec, const char *queue,
		     const char *cost)
{
	struct policy_spec s = { 0 };
	struct topo t = { 0 };
	struct cost c = { 0 };
	struct err err = { 0 };

	machine(&t);
	assert_int_equal(policy_spec_parse(&s, spec, queue, &err), 0);
	assert_int_equal(cost_init(&c, &t, &err), 0);
	if (cost)
		assert_int_equal(cost_parse(&c, cost, &err), 0);
	*r = (struct run_info){
		.id = 3, .seed = 7, .policy = strdup(s.ops->name),
		.knobs = policy_spec_json(&s), .cost = cost_json(&c),
		.discipline = strdup(queue ? queue : s.ops->discipline),
	};
	policy_spec_release(&s);
	cost_release(&c);
	topo_release(&t);
}

static void expect(char *have, const char *wanted)
{
	assert_non_null(have);
	assert_string_equal(have, wanted);
	free(have);
}

static void test_cost(void **state)
{
	static const struct {
		const char *cost, *wanted;
	} cases[] = {
		{ NULL, "remote=1.31" },	/* SLIT 20, see cost.h */
		{ "flat", "flat" },
		{ "remote=2.5,intensity=1", "remote=2.5,intensity=1" },
		{ "contention=0,smt=2",
		  "remote=1.31,contention=0,smt=2" },
	};
	struct run_info r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		run_with(&r, "o1", NULL, cases[i].cost);
		expect(run_text_cost(&r), cases[i].wanted);
		run_info_release(&r);
	}
}

static void test_all(void **state)
{
	struct topo t = { 0 };
	struct run_info r;

	run_with(&r, "o1,hz=250", NULL, "flat");
	expect(run_text_machine(&r), "");
	expect(run_text(&r), "o1,seed=7 hz=250 flat");
	expect(run_text_settings(&r), "hz=250, flat");
	run_info_release(&r);
	run_with(&r, "node-affine,node_policy=fork", "queue_fifo", "flat");
	machine(&t);
	r.topology = topo_to_text(&t);
	topo_release(&t);
	expect(run_text_machine(&r), "2 nodes, 4 CPUs");
	expect(run_text(&r),
	       "node-affine,seed=7 node_policy=fork queue_fifo flat "
	       "on 2 nodes, 4 CPUs");
	expect(run_text_settings(&r),
	       "node_policy=fork, queue_fifo, flat, 2 nodes, 4 CPUs");
	run_info_release(&r);
}

static void test_recorded(void **state)
{
	char policy[] = "recorded", none[] = "{}", no[] = "";
	struct run_info r = { .policy = policy, .knobs = none, .cost = none,
			      .discipline = no };

	expect(run_text_cost(&r), "");
	expect(run_text(&r), "recorded");
	expect(run_text_settings(&r), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
