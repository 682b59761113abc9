/* SPDX-License-Identifier: MIT */
#include "ui/tui_local.h"

#include "model/err.h"
#include "ui/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct view_ops *const tui_views[TUI_NR_VIEWS] = {
	&view_runs, &view_tasks, &view_processes, &view_cpus, &view_nodes,
	&view_memory, &view_compare, &view_table, &view_help,
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
			   .before = TUI_FIRST_VIEW, .followed = TASK_NONE,
			   .job.fd = -1 };
	t->view = calloc(TUI_NR_VIEWS, sizeof(*t->view));
	t->tagged = calloc(s->tasks.nr + 1, sizeof(*t->tagged));
	if (!t->view || !t->tagged)
		return err_nomem(err);
	ret = make_canvas(t, w, h, utf8, err);
	if (ret < 0)
		return ret;
	tui_run(t, 0, -1);
	t->cursor_ns = t->begin_ns + (t->end_ns - t->begin_ns) / 2;
	t->table = (struct tui_table_query){ ROWS_TASKS, t->window };
	return 0;
}

void tui_close(struct tui *t)
{
	int i;

	if (t->view)
		tui_follow_release(t);
	for (i = 0; t->view && i < TUI_NR_VIEWS; i++) {
		if (t->view[i] && tui_views[i]->close)
			tui_views[i]->close(t->view[i]);
		free(t->view[i]);
	}
	free(t->view);
	free(t->tagged);
	canvas_release(&t->canvas);
	*t = (struct tui){ 0 };
}

void tui_stale(struct tui *t, unsigned what)
{
	int i;

	for (i = 0; i < TUI_NR_VIEWS; i++)
		if (t->view[i] && tui_views[i]->stale)
			tui_views[i]->stale(t->view[i], t, what);
}

int tui_show(struct tui *t, int place, struct err *err)
{
	const struct view_ops *ops = tui_views[place];
	int ret;

	if (!t->view[place]) {
		void *v = calloc(1, ops->size);

		if (!v)
			return err_nomem(err);
		ret = ops->open ? ops->open(v, t, err) : 0;
		if (ret < 0) {
			free(v);
			return ret;
		}
		t->view[place] = v;
	}
	if (t->current >= 0 && t->current != place) {
		const struct view_ops *was = tui_views[t->current];

		t->before = t->current;
		if (was->leave)
			was->leave(t->view[t->before], t);
	}
	t->current = place;
	return 0;
}

const struct view_ops *tui_view_before(const struct tui *t)
{
	return tui_views[t->before];
}

/* -- what is shown -------------------------------------------------------- */

static bool is_loaded(const struct tui *t, int run)
{
	const struct study_run *r = &t->study->run[run < 0 ? 0 : run];

	return run < 0 || (r->loaded && (r->ahead < 0 || !r->drawing));
}

static bool all_loaded(const struct tui *t)
{
	return is_loaded(t, t->run) && is_loaded(t, t->other);
}

void tui_run(struct tui *t, int run, int other)
{
	const struct study *s = t->study;
	bool whole = t->window.from_ns == t->begin_ns &&
		     t->window.to_ns == t->end_ns;

	t->run = run;
	t->other = other == run ? -1 : other;
	if (other >= 0 && !study_same_machine(s, run, other)) {
		tui_message(t, "%s ran on another machine: not beside it",
			    s->run[other].title);
		t->other = -1;
	}
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
	t->loading = !all_loaded(t);
	t->load_done = 0;
	tui_stale(t, STALE_RUN | STALE_WINDOW);
}

void tui_filter(struct tui *t, const char *text)
{
	snprintf(t->filter, sizeof(t->filter), "%s", text);
	tui_stale(t, STALE_FILTER);
}

void tui_go(struct tui *t, const char *view, int task, int64_t ns)
{
	struct err err = { 0 };
	int i;

	for (i = 0; i < TUI_NR_VIEWS; i++) {
		if (strcmp(tui_views[i]->name, view))
			continue;
		tui_remember(t);
		if (tui_show(t, i, &err) < 0)
			tui_message(t, "%s", err.text);
		else if (task != TASK_NONE && tui_views[i]->go)
			tui_views[i]->go(t->view[i], t, task, ns);
	}
}

