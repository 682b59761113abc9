/* SPDX-License-Identifier: MIT */
/*
 * numa_maps: lines of /proc/PID/numa_maps, from the live kernel or from a text
 * that was written beside a recording.
 *
 *	7f0000000000 weighted interleave:0-1 anon=30 dirty=30 N0=20 N1=10
 *		kernelpagesize_kB=4			(one line)
 *
 * Address, policy (which may have blanks), then flags (heap, stack, huge) and
 * KEY=NUMBER in any order.  N<node> counts pages of kernelpagesize_kB each; a
 * file's name has blanks and '=' as \ooo.
 */
#ifndef COLLECT_NUMA_MAPS_H
#define COLLECT_NUMA_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct ingest;

/* One line.  Start with an empty one (all zero); it is used again and again,
 * numa_maps_area_release() gives back its memory. */
struct numa_maps_area {
	uint64_t start;
	char policy[64];
	int kind;		/* enum area_kind */
	char name[512];		/* file, unescaped; "" */
	bool is_huge;
	int64_t *pages;		/* by node id, in base pages */
	int nr_node_ids;
	int size;		/* private: room in pages[] */
};
void numa_maps_area_release(struct numa_maps_area *a);

/* Reads a line (without its end): 1 an area, 0 one without pages on any node,
 * ERR_FORMAT says what cannot be read.  base_page: bytes of a base page. */
int numa_maps_parse(struct numa_maps_area *a, const char *line, size_t len,
		    int64_t base_page, struct err *err);

/*
 * Feeds a text of lines "SECONDS PID LINE" to ingest_placement(): SECONDS of
 * CLOCK_MONOTONIC (the trace's clock, if shift_ns, which is added, is 0), LINE
 * as above.  Lines of one process and time stand together and are all that it
 * has.  Empty lines and those that begin with # are skipped; a last line
 * without an end was cut off and is left out (repair "numa_maps_cut").
 */
int numa_maps_import(struct ingest *in, const char *path, int64_t base_page,
		     int64_t shift_ns, struct err *err);

#endif
