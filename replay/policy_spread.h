/* SPDX-License-Identifier: MIT */
/*
 * policy_spread: what the references and the bindings share: tasks go to the
 * CPU with the fewest others, idle CPUs take one from the longest queue.
 */
#ifndef REPLAY_POLICY_SPREAD_H
#define REPLAY_POLICY_SPREAD_H

#include "replay/policy.h"

/* May a task run on a CPU, beyond its own affinity? */
struct spread {
	void *ctx;
	bool (*fits)(void *ctx, const struct view *v, int task, int cpu);
};

/* The CPU with the fewest tasks, itself not counted: prev_cpu, if that is one of
 * them, else one of its node, else the lowest; -1: it fits nowhere. */
int spread_cpu(const struct spread *s, const struct view *v,
	       const struct select_args *a);

/* For an idle CPU: the first waiting task that fits of the longest queue that has
 * one (of equals on the own node, else the lowest). */
void spread_pull(const struct spread *s, const struct view *v, int cpu,
		 struct decisions *d);

#endif
