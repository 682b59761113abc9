/* SPDX-License-Identifier: MIT */
/*
 * Generated demand: that it is what its sheet (algorithms.md K) says, that it
 * comes to its end under a replay, and that same means same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/err.h"
#include "replay/bench.h"
#include "replay/synth.h"

#define MS INT64_C(1000000)
#define S INT64_C(1000000000)

/* What all programs hold together. */
struct sums {
	int64_t nr[DEMAND_NR];
	int64_t run_ns, pages, held, sleep_ns;
};

static void make(struct bench *b, const char *spec, const char *operand)
{
	struct synth_spec s;
	struct err err = { 0 };

	if (synth_spec_parse(&s, spec, operand, &err) ||
	    bench_init(b, &s, NULL, "flat", 7, &err))
		fail_msg("%s", err.text);
	synth_spec_release(&s);
}

static void count(const struct bench *b, int task, struct sums *sum)
{
	struct demand_source src;
	struct demand_op op = { .code = DEMAND_NR };
	struct err err = { 0 };
	const uint8_t *p;
	size_t len, n;

	demand_mem_source(&b->demand, &src);
	for (int c = 0; src.chunk(src.ctx, task, c, &p, &len, &err) > 0; c++) {
		assert_true(len > 0 && len <= DEMAND_CHUNK);
		for (size_t at = 0; at < len; at += n) {
			n = demand_decode(p + at, len - at, &op);
			assert_true(n > 0);
			sum->nr[op.code]++;
			sum->run_ns += op.code == DEMAND_RUN ? op.ns : 0;
			sum->sleep_ns += op.code == DEMAND_SLEEP ? op.ns : 0;
			sum->pages += op.code == DEMAND_TOUCH ? op.pages : 0;
			sum->held += op.code == DEMAND_HELD ? op.pages : 0;
		}
	}
	assert_int_equal(op.code, DEMAND_EXIT);
}

static struct sums count_all(const struct bench *b)
{
	struct sums sum = { .nr = { 0 } };

	for (int t = 0; t < b->what.tasks.nr; t++) {
		assert_int_equal(b->what.demand[t].task, t);
		count(b, t, &sum);
	}
	assert_int_equal(sum.nr[DEMAND_EXIT], b->what.tasks.nr);
	assert_int_equal(sum.nr[DEMAND_FORK], b->what.tasks.nr - 1);
	return sum;
}

static void replay(const struct bench *b, const char *policy,
		   struct bench_result *r)
{
	struct policy_spec p;
	struct err err = { 0 };

	if (policy_spec_parse(&p, policy, NULL, &err) ||
	    bench_run(b, &p, 1, r, &err))
		fail_msg("%s", err.text);
	policy_spec_release(&p);
}

/*
 * K.1: dispatcher, 4 jobs, hackbench's parent and its 20 * 40 children.  Jobs
 * exec twice, hackbench's parent once.  800 000 messages.  4 * 5000 pages of
 * 4 KiB.  CPU time: 5 forks of 1.5 ms; jobs 27.2 s + 0.35 + 4 + 3 ms; hackbench
 * 3 ms and 800 forks of 0.35 ms for the parent, 0.35 ms for each child, 3.75 us
 * at both ends of a message; 0.9 s at the end.
 */
static void test_numa_test(void **state)
{
	const int64_t work = 5 * 1500000 + 4 * (27200 * MS + 7350000) + 3 * MS +
		800 * 2 * 350000 + INT64_C(800000) * 7500 + 900 * MS;
	struct bench_result r;
	struct bench b;
	struct sums sum;

	make(&b, "numa_test,jitter=0,spread=0,hackbench_spread=0", "4");
	sum = count_all(&b);
	assert_int_equal(b.what.tasks.nr, 1 + 4 + 1 + 800);
	assert_int_equal(sum.nr[DEMAND_EXEC], 2 * 4 + 1);
	assert_int_equal(sum.nr[DEMAND_SEND], 800000);
	assert_int_equal(sum.nr[DEMAND_RECV], 800000);
	assert_int_equal(sum.nr[DEMAND_OPEN], 400);
	assert_int_equal(sum.pages, 4 * 5000);
	assert_int_equal(sum.sleep_ns, 3 * S);
	assert_int_equal(sum.run_ns, work);
	assert_string_equal(b.what.tasks.task[1].comm, "randupdt");

	/* All on CPU 0: it takes the sum of all; hackbench goes before the jobs,
	 * which have no bonus: 800 000 * 7.5 us. */
	replay(&b, "stay", &r);
	assert_int_equal(r.nr_jobs, 4);
	assert_int_equal(r.elapsed_ns, work);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(r.job[i].cpu_ns, 27200 * MS + 7350000);
		assert_int_equal(r.job[i].node_ns[0], r.job[i].cpu_ns);
		assert_int_equal(r.job[i].first_node, 0);
		assert_int_equal(r.job[i].most_node, 0);
	}
	assert_int_equal(r.hackbench_ns, 6 * S);
	bench_result_release(&r);
	bench_release(&b);
}

