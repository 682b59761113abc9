/* SPDX-License-Identifier: MIT */
/* tui_local: what the parts of the terminal program's core share. */
#ifndef UI_TUI_LOCAL_H
#define UI_TUI_LOCAL_H

#include "ui/tui.h"

#define TUI_NR_VIEWS 9
#define TUI_FIRST_VIEW 1
#define TUI_HELP_VIEW (TUI_NR_VIEWS - 1)

/* Help is last: the views before it have the keys '1', '2', ... */
extern const struct view_ops *const tui_views[TUI_NR_VIEWS];

/* Opens the view if need be and shows it. */
int tui_show(struct tui *t, int place, struct err *err);

/* A key while something is asked. */
int tui_prompt_key(struct tui *t, int code, struct err *err);

/* A command of tui_keys. */
int tui_command(struct tui *t, int command, struct err *err);

/* Back to what was shown before, and ahead again. */
int tui_back(struct tui *t, struct err *err);
int tui_ahead(struct tui *t, struct err *err);

/* Asks for a policy and starts its replay; ends what runs. */
void tui_replay(struct tui *t);
void tui_cancel(struct tui *t);

/* Switches following on and off. */
void tui_follow(struct tui *t);

/* Loads a slice of the study that takes the other's place; true if there is
 * one. */
bool tui_follow_load(struct tui *t);
void tui_follow_release(struct tui *t);

/* The runs of the file as they are now; 1 if they are others than before. */
int tui_runs_again(struct tui *t, struct err *err);

/* A job ended well or badly. */
void tui_follow_done(struct tui *t);
void tui_replay_done(struct tui *t);

/* The bar with the names of the views; which one's name is at a column. */
void tui_bar(struct tui *t);
int tui_bar_at(const struct tui *t, int x);
void tui_status(struct tui *t);

#endif
