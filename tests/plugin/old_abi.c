/* SPDX-License-Identifier: MIT */
/* Built for another version: all of the rest may be different. */
#include "replay/policy.h"

const struct policy_plugin homenode_policy = {
	.abi = 1, .ops = (const struct policy_ops *)8 };
