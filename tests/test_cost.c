/* SPDX-License-Identifier: MIT */
/* The cost model: its formula by hand, its words, its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/cost.h"
#include "model/err.h"
#include "model/topo.h"

/* Two nodes at distance 20 and one at 30 from node 0. */
static void make(struct topo *t, struct cost *c)
{
	struct err err = { 0 };

	*t = (struct topo){ 0 };
	for (int n = 0; n < 3; n++)
		assert_int_equal(topo_add_node(t, n, &err), 0);
	for (int cpu = 0; cpu < 3; cpu++)
		assert_int_equal(topo_add_cpu(t, cpu, cpu, &err), 0);
	t->distance[0 * 3 + 2] = 30;
	assert_int_equal(topo_finish(t, &err), 0);
	assert_int_equal(cost_init(c, t, &err), 0);
}

static void expect(double is, double want)
{
	if (is < want - 1e-9 || is > want + 1e-9)
		fail_msg("%.12g instead of %.12g", is, want);
}

static void defaults(void **state)
{
	struct topo t;
	struct cost c;

	make(&t, &c);
	expect(c.remote[0 * 3 + 0], 1);
	expect(c.remote[0 * 3 + 1], 1.31);	/* SLIT 20: the seeds' machine */
	expect(c.remote[0 * 3 + 2], 1.62);	/* SLIT 30: twice as far above 1 */
	expect(c.contention, 0.0525);
	expect(c.oversubscribed, 1.048);
	assert_int_equal(c.migrate_ns[TOPO_SAME_CPU], 0);
	assert_int_equal(c.intensity_set, 0);
	cost_release(&c);
	topo_release(&t);
}

static void memory(void **state)
{
	const double half[] = { 0.5, 0.5, 0 }, none[] = { 0, 0, 0 };
	const double users[] = { 3, 0.5, 9 };
	struct err err = { 0 };
	struct topo t;
	struct cost c;

	make(&t, &c);
	assert_int_equal(cost_parse(&c, "contention=0.1", &err), 0);
	expect(cost_memory(&c, 0, half, NULL), 0.5 + 0.5 * 1.31);
	/* Two more users of node 0 than one; node 1 is not crowded. */
	expect(cost_memory(&c, 0, half, users), 0.5 * 1.2 + 0.5 * 1.31);
	expect(cost_memory(&c, 1, half, users), 0.5 * 1.31 * 1.2 + 0.5);
	expect(cost_memory(&c, 0, none, users), 1);
	expect(cost_memory(&c, -1, half, NULL), 1);
	expect(cost_memory(&c, 77, half, NULL), 1);
	assert_int_equal(cost_parse(&c, "flat", &err), 0);
	expect(cost_memory(&c, 0, half, users), 1);
	cost_release(&c);
	topo_release(&t);
}

/* What follows "flat" counts again, and it alone. */
static void flat_but(void **state)
{
	const double half[] = { 0.5, 0.5, 0 }, users[] = { 3, 2, 9 };
	struct err err = { 0 };
	struct topo t;
	struct cost c;

	make(&t, &c);
	assert_int_equal(cost_parse(&c, "flat,contention=0.1", &err), 0);
	assert_false(c.flat);
	/* Two more users of node 0 than one, one more of node 1. */
	expect(cost_memory(&c, 0, half, users), 0.5 * 1.2 + 0.5 * 1.1);
	expect(cost_memory(&c, 1, half, users), 0.5 * 1.2 + 0.5 * 1.1);
	expect(c.smt, 1);
	assert_int_equal(c.migrate_ns[TOPO_SYSTEM], 0);
	assert_int_equal(cost_parse(&c, "contention=0.1,flat", &err), 0);
	assert_true(c.flat);
	expect(cost_memory(&c, 0, half, users), 1);
	assert_int_equal(cost_parse(&c, "flat,remote=1.5", &err), 0);
	assert_false(c.flat);
	expect(cost_memory(&c, 0, half, users), 0.5 + 0.5 * 1.5);
	/* These do not say what memory costs. */
	assert_int_equal(cost_parse(&c, "flat,smt=1.3,intensity=1", &err), 0);
	assert_true(c.flat);
	cost_release(&c);
	topo_release(&t);
}

