/* SPDX-License-Identifier: MIT */
/*
 * tui: the terminal program without a terminal: it takes keys and draws on a
 * canvas.  tui_term.h puts it on a real terminal, tui_script.h drives it from a
 * file of keys for tests.
 *
 * Order of calls: tui_open(), then tui_key() for each key and tui_draw() before
 * the canvas is shown, until t->quit; tui_close().  While t->loading, call
 * tui_load() when no key waits; while tui_waits(), call tui_tick() several times
 * a second.
 */
#ifndef UI_TUI_H
#define UI_TUI_H

#include "ui/study.h"
#include "ui/tui_job.h"
#include "ui/view.h"

#include <limits.h>

#define TUI_MIN_WIDTH 40
#define TUI_MIN_HEIGHT 10
#define TUI_MAX_SPANS 200000	/* that a filter looks at for a key */
#define TUI_MAX_SIDE 2000	/* of a screen that is not a terminal's */
#define TUI_BACK 64		/* places that can be gone back to */

/* A line typed in the status line.  The functions get the view that asked. */
struct tui_prompt {
	const char *label;	/* NULL: nothing is asked */
	char text[200];
	void *view;
	void (*changed)(void *view, struct tui *t, const char *text);
	int (*done)(void *view, struct tui *t, const char *text,
		    struct err *err);
	void (*dropped)(void *view, struct tui *t);
};

struct tui_window {
	int64_t from_ns, to_ns;
};

/* What is looked at, to come back to it. */
struct tui_place {
	struct tui_window window;
	int view;		/* place in the table of views; -1: none yet */
	int run, other;
};

struct tui_places {
	struct tui_place place[TUI_BACK];
	int nr;
};

/* What the view of tables shows: rows over a window. */
struct tui_table_query {
	int kind;		/* enum rows_kind */
	struct tui_window window;
};

/* Of a file that others may be writing. */
struct tui_follow {
	const char *path;	/* as the user gave it; NULL: nothing to follow */
	const char *source;	/* spool of a running recording; NULL: a file */
	bool on;
	bool asked;		/* look now, not when it is due */
	int64_t due_ns;		/* of CLOCK_MONOTONIC: look again */
	int64_t took_ns;	/* the last look */
	char made[PATH_MAX];	/* file that is made of the spool; "": none */
	int64_t began_ns;
	struct study *next;	/* is being loaded to take the place of the study */
	struct study *own;	/* that took its place, ours to release */
};

struct tui {
	struct study *study;
	int run;		/* index into study->run */
	int other;		/* the run beside it; -1 */
	int64_t begin_ns, end_ns;	/* of the run(s) */
	struct tui_window window;
	int64_t cursor_ns;	/* of all views: they are linked */
	struct tui_places back, ahead;
	char filter[200];

	bool has_mark;		/* the marked window: from here to the cursor */
	int64_t mark_ns;
	bool *tagged;		/* by task id */
	int nr_tagged;
	bool only_tagged;
	int followed;		/* task, TASK_NONE: none */
	struct tui_table_query table;

	struct canvas canvas;
	enum colours colours;
	enum theme theme;

	void **view;		/* by place in the table of views; NULL: closed */
	int current, before;	/* places of the view shown, and before it */
	struct tui_prompt prompt;
	char message[300];	/* shown until the next key */
	bool quit;
	bool loading;
	double load_done;

	/* Told of each key that means something; NULL.  For tests. */
	void (*used)(void *ctx, const struct tui_binding *b, int code);
	void *used_ctx;

	struct tui_job job;	/* a replay, or a look at a running recording */
	struct tui_follow follow;
};

/* The study must outlive it.  Set t->follow.path (and source) afterwards: without
 * them it adds no replays and follows nothing. */
int tui_open(struct tui *t, struct study *s, int w, int h, enum colours c,
	     enum theme theme, bool utf8, struct err *err);
void tui_close(struct tui *t);

int tui_key(struct tui *t, const struct tui_key *key, struct err *err);
/* What goes wrong is told in the status line; only ERR_NOMEM is an error. */
int tui_draw(struct tui *t, struct err *err);

/* Loads a slice of what is shown; t->loading is false when all is there. */
int tui_load(struct tui *t, struct err *err);

/* Opens the recording that is still running (f->source), as it is now. */
int tui_follow_open(struct tui_follow *f, struct study *s, struct bar *bar,
		    struct err *err);

/* Something goes on beside the keys; looks after it. */
bool tui_waits(const struct tui *t);
void tui_tick(struct tui *t);

/* -- for views ------------------------------------------------------------ */

void tui_message(struct tui *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Remembers what is shown, to come back to it. */
void tui_remember(struct tui *t);

/* Sets the window, cut to the run and not narrower than the screen's columns
 * in ns; remembers what was shown if `remember`. */
void tui_window(struct tui *t, int64_t from_ns, int64_t to_ns, bool remember);

/* The window between mark and cursor; without a mark the one that is shown. */
struct tui_window tui_marked(const struct tui *t);

/* Shows another run (and another beside it, -1: none). */
void tui_run(struct tui *t, int run, int other);
void tui_filter(struct tui *t, const char *text);

/* Asks in the status line. */
void tui_ask(struct tui *t, const struct tui_prompt *p, const char *text);

/* Tags the tasks, or takes the tags off where all have one. */
void tui_tag(struct tui *t, const int *task, int nr);

/* Tells all views that something of enum view_stale changed. */
void tui_stale(struct tui *t, unsigned what);

/* Shows the view of that name, its cursor on the task (unless TASK_NONE) at
 * that time. */
void tui_go(struct tui *t, const char *view, int task, int64_t ns);

/* The view that was shown before the current one. */
const struct view_ops *tui_view_before(const struct tui *t);
extern const struct tui_binding tui_keys[], tui_prompt_keys[];

#endif
