/* SPDX-License-Identifier: MIT */
/*
 * metrics: what is compared between runs, of one task and of a whole run, with
 * one meaning everywhere (DESIGN section 4).  NAN: not known.
 */
#ifndef REPLAY_METRICS_H
#define REPLAY_METRICS_H

#include "model/residency.h"

#include <stdbool.h>

/* The order is that of tables. */
enum metric {
	METRIC_ELAPSED,		/* from first span to last, ns; of a run see
				 * elapsed_ns in engine.h */
	METRIC_CPU,		/* time on CPUs, ns */
	METRIC_WAIT,		/* run-queue latency, sum, ns */
	METRIC_LOCALITY,	/* 0..1 */
	METRIC_REMOTE_COST,	/* M of cost.h, mean over time on CPUs */
	METRIC_NODE_MIGRATIONS,
	METRIC_NODE_RATE,	/* of them per second of CPU time */
	METRIC_MIGRATIONS,
	METRIC_RATE,
	METRIC_PAGES_MOVED,	/* of a whole run only */
	METRIC_NR
};

enum metric_unit { UNIT_NS, UNIT_SHARE, UNIT_FACTOR, UNIT_COUNT, UNIT_RATE };

struct metric_def {
	const char *name;	/* "node_migrations": key in JSON and CSV */
	const char *title;	/* "node moves": head of a column */
	enum metric_unit unit;
	bool of_task;		/* also has a value per task */
};

extern const struct metric_def metric_table[METRIC_NR];

/* Sums from which a run's values follow; also kept as counts of the run. */
struct metrics_sum {
	double local_ns, known_ns, remote_ns;
	int64_t cpu_ns, wait_ns;
	int64_t first_ns, last_ns;	/* -1: no span */
	int64_t migrations, node_migrations, pages_moved;
};

/* Over all tasks of a sealed residency that was given all spans. */
void metrics_sum(struct metrics_sum *m, const struct residency *r,
		 int nr_tasks);

void metrics_of_run(const struct metrics_sum *m, double *value);
void metrics_of_task(const struct residency_task *t, double *value);

#endif
