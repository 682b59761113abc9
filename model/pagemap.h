/* SPDX-License-Identifier: MIT */
/*
 * pagemap: page numbers of one address space, each with a small value (a node).
 *
 * A hash table of 8 bytes a slot, at most 3/4 full: 11 to 22 bytes per page.
 * An empty one needs no init and no memory.
 */
#ifndef MODEL_PAGEMAP_H
#define MODEL_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

struct pagemap {
	uint64_t *slot;		/* page << 16 | value + 1; 0: free */
	size_t size, nr;
};

/* Page numbers have 48 bits, values 0..65534. */
#define PAGEMAP_PAGE_MAX ((UINT64_C(1) << 48) - 1)

void pagemap_release(struct pagemap *m);

/* Value of a page, -1: not in it. */
int pagemap_get(const struct pagemap *m, uint64_t page);

/* Adds a page or gives it another value; 0 or ERR_NOMEM. */
int pagemap_set(struct pagemap *m, uint64_t page, int value);

/* Takes all pages of [first, last] out. */
void pagemap_drop(struct pagemap *m, uint64_t first, uint64_t last);

/* Goes through all pages in no order that means anything: start with *at = 0;
 * 0 at the end. */
int pagemap_next(const struct pagemap *m, size_t *at, uint64_t *page,
		 int *value);

#endif
