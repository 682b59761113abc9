/* SPDX-License-Identifier: MIT */
/*
 * seen: a set of numbers that only grows, for asking whether one came before.
 */
#ifndef MODEL_SEEN_H
#define MODEL_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen {
	uint64_t *slot;		/* key + 1, 0: free */
	size_t nr, mask;	/* keys; size - 1 */
};

/* An all-zero one is empty. */
void seen_release(struct seen *s);

/* So many keys are kept, in 16 MiB. */
#define SEEN_MAX (1 << 20)

/* Adds a key (not UINT64_MAX); true if it was there.  Once it is full, or without
 * memory for more, it forgets none but adds none either: others are new each
 * time. */
bool seen_add(struct seen *s, uint64_t key);

#endif
