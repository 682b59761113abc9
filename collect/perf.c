/* SPDX-License-Identifier: MIT */
#include "collect/perf_local.h"

#include "collect/bytes.h"
#include "model/cpumask.h"
#include "model/err.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD 8
#define TRACING_MAX (16 << 20)
#define MISC_LOST_SAMPLES_BPF (1u << 15)

/* PERF_RECORD_*: the kernel's in perf_event_open(2), perf's own from 64 on. */
enum {
	RECORD_LOST_EVENTS = 2, RECORD_COMM = 3, RECORD_FORK = 7,
	RECORD_SAMPLE = 9, RECORD_LOST_SAMPLES = 13,
	RECORD_HEADER_ATTR = 64, RECORD_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68, RECORD_AUXTRACE = 71,
	RECORD_HEADER_FEATURE = 80, RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82, RECORD_COMPRESSED2 = 83,
};

static struct perf_cpu *cpu_of(struct perf *p, int cpu, struct err *err)
{
	struct perf_cpu *new;
	int nr = cpu + 16;

	if (cpu < p->nr_cpus)
		return &p->cpu[cpu];
	new = realloc(p->cpu, (size_t)nr * sizeof(*new));
	if (!new) {
		err_nomem(err);
		return NULL;
	}
	p->cpu = new;
	for (int i = p->nr_cpus; i < nr; i++)
		new[i] = (struct perf_cpu){ .last = 0 };
	p->nr_cpus = nr;
	return &p->cpu[cpu];
}

static int bad(struct perf *p)
{
	p->bad++;
	return 0;
}

static int put(struct perf *p, const struct perf_item *item, struct err *err)
{
	return perf_order_put(p->order, item, err);
}

static int on_sample(struct perf *p, const struct perf_record *r,
		     struct err *err)
{
	struct perf_attr *a = perf_attr_of(p, r);
	struct perf_sample s;
	struct perf_item item;

	if (!a)
		return bad(p);
	if (a->type != PERF_TYPE_TRACEPOINT_NR) {
		a->skipped++;
		return 0;
	}
	if (!perf_read_sample(p, a, r, &s))
		return bad(p);
	if (!s.has_raw || !s.has_time || s.cpu < 0 || s.cpu >= CPUMASK_MAX)
		return err_set(err, ERR_FORMAT,
			       "'%s': samples of its tracepoints have no %s (perf record -a, or -R -T --sample-cpu, makes them have it)",
			       p->path, !s.has_raw ? "raw data" :
			       !s.has_time ? "time" : "CPU");
	if (s.tid > 0 && s.pid > 0 &&
	    sighted_see(&p->sighted, s.ts, s.tid, s.pid, "", 0, err) < 0)
		return err->code;
	item = (struct perf_item){
		.ts = s.ts, .cpu = s.cpu, .raw = s.raw, .len = s.raw_len,
	};
	return put(p, &item, err);
}

/*
 * LOST: id, count; LOST_SAMPLES: count.  What perf itself writes of the latter,
 * at its end, has no time: it is the sum of an event's losses, which LOST records
 * should have told already.
 */
static int on_lost(struct perf *p, const struct perf_record *r, size_t at,
		   struct err *err)
{
	const struct perf_attr *a = perf_attr_of(p, r);
	struct perf_item item = { .is_loss = true };
	struct perf_sample s;
	uint64_t lost;

	if (r->size < at + 8)
		return bad(p);
	lost = bytes_u64(r->data + at, p->info.big_endian);
	item.lost = lost > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)lost;
	/* Dropped by a filter. */
	if (!item.lost || (r->type == RECORD_LOST_SAMPLES &&
			   r->misc & MISC_LOST_SAMPLES_BPF))
		return 0;
	if (!a || !perf_read_trailer(p, a, r, &s) || !s.has_time || s.cpu < 0 ||
	    s.cpu >= CPUMASK_MAX) {
		if (p->unplaced < INT64_MAX / 4)
			p->unplaced += item.lost;
		return 0;
	}
	if (r->type == RECORD_LOST_SAMPLES && s.ts == 0) {
		if (p->lost_in_all < INT64_MAX / 4)
			p->lost_in_all += item.lost;
		return 0;
	}
	if (p->placed < INT64_MAX / 4)
		p->placed += item.lost;
	item.ts = s.ts;
	item.cpu = s.cpu;
	return put(p, &item, err);
}

/* pid, tid, name; FORK: pid, parent's pid, tid, parent's tid, time. */
static int on_task(struct perf *p, const struct perf_record *r, bool is_fork,
		   struct err *err)
{
	const bool big = p->info.big_endian;
	const char *comm = "";
	struct perf_sample s = { 0 };
	const struct perf_attr *a = perf_attr_of(p, r);
	uint32_t pid, tid;
	int len = 0;

