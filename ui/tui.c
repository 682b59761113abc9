/* SPDX-License-Identifier: MIT */
#include "ui/tui.h"

#include "model/err.h"
#include "ui/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct view_ops *const views[] = {
	&view_runs, &view_tasks, &view_processes,
	&view_cpus, &view_nodes, &view_memory, &view_help,
};

#define NR_VIEWS ((int)(sizeof(views) / sizeof(views[0])))
#define FIRST_VIEW 1
#define HELP_VIEW (NR_VIEWS - 1)

enum command {
	DO_QUIT,
	DO_HELP,
	DO_NEXT_VIEW,
	DO_PREVIOUS_VIEW,
	DO_REDRAW,
	DO_NEXT_RUN,
	DO_PREVIOUS_RUN,
	DO_BESIDE,
	DO_BACK,
	DO_FILTER,
	DO_VIEW,	/* and on: one each */
};

const struct tui_binding tui_keys[] = {
	{ 0, 0, 0, "everywhere" },
	{ '1', 0, DO_VIEW, "runs: what was recorded, what was replayed" },
	{ '2', 0, DO_VIEW + 1, "tasks x time" },
	{ '3', 0, DO_VIEW + 2, "processes x time" },
	{ '4', 0, DO_VIEW + 3, "CPUs x time, by node, cache and core" },
	{ '5', 0, DO_VIEW + 4, "nodes x time" },
	{ '6', 0, DO_VIEW + 5, "memory areas x time" },
	{ KEY_OF_TAB, 0, DO_NEXT_VIEW, "next view" },
	{ KEY_OF_BACK_TAB, 0, DO_PREVIOUS_VIEW, "previous view" },
	{ 'r', 0, DO_NEXT_RUN, "next run" },
	{ 'R', 0, DO_PREVIOUS_RUN, "previous run" },
	{ 'c', 0, DO_BESIDE, "another run beside it, the next, none" },
	{ '/', 0, DO_FILTER, "show only what has this in name or cgroup, or "
			     "this tid or pid" },
	{ KEY_OF_BACKSPACE, 'b', DO_BACK, "back to the window before" },
	{ '?', KEY_OF_HELP, DO_HELP, "help" },
	{ KEY_OF_REDRAW, 0, DO_REDRAW, "draw the screen anew" },
	{ 'q', 0, DO_QUIT, "quit" },
	{ 0, 0, 0, NULL },
};

void tui_message(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->message, sizeof(t->message), fmt, ap);
	va_end(ap);
}

static int make_canvas(struct tui *t, int w, int h, bool utf8, struct err *err)
{
	bool half = utf8 && t->colours >= COLOURS_256;

	canvas_release(&t->canvas);
	return canvas_init(&t->canvas, w > 0 ? w : 1, h > 0 ? h : 1, half, utf8,
			   err);
}

int tui_open(struct tui *t, struct study *s, int w, int h, enum colours c,
	     enum theme theme, bool utf8, struct err *err)
{
	int ret;

	*t = (struct tui){ .study = s, .other = -1, .colours = c,
			   .theme = theme, .current = -1,
			   .before = FIRST_VIEW };
	t->view = calloc(NR_VIEWS, sizeof(*t->view));
	if (!t->view)
		return err_nomem(err);
	ret = make_canvas(t, w, h, utf8, err);
	if (ret < 0)
		return ret;
	tui_run(t, 0, -1);
	return 0;
}

void tui_close(struct tui *t)
{
	int i;

	for (i = 0; t->view && i < NR_VIEWS; i++) {
		if (t->view[i] && views[i]->close)
			views[i]->close(t->view[i]);
		free(t->view[i]);
	}
	free(t->view);
	canvas_release(&t->canvas);
	*t = (struct tui){ 0 };
}

static void stale(struct tui *t, unsigned what)
{
	int i;

	for (i = 0; i < NR_VIEWS; i++)
		if (t->view[i] && views[i]->stale)
			views[i]->stale(t->view[i], t, what);
}

