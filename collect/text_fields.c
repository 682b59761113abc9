/* SPDX-License-Identifier: MIT */
#include "collect/text_fields.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define COMM_MAX 15
#define LONG_COMM_MAX 63	/* of kernels that have longer ones */

#define AT(member) offsetof(struct event, member)
#define INT(key, member, need) \
	{ key, FIELD_INT, AT(member), sizeof(((struct event *)0)->member), \
	  need, NULL }
#define COMM(key, tid, until) { key, FIELD_COMM, AT(tid), 0, 0, until }

enum field_type {
	FIELD_INT, FIELD_COMM, FIELD_PATH, FIELD_STATE, FIELD_REASON,
	FIELD_MODE, FIELD_GROUP_DEAD,
};

/* need: a bit of those that must have come; kernels' names of one thing share
 * it.  A name's `at` is that of the tid it belongs to. */
struct field {
	const char *key;
	enum field_type type;
	size_t at, size;
	unsigned need;
	const char *until;	/* what follows a name */
};

#define MAX_FIELDS 16

#define WAKE { \
	COMM("comm", wake.tid, " pid="), INT("pid", wake.tid, 1), \
	INT("prio", wake.prio, 0), INT("success", wake.success, 0), \
	INT("target_cpu", wake.target_cpu, 0), INT("cpu", wake.target_cpu, 0) \
}
#define NUMA { \
	INT("src_pid", numa.src_tid, 1), INT("pid", numa.src_tid, 1), \
	INT("src_tgid", numa.src_tgid, 0), INT("tgid", numa.src_tgid, 0), \
	INT("src_ngid", numa.src_ngid, 0), INT("ngid", numa.src_ngid, 0), \
	INT("src_cpu", numa.src_cpu, 0), INT("src_nid", numa.src_nid, 0), \
	INT("dst_pid", numa.dst_tid, 0), INT("dst_tgid", numa.dst_tgid, 0), \
	INT("dst_ngid", numa.dst_ngid, 0), INT("dst_cpu", numa.dst_cpu, 0), \
	INT("dst_nid", numa.dst_nid, 0) \
}
#define BLANK_WAKE { .wake = { -1, -1, -1, 1 } }
#define BLANK_NUMA { .numa = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 } }

static const struct {
	struct field field[MAX_FIELDS];
	unsigned need;
	struct event blank;
} kinds[EVENT_NR_KINDS] = {
	[EVENT_SWITCH] = {
		{ COMM("prev_comm", sw.prev_tid, " prev_pid="),
		  INT("prev_pid", sw.prev_tid, 1),
		  INT("prev_prio", sw.prev_prio, 0),
		  { "prev_state", FIELD_STATE, 0, 0, 2, NULL },
		  COMM("next_comm", sw.next_tid, " next_pid="),
		  INT("next_pid", sw.next_tid, 4),
		  INT("next_prio", sw.next_prio, 0) },
		7, { .sw = { -1, -1, -1, -1, 0, 0 } },
	},
	[EVENT_MIGRATE_TASK] = {
		{ COMM("comm", migrate.tid, " pid="), INT("pid", migrate.tid, 1),
		  INT("prio", migrate.prio, 0),
		  INT("orig_cpu", migrate.orig_cpu, 2),
		  INT("dest_cpu", migrate.dest_cpu, 4) },
		7, { .migrate = { -1, -1, -1, -1 } },
	},
	[EVENT_WAKING] = { WAKE, 1, BLANK_WAKE },
	[EVENT_WAKEUP] = { WAKE, 1, BLANK_WAKE },
	[EVENT_WAKEUP_NEW] = { WAKE, 1, BLANK_WAKE },
	[EVENT_FORK] = {
		{ COMM("comm", fork.parent_tid, " pid="),
		  COMM("parent_comm", fork.parent_tid, " parent_pid="),
		  INT("pid", fork.parent_tid, 1),
		  INT("parent_pid", fork.parent_tid, 1),
		  COMM("child_comm", fork.child_tid, " child_pid="),
		  INT("child_pid", fork.child_tid, 2) },
		3, { .fork = { -1, -1 } },
	},
	[EVENT_EXEC] = {
		{ { "filename", FIELD_PATH, AT(exec.tid), 0, 0, " pid=" },
		  INT("pid", exec.tid, 1), INT("old_pid", exec.old_tid, 0) },
		1, { .exec = { -1, -1 } },
	},
	[EVENT_EXIT] = {
		{ COMM("comm", exit.tid, " pid="), INT("pid", exit.tid, 1),
		  INT("prio", exit.prio, 0),
		  { "group_dead", FIELD_GROUP_DEAD, 0, 0, 0, NULL } },
		1, { .exit = { -1, -1 } },
	},
	[EVENT_MOVE_NUMA] = { NUMA, 1, BLANK_NUMA },
	[EVENT_SWAP_NUMA] = { NUMA, 1, BLANK_NUMA },
	[EVENT_STICK_NUMA] = { NUMA, 1, BLANK_NUMA },
	[EVENT_PAGE_FAULT_USER] = {
		{ INT("address", fault.address, 1), INT("ip", fault.ip, 0),
		  INT("error_code", fault.error_code, 0) },
		1, { .fault = { 0 } },
	},
	[EVENT_MIGRATE_PAGES] = {
		{ INT("nr_succeeded", pages.succeeded, 1),
		  INT("succeeded", pages.succeeded, 1),
		  INT("nr_failed", pages.failed, 0),
		  INT("failed", pages.failed, 0),
		  INT("nr_thp_succeeded", pages.thp_succeeded, 0),
		  INT("thp_succeeded", pages.thp_succeeded, 0),
		  INT("nr_thp_failed", pages.thp_failed, 0),
		  INT("thp_failed", pages.thp_failed, 0),
		  { "mode", FIELD_MODE, 0, 0, 0, NULL },
		  { "reason", FIELD_REASON, 0, 0, 2, NULL } },
		3, { .pages = { 0 } },
	},
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *word_end(const char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	return p;
}

static bool is_word(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - p) == len && memcmp(p, word, len) == 0;
}

