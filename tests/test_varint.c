/* SPDX-License-Identifier: MIT */
#include "model/varint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* 300 = 2 * 128 + 44; 2^63 has its one bit in the tenth byte. */
static const struct {
	uint64_t v;
	size_t len;
	uint8_t bytes[VARINT_MAX];
} cases[] = {
	{ 0, 1, { 0 } },
	{ 127, 1, { 127 } },
	{ 128, 2, { 128, 1 } },
	{ 300, 2, { 128 + 44, 2 } },
	{ UINT64_C(1) << 63, 10,
	  { 128, 128, 128, 128, 128, 128, 128, 128, 128, 1 } },
	{ UINT64_MAX, 10,
	  { 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 } },
};

static void bytes_are_those_of_base_128(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[VARINT_MAX + 1];
		uint64_t v = 99;

		memset(bytes, 0xee, sizeof(bytes));
		assert_ptr_equal(varint_put(bytes, cases[i].v),
				 bytes + cases[i].len);
		assert_memory_equal(bytes, cases[i].bytes, cases[i].len);
		assert_int_equal(bytes[cases[i].len], 0xee);
		assert_ptr_equal(varint_get(bytes, bytes + sizeof(bytes), &v),
				 bytes + cases[i].len);
		assert_true(v == cases[i].v);
	}
}

static void a_number_that_is_cut_off_is_none(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t len = 0; len < cases[i].len; len++) {
			uint64_t v;

			assert_null(varint_get(cases[i].bytes,
					       cases[i].bytes + len, &v));
		}
}

static void more_than_64_bits_are_no_number(void **state)
{
	uint8_t bytes[12];
	uint64_t v;

	/* 2 * 2^63 */
	memset(bytes, 128, sizeof(bytes));
	bytes[9] = 2;
	assert_null(varint_get(bytes, bytes + 12, &v));
	/* An eleventh byte. */
	bytes[9] = 129;
	bytes[10] = 0;
	assert_null(varint_get(bytes, bytes + 12, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_of_base_128),
		cmocka_unit_test(a_number_that_is_cut_off_is_none),
		cmocka_unit_test(more_than_64_bits_are_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
