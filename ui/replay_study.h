/* SPDX-License-Identifier: MIT */
/*
 * replay_study: everything of a file that replays of it have in common: what
 * was recorded, the demand, and on which machine at which cost it is replayed.
 */
#ifndef UI_REPLAY_STUDY_H
#define UI_REPLAY_STUDY_H

#include "model/cost.h"
#include "replay/engine.h"
#include "schema/store.h"
#include "ui/demand_copy.h"

struct bar;
struct opt_list;

struct replay_study_args {
	const char *path;
	const char *topology, *distance;	/* NULL: the recorded machine */
	const char *cost;			/* cost_spec.h; NULL: defaults */
	const struct opt_list *intensity;	/* "COMM=X" each */
};

struct replay_study {
	struct store *store;
	struct capture capture;
	struct topo topo;		/* to replay on */
	struct tasks tasks;
	struct areas areas;
	struct cost cost;
	int not_measured;		/* pairs of nodes; cost_spec.h */
	struct demand_task *demand;
	int nr_demand;
	struct mem_access *access;	/* of run 0, sorted by task */
	int nr_access, size_access;
	double *intensity;		/* [tasks.nr], NAN: the cost's */
	struct demand_copy copy;
	char *cost_json;		/* with the intensities */
	char *topology;			/* topo_text; NULL: the recorded machine */
};

/* Opens the file for writing, derives run 0 and the demand if need be, and
 * loads the rest.  Release it also after an error. */
int replay_study_open(struct replay_study *s,
		      const struct replay_study_args *args, struct bar *bar,
		      struct err *err);
void replay_study_release(struct replay_study *s);

/* The parts of an input that all replays share. */
void replay_study_input(const struct replay_study *s, struct engine_input *in);

#endif
