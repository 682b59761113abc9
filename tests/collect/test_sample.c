/* SPDX-License-Identifier: MIT */
#include "collect/sample.h"

#include "model/err.h"
#include "model/run.h"
#include "tests/support/folder.h"
#include "tests/support/tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define SEC INT64_C(1000000000)

/* A world in which time passes only when the test or a reading says so. */
struct world {
	char *proc;
	struct sampler *s;
	int64_t now, spent;
	int64_t cost;		/* of each look at the clock of spent time */
	char given[8192];
	size_t len;
	int nr_areas, nr_ends;
	int pages_asked, errno_of_query;
	struct err err;
};

static int area(void *ctx, const struct placement_fact *f, struct err *err)
{
	struct world *w = ctx;

	w->nr_areas++;
	w->len += (size_t)snprintf(w->given + w->len, sizeof(w->given) - w->len,
				   "%lldms %d %c %llx+%llx kind=%d %s",
				   (long long)(f->ts / MS), f->pid, f->source,
				   (unsigned long long)f->start,
				   (unsigned long long)f->bytes, f->kind, f->name);
	for (int i = 0; i < f->nr_node_ids; i++)
		if (f->pages[i])
			w->len += (size_t)snprintf(w->given + w->len,
						   sizeof(w->given) - w->len,
						   " %d:%lld", i,
						   (long long)f->pages[i]);
	w->len += (size_t)snprintf(w->given + w->len, sizeof(w->given) - w->len,
				   "\n");
	return 0;
}

static int area_end(void *ctx, int pid, int64_t ts, struct err *err)
{
	struct world *w = ctx;

	w->nr_ends++;
	w->len += (size_t)snprintf(w->given + w->len, sizeof(w->given) - w->len,
				   "%lldms %d end\n", (long long)(ts / MS), pid);
	return 0;
}

/* Even pages of 4 KiB lie on node 0, odd ones on node 2, every tenth nowhere. */
static int query(void *ctx, int pid, int nr, void **page, int *status)
{
	struct world *w = ctx;

	if (w->errno_of_query) {
		errno = w->errno_of_query;
		return -1;
	}
	w->pages_asked += nr;
	for (int i = 0; i < nr; i++) {
		uint64_t n = (uint64_t)(uintptr_t)page[i] / 4096;

		status[i] = n % 10 == 9 ? -ENOENT : n % 2 ? 2 : 0;
	}
	return 0;
}

static int64_t now(void *ctx)
{
	struct world *w = ctx;

	return w->now;
}

/* Asked before and after a reading: the difference is its cost, which passes
 * by the clock too. */
static int64_t spent(void *ctx)
{
	struct world *w = ctx;

	w->spent += w->cost;
	w->now += w->cost;
	return w->spent;
}

static int setup(void **state)
{
	static struct world w;
	struct sampler_setup s = {
		.interval_ns = 500 * MS, .budget = 0.01, .page_size = 4096,
		.area = area, .end = area_end, .query = query, .now = now,
		.spent = spent, .ctx = &w,
	};

	w = (struct world){ .proc = folder_new(), .now = 10 * SEC };
	s.proc = w.proc;
	assert_int_equal(sampler_new(&w.s, &s, &w.err), 0);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	sampler_free(w->s);
	folder_remove(w->proc);
	return 0;
}

static void put_process(struct world *w, int pid, int node0, int node1)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/maps", pid);
	tree_put(w->proc, path,
		 "400000-402000 r-xp 00000000 08:01 5 /bin/x\n"
		 "600000-1a00000 rw-p 00000000 00:00 0 [heap]\n"
		 "7f0000000000-7f0001400000 rw-p 00000000 00:00 0 \n"
		 "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0 [stack]\n");
	snprintf(path, sizeof(path), "%d/numa_maps", pid);
	tree_put(w->proc, path,
		 "00400000 default file=/bin/x mapped=2 N0=2 "
		 "kernelpagesize_kB=4\n"
		 "00600000 default heap\n"
		 "7f0000000000 default anon=%d dirty=%d N0=%d N1=%d "
		 "kernelpagesize_kB=4\n"
		 "7ffd00000000 default stack anon=3 dirty=3 N1=3 "
		 "kernelpagesize_kB=4\n",
		 node0 + node1, node0 + node1, node0, node1);
	snprintf(path, sizeof(path), "%d/statm", pid);
	tree_put(w->proc, path, "9000 5000 10 1 0 100 0\n");
}