int tui_load(struct tui *t, struct err *err)
{
	int i = is_loaded(t, t->run) ? t->other : t->run, ret;

	if (tui_follow_load(t))
		return 0;
	if (is_loaded(t, i)) {
		t->loading = false;
		return 0;
	}
	/* What is read ahead is on the screen already. */
	if (t->study->run[i].loaded) {
		ret = study_read_ahead(t->study, i, err);
	} else {
		ret = study_step(t->study, i, &t->load_done, err);
		tui_stale(t, STALE_RUN);
	}
	if (ret < 0)
		return ret;
	t->loading = !all_loaded(t);
	return 0;
}

/* -- keys ----------------------------------------------------------------- */

static int click_on_bar(struct tui *t, int x, struct err *err)
{
	int at = tui_bar_at(t, x);

	if (at < 0)
		return 0;
	tui_remember(t);
	return tui_show(t, at, err);
}

static void used(struct tui *t, const struct tui_binding *b, int code)
{
	if (t->used)
		t->used(t->used_ctx, b, code);
}

/* A view's own keys come first. */
static int act(struct tui *t, const struct tui_key *key, struct err *err)
{
	const struct view_ops *ops = tui_views[t->current];
	const struct tui_binding *b = tui_binding_get(ops->keys, key->code);

	if (!b)
		b = tui_binding_get(ops->more_keys, key->code);
	if (b) {
		used(t, b, key->code);
		return ops->command(t->view[t->current], t, b->command, key,
				    err);
	}
	b = tui_binding_get(tui_keys, key->code);
	if (!b)
		return 0;
	used(t, b, key->code);
	return tui_command(t, b->command, err);
}

int tui_key(struct tui *t, const struct tui_key *key, struct err *err)
{
	if (key->code == KEY_OF_NOTHING)
		return 0;
	if (key->code == KEY_OF_HANGUP) {
		t->quit = true;
		return 0;
	}
	if (key->code == KEY_OF_RESIZE)
		return make_canvas(t, key->x, key->y, t->canvas.utf8, err);
	t->loading |= !all_loaded(t);
	t->message[0] = 0;
	if (t->current < 0 && tui_show(t, TUI_FIRST_VIEW, err) < 0)
		return err->code;
	if (t->prompt.label) {
		const struct tui_binding *b =
			tui_binding_get(tui_prompt_keys, key->code);

		if (b)
			used(t, b, key->code);
		return tui_prompt_key(t, key->code, err);
	}
	if (key->code == KEY_OF_CLICK && key->y == 0)
		return click_on_bar(t, key->x, err);
	return act(t, key, err);
}

/* -- the frame ------------------------------------------------------------ */

/* What cannot be read now, since another writes, may be readable later: at the
 * next key it is loaded anew. */
static int look_end(struct tui *t, struct err *err)
{
	const struct study_run *run = t->study->run;
	int shown[2], nr = 0, i, ret;

	if (run[t->run].tracks)
		shown[nr++] = t->run;
	if (t->other >= 0 && run[t->other].tracks)
		shown[nr++] = t->other;
	ret = study_look_end(t->study, shown, nr, err);
	for (i = 0; ret < 0 && i < nr; i++)
		study_unload(t->study, shown[i]);
	if (ret < 0)
		tui_stale(t, STALE_RUN);
	return ret;
}

int tui_draw(struct tui *t, struct err *err)
{
	struct canvas *c = &t->canvas;
	struct err seen = { 0 }, unread = { 0 };
	int ret;

	canvas_clear(c);
	if (c->w < TUI_MIN_WIDTH || c->h < TUI_MIN_HEIGHT) {
		canvas_text(c, 0, 0, ROLE_TEXT, false, "too small: 40x10");
		return 0;
	}
	if (t->current < 0) {
		ret = tui_show(t, TUI_FIRST_VIEW, err);
		if (ret < 0)
			return ret;
	}
	study_look(t->study);
	ret = tui_views[t->current]->draw(t->view[t->current], t, 1, c->h - 2,
					  &seen);
	if (look_end(t, &unread) < 0)
		tui_message(t, "%s; any key tries again", unread.text);
	else if (ret == ERR_NOMEM)
		*err = seen;
	else if (ret < 0)
		tui_message(t, "%s", seen.text);
	tui_bar(t);
	tui_status(t);
	return err->code;
}
