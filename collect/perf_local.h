/* SPDX-License-Identifier: MIT */
/*
 * perf_local: what the parts of perf share.
 *
 *	perf.c		records: samples, losses, tasks
 *	perf_attrs.c	events' attributes, a sample's layout
 *	perf_head.c	the file's head, formats in its tracing data
 *	perf_features.c	what it says of the machine
 */
#ifndef COLLECT_PERF_LOCAL_H
#define COLLECT_PERF_LOCAL_H

#include "collect/perf.h"
#include "collect/perf_input.h"
#include "collect/perf_order.h"
#include "model/err.h"

#define PERF_MAX_ATTRS 4096
#define PERF_MAX_IDS (1 << 20)
#define PERF_TYPE_TRACEPOINT_NR 2

struct perf_attr {
	uint32_t type;
	uint64_t config, sample_type, read_format;
	bool sample_id_all;
	int64_t skipped;
	char name[48];
};

struct perf_id {
	uint64_t id;
	int attr;
};

struct perf_cpu {
	bool seen, is_lost;
	int64_t last, missed;
};

struct perf {
	char *path;
	int fd;			/* -1: taken by input */
	int64_t size;		/* of the file */
	struct perf_info info;
	uint8_t *kept[2];	/* features that wait for the nodes */
	size_t kept_len[2];
	struct perf_attr *attr;
	int nr_attrs;
	struct perf_id *id;	/* sorted before use */
	int nr_ids, size_ids;
	bool is_sorted;
	struct perf_input *input;
	struct perf_record record;
	bool has_record, at_end;
	struct decoder *decoder;
	bool has_formats;
	struct perf_order *order;
	struct sighted sighted;
	struct perf_cpu *cpu;
	int nr_cpus, flushed;
	bool has_item;		/* follows the loss before it */
	struct perf_item item;
	int64_t bad;
	int64_t placed, unplaced, lost_in_all;	/* events lost */
	struct err scratch;
};

/* Bytes with a place in them; reading over the end gives zeros and sets bad. */
struct perf_bytes {
	const uint8_t *at, *end;
	bool big_endian, bad;
};
uint32_t perf_u32(struct perf_bytes *b);
uint64_t perf_u64(struct perf_bytes *b);
/* A text with its length before it, into to (may be NULL). */
void perf_text(struct perf_bytes *b, char *to, size_t size);

/* What a sample tells; fields that it has not are -1 or 0. */
struct perf_sample {
	int64_t ts;
	int pid, tid, cpu;
	bool has_time, has_raw;
	const uint8_t *raw;
	uint32_t raw_len;
};

/* A perf_event_attr of `len` bytes; ids may follow. */
int perf_add_attr(struct perf *p, const uint8_t *at, size_t len,
		  struct err *err);
int perf_add_id(struct perf *p, uint64_t id, int attr, struct err *err);
/* Names the clock. */
void perf_attr_clock(struct perf *p, const uint8_t *at, size_t len);

/* The attributes a record belongs to; NULL: none are known. */
struct perf_attr *perf_attr_of(struct perf *p, const struct perf_record *r);
/* False: the record is shorter than it says. */
bool perf_read_sample(const struct perf *p, const struct perf_attr *a,
		      const struct perf_record *r, struct perf_sample *s);
/* Time and CPU at the end of other records. */
bool perf_read_trailer(const struct perf *p, const struct perf_attr *a,
		       const struct perf_record *r, struct perf_sample *s);

int perf_read_head(struct perf *p, bool partial, struct err *err);
/* The tracing data: format texts of the events. */
int perf_read_formats(struct perf *p, const uint8_t *bytes, size_t len,
		      struct err *err);

/* One feature's bytes; what cannot be read of it is not known. */
int perf_read_feature(struct perf *p, uint64_t feature, const uint8_t *bytes,
		      size_t len, struct err *err);
enum { PERF_FEATURE_TRACING_DATA = 1 };

#endif
