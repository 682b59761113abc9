/* SPDX-License-Identifier: MIT */
/* The knobs of a run come out as they were typed, defaults left out. */
#include "model/err.h"
#include "replay/policy_spec.h"
#include "ui/knob_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_changed(const char *policy, const char *spec,
			   const char *wanted)
{
	struct run_info r = { .policy = (char *)policy };
	struct policy_spec s = { 0 };
	struct err err = { 0 };
	char *text;

	assert_int_equal(policy_spec_parse(&s, spec, NULL, &err), 0);
	r.knobs = policy_spec_json(&s);
	policy_spec_release(&s);
	text = knob_text_changed(&r);
	assert_string_equal(text, wanted);
	free(text);
	free(r.knobs);
}

static void test_defaults(void **state)
{
	assert_changed("o1", "o1", "");
	assert_changed("node-affine", "node-affine,busy_rebalance=200ms", "");
}

static void test_changed(void **state)
{
	assert_changed("o1", "o1,busy_rebalance=50ms", "busy_rebalance=50ms");
	assert_changed("o1", "o1,busy_rebalance=1.5ms,cache_decay_ticks=0",
		       "busy_rebalance=1500us, cache_decay_ticks=0");
	assert_changed("node-affine",
		       "node-affine,node_policy=fork,initial_balancing=off",
		       "initial_balancing=off, node_policy=fork");
}

static void test_unknown_policy(void **state)
{
	char policy[] = "of-another-version";
	char knobs[] = "{\"a\": 1, \"b\": \"x y\", \"c\": true}";
	struct run_info r = { .policy = policy, .knobs = knobs };
	char *text = knob_text_changed(&r);

	assert_string_equal(text, "a=1, b=x y, c=true");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_unknown_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