/* Raw values above the letters are "runnable" to older kernels, which have one
 * bit above all states for it. */
static bool set_state(struct event *ev, const struct state_table *t, int64_t raw)
{
	bool only_high = raw > 0xff && (raw & (raw - 1)) == 0 &&
			 t->preempt_bit == state_table_default.preempt_bit;

	if (raw < 0 || raw > INT_MAX)
		return false;
	ev->sw.prev_state = (int)raw;
	ev->sw.state = only_high ? STATE_RUNNABLE : state_decode(t, (int)raw);
	return true;
}

/* "S", "R+", "D|K", "0x82", "1" */
static bool read_state(struct event *ev, const struct state_table *t,
		       const char *p, const char *end)
{
	int64_t raw = 0, value;
	bool is_number = false, preempted = end > p && end[-1] == '+';

	end -= preempted;
	if (p == end)
		return false;
	while (p < end) {
		int found = -1;

		if (*p >= '0' && *p <= '9') {
			if (!text_int(&p, end, &value))
				return false;
			raw |= value;
			is_number = true;
		} else {
			for (int i = 0; i < t->nr; i++)
				if (t->flag[i].letter == *p)
					found = i;
			if (found >= 0)
				raw |= t->flag[found].bit;
			else if (*p < 'A' || *p > 'z')
				return false;
			else if (*p != 'R' && !raw)
				raw = 0x200;	/* blocked in an unknown way */
			p++;
		}
		if (p < end && *p++ != '|')
			return false;
	}
	if (preempted)
		raw |= t->preempt_bit;
	if (is_number)
		return set_state(ev, t, raw);
	ev->sw.prev_state = (int)raw;
	ev->sw.state = state_decode(t, (int)raw);
	return true;
}

static int read_reason(const char *p, const char *end)
{
	static const struct {
		const char *name;
		enum migrate_reason reason;
	} names[] = {
		{ "compaction", REASON_COMPACTION }, { "0", REASON_COMPACTION },
		{ "syscall_or_cpuset", REASON_SYSCALL }, { "3", REASON_SYSCALL },
		{ "mempolicy_mbind", REASON_MEMPOLICY }, { "4", REASON_MEMPOLICY },
		{ "numa_misplaced", REASON_NUMA_MISPLACED },
		{ "5", REASON_NUMA_MISPLACED },
		{ "demotion", REASON_DEMOTION }, { "8", REASON_DEMOTION },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_word(p, end, names[i].name))
			return names[i].reason;
	return REASON_OTHER;
}

static int read_mode(const char *p, const char *end)
{
	static const char *const names[] = {
		"MIGRATE_ASYNC", "MIGRATE_SYNC_LIGHT", "MIGRATE_SYNC",
		"MIGRATE_SYNC_NO_COPY",
	};
	int64_t value;

	for (int i = 0; i < 4; i++)
		if (is_word(p, end, names[i]))
			return i;
	return text_int(&p, end, &value) && value >= 0 && value < 64 ?
	       (int)value : 0;
}

static bool put_int(struct event *ev, const struct field *f, int64_t value)
{
	int small = (int)value;

	if (f->size == sizeof(value)) {
		memcpy((char *)ev + f->at, &value, sizeof(value));
		return true;
	}
	if (value < INT_MIN || value > INT_MAX)
		return false;
	memcpy((char *)ev + f->at, &small, sizeof(small));
	return true;
}

