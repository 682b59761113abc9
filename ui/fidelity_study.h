/* SPDX-License-Identifier: MIT */
/*
 * fidelity_study: recordings held against simulations of them: the metrics of
 * fidelity.h of recorded runs and of replays.
 */
#ifndef UI_FIDELITY_STUDY_H
#define UI_FIDELITY_STUDY_H

#include "replay/fidelity.h"

#include <stdint.h>

struct bar;
struct err;
struct replay_study;

struct fidelity_want {
	const char *path;
	const char *policy;	/* as a user gives it; NULL: the one in force */
	const char *cost;	/* NULL: defaults */
	int64_t seeds, seed, jobs;
	struct bar *bar;
};

/* Metrics of what was recorded in a file; value[FIDELITY_NR]. */
int fidelity_of_file(const char *path, double *value, struct err *err);

/* Replays a file with each seed and adds its metrics to sim[FIDELITY_NR].
 * *spec, if not NULL, gets the policy with all its settings (allocated). */
int fidelity_replay(const struct fidelity_want *w, struct stats *sim,
		    char **spec, struct err *err);

#endif