static int show(struct tui *t, int place, struct err *err)
{
	int ret;

	if (!t->view[place]) {
		void *v = calloc(1, views[place]->size);

		if (!v)
			return err_nomem(err);
		ret = views[place]->open ? views[place]->open(v, t, err) : 0;
		if (ret < 0) {
			free(v);
			return ret;
		}
		t->view[place] = v;
	}
	if (t->current >= 0 && t->current != place)
		t->before = t->current;
	t->current = place;
	return 0;
}

const struct view_ops *tui_view_before(const struct tui *t)
{
	return views[t->before];
}

/* -- what is shown -------------------------------------------------------- */

void tui_window(struct tui *t, int64_t from_ns, int64_t to_ns, bool remember)
{
	int64_t least = t->canvas.w > 10 ? t->canvas.w : 10;
	struct tui_window was = t->window;

	if (least > t->end_ns - t->begin_ns)
		least = t->end_ns - t->begin_ns;
	if (to_ns - from_ns < least) {
		from_ns -= (least - (to_ns - from_ns)) / 2;
		to_ns = from_ns + least;
	}
	if (from_ns < t->begin_ns) {
		to_ns += t->begin_ns - from_ns;
		from_ns = t->begin_ns;
	}
	if (to_ns > t->end_ns) {
		from_ns -= to_ns - t->end_ns;
		to_ns = t->end_ns;
	}
	if (from_ns < t->begin_ns)
		from_ns = t->begin_ns;
	if (from_ns == was.from_ns && to_ns == was.to_ns)
		return;
	if (remember) {
		if (t->nr_back == TUI_BACK)
			memmove(t->back, t->back + 1,
				--t->nr_back * sizeof(*t->back));
		t->back[t->nr_back++] = was;
	}
	t->window = (struct tui_window){ from_ns, to_ns };
	stale(t, STALE_WINDOW);
}

void tui_run(struct tui *t, int run, int other)
{
	const struct study *s = t->study;
	bool whole = t->window.from_ns == t->begin_ns &&
		     t->window.to_ns == t->end_ns;

	t->run = run;
	t->other = other == run ? -1 : other;
	t->begin_ns = s->runs[run].start_ns;
	t->end_ns = s->runs[run].end_ns;
	if (t->other >= 0 && s->runs[other].start_ns < t->begin_ns)
		t->begin_ns = s->runs[other].start_ns;
	if (t->other >= 0 && s->runs[other].end_ns > t->end_ns)
		t->end_ns = s->runs[other].end_ns;
	if (t->end_ns <= t->begin_ns)
		t->end_ns = t->begin_ns + 1;
	if (whole)
		t->window = (struct tui_window){ t->begin_ns, t->end_ns };
	tui_window(t, t->window.from_ns, t->window.to_ns, false);
	t->loading = !s->run[run].loaded ||
		     (t->other >= 0 && !s->run[t->other].loaded);
	t->load_done = 0;
	stale(t, STALE_RUN | STALE_WINDOW);
}

void tui_filter(struct tui *t, const char *text)
{
	snprintf(t->filter, sizeof(t->filter), "%s", text);
	stale(t, STALE_FILTER);
}

void tui_go(struct tui *t, const char *view, int task, int64_t ns)
{
	struct err err = { 0 };
	int i;

	for (i = 0; i < NR_VIEWS; i++) {
		if (strcmp(views[i]->name, view))
			continue;
		if (show(t, i, &err) < 0)
			tui_message(t, "%s", err.text);
		else if (task != TASK_NONE && views[i]->go)
			views[i]->go(t->view[i], t, task, ns);
	}
}

int tui_load(struct tui *t, struct err *err)
{
	int i = t->study->run[t->run].loaded ? t->other : t->run, ret;

	if (i < 0 || t->study->run[i].loaded) {
		t->loading = false;
		return 0;
	}
	ret = study_step(t->study, i, &t->load_done, err);
	if (ret < 0)
		return ret;
	t->loading = !t->study->run[t->run].loaded ||
		     (t->other >= 0 && !t->study->run[t->other].loaded);
	stale(t, STALE_RUN);
	return 0;
}