/* The next place from *at on where `until` stands, NULL: none. */
static const char *next_place(const char *at, const char *end,
			      const char *until)
{
	return end > at ? memmem(at, (size_t)(end - at), until, strlen(until)) :
			  NULL;
}

/* Where a name ends: the last place in its 15 bytes, else the first one. */
static const char *comm_end(const char *p, const char *end, const char *until)
{
	const char *q = next_place(p, end, until), *found = q;

	if (!found || found - p > LONG_COMM_MAX)
		return NULL;
	while (q && q - p <= COMM_MAX) {
		found = q;
		q = next_place(q + 1, end, until);
	}
	return found;
}

static const char *path_end(const char *p, const char *end, const char *until)
{
	const char *found = NULL;

	for (p = next_place(p, end, until); p; p = next_place(p + 1, end, until))
		found = p;
	return found;
}

/* The tid is set at the end: it may come after the name. */
static void add_name(struct record *r, const char *p, const char *to, size_t at)
{
	static const char unknown[] = "<...>";

	if (is_word(p, to, unknown) || r->nr_names == RECORD_MAX_NAMES)
		return;
	r->name[r->nr_names++] = (struct record_name){
		(int)at, (int)(to - p), p,
	};
}

static void add_path(struct record *r, const char *p, const char *to, size_t at)
{
	const char *slash = memrchr(p, '/', (size_t)(to - p));

	p = slash ? slash + 1 : p;
	if (to - p > COMM_MAX)
		to = p + COMM_MAX;
	add_name(r, p, to, at);
}

/* One value; returns where it ends, NULL: it is none. */
static const char *read_value(const struct field *f, const char *p,
			      const char *end, const struct state_table *states,
			      struct record *r)
{
	const char *to = word_end(p, end);
	int64_t value;

	switch (f->type) {
	case FIELD_COMM:
		to = comm_end(p, end, f->until);
		if (to)
			add_name(r, p, to, f->at);
		return to;
	case FIELD_PATH:
		to = path_end(p, end, f->until);
		if (to)
			add_path(r, p, to, f->at);
		return to;
	case FIELD_STATE:
		return read_state(&r->event, states, p, to) ? to : NULL;
	case FIELD_REASON:
		r->event.pages.reason = read_reason(p, to);
		return to;
	case FIELD_MODE:
		r->event.pages.mode = read_mode(p, to);
		return to;
	case FIELD_GROUP_DEAD:
		r->group_dead = is_word(p, to, "true") || is_word(p, to, "1");
		return to;
	case FIELD_INT:
		break;
	}
	if (!text_int(&p, to, &value) || p != to || !put_int(&r->event, f, value))
		return NULL;
	return to;
}

static const struct field *field_of(int kind, const char *key, size_t len)
{
	for (const struct field *f = kinds[kind].field;
	     f < kinds[kind].field + MAX_FIELDS && f->key; f++)
		if (strlen(f->key) == len && memcmp(f->key, key, len) == 0)
			return f;
	return NULL;
}

static bool read_keys(const char *p, const char *end, int kind,
		      const struct state_table *states, struct record *r)
{
	unsigned have = 0;

	for (p = skip_blanks(p, end); p < end; p = skip_blanks(p, end)) {
		const char *to = word_end(p, end);
		const char *eq = memchr(p, '=', (size_t)(to - p));
		const struct field *f = NULL;

		if (eq && eq > p)
			f = field_of(kind, p, (size_t)(eq - p));
		p = f ? read_value(f, eq + 1, end, states, r) : to;
		if (!p)
			return false;
		if (f)
			have |= f->need;
	}
	return (have & kinds[kind].need) == kinds[kind].need;
}

/* ":PID [PRIO]" at p. */
static const char *read_plugin_task(const char *p, const char *end, int *tid,
				    int *prio)
{
	int64_t value;

	if (p == end || *p++ != ':' || !text_int(&p, end, &value) ||
	    value < -1 || value > INT_MAX || end - p < 3 || p[0] != ' ' ||
	    p[1] != '[')
		return NULL;
	*tid = (int)value;
	p += 2;
	if (!text_int(&p, end, &value) || value < INT_MIN || value > INT_MAX ||
	    p == end || *p++ != ']')
		return NULL;
	*prio = (int)value;
	return p;
}

/* "COMM:PID [PRIO]", the last in the name's bytes after which `after` comes. */
static const char *read_plugin(const char *p, const char *end,
			       const char *after, size_t at, int *prio,
			       struct record *r)
{
	const char *stop = end - p > LONG_COMM_MAX ? p + LONG_COMM_MAX : end;
	const char *found = NULL, *name_to = NULL;
	int tid = -1, t, n;