/* Runs the sampler; returns what it gave, sets the time it wants to be called
 * again. */
static const char *run(struct world *w, int64_t *next)
{
	int64_t ignored;

	w->len = 0;
	w->given[0] = '\0';
	assert_int_equal(sampler_run(w->s, next ? next : &ignored, &w->err), 0);
	return w->given;
}

/* Bounds come from maps, kinds from numa_maps; areas without pages are left
 * out. */
static void reads_areas(void **state)
{
	struct world *w = *state;
	int64_t next;

	put_process(w, 7, 5000, 0);
	assert_int_equal(sampler_add(w->s, 7, &w->err), 0);
	assert_string_equal(run(w, &next),
			    "10000ms 7 m 400000+2000 kind=3 /bin/x 0:2\n"
			    "10000ms 7 m 7f0000000000+1400000 kind=0  0:5000\n"
			    "10000ms 7 m 7ffd00000000+21000 kind=2  1:3\n"
			    "10000ms 7 end\n");
	assert_int_equal(next, 10 * SEC + 500 * MS);
	assert_string_equal(run(w, NULL), "");
	assert_int_equal(sampler_totals(w->s)->processes, 1);
}

/* A sample of pid 7 as area() and area_end() write it. */
#define SAMPLE_7(ms, pages) \
	ms "ms 7 m 400000+2000 kind=3 /bin/x 0:2\n" \
	ms "ms 7 m 7f0000000000+1400000 kind=0  " pages "\n" \
	ms "ms 7 m 7ffd00000000+21000 kind=2  1:3\n" \
	ms "ms 7 end\n"

/* What one more turn hands on, half a second later. */
static const char *half_a_second_later(struct world *w)
{
	w->now += 500 * MS;
	return run(w, NULL);
}

/* Of 10, 10.5 ... 12.5 s the first five are equal: 10 and 10.5 are told at once,
 * 11 never, 11.5 and 12 with the change. */
static void leaves_out_equal_samples(void **state)
{
	struct world *w = *state;

	put_process(w, 7, 5000, 0);
	sampler_add(w->s, 7, &w->err);
	assert_string_equal(run(w, NULL), SAMPLE_7("10000", "0:5000"));
	assert_string_equal(half_a_second_later(w),
			    SAMPLE_7("10500", "0:5000"));
	for (int i = 0; i < 3; i++)
		assert_string_equal(half_a_second_later(w), "");
	put_process(w, 7, 4000, 1000);
	assert_string_equal(half_a_second_later(w),
			    SAMPLE_7("11500", "0:5000")
			    SAMPLE_7("12000", "0:5000")
			    SAMPLE_7("12500", "0:4000 1:1000"));
	assert_int_equal(sampler_totals(w->s)->reads, 6);
}

/* Of three equal ones each is told once. */
static void tells_each_sample_once(void **state)
{
	struct world *w = *state;

	put_process(w, 7, 5000, 0);
	sampler_add(w->s, 7, &w->err);
	run(w, NULL);
	half_a_second_later(w);
	assert_string_equal(half_a_second_later(w), "");
	put_process(w, 7, 4000, 1000);
	assert_string_equal(half_a_second_later(w),
			    SAMPLE_7("11000", "0:5000")
			    SAMPLE_7("11500", "0:4000 1:1000"));
	put_process(w, 7, 3000, 2000);
	assert_string_equal(half_a_second_later(w),
			    SAMPLE_7("12000", "0:3000 1:2000"));
}

/* Reading takes longer than the interval, and the budget allows it: other things
 * must have their turn all the same. */
static void returns_after_a_turn_of_each(void **state)
{
	struct world *w = *state;
	const struct sampler_setup s = {
		.proc = w->proc, .interval_ns = MS, .budget = 10,
		.page_size = 4096, .area = area, .end = area_end,
		.query = query, .now = now, .spent = spent, .ctx = w,
	};
	int64_t next;

	sampler_free(w->s);
	assert_int_equal(sampler_new(&w->s, &s, &w->err), 0);
	w->cost = MS;
	put_process(w, 7, 5000, 0);
	put_process(w, 8, 5000, 0);
	sampler_add(w->s, 7, &w->err);
	sampler_add(w->s, 8, &w->err);
	run(w, &next);
	assert_int_equal(sampler_totals(w->s)->reads, 2);
	assert_in_range(next, 0, w->now);
}

