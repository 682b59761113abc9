/* SPDX-License-Identifier: MIT */
#include "ui/tui_key.h"

#include "ui/utf8.h"

#include <stdio.h>
#include <string.h>

static const struct {
	int code;
	const char *name;
} names[] = {
	{ KEY_OF_UP, "Up" },
	{ KEY_OF_DOWN, "Down" },
	{ KEY_OF_LEFT, "Left" },
	{ KEY_OF_RIGHT, "Right" },
	{ KEY_OF_SHIFT_LEFT, "S-Left" },
	{ KEY_OF_SHIFT_RIGHT, "S-Right" },
	{ KEY_OF_PAGE_UP, "PgUp" },
	{ KEY_OF_PAGE_DOWN, "PgDn" },
	{ KEY_OF_HOME, "Home" },
	{ KEY_OF_END, "End" },
	{ KEY_OF_ENTER, "Enter" },
	{ KEY_OF_TAB, "Tab" },
	{ KEY_OF_BACK_TAB, "S-Tab" },
	{ KEY_OF_BACKSPACE, "BkSp" },
	{ KEY_OF_ESCAPE, "Esc" },
	{ KEY_OF_ERASE_LINE, "^U" },
	{ KEY_OF_SUSPEND, "^Z" },
	{ KEY_OF_REDRAW, "^L" },
	{ KEY_OF_HELP, "F1" },
	{ KEY_OF_WHEEL_UP, "WheelUp" },
	{ KEY_OF_WHEEL_DOWN, "WheelDown" },
	{ KEY_OF_CLICK, "Click" },
	{ ' ', "Space" },
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

const struct tui_binding *tui_binding_get(const struct tui_binding *table,
					  int code)
{
	for (; table && table->help; table++)
		if (table->key && (table->key == code || table->other == code))
			return table;
	return NULL;
}

const char *tui_key_name(int code, char buf[16])
{
	size_t i;

	for (i = 0; i < NR_NAMES; i++)
		if (names[i].code == code)
			return names[i].name;
	snprintf(buf, 16, "%c", code >= ' ' && code < 0x7f ? code : '?');
	return buf;
}

int tui_key_parse(const char *name)
{
	size_t i;

	for (i = 0; i < NR_NAMES; i++)
		if (!strcmp(names[i].name, name))
			return names[i].code;
	if (*name && utf8_length(name, strlen(name)) == (int)strlen(name))
		return utf8_decode(name, strlen(name));
	return -1;
}
