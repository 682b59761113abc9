/* SPDX-License-Identifier: MIT */
/*
 * decoder_local: what decoder.c, decoder_format.c and decoder_clone.c share.  A
 * format text becomes a plan: which bytes of a record go to which bytes of struct event.
 */
#ifndef COLLECT_DECODER_LOCAL_H
#define COLLECT_DECODER_LOCAL_H

#include "collect/bytes.h"
#include "collect/decoder.h"
#include "collect/format.h"

#define DECODER_MAX_IDS 65536	/* common_type has 16 bits */
#define DECODER_MAX_OPS 10
#define DECODER_MAX_STATES 512	/* prev_state values that are looked up */
#define DECODER_MAX_REASONS 32

/* An integer: size bytes at src of the record to dst of struct event. */
struct decoder_op {
	uint32_t src;
	uint8_t size;		/* 1, 2, 4 or 8 */
	bool is_signed;
	uint8_t dst;
	uint8_t dst_size;	/* 4 or 8 */
};

/* A name and where struct event has the tid that it belongs to. */
struct decoder_name {
	uint32_t src;
	uint32_t size;		/* of the array */
	enum format_place place;
	uint8_t tid;
	bool is_path;
};

struct decoder_plan {
	bool known;
	int nr_ops, nr_names;
	struct decoder_op op[DECODER_MAX_OPS];
	struct decoder_name name[RECORD_MAX_NAMES];
	struct decoder_op group_dead;	/* size 0: the format lacks it */
	size_t min_len;		/* bytes that all of it needs */
	struct event blank;	/* values of fields that the format lacks */
};

/* Kind of the id of task:task_newtask, which is not kept: it comes before its
 * sched_process_fork and tells whether that makes a thread. */
#define DECODER_NEWTASK (-2)
#define DECODER_CLONES 64	/* that wait for their fork; a power of two */

struct decoder_clones {
	struct decoder_op tid, flags;
	size_t min_len;
	struct {
		int tid;
		bool thread;
	} clone[DECODER_CLONES];
	unsigned int nr;	/* counts on for ever */
	int64_t *of_cpu;	/* how many each CPU had */
	int nr_cpus;
};

struct decoder_id {
	char *name;		/* NULL: no format was given */
	int kind;		/* -1: not kept; DECODER_NEWTASK */
	int64_t skipped;
};

struct decoder {
	bool big_endian;
	bool has_common;
	struct decoder_op type, flags, pid;	/* of the common header */
	size_t common_len;
	struct decoder_plan plan[EVENT_NR_KINDS];
	struct decoder_id *id;
	int nr_ids;
	struct state_table states;
	uint8_t state_of[DECODER_MAX_STATES];
	uint8_t reason_of[DECODER_MAX_REASONS];
	struct decoder_clones clones;
};

static inline int64_t decoder_int(const struct decoder_op *op,
				  const uint8_t *data, bool big)
{
	const uint8_t *p = data + op->src;

	switch (op->size) {
	case 1:
		return op->is_signed ? (int8_t)*p : *p;
	case 2:
		return op->is_signed ? (int16_t)bytes_u16(p, big) :
				       bytes_u16(p, big);
	case 4:
		return op->is_signed ? (int64_t)(int32_t)bytes_u32(p, big) :
				       (int64_t)bytes_u32(p, big);
	default:
		return (int64_t)bytes_u64(p, big);
	}
}

/* Makes d->plan[kind], and the tables that the format's text has; nothing if
 * the kind has a plan already. */
int decoder_format_plan(struct decoder *d, int kind, const struct format *text,
			struct err *err);

/* decoder_clone.c: false where the format lacks what is needed. */
bool decoder_clone_format(struct decoder *d, const struct format *text);
int decoder_clone_take(struct decoder *d, int cpu, const uint8_t *data,
		       size_t len, struct err *err);
/* FORK_UNKNOWN, FORK_PROCESS or FORK_THREAD. */
int decoder_clone_find(const struct decoder *d, int child_tid);

#endif
