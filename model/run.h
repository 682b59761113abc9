/* SPDX-License-Identifier: MIT */
/*
 * run: the common form of a recorded and of a replayed schedule, and the sink
 * through which whoever makes one (the timeline of a recording, the engine of
 * a replay) hands it on (to SQLite, to a spill file, to statistics, to tests).
 *
 * Order of calls: span() in order of end time (ties: CPU); mem() in order of
 * time; both interleaved so that every mem change at or before a span's end has
 * been given before that span.  A sink returns 0 or a negative err_code, which
 * stops the producer.
 */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include <stdint.h>

struct err;

enum span_flag {
	SPAN_F_CENSORED_START = 1,	/* ran already when the window began */
	SPAN_F_CENSORED_END = 2,	/* ran on when it ended */
	SPAN_F_UNSURE = 4,		/* touches a loss interval of its CPU */
	SPAN_F_REPAIRED = 8,		/* an edge of it was put there by a repair */
};

/* One task on one CPU without a break, [start_ns, end_ns). */
struct span {
	int task;		/* task id */
	int cpu;
	int64_t start_ns, end_ns;
	int64_t ready_ns;	/* when it last became runnable; -1: unknown */
	int waker;		/* task that woke it for this span; TASK_NONE: none,
				 * an interrupt, or it was preempted before */
	uint8_t state;		/* enum task_state after it */
	uint8_t flags;		/* enum span_flag */
};

/* A number that depends on task, CPU, start and end.  Sums of it tell quickly
 * whether two runs have the same spans, in whatever order they come: run 0 keeps
 * its sum as the count "span_checksum". */
uint64_t span_checksum(const struct span *s);

/* From this time on the area has this many pages on the node. */
struct mem_change {
	int64_t ts;
	int area;		/* area id */
	int node;
	int64_t pages;
};

/* How often a task was seen to touch an area (first touches and hinting
 * faults): the weights of its locality.  Given once, at the end. */
struct mem_access {
	int task;
	int area;
	int64_t faults;
};

/* Why a task or pages were moved, one row per decision that the engine (or
 * the kernel) carried out or refused. */
enum move_why {
	MOVE_WAKE,		/* placed at wake-up */
	MOVE_FORK,
	MOVE_EXEC,
	MOVE_BALANCE,		/* pulled by a balancer */
	MOVE_PUSH,		/* set back to its home node */
	MOVE_NUMA,		/* NUMA balancing, a swap among it */
	MOVE_AFFINITY,		/* its mask or a dead CPU forced it */
	MOVE_RECORDED,		/* the recording says so */
	MOVE_NR
};

struct move {
	int64_t ts;
	int task;
	int from, to;		/* CPUs */
	uint8_t why;		/* enum move_why */
	uint8_t refused;	/* 1: the engine did not do it */
};

/* Numbers about a whole run ("migrations", "refused", "hinting_faults" ...). */
struct run_sink {
	void *ctx;
	int (*span)(void *ctx, const struct span *s, struct err *err);
	int (*mem)(void *ctx, const struct mem_change *m, struct err *err);
	int (*access)(void *ctx, const struct mem_access *a, struct err *err);
	int (*move)(void *ctx, const struct move *m, struct err *err);
	int (*count)(void *ctx, const char *name, int64_t value, struct err *err);
};

/* A memory area of a process: what numa_maps calls a line. */
enum area_kind {
	AREA_ANON,
	AREA_HEAP,
	AREA_STACK,
	AREA_FILE,
	AREA_SHARED,		/* shm, tmpfs */
	AREA_INFERRED,		/* put together from fault addresses */
};

struct area {
	int id;			/* index, stable in one file */
	int proc;		/* task id of the process's leader */
	uint8_t kind;		/* enum area_kind */
	uint64_t start;		/* first byte's address; 0 in synthetic demand */
	uint64_t bytes;		/* 0: unknown */
	char *name;		/* file or "", never NULL */
};

struct areas {
	int nr, size;
	struct area *area;	/* area[i].id == i */
};

struct area *areas_add(struct areas *a, int proc);	/* NULL: no memory */
void areas_release(struct areas *a);

/* What a run is: the head of its row. */
struct run_info {
	int id;			/* 0: what was recorded */
	char *policy;		/* "recorded", "o1", ... */
	char *knobs;		/* JSON object of every knob's value, as text */
	uint64_t seed;
	char *cost;		/* JSON object of the cost model's numbers */
	char *discipline;	/* "queue_o1" ...; "" for run 0 */
	char *fidelity;		/* JSON or NULL */
	int engine;		/* ENGINE_VERSION of a replay; 0: recorded */
	char *topology;		/* model/topo_text.h: replayed on this machine;
				 * NULL: on the one that was recorded */
	int64_t start_ns, end_ns;
};

void run_info_release(struct run_info *r);

#endif
