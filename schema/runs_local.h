/* SPDX-License-Identifier: MIT */
/*
 * runs: what the writers and the readers of runs share: keys and row forms.
 */
#ifndef SCHEMA_RUNS_LOCAL_H
#define SCHEMA_RUNS_LOCAL_H

#include "schema/stmt_local.h"

#include <stdint.h>

/* Rows of a run (and chunks of a task) have the key id * 2^32 + n; there is a key
 * behind those of the last run too. */
#define RUN_SHIFT 32
#define RUN_MAX (INT32_MAX - 1)

static inline int64_t run_key(int run, int64_t n)
{
	return ((int64_t)run << RUN_SHIFT) + n;
}

/* Binds to ?1 and ?2 the first key of a run and the one behind its last. */
static inline void run_bind(struct stmt *st, int run)
{
	stmt_bind_int(st, 1, run_key(run, 0));
	stmt_bind_int(st, 2, run_key(run + 1, 0));
}

/* A span_block covers so many spans. */
#define SPAN_BLOCK 1024

#define SPAN_STATE_MASK 7
#define SPAN_FLAG_SHIFT 3
#define SPAN_FLAG_MASK 31
#define SPAN_CPU_UNIT 256

#define MOVE_REFUSED 256

/* Differences of hostile times may wrap; they come back exactly. */
static inline int64_t wrap_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
