/* SPDX-License-Identifier: MIT */
/*
 * The container trace.dat: what is read of a good one of either version, and
 * that each lie in a bad one is told with file, place and reason.
 */
#include "collect/dat.h"
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

struct world {
	char *folder;
	const char *path;
	struct dat_build b;
};

static void fill(struct dat_build *b)
{
	for (int i = 0; i < 60; i++)
		for (int cpu = 0; cpu < b->form.nr_cpus; cpu++)
			dat_build_switch(b, cpu, 1000 + i * 100, "a", 11, 1, "b",
					 12);
}

static void open_world(struct world *w, const struct dat_form *form)
{
	w->folder = folder_new();
	w->path = folder_path(w->folder, "x.dat");
	dat_build_init(&w->b, form);
	fill(&w->b);
	dat_build_write(&w->b, w->path);
}

static void close_world(struct world *w)
{
	dat_build_release(&w->b);
	folder_remove(w->folder);
}

static int see_format(void *ctx, const char *system, const char *text,
		      size_t len, struct err *err)
{
	int *nr = ctx;

	assert_true(len > 20 && memcmp(text, "name: ", 6) == 0);
	assert_true(system[0]);
	(*nr)++;
	return 0;
}

/* Everything that can be read; pages are counted. */
static int read_all(const char *path, bool partial, int *nr_formats,
		    int *nr_pages, struct err *err)
{
	struct page_stream *streams = NULL;
	struct ring_format format;
	struct dat *d = NULL;
	int nr = 0, code;

	*nr_formats = *nr_pages = 0;
	code = dat_open(&d, path, err);
	if (code == 0)
		code = dat_each_format(d, see_format, nr_formats, err);
	if (code == 0)
		code = dat_streams(d, 0, partial, &format, &streams, &nr, err);
	for (int i = 0; i < nr && code == 0; i++) {
		const uint8_t *page;
		bool hole = false;
		size_t len;
		int got;

		while ((got = streams[i].next(streams[i].ctx, &page, &len, &hole,
					      err)) > 0)
			(*nr_pages)++;
		code = got;
	}
	if (code == 0)
		assert_true(dat_progress(d) > 0.99);
	free(streams);
	dat_close(d);
	assert_int_equal(code, err->code);
	return code;
}

