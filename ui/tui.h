/* SPDX-License-Identifier: MIT */
/*
 * tui: the terminal program without a terminal: it takes keys and draws on a
 * canvas.  tui_term.h puts it on a real terminal, tui_script.h drives it from a
 * file of keys for tests.
 *
 * Order of calls: tui_open(), then tui_key() for each key and tui_draw() before
 * the canvas is shown, until t->quit; tui_close().  While t->loading, call
 * tui_load() when no key waits.
 */
#ifndef UI_TUI_H
#define UI_TUI_H

#include "ui/study.h"
#include "ui/view.h"

#define TUI_MIN_WIDTH 40
#define TUI_MIN_HEIGHT 10
#define TUI_BACK 64		/* windows that can be gone back to */

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

struct tui {
	struct study *study;
	int run;		/* index into study->run */
	int other;		/* the run beside it; -1 */
	int64_t begin_ns, end_ns;	/* of the run(s) */
	struct tui_window window;
	struct tui_window back[TUI_BACK];
	int nr_back;
	char filter[200];

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
};

int tui_open(struct tui *t, struct study *s, int w, int h, enum colours c,
	     enum theme theme, bool utf8, struct err *err);
void tui_close(struct tui *t);

int tui_key(struct tui *t, const struct tui_key *key, struct err *err);
int tui_draw(struct tui *t, struct err *err);

/* Loads a slice of what is shown; t->loading is false when all is there. */
int tui_load(struct tui *t, struct err *err);

/* -- for views ------------------------------------------------------------ */

void tui_message(struct tui *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets the window, cut to the run and not narrower than the screen's columns
 * in ns; remembers the one before if `remember`. */
void tui_window(struct tui *t, int64_t from_ns, int64_t to_ns, bool remember);

/* Shows another run (and another beside it, -1: none). */
void tui_run(struct tui *t, int run, int other);
void tui_filter(struct tui *t, const char *text);

/* Shows the view of that name, its cursor on the task (unless TASK_NONE) at
 * that time. */
void tui_go(struct tui *t, const char *view, int task, int64_t ns);

/* The view that was shown before the current one. */
const struct view_ops *tui_view_before(const struct tui *t);
extern const struct tui_binding tui_keys[];

#endif