/* Start-up times vary by half: 9 draws between 0.5 and 1.5; the seed decides. */
static void test_jitter(void **state)
{
	const int64_t fixed = 2 * 1000 * MS, start = 2 * 1500000 + 2 * 7350000;
	struct bench b;
	struct sums sum;

	make(&b, "numa_test,hackbench=0,alone=1s,spread=0,touch=100ms,finish=0",
	     "2");
	sum = count_all(&b);
	assert_in_range(sum.run_ns, fixed + start / 2, fixed + start * 3 / 2);
	assert_true(sum.run_ns != fixed + start);
	bench_release(&b);
}

/* So does the work of the jobs: each between 0.9 and 1.1 s. */
static void test_spread(void **state)
{
	const int64_t fixed = 2 * 1500000 + 2 * 7350000;
	struct bench b;
	struct sums sum;

	make(&b, "numa_test,hackbench=0,alone=1s,touch=100ms,jitter=0,finish=0,"
	     "spread=0.1", "2");
	sum = count_all(&b);
	assert_in_range(sum.run_ns, fixed + 1800 * MS, fixed + 2200 * MS);
	assert_true(sum.run_ns != fixed + 2000 * MS);
	bench_release(&b);

	/* Never less than none, however wide. */
	make(&b, "numa_test,hackbench=0,alone=1ms,touch=2ms,jitter=0,finish=0,"
	     "spread=1", "2");
	sum = count_all(&b);
	assert_int_equal(sum.run_ns, fixed + 2 * 2 * MS);
	bench_release(&b);
}

/* The disturbance can be left out; its size changes with its knobs. */
static void test_sizes(void **state)
{
	struct bench b;
	struct sums sum;

	make(&b, "numa_test,hackbench=0,alone=1s,spread=0,touch=100ms,jitter=0,"
	     "finish=0", "2");
	sum = count_all(&b);
	assert_int_equal(b.what.tasks.nr, 3);
	assert_int_equal(sum.run_ns, 2 * 1500000 + 2 * (1000 * MS + 7350000));
	bench_release(&b);

	make(&b, "hackbench,fds=3,loops=7,threads=off", "2");
	sum = count_all(&b);
	assert_int_equal(b.what.tasks.nr, 1 + 2 * 2 * 3);
	assert_int_equal(sum.nr[DEMAND_SEND], 2 * 3 * 7 * 3);
	assert_int_equal(sum.nr[DEMAND_RECV], 2 * 3 * 7 * 3);
	bench_release(&b);
}

/* Bound to one node of kunpeng920: all of them, and the policy heeds it. */
static void test_bound(void **state)
{
	struct bench_result r;
	struct bench b;

	make(&b, "hackbench,fds=4,loops=50,cpus=24", "2");
	for (int t = 0; t < b.what.tasks.nr; t++) {
		const struct cpumask *m = &b.what.tasks.task[t].affinity;

		assert_int_equal(cpumask_count(m), 24);
		assert_true(cpumask_test(m, 0) && cpumask_test(m, 23));
	}
	replay(&b, "cluster", &r);
	assert_true(r.hackbench_ns > 0);
	bench_result_release(&r);
	bench_release(&b);
}

/*
 * K.2 on 24 CPUs: 2 processes of 12 threads, of which one's main thread is the
 * whole's; 786432 pages each; 51 passes of 6569 ms (335 s of hard bind / 51).
 */
static void test_numa01(void **state)
{
	struct bench_result r;
	struct bench b;
	struct sums sum;

	make(&b, "numa01,fork=0,start=0", NULL);
	sum = count_all(&b);
	assert_int_equal(b.what.tasks.nr, 2 + 24);
	assert_int_equal(b.what.areas.nr, 2);
	assert_int_equal(b.what.nr_access, 0);
	assert_int_equal(sum.pages, 2 * 786432);
	assert_int_equal(sum.run_ns, 24 * 51 * 6569 * MS + 100000);
	replay(&b, "o1", &r);
	assert_int_equal(r.nr_jobs, 24);
	bench_result_release(&r);
	bench_release(&b);

	/* Areas of their own, and who uses them. */
	make(&b, "numa01,thread_alloc=on", NULL);
	sum = count_all(&b);
	assert_int_equal(b.what.areas.nr, 24);
	assert_int_equal(b.what.nr_access, 24);
	assert_int_equal(sum.pages, 2 * 786432);
	bench_release(&b);

	/* Forced to one node: there from the start, nobody touches it first. */
	make(&b, "numa01,same_node=1", NULL);
	sum = count_all(&b);
	assert_int_equal(sum.nr[DEMAND_TOUCH], 0);
	assert_int_equal(sum.nr[DEMAND_HELD], 24);
	assert_int_equal(sum.held, 2 * 786432);
	bench_release(&b);
}

