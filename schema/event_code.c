/* SPDX-License-Identifier: MIT */
#include "schema/event_code_local.h"

#include <stddef.h>
#include <string.h>

#define KIND_MASK 31
#define CPU_SHIFT 5
#define CPU_MASK 0xffff
#define FLAG_SHIFT 21
#define FLAG_MASK 15
#define MORE (1LL << 25)
#define LATE_SHIFT 26
#define LATE_MAX (1LL << 36)
#define PRIO_USUAL 120
#define STATE_MASK 0x7fffffffLL

/* Places are kept far from the ends of int64. */
#define AT_MAX (1LL << 62)

/* prev_state that goes with a state code; 8 and 9 are what mainline's preempted
 * and dead tasks have, so that nearly every switch needs the code only. */
static const int usual_raw[16] = {
	[STATE_SLEEPING] = 1,
	[STATE_DISK] = 2,
	[STATE_STOPPED] = 4,
	[STATE_IDLE] = 0x80,
	[STATE_PARKED] = 0x40,
	[STATE_DEAD] = 0x20,
	[8] = 0x100,
	[9] = 0x10,
};

static int64_t prio_code(int prio)
{
	return (prio - PRIO_USUAL) & 255;
}

static int prio_of(int64_t code)
{
	return (int)((code + PRIO_USUAL) & 255);
}

static bool is_byte(int v)
{
	return v >= 0 && v <= 255;
}

static bool is_cpu(int v)
{
	return v >= 0 && v <= CPU_MASK;
}

static int state_code(int state, int raw)
{
	if (state == STATE_RUNNABLE && raw == usual_raw[8])
		return 8;
	if (state == STATE_DEAD && raw == usual_raw[9])
		return 9;
	return state;
}

static bool encode_switch(const struct event *ev, struct event_row *r)
{
	int code;

	if (ev->sw.prev_tid != ev->tid || !is_byte(ev->sw.prev_prio) ||
	    !is_byte(ev->sw.next_prio) || ev->sw.prev_state < 0 ||
	    ev->sw.state < 0 || ev->sw.state > STATE_OTHER)
		return false;
	code = state_code(ev->sw.state, ev->sw.prev_state);
	r->a = ev->sw.next_tid;
	r->b = code | prio_code(ev->sw.prev_prio) << 4 |
	       prio_code(ev->sw.next_prio) << 12 |
	       (((int64_t)ev->sw.prev_state - usual_raw[code]) & STATE_MASK)
		       << 20;
	return true;
}

static bool encode_migrate(const struct event *ev, struct event_row *r)
{
	if (!is_byte(ev->migrate.prio) || !is_cpu(ev->migrate.orig_cpu) ||
	    !is_cpu(ev->migrate.dest_cpu))
		return false;
	r->a = ev->migrate.tid;
	r->b = prio_code(ev->migrate.prio) |
	       (int64_t)ev->migrate.orig_cpu << 8 |
	       (int64_t)ev->migrate.dest_cpu << 24;
	return true;
}

static bool encode_wake(const struct event *ev, struct event_row *r)
{
	if (!is_byte(ev->wake.prio) || !is_cpu(ev->wake.target_cpu) ||
	    ev->wake.success < 0 || ev->wake.success > 1)
		return false;
	r->a = ev->wake.tid;
	r->b = ev->wake.target_cpu | prio_code(ev->wake.prio) << 16 |
	       (int64_t)!ev->wake.success << 24;
	return true;
}

static bool encode_fault(const struct event *ev, struct event_row *r)
{
	if (!is_byte(ev->fault.error_code) || ev->fault.ip >> 55)
		return false;
	r->a = (int64_t)ev->fault.address;
	r->b = (int64_t)(ev->fault.ip << 8) | ev->fault.error_code;
	return true;
}

/* Huge pages are rare: events that tell of some do not fit. */
static bool encode_pages(const struct event *ev, struct event_row *r)
{
	if (ev->pages.thp_succeeded || ev->pages.thp_failed ||
	    ev->pages.failed < 0 || ev->pages.failed >> 40 ||
	    ev->pages.mode < 0 || ev->pages.mode > 15 ||
	    ev->pages.reason < 0 || ev->pages.reason > 15)
		return false;
	r->a = ev->pages.succeeded;
	r->b = ev->pages.failed << 8 | ev->pages.mode << 4 | ev->pages.reason;
	return true;
}

