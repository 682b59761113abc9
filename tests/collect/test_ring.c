/* SPDX-License-Identifier: MIT */
/*
 * Ring-buffer pages byte by byte.  An entry's head is type_len in the low five
 * bits and the delta above (little endian), or the other way round: type_len in
 * the top five bits (big endian).
 */
#include "collect/ring.h"
#include "model/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PAGE 256

struct page {
	uint8_t bytes[PAGE];
	size_t pos;
	struct ring_format format;
};

static void number(struct page *p, size_t at, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		p->bytes[p->format.big_endian ? at + size - 1 - i : at + i] =
			(uint8_t)(v >> 8 * i);
}

static void begin(struct page *p, bool big, int long_size, uint64_t ts)
{
	memset(p, 0, sizeof(*p));
	ring_format_default(&p->format, big, long_size, PAGE);
	p->pos = p->format.data_offset;
	number(p, 0, ts, 8);
}

static void entry(struct page *p, uint32_t type, uint32_t delta)
{
	number(p, p->pos, p->format.big_endian ? type << 27 | delta :
						 delta << 5 | type, 4);
	p->pos += 4;
}

static void word(struct page *p, uint32_t v)
{
	number(p, p->pos, v, 4);
	p->pos += 4;
}

static void commit(struct page *p, uint64_t flags)
{
	number(p, 8, flags | (p->pos - p->format.data_offset),
	       p->format.long_size);
}

/* All entries as "ts:first word/len", then "end" or "bad". */
static const char *walk(struct page *p, size_t len)
{
	static char text[512];
	struct ring_entry e;
	struct ring_page r;
	struct err err = { 0 };
	size_t n = 0;
	int got;

	if (ring_page_init(&r, &p->format, p->bytes, len, &err) < 0)
		return err.text[0] ? "refused" : "no reason";
	while ((got = ring_page_next(&r, &e, &err)) > 0) {
		uint32_t v = 0;

		assert_true(e.data >= p->bytes && e.data + e.len <= p->bytes + len);
		for (int i = 0; i < 4 && e.len; i++)
			v |= (uint32_t)e.data[p->format.big_endian ? 3 - i : i]
			     << 8 * i;
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%lld:%x/%zu ", (long long)e.ts, v, e.len);
	}
	assert_true(got == 0 || (got == ERR_FORMAT && err.text[0]));
	snprintf(text + n, sizeof(text) - n, got ? "bad" : "end");
	/* It stays at its end. */
	assert_int_equal(ring_page_next(&r, &e, &(struct err){ 0 }), 0);
	return text;
}

static void fill(struct page *p)
{
	entry(p, 2, 5);			/* 8 bytes, 5 ns later */
	word(p, 0xa1);
	word(p, 0);
	entry(p, 30, 3);		/* extend: 2 << 27 | 3 */
	word(p, 2);
	entry(p, 1, 1);
	word(p, 0xa2);
	entry(p, 0, 7);			/* long: 4 bytes of data, 8 of length */
	word(p, 8);
	word(p, 0xa3);
	entry(p, 29, 10);		/* discarded, 12 bytes in all */
	word(p, 8);
	word(p, 0xbad);
	entry(p, 29, 1);		/* discarded at the very same time */
	word(p, 4);
	entry(p, 1, 2);
	word(p, 0xa4);
	entry(p, 29, 0);		/* nothing more on the page */
	word(p, 0xbad);
	commit(p, 0);
}

static void test_entries(void **state)
{
	/* 1000 + 5; + 268435459 (2 << 27 | 3) + 1; + 7; + 10 + 2 */
	struct page p;

	for (int big = 0; big < 2; big++)
		for (int size = 4; size <= 8; size += 4) {
			begin(&p, big, size, 1000);
			fill(&p);
			assert_string_equal(walk(&p, PAGE),
				"1005:a1/8 268436465:a2/4 268436472:a3/4 "
				"268436484:a4/4 end");
		}
}

static void test_absolute_stamps(void **state)
{
	/* Entry 31 sets the time: 5 << 27 | 9 = 671088649.  It may run back. */
	struct page p;

	begin(&p, false, 8, 900000000);
	entry(&p, 31, 9);
	word(&p, 5);
	entry(&p, 1, 1);
	word(&p, 0xa1);
	commit(&p, 0);
	assert_string_equal(walk(&p, PAGE), "671088650:a1/4 end");

	/* Above 2^59 the entry lacks the top bits: those of the page count
	 * (576460752303423488 is 2^59), and one more where they would run back. */
	begin(&p, false, 8, (UINT64_C(1) << 59) + 100);
	entry(&p, 31, 200);
	word(&p, 0);
	entry(&p, 1, 0);
	word(&p, 0xa1);
	entry(&p, 31, 50);
	word(&p, 0);
	entry(&p, 1, 0);
	word(&p, 0xa2);
	commit(&p, 0);
	assert_string_equal(walk(&p, PAGE), "576460752303423688:a1/4 "
			    "1152921504606847026:a2/4 end");
}

