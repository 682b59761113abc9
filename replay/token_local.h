/* SPDX-License-Identifier: MIT */
/*
 * token: wake-ups that came before their sleep, counted per (waker, sleeper).
 * A pair without tokens takes no memory.
 */
#ifndef REPLAY_TOKEN_LOCAL_H
#define REPLAY_TOKEN_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct token_slot {
	int from, to;
	int64_t nr;		/* 0: the slot is free */
};

struct tokens {
	struct token_slot *slot;
	size_t nr, mask;	/* slots used; size - 1 */
};

void tokens_release(struct tokens *t);	/* an all-zero one is empty */
int tokens_put(struct tokens *t, int from, int to, struct err *err);
bool tokens_take(struct tokens *t, int from, int to);	/* false: there is none */

#endif
