/* SPDX-License-Identifier: MIT */
/*
 * heap: the replay's calendar: at most one coming event per slot.
 *
 * A slot is a small number that the owner gives a meaning (a CPU's end of run,
 * a task's timer).  Setting a slot that is set moves it.  Events come out by
 * time; at the same time by rank; at the same rank in the order in which they
 * were set, so that two replays never differ.  Memory is fixed by the number
 * of slots.  Setting, clearing and popping cost O(log n).
 */
#ifndef REPLAY_HEAP_H
#define REPLAY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct err;

#define HEAP_RANKS 4	/* ranks are 0..3 */

struct heap_item {
	int64_t at;
	uint64_t order;		/* rank in the top bits, then a counter */
	int slot;
};

struct heap {
	int nr;			/* events that are set */
	int nr_slots;
	struct heap_item *item;	/* item[0] comes first */
	int *place;		/* slot -> index of its item, -1: not set */
	uint64_t counter;
};

/* An all-zero heap may be released. */
int heap_init(struct heap *h, int nr_slots, struct err *err);
void heap_release(struct heap *h);

void heap_set(struct heap *h, int slot, int64_t at, unsigned int rank);
void heap_clear(struct heap *h, int slot);	/* fine if not set */
bool heap_is_set(const struct heap *h, int slot);

/* The slot of the next event and its time, -1 for none. */
int heap_peek(const struct heap *h, int64_t *at);
int heap_pop(struct heap *h, int64_t *at);

#endif