/* What was known last is told when the process is gone, and at the end. */
static void gives_the_last_sample(void **state)
{
	struct world *w = *state;

	put_process(w, 7, 5000, 0);
	put_process(w, 8, 100, 0);
	sampler_add(w->s, 7, &w->err);
	sampler_add(w->s, 8, &w->err);
	run(w, NULL);
	half_a_second_later(w);
	half_a_second_later(w);
	tree_remove(w->proc, "7");
	w->nr_ends = 0;
	assert_string_equal(half_a_second_later(w),
			    SAMPLE_7("11000", "0:5000"));
	assert_int_equal(w->nr_ends, 1);
	w->now += 100 * MS;
	w->len = 0;
	assert_int_equal(sampler_last(w->s, INT64_MAX, &w->err), 0);
	assert_int_equal(w->nr_ends, 3);
	assert_non_null(strstr(w->given, "11500ms 8 end\n"));
	assert_non_null(strstr(w->given, "11600ms 8 end\n"));
}

/* 4 MiB are 1024 pages: 1023 are tiny.  It is looked at again only for its
 * size, every eighth turn. */
static void reads_tiny_processes_once(void **state)
{
	struct world *w = *state;
	int64_t next;

	put_process(w, 7, 5, 0);
	tree_put(w->proc, "7/statm", "9000 1023 10 1 0 100 0\n");
	sampler_add(w->s, 7, &w->err);
	assert_true(run(w, &next)[0]);
	put_process(w, 7, 6, 0);
	tree_put(w->proc, "7/statm", "9000 1023 10 1 0 100 0\n");
	w->now += 4000 * MS;
	assert_string_equal(run(w, &next), "");
	assert_int_equal(next, w->now + SEC);
	w->now += 3999 * MS;
	tree_put(w->proc, "7/statm", "9000 1024 10 1 0 100 0\n");
	assert_string_equal(run(w, &next), "");
	w->now += MS;
	assert_non_null(strstr(run(w, &next), "0:6"));
}

/* A tiny one does not take the last of the budget (20 ms are saved up, a look
 * costs 6 and then 6 again: 8 are left) from one that is not. */
static void passes_by_tiny_processes_when_short(void **state)
{
	struct world *w = *state;

	w->cost = 2 * MS;
	for (int pid = 1; pid <= 3; pid++) {
		put_process(w, pid, 5000, 0);
		sampler_add(w->s, pid, &w->err);
		w->now++;
	}
	tree_put(w->proc, "3/statm", "9000 10 10 1 0 100 0\n");
	run(w, NULL);
	assert_non_null(strstr(w->given, " 1 end"));
	assert_non_null(strstr(w->given, " 2 end"));
	assert_null(strstr(w->given, " 3 end"));
}

/* 6 ms for a look: with 1 % of a CPU the next one comes after 600 ms. */
static void waits_longer_for_a_process_that_takes_long(void **state)
{
	struct world *w = *state;
	int64_t start = w->now, next;

	put_process(w, 7, 5000, 0);
	sampler_add(w->s, 7, &w->err);
	w->cost = 2 * MS;	/* asked three times within a turn */
	run(w, &next);
	assert_int_equal(sampler_totals(w->s)->spent_ns, 6 * MS);
	assert_in_range(next, start + 600 * MS, start + 1000 * MS);
}

/* 100 processes of 3 ms each: in 10 s no more than 1 % of that and what can be
 * saved up (20 ms) are spent, one look may be begun with the last bit. */
static void keeps_to_the_budget(void **state)
{
	struct world *w = *state;
	int64_t end = w->now + 10 * SEC, next;

	w->cost = MS;
	for (int pid = 1; pid <= 100; pid++) {
		put_process(w, pid, pid, 0);
		sampler_add(w->s, pid, &w->err);
	}
	while (w->now < end) {
		run(w, &next);
		if (next > w->now)
			w->now = next;
	}
	assert_in_range(sampler_totals(w->s)->spent_ns, 90 * MS, 123 * MS);
	assert_in_range(sampler_totals(w->s)->processes, 30, 41);
}

/* Slow by CPU time (over 20 ms) three times in a row: move_pages from then on;
 * a quick one between begins the count anew.  The heap of 20 MiB
 * is asked page by page (5120, a tenth is nowhere), as is the anonymous area;
 * the stack and what cannot be written are left out. */
