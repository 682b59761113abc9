/* SPDX-License-Identifier: MIT */
/*
 * tracks_local: how the spans of a track are kept.
 *
 * A chunk holds CHUNK_SPANS spans as bytes (tracks_code.c).  A group of level 1
 * holds up to GROUP_ENTRIES entries, each the sums over one chunk; a group of
 * level 2 entries over groups of level 1, and so on.  Whole chunks and groups
 * are put away as nodes, numbered in the order in which they are.  What is not
 * whole yet is the spine of a track: one group of each level and one chunk.
 * In time the entries of the highest level come first, the chunk comes last.
 *
 *	tracks.c	adds spans
 *	tracks_code.c	bytes of chunks, groups, spines and heads
 *	tracks_pool.c	nodes that were read, as many as a budget allows
 *	tracks_read.c	fills grids, finds single spans
 */
#ifndef MODEL_TRACKS_LOCAL_H
#define MODEL_TRACKS_LOCAL_H

#include "model/tracks.h"
#include "model/varint.h"

#include <stddef.h>

#define CHUNK_SPANS 256
#define GROUP_ENTRIES 64
/* 256 * 64^5 spans are more than a run can have. */
#define MAX_LEVELS 5

/* Times and sums beyond this, 146 years, are damage. */
#define TRACKS_MAX_NS (INT64_MAX >> 1)

/* Bytes of one item at most: 8 numbers and 2 bytes. */
#define ITEM_BYTES (8 * VARINT_MAX + 2)

/* What a node, or a track, adds to a grid. */
struct sums {
	int64_t from_ns, to_ns;	/* all of it lies in between */
	int64_t nr_spans;
	int64_t run_ns, wait_ns, unsure_ns, censored_ns;
	int64_t local_ns, known_ns;
	int64_t node_moves;
};

#define NODE_OPEN (-1)		/* the chunk of the spine */

struct entry {
	struct sums sums;
	int64_t node;		/* its number; NODE_OPEN: the last of level 0 */
	int64_t later_from_ns;	/* least from_ns of this and later entries */
};

/* by_node [entry * nr_nodes + place]: time run there; of a CPU's track: time
 * run by those with most of their pages there. */
struct group {
	int nr, size;
	struct entry *entry;
	int64_t *by_node;
};

struct chunk {
	int nr;
	int place_before;	/* of the span before it; -1: none */
	size_t len, size;
	uint8_t *bytes;		/* the items; without the head of a node */
};

struct spine {
	int nr_levels;
	struct group level[MAX_LEVELS];	/* [0]: entries are chunks */
	struct chunk chunk;
};

/* A span as it was given, and its place among others. */
struct track_item {
	struct span span;
	int64_t local_ns, known_ns;
	int home;		/* place of most of its pages; -1 */
	bool is_mixed;		/* neither all nor nothing of it is local */
	bool moved;		/* a task: on another node than the one before */
	int place;
};

/* Reads the items of a chunk one by one. */
struct chunk_reader {
	const struct tracks *t;
	const struct track *k;
	const uint8_t *at, *end;
	int nr;			/* items left */
	int64_t last_end_ns;
	int other;		/* CPU of a task's item, task of a CPU's */
	int last_place;
};

struct track {
	bool is_cpu;
	int number;
	struct sums sums;
	int64_t *by_node;	/* as in a group; NULL: no span yet */
	int64_t first_ns;	/* start of the first span */
	uint8_t last_state;
	int last_place;		/* -1: none yet */
	int last_other;		/* what an item of the chunk is told from */
	struct spine *spine;	/* owned; NULL: it is node spine_node */
	int64_t spine_node;
};

/* The last chunk that single spans were asked of. */
struct recent {
	const struct track *track;
	int64_t first;
	int nr;
	struct track_item item[CHUNK_SPANS];
};

struct pool;

struct tracks {
	struct tracks_source from;
	const struct topo *topo;	/* from.topo */
	int nr_nodes;
	int *node;		/* by place */
	int *place;		/* by node */
	struct track *task, *cpu;
	int64_t nr_nodes_put;	/* nodes put away */
	struct pool *pool;
	struct recent *recent;
	struct err *seen;	/* the first error of a reader */
	bool sealed;
};

static inline int track_place(const struct tracks *t, int cpu)
{
	return tracks_place(t, topo_node_of(t->topo, cpu));
}

/* When the task became runnable, or began to run if that is not known. */
static inline int64_t track_from(const struct span *s)
{
	return s->ready_ns >= 0 ? s->ready_ns : s->start_ns;
}

static inline bool track_censored(const struct span *s)
{
	return s->flags & (SPAN_F_CENSORED_START | SPAN_F_CENSORED_END);
}

/* -- tracks_code.c -------------------------------------------------------- */

/* Growing bytes. */
struct bytes {
	uint8_t *data;
	size_t len, size;
};

/* Adds an item to a chunk; last: the track's state before it. */
int chunk_add(struct chunk *c, const struct track *last,
	      const struct track_item *i);
void chunk_open(struct chunk_reader *r, const struct tracks *t,
		const struct track *k, const struct chunk *c);
/* 1: an item, 0: no more, negative: damaged. */
int chunk_next(struct chunk_reader *r, struct track_item *i);

/* A free entry at the end of a group, its by_node zero; NULL: no memory. */
struct entry *group_add(struct group *g, int nr_nodes);
void group_seal(struct group *g);	/* later_from_ns */
void group_release(struct group *g);
void spine_free(struct spine *s);

/* 0 or ERR_NOMEM. */
int chunk_encode(const struct chunk *c, struct bytes *b);
int group_encode(const struct group *g, int nr_nodes, struct bytes *b);
int spine_encode(const struct spine *s, int nr_nodes, struct bytes *b);
int head_encode(const struct track *k, int nr_nodes, struct bytes *b);

/* 0, ERR_NOMEM or ERR_FORMAT.  chunk_decode() takes over no bytes: it copies. */
int chunk_decode(struct chunk *c, int nr_nodes, const uint8_t *p, size_t len);
int group_decode(struct group *g, int nr_nodes, const uint8_t *p, size_t len);
int spine_decode(struct spine *s, int nr_nodes, const uint8_t *p, size_t len);
int head_decode(struct track *k, int nr_nodes, const uint8_t *p, size_t len);

/* -- tracks_pool.c -------------------------------------------------------- */

enum node_kind { NODE_CHUNK, NODE_GROUP, NODE_SPINE };

/* A node that was read; stays while it is held. */
struct node {
	struct node *hash_next, *newer, *older;
	int64_t id;
	enum node_kind kind;
	int held;
	size_t cost;		/* bytes of memory, about */
	union {
		struct chunk chunk;
		struct group group;
		struct spine *spine;
	};
};

/* budget: bytes of nodes that are kept while nobody holds them. */
struct pool *pool_new(size_t budget);
void pool_free(struct pool *p);
/* What is read now soon makes others go. */
bool pool_is_full(const struct pool *p);

/* Puts bytes away as the next node; *id gets its number. */
int tracks_put_node(struct tracks *t, const struct bytes *b, int64_t *id,
		    struct err *err);
/* NULL: the error is noted in t (tracks_error()). */
struct node *tracks_hold(const struct tracks *t, int64_t id,
			 enum node_kind kind);
void tracks_let_go(const struct tracks *t, struct node *n);
void tracks_note(const struct tracks *t, int code, int64_t id);

#endif
