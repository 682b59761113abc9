/* SPDX-License-Identifier: MIT */
/*
 * clusters: runs of page numbers that lie near each other: a run ends where the
 * next page is more than `gap` further on.
 *
 * There are never more than CLUSTERS_MAX: before that the gap is doubled, so
 * that a run costs little whatever the pages are.
 */
#ifndef MODEL_CLUSTERS_H
#define MODEL_CLUSTERS_H

#include <stdint.h>

#define CLUSTERS_GAP 512
#define CLUSTERS_MAX 4096

struct cluster {
	uint64_t first, last;
};

struct clusters {
	struct cluster *run;	/* sorted */
	int nr;
	int size, last_hit;	/* private */
	uint64_t gap;		/* 0: CLUSTERS_GAP */
};

/* Page numbers are below 2^52.  0 or ERR_NOMEM. */
int clusters_add(struct clusters *c, uint64_t page);
void clusters_release(struct clusters *c);

#endif
