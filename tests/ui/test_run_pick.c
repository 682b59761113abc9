/* SPDX-License-Identifier: MIT */
/* Which run is meant, and what is said when none or several are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/err.h"
#include "ui/run_pick.h"

static struct run_info runs[] = {
	{ .id = 0, .policy = (char[]){ "recorded" }, .knobs = (char[]){ "{}" } },
	{ .id = 1, .policy = (char[]){ "o1" }, .seed = 1,
	  .knobs = (char[]){ "{\"busy\": 200000000, \"hot\": true}" } },
	{ .id = 2, .policy = (char[]){ "o1" }, .seed = 2,
	  .knobs = (char[]){ "{\"busy\": 200000000, \"hot\": true}" } },
	{ .id = 4, .policy = (char[]){ "o1" }, .seed = 1,
	  .knobs = (char[]){ "{\"busy\": 250000000, \"hot\": false,"
			     " \"mode\": \"ps2\", \"share\": 0.25}" } },
	{ .id = 7, .policy = (char[]){ "recorded" }, .seed = 3,
	  .knobs = (char[]){ "{}" } },
};

#define NR ((int)(sizeof(runs) / sizeof(*runs)))

static int pick(const char *spec)
{
	struct err err = { 0 };
	int i = run_pick(runs, NR, spec, &err);

	return i < 0 ? i : runs[i].id;
}

static void one(void **state)
{
	assert_int_equal(pick("0"), 0);
	assert_int_equal(pick("4"), 4);
	assert_int_equal(pick("recorded"), 0);
	assert_int_equal(pick("recorded,seed=3"), 7);
	assert_int_equal(pick("o1,seed=2"), 2);
	assert_int_equal(pick("o1,busy=250ms"), 4);
	assert_int_equal(pick("o1,busy=0.25s,seed=1"), 4);
	assert_int_equal(pick("o1,busy=250000000"), 4);
	assert_int_equal(pick("o1,hot=off"), 4);
	assert_int_equal(pick("o1,mode=ps2"), 4);
	assert_int_equal(pick("o1,share=0.250"), 4);
	assert_int_equal(pick("o1,hot=on,seed=1"), 1);
}

static void none(void **state)
{
	static const char *const specs[] = {
		"3", "-1", "", "o2", "o", "o1,busy=1ms", "o1,seed=9",
		"o1,warp=3", "o1,mode", "o1,", "o1,mode=ps", "o1,hot=maybe",
	};
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
		if (pick(specs[i]) != ERR_NOTFOUND)
			fail_msg("'%s' was found", specs[i]);
	run_pick(runs, NR, "o2", &err);
	assert_string_equal(err.text, "no run 'o2': there is 0 (recorded), "
			    "1 (o1,seed=1 busy=200000000, hot=true), "
			    "2 (o1,seed=2 busy=200000000, hot=true), "
			    "4 (o1,seed=1 busy=250000000, hot=false, mode=ps2, "
			    "share=0.25), 7 (recorded,seed=3)");
	err.code = 0;
	assert_int_equal(run_pick(runs, 0, "0", &err), ERR_NOTFOUND);
	assert_string_equal(err.text, "no run '0': there is no recorded run, "
			    "since the work was generated; there is no replay "
			    "either");
}

static void several(void **state)
{
	struct err err = { 0 };
	int index[NR];

	assert_int_equal(run_pick(runs, NR, "o1,seed=1", &err), ERR_USAGE);
	assert_string_equal(err.text, "several runs are 'o1,seed=1': "
			    "1 (o1,seed=1 busy=200000000, hot=true), "
			    "4 (o1,seed=1 busy=250000000, hot=false, mode=ps2, "
			    "share=0.25)");
	err.code = 0;
	assert_int_equal(run_pick_all(runs, NR, "o1", index, &err), 3);
	assert_int_equal(runs[index[0]].id, 1);
	assert_int_equal(runs[index[2]].id, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one),
		cmocka_unit_test(none),
		cmocka_unit_test(several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
