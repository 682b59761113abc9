/* SPDX-License-Identifier: MIT */
/*
 * policies: how fast each policy is replayed, for the benchmarks: task switches
 * per second of CPU time, of a replay whose spans nobody keeps.
 *
 *	policies [POLICY...]	->	"POLICY M_PER_S" lines
 *
 * The work is hackbench through pipes that hold one message, on 16 CPUs in 4
 * nodes: about every second operation is a switch.  The best of three replays
 * counts: what else runs on the machine only ever makes one slower.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/err.h"
#include "replay/bench.h"

/* What some need to be told. */
static const char *with_knobs(const char *name)
{
	return strcmp(name, "bind") ? name : "bind,rules=comm=* nodes=0-3";
}

/* Millions of switches per second of one replay. */
static double speed(const struct bench *b, const struct policy_spec *spec,
		    struct err *err)
{
	struct bench_result r = { .switches = 0 };
	clock_t start = clock();
	double m_per_s = 0;

	if (!bench_run(b, spec, 1, &r, err))
		m_per_s = (double)r.switches * CLOCKS_PER_SEC /
			(double)(clock() - start) / 1e6;
	bench_result_release(&r);
	return m_per_s;
}

static int measure(const struct bench *b, const char *name, struct err *err)
{
	struct policy_spec spec;
	double best = 0;

	if (!policy_spec_parse(&spec, with_knobs(name), NULL, err))
		for (int i = 0; i < 3 && !err->code; i++)
			best = fmax(best, speed(b, &spec, err));
	if (!err->code)
		printf("%s %.2f\n", name, best);
	policy_spec_release(&spec);
	return err->code;
}

static bool is_wanted(const struct policy_ops *p, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(p->name, argv[i]))
			return true;
	return argc < 2 && !(p->flags & POLICY_F_FOLLOW);
}

int main(int argc, char **argv)
{
	struct synth_spec work;
	struct bench b = { .what = { .nr_access = 0 } };
	struct err err = { 0 };

	if (!synth_spec_parse(&work, "hackbench,loops=1000,depth=1,low=0", "4",
			      &err))
		bench_init(&b, &work, "azusa", NULL, 1, &err);
	synth_spec_release(&work);
	for (int i = 0; policy_table[i] && !err.code; i++)
		if (is_wanted(policy_table[i], argc, argv))
			measure(&b, policy_table[i]->name, &err);
	bench_release(&b);
	if (err.code)
		fprintf(stderr, "policies: %s\n", err.text);
	return err.code ? EXIT_FAILURE : EXIT_SUCCESS;
}
