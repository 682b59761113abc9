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
	int64_t seeds;		/* 0: as many as the table takes by itself */
	int64_t seed, jobs;
	const char *workload;	/* further knobs, "a=1,b=2"; NULL */
	const char *cost;	/* on top of the machine's; NULL */
	struct opt_list systems;	/* "C=simple-numa,variant=h40" each */
};

/* Are the systems such that there are?  ERR_USAGE. */
int reproduce_check(const struct reproduce_options *o, struct err *err);

/* What was given for a system or column; NULL: nothing. */
const char *reproduce_policy(const struct reproduce_options *o,
			     const char *name);

/* How many seeds numa_test takes. */
int reproduce_seeds(const struct reproduce_options *o);

/* One replay.  That of a plug-in has a process of its own: ERR_IO if it dies
 * (reproduce_apart.c). */
int reproduce_replay(const struct bench *b, const struct policy_spec *policy,
		     uint64_t seed, struct repro_run *out, struct err *err);

int reproduce_run(const struct reproduce_options *o, struct repro *r,
		  struct bar *bar, struct err *err);

#endif
