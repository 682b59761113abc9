/* SPDX-License-Identifier: MIT */
/*
 * tui_term: a real terminal, by ncurses: shows a canvas, reads keys.
 *
 * The terminal is left as it was at tui_term_close(), and also when the program
 * crashes or is killed by a signal that can be caught.  SIGTERM, SIGINT,
 * SIGQUIT, SIGHUP and a terminal that has gone away come as KEY_OF_HANGUP.  ^Z suspends.
 * There is one terminal: the signal handlers need file-scope state.
 */
#ifndef UI_TUI_TERM_H
#define UI_TUI_TERM_H

#include "ui/canvas.h"
#include "ui/tui_key.h"

struct err;

struct tui_term_info {
	int w, h;
	enum colours colours;	/* NONE with NO_COLOR set */
	bool utf8;
};

/* ERR_USAGE where stdin or stdout is no terminal, or TERM is not known or names
 * one without a movable cursor (dumb). */
int tui_term_open(struct tui_term_info *info, struct err *err);
void tui_term_close(void);

/* Waits at most so long (-1: for ever); KEY_OF_NOTHING when nothing came. */
void tui_term_key(struct tui_key *key, int timeout_ms);

void tui_term_show(const struct canvas *c, enum colours colours,
		   enum theme theme);

/* The signal that ended it, 0: none. */
int tui_term_signal(void);

#endif
