/* SPDX-License-Identifier: MIT */
/* What calibrate makes of measurements, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/calibration.h"
#include "model/cost.h"
#include "model/cpumask.h"
#include "model/err.h"
#include "model/topo.h"

static void expect_spread(int64_t *v, int nr, int64_t low, int64_t median,
			  int64_t high)
{
	struct spread s = spread_of(v, nr);

	assert_int_equal(s.low, low);
	assert_int_equal(s.median, median);
	assert_int_equal(s.high, high);
}

/* Ranks ceil(n/4) and ceil(3n/4): of 3 the 1st and 3rd, of 4 the 1st and 3rd,
 * of 8 the 2nd and 6th. */
static void spreads(void **state)
{
	int64_t one[] = { 7 }, three[] = { 5, 1, 3 }, four[] = { 8, 2, 6, 4 };
	int64_t eight[] = { 8, 1, 7, 2, 6, 3, 5, 4 };

	expect_spread(one, 1, 7, 7, 7);
	expect_spread(three, 3, 1, 3, 5);
	expect_spread(four, 4, 2, 5, 6);
	expect_spread(eight, 8, 2, 4, 6);	/* (4 + 5) / 2, down */
}

static void one_full_cycle(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 3, 7, 64, 1000, 65537 };
	uint32_t *next = calloc(65537, sizeof(*next));

	assert_non_null(next);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (uint64_t seed = 0; seed < 3; seed++) {
			uint32_t at = 0, steps = 0;

			chase_cycle(next, sizes[i], seed);
			do {
				assert_in_range(next[at], 0, sizes[i] - 1);
				at = next[at];
				steps++;
			} while (at && steps <= sizes[i]);
			assert_int_equal(steps, sizes[i]);
		}
	}
	free(next);
}

static void cycles_differ_by_seed(void **state)
{
	uint32_t a[100], b[100], c[100];

	chase_cycle(a, 100, 1);
	chase_cycle(b, 100, 2);
	chase_cycle(c, 100, 1);
	assert_memory_equal(a, c, sizeof(a));
	assert_memory_not_equal(a, b, sizeof(a));
}

/* Node 0: CPUs 0 and 1, 2 and 3 are threads of two cores, 2 is offline.  Node 1
 * at distance 30: 4 and 5.  Node 2 at 20: 6.  Node 3: memory only. */
static void make_cpus(struct topo *t)
{
	static const int node[] = { 0, 0, 0, 0, 1, 1, 2 };
	static const int core[] = { 0, 0, 1, 1, 2, 3, 4 };
	struct err err = { 0 };

	*t = (struct topo){ 0 };
	for (int n = 0; n < 4; n++)
		assert_int_equal(topo_add_node(t, n, &err), 0);
	for (int cpu = 0; cpu < 7; cpu++) {
		assert_int_equal(topo_add_cpu(t, cpu, node[cpu], &err), 0);
		t->cpu[cpu].core = core[cpu];
		t->cpu[cpu].online = cpu != 2;
	}
	t->distance[0 * 4 + 1] = t->distance[1 * 4 + 0] = 30;
	assert_int_equal(topo_finish(t, &err), 0);
}

static void expect_cpus(const struct topo *t, const char *allowed, int node,
			int size, const char *want)
{
	struct cpumask mask = { 0 };
	struct err err = { 0 };
	char text[100] = "";
	int cpu[16], nr;

	if (allowed)
		assert_int_equal(cpumask_parse(&mask, allowed, &err), 0);
	nr = calibration_cpus(t, allowed ? &mask : NULL, node, cpu, size);
	for (int i = 0; i < nr; i++)
		sprintf(text + strlen(text), "%d ", cpu[i]);
	assert_string_equal(text, want);
	cpumask_release(&mask);
}

static void cpus_to_measure_with(void **state)
{
	struct topo t;

	make_cpus(&t);
	/* Own node, then near to far, the sibling 1 last; 2 is offline. */
	expect_cpus(&t, NULL, 0, 16, "0 3 6 4 5 1 ");
	expect_cpus(&t, NULL, 0, 2, "0 3 ");
	/* In a cpuset. */
	expect_cpus(&t, "1,4-6", 0, 16, "1 6 4 5 ");
	expect_cpus(&t, "4", 0, 16, "");
	expect_cpus(&t, "4", 1, 16, "4 ");
	expect_cpus(&t, "2", 0, 16, "");
	/* No CPUs. */
	expect_cpus(&t, NULL, 3, 16, "");
	topo_release(&t);
}

static void levels_of_load(void **state)
{
	static const struct {
		int most, nr, level[5];
	} want[] = {
		{ 0, 0, { 0 } },	  { 1, 1, { 1 } },
		{ 2, 2, { 1, 2 } },	  { 5, 4, { 1, 2, 4, 5 } },
		{ 8, 4, { 1, 2, 4, 8 } },
	};
	int level[CALIBRATION_LEVELS];

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(calibration_levels(want[i].most, level),
				 want[i].nr);
		assert_memory_equal(level, want[i].level,
				    (size_t)want[i].nr * sizeof(int));
	}
	assert_int_equal(calibration_levels(1 << 30, level),
			 CALIBRATION_LEVELS);
}

static struct latency row(int from, int to, int others, int64_t ps)
{
	return (struct latency){ .cpu_node = from, .mem_node = to,
				 .co_runners = others, .median_ps = ps,
				 .low_ps = ps, .high_ps = ps, .samples = 1 };
}

