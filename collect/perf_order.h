/* SPDX-License-Identifier: MIT */
/*
 * perf_order: samples of several CPUs' buffers into the order of time.
 *
 * perf copies the buffers one after the other and writes a mark when it has been
 * through all of them (PERF_RECORD_FINISHED_ROUND).  After a mark, nothing comes
 * that is older than the newest sample before the mark before it.  What waits is
 * copied; beyond PERF_ORDER_BYTES the older half is given out unasked, and what
 * then comes too late is counted.
 */
#ifndef COLLECT_PERF_ORDER_H
#define COLLECT_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_ORDER_BYTES (24 << 20)

struct err;
struct perf_order;

/* What waits: a sample's raw data, or a loss. */
struct perf_item {
	int64_t ts;
	int cpu;		/* -1 unknown */
	bool is_loss;
	int64_t lost;		/* events of a loss */
	const uint8_t *raw;
	uint32_t len;
};

int perf_order_new(struct perf_order **o, struct err *err);
void perf_order_free(struct perf_order *o);

/* Copies raw.  False: first take what is due. */
bool perf_order_room(const struct perf_order *o, uint32_t len);
int perf_order_put(struct perf_order *o, const struct perf_item *item,
		   struct err *err);

void perf_order_round(struct perf_order *o);	/* the mark */
void perf_order_end(struct perf_order *o);	/* nothing more comes */
void perf_order_force(struct perf_order *o);	/* make room */

/* The next one that is due, its raw good until the next put; false: none. */
bool perf_order_take(struct perf_order *o, struct perf_item *item);

int64_t perf_order_late(const struct perf_order *o);

#endif