/* -- keys ----------------------------------------------------------------- */

static void prompt_end(struct tui *t)
{
	t->prompt = (struct tui_prompt){ 0 };
}

static int prompt_key(struct tui *t, int code, struct err *err)
{
	struct tui_prompt *p = &t->prompt;
	size_t len = strlen(p->text);

	switch (code) {
	case KEY_OF_ENTER: {
		struct tui_prompt was = *p;

		prompt_end(t);
		return was.done ? was.done(was.view, t, was.text, err) : 0;
	}
	case KEY_OF_ESCAPE:
		if (p->dropped)
			p->dropped(p->view, t);
		prompt_end(t);
		return 0;
	case KEY_OF_BACKSPACE:
		while (len && (p->text[len - 1] & 0xc0) == 0x80)
			len--;
		p->text[len ? len - 1 : 0] = 0;
		break;
	default:
		if (code < ' ' || code >= 0x7f || len + 1 >= sizeof(p->text))
			return 0;
		p->text[len] = code;
		p->text[len + 1] = 0;
		break;
	}
	if (p->changed)
		p->changed(p->view, t, p->text);
	return 0;
}

static void filter_changed(void *view, struct tui *t, const char *text)
{
	tui_filter(t, text);
}

static void filter_dropped(void *view, struct tui *t)
{
	tui_filter(t, "");
}

static void ask_filter(struct tui *t)
{
	t->prompt = (struct tui_prompt){ .label = "show only: ",
					 .changed = filter_changed,
					 .dropped = filter_dropped };
	snprintf(t->prompt.text, sizeof(t->prompt.text), "%s", t->filter);
}

static void step_run(struct tui *t, int by)
{
	int nr = t->study->nr_runs;

	if (nr < 2)
		tui_message(t, "this file has one run; "
			       "'homenode replay' adds others");
	else
		tui_run(t, (t->run + by + nr) % nr, t->other);
}

/* None, then each of the others. */
static void step_beside(struct tui *t)
{
	int i = t->other + 1;

	if (i == t->run)
		i++;
	if (t->study->nr_runs < 2)
		step_run(t, 1);
	else
		tui_run(t, t->run, i < t->study->nr_runs ? i : -1);
}

static void go_back(struct tui *t)
{
	struct tui_window w;

	if (!t->nr_back)
		return;
	w = t->back[--t->nr_back];
	tui_window(t, w.from_ns, w.to_ns, false);
}

static int core_command(struct tui *t, int command, struct err *err)
{
	/* Help is not among what Tab goes round. */
	int nr = NR_VIEWS - 1, at = t->current < nr ? t->current : t->before;

	switch (command) {
	case DO_QUIT:
		if (t->current == HELP_VIEW)
			return show(t, t->before, err);
		t->quit = true;
		return 0;
	case DO_HELP:
		return show(t, t->current == HELP_VIEW ? t->before : HELP_VIEW,
			    err);
	case DO_NEXT_VIEW:
		return show(t, (at + 1) % nr, err);
	case DO_PREVIOUS_VIEW:
		return show(t, (at + nr - 1) % nr, err);
	case DO_NEXT_RUN:
	case DO_PREVIOUS_RUN:
		step_run(t, command == DO_NEXT_RUN ? 1 : -1);
		return 0;
	case DO_BESIDE:
		step_beside(t);
		return 0;
	case DO_BACK:
		go_back(t);
		return 0;
	case DO_FILTER:
		ask_filter(t);
		return 0;
	case DO_REDRAW:
		return 0;
	default:
		return show(t, command - DO_VIEW, err);
	}
}

/* Clicks on the bar: which view's name is there. */
static int bar_view_at(const struct tui *t, int x)
{
	int i, at = 0;

	for (i = 0; i < NR_VIEWS; i++) {
		int w = strlen(views[i]->name) + 4;

		if (x >= at && x < at + w)
			return i;
		at += w;
	}
	return -1;
}

