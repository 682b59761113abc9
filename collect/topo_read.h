/* SPDX-License-Identifier: MIT */
/*
 * topo_read: the machine as hwloc tells it: this host, an lstopo XML, or a
 * synthetic description, to struct topo.
 *
 * A CPU's node is the smallest one that has it, so that memory which is near to
 * CPUs but none of theirs (HBM, CXL) becomes a node without CPUs, as in the
 * kernel.  Its last-level cache is the outermost one above it; its cluster is
 * the kernel's, else an L2 that several cores share and that is not the last.
 * CPUs that exist but were hidden from hwloc (offline, cpusets) are present and
 * not online.
 */
#ifndef COLLECT_TOPO_READ_H
#define COLLECT_TOPO_READ_H

#include "model/topo.h"

/* A file is an lstopo XML (versions 1 to 3) or the output of numactl --hardware
 * (then a file that tells of no CPUs gives a topology without), else text is a synthetic string as
 * "numa:4 core:4 pu:1" or "pack:2 numa:2 l3:1 core:4 pu:2" (hwloc(7), Synthetic
 * Topologies); "node" is understood for "numa"; the name of a machine of preset.h
 * (azusa) is that machine. */
int topo_read(struct topo *t, const char *text, struct err *err);

/* This host.  root: "" or, for tests, a folder that has sys/ in it (hwloc then
 * is not asked). */
int topo_read_live(struct topo *t, const char *root, struct err *err);

/*
 * Distances beside a topology: rows "10,20;20,10" for the present nodes in
 * order of their numbers, or pairs "0,1=21;0,2=31", each for both ways unless
 * the other way is given too.
 */
int topo_read_distances(struct topo *t, const char *text, struct err *err);

/* A node without CPUs beside a topology: "4" or "4=64G" (memory). */
int topo_read_memory_node(struct topo *t, const char *text, struct err *err);

#endif
