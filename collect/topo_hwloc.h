/* SPDX-License-Identifier: MIT */
/*
 * topo_hwloc: the door to hwloc.
 *
 * A file from elsewhere may crash its XML reader (seen in 2.9 with an object
 * that lacks its cpuset), so what comes from outside is read in a child process
 * that hands the machine back as text (topo_text.h).
 */
#ifndef COLLECT_TOPO_HWLOC_H
#define COLLECT_TOPO_HWLOC_H

#include "model/topo.h"

#include <stddef.h>

/* An XML of lstopo, with a zero at xml[len]; may change it.  ERR_FORMAT. */
int topo_hwloc_xml(struct topo *t, char *xml, size_t len, struct err *err);

/* A synthetic description.  ERR_USAGE. */
int topo_hwloc_synthetic(struct topo *t, const char *text, struct err *err);

/* This host. */
int topo_hwloc_live(struct topo *t, struct err *err);

#endif
