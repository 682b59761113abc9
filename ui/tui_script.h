/* SPDX-License-Identifier: MIT */
/*
 * tui_script: the terminal program driven by a file instead of a terminal, for
 * tests.  One command a line, '#' begins a comment:
 *
 *	key NAME [NAME...]	q, Left, PgDn, Space, ^L, ... (tui_key.h)
 *	type TEXT		each character of it as a key
 *	click X Y, wheel-up X Y, wheel-down X Y
 *	resize WxH
 *	wait			for a replay, or until a followed file was read
 *	save-screen FILE	the screen as text
 *	save-colours FILE	the screen with escapes for its colours
 *	save-picture FILE	the screen as a PNG (with --colours rgb)
 *
 * Loading is finished before each command, so a script always sees the same.
 */
#ifndef UI_TUI_SCRIPT_H
#define UI_TUI_SCRIPT_H

#include "ui/tui.h"

/* ERR_USAGE names file and line of what it cannot do. */
int tui_script(struct tui *t, const char *path, struct err *err);

#endif
