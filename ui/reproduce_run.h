/* SPDX-License-Identifier: MIT */
/*
 * reproduce_run: all replays of a published table, some at a time.  Results do
 * not depend on how many.
 */
#ifndef UI_REPRODUCE_RUN_H
#define UI_REPRODUCE_RUN_H

#include "replay/reproduce.h"
#include "ui/opt.h"

struct bar;

struct reproduce_options {
	int64_t seeds, seed, jobs;
	const char *workload;	/* further knobs of numa_test, "a=1,b=2"; NULL */
	const char *cost;	/* on top of the machine's; NULL */
	struct opt_list systems;	/* "C=simple-numa,variant=h40" each */
};

int reproduce_run(const struct reproduce_options *o, struct repro *r,
		  struct bar *bar, struct err *err);

#endif
