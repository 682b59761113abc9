/* SPDX-License-Identifier: MIT */
/*
 * compare_study: runs of a file in groups, as `homenode compare` names them,
 * added up, and what makes their comparison doubtful.
 */
#ifndef UI_COMPARE_STUDY_H
#define UI_COMPARE_STUDY_H

#include "model/task.h"
#include "replay/compare.h"
#include "schema/store.h"

struct bar;

struct compare_runs {
	const char *spec;	/* as the user named them */
	int *index;		/* into compare_study.runs */
	int nr;
};

struct compare_study {
	struct store *store;
	struct tasks tasks;
	struct areas areas;
	bool *is_own;		/* [tasks.nr] the recorded scheduler's own tasks,
				 * which no replay has (stopper of demand.h) */
	struct run_info *runs;
	int nr_runs;
	struct compare_runs *group;	/* the first is the base */
	int nr_groups;
	struct compare compare;
};

/* cost: for remote_cost, as cost_parse() takes it; NULL: defaults. */
int compare_study_open(struct compare_study *c, const char *path,
		       char **spec, int nr, struct bar *bar, struct err *err);
int compare_study_read(struct compare_study *c, const char *cost,
		       struct bar *bar, struct err *err);
void compare_study_release(struct compare_study *c);

/* The head of a group's first run. */
const struct run_info *compare_study_run(const struct compare_study *c,
					 int group);

/* Says on stderr what the groups differ in besides the policy; how many. */
int compare_study_warn(const struct compare_study *c);

/* top: tasks' changes shown as text; 0: all.  Those of the scheduler's own tasks
 * are in CSV and JSON only. */
int compare_print_text(const struct compare_study *c, int top);
int compare_print_csv(const struct compare_study *c);
void compare_print_json(const struct compare_study *c);

#endif
