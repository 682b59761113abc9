/* SPDX-License-Identifier: MIT */
/*
 * calibrate_local: what the parts of calibrate share.
 *
 *	calibrate.c		what is measured, in which order
 *	calibrate_host.c	what may be used of the host
 *	calibrate_chase.c	a buffer, and following it
 */
#ifndef COLLECT_CALIBRATE_LOCAL_H
#define COLLECT_CALIBRATE_LOCAL_H

#include "collect/calibrate.h"

#define CHASE_LINE 128	/* bytes; of most caches two lines */

/* Memory on one node: two cycles of nr_lines each, one behind the other. */
struct chase {
	char *base;
	size_t bytes;
	uint32_t nr_lines;
	int64_t huge_bytes;
};

/* Makes and fills it.  bind: false where the kernel has no nodes.  ERR_USAGE:
 * the node does not give its memory; *err tells why. */
int chase_open(struct chase *c, int node, bool bind, int64_t half_bytes,
	       struct err *err);
void chase_close(struct chase *c);

/* Follows the first cycle for nr_loads loads from *at; picoseconds of CPU time
 * per load. */
int64_t chase_follow(const struct chase *c, uint32_t *at, int nr_loads);

/* Threads on the CPUs given that follow the second cycle until they are
 * stopped; _start returns when all are at it. */
struct co_runners;
int co_runners_start(struct co_runners **r, const struct chase *c,
		     const int *cpu, int nr, struct err *err);
void co_runners_stop(struct co_runners *r);

/* The calling thread runs on this CPU only. */
int chase_bind_cpu(int cpu, struct err *err);

#endif
