/* SPDX-License-Identifier: MIT */
/*
 * ingest_local: what the parts of ingest share.
 *
 *	ingest.c	facts, their application at the end, the capture
 *	ingest_run.c	events: two threads and the queue between them
 *	ingest_loss.c	losses and the window
 *	ingest_place.c	placement samples and areas
 */
#ifndef COLLECT_INGEST_LOCAL_H
#define COLLECT_INGEST_LOCAL_H

#include "collect/ingest.h"
#include "collect/lives.h"

/* A struct task_fact that owns what it points to. */
struct fact {
	struct task_fact f;
	struct cpumask affinity;
};

/* A counter with a name: a repair, or an event that is not kept. */
struct tally {
	char *name;
	int64_t count;
};

struct tallies {
	struct tally *tally;
	int nr, size;
};

/* What is missing of one CPU.  Losses without an edge or a count wait here for
 * the end, the others are written as they come. */
struct cpu_loss {
	bool has_start, has_end, has_open;
	struct loss start, end, open;
	int64_t known;		/* events in losses with a count */
	int nr_unknown;		/* losses without */
	int64_t counted;	/* what the recording's counters say, -1 nothing */
};

struct area_key {
	int proc, image;
	uint64_t start;		/* 0 for the stack */
	bool is_stack;
};

struct area_state {
	struct area_key key;
	int next;		/* next area of the same process, -1 */
	int64_t seen_ts;
	bool has_pages;
};

struct ingest {
	struct store *store;
	struct capture capture;
	struct topo topo;
	bool has_topo, has_run;
	struct fact *fact;
	int nr_facts, size_facts;
	struct known_name *known;
	struct lives lives;
	struct name_log late_names;	/* found after the events */
	struct tallies repairs, skipped;

	struct cpumask seen_cpus, seen_nodes;
	struct cpu_loss *cpu_loss;
	int nr_cpu_loss;

	struct areas areas;
	struct area_state *area;	/* by area id */
	int nr_area_states;
	int *area_slot;		/* hash of keys to area ids, -1 free */
	int nr_area_slots;
	int *first_area;	/* by task id of the process: its list, -1 */
	int nr_first_area;
	struct placement *row;	/* samples of the process and time at hand */
	int nr_rows, size_rows;
	int row_pid;
	int64_t row_ts;
	char row_source;

	struct ingest_totals totals;
};

/* ingest_loss.c */
int ingest_take_loss(struct ingest *in, const struct loss *l, bool *write_now,
		     struct loss *out, struct err *err);
int ingest_finish_losses(struct ingest *in, struct err *err);

/* ingest_place.c */
int ingest_finish_places(struct ingest *in, struct err *err);
void ingest_release_places(struct ingest *in);

#endif
