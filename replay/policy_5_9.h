/* SPDX-License-Identifier: MIT */
/*
 * policy_5_9: what the policies on Linux 5.9 share (sheet L of algorithms.md):
 * the kernel as it was, and the two steps of the cluster patch on it, which are
 * two numbers of struct fair_params.
 */
#ifndef REPLAY_POLICY_5_9_H
#define REPLAY_POLICY_5_9_H

#include "replay/fair.h"

/* Of a policy's table: its knobs and all callbacks but init(). */
extern const struct knob policy_5_9_knobs[];
void policy_5_9_exit(void *state);
int policy_5_9_select_cpu(void *state, const struct view *v,
			  const struct select_args *a, struct decisions *d);
void policy_5_9_tick(void *state, const struct view *v, int cpu,
		     struct decisions *d);
void policy_5_9_newidle(void *state, const struct view *v, int cpu,
			struct decisions *d);

/* For its init(): domain: a level of clusters; wake: their idle CPUs are looked
 * for first. */
int policy_5_9_init(void **state, const struct view *v,
		    const struct knob_value *knobs, bool domain, bool wake,
		    struct err *err);

#endif
