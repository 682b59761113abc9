/* SPDX-License-Identifier: MIT */
#include "collect/perf_local.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PERF_SAMPLE_*: bits of sample_type, in perf_event_open(2). */
enum {
	SAMPLE_IP = 1 << 0, SAMPLE_TID = 1 << 1, SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDR = 1 << 3, SAMPLE_READ = 1 << 4, SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6, SAMPLE_CPU = 1 << 7, SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9, SAMPLE_RAW = 1 << 10,
	SAMPLE_IDENTIFIER = 1 << 16,
};
/* PERF_FORMAT_*: bits of read_format. */
enum {
	READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8,
	READ_LOST = 16,
};
/* Bits of the flags of perf_event_attr. */
enum { ATTR_SAMPLE_ID_ALL = 18, ATTR_USE_CLOCKID = 25 };

#define RECORD_SAMPLE 9
#define HEAD 8

uint32_t perf_u32(struct perf_bytes *b)
{
	uint32_t v = 0;

	if (b->end - b->at < 4)
		b->bad = true;
	else
		v = bytes_u32(b->at, b->big_endian);
	b->at = b->bad ? b->end : b->at + 4;
	return v;
}

uint64_t perf_u64(struct perf_bytes *b)
{
	uint64_t v = 0;

	if (b->end - b->at < 8)
		b->bad = true;
	else
		v = bytes_u64(b->at, b->big_endian);
	b->at = b->bad ? b->end : b->at + 8;
	return v;
}

void perf_text(struct perf_bytes *b, char *to, size_t size)
{
	uint32_t len = perf_u32(b);

	if (to)
		to[0] = '\0';
	if (len > (size_t)(b->end - b->at)) {
		b->bad = true;
		b->at = b->end;
		return;
	}
	if (to)
		snprintf(to, size, "%.*s", (int)strnlen((const char *)b->at, len),
			 (const char *)b->at);
	b->at += len;
}

static bool flag(const struct perf *p, const uint8_t *flags, int bit)
{
	/* Bit-fields begin at the other end of a byte, too. */
	return flags[bit / 8] >> (p->info.big_endian ? 7 - bit % 8 : bit % 8) & 1;
}

static void name_attr(struct perf_attr *a)
{
	static const char *const hardware[] = {
		"cycles", "instructions", "cache-references", "cache-misses",
		"branches", "branch-misses", "bus-cycles",
	};
	static const char *const software[] = {
		"cpu-clock", "task-clock", "page-faults", "context-switches",
		"cpu-migrations", "minor-faults", "major-faults",
		"alignment-faults", "emulation-faults", "dummy",
	};
	uint64_t config = a->config & 0xffffffff;

	if (a->type == 0 && config < sizeof(hardware) / sizeof(hardware[0]))
		snprintf(a->name, sizeof(a->name), "%s", hardware[config]);
	else if (a->type == 1 && config < sizeof(software) / sizeof(software[0]))
		snprintf(a->name, sizeof(a->name), "%s", software[config]);
	else
		snprintf(a->name, sizeof(a->name), "event of type %u, config %llu",
			 a->type, (unsigned long long)a->config);
}

int perf_add_attr(struct perf *p, const uint8_t *at, size_t len,
		  struct err *err)
{
	const bool big = p->info.big_endian;
	struct perf_attr *new;

	if (len < 64)
		return err_set(err, ERR_FORMAT,
			       "'%s': attributes of %zu bytes are too short",
			       p->path, len);
	if (p->nr_attrs == PERF_MAX_ATTRS)
		return err_set(err, ERR_FORMAT, "'%s': more than %d events",
			       p->path, PERF_MAX_ATTRS);
	new = realloc(p->attr, ((size_t)p->nr_attrs + 1) * sizeof(*new));
	if (!new)
		return err_nomem(err);
	p->attr = new;
	new = &p->attr[p->nr_attrs++];
	*new = (struct perf_attr){
		.type = bytes_u32(at, big), .config = bytes_u64(at + 8, big),
		.sample_type = bytes_u64(at + 24, big),
		.read_format = bytes_u64(at + 32, big),
		.sample_id_all = flag(p, at + 40, ATTR_SAMPLE_ID_ALL),
	};
	name_attr(new);
	if (new->type == PERF_TYPE_TRACEPOINT_NR || p->nr_attrs == 1)
		perf_attr_clock(p, at, len);
	return 0;
}