/* Columns a and b; false if the event does not fit them. */
static bool encode_small(const struct event *ev, struct event_row *r)
{
	switch (ev->kind) {
	case EVENT_SWITCH:
		return encode_switch(ev, r);
	case EVENT_MIGRATE_TASK:
		return encode_migrate(ev, r);
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		return encode_wake(ev, r);
	case EVENT_FORK:
		r->a = ev->fork.parent_tid;
		r->b = ev->fork.child_tid;
		return true;
	case EVENT_EXEC:
		r->a = ev->exec.tid;
		r->b = ev->exec.old_tid;
		return true;
	case EVENT_EXIT:
		r->a = ev->exit.tid;
		r->b = (int64_t)ev->exit.prio - PRIO_USUAL;
		return true;
	case EVENT_PAGE_FAULT_USER:
		return encode_fault(ev, r);
	case EVENT_MIGRATE_PAGES:
		return encode_pages(ev, r);
	default:
		return false;
	}
}

#define SMALL(member) { offsetof(struct event, member), sizeof(int) }
#define LARGE(member) { offsetof(struct event, member), sizeof(int64_t) }
#define WAKE_FIELDS { SMALL(wake.tid), SMALL(wake.prio), \
		      SMALL(wake.target_cpu), SMALL(wake.success) }
#define NUMA_FIELDS { SMALL(numa.src_tid), SMALL(numa.src_tgid), \
		      SMALL(numa.src_ngid), SMALL(numa.src_cpu), \
		      SMALL(numa.src_nid), SMALL(numa.dst_tid), \
		      SMALL(numa.dst_tgid), SMALL(numa.dst_ngid), \
		      SMALL(numa.dst_cpu), SMALL(numa.dst_nid) }

/* Which field is in which value of event_more; size 0: none. */
static const struct field {
	uint16_t offset;
	uint16_t size;
} fields[EVENT_NR_KINDS][EVENT_MORE_VALUES] = {
	[EVENT_SWITCH] = { SMALL(sw.prev_tid), SMALL(sw.next_tid),
			   SMALL(sw.prev_prio), SMALL(sw.next_prio),
			   SMALL(sw.prev_state), SMALL(sw.state) },
	[EVENT_MIGRATE_TASK] = { SMALL(migrate.tid), SMALL(migrate.prio),
				 SMALL(migrate.orig_cpu),
				 SMALL(migrate.dest_cpu) },
	[EVENT_WAKING] = WAKE_FIELDS,
	[EVENT_WAKEUP] = WAKE_FIELDS,
	[EVENT_WAKEUP_NEW] = WAKE_FIELDS,
	[EVENT_FORK] = { SMALL(fork.parent_tid), SMALL(fork.child_tid) },
	[EVENT_EXEC] = { SMALL(exec.tid), SMALL(exec.old_tid) },
	[EVENT_EXIT] = { SMALL(exit.tid), SMALL(exit.prio) },
	[EVENT_MOVE_NUMA] = NUMA_FIELDS,
	[EVENT_SWAP_NUMA] = NUMA_FIELDS,
	[EVENT_STICK_NUMA] = NUMA_FIELDS,
	[EVENT_PAGE_FAULT_USER] = { LARGE(fault.address), LARGE(fault.ip),
				    SMALL(fault.error_code) },
	[EVENT_MIGRATE_PAGES] = { LARGE(pages.succeeded), LARGE(pages.failed),
				  LARGE(pages.thp_succeeded),
				  LARGE(pages.thp_failed),
				  SMALL(pages.mode), SMALL(pages.reason) },
};

static void more_values(const struct event *ev, int64_t *v)
{
	const struct field *f = fields[ev->kind];
	int small;

	for (int i = 0; i < EVENT_MORE_VALUES; i++) {
		const char *from = (const char *)ev + f[i].offset;

		if (f[i].size == sizeof(*v)) {
			memcpy(&v[i], from, sizeof(*v));
		} else if (f[i].size) {
			memcpy(&small, from, sizeof(small));
			v[i] = small;
		}
	}
}

static void decode_values(const int64_t *v, struct event *ev)
{
	const struct field *f = fields[ev->kind];
	int small;

	for (int i = 0; i < EVENT_MORE_VALUES; i++) {
		char *to = (char *)ev + f[i].offset;

		if (f[i].size == sizeof(*v)) {
			memcpy(to, &v[i], sizeof(*v));
		} else if (f[i].size) {
			small = (int)v[i];
			memcpy(to, &small, sizeof(small));
		}
	}
}

/* The place after `last`; *late is how far it is past the event's time, -1
 * where that cannot be told. */
static bool place_after(int64_t ts, int64_t origin, int64_t last, int64_t *at,
			int64_t *late)
{
	int64_t since;
	bool known = !__builtin_sub_overflow(ts, origin, &since) &&
		     since < AT_MAX && since > -AT_MAX;

	if (last == INT64_MIN)
		*at = known ? since : 0;
	else
		*at = known && since > last ? since : last + 1;
	*late = known ? *at - since : -1;
	return *at < INT64_MAX - 1;
}

