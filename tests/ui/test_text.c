/* SPDX-License-Identifier: MIT */
/* Options, tables, JSON and safe text: expected values written by hand. */
#include "model/err.h"
#include "ui/json.h"
#include "ui/opt.h"
#include "ui/table.h"
#include "ui/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct values {
	bool force;
	int64_t seeds, jobs, duration, buffer;
	const char *out;
	struct opt_list policy;
};

static int parse(struct values *v, bool stop, int argc, char **argv,
		 struct err *err)
{
	const struct opt table[] = {
		{ "force", 'f', OPT_FLAG, &v->force },
		{ "seeds", 0, OPT_INT, &v->seeds },
		{ "jobs", 'j', OPT_COUNT, &v->jobs },
		{ "duration", 'd', OPT_TIME, &v->duration },
		{ "buffer", 0, OPT_SIZE, &v->buffer },
		{ "output", 'o', OPT_TEXT, &v->out },
		{ "policy", 'p', OPT_LIST, &v->policy },
		{ .name = NULL },
	};

	return opt_parse(table, argc, argv, stop, err);
}

static void test_opt_forms(void **state)
{
	char *argv[] = { "replay", "a.db",    "-p",    "o1",	 "--seeds=20",
			 "-ox",	   "--force", "b",     "-p",	 "stay,x=1",
			 "-d",	   "1.5ms",   "--buffer", "4M", "-j1", "--", "-z" };
	struct values v = { 0 };
	struct err err = { 0 };

	assert_int_equal(parse(&v, false, 17, argv, &err), 3);
	assert_string_equal(argv[1], "a.db");
	assert_string_equal(argv[2], "b");
	assert_string_equal(argv[3], "-z");
	assert_true(v.force);
	assert_int_equal(v.seeds, 20);
	assert_int_equal(v.jobs, 1);
	assert_int_equal(v.duration, 1500000);
	assert_int_equal(v.buffer, 4 * 1024 * 1024);
	assert_string_equal(v.out, "x");
	assert_int_equal(v.policy.nr, 2);
	assert_string_equal(v.policy.item[1], "stay,x=1");
	opt_list_release(&v.policy);
}

static void test_opt_stops_at_command(void **state)
{
	char *argv[] = { "record", "-o", "f", "make", "-j2", "--force" };
	struct values v = { 0 };
	struct err err = { 0 };

	assert_int_equal(parse(&v, true, 6, argv, &err), 3);
	assert_string_equal(argv[1], "make");
	assert_string_equal(argv[3], "--force");
	assert_false(v.force);
}

static void test_opt_errors(void **state)
{
	static const struct {
		const char *arg, *text;
	} bad[] = {
		{ "--nonsense", "unknown option '--nonsense'" },
		{ "-x", "unknown option '-x'" },
		{ "--seeds", "option '--seeds' needs a value" },
		{ "--seeds=2x", "--seeds: '2x' is no whole number" },
		{ "--jobs=-1", "--jobs: '-1' is less than 1" },
		{ "-j0", "--jobs: '0' is less than 1" },
		{ "-jx", "--jobs: 'x' is no whole number" },
		{ "--force=1", "option '--force' takes no value" },
		{ "--duration=-1",
		  "--duration: '-1' is no time: try 1.5s, 20ms, 3us, 40ns" },
		{ "--duration=nan",
		  "--duration: 'nan' is no time: try 1.5s, 20ms, 3us, 40ns" },
		{ "--buffer=4T", "--buffer: '4T' is no size: try 512K, 4M, 1G" },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = { "replay", (char *)bad[i].arg };
		struct values v = { 0 };
		struct err err = { 0 };

		assert_int_equal(parse(&v, false, 2, argv, &err), ERR_USAGE);
		assert_string_equal(err.text, bad[i].text);
	}
}

static void test_opt_time_units(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{ "7", 7000000000 },	 { "40ns", 40 },
		{ "3us", 3000 },	 { "0.25s", 250000000 },
		{ "2m", 120000000000 },	 { "1h", 3600000000000 },
	};
	struct err err = { 0 };
	int64_t ns;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(opt_time(good[i].text, &ns, &err), 0);
		assert_int_equal(ns, good[i].ns);
	}
}

