/* SPDX-License-Identifier: MIT */
/*
 * Following a file that another homenode writes: a replay adds runs to it; a
 * recording that is still running is a spool, of which a process of our own
 * makes a file now and then, to be looked at in place of the one before.
 */
#include "ui/tui_local.h"

#include "collect/clock.h"
#include "collect/spool.h"
#include "model/err.h"
#include "ui/bar.h"
#include "ui/open.h"
#include "ui/table.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVERY_NS 1000000000LL
#define LOOK_SHARE 10		/* looking takes a tenth of the time at most */

/* -- a running recording -------------------------------------------------- */

static int show(void *bar, double done)
{
	if (bar)
		return bar_show(bar, "reading", done);
	tui_job_say(done);
	return 0;
}

static int make_file(const struct tui_follow *f, struct bar *bar,
		     struct err *err)
{
	const struct spool_watch watch = { .ctx = bar, .progress = show };
	struct store *s = NULL;
	int ret = store_create(&s, f->made, true, err);

	if (!ret)
		ret = spool_import(f->source, s, &watch, NULL, err);
	if (!ret)
		ret = store_commit(s, err);
	store_close(s);
	s = NULL;
	if (!ret)
		ret = open_study(&s, f->made, bar, err);
	store_close(s);
	return ret;
}

/* In the process beside. */
static int make_beside(void *ctx, struct err *err)
{
	return make_file(ctx, NULL, err);
}

/* The finished file: what is slow about opening it. */
static int derive_beside(void *ctx, struct err *err)
{
	const struct tui_follow *f = ctx;
	struct store *s = NULL;
	int ret = open_study(&s, f->path, NULL, err);

	store_close(s);
	return ret;
}

/* A folder beside the spool, or where temporary files go. */
static int make_folder(struct tui_follow *f, struct err *err)
{
	char copy[PATH_MAX], path[PATH_MAX];
	const char *tmp = getenv("TMPDIR");
	const char *in[3] = { NULL, tmp && *tmp ? tmp : "/tmp",
			      "/tmp" };
	int i;

	snprintf(copy, sizeof(copy), "%s", f->source);
	in[0] = dirname(copy);
	for (i = 0; i < 3; i++) {
		if (snprintf(path, sizeof(path), "%s/.homenode-XXXXXX",
			     in[i]) >= (int)sizeof(path) - 16 || !mkdtemp(path))
			continue;
		strcpy(f->made, path);
		strcat(f->made, "/recorded");
		return 0;
	}
	return err_set(err, ERR_IO, "cannot make a folder beside '%s'",
		       f->source);
}

/* Once it is open it needs no name. */
static void remove_made(struct tui_follow *f)
{
	char *slash = strrchr(f->made, '/');

	if (!slash)
		return;
	unlink(f->made);
	*slash = 0;
	rmdir(f->made);
	f->made[0] = 0;
}

int tui_follow_open(struct tui_follow *f, struct study *s, struct bar *bar,
		    struct err *err)
{
	int ret = make_folder(f, err);

	if (ret < 0)
		return ret;
	ret = make_file(f, bar, err);
	if (!ret)
		ret = study_open(s, f->made, bar, err);
	remove_made(f);
	return ret;
}

static int start(struct tui *t, struct err *err)
{
	struct tui_follow *f = &t->follow;
	int ret = make_folder(f, err);

	if (ret < 0)
		return ret;
	f->began_ns = clock_now();
	snprintf(t->job.title, sizeof(t->job.title), "reading the recording");
	ret = tui_job_call(&t->job, TUI_JOB_IMPORT, make_beside, f, err);
	if (ret < 0)
		remove_made(f);
	return ret;
}

static int finish(struct tui *t, struct study *s, struct err *err)
{
	struct tui_follow *f = &t->follow;
	int ret = t->job.failed ?
			  err_set(err, ERR_FORMAT, "%s",
				  *t->job.reason ? t->job.reason :
						   "reading it failed") :
		  !s ? err_nomem(err) :
		       study_open(s, *f->made ? f->made : f->path, NULL, err);

	remove_made(f);
	tui_job_clear(&t->job);
	f->took_ns = clock_now() - f->began_ns;
	f->due_ns = clock_now() + EVERY_NS + LOOK_SHARE * f->took_ns;
	return ret;
}

/* -- another study in place of the one that is shown ---------------------- */

static void drop(struct study **s)
{
	if (*s)
		study_release(*s);
	free(*s);
	*s = NULL;
}

/* Tasks are found again by tid and begin. */
static int same_task(const struct study *was, const struct study *now, int task)
{
	const struct task *k;
	int i;

	if (task < 0 || task >= was->tasks.nr)
		return TASK_NONE;
	k = &was->tasks.task[task];
	for (i = 0; i < now->tasks.nr; i++)
		if (now->tasks.task[i].tid == k->tid &&
		    now->tasks.task[i].start_ns == k->start_ns)
			return i;
	return TASK_NONE;
}