	if (r->size < HEAD + (is_fork ? 24 : 8))
		return bad(p);
	pid = bytes_u32(r->data + HEAD, big);
	tid = bytes_u32(r->data + HEAD + (is_fork ? 8 : 4), big);
	if (pid > INT_MAX || tid > INT_MAX)
		return 0;
	if (a)
		perf_read_trailer(p, a, r, &s);
	if (is_fork) {
		sighted_born(&p->sighted, (int)tid);
	} else {
		comm = (const char *)r->data + HEAD + 8;
		len = (int)strnlen(comm, r->size - HEAD - 8u);
	}
	return sighted_see(&p->sighted, s.ts ? s.ts : INT64_MIN, (int)tid,
			   pid ? (int)pid : -1, comm, len, err);
}

/* The attributes with their own size in them, then the ids. */
static int on_attr(struct perf *p, const struct perf_record *r, struct err *err)
{
	const uint8_t *at = r->data + HEAD;
	size_t len = r->size - HEAD, size;

	if (len < 64)
		return bad(p);
	size = bytes_u32(at + 4, p->info.big_endian);
	if (size < 64 || size > len)
		return bad(p);
	if (perf_add_attr(p, at, size, err) < 0)
		return err->code;
	for (size_t i = size; i + 8 <= len && !err->code; i += 8)
		perf_add_id(p, bytes_u64(at + i, p->info.big_endian),
			    p->nr_attrs - 1, err);
	return err->code;
}

static int on_tracing_data(struct perf *p, const struct perf_record *r,
			   struct err *err)
{
	uint64_t size;
	uint8_t *bytes;
	size_t len;

	if (r->size < HEAD + 4)
		return bad(p);
	size = (bytes_u32(r->data + HEAD, p->info.big_endian) + UINT64_C(7)) &
	       ~UINT64_C(7);
	if (perf_input_take(p->input, size, TRACING_MAX, &bytes, &len, err) < 0)
		return err->code;
	if (len && !p->has_formats)
		perf_read_formats(p, bytes, len, err);
	free(bytes);
	return err->code;
}

static int on_auxtrace(struct perf *p, const struct perf_record *r,
		       struct err *err)
{
	uint8_t *bytes;
	size_t len;

	if (r->size < HEAD + 8)
		return bad(p);
	return perf_input_take(p->input, bytes_u64(r->data + HEAD,
			       p->info.big_endian), 0, &bytes, &len, err);
}

static int on_feature(struct perf *p, const struct perf_record *r,
		      struct err *err)
{
	if (r->size < HEAD + 8)
		return bad(p);
	return perf_read_feature(p, bytes_u64(r->data + HEAD, p->info.big_endian),
				 r->data + HEAD + 8, r->size - HEAD - 8u, err);
}

static int on_record(struct perf *p, const struct perf_record *r,
		     struct err *err)
{
	switch (r->type) {
	case RECORD_SAMPLE:
		return on_sample(p, r, err);
	case RECORD_LOST_EVENTS:
		return on_lost(p, r, HEAD + 8, err);
	case RECORD_LOST_SAMPLES:
		return on_lost(p, r, HEAD, err);
	case RECORD_COMM:
		return on_task(p, r, false, err);
	case RECORD_FORK:
		return on_task(p, r, true, err);
	case RECORD_HEADER_ATTR:
		return on_attr(p, r, err);
	case RECORD_TRACING_DATA:
		return on_tracing_data(p, r, err);
	case RECORD_AUXTRACE:
		return on_auxtrace(p, r, err);
	case RECORD_HEADER_FEATURE:
		return on_feature(p, r, err);
	case RECORD_FINISHED_ROUND:
		perf_order_round(p->order);
		return 0;
	default:
		return 0;
	}
}

/* A pipe tells of events and the machine before it brings records. */
static int read_front(struct perf *p, struct err *err)
{
	int got = 1;

	while (got == 1) {
		const struct perf_record *r = &p->record;

		got = perf_input_next(p->input, &p->record, err);
		p->has_record = got == 1;
		if (got < 1 || r->type < RECORD_HEADER_ATTR ||
		    r->type == RECORD_FINISHED_ROUND ||
		    r->type == RECORD_COMPRESSED ||
		    r->type == RECORD_COMPRESSED2)
			break;
		p->has_record = false;
		if (on_record(p, r, err) < 0)
			break;
	}
	return err->code;
}

int perf_open(struct perf **p, const char *path, bool partial, struct err *err)
{
	struct perf *new = calloc(1, sizeof(*new));
	struct stat st;

	*p = NULL;
	if (!new)
		return err_nomem(err);
	new->info.page_size = 4096;
	new->path = strdup(path);
	new->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!new->path)
		err_nomem(err);
	else if (new->fd < 0 || fstat(new->fd, &st) < 0)
		err_set(err, ERR_IO, "cannot open '%s': %s", path,
			strerror(errno));
	else
		new->size = st.st_size;
	if (!err->code && perf_order_new(&new->order, err) == 0 &&
	    perf_read_head(new, partial, err) == 0 && new->info.is_pipe)
		read_front(new, err);
	if (err->code) {
		perf_close(new);
		return err->code;
	}
	*p = new;
	return 0;
}

