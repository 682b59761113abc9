/* SPDX-License-Identifier: MIT */
/*
 * numamaps: one line of /proc/PID/numa_maps (Documentation/filesystems/proc),
 * and of /proc/PID/maps, which tells where an area ends.
 *
 *	7f8648b72000 default file=/lib/x.so anon=2 dirty=2 N0=1 N3=1 kernelpagesize_kB=4
 *	7f8648b72000-7f8648b74000 rw-p 00001000 08:01 1234 /lib/x.so
 */
#ifndef COLLECT_NUMAMAPS_H
#define COLLECT_NUMAMAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"

#define NUMAMAPS_MAX_NODES 1024	/* node ids are below this (MAX_NUMNODES) */

struct numamaps_line {
	uint64_t start;
	enum area_kind kind;
	char *name;		/* file, "" none; in the line */
	int nr_node_ids;	/* highest node that holds pages, + 1 */
	int64_t pages[NUMAMAPS_MAX_NODES];	/* base pages; [0, nr_node_ids) */
};

/* Changes the line; false: it is not one.  page_size: of a base page, in which
 * huge pages are counted too. */
bool numamaps_parse(char *line, int64_t page_size, struct numamaps_line *l);

struct maps_line {
	uint64_t start, end;
	bool writable, shared;
	char *name;		/* as it stands, "" none; in the line */
};
bool maps_parse(char *line, struct maps_line *l);

/* What a file behind an area makes of it: AREA_FILE, or AREA_SHARED for shared
 * memory that has a file's name. */
enum area_kind numamaps_file_kind(const char *path);

#endif
