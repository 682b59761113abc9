/* SPDX-License-Identifier: MIT */
#include "collect/decoder_local.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_LEN 15		/* the kernel's, without the zero */

int decoder_new(struct decoder **d, bool big_endian, struct err *err)
{
	/* migrate_reason of mainline, for formats that do not tell. */
	static const uint8_t reasons[] = {
		REASON_COMPACTION, REASON_OTHER, REASON_OTHER, REASON_SYSCALL,
		REASON_MEMPOLICY, REASON_NUMA_MISPLACED,
	};
	struct decoder *new = calloc(1, sizeof(*new));

	*d = NULL;
	if (!new)
		return err_nomem(err);
	new->big_endian = big_endian;
	new->type = (struct decoder_op){ .src = 0, .size = 2 };
	new->flags = (struct decoder_op){ .src = 2, .size = 1 };
	new->pid = (struct decoder_op){ .src = 4, .size = 4, .is_signed = true };
	new->common_len = 2;
	new->states = state_table_default;
	memcpy(new->reason_of, reasons, sizeof(reasons));
	for (int i = 0; i < DECODER_MAX_STATES; i++)
		new->state_of[i] = (uint8_t)state_decode(&new->states, i);
	*d = new;
	return 0;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	for (int i = 0; i < d->nr_ids; i++)
		free(d->id[i].name);
	free(d->id);
	free(d->clones.of_cpu);
	free(d);
}

/* The slot of an event id, the table grown to hold it; NULL: no memory. */
static struct decoder_id *id_slot(struct decoder *d, int id)
{
	struct decoder_id *slot;
	int nr = d->nr_ids;

	if (id < nr)
		return &d->id[id];
	nr = id + 64 < DECODER_MAX_IDS ? id + 64 : DECODER_MAX_IDS;
	slot = realloc(d->id, (size_t)nr * sizeof(*slot));
	if (!slot)
		return NULL;
	d->id = slot;
	for (int i = d->nr_ids; i < nr; i++)
		slot[i] = (struct decoder_id){ .kind = -1 };
	d->nr_ids = nr;
	return &d->id[id];
}

int decoder_add_format(struct decoder *d, const char *system,
		       const char *text, size_t len, struct err *err)
{
	const struct format f = { text, len };
	const char *name_at, *id_at;
	size_t name_len, id_len;
	struct decoder_id *slot;
	char name[128];
	int id = 0, kind;

	if (!format_line(&f, "name: ", &name_at, &name_len) || !name_len ||
	    name_len >= sizeof(name) ||
	    !format_line(&f, "ID: ", &id_at, &id_len) || !id_len)
		return err_set(err, ERR_FORMAT,
			       "a format text of system '%.80s' has no name and ID",
			       system);
	snprintf(name, sizeof(name), "%.*s", (int)name_len, name_at);
	for (size_t i = 0; i < id_len && id_at[i] >= '0' && id_at[i] <= '9'; i++)
		if ((id = id * 10 + (id_at[i] - '0')) >= DECODER_MAX_IDS)
			return err_set(err, ERR_FORMAT,
				       "event '%s': its ID is out of range", name);
	slot = id_slot(d, id);
	if (!slot)
		return err_nomem(err);
	kind = event_kind_of(name);
	if (kind >= 0 && strcmp(event_kind_system(kind), system) != 0)
		kind = -1;
	if (kind >= 0 && decoder_format_plan(d, kind, &f, err) < 0)
		return err->code;
	if (!strcmp(system, "task") && !strcmp(name, "task_newtask") &&
	    decoder_clone_format(d, &f))
		kind = DECODER_NEWTASK;
	free(slot->name);
	slot->name = strdup(name);
	slot->kind = kind;
	return slot->name ? 0 : err_nomem(err);
}

static uint8_t context_flags(int64_t flags)
{
	enum {
		KERNEL_NEED_RESCHED = 0x04,
		KERNEL_HARDIRQ = 0x08,
		KERNEL_SOFTIRQ = 0x10,
		KERNEL_NMI = 0x40,
	};

	return (uint8_t)((flags & KERNEL_HARDIRQ ? EVENT_F_HARDIRQ : 0) |
			 (flags & KERNEL_SOFTIRQ ? EVENT_F_SOFTIRQ : 0) |
			 (flags & KERNEL_NMI ? EVENT_F_NMI : 0) |
			 (flags & KERNEL_NEED_RESCHED ? EVENT_F_NEED_RESCHED : 0));
}

/* Where the bytes of a name are; false: outside the record. */
static bool name_bytes(const struct decoder *d, const struct decoder_name *n,
		       const uint8_t *data, size_t len, struct record_name *out)
{
	size_t at = n->src, size = n->size;

	if (n->place != FORMAT_INLINE) {
		uint32_t loc = bytes_u32(data + n->src, d->big_endian);

		at = loc & 0xffff;
		size = loc >> 16;
		if (n->place == FORMAT_REL_LOC)
			at += n->src + 4;
	}
	if (at > len || size > len - at)
		return false;
	out->comm = (const char *)data + at;
	out->len = (int)strnlen(out->comm, size);
	if (n->is_path) {
		const char *slash = memrchr(out->comm, '/', (size_t)out->len);

		if (slash) {
			out->len -= (int)(slash + 1 - out->comm);
			out->comm = slash + 1;
		}
		if (out->len > COMM_LEN)
			out->len = COMM_LEN;
	}
	return true;
}

