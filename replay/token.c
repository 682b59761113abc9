/* SPDX-License-Identifier: MIT */
#include "replay/token_local.h"

#include <stdlib.h>

#include "model/err.h"

#define FIRST_SIZE 64

void tokens_release(struct tokens *t)
{
	free(t->slot);
	*t = (struct tokens){ 0 };
}

static size_t home_of(const struct tokens *t, int from, int to)
{
	uint64_t key = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;

	key *= 0x9e3779b97f4a7c15u;
	return (size_t)(key >> 32) & t->mask;
}

/* The pair's slot, or the free one where it would go. */
static struct token_slot *find(const struct tokens *t, int from, int to)
{
	size_t i = home_of(t, from, to);

	while (t->slot[i].nr &&
	       (t->slot[i].from != from || t->slot[i].to != to))
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

static int grow(struct tokens *t, struct err *err)
{
	struct tokens old = *t;
	size_t size = old.slot ? (old.mask + 1) * 2 : FIRST_SIZE;

	t->slot = calloc(size, sizeof(*t->slot));
	if (!t->slot) {
		*t = old;
		return err_nomem(err);
	}
	t->mask = size - 1;
	for (size_t i = 0; old.slot && i <= old.mask; i++)
		if (old.slot[i].nr)
			*find(t, old.slot[i].from, old.slot[i].to) = old.slot[i];
	free(old.slot);
	return 0;
}

int tokens_put(struct tokens *t, int from, int to, struct err *err)
{
	struct token_slot *s;

	if ((!t->slot || t->nr * 2 > t->mask) && grow(t, err))
		return err->code;
	s = find(t, from, to);
	if (!s->nr) {
		s->from = from;
		s->to = to;
		t->nr++;
	}
	s->nr++;
	return 0;
}

/* Closes the gap at i, so that every chain stays without holes. */
static void remove_at(struct tokens *t, size_t i)
{
	size_t gap = i;

	t->nr--;
	for (;;) {
		size_t home;

		i = (i + 1) & t->mask;
		if (!t->slot[i].nr)
			break;
		home = home_of(t, t->slot[i].from, t->slot[i].to);
		if (((i - home) & t->mask) >= ((i - gap) & t->mask)) {
			t->slot[gap] = t->slot[i];
			gap = i;
		}
	}
	t->slot[gap].nr = 0;
}

bool tokens_take(struct tokens *t, int from, int to)
{
	struct token_slot *s;

	if (!t->nr)
		return false;
	s = find(t, from, to);
	if (!s->nr)
		return false;
	if (!--s->nr)
		remove_at(t, (size_t)(s - t->slot));
	return true;
}
