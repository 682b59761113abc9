/* SPDX-License-Identifier: MIT */
/* The keys of the view that was left for help, made from the key tables. */
#include "ui/tui.h"

#include "model/err.h"

#include <stdio.h>
#include <string.h>

struct view_help {
	int first;	/* line at the top */
	int nr, shown;	/* of the last drawing */
};

enum command { HELP_UP, HELP_DOWN, HELP_PAGE_UP, HELP_PAGE_DOWN };

static const struct tui_binding help_keys[] = {
	{ 0, 0, 0, "help" },
	{ KEY_OF_UP, 'k', HELP_UP, "up" },
	{ KEY_OF_DOWN, 'j', HELP_DOWN, "down" },
	{ KEY_OF_PAGE_UP, 0, HELP_PAGE_UP, "a screen up" },
	{ KEY_OF_PAGE_DOWN, ' ', HELP_PAGE_DOWN, "a screen down" },
	{ 0, 0, 0, NULL },
};

static void draw_line(struct tui *t, int y, const struct tui_binding *b)
{
	char one[16], two[16], keys[40];

	if (!b->key) {
		canvas_text(&t->canvas, 1, y, ROLE_TEXT, true, b->help);
		return;
	}
	snprintf(keys, sizeof(keys), "%s%s%s", tui_key_name(b->key, one),
		 b->other ? " " : "",
		 b->other ? tui_key_name(b->other, two) : "");
	canvas_text(&t->canvas, 3, y, ROLE_TEXT, false, keys);
	canvas_text(&t->canvas, 16, y, ROLE_DIM, false, b->help);
}

/* Draws what of a table falls on the screen; counts all of its lines. */
static int draw_table(struct tui *t, const struct tui_binding *b, int line,
		      int top, int lines)
{
	for (; b && b->help; b++, line++)
		if (line >= 0 && line < lines)
			draw_line(t, top + line, b);
	return line;
}

static int draw(void *view, struct tui *t, int top, int lines, struct err *err)
{
	struct view_help *v = view;
	int line;

	if (v->first > v->nr - lines)
		v->first = v->nr - lines;
	if (v->first < 0)
		v->first = 0;
	line = draw_table(t, tui_view_before(t)->keys, -v->first, top, lines);
	line = draw_table(t, tui_view_before(t)->more_keys, line, top, lines);
	line = draw_table(t, tui_keys, line, top, lines);
	line = draw_table(t, tui_prompt_keys, line, top, lines);
	line = draw_table(t, help_keys, line, top, lines);
	v->nr = line + v->first;
	v->shown = lines;
	return 0;
}

static int command(void *view, struct tui *t, int cmd,
		   const struct tui_key *key, struct err *err)
{
	struct view_help *v = view;
	static const int by[] = { [HELP_UP] = -1, [HELP_DOWN] = 1 };

	v->first += cmd == HELP_PAGE_UP	  ? -v->shown :
		    cmd == HELP_PAGE_DOWN ? v->shown :
					    by[cmd];
	return 0;
}

const struct view_ops view_help = {
	.name = "help",
	.short_name = "help",
	.keys = help_keys,
	.size = sizeof(struct view_help),
	.draw = draw,
	.command = command,
};
