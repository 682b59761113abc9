/* SPDX-License-Identifier: MIT */
/*
 * Damaged trace.dat files by the hundred: bytes changed at random (with a fixed
 * seed), files cut, sizes made huge.  Whatever happens must be a success or an
 * error with a text, and the sanitizers see the rest.
 * HOMENODE_FUZZ=N does N rounds instead of a few.
 */
#include "collect/import.h"
#include "model/err.h"
#include "tests/support/dat_build.h"
#include "tests/support/dat_pack.h"
#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define ROUNDS 150

static uint64_t state;

static uint32_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static void fill(struct dat_build *b)
{
	static const char stats[] = "CPU: 0\noverrun: 3\n";
	int64_t ts = 1000;

	for (int i = 0; i < 120; i++, ts += 700) {
		int cpu = i & 1, tid = 100 + i % 7;

		dat_build_switch(b, cpu, ts, "swapper", 0, 0, "w", tid);
		dat_build_wake(b, cpu, ts + 100, DAT_ID_WAKING, "v", 107, cpu,
			       tid);
		if (i % 5 == 0)
			dat_build_migrate(b, cpu, ts + 150, "v", 107, 0, 1, tid);
		if (i % 11 == 0)
			dat_build_fork(b, cpu, ts + 160, "w", tid, "w", 200 + i);
		if (i % 13 == 0)
			dat_build_exec(b, cpu, ts + 170, "/bin/w", tid, tid);
		if (i % 17 == 0)
			dat_build_fault(b, cpu, ts + 180, tid, 0x7f0000001000);
		if (i % 19 == 0)
			dat_build_missed(b, cpu, i % 2 ? -1 : 12);
		dat_build_other(b, cpu, ts + 190, DAT_ID_OTHER);
		dat_build_switch(b, cpu, ts + 300, "w", tid, 1, "swapper", 0);
	}
	dat_build_option(b, 2, stats, sizeof(stats));
}

/* Changes some bytes, near the front in half of the rounds: there the sizes are. */
static size_t damage(uint8_t *bytes, size_t len)
{
	uint32_t how = next_random() % 16;
	size_t span = how & 1 || len < 12000 ? len : 12000;

	if (how == 2)
		return next_random() % len;
	for (uint32_t n = 1 + next_random() % (how < 8 ? 1 : 8); n; n--) {
		size_t at = next_random() % span;

		switch (next_random() % 4) {
		case 0:
			bytes[at] = 0xff;
			break;
		case 1:
			bytes[at] = 0;
			break;
		case 2:
			bytes[at] ^= (uint8_t)(1u << next_random() % 8);
			break;
		default:
			bytes[at] = (uint8_t)next_random();
		}
	}
	return len;
}

static void import_bytes(const char *folder, const uint8_t *bytes, size_t len)
{
	const struct import_options o = { .partial = next_random() & 1 };
	const char *in = folder_path(folder, "x.dat");
	const char *out = folder_path(folder, "x.homenode");
	struct err err = { 0 };
	struct store *s = NULL;
	int code;

	assert_int_equal(file_write(in, bytes, len), 0);
	code = store_create(&s, out, true, &err);
	assert_int_equal(code, 0);
	code = import_file(in, &o, s, NULL, NULL, &err);
	store_close(s);
	assert_int_equal(code, err.code);
	if (code < 0)
		assert_true(err.text[0]);
	assert_int_equal(folder_count(folder), 1);
}

static void fuzz(const struct dat_form *form)
{
	const char *env = getenv("HOMENODE_FUZZ");
	int rounds = env ? atoi(env) : ROUNDS;
	char *folder = folder_new();
	struct dat_build b;
	uint8_t *copy;

	dat_build_init(&b, form);
	fill(&b);
	dat_build_file(&b);
	copy = malloc(b.out.len);
	assert_non_null(copy);
	for (int i = 0; i < rounds; i++) {
		memcpy(copy, b.out.at, b.out.len);
		import_bytes(folder, copy, damage(copy, b.out.len));
	}
	free(copy);
	dat_build_release(&b);
	folder_remove(folder);
}

static void test_plain(void **test)
{
	state = 1;
	fuzz(&(struct dat_form){
		.version = 6, .nr_cpus = 2, .page_size = 1024, .uname = "L h 6.1 x86",
		.clock = "mono", .cmdlines = "11 a\n12 b\n", .instance = "foo",
	});
}

static void test_plain_big_endian(void **test)
{
	state = 2;
	fuzz(&(struct dat_form){
		.version = 6, .nr_cpus = 2, .page_size = 1024, .big_endian = true,
		.long_size = 4, .data_loc = true, .wide_header = true,
	});
}

static void test_sections(void **test)
{
	state = 3;
	fuzz(&(struct dat_form){
		.version = 7, .nr_cpus = 2, .page_size = 1024, .uname = "L h 6.1 x86",
		.clock = "mono", .cmdlines = "11 a\n12 b\n", .instance = "foo",
	});
}

static void test_compressed(void **test)
{
	state = 4;
	fuzz(&(struct dat_form){
		.version = 7, .nr_cpus = 2, .page_size = 1024,
		.compression = "zstd", .pack = dat_pack, .cmdlines = "11 a\n",
	});
	state = 5;
	fuzz(&(struct dat_form){
		.version = 7, .nr_cpus = 2, .page_size = 1024,
		.compression = "zlib", .pack = dat_pack, .data_loc = true,
	});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_plain_big_endian),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