/* K.2: 24 threads over parts of 1 GiB, filled by the main thread. */
static void test_numa02(void **state)
{
	struct bench b;
	struct sums sum;

	make(&b, "numa02,passes=10", NULL);
	sum = count_all(&b);
	assert_int_equal(b.what.tasks.nr, 25);
	assert_int_equal(b.what.areas.nr, 24);
	assert_int_equal(sum.pages, 262144);
	assert_int_equal(sum.run_ns, 24 * 11 * INT64_C(44900000) + 24 * 50000);
	for (int i = 0; i < 24; i++) {
		assert_int_equal(b.what.access[i].task, 1 + i);
		assert_int_equal(b.what.access[i].area, i);
	}
	bench_release(&b);
}

/* Never more than -j compilers at a time; all files are compiled. */
static void test_kernbench(void **state)
{
	struct bench_result r;
	struct bench b;
	struct sums sum;

	make(&b, "kernbench,jobs=3,min=10ms,max=20ms", "20");
	sum = count_all(&b);
	assert_int_equal(b.what.tasks.nr, 21);
	assert_int_equal(sum.nr[DEMAND_SEND], 20);
	assert_int_equal(sum.nr[DEMAND_RECV], 20);
	replay(&b, "node-affine", &r);
	assert_int_equal(r.nr_jobs, 20);
	bench_result_release(&r);
	bench_release(&b);
}

static void hash(const struct bench *b, uint64_t *h)
{
	struct demand_source src;
	struct err err = { 0 };
	const uint8_t *p;
	size_t len;

	*h = 14695981039346656037u;
	demand_mem_source(&b->demand, &src);
	for (int t = 0; t < b->what.tasks.nr; t++)
		for (int c = 0; src.chunk(src.ctx, t, c, &p, &len, &err) > 0; c++)
			for (size_t i = 0; i < len; i++)
				*h = (*h ^ p[i]) * 1099511628211u;
}

static void test_same(void **state)
{
	uint64_t first, second, other;
	struct synth_spec s;
	struct err err = { 0 };
	struct bench b;

	make(&b, "kernbench", "50");
	hash(&b, &first);
	bench_release(&b);
	make(&b, "kernbench", "50");
	hash(&b, &second);
	bench_release(&b);
	assert_int_equal(first, second);
	assert_int_equal(synth_spec_parse(&s, "kernbench", "50", &err), 0);
	assert_int_equal(bench_init(&b, &s, NULL, NULL, 8, &err), 0);
	hash(&b, &other);
	assert_true(first != other);
	bench_release(&b);
	synth_spec_release(&s);
}

static void refused(const char *spec, const char *operand, const char *why)
{
	struct synth_spec s;
	struct err err = { 0 };
	struct bench b = { .topo = { 0 } };
	int r = synth_spec_parse(&s, spec, operand, &err);

	if (!r)
		r = bench_init(&b, &s, NULL, NULL, 1, &err);
	assert_int_equal(r, ERR_USAGE);
	assert_non_null(strstr(err.text, why));
	bench_release(&b);
	synth_spec_release(&s);
}

static void test_refused(void **state)
{
	refused("numatest", NULL, "there are: numa_test, numa01");
	refused("numa_test", "0", "jobs");
	refused("numa_test", "x", "jobs");
	refused("numa_test,job=3", NULL, "it has: jobs");
	refused("numa_test,jobs", NULL, "knob=value");
	refused("numa01", "3", "takes no number");
	refused("hackbench,depth=5,low=5", NULL, "low");
	refused("kernbench,min=2s,max=1s", NULL, "max");
}

static void test_text(void **state)
{
	struct synth_spec s;
	struct err err = { 0 };
	char *text;

	assert_int_equal(synth_spec_parse(&s, "numa_test,touch=700ms,sh=4ms",
					  "32", &err), 0);
	text = synth_spec_text(&s);
	assert_string_equal(text, "numa_test jobs=32 touch=700ms");
	free(text);
	synth_spec_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numa_test),
		cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_numa01),
		cmocka_unit_test(test_numa02),
		cmocka_unit_test(test_kernbench),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
