/* SPDX-License-Identifier: MIT */
/*
 * policy_5_9: what the policies on Linux 5.9 share (sheet L of algorithms.md):
 * the kernel as it was, and the two steps of the cluster patch on it, which are
 * two flags of struct fair_params.  The rest is fair.h's.
 */
#ifndef REPLAY_POLICY_5_9_H
#define REPLAY_POLICY_5_9_H

#include "replay/fair.h"

extern const struct knob policy_5_9_knobs[];

/* Numbers of the kernel, in a struct fair_params. */
#define POLICY_5_9_PARAMS \
	.pct = 125, .pct_llc = 117, .pct_smt = 110, .busy_factor = 32, \
	.is_5_9 = true

#endif
