/* SPDX-License-Identifier: MIT */
/*
 * text_local: what the parts of text share.
 *
 *	text.c		lines to records
 *	text_notes.c	lines that are no events: losses, heads
 *	text_count.c	what was left out or not understood
 */
#ifndef COLLECT_TEXT_LOCAL_H
#define COLLECT_TEXT_LOCAL_H

#include "collect/text.h"
#include "collect/text_event.h"
#include "collect/text_lines.h"
#include "collect/text_order.h"

#define TEXT_MAX_NAMES 256	/* of events that are not kept */
#define TEXT_NAME_MAX 47
#define TEXT_FIRST_MAX 160

/* Kinds of lines that were not understood; then one for each event's fields. */
enum { TEXT_MISS_SHAPE, TEXT_MISS_CUT, TEXT_MISS_FIELDS };
#define TEXT_NR_MISSES (TEXT_MISS_FIELDS + EVENT_NR_KINDS)

struct text_miss {
	int64_t count, line;
	char first[TEXT_FIRST_MAX];
};

struct text_skip {
	char name[TEXT_NAME_MAX + 1];
	int64_t count;
};

struct text_cpu {
	bool seen, is_lost;	/* a loss waits for the next event */
	bool has_edges;		/* told by "# homenode lost" */
	int64_t last, key;
	int64_t missed;		/* -1 unknown */
	int64_t from, to;
};

struct text {
	char *path;
	int64_t unit_ns;
	struct text_lines *lines;
	struct text_order *order;
	struct sighted tasks;
	struct text_head head;
	struct text_cpu *cpu;
	int nr_cpus, flushed;
	char *line;		/* the first one, read with the comments */
	size_t len;
	bool has_line, at_end;
	int64_t nr_lines, understood, backward;
	struct text_miss miss[TEXT_NR_MISSES];
	struct text_skip *skip;	/* hash */
	struct text_skip others;
	int nr_skips;
};

/* The state of a CPU, made if need be; NULL: no memory. */
struct text_cpu *text_cpu(struct text *t, int cpu, struct err *err);
void text_lose(struct text_cpu *c, int64_t events);

/* 1: the line is known and no event; 0 it is not; or an error. */
int text_note(struct text *t, const char *line, size_t len, struct err *err);

void text_miss(struct text *t, int what, const char *line, size_t len);
int text_skip(struct text *t, const char *name, size_t len, struct err *err);

#endif
