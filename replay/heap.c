/* SPDX-License-Identifier: MIT */
#include "replay/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "model/err.h"

#define ARITY 4		/* half as deep as a binary heap, same cache lines */
#define RANK_SHIFT 62

int heap_init(struct heap *h, int nr_slots, struct err *err)
{
	*h = (struct heap){ .nr_slots = nr_slots };
	h->item = malloc(((size_t)nr_slots + 1) * sizeof(*h->item));
	h->place = malloc(((size_t)nr_slots + 1) * sizeof(*h->place));
	if (!h->item || !h->place)
		return err_nomem(err);
	for (int i = 0; i < nr_slots; i++)
		h->place[i] = -1;
	return 0;
}

void heap_release(struct heap *h)
{
	free(h->item);
	free(h->place);
	*h = (struct heap){ 0 };
}

static bool before(const struct heap_item *a, const struct heap_item *b)
{
	/* Without branches: which is first cannot be foreseen. */
	return (a->at < b->at) | ((a->at == b->at) & (a->order < b->order));
}

static void put(struct heap *h, int i, const struct heap_item *x)
{
	h->item[i] = *x;
	h->place[x->slot] = i;
}

static void sift_up(struct heap *h, int i, const struct heap_item *x)
{
	while (i > 0) {
		int up = (i - 1) / ARITY;

		if (!before(x, &h->item[up]))
			break;
		put(h, i, &h->item[up]);
		i = up;
	}
	put(h, i, x);
}

static void sift_down(struct heap *h, int i, const struct heap_item *x)
{
	for (;;) {
		int first = i * ARITY + 1, end = first + ARITY, least = first;

		if (first >= h->nr)
			break;
		if (end > h->nr)
			end = h->nr;
		for (int c = first + 1; c < end; c++)
			least = before(&h->item[c], &h->item[least]) ? c : least;
		if (!before(&h->item[least], x))
			break;
		put(h, i, &h->item[least]);
		i = least;
	}
	put(h, i, x);
}

static void settle(struct heap *h, int i, const struct heap_item *x)
{
	if (i > 0 && before(x, &h->item[(i - 1) / ARITY]))
		sift_up(h, i, x);
	else
		sift_down(h, i, x);
}

void heap_set(struct heap *h, int slot, int64_t at, unsigned int rank)
{
	struct heap_item x = {
		.at = at,
		.order = (uint64_t)rank << RANK_SHIFT | h->counter++,
		.slot = slot,
	};
	int i = h->place[slot];

	assert(rank < HEAP_RANKS);
	if (i >= 0)
		settle(h, i, &x);
	else
		sift_up(h, h->nr++, &x);
}

void heap_clear(struct heap *h, int slot)
{
	struct heap_item last;
	int i = h->place[slot];

	if (i < 0)
		return;
	h->place[slot] = -1;
	last = h->item[--h->nr];
	if (i < h->nr)
		settle(h, i, &last);
}

bool heap_is_set(const struct heap *h, int slot)
{
	return h->place[slot] >= 0;
}

int heap_peek(const struct heap *h, int64_t *at)
{
	if (!h->nr)
		return -1;
	*at = h->item[0].at;
	return h->item[0].slot;
}

int heap_pop(struct heap *h, int64_t *at)
{
	int slot = heap_peek(h, at);

	if (slot >= 0)
		heap_clear(h, slot);
	return slot;
}
