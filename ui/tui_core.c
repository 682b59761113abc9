/* SPDX-License-Identifier: MIT */
/* The keys that mean the same in every view. */
#include "ui/tui_local.h"

#include "model/err.h"

#include <stdio.h>
#include <string.h>

enum command {
	DO_QUIT,
	DO_HELP,
	DO_NEXT_VIEW,
	DO_PREVIOUS_VIEW,
	DO_REDRAW,
	DO_NEXT_RUN,
	DO_PREVIOUS_RUN,
	DO_BESIDE,
	DO_BACK,
	DO_AHEAD,
	DO_FILTER,
	DO_ONLY_TAGGED,
	DO_NO_TAGS,
	DO_REPLAY,
	DO_CANCEL,
	DO_FOLLOW,
	DO_NOTHING,
	DO_VIEW,	/* and on: one each */
};

const struct tui_binding tui_keys[] = {
	{ 0, 0, 0, "everywhere" },
	{ '1', 0, DO_VIEW, "runs: what was recorded, what was replayed" },
	{ '2', 0, DO_VIEW + 1, "tasks x time" },
	{ '3', 0, DO_VIEW + 2, "processes x time" },
	{ '4', 0, DO_VIEW + 3, "CPUs x time, by node, cache and core" },
	{ '5', 0, DO_VIEW + 4, "nodes x time" },
	{ '6', 0, DO_VIEW + 5, "memory areas x time" },
	{ '7', 0, DO_VIEW + 6, "compare: what changed between two runs" },
	{ '8', 0, DO_VIEW + 7, "table of the window (i: of what you look at)" },
	{ KEY_OF_TAB, 0, DO_NEXT_VIEW, "next view" },
	{ KEY_OF_BACK_TAB, 0, DO_PREVIOUS_VIEW, "previous view" },
	{ 'r', 0, DO_NEXT_RUN, "next run" },
	{ 'R', 0, DO_PREVIOUS_RUN, "previous run" },
	{ 'c', 0, DO_BESIDE, "another run beside it, the next, none" },
	{ 'P', 0, DO_REPLAY, "replay under another policy" },
	{ 'X', 0, DO_CANCEL, "cancel the replay" },
	{ 'F', 0, DO_FOLLOW, "follow a file that is being written" },
	{ '/', 0, DO_FILTER, "show only what has this in name or cgroup, or "
			     "this tid or pid" },
	{ 'T', 0, DO_ONLY_TAGGED, "only tagged tasks, all" },
	{ 'u', 0, DO_NO_TAGS, "take all tags off" },
	{ KEY_OF_BACKSPACE, 'b', DO_BACK, "back to what was shown before" },
	{ 'B', 0, DO_AHEAD, "ahead again" },
	{ '?', KEY_OF_HELP, DO_HELP, "help" },
	{ KEY_OF_REDRAW, 0, DO_REDRAW, "draw the screen anew" },
	{ KEY_OF_SUSPEND, 0, DO_NOTHING, "suspend; fg resumes" },
	{ 'q', 0, DO_QUIT, "quit; leave help" },
	{ 0, 0, 0, NULL },
};

static void filter_changed(void *view, struct tui *t, const char *text)
{
	tui_filter(t, text);
}

static void filter_dropped(void *view, struct tui *t)
{
	tui_filter(t, "");
}

static void ask_filter(struct tui *t)
{
	tui_ask(t, &(struct tui_prompt){ .label = "show only: ",
					 .changed = filter_changed,
					 .dropped = filter_dropped },
		t->filter);
}

static void step_run(struct tui *t, int by)
{
	int nr = t->study->nr_runs;

	if (nr < 2) {
		tui_message(t, "this file has one run; P replays it under "
			       "another policy");
		return;
	}
	tui_remember(t);
	tui_run(t, (t->run + by + nr) % nr, t->other);
}

/* None, then each of the others. */
static void step_beside(struct tui *t)
{
	int i = t->other + 1;

	while (i < t->study->nr_runs &&
	       (i == t->run || !study_same_machine(t->study, t->run, i)))
		i++;
	if (t->study->nr_runs < 2) {
		step_run(t, 1);
		return;
	}
	tui_remember(t);
	tui_run(t, t->run, i < t->study->nr_runs ? i : -1);
}

static void only_tagged(struct tui *t)
{
	if (!t->nr_tagged) {
		tui_message(t, "nothing is tagged; t tags what is under the "
			       "cursor");
		return;
	}
	t->only_tagged = !t->only_tagged;
	tui_stale(t, STALE_FILTER);
}

static void no_tags(struct tui *t)
{
	memset(t->tagged, 0, t->study->tasks.nr * sizeof(*t->tagged));
	t->nr_tagged = 0;
	if (t->only_tagged)
		tui_stale(t, STALE_FILTER);
	t->only_tagged = false;
}

void tui_tag(struct tui *t, const int *task, int nr)
{
	bool all = true;
	int i;

	for (i = 0; i < nr; i++)
		all &= t->tagged[task[i]];
	for (i = 0; i < nr; i++) {
		t->nr_tagged += !all - t->tagged[task[i]];
		t->tagged[task[i]] = !all;
	}
	if (t->only_tagged)
		tui_stale(t, STALE_FILTER);
	t->only_tagged &= t->nr_tagged > 0;
	tui_message(t, "%d task%s tagged; T shows only %s", t->nr_tagged,
		    t->nr_tagged == 1 ? "" : "s",
		    t->nr_tagged == 1 ? "it" : "them");
}

/* Round the views; help is not among them. */
static int step_view(struct tui *t, int by, struct err *err)
{
	int nr = TUI_HELP_VIEW;
	int at = t->current < nr ? t->current : t->before;

	tui_remember(t);
	return tui_show(t, (at + by + nr) % nr, err);
}

static void of_run(struct tui *t, int command)
{
	switch (command) {
	case DO_NEXT_RUN:
	case DO_PREVIOUS_RUN:
		step_run(t, command == DO_NEXT_RUN ? 1 : -1);
		break;
	case DO_BESIDE:
		step_beside(t);
		break;
	case DO_REPLAY:
		tui_replay(t);
		break;
	case DO_CANCEL:
		tui_cancel(t);
		break;
	case DO_FOLLOW:
		tui_follow(t);
		break;
	case DO_FILTER:
		ask_filter(t);
		break;
	case DO_ONLY_TAGGED:
		only_tagged(t);
		break;
	case DO_NO_TAGS:
		no_tags(t);
		break;
	default:
		break;
	}
}

int tui_command(struct tui *t, int command, struct err *err)
{
	switch (command) {
	case DO_QUIT:
		if (t->current == TUI_HELP_VIEW)
			return tui_show(t, t->before, err);
		t->quit = true;
		return 0;
	case DO_HELP:
		return tui_show(t, t->current == TUI_HELP_VIEW ?
					   t->before : TUI_HELP_VIEW, err);
	case DO_NEXT_VIEW:
	case DO_PREVIOUS_VIEW:
		return step_view(t, command == DO_NEXT_VIEW ? 1 : -1, err);
	case DO_BACK:
		return tui_back(t, err);
	case DO_AHEAD:
		return tui_ahead(t, err);
	default:
		if (command < DO_VIEW) {
			of_run(t, command);
			return 0;
		}
		tui_remember(t);
		return tui_show(t, command - DO_VIEW, err);
	}
}
