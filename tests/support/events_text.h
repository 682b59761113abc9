/* SPDX-License-Identifier: MIT */
/*
 * events_text: an event stream written by hand, for tests of what is made of
 * it.  One item a line (or between ';'), '#' begins a comment:
 *
 *	start T			when the recording began; else the first event
 *	end T			when it ended; else the last event
 *	name TID COMM		pid TID PID		kthread TID
 *	T CPU TID switch STATE NEXT	(STATE: R S D T I P X ?; NEXT 0: idle)
 *	T CPU TID waking|wakeup|new TID2 [h|s|n]	(context: hardirq, ...)
 *	T CPU TID fork CHILD
 *	T CPU TID exec [OLD_TID]
 *	T CPU TID exit
 *	T CPU TID migrate TID2 FROM TO
 *	T CPU TID fault ADDRESS CODE	(ADDRESS: pages of 4096, "7" or "0x7")
 *	T CPU TID pages MOVED FAILED [other]	(reason numa_misplaced)
 *	T CPU TID numa_move TID2	numa_swap TID2 TID3
 *
 * Times are ns.  A task is born where it is forked, else it was there before.
 */
#ifndef TESTS_SUPPORT_EVENTS_TEXT_H
#define TESTS_SUPPORT_EVENTS_TEXT_H

#include "model/event.h"
#include "model/task.h"

#include <stddef.h>

struct events_text {
	struct event *event;
	size_t nr;
	struct tasks tasks;	/* indexed */
	int64_t start_ns, end_ns;
};

/* Ends the test program where the text makes no sense. */
void events_text_parse(struct events_text *e, const char *text);
void events_text_release(struct events_text *e);

/* Task id of the n-th task (from 0) with this tid, -1. */
int events_text_task(const struct events_text *e, int tid, int n);

#endif
