/* SPDX-License-Identifier: MIT */
/*
 * recorded: every task on the CPUs and at the times at which it was recorded,
 * every page where the kernel put and moved it.
 *
 * The oracle of the engine: what it gives must be the recorded spans, to the
 * nanosecond; `homenode replay -p recorded` compares them and fails if not.
 * Source: the recording.  Assumed: nothing.  Does badly: it tells nothing new.
 */
#include "replay/policy.h"

extern const struct policy_ops policy_recorded;
const struct policy_ops policy_recorded = {
	.name = "recorded",
	.title = "as it was recorded: the oracle that checks the replay",
	.about =
"Each task goes where and when the recording had it, pages lie and move as they\n"
"did.  The result must be the recorded spans again, to the nanosecond; homenode\n"
"compares the two and reports every difference as an error of its own.\n",
	.flags = POLICY_F_FOLLOW,
};
