/* SPDX-License-Identifier: MIT */
/*
 * bench: what the benchmarks that synth generates would report of a replay of
 * theirs: user time of the jobs and where they spent it, elapsed time, and
 * hackbench's own time.
 */
#ifndef REPLAY_BENCH_H
#define REPLAY_BENCH_H

#include "model/cost.h"
#include "model/topo.h"
#include "replay/demand_mem.h"
#include "replay/policy_spec.h"
#include "replay/synth.h"

/* A benchmark on a machine, ready for any number of replays. */
struct bench {
	struct topo topo;
	struct cost cost;
	struct synth_result what;
	struct demand_mem demand;
};

/* machine: of preset.h, NULL: the workload's; cost: a list on top of the
 * machine's numbers (cost_parse()), NULL: none. */
int bench_init(struct bench *b, const struct synth_spec *spec,
	       const char *machine, const char *cost, uint64_t seed,
	       struct err *err);

/* Puts another cost in place, read in the same way. */
int bench_set_cost(struct bench *b, const char *machine, const char *cost,
		   struct err *err);
void bench_release(struct bench *b);

struct bench_job {
	int task;
	int64_t cpu_ns;
	int64_t *node_ns;	/* [nr_nodes] */
	int64_t touch_ns;	/* when it began to touch memory; -1 */
	int first_node;		/* where it was then (iSched); -1 */
	int most_node;		/* MSched */
	int64_t end_ns;
};

struct bench_result {
	struct bench_job *job;
	int nr_jobs, nr_nodes;
	int64_t *node_ns;	/* private: of all jobs */
	int64_t elapsed_ns;	/* end of the main task */
	int64_t hackbench_ns;	/* from "go" to the end; -1: there was none */
	int64_t switches;
};
void bench_result_release(struct bench_result *r);

/* One replay; b is only read, so several may go on at the same time. */
int bench_run(const struct bench *b, const struct policy_spec *policy,
	      uint64_t seed, struct bench_result *r, struct err *err);

double bench_mean_user(const struct bench_result *r);	/* s */

#endif