/* Local alone, remote, contention, oversubscribed: the numbers of the seeds'
 * machine give its rows, findings-numa_test.md: 27.2 s alone, 36 s remote,
 * about 31.5 s with four on a node. */
static void seeds(void **state)
{
	const double own[] = { 1, 0, 0 }, four[] = { 4, 0, 0 };
	const double far[] = { 0, 1, 0 };
	struct topo t;
	struct cost c;

	make(&t, &c);
	expect(27.2 * cost_memory(&c, 0, own, four), 27.2 * 1.1575);
	expect(27.2 * cost_memory(&c, 0, far, NULL), 27.2 * 1.31);
	cost_release(&c);
	topo_release(&t);
}

static void words(void **state)
{
	struct err err = { 0 };
	struct topo t;
	struct cost c;

	make(&t, &c);
	assert_int_equal(cost_parse(&c, "flat,remote:0:2=2.5,smt=1.2,"
				    "oversubscribed=1.1,intensity=1,"
				    "migrate:node=7000", &err), 0);
	assert_false(c.flat);
	expect(c.remote[0 * 3 + 2], 2.5);
	expect(c.remote[0 * 3 + 1], 1);
	expect(c.smt, 1.2);
	expect(c.oversubscribed, 1.1);
	expect(c.intensity, 1);
	assert_true(c.intensity_set);
	assert_int_equal(c.migrate_ns[TOPO_NODE], 7000);
	assert_int_equal(c.migrate_ns[TOPO_SYSTEM], 0);
	assert_int_equal(cost_parse(&c, "remote=1.5", &err), 0);
	expect(c.remote[1 * 3 + 2], 1.5);
	expect(c.remote[2 * 3 + 2], 1);
	assert_int_equal(cost_parse(&c, "", &err), 0);
	cost_release(&c);
	topo_release(&t);
}

static void bad_words(void **state)
{
	static const struct {
		const char *spec, *says;
	} bad[] = {
		{ "warp=9", "unknown cost 'warp=9'" },
		{ "smt", "unknown cost 'smt'" },
		{ "flat,", "unknown cost ''" },
		{ "contention=much", "no number" },
		{ "contention=0.1x", "no number" },
		{ "contention=", "no number" },
		{ "contention=-1", "from 0 to 1000" },
		{ "contention=nan", "no number" },
		{ "remote=inf", "no number" },
		{ "remote=0.5", "from 1 to 1000" },
		{ "intensity=1.5", "from 0 to 1" },
		{ "remote:0:9=2", "no such node" },
		{ "remote:0=2", "remote:FROM:TO=FACTOR" },
		{ "migrate:mars=3", "smt, cluster, llc, node and system" },
	};
	struct topo t;
	struct cost c;

	make(&t, &c);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err err = { 0 };

		assert_int_equal(cost_parse(&c, bad[i].spec, &err), ERR_USAGE);
		if (!strstr(err.text, bad[i].says))
			fail_msg("'%s': %s", bad[i].spec, err.text);
	}
	cost_release(&c);
	topo_release(&t);
}

static void as_json(void **state)
{
	struct err err = { 0 };
	struct topo t;
	struct cost c;
	char *text, *again;

	make(&t, &c);
	text = cost_json(&c);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"flat\":false"));
	assert_non_null(strstr(text, "\"contention\":0.0525,"));
	assert_non_null(strstr(text, "\"oversubscribed\":1.048,"));
	assert_non_null(strstr(text, "\"remote\":[[1,1.31,1.62],[1.31,1,1.31]"));
	again = cost_json(&c);
	assert_string_equal(text, again);
	free(again);
	free(text);
	assert_int_equal(cost_parse(&c, "contention=0.1", &err), 0);
	text = cost_json(&c);
	assert_non_null(strstr(text, "\"contention\":0.1,"));
	free(text);
	cost_release(&c);
	topo_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(memory),
		cmocka_unit_test(flat_but),
		cmocka_unit_test(seeds),
		cmocka_unit_test(words),
		cmocka_unit_test(bad_words),
		cmocka_unit_test(as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
