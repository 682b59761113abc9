/* SPDX-License-Identifier: MIT */
/*
 * demand_check: programs kept in memory, and an interpreter of its own that
 * runs them as model/demand.h says a replay under `recorded` must, to compare
 * with spans.  Shares no code with the builder but the codec.
 */
#ifndef TESTS_SUPPORT_DEMAND_CHECK_H
#define TESTS_SUPPORT_DEMAND_CHECK_H

#include "model/demand.h"
#include "model/run.h"

#include <stddef.h>

struct span_list {
	struct span *span;
	size_t nr, size;
};
void span_list_add(struct span_list *l, const struct span *s);
void span_list_release(struct span_list *l);

/* The chunks of every task, as a sink and as a source. */
struct demand_store {
	struct demand_store_task *task;
	int nr_tasks;
	size_t bytes;
	size_t chunks;
};
void demand_store_init(struct demand_store *d, int nr_tasks);
void demand_store_release(struct demand_store *d);
void demand_store_sink(struct demand_store *d, struct demand_sink *sink);
void demand_store_source(struct demand_store *d, struct demand_source *src);

/* A program as text ("PLACE 1 0; RUN 5; WAKE 2; END"), allocated. */
char *demand_text(struct demand_source *src, int task);

/*
 * Runs all programs; 0 if every task's spans are the given ones (CPU, start,
 * end, in order; others fields are not looked at), nobody waits for ever, and
 * no token is left; else -1 and why.
 */
int demand_check(const struct demand_task *tasks, int nr,
		 struct demand_source *src, const struct span_list *spans,
		 char *why, size_t size);

#endif
