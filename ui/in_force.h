/* SPDX-License-Identifier: MIT */
/*
 * in_force: which policy was in force when a file was recorded, and with which
 * settings: what was recorded of them is the default of the knobs of a fair
 * policy.
 */
#ifndef UI_IN_FORCE_H
#define UI_IN_FORCE_H

#include <stdbool.h>

struct err;
struct store;

/*
 * Completes a policy as a user gave it ("numab,latency_ns=6ms"), or NULL for the
 * one that was in force (numab, or fair where NUMA balancing was off), by the
 * settings that the file tells: sysctls and features of the same name, CFS or
 * EEVDF by the kernel's version, and the effective tick (stall.h).  A policy
 * that has no such knobs stays as it is.  *spec is allocated.
 */
int in_force_spec(struct store *s, const char *policy, char **spec,
		  struct err *err);

/* True if the kernel shared its CPUs among groups of tasks, one for each session
 * (kernel.sched_autogroup_enabled), which no policy does here. */
bool in_force_groups(struct store *s, struct err *err);

#endif
