/* SPDX-License-Identifier: MIT */
/*
 * run_pick: which run of a file the user means.
 *
 *	3			by number
 *	recorded		what happened (run 0), or the replays of a policy
 *	o1,seed=3		a policy; what follows narrows it down: the seed
 *	o1,busy=200ms		or a knob's value, as -p takes it
 *
 * Errors list what there is.
 */
#ifndef UI_RUN_PICK_H
#define UI_RUN_PICK_H

#include "model/run.h"

#include <stddef.h>

struct err;

/* Index of the one run that is meant; ERR_NOTFOUND if there is none,
 * ERR_USAGE if there are several.  "recorded" is run 0. */
int run_pick(const struct run_info *runs, int nr, const char *spec,
	     struct err *err);

/* Indexes of all that are meant into index[nr]; returns how many (> 0). */
int run_pick_all(const struct run_info *runs, int nr, const char *spec,
		 int *index, struct err *err);

/* "recorded", "o1,seed=3"; returns buf. */
char *run_name(const struct run_info *r, char *buf, size_t size);

#endif
