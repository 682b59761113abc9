/* SPDX-License-Identifier: MIT */
/*
 * text_fields: what stands behind an event's name in a trace in text, to struct
 * record.  Three forms:
 *
 *	prev_comm=a prev_pid=1 ... ==> next_comm=b ...	the kernel's
 *	prev_comm=a prev_pid=1 ... prev_state=1 next_comm=b	trace-cmd report -R
 *	a:1 [120] S ==> b:2 [120]	trace-cmd's of sched_switch and wake-ups
 *
 * Values go by their keys, in any order; keys that are not known are passed
 * over.  A name ends before the last place in its 15 bytes where the key that
 * follows it stands, so that it may hold "=", "==>" and keys itself.
 */
#ifndef COLLECT_TEXT_FIELDS_H
#define COLLECT_TEXT_FIELDS_H

#include "collect/record.h"
#include "collect/text_event.h"

/*
 * Makes a record of an event of a kind that is kept.  states gives the bits of
 * prev_state's letters.  False: a field that is needed is missing or no number.
 * Names point into the line; "<...>" is left out.
 */
bool text_fields(const struct text_event *e, int kind,
		 const struct state_table *states, struct record *r);

#endif
