/* SPDX-License-Identifier: MIT */
/*
 * topo_sysfs: what the kernel itself says of nodes and CPUs, laid over what
 * hwloc said: which node a CPU is on, distances, CPUs that are possible but not
 * online.
 */
#ifndef COLLECT_TOPO_SYSFS_H
#define COLLECT_TOPO_SYSFS_H

#include "model/topo.h"

/*
 * Reads ROOT/sys/devices/system/{node,cpu}.  Without a node folder everything
 * is on the topology's first node, which is made if there is none.  An offline
 * CPU has no node in sysfs; it gets that of the next lower CPU that has one.
 */
int topo_sysfs(struct topo *t, const char *root, struct err *err);

#endif