static void asks_where_reading_is_slow(void **state)
{
	struct world *w = *state;

	put_process(w, 7, 5000, 0);
	sampler_add(w->s, 7, &w->err);
	for (int i = 0; i < 6; i++) {
		w->cost = i == 2 ? 0 : 21 * MS;
		run(w, NULL);
		w->now += 100 * SEC;
		assert_int_equal(sampler_totals(w->s)->queries, 0);
	}
	w->cost = 0;
	/* 0x600000 / 4096 = 1536: of every ten pages from there on one ends in
	 * 9 (odd), so of 5120 pages 512 are nowhere and 2048 on node 2. */
	run(w, NULL);
	assert_non_null(strstr(w->given, " 7 e 600000+1400000 kind=1  0:2560 "
					 "2:2048\n"));
	assert_non_null(strstr(w->given, " 7 e 7f0000000000+1400000 kind=0  "
					 "0:2560 2:2048\n"));
	assert_null(strstr(w->given, " 7 e 7ffd"));
	assert_null(strstr(w->given, " 7 e 4000"));
	assert_int_equal(w->pages_asked, 2 * 5120);
	assert_int_equal(sampler_totals(w->s)->queries, 1);
	assert_int_equal(sampler_totals(w->s)->max_stride, 1);
}

/* 1 GiB of 4 KiB pages: 262144, of which 4096 are asked for, one in 64.  All
 * these have even numbers, so each counts for 64 on node 0. */
static void samples_large_areas(void **state)
{
	struct world *w = *state;

	tree_put(w->proc, "7/maps", "40000000-80000000 rw-p 0 00:00 0 \n");
	sampler_add(w->s, 7, &w->err);
	assert_string_equal(run(w, NULL),
			    "10000ms 7 q 40000000+40000000 kind=0  0:262144\n"
			    "10000ms 7 end\n");
	assert_int_equal(w->pages_asked, 4096);
	assert_int_equal(sampler_totals(w->s)->max_stride, 64);
}

/* Not ours to read: dropped at once, counted. */
static void drops_what_it_may_not_read(void **state)
{
	struct world *w = *state;

	tree_put(w->proc, "7/maps", "40000000-80000000 rw-p 0 00:00 0 \n");
	w->errno_of_query = EPERM;
	sampler_add(w->s, 7, &w->err);
	assert_string_equal(run(w, NULL), "");
	assert_int_equal(sampler_totals(w->s)->refused, 1);
	w->errno_of_query = 0;
	w->now += 10 * SEC;
	assert_string_equal(run(w, NULL), "");
}

/* A pid that is used again begins anew, and the old one's last sample is told. */
static void begins_anew_with_another_process(void **state)
{
	struct world *w = *state;

	put_process(w, 7, 5000, 0);
	sampler_add(w->s, 7, &w->err);
	run(w, NULL);
	w->now += 500 * MS;
	run(w, NULL);
	put_process(w, 7, 9, 0);
	w->now += 10 * MS;
	w->len = 0;
	sampler_add(w->s, 7, &w->err);
	assert_non_null(strstr(w->given, "10500ms 7 end\n"));
	assert_non_null(strstr(run(w, NULL), "10510ms 7 m 7f0000000000+1400000"));
}

static void has_nothing_to_do(void **state)
{
	struct world *w = *state;
	int64_t next;

	assert_string_equal(run(w, &next), "");
	assert_int_equal(next, w->now + SEC);
	sampler_add(w->s, 99, &w->err);	/* is not there */
	assert_string_equal(run(w, &next), "");
	assert_int_equal(sampler_last(w->s, INT64_MAX, &w->err), 0);
	assert_int_equal(sampler_totals(w->s)->processes, 0);
}

#define WORLD_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(reads_areas),
		WORLD_TEST(leaves_out_equal_samples),
		WORLD_TEST(tells_each_sample_once),
		WORLD_TEST(returns_after_a_turn_of_each),
		WORLD_TEST(gives_the_last_sample),
		WORLD_TEST(reads_tiny_processes_once),
		WORLD_TEST(passes_by_tiny_processes_when_short),
		WORLD_TEST(waits_longer_for_a_process_that_takes_long),
		WORLD_TEST(keeps_to_the_budget),
		WORLD_TEST(asks_where_reading_is_slow),
		WORLD_TEST(samples_large_areas),
		WORLD_TEST(drops_what_it_may_not_read),
		WORLD_TEST(begins_anew_with_another_process),
		WORLD_TEST(has_nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