static void test_good(void **state)
{
	static const struct dat_form forms[] = {
		{ .version = 6, .nr_cpus = 3 },
		{ .version = 6, .nr_cpus = 3, .big_endian = true, .long_size = 4 },
		{ .version = 7, .nr_cpus = 3 },
		{ .version = 7, .nr_cpus = 3, .big_endian = true },
		{ .version = 7, .nr_cpus = 3, .compression = "zlib" },
		{ .version = 7, .nr_cpus = 3, .compression = "zstd",
		  .big_endian = true, .long_size = 4, .chunk_pages = 3 },
		{ .version = 6, .nr_cpus = 3, .page_size = 65536 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct dat_form form = forms[i];
		struct err err = { 0 };
		int formats, pages;
		struct world w;

		form.pack = dat_pack;
		open_world(&w, &form);
		if (read_all(w.path, false, &formats, &pages, &err) < 0)
			fail_msg("%zu: %s", i, err.text);
		assert_int_equal(formats, 12);
		/* 60 entries of 68 bytes (64 where long has 4) a CPU: 58 (63)
		 * go on a page */
		assert_int_equal(pages, form.page_size == 65536 ||
				 form.long_size == 4 ? 3 : 6);
		close_world(&w);
	}
}

static int see_name(void *ctx, int pid, const char *name, int tgid,
		    struct err *err)
{
	char *text = ctx;
	size_t len = strlen(text);

	snprintf(text + len, 300 - len, "%d=%s/%d;", pid, name ? name : "-", tgid);
	return 0;
}

static void test_facts(void **state)
{
	static const char stat[] = "CPU: 1\nentries: 5\noverrun: 7\n"
		"commit overrun: 20\nbytes: 1\ndropped events: 300\n";
	static const char tgids[] = "12 11\n13 13\n";

	for (int version = 6; version <= 7; version++) {
		const struct dat_info *info;
		char names[300] = "";
		struct err err = { 0 };
		struct world w;
		struct dat *d;

		w.folder = folder_new();
		w.path = folder_path(w.folder, "x.dat");
		dat_build_init(&w.b, &(struct dat_form){
			.version = version, .nr_cpus = 2, .instance = "foo",
			.uname = "Linux my host 6.1.0-57 x86_64", .clock = "boot",
			.cmdlines = "11 a name\n12 <...>\n",
		});
		dat_build_option(&w.b, 200, "whatever it is", 14);
		dat_build_option(&w.b, 2, stat, sizeof(stat));
		dat_build_option(&w.b, 7, "0x10", 5);
		dat_build_option(&w.b, 32, tgids, sizeof(tgids));
		fill(&w.b);
		dat_build_write(&w.b, w.path);
		assert_int_equal(dat_open(&d, w.path, &err), 0);
		info = dat_info(d);
		assert_int_equal(info->version, version);
		assert_string_equal(info->uname, "Linux my host 6.1.0-57 x86_64");
		assert_string_equal(info->clock, "boot");
		assert_int_equal(info->offset_ns, 16);
		assert_int_equal(info->nr_stats, 1);
		assert_int_equal(info->stat[0].cpu, 1);
		assert_int_equal(info->stat[0].lost, 327);
		assert_int_equal(info->nr_buffers, 2);
		assert_string_equal(info->buffer[1].name, "foo");
		assert_int_equal(dat_each_name(d, see_name, names, &err), 0);
		assert_string_equal(names, "11=a name/-1;12=<...>/-1;"
				    "12=-/11;13=-/13;");
		dat_close(d);
		close_world(&w);
	}
}

/* Writes the bytes and reads them: the error must begin with the file's name
 * and hold `why`. */
static void refuse(struct world *w, const uint8_t *bytes, size_t len,
		   const char *why)
{
	struct err err = { 0 };
	int formats, pages;

	assert_int_equal(file_write(w->path, bytes, len), 0);
	assert_true(read_all(w->path, false, &formats, &pages, &err) < 0);
	if (!strstr(err.text, why) || !strstr(err.text, w->path))
		fail_msg("'%s' is not in: %s", why, err.text);
}

/* A copy of the good file with a number changed. */
static void refuse_number(struct world *w, size_t at, uint64_t v, int size,
			  const char *why)
{
	uint8_t *copy = malloc(w->b.out.len);

	assert_non_null(copy);
	memcpy(copy, w->b.out.at, w->b.out.len);
	for (int i = 0; i < size; i++)
		copy[at + (size_t)i] = (uint8_t)(v >> 8 * i);
	refuse(w, copy, w->b.out.len, why);
	free(copy);
}

static size_t find(const struct world *w, const char *what, size_t len)
{
	const uint8_t *at = memmem(w->b.out.at, w->b.out.len, what, len);

	assert_non_null(at);
	return (size_t)(at - w->b.out.at);
}

static void test_no_trace(void **state)
{
	static const uint8_t text[] = "cpus=4\n";
	struct err err = { 0 };
	struct world w;
	struct dat *d;

	open_world(&w, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	refuse(&w, text, 0, "is empty");
	refuse(&w, text, sizeof(text), "is not a trace.dat");
	refuse(&w, w.b.out.at, 9, "is not a trace.dat");
	assert_int_equal(dat_open(&d, w.folder, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "is not a regular file"));
	err = (struct err){ 0 };
	assert_int_equal(dat_open(&d, "/nonexistent/x", &err), ERR_NOTFOUND);
	close_world(&w);
}

static void test_bad_head(void **state)
{
	const size_t head = 10;		/* after the magic number */
	struct world w;

	open_world(&w, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	refuse_number(&w, head, '8', 1, "trace.dat of version '8'");
	refuse_number(&w, head + 1, 'x', 1, "trace.dat of version '6x");
	refuse_number(&w, head + 2, 2, 1, "byte order 2");
	refuse_number(&w, head + 3, 16, 1, "long size 16");
	refuse_number(&w, head + 4, 0, 4, "pages of 0 bytes");
	refuse_number(&w, head + 4, 0xffffffff, 4, "pages of 4294967295");
	refuse_number(&w, head + 8, 'X', 1, "no 'header_page'");
	refuse_number(&w, head + 20, UINT64_C(1) << 60, 8, "header_page of");
	close_world(&w);
}

static void test_bad_tables(void **state)
{
	size_t names, cpus;
	struct world w;

	open_world(&w, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	refuse_number(&w, w.b.formats_at - 4, 0xffffffff, 4, "ftrace formats");
	refuse_number(&w, w.b.formats_at, 0xffffffff, 4, "event formats");
	/* "sched", count, then the size of the first text */
	refuse_number(&w, w.b.formats_at + 4 + 6 + 4, UINT64_MAX, 8,
		      "event formats");
	refuse_number(&w, w.b.formats_at + 4 + 6, 0xffffff, 4, "event formats");
	names = w.b.options_at - 10 - 4 - 8;
	refuse_number(&w, names, UINT64_C(1) << 63, 8, "saved names");
	refuse_number(&w, names - 8, 0xffffffff, 4, "kallsyms");
	refuse_number(&w, names - 4, 0xffffffff, 4, "printk formats");
	cpus = w.b.options_at - 10 - 4;
	refuse_number(&w, cpus, 0xffffffff, 4, "4294967295 CPUs");
	refuse_number(&w, cpus, 60000, 4, "the table of CPUs");
	refuse_number(&w, cpus + 4, 'x', 1, "neither options, latency");
	refuse_number(&w, w.b.table_at - 1, 'x', 1, "neither options, latency");
	close_world(&w);
}

static void test_bad_cpu_data(void **state)
{
	struct world w;

	open_world(&w, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	refuse_number(&w, w.b.table_at + 8, UINT64_C(1) << 40, 8,
		      "the file is cut: data of CPU 0");
	refuse_number(&w, w.b.table_at, UINT64_C(1) << 40, 8,
		      "the file is cut: data of CPU 0");
	refuse_number(&w, w.b.table_at, UINT64_MAX, 8, "data of CPU 0: offset");
	refuse_number(&w, w.b.table_at + 8, INT64_MAX, 8, "data of CPU 0: offset");
	/* Both CPUs are the whole file: read twice, a thousand would be read a
	 * thousand times. */
	for (int cpu = 0; cpu < 2; cpu++)
		for (int i = 0; i < 8; i++) {
			size_t at = w.b.table_at + (size_t)cpu * 16 + (size_t)i;

			w.b.out.at[at] = 0;
			w.b.out.at[at + 8] = (uint8_t)(w.b.out.len >> 8 * i);
		}
	refuse(&w, w.b.out.at, w.b.out.len, "larger than the file");
	close_world(&w);
}

static void test_bad_options(void **state)
{
	static const char tail[] = "at the end";
	struct world w;

	w.folder = folder_new();
	w.path = folder_path(w.folder, "x.dat");
	dat_build_init(&w.b, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	dat_build_option(&w.b, 99, tail, sizeof(tail));
	fill(&w.b);
	dat_build_write(&w.b, w.path);
	refuse_number(&w, w.b.options_at + 2, 0xffffffff, 4, "options at");
	refuse_number(&w, w.b.options_at + 2, 3, 4, "");
	refuse(&w, w.b.out.at, w.b.options_at + 8, "options at");
	close_world(&w);
}

/* A file of version 7 that is cut anywhere lacks its last options section. */
static void test_cut(void **state)
{
	static const struct dat_form forms[] = {
		{ .version = 6, .nr_cpus = 2, .cmdlines = "11 a\n",
		  .uname = "Linux h 6.1 x" },
		{ .version = 7, .nr_cpus = 2, .cmdlines = "11 a\n",
		  .uname = "Linux h 6.1 x" },
		{ .version = 7, .nr_cpus = 2, .compression = "zstd",
		  .pack = dat_pack },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct world w;
		size_t step;

		open_world(&w, &forms[i]);
		for (size_t len = 10; len < w.b.out.len; len += step) {
			refuse(&w, w.b.out.at, len, "");
			step = len < 200 ? 1 : 113;
		}
		refuse(&w, w.b.out.at, w.b.out.len - 1, "");
		close_world(&w);
	}
}

static void test_partial(void **state)
{
	struct err err = { 0 };
	int formats, pages;
	struct world w;

	/* Two pages a CPU: 100 bytes are left of the first CPU's second, and
	 * nothing of the other CPU. */
	open_world(&w, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	assert_int_equal(file_write(w.path, w.b.out.at,
				    w.b.out.len - 3 * 4096 + 100), 0);
	assert_int_equal(read_all(w.path, false, &formats, &pages, &err),
			 ERR_FORMAT);
	assert_non_null(strstr(err.text, "--partial"));
	err = (struct err){ 0 };
	assert_int_equal(read_all(w.path, true, &formats, &pages, &err), 0);
	assert_int_equal(pages, 2);
	close_world(&w);
}

static void test_bad_sections(void **state)
{
	/* magic, "7", order, long, page size, "none", "1.0", then: */
	const size_t first = 10 + 2 + 2 + 4 + 5 + 4;
	size_t done, buffer;
	struct world w;

	open_world(&w, &(struct dat_form){ .version = 7, .nr_cpus = 2 });
	refuse_number(&w, first - 9, 'l', 1, "compression 'lone' is not known");
	refuse_number(&w, first, 0, 8, "no option tells where");
	refuse_number(&w, first, UINT64_C(1) << 50, 8, "options are said to be");
	refuse_number(&w, first, UINT64_MAX, 8, "options are said to be");
	/* The first options section, then its header's size */
	refuse_number(&w, w.b.options_at - 8, UINT64_MAX, 8, "options at");
	/* Option 16: the page headers are elsewhere, or something else */
	refuse_number(&w, w.b.options_at + 6, 1, 8, "page headers");
	refuse_number(&w, w.b.options_at + 6, w.b.out.len - 3, 8, "page headers");
	refuse_number(&w, w.b.options_at + 2, 0xffffff, 4, "options at");
	/* The chain of options sections goes back to its first. */
	done = w.b.table_at - 16;
	refuse_number(&w, find(&w, (const char *)(uint8_t[8]){
			(uint8_t)done, (uint8_t)(done >> 8),
			(uint8_t)(done >> 16) }, 8), w.b.options_at - 16, 8,
		      "options sections without end");
	/* BUFFER: id, size, offset, "", "", page size, CPUs, then a CPU */
	buffer = w.b.table_at + 6;
	refuse_number(&w, buffer + 10, 7, 4, "pages of 7 bytes");
	refuse_number(&w, buffer + 14, 0xffffffff, 4, "the option of a buffer");
	refuse_number(&w, buffer + 18, 0x10000, 4, "trace data of CPU -1");
	refuse_number(&w, buffer + 22 + 8, UINT64_C(1) << 40, 8, "the file is cut");
	close_world(&w);
}

static void test_bad_compression(void **state)
{
	size_t section, cpu_at = 0;
	struct err err = { 0 };
	int formats, pages;
	struct world w;

	open_world(&w, &(struct dat_form){
		.version = 7, .nr_cpus = 1, .compression = "zstd",
		.pack = dat_pack, .chunk_pages = 1,
	});
	/* The section of page headers is the first one after the head. */
	section = 10 + 2 + 2 + 4 + 5 + 4 + 8;
	refuse_number(&w, section + 16, 0xffffffff, 4, "are said to be");
	refuse_number(&w, section + 20, 0xffffffff, 4, "are said to be");
	refuse_number(&w, section + 20, 100, 4, "cannot uncompress");
	refuse_number(&w, section + 30, 0, 4, "cannot uncompress");
	/* CPU data: a damaged chunk is a hole, not an end. */
	for (int i = 0; i < 8; i++)
		cpu_at |= (size_t)w.b.out.at[w.b.table_at + 28 + (size_t)i] <<
			  8 * i;
	assert_int_equal(w.b.out.at[cpu_at], 2);	/* chunks */
	w.b.out.at[cpu_at + 4 + 8] ^= 0xff;		/* in the first one */
	assert_int_equal(file_write(w.path, w.b.out.at, w.b.out.len), 0);
	assert_int_equal(read_all(w.path, false, &formats, &pages, &err), 0);
	assert_int_equal(pages, 1);
	/* A chunk's size that is too large loses the rest. */
	w.b.out.at[cpu_at + 4 + 3] = 0x7f;
	assert_int_equal(file_write(w.path, w.b.out.at, w.b.out.len), 0);
	assert_int_equal(read_all(w.path, false, &formats, &pages, &err), 0);
	assert_int_equal(pages, 0);
	w.b.out.at[cpu_at + 3] = 0xff;			/* 4 billion chunks */
	assert_int_equal(file_write(w.path, w.b.out.at, w.b.out.len), 0);
	assert_int_equal(read_all(w.path, false, &formats, &pages, &err), 0);
	close_world(&w);
}

static void test_latency(void **state)
{
	for (int version = 6; version <= 7; version++) {
		struct err err = { 0 };
		int formats, pages;
		struct world w;

		open_world(&w, &(struct dat_form){
			.version = version, .nr_cpus = 1, .latency = true,
		});
		assert_int_equal(read_all(w.path, false, &formats, &pages, &err),
				 ERR_FORMAT);
		assert_non_null(strstr(err.text, "a latency trace"));
		close_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_no_trace),
		cmocka_unit_test(test_bad_head),
		cmocka_unit_test(test_bad_tables),
		cmocka_unit_test(test_bad_cpu_data),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_bad_sections),
		cmocka_unit_test(test_bad_compression),
		cmocka_unit_test(test_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