int tui_key(struct tui *t, const struct tui_key *key, struct err *err)
{
	const struct view_ops *ops;
	int command;

	if (key->code == KEY_OF_NOTHING)
		return 0;
	t->message[0] = 0;
	if (key->code == KEY_OF_HANGUP) {
		t->quit = true;
		return 0;
	}
	if (key->code == KEY_OF_RESIZE)
		return make_canvas(t, key->x, key->y, t->canvas.utf8, err);
	if (t->current < 0 && show(t, FIRST_VIEW, err) < 0)
		return err->code;
	if (t->prompt.label)
		return prompt_key(t, key->code, err);
	if (key->code == KEY_OF_CLICK && key->y == 0) {
		int at = bar_view_at(t, key->x);

		return at >= 0 ? show(t, at, err) : 0;
	}
	ops = views[t->current];
	command = tui_binding_find(ops->keys, key->code);
	if (command >= 0)
		return ops->command(t->view[t->current], t, command, key, err);
	command = tui_binding_find(tui_keys, key->code);
	return command >= 0 ? core_command(t, command, err) : 0;
}

/* -- the frame ------------------------------------------------------------ */

static void draw_bar(struct tui *t)
{
	struct canvas *c = &t->canvas;
	char right[300], cut[320];
	int i, x = 0, w;

	canvas_ground(c, 0, 0, c->w, 1, ROLE_BAR);
	for (i = 0; i < NR_VIEWS; i++) {
		char name[40];

		snprintf(name, sizeof(name), " %c %s ",
			 i == HELP_VIEW ? '?' : '1' + i, views[i]->name);
		w = canvas_text(c, x, 0, i == t->current ? ROLE_TEXT : ROLE_DIM,
				i == t->current, name);
		if (i == t->current)
			canvas_reverse(c, x, 0, w, 1);
		x += w;
	}
	snprintf(right, sizeof(right), "%s%s%s", t->study->run[t->run].title,
		 t->other >= 0 ? " | " : "",
		 t->other >= 0 ? t->study->run[t->other].title : "");
	if (t->loading)
		snprintf(right, sizeof(right), "loading %.0f %%",
			 t->load_done * 100);
	if (c->w - x < 4)
		return;
	text_safe(right, strlen(right), c->w - x - 2, cut, sizeof(cut));
	w = canvas_text_width(cut);
	canvas_text(c, c->w - w - 1, 0, ROLE_TEXT, true, cut);
}

static void draw_status(struct tui *t)
{
	struct canvas *c = &t->canvas;
	static const char hint[] = "? help  q quit";
	int y = c->h - 1, x, room = c->w - (int)sizeof(hint) - 1;

	canvas_ground(c, 0, y, c->w, 1, ROLE_BAR);
	if (t->prompt.label) {
		x = canvas_text(c, 0, y, ROLE_TEXT, true, t->prompt.label);
		x += canvas_text(c, x, y, ROLE_TEXT, false, t->prompt.text);
		canvas_reverse(c, x, y, 1, 1);
		return;
	}
	if (t->message[0])
		canvas_text(c, 0, y, ROLE_TEXT, true, t->message);
	else if (t->filter[0]) {
		x = canvas_text(c, 0, y, ROLE_TEXT, true, "show only: ");
		canvas_text(c, x, y, ROLE_TEXT, true, t->filter);
	}
	if (canvas_text_width(t->message) < room)
		canvas_text(c, room, y, ROLE_DIM, false, hint);
}

int tui_draw(struct tui *t, struct err *err)
{
	struct canvas *c = &t->canvas;
	int ret;

	canvas_clear(c);
	if (c->w < TUI_MIN_WIDTH || c->h < TUI_MIN_HEIGHT) {
		canvas_text(c, 0, 0, ROLE_TEXT, false, "too small: 40x10");
		return 0;
	}
	if (t->current < 0) {
		ret = show(t, FIRST_VIEW, err);
		if (ret < 0)
			return ret;
	}
	ret = views[t->current]->draw(t->view[t->current], t, 1, c->h - 2, err);
	draw_bar(t);
	draw_status(t);
	return ret;
}