static bool move_tags(struct tui *t, const struct study *now)
{
	bool *tagged = calloc(now->tasks.nr + 1, sizeof(*tagged));
	int i, to;

	if (!tagged)
		return false;
	t->nr_tagged = 0;
	for (i = 0; i < t->study->tasks.nr; i++) {
		to = t->tagged[i] ? same_task(t->study, now, i) : TASK_NONE;
		if (to == TASK_NONE || tagged[to])
			continue;
		tagged[to] = true;
		t->nr_tagged++;
	}
	t->only_tagged &= t->nr_tagged > 0;
	free(t->tagged);
	t->tagged = tagged;
	t->followed = same_task(t->study, now, t->followed);
	return true;
}

/* Whoever looks at the end goes on looking at it. */
static void swap(struct tui *t)
{
	struct tui_follow *f = &t->follow;
	struct tui_window w = t->window;
	int64_t end = t->end_ns, width = w.to_ns - w.from_ns;
	bool whole = w.from_ns == t->begin_ns && w.to_ns == end;

	if (!move_tags(t, f->next)) {
		drop(&f->next);
		return;
	}
	study_release(t->study);
	free(f->own);
	t->study = f->own = f->next;
	f->next = NULL;
	t->back.nr = t->ahead.nr = 0;
	tui_run(t, 0, -1);
	if (!whole && w.to_ns == end)
		tui_window(t, t->end_ns - width, t->end_ns, false);
}

bool tui_follow_load(struct tui *t)
{
	struct tui_follow *f = &t->follow;
	struct err err = { 0 };
	int ret;

	if (!f->next)
		return false;
	ret = study_step(f->next, 0, NULL, &err);
	if (ret < 0) {
		tui_message(t, "%s", err.text);
		drop(&f->next);
	} else if (!ret) {
		swap(t);
	}
	return true;
}

void tui_follow_done(struct tui *t)
{
	struct tui_follow *f = &t->follow;
	struct err err = { 0 };

	/* Until its first events were drained there is nothing to see. */
	f->next = calloc(1, sizeof(*f->next));
	if (finish(t, f->next, &err) < 0) {
		tui_message(t, "%s", err.text);
		drop(&f->next);
	}
}

/* -- when ----------------------------------------------------------------- */

/* The run of an id, -1. */
static int run_of(const struct study *s, int id)
{
	int i;

	for (i = 0; i < s->nr_runs; i++)
		if (s->runs[i].id == id)
			return i;
	return -1;
}

int tui_runs_again(struct tui *t, struct err *err)
{
	struct study *s = t->study;
	int id = s->runs[t->run].id;
	int other = t->other >= 0 ? s->runs[t->other].id : -1;
	int ret = study_again(s, err), run;

	if (ret <= 0)
		return ret;
	t->back.nr = t->ahead.nr = 0;
	run = run_of(s, id);
	tui_run(t, run >= 0 ? run : 0, other >= 0 ? run_of(s, other) : -1);
	return ret;
}

static void look_at_file(struct tui *t)
{
	struct err err = { 0 };
	int was = t->study->nr_runs;
	int ret = tui_runs_again(t, &err), more = t->study->nr_runs - was;

	if (ret < 0)
		tui_message(t, "%s", err.text);
	else if (more > 0)
		tui_message(t, "%d more run%s: '%s'", more,
			    text_s(more),
			    t->study->run[t->study->nr_runs - 1].title);
	t->follow.due_ns = clock_now() + EVERY_NS;
}

/* The recording is over: its file is in place of the spool. */
static void look_at_end(struct tui *t)
{
	struct tui_follow *f = &t->follow;
	struct err err = { 0 };

	if (access(f->path, R_OK) || spool_is(f->path)) {
		f->on = false;
		tui_message(t, "the recording is gone");
		return;
	}
	f->source = NULL;
	f->began_ns = clock_now();
	if (tui_job_call(&t->job, TUI_JOB_IMPORT, derive_beside, f, &err) < 0)
		tui_message(t, "%s", err.text);
	else
		tui_message(t, "the recording is over");
}

static void look(struct tui *t)
{
	struct err err = { 0 };

	t->follow.asked = false;
	if (!t->follow.source)
		look_at_file(t);
	else if (!spool_is(t->follow.source))
		look_at_end(t);
	else if (start(t, &err) < 0)
		tui_message(t, "%s", err.text);
}

void tui_follow(struct tui *t)
{
	struct tui_follow *f = &t->follow;

	if (!f->path) {
		tui_message(t, "there is no file to follow");
		return;
	}
	f->on = !f->on;
	f->asked = f->on;
	tui_message(t, !f->on	  ? "not following any more" :
		       f->source  ? "following the recording" :
				    "following the file: runs that are added");
}

bool tui_waits(const struct tui *t)
{
	return t->job.kind || t->follow.on || t->follow.next;
}

void tui_tick(struct tui *t)
{
	struct tui_follow *f = &t->follow;

	if (t->job.kind && tui_job_over(&t->job)) {
		if (t->job.kind == TUI_JOB_IMPORT)
			tui_follow_done(t);
		else
			tui_replay_done(t);
	}
	if (f->on && !t->job.kind && !f->next &&
	    (f->asked || clock_now() >= f->due_ns))
		look(t);
}

void tui_follow_release(struct tui *t)
{
	tui_job_stop(&t->job);
	remove_made(&t->follow);
	drop(&t->follow.next);
	drop(&t->follow.own);
}
