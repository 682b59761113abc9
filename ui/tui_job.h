/* SPDX-License-Identifier: MIT */
/*
 * tui_job: a process beside the terminal program, so that it stays responsive:
 * a replay of this program's own, or a function of it.
 *
 * The process writes lines to stderr: "progress 0.42" says how far it is, any
 * other line why it fails.  It has a process group of its own, all of which is
 * ended with it, and ends by itself should the terminal program die.
 */
#ifndef UI_TUI_JOB_H
#define UI_TUI_JOB_H

#include <stdbool.h>
#include <sys/types.h>

struct err;

enum tui_job_kind { TUI_JOB_NONE, TUI_JOB_REPLAY, TUI_JOB_IMPORT };

struct tui_job {
	enum tui_job_kind kind;
	char title[200];
	pid_t pid;
	int fd;			/* its stderr */
	char line[400];		/* what came of the current line */
	int len;
	char reason[400];	/* last line that was no progress */
	double done;		/* 0..1 */
	bool failed;		/* once it is over */
};

/* Runs this program with argv (argv[0] is set here). */
int tui_job_exec(struct tui_job *j, enum tui_job_kind kind, const char **argv,
		 struct err *err);

/* Runs a function that returns a negative code with the reason. */
int tui_job_call(struct tui_job *j, enum tui_job_kind kind,
		 int (*fn)(void *ctx, struct err *err), void *ctx,
		 struct err *err);

/* For that function: how far it is. */
void tui_job_say(double done);

/* Takes in what came; true when it is over: then j->kind is still what it was,
 * j->failed and j->reason say how it went, and tui_job_clear() ends it. */
bool tui_job_over(struct tui_job *j);
void tui_job_clear(struct tui_job *j);

/* Ends it, if there is one. */
void tui_job_stop(struct tui_job *j);

#endif
