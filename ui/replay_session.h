/* SPDX-License-Identifier: MIT */
/*
 * replay_session: one call of `homenode replay`: what was asked for, which of
 * it the file has already, and what becomes of the rest.
 *
 * session_groups(), replay_study_open(), session_plan(), session_run(),
 * session_show(), session_release().
 */
#ifndef UI_REPLAY_SESSION_H
#define UI_REPLAY_SESSION_H

#include "ui/bar.h"
#include "ui/opt.h"
#include "ui/oracle.h"
#include "ui/replay_jobs.h"
#include "ui/replay_study.h"
#include "ui/replay_table.h"

struct session_options {
	struct replay_study_args study;
	struct opt_list policies, intensity;
	const char *discipline;
	int64_t seeds, seed, jobs;
	bool check, again, json, csv, progress;
};

/* One replay that was asked for. */
struct session_wish {
	struct replay_group *group;
	int at;			/* in the group */
	char title[200];
};

struct session {
	struct session_options o;
	struct replay_study study;
	struct bar bar;
	struct policy_spec *spec;	/* [nr_groups], like group and verdict */
	struct replay_group *group;
	struct oracle_verdict *verdict;
	int nr_groups;
	struct run_info *runs;		/* in the file before */
	int nr_runs;
	struct session_wish *wish;	/* of each job */
	struct replay_job *job;
	int nr_jobs, nr_reused, nr_failed;
	char *fidelity;		/* JSON of what is known of the model's error */
	char *fidelity_line;	/* the same in words; both NULL: nothing is */
};

/* True for a policy that follows the recording. */
bool session_follows(const struct policy_spec *s);

/* One group per -p, before the file is opened. */
int session_groups(struct session *s, struct err *err);

/* Simulates what was in force and holds it against what was recorded, unless the
 * file knows the result: that is the model's own error.  Nothing is to be known
 * of generated work.  Before the file is opened. */
int session_fidelity(struct session *s, struct err *err);

/* Says so where the recorded kernel shared its CPUs among groups of tasks. */
int session_warn_groups(const struct session *s, struct store *st,
			struct err *err);

/* Does that only, and prints it. */
int session_fidelity_only(struct session *s, struct err *err);

/* Jobs for what the file does not have yet. */
int session_plan(struct session *s, struct err *err);

/* What the run of a wish is called in the file; strings are the session's. */
void session_describe(const struct session *s, const struct session_wish *w,
		      struct run_info *info);
int session_find_run(const struct session *s, const struct run_info *want);

/* Replays and adds to the file; failures are said and counted. */
int session_run(struct session *s, struct err *err);

/* Holds a group's only run against the recording: by checksum, and span by span
 * if that differs or --check is given; and the pages at the end. */
int session_ask_oracle(struct session *s, int group, struct err *err);

/* Prints; returns the exit status or a negative code. */
int session_show(struct session *s, struct err *err);
void session_release(struct session *s);

#endif
