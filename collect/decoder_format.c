/* SPDX-License-Identifier: MIT */
#include "collect/decoder_local.h"

#include "model/err.h"

#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(struct event, member)
#define INT(kernel_name, member) \
	{ kernel_name, NULL, AT(member), sizeof(((struct event *)0)->member), 0 }
#define NEED(kernel_name, member) \
	{ kernel_name, NULL, AT(member), sizeof(((struct event *)0)->member), 1 }
#define EITHER(kernel_name, old_name, member, need) \
	{ kernel_name, old_name, AT(member), \
	  sizeof(((struct event *)0)->member), need }

/* A field that is wanted: its name, its name in older kernels. */
struct want {
	const char *name, *old_name;
	size_t dst, dst_size;
	int need;
};

struct want_name {
	const char *name;
	size_t tid;
	bool is_path;
};

#define WAKE_FIELDS { \
	NEED("pid", wake.tid), INT("prio", wake.prio), \
	EITHER("target_cpu", "cpu", wake.target_cpu, 0), \
	INT("success", wake.success) \
}
#define WAKE_NAMES { { "comm", AT(wake.tid), false } }
/* sched_move_numa, and the other two before Linux 5.2, know one task. */
#define NUMA_FIELDS { \
	EITHER("src_pid", "pid", numa.src_tid, 1), \
	EITHER("src_tgid", "tgid", numa.src_tgid, 0), \
	EITHER("src_ngid", "ngid", numa.src_ngid, 0), \
	INT("src_cpu", numa.src_cpu), INT("src_nid", numa.src_nid), \
	INT("dst_pid", numa.dst_tid), INT("dst_tgid", numa.dst_tgid), \
	INT("dst_ngid", numa.dst_ngid), \
	INT("dst_cpu", numa.dst_cpu), INT("dst_nid", numa.dst_nid) \
}
#define BLANK_WAKE { .wake = { -1, -1, -1, 1 } }
#define BLANK_NUMA { .numa = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 } }

static const struct {
	struct want field[DECODER_MAX_OPS + 1];
	struct want_name name[RECORD_MAX_NAMES + 1];
	struct event blank;
} kinds[EVENT_NR_KINDS] = {
	[EVENT_SWITCH] = {
		{ NEED("prev_pid", sw.prev_tid), NEED("next_pid", sw.next_tid),
		  INT("prev_prio", sw.prev_prio), INT("next_prio", sw.next_prio),
		  NEED("prev_state", sw.prev_state) },
		{ { "prev_comm", AT(sw.prev_tid), false },
		  { "next_comm", AT(sw.next_tid), false } },
		{ .sw = { -1, -1, -1, -1, 0, 0 } },
	},
	[EVENT_MIGRATE_TASK] = {
		{ NEED("pid", migrate.tid), INT("prio", migrate.prio),
		  NEED("orig_cpu", migrate.orig_cpu),
		  NEED("dest_cpu", migrate.dest_cpu) },
		{ { "comm", AT(migrate.tid), false } },
		{ .migrate = { -1, -1, -1, -1 } },
	},
	[EVENT_WAKING] = { WAKE_FIELDS, WAKE_NAMES, BLANK_WAKE },
	[EVENT_WAKEUP] = { WAKE_FIELDS, WAKE_NAMES, BLANK_WAKE },
	[EVENT_WAKEUP_NEW] = { WAKE_FIELDS, WAKE_NAMES, BLANK_WAKE },
	[EVENT_FORK] = {
		{ NEED("parent_pid", fork.parent_tid),
		  NEED("child_pid", fork.child_tid) },
		{ { "parent_comm", AT(fork.parent_tid), false },
		  { "child_comm", AT(fork.child_tid), false } },
		{ .fork = { -1, -1 } },
	},
	[EVENT_EXEC] = {
		{ NEED("pid", exec.tid), INT("old_pid", exec.old_tid) },
		{ { "filename", AT(exec.tid), true } },
		{ .exec = { -1, -1 } },
	},
	[EVENT_EXIT] = {
		{ NEED("pid", exit.tid), INT("prio", exit.prio) },
		{ { "comm", AT(exit.tid), false } },
		{ .exit = { -1, -1 } },
	},
	[EVENT_MOVE_NUMA] = { NUMA_FIELDS, { { NULL, 0, false } }, BLANK_NUMA },
	[EVENT_SWAP_NUMA] = { NUMA_FIELDS, { { NULL, 0, false } }, BLANK_NUMA },
	[EVENT_STICK_NUMA] = { NUMA_FIELDS, { { NULL, 0, false } }, BLANK_NUMA },
	[EVENT_PAGE_FAULT_USER] = {
		{ NEED("address", fault.address), INT("ip", fault.ip),
		  INT("error_code", fault.error_code) },
		{ { NULL, 0, false } },
		{ .fault = { 0 } },
	},
	[EVENT_MIGRATE_PAGES] = {
		{ NEED("succeeded", pages.succeeded), INT("failed", pages.failed),
		  INT("thp_succeeded", pages.thp_succeeded),
		  INT("thp_failed", pages.thp_failed),
		  INT("mode", pages.mode), NEED("reason", pages.reason) },
		{ { NULL, 0, false } },
		{ .pages = { 0 } },
	},
};

