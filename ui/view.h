/* SPDX-License-Identifier: MIT */
/*
 * view: what fills the screen of the terminal program; one view a file.
 *
 * The core keeps one object of ops->size bytes (zeroed) per view, opened when
 * it is first shown and closed at the end.  It never asks which view it is:
 * everything it needs is in the ops.  Functions get the struct tui for what is
 * shared: the study, the run and the window that are shown, the filter.
 */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include "ui/canvas.h"
#include "ui/tui_key.h"

#include <stddef.h>

struct err;
struct tui;

/* What a view's cached rows may depend on. */
enum view_stale {
	STALE_RUN = 1,		/* another run, or more of it is loaded */
	STALE_WINDOW = 2,
	STALE_FILTER = 4,
};

struct view_ops {
	const char *name;	/* shown in the bar: "tasks" */
	const char *short_name;	/* where the bar is short */
	const struct tui_binding *keys;	/* its own */
	const struct tui_binding *more_keys;	/* come after them; NULL */
	size_t size;

	/* NULL where there is nothing to do. */
	int (*open)(void *view, struct tui *t, struct err *err);
	void (*close)(void *view);

	/* Another view is shown from now on. */
	void (*leave)(void *view, struct tui *t);

	/* Something of enum view_stale changed (a set of them). */
	void (*stale)(void *view, struct tui *t, unsigned what);

	/* Paints lines top .. top + lines - 1 of t->canvas. */
	int (*draw)(void *view, struct tui *t, int top, int lines,
		    struct err *err);

	/* One of its commands.  An error is shown in the status line. */
	int (*command)(void *view, struct tui *t, int command,
		       const struct tui_key *key, struct err *err);

	/* The task (or -1) and time under its cursor, for others to go to; NULL:
	 * it has none. */
	int (*where)(void *view, struct tui *t, int64_t *ns);

	/* Whether it shows rows that count all tasks, whatever filter and tags
	 * say, for there are too many spans; NULL: it never does. */
	bool (*counts_all)(const void *view, const struct tui *t);

	/* Puts its cursor on a task at a time, if it can show it. */
	void (*go)(void *view, struct tui *t, int task, int64_t ns);
};

extern const struct view_ops view_runs, view_tasks, view_processes, view_cpus,
	view_nodes, view_memory, view_compare, view_table, view_help;

#endif
