/* SPDX-License-Identifier: MIT */
/* Replays from within: `homenode replay` in a process beside. */
#include "ui/tui_local.h"

#include "model/err.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MAX_WORDS 20

/* "o1,busy=200ms --seed 3": the policy, then options of `homenode replay`. */
static int start(void *view, struct tui *t, const char *text, struct err *err)
{
	char words[200], *save, *word, path[PATH_MAX];
	const char *argv[MAX_WORDS + 8] = { NULL, "replay", "--progress", "-p" };
	int nr = 4;

	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &save); word && nr < MAX_WORDS;
	     word = strtok_r(NULL, " ", &save))
		argv[nr++] = word;
	if (nr == 4)
		return 0;
	snprintf(path, sizeof(path), "%s", t->follow.path);
	argv[nr++] = "--";
	argv[nr++] = path;
	snprintf(t->job.title, sizeof(t->job.title), "%s", text);
	return tui_job_exec(&t->job, TUI_JOB_REPLAY, argv, err);
}

void tui_replay(struct tui *t)
{
	if (t->job.kind == TUI_JOB_REPLAY)
		tui_message(t, "one replay at a time; X cancels it");
	else if (t->follow.source)
		tui_message(t, "a spool cannot be replayed; it can when the "
			       "recording is over");
	else if (!t->follow.path)
		tui_message(t, "there is no file to add a replay to");
	else
		tui_ask(t, &(struct tui_prompt){
			.label = "replay under (o1, node-affine --seed 2 ...): ",
			.done = start }, "");
}

void tui_replay_done(struct tui *t)
{
	struct tui_job job = t->job;
	struct study *s = t->study;
	struct err err = { 0 };
	int ret;

	tui_job_clear(&t->job);
	if (job.failed) {
		tui_message(t, "replay of %s: %s", job.title,
			    *job.reason ? job.reason : "it failed");
		return;
	}
	ret = tui_runs_again(t, &err);
	if (ret < 0)
		tui_message(t, "%s", err.text);
	else if (!ret)
		tui_message(t, "the file had this replay already");
	else
		tui_message(t, "replayed: run %d, %s; c shows it beside, "
			       "7 compares", s->runs[s->nr_runs - 1].id,
			    s->run[s->nr_runs - 1].title);
}

void tui_cancel(struct tui *t)
{
	if (t->job.kind != TUI_JOB_REPLAY) {
		tui_message(t, "no replay is running");
		return;
	}
	tui_message(t, "replay of %s cancelled", t->job.title);
	tui_job_stop(&t->job);
}
