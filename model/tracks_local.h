/* SPDX-License-Identifier: MIT */
/*
 * tracks_local: how spans are kept, for the builder (tracks.c) and the readers
 * (tracks_read.c).
 */
#ifndef MODEL_TRACKS_LOCAL_H
#define MODEL_TRACKS_LOCAL_H

#include "model/tracks.h"

#define BLOCK_BITS 6
#define BLOCK_SPANS (1 << BLOCK_BITS)

/* Times are relative to the block's base_ns, so that a span takes 24 bytes; one
 * that does not fit (WIDE) has a block to itself, which says the rest. */
#define WIDE UINT32_MAX
#define WAIT_UNKNOWN (UINT32_MAX - 1)
#define SHARE_ALL 65535
#define NO_HOME 255

struct item {
	uint32_t at;		/* start - base_ns */
	uint32_t len;		/* WIDE: sums.run_ns */
	uint32_t wait;		/* WIDE: sums.wait_ns; WAIT_UNKNOWN */
	int waker;
	uint16_t cpu;
	uint8_t state_flags;	/* state | flags << 4 */
	uint8_t home;		/* place of most of its pages; NO_HOME */
	uint16_t local, known;	/* shares of the length, of SHARE_ALL */
};

struct sums {
	int64_t from_ns, to_ns;	/* all that the block can add to */
	int64_t later_from_ns;	/* least from_ns of this and all later ones */
	int64_t run_ns, wait_ns, unsure_ns, censored_ns;
	double local_ns, known_ns;
	int64_t node_moves;
};

/* A block of a task's spans. */
struct block {
	struct sums sums;
	int64_t base_ns;	/* start of the first span */
	int task;
	int nr, size;
	bool wide;		/* takes no more spans */
	int64_t first;		/* number of its first span in the track */
	int64_t *node_ns;
	struct item *item;
};

/* A block of a CPU's spans: places of items. */
struct refs {
	struct sums sums;
	int nr;
	int64_t *home_ns;	/* [place]: run by those with their pages there */
	uint32_t item[BLOCK_SPANS];	/* block number << BLOCK_BITS | index */
};

struct track {
	int nr_blocks, size;
	int64_t nr_spans;
	uint32_t *block;	/* of a task: numbers in tracks->block */
	struct refs **refs;	/* of a CPU */
	int64_t *node_ns;
	struct track_total total;
	int last_node;		/* place; -1: none yet */
};

struct tracks {
	struct tracks_source from;
	const struct topo *topo;	/* from.topo */
	int nr_nodes;
	int *node;		/* by place */
	int *place;		/* by node */
	struct track *task, *cpu;
	uint32_t nr_blocks, size;
	struct block **block;
	bool sealed;
};

/* A span as it was given, with the shares of its locality. */
struct track_item {
	struct span span;
	double local, known;
	int home;		/* place; -1 */
	bool is_mixed;		/* neither all nor nothing of it is local */
};

/* The item at a place of a block of a track. */
void track_item(const struct tracks *t, const struct track *k, int block,
		int index, struct track_item *i);

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

static inline const struct sums *track_sums(const struct tracks *t,
					    const struct track *k, int block)
{
	return k->refs ? &k->refs[block]->sums :
			 &t->block[k->block[block]]->sums;
}

static inline int track_nr(const struct tracks *t, const struct track *k,
			   int block)
{
	return k->refs ? k->refs[block]->nr : t->block[k->block[block]]->nr;
}

#endif
