/* SPDX-License-Identifier: MIT */
/*
 * fidelity: how near simulated runs come to what really happened, by metrics
 * that do not depend on which node a task drew, and reality's own spread as the
 * yardstick (DESIGN section 6, findings-replay.md sections 1 and 6).
 *
 * Judged are the tasks that have memory worth the name and use it: those of
 * processes with at least a tenth of the pages of the largest one, that ran at
 * least a twentieth as long as the one that ran longest (of all, where nothing is
 * known of memory).  They are chosen once,
 * from the recording.  All shares are of their time on CPUs, which is what they
 * are weighed by; quarters and halves are of the time from the first one's
 * first span to the last one's last.
 */
#ifndef REPLAY_FIDELITY_H
#define REPLAY_FIDELITY_H

#include "model/run.h"
#include "model/task.h"
#include "model/topo.h"
#include "replay/stats.h"

#include <stdbool.h>

struct cost;
struct err;

enum fidelity_metric {
	FIDELITY_Q1,		/* locality by quarter */
	FIDELITY_Q2,
	FIDELITY_Q3,
	FIDELITY_Q4,
	FIDELITY_LOCALITY,	/* whole */
	FIDELITY_LARGEST,	/* 2nd half: each task's largest share of its
				 * time on one node; mean over tasks */
	FIDELITY_FIRST_TOUCH,	/* time on the node that held most of the pages
				 * when nine tenths of them had been touched */
	FIDELITY_NODE_RATE,	/* node migrations per task and second, from its
				 * first span to its last */
	FIDELITY_CPU_RATE,	/* CPU migrations, likewise */
	FIDELITY_PAGES_MOVED,
	FIDELITY_HINTING,	/* hinting faults */
	FIDELITY_HINTING_LOCAL,	/* share of them on the page's own node */
	FIDELITY_CPU_TIME,	/* of the judged tasks, s */
	FIDELITY_ELAPSED,	/* of their time, s */
	FIDELITY_LEAST_BUSY,	/* share of their time on the least and on the */
	FIDELITY_MOST_BUSY,	/* most busy node */
	FIDELITY_NR
};

enum fidelity_unit { FIDELITY_SHARE, FIDELITY_RATE, FIDELITY_COUNT,
	FIDELITY_SECONDS };

struct fidelity_def {
	const char *name;	/* "locality_q3": key in JSON */
	const char *title;	/* head of a row */
	enum fidelity_unit unit;
	bool judged;		/* else printed without a verdict */
};

extern const struct fidelity_def fidelity_table[FIDELITY_NR];

/* Shares nearer than this, and rates and counts nearer than this part of the
 * real mean, pass wherever the real runs lie. */
#define FIDELITY_SHARE_NEAR 0.03
#define FIDELITY_PART_NEAR 0.1

/* -- who is judged ------------------------------------------------------------ */

struct fidelity_choice;

/* nr_areas: of `areas`.  All arguments must outlive it. */
int fidelity_choice_new(struct fidelity_choice **c, const struct tasks *tasks,
			const struct areas *areas, struct err *err);
void fidelity_choice_free(struct fidelity_choice *c);

/* Give it all of the recorded run. */
void fidelity_choice_sink(struct fidelity_choice *c, struct run_sink *sink);

/* judged[tasks->nr] gets who is; returns how many. */
int fidelity_choice_end(struct fidelity_choice *c, bool *judged,
			struct err *err);

/* -- one run ------------------------------------------------------------------- */

struct fidelity;

struct fidelity_args {
	const struct topo *topo;
	const struct tasks *tasks;
	const struct areas *areas;
	const struct cost *cost;
	const bool *judged;	/* [tasks->nr] */
};

/* All of args must outlive it. */
int fidelity_new(struct fidelity **f, const struct fidelity_args *args,
		 struct err *err);
void fidelity_free(struct fidelity *f);

/* Give it all of a run, memory in order of time, spans in theirs. */
void fidelity_sink(struct fidelity *f, struct run_sink *sink);

/* value[FIDELITY_NR]; NAN where there is nothing to tell. */
int fidelity_values(struct fidelity *f, double *value, struct err *err);

/* -- the verdict --------------------------------------------------------------- */

struct fidelity_verdict {
	double z;		/* NAN: the real runs have no spread */
	bool judged;		/* there are two real runs at least, and the
				 * metric is one to be judged by */
	bool inside;
};

/*
 * |z| < t(n - 1, 97.5 %) * sqrt(1 + 1 / n) for z = (mean of sim - mean of real)
 * / sd of real and n real runs, or nearer than the tolerance.
 */
void fidelity_judge(enum fidelity_metric m, const struct stats *real,
		    const struct stats *sim, struct fidelity_verdict *v);

/* The bound of |z|; NAN for less than two runs. */
double fidelity_bound(int nr_real);

/* {"name": value, ...}: simulated minus real; allocated, NULL: no memory. */
char *fidelity_json(const double *real, const double *sim);

#endif