static void read_names(const struct decoder *d, const struct decoder_plan *plan,
		       const uint8_t *data, size_t len, struct record *r)
{
	static const char unknown[] = "<...>";

	for (int i = 0; i < plan->nr_names; i++) {
		struct record_name *n = &r->name[r->nr_names];

		if (!name_bytes(d, &plan->name[i], data, len, n) ||
		    (n->len == sizeof(unknown) - 1 &&
		     memcmp(n->comm, unknown, sizeof(unknown) - 1) == 0))
			continue;
		memcpy(&n->tid, (const char *)&r->event + plan->name[i].tid,
		       sizeof(n->tid));
		r->nr_names++;
	}
}

/* What is not just an integer of the record. */
static void finish(const struct decoder *d, struct event *ev)
{
	switch (ev->kind) {
	case EVENT_SWITCH:
		if (ev->sw.prev_state >= 0 && ev->sw.prev_state < DECODER_MAX_STATES)
			ev->sw.state = d->state_of[ev->sw.prev_state];
		else
			ev->sw.state = state_decode(&d->states, ev->sw.prev_state);
		break;
	case EVENT_EXEC:
		if (ev->exec.old_tid < 0)
			ev->exec.old_tid = ev->exec.tid;
		break;
	case EVENT_MIGRATE_PAGES:
		ev->pages.reason = ev->pages.reason >= 0 &&
			ev->pages.reason < DECODER_MAX_REASONS ?
			d->reason_of[ev->pages.reason] : REASON_OTHER;
		break;
	}
}

int decoder_decode(struct decoder *d, int cpu, int64_t ts,
		   const uint8_t *data, size_t len, struct record *r,
		   struct err *err)
{
	const bool big = d->big_endian;
	const struct decoder_plan *plan;
	struct decoder_id *slot;
	int64_t id;

	if (len < d->common_len)
		return err_set(err, ERR_FORMAT,
			       "a record of %zu bytes is shorter than its header",
			       len);
	id = decoder_int(&d->type, data, big);
	if (id < 0 || id >= DECODER_MAX_IDS)
		return err_set(err, ERR_FORMAT, "event id %lld is out of range",
			       (long long)id);
	slot = id < d->nr_ids ? &d->id[id] : id_slot(d, (int)id);
	if (!slot)
		return err_nomem(err);
	if (slot->kind < 0) {
		if (slot->kind == DECODER_NEWTASK)
			return decoder_clone_take(d, cpu, data, len, err);
		slot->skipped++;
		return 0;
	}
	plan = &d->plan[slot->kind];
	if (len < plan->min_len)
		return err_set(err, ERR_FORMAT,
			       "event '%s': a record of %zu bytes, its fields need %zu",
			       slot->name, len, plan->min_len);
	r->what = RECORD_EVENT;
	r->event = plan->blank;
	r->event.ts = ts;
	r->event.cpu = cpu;
	r->event.flags = context_flags(decoder_int(&d->flags, data, big));
	r->event.tid = (int)decoder_int(&d->pid, data, big);
	for (int i = 0; i < plan->nr_ops; i++) {
		const struct decoder_op *op = &plan->op[i];
		char *dst = (char *)&r->event + op->dst;
		int64_t value = decoder_int(op, data, big);
		int small = (int)value;

		if (op->dst_size == 8)
			memcpy(dst, &value, sizeof(value));
		else
			memcpy(dst, &small, sizeof(small));
	}
	finish(d, &r->event);
	r->fork = slot->kind == EVENT_FORK ?
		decoder_clone_find(d, r->event.fork.child_tid) : FORK_UNKNOWN;
	r->group_dead = plan->group_dead.size ?
		decoder_int(&plan->group_dead, data, big) != 0 : -1;
	r->nr_names = 0;
	read_names(d, plan, data, len, r);
	return 1;
}

const struct state_table *decoder_states(const struct decoder *d)
{
	return &d->states;
}

bool decoder_has(const struct decoder *d, int event_kind)
{
	return event_kind >= 0 && event_kind < EVENT_NR_KINDS &&
	       d->plan[event_kind].known;
}

int decoder_each_skipped(const struct decoder *d, int (*fn)(void *ctx,
			 const char *name, int64_t count, struct err *err),
			 void *ctx, struct err *err)
{
	for (int i = 0; i < d->nr_ids; i++) {
		const struct decoder_id *slot = &d->id[i];
		char number[32];
		int code;

		if (!slot->skipped)
			continue;
		snprintf(number, sizeof(number), "event %d", i);
		code = fn(ctx, slot->name ? slot->name : number, slot->skipped,
			  err);
		if (code < 0)
			return code;
	}
	return 0;
}
