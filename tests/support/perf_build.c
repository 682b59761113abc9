/* SPDX-License-Identifier: MIT */
#include "tests/support/perf_build.h"

#include <stdlib.h>
#include <string.h>

#define SWITCH_ID 301
#define ATTR 128
#define CYCLES_KEY 77		/* the ids that samples carry */
#define SWITCH_KEY 88

/* IDENTIFIER TID TIME ID CPU PERIOD, and IP CALLCHAIN or READ RAW */
#define COMMON (1u << 16 | 1u << 1 | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 8)
#define CYCLES_TYPE (COMMON | 1u << 0 | 1u << 5)
#define SWITCH_TYPE (COMMON | 1u << 0 | 1u << 4 | 1u << 10)

static const char format_text[] =
	"name: sched_switch\nID: 301\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s\", REC->prev_comm\n";

static void put(struct perf_build_bytes *b, const void *data, size_t len)
{
	if (b->len + len > b->size) {
		b->size = (b->len + len) * 2;
		b->at = realloc(b->at, b->size);
		if (!b->at)
			abort();
	}
	memcpy(b->at + b->len, data, len);
	b->len += len;
}

static void number(struct perf_build_bytes *b, bool big, int size, uint64_t v)
{
	uint8_t bytes[8];

	for (int i = 0; i < size; i++)
		bytes[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
	put(b, bytes, (size_t)size);
}

#define U16(b, v) number(b, big, 2, v)
#define U32(b, v) number(b, big, 4, v)
#define U64(b, v) number(b, big, 8, v)

static void name16(struct perf_build_bytes *b, const char *name)
{
	char comm[16] = "";

	memcpy(comm, name, strlen(name));
	put(b, comm, sizeof(comm));
}

static void text(struct perf_build_bytes *b, bool big, const char *t)
{
	U32(b, strlen(t) + 1);
	put(b, t, strlen(t) + 1);
}

static void head(struct perf_build_bytes *b, bool big, unsigned type, size_t len)
{
	U32(b, type);
	U16(b, 0);
	U16(b, len + 8);
}

static void trailer(struct perf_build_bytes *b, bool big, uint64_t ts, int cpu)
{
	U32(b, 1);
	U32(b, 1);
	U64(b, ts);
	U64(b, SWITCH_KEY);
	U32(b, (unsigned)cpu);
	U32(b, 0);
	U64(b, SWITCH_KEY);
}

void perf_build_init(struct perf_build *b, const struct perf_form *form)
{
	*b = (struct perf_build){ .form = *form };
}

static void sample_start(struct perf_build_bytes *d, bool big, uint64_t key,
			 int pid, int tid)
{
	U64(d, key);
	U64(d, 0xffffffff81000000);
	U32(d, (unsigned)pid);
	U32(d, (unsigned)tid);
}

void perf_build_switch(struct perf_build *b, int cpu, uint64_t ts, int pid,
		       const char *prev, int prev_tid, const char *next,
		       int next_tid)
{
	struct perf_build_bytes *d = &b->data;
	const bool big = b->form.big_endian;

	head(d, big, 9, 7 * 8 + 2 * 8 + 4 + 68);
	sample_start(d, big, SWITCH_KEY, pid, prev_tid);
	U64(d, ts);
	U64(d, SWITCH_KEY);
	U32(d, (unsigned)cpu);
	U32(d, 0);
	U64(d, 1);
	U64(d, 5);	/* READ: value, id */
	U64(d, SWITCH_KEY);
	U32(d, 68);
	U16(d, SWITCH_ID);
	number(d, big, 1, 0);
	number(d, big, 1, 2);
	U32(d, (unsigned)prev_tid);
	name16(d, prev);
	U32(d, (unsigned)prev_tid);
	U32(d, 120);
	U64(d, 1);
	name16(d, next);
	U32(d, (unsigned)next_tid);
	U32(d, 120);
	U32(d, 0);
}

void perf_build_cycles(struct perf_build *b, int cpu, uint64_t ts)
{
	struct perf_build_bytes *d = &b->data;
	const bool big = b->form.big_endian;

	head(d, big, 9, 7 * 8 + 2 * 8);
	sample_start(d, big, CYCLES_KEY, 1, 1);
	U64(d, ts);
	U64(d, CYCLES_KEY);
	U32(d, (unsigned)cpu);
	U32(d, 0);
	U64(d, 1);
	U64(d, 1);	/* CALLCHAIN: nr, addresses */
	U64(d, 0xffffffff81000000);
}

void perf_build_lost(struct perf_build *b, int cpu, uint64_t ts, uint64_t lost)
{
	const bool big = b->form.big_endian;

	head(&b->data, big, 2, 16 + 40);
	U64(&b->data, SWITCH_KEY);
	U64(&b->data, lost);
	trailer(&b->data, big, ts, cpu);
}

void perf_build_lost_samples(struct perf_build *b, uint64_t ts, uint64_t lost)
{
	const bool big = b->form.big_endian;

	head(&b->data, big, 13, 8 + 40);
	U64(&b->data, lost);
	trailer(&b->data, big, ts, 0);
}

void perf_build_comm(struct perf_build *b, int pid, int tid, const char *comm)
{
	const bool big = b->form.big_endian;

	head(&b->data, big, 3, 8 + 16 + 40);
	U32(&b->data, (unsigned)pid);
	U32(&b->data, (unsigned)tid);
	name16(&b->data, comm);
	trailer(&b->data, big, 0, 0);
}

void perf_build_fork(struct perf_build *b, uint64_t ts, int pid, int tid)
{
	const bool big = b->form.big_endian;

	head(&b->data, big, 7, 24 + 40);
	U32(&b->data, (unsigned)pid);
	U32(&b->data, 1);
	U32(&b->data, (unsigned)tid);
	U32(&b->data, 1);
	U64(&b->data, ts);
	trailer(&b->data, big, ts, 0);
}

void perf_build_round(struct perf_build *b)
{
	head(&b->data, b->form.big_endian, 68, 0);
}

static void attr(struct perf_build_bytes *d, bool big, unsigned type,
		 unsigned config, uint64_t sample_type)
{
	size_t from = d->len;
	uint8_t flags[8] = { 0 };

	flags[18 / 8] |= (uint8_t)(1u << (big ? 7 - 18 % 8 : 18 % 8));
	flags[25 / 8] |= (uint8_t)(1u << (big ? 7 - 25 % 8 : 25 % 8));
	U32(d, type);
	U32(d, ATTR);
	U64(d, config);
	U64(d, 1);
	U64(d, sample_type);
	U64(d, 4);	/* read_format: ID */
	put(d, flags, sizeof(flags));
	while (d->len < from + 92)
		U32(d, 0);
	U32(d, 1);	/* CLOCK_MONOTONIC */
	while (d->len < from + ATTR)
		U32(d, 0);
}

static void tracing(struct perf_build_bytes *d, bool big)
{
	const size_t len = sizeof(format_text) - 1;

	put(d, "\x17\x08\x44tracing0.6", 14);
	number(d, big, 1, big);
	number(d, big, 1, 8);
	U32(d, 4096);
	put(d, "header_page", 12);
	U64(d, 3);
	put(d, "abc", 3);
	put(d, "header_event", 13);
	U64(d, 3);
	put(d, "abc", 3);
	U32(d, 0);
	U32(d, 1);
	put(d, "sched", 6);
	U32(d, 1);
	U64(d, len);
	put(d, format_text, len);
	U32(d, 0);
	U32(d, 0);
}

/* Features 1, 4, 7, 13 and 14. */
static void feature(struct perf_build_bytes *d, bool big, int which)
{
	switch (which) {
	case 1:
		tracing(d, big);
		break;
	case 4:
		text(d, big, "6.1.0-test");
		break;
	case 7:
		U32(d, 4);
		U32(d, 4);
		break;
	case 13:
		U32(d, 1);
		text(d, big, "0-3");
		U32(d, 3);
		text(d, big, "0-1");
		text(d, big, "2");
		text(d, big, "3");
		break;
	case 14:
		U32(d, 2);
		U32(d, 0);
		U64(d, 2048);
		U64(d, 1024);
		text(d, big, "0-1");
		U32(d, 3);
		U64(d, 1 << 20);
		U64(d, 1024);
		text(d, big, "2-3");
		break;
	}
}

/* The records, packed into two that are cut somewhere. */
static void pack(struct perf_build *b)
{
	const bool big = b->form.big_endian;
	struct perf_build_bytes out = { 0 };
	size_t room = b->data.len + 1024, len, half;
	uint8_t *packed = malloc(room);

	len = b->form.pack("zstd", b->data.at, b->data.len, packed, room);
	half = len / 2;
	head(&out, big, 81, half);
	put(&out, packed, half);
	head(&out, big, 81, len - half);
	put(&out, packed + half, len - half);
	free(packed);
	free(b->data.at);
	b->data = out;
}

static const int features[] = { 1, 4, 7, 13, 14 };
#define NR_FEATURES 5

static void done_pipe(struct perf_build *b, struct perf_build_bytes *out)
{
	const bool big = b->form.big_endian;

	U64(out, 16);
	for (int i = 0; i < 2 - b->form.no_tracepoint; i++) {
		head(out, big, 64, ATTR + 8);
		attr(out, big, i ? 2 : 0, i ? SWITCH_ID : 0,
		     i ? SWITCH_TYPE : CYCLES_TYPE);
		U64(out, i ? SWITCH_KEY : CYCLES_KEY);
	}
	for (int i = 0; i < NR_FEATURES; i++) {
		struct perf_build_bytes f = { 0 };

		feature(&f, big, features[i]);
		if (features[i] == 1) {
			head(out, big, 66, 4);
			U32(out, f.len);
			while (f.len % 8)
				put(&f, "", 1);
		} else {
			head(out, big, 80, 8 + f.len);
			U64(out, (unsigned)features[i]);
		}
		put(out, f.at, f.len);
		free(f.at);
	}
	put(out, b->data.at, b->data.len);
}

static void done_file(struct perf_build *b, struct perf_build_bytes *out)
{
	const bool big = b->form.big_endian;
	const unsigned nr = 2 - b->form.no_tracepoint;
	uint64_t ids = 104, attrs = ids + 16, data = attrs + nr * (ATTR + 16);
	uint64_t at = data + b->data.len + NR_FEATURES * 16, bits = 0;
	struct perf_build_bytes f[NR_FEATURES] = { { 0 } };

	for (int i = 0; i < NR_FEATURES; i++)
		bits |= UINT64_C(1) << features[i];
	U64(out, 104);
	U64(out, ATTR + 16);
	U64(out, attrs);
	U64(out, nr * (ATTR + 16));
	U64(out, data);
	U64(out, b->data.len);
	U64(out, 0);
	U64(out, 0);
	U64(out, bits);
	for (int i = 0; i < 3; i++)
		U64(out, 0);
	U64(out, CYCLES_KEY);
	U64(out, SWITCH_KEY);
	for (unsigned i = 0; i < nr; i++) {
		attr(out, big, i ? 2 : 0, i ? SWITCH_ID : 0,
		     i ? SWITCH_TYPE : CYCLES_TYPE);
		U64(out, ids + i * 8);
		U64(out, 8);
	}
	put(out, b->data.at, b->data.len);
	for (int i = 0; i < NR_FEATURES; i++) {
		feature(&f[i], big, features[i]);
		U64(out, at);
		U64(out, f[i].len);
		at += f[i].len;
	}
	for (int i = 0; i < NR_FEATURES; i++) {
		put(out, f[i].at, f[i].len);
		free(f[i].at);
	}
}

uint8_t *perf_build_done(struct perf_build *b, size_t *len)
{
	struct perf_build_bytes out = { 0 };

	if (b->form.pack)
		pack(b);
	put(&out, b->form.big_endian ? "2ELIFREP" : "PERFILE2", 8);
	if (b->form.is_pipe)
		done_pipe(b, &out);
	else
		done_file(b, &out);
	free(b->data.at);
	b->data = (struct perf_build_bytes){ 0 };
	*len = out.len;
	return out.at;
}
