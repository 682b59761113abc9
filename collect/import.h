/* SPDX-License-Identifier: MIT */
/*
 * import: a recording that somebody else made, to a new store.  The kind is
 * found by content, never by name: a trace.dat, a perf.data, a trace in text, or
 * the spool that an interrupted `homenode record` left.
 */
#ifndef COLLECT_IMPORT_H
#define COLLECT_IMPORT_H

#include "collect/ingest.h"
#include "collect/spool.h"

/* Repeatable options; the texts are the caller's. */
struct import_list {
	const char *const *item;
	int nr;
};

/* What a recording does not tell by itself. */
struct import_options {
	const char *topology;		/* topo_read(); NULL: one node */
	struct import_list distances;	/* topo_read_distances() */
	struct import_list memory_nodes;	/* topo_read_memory_node() */
	struct import_list numa_maps;	/* numa_maps_import() */
	struct import_list knobs;	/* "name=value" */
	const char *buffer;		/* name of a trace.dat's buffer; NULL the
					 * top one */
	bool partial;			/* take what is there of a cut file */
	int64_t unit_ns;		/* of a text's times without a point, 0 */
	bool has_shift;			/* shift_ns was given */
	int64_t shift_ns;		/* to add to CLOCK_MONOTONIC times */
};

/* Fills a store that was just created; does not commit it.  watch and totals
 * may be NULL; watch->note gets what people should know of the result. */
int import_file(const char *path, const struct import_options *o,
		struct store *s, const struct spool_watch *watch,
		struct ingest_totals *totals, struct err *err);

#endif
