/* SPDX-License-Identifier: MIT */
/* The right name and version, but not the struct. */
extern const int homenode_policy;
const int homenode_policy = 3;
