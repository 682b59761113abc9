/* SPDX-License-Identifier: MIT */
#include "collect/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Whatever bytes a comm has, they come back. */
static void gives_back_any_bytes(void **state)
{
	char every[256], *text = NULL, *field[4];
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 1; i < 256; i++)
		every[i - 1] = (char)i;
	every[255] = '\0';
	fields_put(f, every);
	putc('\t', f);
	fields_put(f, "\\t\\");
	putc('\t', f);
	fields_put(f, NULL);
	putc('\t', f);
	fields_put(f, "\n\n");
	putc('\n', f);
	fclose(f);
	/* One line, whatever was in it. */
	assert_ptr_equal(strchr(text, '\n'), text + size - 1);
	assert_int_equal(fields_split(text, field, 4), 4);
	assert_string_equal(field[0], every);
	assert_string_equal(field[1], "\\t\\");
	assert_string_equal(field[2], "");
	assert_string_equal(field[3], "\n\n");
	free(text);
}

static void splits_what_others_wrote(void **state)
{
	char many[] = "a\tb\tc", last[] = "a\\", empty[] = "", tabs[] = "\t\t\n";
	char *field[3];

	assert_int_equal(fields_split(many, field, 2), 2);
	assert_string_equal(field[1], "b");
	assert_int_equal(fields_split(last, field, 3), 1);
	assert_string_equal(field[0], "a\\");
	assert_int_equal(fields_split(empty, field, 3), 1);
	assert_string_equal(field[0], "");
	assert_int_equal(fields_split(tabs, field, 3), 3);
	assert_string_equal(field[2], "");
}

static void reads_numbers(void **state)
{
	static const char *const bad[] = { "", "x", "1x", "11", "-6", "1.0",
					   "99999999999999999999" };
	int64_t v;

	assert_true(fields_int("10", -5, 10, &v));
	assert_int_equal(v, 10);
	assert_true(fields_int("-5", -5, 10, &v));
	assert_int_equal(v, -5);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(fields_int(bad[i], -5, 10, &v));
	assert_true(fields_int("-9223372036854775808", INT64_MIN, 0, &v));
	assert_true(v == INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_back_any_bytes),
		cmocka_unit_test(splits_what_others_wrote),
		cmocka_unit_test(reads_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
