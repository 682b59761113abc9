/* SPDX-License-Identifier: MIT */
#include "model/seen.h"

#include <stdlib.h>

#include "model/rng.h"

#define FIRST_SIZE 1024

void seen_release(struct seen *s)
{
	free(s->slot);
	*s = (struct seen){ 0 };
}

/* The key's slot, or the free one where it would go. */
static uint64_t *find(const struct seen *s, uint64_t key)
{
	size_t i = (size_t)rng_mix(key) & s->mask;

	while (s->slot[i] && s->slot[i] != key + 1)
		i = (i + 1) & s->mask;
	return &s->slot[i];
}

static bool grow(struct seen *s)
{
	struct seen old = *s;
	size_t size = old.slot ? (old.mask + 1) * 2 : FIRST_SIZE;

	s->slot = calloc(size, sizeof(*s->slot));
	if (!s->slot) {
		*s = old;
		return false;
	}
	s->mask = size - 1;
	for (size_t i = 0; old.slot && i <= old.mask; i++)
		if (old.slot[i])
			*find(s, old.slot[i] - 1) = old.slot[i];
	free(old.slot);
	return true;
}

bool seen_add(struct seen *s, uint64_t key)
{
	uint64_t *slot;

	if (!s->slot && !grow(s))
		return false;
	slot = find(s, key);
	if (*slot)
		return true;
	if (s->nr == SEEN_MAX)
		return false;
	if (s->nr * 2 > s->mask) {
		if (!grow(s))
			return false;
		slot = find(s, key);
	}
	*slot = key + 1;
	s->nr++;
	return false;
}