static bool is_int(const struct format_field *f)
{
	return !f->is_array && f->place == FORMAT_INLINE &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static struct decoder_op int_op(const struct format_field *f)
{
	return (struct decoder_op){
		.src = f->offset, .size = (uint8_t)f->size,
		.is_signed = f->is_signed,
	};
}

static void need_bytes(struct decoder_plan *plan, uint32_t src, uint32_t size)
{
	if (src + size > plan->min_len)
		plan->min_len = src + size;
}

static int plan_common(struct decoder *d, const struct format *text,
		       const char *event, struct err *err)
{
	static const char *const names[] = {
		"common_type", "common_flags", "common_pid",
	};
	struct decoder_op *const ops[] = { &d->type, &d->flags, &d->pid };
	struct format_field f;

	for (int i = 0; i < 3; i++) {
		if (!format_field(text, names[i], &f) || !is_int(&f))
			return err_set(err, ERR_FORMAT,
				       "event '%s': field '%s' is missing", event,
				       names[i]);
		*ops[i] = int_op(&f);
	}
	d->common_len = d->type.src + d->type.size;
	d->has_common = true;
	return 0;
}

static int plan_fields(struct decoder *d, struct decoder_plan *plan, int kind,
		       const struct format *text, struct err *err)
{
	for (const struct want *w = kinds[kind].field; w->name; w++) {
		struct decoder_op *op = &plan->op[plan->nr_ops];
		struct format_field f;
		bool found = format_field(text, w->name, &f) ||
			     (w->old_name && format_field(text, w->old_name, &f));

		if (!found && w->need)
			return err_set(err, ERR_FORMAT,
				       "event '%s': field '%s' is missing",
				       event_kind_name(kind), w->name);
		if (!found)
			continue;
		if (!is_int(&f))
			return err_set(err, ERR_FORMAT,
				       "event '%s': field '%s' of %u bytes is no number",
				       event_kind_name(kind), w->name, f.size);
		*op = int_op(&f);
		op->dst = (uint8_t)w->dst;
		op->dst_size = (uint8_t)w->dst_size;
		need_bytes(plan, op->src, op->size);
		plan->nr_ops++;
	}
	need_bytes(plan, d->type.src, d->type.size);
	need_bytes(plan, d->flags.src, d->flags.size);
	need_bytes(plan, d->pid.src, d->pid.size);
	return 0;
}

static void plan_group_dead(struct decoder_plan *plan, const struct format *text)
{
	struct format_field f;

	if (!format_field(text, "group_dead", &f) || !is_int(&f))
		return;
	plan->group_dead = int_op(&f);
	need_bytes(plan, f.offset, f.size);
}

static void plan_names(struct decoder_plan *plan, int kind,
		       const struct format *text)
{
	for (const struct want_name *w = kinds[kind].name; w->name; w++) {
		struct decoder_name *n = &plan->name[plan->nr_names];
		struct format_field f;

		if (!format_field(text, w->name, &f) ||
		    (f.place == FORMAT_INLINE ? !f.is_array : f.size != 4))
			continue;
		*n = (struct decoder_name){
			.src = f.offset, .size = f.size, .place = f.place,
			.tid = (uint8_t)w->tid, .is_path = w->is_path,
		};
		need_bytes(plan, f.offset, f.size);
		plan->nr_names++;
	}
}

static void read_states(struct decoder *d, const struct format *text)
{
	struct format_pair pair[24];
	struct state_table t = { 0 };
	uint64_t bit;
	int nr = format_table(text, "__print_flags(", "prev_state", pair, 24);

	for (int i = 0; i < nr; i++) {
		if (!pair[i].value || pair[i].value > UINT32_MAX ||
		    !pair[i].text[0])
			continue;
		t.flag[t.nr].bit = (uint32_t)pair[i].value;
		t.flag[t.nr].letter = pair[i].text[0];
		t.nr++;
	}
	bit = format_sign_bit(text, "prev_state", "+");
	if (bit <= UINT32_MAX)
		t.preempt_bit = (uint32_t)bit;
	if (!t.nr)
		return;
	d->states = t;
	for (int i = 0; i < DECODER_MAX_STATES; i++)
		d->state_of[i] = (uint8_t)state_decode(&d->states, i);
}

static void read_reasons(struct decoder *d, const struct format *text)
{
	static const struct {
		const char *name;
		enum migrate_reason reason;
	} names[] = {
		{ "compaction", REASON_COMPACTION },
		{ "syscall_or_cpuset", REASON_SYSCALL },
		{ "mempolicy_mbind", REASON_MEMPOLICY },
		{ "numa_misplaced", REASON_NUMA_MISPLACED },
		{ "demotion", REASON_DEMOTION },
	};
	struct format_pair pair[DECODER_MAX_REASONS];
	int nr = format_table(text, "__print_symbolic(", "reason", pair,
			      DECODER_MAX_REASONS);

	if (nr)
		memset(d->reason_of, REASON_OTHER, sizeof(d->reason_of));
	for (int i = 0; i < nr; i++)
		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			if (pair[i].value < DECODER_MAX_REASONS &&
			    strcmp(pair[i].text, names[n].name) == 0)
				d->reason_of[pair[i].value] =
					(uint8_t)names[n].reason;
}

int decoder_format_plan(struct decoder *d, int kind, const struct format *text,
			struct err *err)
{
	struct decoder_plan plan = { .known = true, .blank = kinds[kind].blank };

	if (d->plan[kind].known)
		return 0;
	plan.blank.kind = (uint8_t)kind;
	if (!d->has_common &&
	    plan_common(d, text, event_kind_name(kind), err) < 0)
		return err->code;
	if (plan_fields(d, &plan, kind, text, err) < 0)
		return err->code;
	plan_names(&plan, kind, text);
	if (kind == EVENT_EXIT)
		plan_group_dead(&plan, text);
	if (kind == EVENT_SWITCH)
		read_states(d, text);
	if (kind == EVENT_MIGRATE_PAGES)
		read_reasons(d, text);
	d->plan[kind] = plan;
	return 0;
}
