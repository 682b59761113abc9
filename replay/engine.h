/* SPDX-License-Identifier: MIT */
/*
 * engine: replays demand on a machine under a policy and a queue discipline.
 *
 * A deterministic discrete-event simulation in integer ns: heap ties are broken
 * by insertion order, the generator is its own and seeded, nothing reads a
 * clock.  Memory is bounded by tasks and queues.
 */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "model/cost.h"
#include "model/demand.h"
#include "replay/policy.h"

struct engine_input {
	const struct topo *topo;
	const struct tasks *tasks;
	const struct areas *areas;
	const struct demand_task *demand;	/* one per task with a program */
	int nr_demand;
	struct demand_source source;
	const struct cost *cost;
	const struct policy_spec *policy;
	const struct discipline_ops *discipline;	/* NULL: the policy's own */
	uint64_t seed;
	int64_t start_ns;	/* simulated time begins here */
	int64_t end_ns;		/* of the recording; `recorded` stops here */
	int64_t tick_ns;	/* 0: the discipline's default */
	int (*progress)(void *ctx, double done);	/* non-zero stops; may be NULL */
	void *progress_ctx;
};

/* Runs to the end of all programs; everything goes to the sink, counts last.
 * Counts: migrations, node_migrations, refused, switches, pages_moved,
 * unfinished (tasks that never came to their end), elapsed_ns ... */
int engine_run(const struct engine_input *in, struct run_sink *sink,
	       struct err *err);

#define ENGINE_VERSION 1	/* stored with every run */

#endif
