/* SPDX-License-Identifier: MIT */
#include "collect/decoder_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

/* libtraceevent's parser recurses as deep as a text nests; these are several
 * times what any kernel's formats of our events need. */
#define MAX_FIELDS_LEN 8192
#define MAX_PRINT_LEN 8192
#define MAX_NESTING 40

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

int decoder_format_open(struct decoder *d, struct err *err)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		return err_nomem(err);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(tep, d->big_endian ? TEP_BIG_ENDIAN :
						    TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, d->long_size);
	d->tep = tep;
	return 0;
}

void decoder_format_close(struct decoder *d)
{
	if (d->tep)
		tep_free(d->tep);
}

static struct tep_format_field *find_field(struct tep_format_field *list,
					   const char *name)
{
	for (struct tep_format_field *f = list; name && f; f = f->next)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

/* A record is smaller than a page. */
static bool is_int(const struct tep_format_field *f)
{
	return f->offset >= 0 && f->offset < 65536 &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static struct decoder_op int_op(const struct tep_format_field *f)
{
	return (struct decoder_op){
		.src = (uint32_t)f->offset, .size = (uint8_t)f->size,
		.is_signed = f->flags & TEP_FIELD_IS_SIGNED,
	};
}

static void need_bytes(struct decoder_plan *plan, uint32_t src, uint32_t size)
{
	if (src + size > plan->min_len)
		plan->min_len = src + size;
}

static int plan_common(struct decoder *d, const struct tep_event *ev,
		       struct err *err)
{
	static const char *const names[] = {
		"common_type", "common_flags", "common_pid",
	};
	struct decoder_op *const ops[] = { &d->type, &d->flags, &d->pid };

	for (int i = 0; i < 3; i++) {
		struct tep_format_field *f =
			find_field(ev->format.common_fields, names[i]);

		if (!f || !is_int(f))
			return err_set(err, ERR_FORMAT,
				       "event '%s': field '%s' is missing",
				       ev->name, names[i]);
		*ops[i] = int_op(f);
	}
	d->common_len = d->type.src + d->type.size;
	d->has_common = true;
	return 0;
}

static int plan_fields(struct decoder *d, struct decoder_plan *plan, int kind,
		       const struct tep_event *ev, struct err *err)
{
	for (const struct want *w = kinds[kind].field; w->name; w++) {
		struct tep_format_field *f =
			find_field(ev->format.fields, w->name);
		struct decoder_op *op = &plan->op[plan->nr_ops];

		if (!f)
			f = find_field(ev->format.fields, w->old_name);
		if (!f && w->need)
			return err_set(err, ERR_FORMAT,
				       "event '%s': field '%s' is missing",
				       ev->name, w->name);
		if (!f)
			continue;
		if (!is_int(f))
			return err_set(err, ERR_FORMAT,
				       "event '%s': field '%s' at %d has %d bytes",
				       ev->name, f->name, f->offset, f->size);
		*op = int_op(f);
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

static void plan_names(struct decoder_plan *plan, int kind,
		       const struct tep_event *ev)
{
	for (const struct want_name *w = kinds[kind].name; w->name; w++) {
		struct tep_format_field *f =
			find_field(ev->format.fields, w->name);
		struct decoder_name *n = &plan->name[plan->nr_names];

		if (!f || f->offset < 0 || f->offset > 65535 || f->size < 2 ||
		    f->size > 65535)
			continue;
		*n = (struct decoder_name){
			.src = (uint32_t)f->offset, .size = (uint32_t)f->size,
			.tid = (uint8_t)w->tid, .is_path = w->is_path,
		};
		if (f->flags & TEP_FIELD_IS_DYNAMIC) {
			if (f->size != 4)
				continue;
			n->size = f->flags & TEP_FIELD_IS_RELATIVE ? 1 : 0;
		}
		need_bytes(plan, n->src, n->size > 1 ? n->size : 4);
		plan->nr_names++;
	}
}

static bool nests_deep(const char *text, size_t len)
{
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (strchr("([{", text[i]) && text[i] && ++depth > MAX_NESTING)
			return true;
		if (strchr(")]}", text[i]) && text[i] && depth > 0)
			depth--;
	}
	return false;
}

/* A copy that libtraceevent can be trusted with: an outlandish print format is
 * left out, its tables are then those of mainline.  NULL: err is set. */
static char *safe_text(const char *text, size_t len, size_t *safe_len,
		       struct err *err)
{
	static const char mark[] = "print fmt:", instead[] = "print fmt: \"\"\n";
	const char *print = memmem(text, len, mark, sizeof(mark) - 1);
	size_t fields = print ? (size_t)(print - text) : len;
	size_t rest = len - fields;
	char *copy;

	if (fields > MAX_FIELDS_LEN || nests_deep(text, fields)) {
		err_set(err, ERR_FORMAT, "its format text has %zu bytes of fields",
			fields);
		return NULL;
	}
	copy = calloc(1, len + sizeof(instead));
	if (!copy) {
		err_nomem(err);
		return NULL;
	}
	memcpy(copy, text, fields);
	if (rest == 0 || rest > MAX_PRINT_LEN || nests_deep(print, rest)) {
		memcpy(copy + fields, instead, sizeof(instead) - 1);
		rest = sizeof(instead) - 1;
	} else {
		memcpy(copy + fields, print, rest);
	}
	*safe_len = fields + rest;
	return copy;
}

int decoder_format_plan(struct decoder *d, int kind, const char *text,
			size_t len, struct err *err)
{
	const char *name = event_kind_name(kind);
	struct decoder_plan plan = { .known = true, .blank = kinds[kind].blank };
	struct tep_event *ev = NULL;
	size_t safe_len;
	char *copy;
	int code = 0;

	if (d->plan[kind].known)
		return 0;
	copy = safe_text(text, len, &safe_len, err);
	if (!copy)
		return err_prefix(err, "event '%s'", name);
	/* A print format that it cannot read still leaves the fields. */
	tep_parse_event(d->tep, copy, safe_len, event_kind_system(kind));
	ev = tep_find_event_by_name(d->tep, event_kind_system(kind), name);
	if (!ev) {
		code = err_set(err, ERR_FORMAT,
			       "event '%s': cannot read its format text", name);
		goto out;
	}
	plan.blank.kind = (uint8_t)kind;
	if (!d->has_common)
		code = plan_common(d, ev, err);
	if (code == 0)
		code = plan_fields(d, &plan, kind, ev, err);
	if (code < 0)
		goto out;
	plan_names(&plan, kind, ev);
	if (kind == EVENT_SWITCH)
		decoder_print_states(d, ev);
	if (kind == EVENT_MIGRATE_PAGES)
		decoder_print_reasons(d, ev);
	d->plan[kind] = plan;
out:
	free(copy);
	return code;
}
