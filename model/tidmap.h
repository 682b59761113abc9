/* SPDX-License-Identifier: MIT */
/*
 * tidmap: tasks_find() for a clock that only goes forward, in O(1).
 */
#ifndef MODEL_TIDMAP_H
#define MODEL_TIDMAP_H

#include <stdint.h>

struct err;
struct tasks;

struct tidmap {
	const struct tasks *tasks;
	struct tidmap_slot *slot;	/* open addressing by tid */
	uint32_t mask;
};

/* tasks must be indexed (tasks_index()) and outlive the map. */
int tidmap_init(struct tidmap *m, const struct tasks *tasks, struct err *err);
void tidmap_release(struct tidmap *m);

/* As tasks_find(); ts must not be less than in an earlier call for the tid. */
int tidmap_find(struct tidmap *m, int tid, int64_t ts);

#endif
