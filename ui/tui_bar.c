/* SPDX-License-Identifier: MIT */
/* The lines above and below the view. */
#include "ui/tui_local.h"

#include "ui/table.h"

#include <stdio.h>
#include <string.h>

/* What the bar has room for, the best first. */
enum names { NAMES_LONG, NAMES_SHORT, NAMES_ONE, NAMES_NR };

#define TITLE_ROOM 20

static void name_of(const struct tui *t, int view, enum names names, char *buf,
		    int size)
{
	const struct view_ops *v = tui_views[view];
	char key = view == TUI_HELP_VIEW ? '?' : '1' + view;

	if (names == NAMES_LONG)
		snprintf(buf, size, " %c %s ", key, v->name);
	else if (names == NAMES_SHORT || view == t->current)
		snprintf(buf, size, "%c %s ", key, v->short_name);
	else
		snprintf(buf, size, "%c ", key);
}

static int width_of(const struct tui *t, enum names names)
{
	char name[40];
	int i, w = 0;

	for (i = 0; i < TUI_NR_VIEWS; i++) {
		name_of(t, i, names, name, sizeof(name));
		w += strlen(name);
	}
	return w;
}

static enum names names_for(const struct tui *t)
{
	int w = t->canvas.w;

	return width_of(t, NAMES_LONG) + TITLE_ROOM <= w ? NAMES_LONG :
	       width_of(t, NAMES_SHORT) <= w		 ? NAMES_SHORT :
							   NAMES_ONE;
}

int tui_bar_at(const struct tui *t, int x)
{
	enum names names = names_for(t);
	int i, at = 0;
	char name[40];

	for (i = 0; i < TUI_NR_VIEWS; i++) {
		name_of(t, i, names, name, sizeof(name));
		if (x >= at && x < at + (int)strlen(name))
			return i;
		at += strlen(name);
	}
	return -1;
}

static void title(const struct tui *t, char *buf, int size)
{
	const struct study *s = t->study;

	if (t->loading)
		snprintf(buf, size, "loading %.0f %%", t->load_done * 100);
	else
		snprintf(buf, size, "%s%s%s%s", t->follow.on ? "F " : "",
			 s->run[t->run].title, t->other >= 0 ? " | " : "",
			 t->other >= 0 ? s->run[t->other].title : "");
}

void tui_bar(struct tui *t)
{
	struct canvas *c = &t->canvas;
	enum names names = names_for(t);
	char right[300], cut[320];
	int i, x = 0, w;

	canvas_ground(c, 0, 0, c->w, 1, ROLE_BAR);
	for (i = 0; i < TUI_NR_VIEWS; i++) {
		bool is = i == t->current;
		char name[40];

		name_of(t, i, names, name, sizeof(name));
		w = canvas_text(c, x, 0, is ? ROLE_TEXT : ROLE_DIM, is, name);
		if (is)
			canvas_reverse(c, x, 0, w, 1);
		x += w;
	}
	if (c->w - x < 6)
		return;
	title(t, right, sizeof(right));
	text_safe(right, strlen(right), c->w - x - 2, cut, sizeof(cut));
	w = canvas_text_width(cut);
	canvas_text(c, c->w - w - 1, 0, ROLE_TEXT, true, cut);
}

static int put(struct tui *t, int x, int y, const char *label, const char *text)
{
	x += canvas_text(&t->canvas, x, y, ROLE_TEXT, true, label);
	x += canvas_text(&t->canvas, x, y, ROLE_TEXT, true, text);
	return x + 2;
}

/* What limits what is seen. */
static void put_state(struct tui *t, int y)
{
	const struct view_ops *v = tui_views[t->current];
	char name[160];
	int x = 0;

	if (t->job.kind == TUI_JOB_REPLAY) {
		snprintf(name, sizeof(name), "%.100s: %.0f %% (X cancels)",
			 t->job.title, t->job.done * 100);
		x = put(t, x, y, "replay ", name);
	}
	if (t->has_mark)
		x = put(t, x, y, "marked from here: ", "i table, z zoom, v off");
	if (t->filter[0])
		x = put(t, x, y, "show only: ", t->filter);
	if (t->only_tagged)
		x = put(t, x, y, "only tagged", "");
	if ((t->filter[0] || t->only_tagged) && v->counts_all &&
	    v->counts_all(t->view[t->current], t))
		x = put(t, x, y, "counting all: zoom in to filter so many spans", "");
	if (t->followed != TASK_NONE)
		put(t, x, y, "following ",
		    study_task_name(t->study, t->followed, name,
				    sizeof(name)));
}

void tui_status(struct tui *t)
{
	struct canvas *c = &t->canvas;
	static const char hint[] = "? help  q quit";
	int y = c->h - 1, x, room = c->w - (int)sizeof(hint) - 1;

	canvas_ground(c, 0, y, c->w, 1, ROLE_BAR);
	if (t->prompt.label) {
		const char *text = t->prompt.text;

		x = canvas_text(c, 0, y, ROLE_TEXT, true, t->prompt.label);
		/* The end of what is typed is what one looks at. */
		while (canvas_text_width(text) > c->w - x - 1 && *text)
			do
				text++;
			while ((*text & 0xc0) == 0x80);
		x += canvas_text(c, x, y, ROLE_TEXT, false, text);
		canvas_reverse(c, x, y, 1, 1);
		return;
	}
	if (t->message[0])
		canvas_text(c, 0, y, ROLE_TEXT, true, t->message);
	else
		put_state(t, y);
	if (canvas_text_width(t->message) < room) {
		canvas_blank(c, room - 1, y, sizeof(hint));
		canvas_text(c, room, y, ROLE_DIM, false, hint);
	}
}