void perf_close(struct perf *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	perf_input_free(p->input);
	perf_order_free(p->order);
	decoder_free(p->decoder);
	sighted_release(&p->sighted);
	topo_release(&p->info.topo);
	free(p->kept[0]);
	free(p->kept[1]);
	free(p->cpu);
	free(p->attr);
	free(p->id);
	free(p->path);
	free(p);
}

/* Reads until something is due; 0: the end. */
static int read_on(struct perf *p, struct err *err)
{
	int got = 1;

	if (!p->has_record) {
		got = perf_input_next(p->input, &p->record, err);
		if (got < 0)
			return err_prefix(err, "'%s'", p->path);
	}
	p->has_record = got == 1;
	if (got == 0) {
		p->at_end = true;
		perf_order_end(p->order);
		return 0;
	}
	if (!perf_order_room(p->order, p->record.size)) {
		perf_order_force(p->order);
		return 0;
	}
	p->has_record = false;
	return on_record(p, &p->record, err);
}

static void make_loss(struct perf_cpu *c, int cpu, int64_t to, struct record *r)
{
	*r = (struct record){ .what = RECORD_LOSS };
	r->loss = (struct loss){
		.cpu = cpu, .from_ns = c->seen ? c->last : LOSS_FROM_START,
		.to_ns = c->seen && to < c->last ? c->last : to,
		.events = c->missed,
	};
	c->is_lost = false;
	c->missed = 0;
}

/* 1 a record, 0 nothing that is kept. */
static int give(struct perf *p, const struct perf_item *i, struct record *r,
		struct err *err)
{
	struct perf_cpu *c = cpu_of(p, i->cpu, err);
	int got;

	if (!c)
		return err->code;
	if (i->is_loss) {
		c->is_lost = true;
		if (c->missed < INT64_MAX / 4)
			c->missed += i->lost;
		return 0;
	}
	if (c->is_lost) {
		make_loss(c, i->cpu, i->ts, r);
		p->has_item = true;
		p->item = *i;
		return 1;
	}
	c->seen = true;
	c->last = i->ts;
	got = decoder_decode(p->decoder, i->cpu, i->ts, i->raw, i->len, r,
			     &p->scratch);
	if (got == ERR_NOMEM)
		return err_nomem(err);
	if (got < 0) {
		p->scratch.code = 0;
		return bad(p);
	}
	return got;
}

/* What is lost behind a CPU's last event; all CPUs lack the end of a cut file. */
static int last_losses(struct perf *p, struct record *r)
{
	bool is_cut = p->info.is_cut || perf_input_damage(p->input)[0];

	while (p->flushed < p->nr_cpus) {
		int cpu = p->flushed++;
		struct perf_cpu *c = &p->cpu[cpu];

		if (!c->is_lost && !(is_cut && c->seen))
			continue;
		if (is_cut)
			c->missed = -1;
		make_loss(c, cpu, LOSS_TO_END, r);
		return 1;
	}
	return 0;
}

int perf_next(struct perf *p, struct record *r, struct err *err)
{
	struct perf_item item;
	int got;

	for (;;) {
		if (p->has_item) {
			p->has_item = false;
			item = p->item;
		} else if (!perf_order_take(p->order, &item)) {
			if (p->at_end)
				return last_losses(p, r);
			if (read_on(p, err) < 0)
				return err->code;
			continue;
		}
		got = give(p, &item, r, err);
		if (got)
			return got;
	}
}

double perf_progress(const struct perf *p)
{
	return perf_input_progress(p->input);
}

const struct perf_info *perf_info(const struct perf *p)
{
	return &p->info;
}

const struct decoder *perf_decoder(const struct perf *p)
{
	return p->decoder;
}

const struct sighted *perf_sighted(const struct perf *p)
{
	return &p->sighted;
}

int64_t perf_bad_samples(const struct perf *p)
{
	return p->bad;
}

int64_t perf_unplaced(const struct perf *p)
{
	int64_t rest = p->lost_in_all - p->placed - p->unplaced;

	return p->unplaced + (rest > 0 ? rest : 0);
}

int64_t perf_late(const struct perf *p)
{
	return perf_order_late(p->order);
}

const char *perf_damage(const struct perf *p)
{
	return perf_input_damage(p->input);
}

int perf_each_skipped(const struct perf *p, int (*fn)(void *ctx,
		      const char *name, int64_t count, struct err *err),
		      void *ctx, struct err *err)
{
	int code = 0;

	for (int i = 0; i < p->nr_attrs && code == 0; i++)
		if (p->attr[i].skipped)
			code = fn(ctx, p->attr[i].name, p->attr[i].skipped, err);
	return code;
}