void perf_attr_clock(struct perf *p, const uint8_t *at, size_t len)
{
	static const struct {
		int id;
		const char *name;
	} clocks[] = {
		{ 0, "real" }, { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" },
		{ 11, "tai" },
	};
	int id;

	snprintf(p->info.clock, sizeof(p->info.clock), "perf");
	if (len < 96 || !flag(p, at + 40, ATTR_USE_CLOCKID))
		return;
	id = (int)bytes_u32(at + 92, p->info.big_endian);
	snprintf(p->info.clock, sizeof(p->info.clock), "clock %d", id);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (clocks[i].id == id)
			snprintf(p->info.clock, sizeof(p->info.clock), "%s",
				 clocks[i].name);
}

int perf_add_id(struct perf *p, uint64_t id, int attr, struct err *err)
{
	if (p->nr_ids == PERF_MAX_IDS)
		return 0;
	if (p->nr_ids == p->size_ids) {
		int size = p->size_ids ? p->size_ids * 2 : 64;
		struct perf_id *new = realloc(p->id, (size_t)size * sizeof(*new));

		if (!new)
			return err_nomem(err);
		p->id = new;
		p->size_ids = size;
	}
	p->id[p->nr_ids++] = (struct perf_id){ id, attr };
	p->is_sorted = false;
	return 0;
}

static int by_id(const void *pa, const void *pb)
{
	const struct perf_id *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

static struct perf_attr *find(struct perf *p, uint64_t id)
{
	const struct perf_id key = { .id = id };
	const struct perf_id *found;

	if (!p->is_sorted && p->nr_ids)
		qsort(p->id, (size_t)p->nr_ids, sizeof(*p->id), by_id);
	p->is_sorted = true;
	found = p->nr_ids ? bsearch(&key, p->id, (size_t)p->nr_ids, sizeof(key),
				    by_id) : NULL;
	return found && found->attr < p->nr_attrs ? &p->attr[found->attr] :
						    &p->attr[0];
}

/* How many of the fields of `mask` a sample has. */
static int fields(uint64_t sample_type, uint64_t mask)
{
	return __builtin_popcountll(sample_type & mask);
}

struct perf_attr *perf_attr_of(struct perf *p, const struct perf_record *r)
{
	uint64_t type;
	size_t at;

	if (!p->nr_attrs)
		return NULL;
	type = p->attr[0].sample_type;
	if (p->nr_attrs == 1 || !(type & (SAMPLE_ID | SAMPLE_IDENTIFIER)) ||
	    (r->type != RECORD_SAMPLE && !p->attr[0].sample_id_all))
		return &p->attr[0];
	/* perf sees to it that all events have their id at the same place. */
	if (r->type == RECORD_SAMPLE)
		at = type & SAMPLE_IDENTIFIER ? HEAD : HEAD + 8 *
			(size_t)fields(type, SAMPLE_IP | SAMPLE_TID |
				       SAMPLE_TIME | SAMPLE_ADDR);
	else
		at = r->size - 8 * (size_t)(type & SAMPLE_IDENTIFIER ? 1 :
			1 + fields(type, SAMPLE_STREAM_ID | SAMPLE_CPU));
	if (at < HEAD || at + 8 > r->size)
		return &p->attr[0];
	return find(p, bytes_u64(r->data + at, p->info.big_endian));
}

static void skip(struct perf_bytes *b, uint64_t words)
{
	if (words > (uint64_t)(b->end - b->at) / 8) {
		b->bad = true;
		b->at = b->end;
		return;
	}
	b->at += words * 8;
}

static void skip_read(struct perf_bytes *b, uint64_t format)
{
	int times = fields(format, READ_ENABLED | READ_RUNNING);
	int each = 1 + fields(format, READ_ID | READ_LOST);
	uint64_t nr;

	if (!(format & READ_GROUP)) {
		skip(b, (uint64_t)(times + each));
		return;
	}
	nr = perf_u64(b);
	skip(b, (uint64_t)times);
	skip(b, nr < UINT32_MAX ? nr * (uint64_t)each : UINT32_MAX);
}

static int task_number(uint32_t v)
{
	return v > INT_MAX ? -1 : (int)v;
}

/* Fields that samples and trailers have in the same order; ADDR and IP are
 * samples' only. */
static void read_common(struct perf_bytes *b, uint64_t type,
			struct perf_sample *s)
{
	if (type & SAMPLE_TID) {
		s->pid = task_number(perf_u32(b));
		s->tid = task_number(perf_u32(b));
	}
	if (type & SAMPLE_TIME) {
		uint64_t ts = perf_u64(b);

		s->has_time = ts <= INT64_MAX / 2;
		s->ts = s->has_time ? (int64_t)ts : 0;
	}
	skip(b, (uint64_t)fields(type, SAMPLE_ADDR | SAMPLE_ID |
				 SAMPLE_STREAM_ID));
	if (type & SAMPLE_CPU) {
		s->cpu = task_number(perf_u32(b));
		perf_u32(b);
	}
}

static struct perf_bytes bytes_of(const struct perf *p,
				  const struct perf_record *r)
{
	return (struct perf_bytes){
		.at = r->data + HEAD, .end = r->data + r->size,
		.big_endian = p->info.big_endian,
	};
}

bool perf_read_sample(const struct perf *p, const struct perf_attr *a,
		      const struct perf_record *r, struct perf_sample *s)
{
	struct perf_bytes b = bytes_of(p, r);
	uint64_t type = a->sample_type;

	*s = (struct perf_sample){ .pid = -1, .tid = -1, .cpu = -1 };
	skip(&b, (uint64_t)fields(type, SAMPLE_IDENTIFIER | SAMPLE_IP));
	read_common(&b, type, s);
	if (type & SAMPLE_PERIOD)
		skip(&b, 1);
	if (type & SAMPLE_READ)
		skip_read(&b, a->read_format);
	if (type & SAMPLE_CALLCHAIN)
		skip(&b, perf_u64(&b));
	if (type & SAMPLE_RAW) {
		s->raw_len = perf_u32(&b);
		s->raw = b.at;
		if (s->raw_len > (size_t)(b.end - b.at))
			b.bad = true;
		s->has_raw = !b.bad;
	}
	return !b.bad;
}

bool perf_read_trailer(const struct perf *p, const struct perf_attr *a,
		       const struct perf_record *r, struct perf_sample *s)
{
	struct perf_bytes b = bytes_of(p, r);
	uint64_t type = a->sample_type & ~(uint64_t)SAMPLE_ADDR;
	int len = 8 * fields(type, SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID |
			     SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER);

	*s = (struct perf_sample){ .pid = -1, .tid = -1, .cpu = -1 };
	if (!a->sample_id_all || b.end - b.at < len)
		return false;
	b.at = b.end - len;
	read_common(&b, type, s);
	return !b.bad;
}
