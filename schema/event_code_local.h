/* SPDX-License-Identifier: MIT */
/*
 * event_code: an event as a row of the tables event and event_more, exactly.
 * recorded.sql describes the rows.
 */
#ifndef SCHEMA_EVENT_CODE_LOCAL_H
#define SCHEMA_EVENT_CODE_LOCAL_H

#include "model/event.h"

#include <stdbool.h>

#define EVENT_MORE_VALUES 10

struct event_row {
	int64_t at, what, tid, a, b;
};

struct event_more {
	int64_t at, ts, cpu, flags;
	int64_t v[EVENT_MORE_VALUES];
};

static inline bool event_has_more(const struct event_row *r)
{
	return r->what >> 25 & 1;
}

static inline int event_kind_of_row(const struct event_row *r)
{
	return (int)(r->what & 31);
}

/* Codes ev as the row after one with place `last` (INT64_MIN: the first row).
 * Fills *more if event_has_more() is then true.  False: there are no places
 * left, which takes a hostile input. */
bool event_encode(const struct event *ev, int64_t origin, int64_t last,
		  struct event_row *row, struct event_more *more);

/* False: a row that event_encode() cannot have made.  more: NULL where the row
 * has none. */
bool event_decode(const struct event_row *row, const struct event_more *more,
		  int64_t origin, struct event *ev);

#endif
