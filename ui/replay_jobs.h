/* SPDX-License-Identifier: MIT */
/*
 * replay_jobs: many replays, each in a process of its own, so that they run at
 * the same time and a crash takes only its own replay with it.
 *
 * Results are handed over in the order of the jobs, whatever order they end in;
 * so what becomes of them does not depend on how many run at a time.
 */
#ifndef UI_REPLAY_JOBS_H
#define UI_REPLAY_JOBS_H

#include "model/err.h"
#include "replay/engine.h"
#include "ui/demand_copy.h"
#include "ui/spill.h"

struct bar;

struct replay_job {
	/* Set by the caller; input.source is set by the process. */
	struct engine_input input;
	const struct demand_copy *demand;
	const char *title;	/* "o1, seed 3": for messages */

	/* Result: err.code 0 and the run in spill, or why not. */
	struct spill spill;
	struct err err;
	int64_t end_ns;		/* of its last span */

	/* private */
	int pid, fd;		/* fd: what it reports; -1: it does not run */
	double done;
	bool over;
};

struct replay_jobs {
	struct replay_job *job;
	int nr;
	int at_once;		/* processes, at least 1 */
	const char *beside;	/* spills go into the folder of this file */
	struct bar *bar;	/* may be NULL */

	/* Called for each job in order when it and all before it are over; a
	 * negative code stops all.  The spill is closed afterwards. */
	int (*finished)(void *ctx, struct replay_job *job, struct err *err);
	void *ctx;
};

int replay_jobs_run(struct replay_jobs *j, struct err *err);

#endif
