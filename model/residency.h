/* SPDX-License-Identifier: MIT */
/*
 * residency: who ran where for how long, and how near to its memory, as exact
 * integrals over a window of one run.
 *
 * Feed memory changes and access weights first (they may be all of the run),
 * then spans in any order; a span is cut to the window.  Definitions: DESIGN
 * section 4.  Locality of a task is
 *
 *	sum over its spans of  integral of share(node(cpu), t) dt
 *	------------------------------------------------------------
 *	its on-CPU time while anything of its memory was known
 *
 * share(n, t): weights w(task, area) from faults where any were recorded for
 * the task, else w = pages of the area, over all areas of its process that
 * hold pages at t.
 *
 * One struct residency must not be used by two threads at once.
 */
#ifndef MODEL_RESIDENCY_H
#define MODEL_RESIDENCY_H

#include "model/run.h"
#include "model/task.h"
#include "model/topo.h"

struct cost;
struct residency;

struct residency_task {
	int task;
	int64_t cpu_ns;
	int64_t wait_ns;	/* run-queue latency, sum of known ones */
	int64_t *node_ns;	/* [nr_node_ids] */
	int first_node;		/* of its first span in the window; -1 */
	int most_node;		/* most node_ns, ties: lower number; -1 */
	int64_t *mem_pages;	/* [nr_node_ids]: of its process at the end */
	double local_ns;	/* integral of share(own node) */
	double known_ns;	/* on-CPU time with known memory */
	double remote_ns;	/* integral of the cost model's M (cost.h) */
	int migrations;		/* CPU changes between two spans */
	int node_migrations;
	int spans;
	int censored;		/* 1: any span or its birth was censored */
	int64_t first_ns, last_ns;	/* start of first, end of last span */
};

struct residency *residency_new(const struct topo *topo,
		const struct tasks *tasks, const struct areas *areas,
		const struct cost *cost, int64_t from_ns, int64_t to_ns,
		struct err *err);
void residency_free(struct residency *r);

int residency_mem(struct residency *r, const struct mem_change *m, struct err *err);
int residency_access(struct residency *r, const struct mem_access *a, struct err *err);

/* Spans of one task must come in time order; call residency_seal() between
 * the last mem/access and the first span. */
int residency_seal(struct residency *r, struct err *err);
int residency_span(struct residency *r, const struct span *s, struct err *err);

/* Share of the task's accesses that went to `node` over [from, to), as the
 * integral in ns; *known_ns gets the part of it in which anything is known.
 * For grids; valid after residency_seal(). */
double residency_local(const struct residency *r, int task, int node,
		       int64_t from_ns, int64_t to_ns, double *known_ns);

/* Pages of an area or (area -1) of all areas of a process on a node at t. */
int64_t residency_pages(const struct residency *r, int proc, int area,
			int node, int64_t t);

/* Results by task id; NULL for a task without spans in the window. */
const struct residency_task *residency_task(const struct residency *r, int task);

#endif
