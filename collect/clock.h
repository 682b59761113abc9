/* SPDX-License-Identifier: MIT */
/* clock: clocks in nanoseconds. */
#ifndef COLLECT_CLOCK_H
#define COLLECT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* That of recordings: CLOCK_MONOTONIC. */
static inline int64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
