/* SPDX-License-Identifier: MIT */
/*
 * channel: the sockets and pipes of demand (OPEN, SEND, RECV of demand.h): how
 * many messages each holds, from which CPUs, and who sleeps on it.
 *
 * Memory is bounded by the channels that were opened, the messages that are in
 * them, and the tasks.
 */
#ifndef REPLAY_CHANNEL_LOCAL_H
#define REPLAY_CHANNEL_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Tasks that sleep, in the order in which they came. */
struct channel_queue {
	int first, last;	/* 1 + task, 0: none */
};

struct channel {
	int id;
	bool wakes_all, is_sync;
	int64_t size, low;	/* messages */
	int64_t nr;
	int last_cpu;		/* 1 + the one that used it last, 0: none */
	int *cpu;		/* ring: from which CPU each message came */
	int64_t ring_size, head;
	struct channel_queue senders, receivers;
};

struct channels {
	struct channel *slot;	/* open addressing by id; size 0: free */
	size_t nr, mask;	/* its size - 1 */
	int *next;		/* [task] 1 + the one that sleeps behind it */
};

/* A pipe or socket with more room than that is a damaged recording. */
#define CHANNEL_MAX_SIZE (INT64_C(1) << 24)

void channels_release(struct channels *c);	/* an all-zero one is empty */

/* Makes one; there is none of that number. */
int channels_open(struct channels *c, const struct channel *like,
		  struct err *err);
struct channel *channels_find(const struct channels *c, int id); /* or NULL */

/* Puts in a message from a CPU (the channel has room), takes the oldest. */
int channel_put(struct channel *c, int cpu, struct err *err);
int channel_take(struct channel *c);	/* its CPU */

/* Puts a task to sleep at the end of a queue; takes the first, -1: none. */
int channels_sleep(struct channels *c, struct channel_queue *q, int task,
		   int nr_tasks, struct err *err);
int channels_first(struct channels *c, struct channel_queue *q);

#endif