bool event_encode(const struct event *ev, int64_t origin, int64_t last,
		  struct event_row *row, struct event_more *more)
{
	int64_t late;

	row->tid = ev->tid;
	row->a = row->b = 0;
	row->what = ev->kind & KIND_MASK;
	if (!place_after(ev->ts, origin, last, &row->at, &late))
		return false;
	if (is_cpu(ev->cpu) && ev->flags <= FLAG_MASK && late >= 0 &&
	    late < LATE_MAX && encode_small(ev, row)) {
		row->what |= (int64_t)ev->cpu << CPU_SHIFT |
			     (int64_t)ev->flags << FLAG_SHIFT |
			     late << LATE_SHIFT;
		return true;
	}
	row->what |= MORE;
	row->a = row->b = 0;
	*more = (struct event_more){
		.at = row->at,
		.ts = ev->ts,
		.cpu = ev->cpu,
		.flags = ev->flags,
	};
	more_values(ev, more->v);
	return true;
}

static void decode_switch(const struct event_row *r, struct event *ev)
{
	int code = (int)(r->b & 15);

	ev->sw.prev_tid = (int)r->tid;
	ev->sw.next_tid = (int)r->a;
	ev->sw.prev_prio = prio_of(r->b >> 4);
	ev->sw.next_prio = prio_of(r->b >> 12);
	ev->sw.prev_state = (int)(((r->b >> 20) + usual_raw[code]) &
				  STATE_MASK);
	ev->sw.state = code == 8 ? STATE_RUNNABLE :
		       code >= 9 ? STATE_DEAD : code;
}

static void decode_small(const struct event_row *r, struct event *ev)
{
	switch (ev->kind) {
	case EVENT_SWITCH:
		decode_switch(r, ev);
		break;
	case EVENT_MIGRATE_TASK:
		ev->migrate.tid = (int)r->a;
		ev->migrate.prio = prio_of(r->b);
		ev->migrate.orig_cpu = (int)(r->b >> 8 & CPU_MASK);
		ev->migrate.dest_cpu = (int)(r->b >> 24 & CPU_MASK);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		ev->wake.tid = (int)r->a;
		ev->wake.prio = prio_of(r->b >> 16);
		ev->wake.target_cpu = (int)(r->b & CPU_MASK);
		ev->wake.success = !(r->b >> 24 & 1);
		break;
	case EVENT_FORK:
		ev->fork.parent_tid = (int)r->a;
		ev->fork.child_tid = (int)r->b;
		break;
	case EVENT_EXEC:
		ev->exec.tid = (int)r->a;
		ev->exec.old_tid = (int)r->b;
		break;
	case EVENT_EXIT:
		ev->exit.tid = (int)r->a;
		ev->exit.prio = (int)(r->b + PRIO_USUAL);
		break;
	case EVENT_PAGE_FAULT_USER:
		ev->fault.address = (uint64_t)r->a;
		ev->fault.ip = (uint64_t)r->b >> 8;
		ev->fault.error_code = (int)(r->b & 255);
		break;
	case EVENT_MIGRATE_PAGES:
		ev->pages.succeeded = r->a;
		ev->pages.failed = r->b >> 8;
		ev->pages.mode = (int)(r->b >> 4 & 15);
		ev->pages.reason = (int)(r->b & 15);
		break;
	}
}

/* Kinds whose fields stand in event_more only. */
static bool is_wide(int kind)
{
	return kind == EVENT_MOVE_NUMA || kind == EVENT_SWAP_NUMA ||
	       kind == EVENT_STICK_NUMA;
}

bool event_decode(const struct event_row *row, const struct event_more *more,
		  int64_t origin, struct event *ev)
{
	int kind = event_kind_of_row(row);

	if (row->what < 0 || kind >= EVENT_NR_KINDS)
		return false;
	*ev = (struct event){ .kind = (uint8_t)kind, .tid = (int)row->tid };
	if (more) {
		ev->ts = more->ts;
		ev->cpu = (int)more->cpu;
		ev->flags = (uint8_t)more->flags;
		decode_values(more->v, ev);
		return ev->kind != EVENT_SWITCH ||
		       (ev->sw.state >= 0 && ev->sw.state <= STATE_OTHER);
	}
	if (is_wide(ev->kind))
		return false;
	ev->ts = (int64_t)((uint64_t)origin + (uint64_t)row->at -
			   (uint64_t)(row->what >> LATE_SHIFT));
	ev->cpu = (int)(row->what >> CPU_SHIFT & CPU_MASK);
	ev->flags = (uint8_t)(row->what >> FLAG_SHIFT & FLAG_MASK);
	decode_small(row, ev);
	return true;
}