	for (const char *q = p; q < stop && (!found || q - p <= COMM_MAX); q++) {
		const char *to = *q == ':' ? read_plugin_task(q, end, &t, &n) : NULL;

		if (!to || (after[0] && (end - to < 3 || to[0] != ' ' ||
		    !memmem(to, (size_t)(end - to < 24 ? end - to : 24), after,
			    strlen(after)))))
			continue;
		found = to;
		name_to = q;
		tid = t;
		*prio = n;
	}
	if (!found)
		return NULL;
	memcpy((char *)&r->event + at, &tid, sizeof(tid));
	add_name(r, p, name_to, at);
	return found;
}

/* "a:1 [120] S ==> b:2 [120]" */
static bool read_plugin_switch(const char *p, const char *end,
			       const struct state_table *states,
			       struct record *r)
{
	struct event *ev = &r->event;
	const char *to;

	p = read_plugin(p, end, " ==> ", AT(sw.prev_tid), &ev->sw.prev_prio, r);
	if (!p)
		return false;
	p = skip_blanks(p, end);
	to = word_end(p, end);
	if (!read_state(ev, states, p, to) || end - to < 5 ||
	    memcmp(to, " ==> ", 5) != 0)
		return false;
	return read_plugin(to + 5, end, "", AT(sw.next_tid), &ev->sw.next_prio,
			   r) != NULL;
}

/* "a:1 [120] success=1 CPU:002" */
static bool read_plugin_wake(const char *p, const char *end, struct record *r)
{
	struct event *ev = &r->event;
	int64_t value;

	p = read_plugin(p, end, "", AT(wake.tid), &ev->wake.prio, r);
	if (!p)
		return false;
	for (p = skip_blanks(p, end); p < end; p = skip_blanks(p, end)) {
		const char *to = word_end(p, end), *at = p + 4;

		if (to - p > 4 && memcmp(p, "CPU:", 4) == 0 &&
		    text_int(&at, to, &value) && value >= 0 && value < INT_MAX)
			ev->wake.target_cpu = (int)value;
		at = p + 8;
		if (to - p > 8 && memcmp(p, "success=", 8) == 0 &&
		    text_int(&at, to, &value))
			ev->wake.success = value != 0;
		p = to;
	}
	return true;
}

static bool begins_with(const char *p, const char *end, const char *with)
{
	size_t len = strlen(with);

	return (size_t)(end - p) >= len && memcmp(p, with, len) == 0;
}

/* trace-cmd's form; false too for kinds that have none. */
static bool read_plugin_form(const char *p, const char *end,
			     const struct state_table *states, struct record *r)
{
	switch (r->event.kind) {
	case EVENT_SWITCH:
		return read_plugin_switch(p, end, states, r);
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		return read_plugin_wake(p, end, r);
	default:
		return false;
	}
}

static void start(const struct text_event *e, int kind, struct record *r)
{
	*r = (struct record){ .what = RECORD_EVENT, .group_dead = -1 };
	r->event = kinds[kind].blank;
	r->event.kind = (uint8_t)kind;
	r->event.ts = e->ts;
	r->event.cpu = e->cpu;
	r->event.flags = e->flags;
	r->event.tid = e->tid;
}

/* A name may begin as the other form does, so each gets its turn. */
static bool read_forms(const struct text_event *e, int kind,
		       const struct state_table *states, struct record *r)
{
	const char *end = e->rest + e->rest_len;
	const char *p = skip_blanks(e->rest, end);
	bool has_keys = begins_with(p, end, "prev_comm=") ||
			begins_with(p, end, "comm=");

	start(e, kind, r);
	if (!has_keys && read_plugin_form(p, end, states, r))
		return true;
	start(e, kind, r);
	if (read_keys(p, end, kind, states, r))
		return true;
	start(e, kind, r);
	return has_keys && read_plugin_form(p, end, states, r);
}

bool text_fields(const struct text_event *e, int kind,
		 const struct state_table *states, struct record *r)
{
	struct event *ev = &r->event;

	if (!read_forms(e, kind, states, r))
		return false;
	/* perf's column of names and numbers may be that of the next task. */
	if (kind == EVENT_SWITCH)
		ev->tid = ev->sw.prev_tid;
	if (kind == EVENT_EXEC && ev->exec.old_tid < 0)
		ev->exec.old_tid = ev->exec.tid;
	for (int i = 0; i < r->nr_names; i++)
		memcpy(&r->name[i].tid, (char *)ev + r->name[i].tid,
		       sizeof(r->name[i].tid));
	return true;
}