/* What is written to a stream, as a string to free. */
static char *printed(void (*fn)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fn(out);
	fclose(out);
	return text;
}

static void write_json(FILE *out)
{
	struct json j;

	json_open(&j, out);
	json_object(&j);
	json_key(&j, "a");
	json_array(&j);
	json_int(&j, -3);
	json_double(&j, 0.1);
	json_double(&j, 1.0 / 3);
	json_double(&j, 0.0 / 0.0);
	json_object(&j);
	json_end(&j, '}');
	json_end(&j, ']');
	json_key(&j, "q\"");
	json_bytes(&j, "\\\x01\xff\xc3\xa9", 5);
	json_key(&j, "n");
	json_text(&j, NULL);
	json_end(&j, '}');
	json_done(&j);
}

static void test_json(void **state)
{
	char *text = printed(write_json);

	assert_string_equal(text,
			    "{\"a\":[-3,0.1,0.3333333333333333,null,{}],"
			    "\"q\\\"\":\"\\\\\\u0001\\u00ff\xc3\xa9\",\"n\":null}\n");
	free(text);
}

static struct table *sample(void)
{
	struct table *t = table_new();

	table_column(t, "comm", TABLE_LEFT);
	table_column(t, "ms", TABLE_RIGHT);
	table_text(t, "a,\"b\"");
	table_printf(t, "%d", 12345);
	table_rule(t);
	table_text(t, "x\n\xff");
	table_text(t, NULL);
	return t;
}

static void write_table(FILE *out)
{
	struct table *t = sample();

	assert_int_equal(table_print(t, out), 0);
	table_free(t);
}

static void write_csv(FILE *out)
{
	struct table *t = sample();

	assert_int_equal(table_csv(t, out), 0);
	table_free(t);
}

static void test_table(void **state)
{
	char *text = printed(write_table);

	assert_string_equal(text, "comm          ms\n"
				  "a,\"b\"      12345\n"
				  "----------------\n"
				  "x\\x0a\\xff       \n");
	free(text);
	text = printed(write_csv);
	assert_string_equal(text, "comm,ms\r\n\"a,\"\"b\"\"\",12345\r\n"
				  "\"x\n\xff\",\r\n");
	free(text);
}

static void test_text_safe(void **state)
{
	char buf[64];

	assert_string_equal(text_safe("kworker/0:1", 11, 0, buf, 64),
			    "kworker/0:1");
	assert_string_equal(text_safe("abcdef", 6, 6, buf, 64), "abcdef");
	assert_string_equal(text_safe("abcdefg", 7, 6, buf, 64), "abcde~");
	assert_string_equal(text_safe("\x1b[31m", 5, 0, buf, 64), "\\x1b[31m");
	/* a wide character that no longer fits is left out whole */
	assert_string_equal(text_safe("ab\xe4\xb8\xad", 5, 3, buf, 64), "ab~");
	assert_string_equal(text_safe("", 0, 0, buf, 64), "");
}

static void test_utf8(void **state)
{
	assert_int_equal(utf8_length("\xc3\xa9", 2), 2);
	assert_int_equal(utf8_length("\xc3\xa9", 1), 0);
	assert_int_equal(utf8_length("\xc0\x80", 2), 0);	 /* overlong */
	assert_int_equal(utf8_length("\xed\xa0\x80", 3), 0); /* surrogate */
	assert_int_equal(utf8_length("\xf4\x90\x80\x80", 4), 0);
	assert_int_equal(utf8_decode("\xf0\x9f\x98\x80", 4), 0x1f600);
	assert_int_equal(utf8_width(0x1f600), 2);
	assert_int_equal(utf8_width(0x301), 0);
	assert_int_equal(utf8_width(0x9b), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opt_forms),
		cmocka_unit_test(test_opt_stops_at_command),
		cmocka_unit_test(test_opt_errors),
		cmocka_unit_test(test_opt_time_units),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_text_safe),
		cmocka_unit_test(test_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
