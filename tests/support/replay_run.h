/* SPDX-License-Identifier: MIT */
/*
 * replay_run: one replay of hand-written demand, with everything it gave.
 * The invariant walker is on.
 */
#ifndef TESTS_SUPPORT_REPLAY_RUN_H
#define TESTS_SUPPORT_REPLAY_RUN_H

#include "model/cost.h"
#include "model/run.h"
#include "model/topo.h"
#include "replay/engine.h"
#include "tests/support/demand_text.h"

struct replay_count {
	char name[32];
	int64_t value;
};

struct replay_run {
	/* Set before: */
	const char *machine;	/* "4x2": nodes x CPUs of each */
	const char *policy;	/* "o1,busy_rebalance=100ms" */
	const char *discipline;	/* NULL: the policy's */
	const char *cost;	/* cost_parse(); NULL: "flat" */
	const struct policy_ops *ops;	/* instead of policy, for tests' own */
	uint64_t seed;
	bool random_ticks;	/* else all CPUs tick at once */
	int64_t end_ns;		/* of the recording; 0: 1 s */
	int64_t page_size;
	size_t chunk;
	void (*adapt)(struct topo *t);	/* changes the machine; may be NULL */

	/* Filled: */
	struct demand_text demand;
	struct topo topo;
	struct span *span;
	int nr_spans;
	struct move *move;
	int nr_moves;
	struct mem_change *mem;
	int nr_mems;
	struct replay_count count[64];
	int nr_counts;
	char error[1000];
};

/* 0 or the engine's code (error has the text). */
int replay_run(struct replay_run *r, const char *demand);
void replay_run_release(struct replay_run *r);

int64_t replay_count(const struct replay_run *r, const char *name); /* -1 */
int64_t replay_cpu_ns(const struct replay_run *r, const char *task);

/* "a 0 0-5000000; b 1 ..." : task, CPU, start and end of every span. */
const char *replay_spans(const struct replay_run *r, char *buf, size_t size);

/* Pages of an area on a node after the last change. */
int64_t replay_pages(const struct replay_run *r, int area, int node);

/* "NxC": nodes 0.., distance 20, memory unknown.  "NxKxC": of K clusters of C
 * CPUs each, with a last-level cache per node. */
int topo_grid(struct topo *t, const char *machine);

#endif