static int64_t missed(struct page *p, size_t len)
{
	struct ring_page r;
	struct err err = { 0 };

	assert_int_equal(ring_page_init(&r, &p->format, p->bytes, len, &err), 0);
	return r.missed;
}

static void test_missed(void **state)
{
	const uint64_t flag = UINT64_C(1) << 31, stored = UINT64_C(1) << 30;
	struct page p;

	for (int big = 0; big < 2; big++)
		for (int size = 4; size <= 8; size += 4) {
			begin(&p, big, size, 0);
			entry(&p, 1, 1);
			word(&p, 1);
			commit(&p, 0);
			assert_int_equal(missed(&p, PAGE), 0);
			commit(&p, flag);
			assert_int_equal(missed(&p, PAGE), -1);
			number(&p, p.pos, 721, size);
			commit(&p, flag | stored);
			assert_int_equal(missed(&p, PAGE), 721);
			/* The kernel's flag is a negative int made long. */
			if (size == 8)
				commit(&p, UINT64_C(0xffffffff00000000) | flag |
						   stored);
			assert_int_equal(missed(&p, PAGE), 721);
			assert_string_equal(walk(&p, PAGE), "1:1/4 end");
			/* A count that is not there, or makes no sense */
			assert_int_equal(missed(&p, p.pos), -1);
			number(&p, p.pos, 0, size);
			assert_int_equal(missed(&p, PAGE), -1);
		}
}

static void test_damage(void **state)
{
	struct page p;

	begin(&p, false, 8, 1000);
	assert_string_equal(walk(&p, 15), "refused");
	assert_string_equal(walk(&p, 16), "end");
	number(&p, 8, PAGE - 16 + 1, 8);	/* commit of more than a page */
	assert_string_equal(walk(&p, PAGE), "refused");
	number(&p, 0, UINT64_C(1) << 63, 8);
	number(&p, 8, 0, 8);
	assert_string_equal(walk(&p, PAGE), "refused");

	begin(&p, false, 8, 1000);
	entry(&p, 1, 1);
	word(&p, 0xa1);
	entry(&p, 28, 1);		/* 112 bytes, of which 4 are there */
	word(&p, 0xa2);
	commit(&p, 0);
	assert_string_equal(walk(&p, PAGE), "1001:a1/4 bad");
	/* A page that is cut: what is there counts. */
	assert_string_equal(walk(&p, 24), "1001:a1/4 bad");
	assert_string_equal(walk(&p, 23), "bad");

	begin(&p, false, 8, 1000);
	entry(&p, 0, 1);		/* length of less than itself */
	word(&p, 3);
	commit(&p, 0);
	number(&p, 20, 0, 4);
	assert_string_equal(walk(&p, PAGE), "bad");

	begin(&p, false, 8, 1000);
	entry(&p, 0, 1);		/* nearly 4 GiB */
	word(&p, 0xffffffff);
	commit(&p, 0);
	assert_string_equal(walk(&p, PAGE), "bad");

	begin(&p, false, 8, INT64_MAX);
	entry(&p, 1, 1);		/* beyond the last time there is */
	word(&p, 0xa1);
	commit(&p, 0);
	assert_string_equal(walk(&p, PAGE), "bad");

	begin(&p, false, 8, 1000);
	entry(&p, 30, 0);		/* its second word is cut off */
	commit(&p, 0);
	assert_string_equal(walk(&p, PAGE), "bad");
}

static int parse(struct ring_format *f, const char *text)
{
	struct err err = { 0 };
	int code = ring_format_parse(f, text, strlen(text), &err);

	assert_true(code == 0 || err.text[0]);
	return code;
}

static void test_header_page(void **state)
{
	/* Linux 6.1, 64 bit; Linux 4.13, 32 bit; sub-buffers of 64 KiB. */
	static const char wide[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: char overwrite;\toffset:8;\tsize:1;\tsigned:0;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	static const char narrow[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:65524;\tsigned:1;\n";
	static const char *const bad[] = {
		"", "\n", "data;", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		"\tfield: char data;\toffset:12;\tsize:4080;\n",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:3;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\n",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		"\tfield: char data;\toffset:16;\tsize:99999999999999;\n",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n"
		"\tfield: char data;\toffset:16;\tsize:8;\n",
	};
	struct ring_format f = { 0 };

	assert_int_equal(parse(&f, wide), 0);
	assert_int_equal(f.long_size, 8);
	assert_int_equal(f.page_size, 4096);
	assert_int_equal(f.data_offset, 16);
	assert_int_equal(parse(&f, narrow), 0);
	assert_int_equal(f.long_size, 4);
	assert_int_equal(f.page_size, 65536);
	assert_int_equal(f.data_offset, 12);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(&f, bad[i]), ERR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_absolute_stamps),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_header_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