/* CPUs on nodes 0 and 1, memory on all three. */
static void make_nodes(struct topo *t, struct cost *c)
{
	struct err err = { 0 };

	*t = (struct topo){ 0 };
	for (int n = 0; n < 3; n++)
		assert_int_equal(topo_add_node(t, n, &err), 0);
	for (int cpu = 0; cpu < 2; cpu++)
		assert_int_equal(topo_add_cpu(t, cpu, cpu, &err), 0);
	assert_int_equal(topo_finish(t, &err), 0);
	assert_int_equal(cost_init(c, t, &err), 0);
}

static void expect_cost(const struct cost *c, const double *remote,
			double contention)
{
	for (int i = 0; i < c->nr_node_ids * c->nr_node_ids; i++)
		if (c->remote[i] < remote[i] - 1e-9 ||
		    c->remote[i] > remote[i] + 1e-9)
			fail_msg("remote %d: %.12g, wanted %.12g", i,
				 c->remote[i], remote[i]);
	if (c->contention < contention - 1e-9 ||
	    c->contention > contention + 1e-9)
		fail_msg("contention %.12g, wanted %.12g", c->contention,
			 contention);
}

/* Contention: slow-downs 1.1 by one, 1.4 by two: (0.1 + 2 * 0.4) / (1 + 4). */
static void factors(void **state)
{
	const struct latency l[] = {
		row(0, 0, 0, 100000), row(0, 0, 1, 110000),
		row(0, 0, 2, 140000), row(0, 1, 0, 150000),
		row(0, 2, 0, 250000), row(1, 0, 0, 120000),
		row(1, 1, 0, 80000),  row(1, 2, 0, 72000),
	};
	/* Faster than its own memory counts as equal.  Node 2 has no CPUs: as
	 * before, 1 + 0.31 at distance 20. */
	const double want[] = { 1, 1.5, 2.5, 1.5, 1, 1, 1.31, 1.31, 1 };
	struct err err = { 0 };
	int missing = -1;
	struct topo t;
	struct cost c;

	make_nodes(&t, &c);
	assert_int_equal(cost_calibrate(&c, &t, l, 8, &missing, &err), 0);
	expect_cost(&c, want, 0.18);
	assert_int_equal(missing, 0);
	cost_release(&c);
	topo_release(&t);
}

/* Node 1 has no memory of its own: its local is that of nodes 0 and 2, (100 +
 * 120) / 2.  0 to 2, 1 to 2 and 2 to 0 were not measured. */
static void node_without_memory(void **state)
{
	const struct latency l[] = {
		row(0, 0, 0, 100), row(1, 0, 0, 143), row(2, 2, 0, 120),
		row(0, 0, 1, 90),
	};
	const double want[] = { 1, 1.31, 1.31, 1.3, 1, 1.31, 1.31, 1.31, 1 };
	struct err err = { 0 };
	int missing = -1;
	struct topo t;
	struct cost c;

	make_nodes(&t, &c);
	assert_int_equal(topo_add_cpu(&t, 2, 2, &err), 0);
	assert_int_equal(topo_finish(&t, &err), 0);
	t.node[1].mem_bytes = 0;
	assert_int_equal(cost_calibrate(&c, &t, l, 4, &missing, &err), 0);
	/* Faster beside a co-runner: noise, no contention. */
	expect_cost(&c, want, 0);
	assert_int_equal(missing, 3);
	cost_release(&c);
	topo_release(&t);
}

/* Without loaded rows contention stays what it was. */
static void nobody_beside(void **state)
{
	const struct latency l[] = { row(0, 0, 0, 100) };
	struct err err = { 0 };
	struct topo t;
	struct cost c;

	make_nodes(&t, &c);
	assert_int_equal(cost_parse(&c, "flat,contention=0.25", &err), 0);
	assert_int_equal(cost_calibrate(&c, &t, l, 1, NULL, &err), 0);
	assert_true(c.contention > 0.2499 && c.contention < 0.2501);
	assert_int_equal(c.flat, 0);
	cost_release(&c);
	topo_release(&t);
}

static void refused(void **state)
{
	const struct latency elsewhere = row(0, 7, 0, 100);
	const struct latency loaded = row(0, 0, 1, 100);
	struct err err = { 0 };
	struct topo t;
	struct cost c;

	make_nodes(&t, &c);
	assert_int_equal(cost_calibrate(&c, &t, &elsewhere, 1, NULL, &err),
			 ERR_USAGE);
	assert_string_equal(err.text, "it was measured on a host with a node 7; "
			    "this machine has none");
	err = (struct err){ 0 };
	assert_int_equal(cost_calibrate(&c, &t, &loaded, 1, NULL, &err),
			 ERR_USAGE);
	assert_string_equal(err.text, "no latency was measured");
	err = (struct err){ 0 };
	assert_int_equal(cost_calibrate(&c, &t, NULL, 0, NULL, &err),
			 ERR_USAGE);
	cost_release(&c);
	topo_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spreads),
		cmocka_unit_test(one_full_cycle),
		cmocka_unit_test(cycles_differ_by_seed),
		cmocka_unit_test(cpus_to_measure_with),
		cmocka_unit_test(levels_of_load),
		cmocka_unit_test(factors),
		cmocka_unit_test(node_without_memory),
		cmocka_unit_test(nobody_beside),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
