/* SPDX-License-Identifier: MIT */
/*
 * charge: what the kernel's accounting of CPU time charged to one thread, by
 * node: a group of the controller cpuacct (version 1) for the calling thread
 * alone.  dir is where the controller is mounted.  All return 0, or -1 and
 * errno.
 */
#ifndef TESTS_GUEST_CHARGE_H
#define TESTS_GUEST_CHARGE_H

#include <stdint.h>

#define CHARGE_MAX_NODES 64 /* node ids are below this */

int charge_begin(const char *dir);
int charge_end(const char *dir);

/* ns on the CPUs of each node since the group was made; node_of[nr_cpus]: -1
 * unknown.  Up to the last tick or, after the thread read its CPU time, to then. */
int charge_read(const char *dir, const signed char *node_of, int nr_cpus,
		int64_t by_node[CHARGE_MAX_NODES]);

#endif
