/* SPDX-License-Identifier: MIT */
/*
 * topo_numactl: the machine as `numactl --hardware` tells it:
 *
 *	available: 3 nodes (0,8,255)
 *	node 0 cpus: 0 1
 *	node 0 size: 100 MB
 *	node distances:
 *	node   0   8  255
 *	  0:  10  40  80
 *
 * Lines of other kinds around it are passed over.  A CPU that several nodes list
 * is the first one's.  Caches, cores and packages are not told.
 */
#ifndef COLLECT_TOPO_NUMACTL_H
#define COLLECT_TOPO_NUMACTL_H

#include "model/topo.h"

#include <stddef.h>

/* True for text that has its first line. */
bool topo_numactl_is(const char *text);

/* ERR_FORMAT names the line.  "0 nodes" makes node 0 without CPUs. */
int topo_numactl(struct topo *t, const char *text, struct err *err);

#endif
