/* SPDX-License-Identifier: MIT */
/*
 * tui_key: keys of the terminal program, independent of curses, with names for
 * the help screen and for scripts, and the tables that bind them to commands.
 */
#ifndef UI_TUI_KEY_H
#define UI_TUI_KEY_H

/* A character's code point, or one of these. */
enum tui_key_code {
	KEY_OF_NOTHING = 0x110000,	/* time went by */
	KEY_OF_UP,
	KEY_OF_DOWN,
	KEY_OF_LEFT,
	KEY_OF_RIGHT,
	KEY_OF_SHIFT_LEFT,
	KEY_OF_SHIFT_RIGHT,
	KEY_OF_PAGE_UP,
	KEY_OF_PAGE_DOWN,
	KEY_OF_HOME,
	KEY_OF_END,
	KEY_OF_ENTER,
	KEY_OF_TAB,
	KEY_OF_BACK_TAB,
	KEY_OF_BACKSPACE,
	KEY_OF_ESCAPE,
	KEY_OF_ERASE_LINE,	/* ^U */
	KEY_OF_SUSPEND,		/* ^Z, which the terminal turns into a signal */
	KEY_OF_REDRAW,		/* ^L */
	KEY_OF_HELP,		/* F1 */
	KEY_OF_WHEEL_UP,	/* x, y: where the pointer is */
	KEY_OF_WHEEL_DOWN,
	KEY_OF_CLICK,
	KEY_OF_RESIZE,		/* x, y: columns, lines */
	KEY_OF_HANGUP,		/* the terminal is gone, or a signal says end */
};

struct tui_key {
	int code;
	int x, y;
};

/* One line of a key table and of the help screen.  command is >= 0; tables end
 * with help NULL.  A line with key 0 is a heading. */
struct tui_binding {
	int key, other;		/* other: a second key, 0 for none */
	int command;
	const char *help;
};

/* The line of a key in a table (NULL: an empty one), NULL if it has none. */
const struct tui_binding *tui_binding_get(const struct tui_binding *table,
					  int code);

/* "Left", "q", "Space", "^L" ... */
const char *tui_key_name(int code, char buf[16]);

/* The key of a name; -1 if there is none. */
int tui_key_parse(const char *name);

#endif
