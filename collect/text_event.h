/* SPDX-License-Identifier: MIT */
/*
 * text_event: the head of one line of a trace in text, whoever wrote it:
 *
 *	          <idle>-0     [001] d..2.  10.000001: sched_switch: ...	kernel
 *	          <idle>-0     (-----) [001] d..2 10.000001: ...	systrace
 *	          <idle>-0     [001]  10.000001: sched_switch: ...	trace-cmd
 *	  <idle>-0       1d..2.    10us+: sched_switch: ...	latency
 *	          <idle>       0   1 53 00000004 00000002 [21fe] 10.001ms (+0.1ms): ...
 *	         swapper     0/0   [001]    10.000001:  1 sched:sched_switch: ...	perf
 *
 * A task's name may hold anything, also what looks like a head.  The head that
 * is taken is the last one before which there are no more than the 15 bytes
 * that a name can have.
 */
#ifndef COLLECT_TEXT_EVENT_H
#define COLLECT_TEXT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What points, points into the line. */
struct text_event {
	const char *comm;	/* may be cut or of another time */
	int comm_len;
	int tid;
	int tgid;		/* -1: not told */
	int cpu;
	uint8_t flags;		/* enum event_flag */
	int64_t ts;		/* ns, or units where is_integer */
	bool is_integer;	/* a number without point or unit */
	const char *name;	/* of the event, without its system */
	int name_len;
	const char *rest;	/* what follows the name */
	int rest_len;
};

/* False if the line has no such head. */
bool text_event_parse(struct text_event *e, const char *line, size_t len);

/* Moves *at over a decimal number, which may have a minus or be 0xHEX; false:
 * there is none, or it does not fit. */
bool text_int(const char **at, const char *end, int64_t *value);

#endif
