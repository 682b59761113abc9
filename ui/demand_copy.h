/* SPDX-License-Identifier: MIT */
/*
 * demand_copy: all programs of a study in an unlinked temporary file that is
 * mapped into memory, for replays in other processes, which must not touch the
 * database.  Memory: one number per task, and pages that the system can drop.
 */
#ifndef UI_DEMAND_COPY_H
#define UI_DEMAND_COPY_H

#include "model/demand.h"

#include <stddef.h>
#include <stdint.h>

struct bar;
struct err;
struct store;

struct demand_copy {
	const uint8_t *map;
	size_t len;
	uint64_t *first;	/* [nr_tasks] where its first chunk is; 0: none */
	int nr_tasks;
};

/* tasks: those with a program.  bar may be NULL. */
int demand_copy_make(struct demand_copy *c, struct store *s,
		     const struct demand_task *tasks, int nr, struct bar *bar,
		     struct err *err);
void demand_copy_release(struct demand_copy *c);	/* all-zero is fine */

/* A source for one replay; its ctx is freed with demand_copy_close(). */
int demand_copy_source(const struct demand_copy *c, struct demand_source *src,
		       struct err *err);
void demand_copy_close(struct demand_source *src);

#endif
