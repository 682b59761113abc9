/* SPDX-License-Identifier: MIT */
/*
 * pages: on which nodes the pages of each memory area lay over time, as a step
 * function, to fill rows of a grid with exact integrals (pages x ns).
 *
 * Order of calls: pages_new(), pages_change() in time order, then the others.
 * Nodes are places (model/tracks.h).  Before its first change nothing is known
 * of an area, and it counts as no pages.  A change takes 24 bytes.
 */
#ifndef MODEL_PAGES_H
#define MODEL_PAGES_H

#include "model/grid.h"
#include "model/run.h"
#include "model/topo.h"

struct pages;

#define PAGES_ALL_AREAS (-1)

/* Copies what it needs; areas of processes that are no task are left out.  One
 * struct pages must not be used by two threads at once. */
struct pages *pages_new(const struct topo *topo, const struct areas *areas,
			int nr_tasks, struct err *err);
void pages_free(struct pages *p);

/* ERR_FORMAT for no such area or node, pages < 0, or time going back. */
int pages_change(struct pages *p, const struct mem_change *m, struct err *err);

/* Adds to page_ns and pages_moved of the row: one area, or all areas of a
 * process.  Moved at a time are the pages that nodes of an area gained, as far
 * as others of it lost some at that very time: growing is no moving. */
void pages_fill_area(const struct pages *p, int area, struct grid *g, int row);
void pages_fill_proc(const struct pages *p, int proc, struct grid *g, int row);

/* Pages at a time on each node, added to count[tracks_nr_nodes()]. */
void pages_at(const struct pages *p, int proc, int64_t ns, int64_t *count);

/* The node (place) that held most pages of the process at a time, ties to the
 * one that had most before; -1: none known.  Costs a search, not a sum. */
int pages_home(const struct pages *p, int proc, int64_t ns);

/* True if anything is ever known of the process's pages. */
bool pages_known(const struct pages *p, int proc);

#endif
