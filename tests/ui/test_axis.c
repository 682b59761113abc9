/* SPDX-License-Identifier: MIT */
/* Ticks of a time axis and figures, worked out by hand. */
#include "ui/axis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define US 1000LL
#define MS 1000000LL
#define SEC 1000000000LL

/* The steps are 1, 2, 5, 10 ... of the first power that needs no more ticks than
 * have room; `last` is the label of tick nr - 1. */
static void ticks(int64_t from, int64_t to, int most, int nr,
		  const char *first, const char *second, const char *last)
{
	struct axis a;
	char buf[64];

	axis_init(&a, from, to, most);
	assert_int_equal(a.nr, nr);
	assert_string_equal(axis_label(&a, 0, buf, sizeof(buf)), first);
	assert_string_equal(axis_label(&a, 1, buf, sizeof(buf)), second);
	assert_string_equal(axis_label(&a, nr - 1, buf, sizeof(buf)), last);
}

static void test_one_unit(void **state)
{
	ticks(0, SEC, 25, 20, "0 ms", "50 ms", "950 ms");
	ticks(0, 2 * SEC, 50, 40, "0.00 s", "0.05 s", "1.95 s");
	ticks(0, 2 * SEC, 25, 20, "0.0 s", "0.1 s", "1.9 s");
	ticks(0, 22478 * MS, 12, 12, "0 s", "2 s", "22 s");
	ticks(0, 480 * US, 5, 5, "0.0 ms", "0.1 ms", "0.4 ms");
	ticks(0, 5, 5, 3, "0 ns", "2 ns", "4 ns");
	/* The first tick is the first multiple of the step in the window. */
	ticks(12341 * MS, 12351 * MS, 5, 2, "12.345 s", "12.350 s",
	      "12.350 s");
}

static void test_clock(void **state)
{
	ticks(0, 100 * SEC, 10, 5, "0:00", "0:20", "1:20");
	ticks(0, 7200 * SEC, 8, 4, "0:00", "30:00", "1:30:00");
}

/* Where many digits would be the same: from the first tick on. */
static void test_far_in(void **state)
{
	ticks(11062700 * US, 11062800 * US, 5, 2, "11.06270 s", "+50 \302\265s",
	      "+50 \302\265s");
	ticks(11062701 * US, 11062801 * US, 5, 2, "11.06275 s", "+50 \302\265s",
	      "+50 \302\265s");
}

static void test_lengths(void **state)
{
	char buf[32];

	assert_string_equal(axis_length(0, buf, sizeof(buf)), "0");
	assert_string_equal(axis_length(7, buf, sizeof(buf)), "7 ns");
	assert_string_equal(axis_length(50 * US, buf, sizeof(buf)),
			    "50.0 \302\265s");
	assert_string_equal(axis_length(9200 * US, buf, sizeof(buf)), "9.20 ms");
	assert_string_equal(axis_length(500 * MS, buf, sizeof(buf)), "500 ms");
	assert_string_equal(axis_length(19130 * MS, buf, sizeof(buf)), "19.1 s");
	assert_string_equal(axis_length(36000 * SEC, buf, sizeof(buf)), "10 h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_unit),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_far_in),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
