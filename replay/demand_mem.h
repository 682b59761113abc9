/* SPDX-License-Identifier: MIT */
/*
 * demand_mem: programs kept in memory: where generated demand goes that is
 * replayed at once.  Any number of replays may read it at the same time.
 */
#ifndef REPLAY_DEMAND_MEM_H
#define REPLAY_DEMAND_MEM_H

#include "model/demand.h"

struct demand_mem {
	struct demand_mem_task *task;
	int nr_tasks, size;
};

/* An all-zero one is empty. */
void demand_mem_release(struct demand_mem *d);
void demand_mem_sink(struct demand_mem *d, struct demand_sink *sink);
void demand_mem_source(const struct demand_mem *d, struct demand_source *src);

#endif
