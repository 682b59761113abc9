/* SPDX-License-Identifier: MIT */
/*
 * policies: how fast each policy is replayed, for the benchmarks: task switches
 * per second of CPU time, of a replay whose spans nobody keeps.
 *
 *	policies	->	"POLICY M_PER_S" lines
 *
 * The work is hackbench through pipes that hold one message, on 16 CPUs in 4
 * nodes: about every second operation is a switch.
 */
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

static int measure(const struct bench *b, const char *name, struct err *err)
{
	struct bench_result r = { .switches = 0 };
	struct policy_spec spec;
	clock_t start;
	double cpu_s;

	if (!policy_spec_parse(&spec, with_knobs(name), NULL, err)) {
		start = clock();
		if (!bench_run(b, &spec, 1, &r, err)) {
			cpu_s = (double)(clock() - start) / CLOCKS_PER_SEC;
			printf("%s %.2f\n", name,
			       (double)r.switches / cpu_s / 1e6);
		}
	}
	bench_result_release(&r);
	policy_spec_release(&spec);
	return err->code;
}

int main(void)
{
	struct synth_spec work;
	struct bench b = { .what = { .nr_access = 0 } };
	struct err err = { 0 };

	if (!synth_spec_parse(&work, "hackbench,loops=1000,depth=1,low=0", "4",
			      &err))
		bench_init(&b, &work, "azusa", NULL, 1, &err);
	synth_spec_release(&work);
	for (int i = 0; policy_table[i] && !err.code; i++)
		if (!(policy_table[i]->flags & POLICY_F_FOLLOW))
			measure(&b, policy_table[i]->name, &err);
	bench_release(&b);
	if (err.code)
		fprintf(stderr, "policies: %s\n", err.text);
	return err.code ? EXIT_FAILURE : EXIT_SUCCESS;
}
