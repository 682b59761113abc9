/* SPDX-License-Identifier: MIT */
/*
 * spill: a run on its way from the process that replays it to the one that owns
 * the file: unlinked temporary files that a run sink fills and that can be read,
 * from their begin, into other sinks, several times.  Spans are apart from all
 * else, so that memory can be read without them.
 */
#ifndef UI_SPILL_H
#define UI_SPILL_H

#include "model/run.h"

#include <stdint.h>
#include <stdio.h>

struct err;

struct spill {
	FILE *spans, *rest;
	char *buffer;		/* of both */
};

/* An unlinked file in the folder of `beside` or, where that does not work, in
 * $TMPDIR or /tmp.  Returns the descriptor, or a negative code. */
int spill_file(const char *beside, struct err *err);

int spill_open(struct spill *s, const char *beside, struct err *err);
void spill_close(struct spill *s);	/* an all-zero one is fine */

void spill_sink(struct spill *s, struct run_sink *sink);
int spill_flush(struct spill *s, struct err *err);	/* after the last row */

/* Gives all but the spans, or the spans, to a sink in the order in which they
 * came; rows for which it has no function are left out. */
int spill_read_rest(struct spill *s, const struct run_sink *to,
		    struct err *err);
int spill_read_spans(struct spill *s, const struct run_sink *to,
		     struct err *err);

#endif
