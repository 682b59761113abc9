/* SPDX-License-Identifier: MIT */
/*
 * calibrate: measures this host: from the CPUs of each node, how long a load
 * from the memory of each node takes, alone and with co-runners.
 *
 * A buffer on the node (mbind, on huge pages where the kernel gives them) is
 * larger than the last-level cache: its first half is one cycle through all its
 * lines at random, which the measuring thread follows, so that each load waits
 * for the one before and no line is met again while a cache can still have it.
 * Co-runners follow several cycles at once through the second half.  Times are
 * of the thread's CPU time, so that waiting for a CPU does not count; caches and
 * memory used by others do.
 *
 * Nodes that cannot be measured (no free memory, not in the cpuset) are left
 * out, and said.
 */
#ifndef COLLECT_CALIBRATE_H
#define COLLECT_CALIBRATE_H

#include "model/calibration.h"
#include "model/cpumask.h"
#include "model/topo.h"

struct err;

struct calibrate_setup {
	int64_t buffer_bytes;	/* of one half; 0: by the last-level cache */
	int samples;		/* of each latency; 0: the default */

	/* Both may be NULL. */
	void (*progress)(void *ctx, double done);
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

#define CALIBRATE_SAMPLES 15
#define CALIBRATE_MIN_BYTES (INT64_C(4) << 20)

/* What may be used of a host, and how much. */
struct calibrate_host {
	struct topo topo;
	struct cpumask cpus;	/* the affinity of this thread */
	struct cpumask mems;	/* nodes of the cpuset */
	int64_t *free_bytes;	/* by node: free, or of page cache */
	int64_t cache_bytes;	/* largest last-level cache */
};
/* root: "" or, for tests, a folder that has proc/ and sys/ in it. */
int calibrate_host_read(struct calibrate_host *h, const char *root,
			struct err *err);
void calibrate_host_release(struct calibrate_host *h);

/* Bytes of one half of a buffer on a node: four times the cache, 64 MiB to
 * 512 MiB, less (but at least twice the cache and CALIBRATE_MIN_BYTES) where
 * the node has not twice as much free; 0: too little is free. */
int64_t calibrate_half(const struct calibrate_host *h, int node);

/* Measures.  *l (malloced) gets the latencies by memory node, CPU node and
 * co-runners, *nr how many.  ERR_NOTFOUND if nothing could be measured. */
int calibrate(const struct calibrate_setup *setup,
	      const struct calibrate_host *h, struct latency **l, int *nr,
	      struct err *err);

#endif
