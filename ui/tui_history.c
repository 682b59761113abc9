/* SPDX-License-Identifier: MIT */
/* The window, and the places to go back to. */
#include "ui/tui_local.h"

#include "model/err.h"

#include <string.h>

static void push(struct tui_places *p, const struct tui_place *place)
{
	if (p->nr == TUI_BACK)
		memmove(p->place, p->place + 1, --p->nr * sizeof(*p->place));
	p->place[p->nr++] = *place;
}

static struct tui_place here(const struct tui *t)
{
	return (struct tui_place){ t->window, t->current, t->run, t->other };
}

static bool same(const struct tui_place *a, const struct tui_place *b)
{
	return a->window.from_ns == b->window.from_ns &&
	       a->window.to_ns == b->window.to_ns && a->view == b->view &&
	       a->run == b->run && a->other == b->other;
}

static void remember(struct tui *t, const struct tui_place *p)
{
	t->ahead.nr = 0;
	if (!t->back.nr || !same(&t->back.place[t->back.nr - 1], p))
		push(&t->back, p);
}

void tui_remember(struct tui *t)
{
	struct tui_place p = here(t);

	remember(t, &p);
}

/* Goes to the last place of one list and keeps this one in the other. */
static int go(struct tui *t, struct tui_places *from, struct tui_places *to,
	      struct err *err)
{
	struct tui_place p, was = here(t);

	do {
		if (!from->nr) {
			tui_message(t, from == &t->back ? "nothing before this" :
							  "nothing after this");
			return 0;
		}
		p = from->place[--from->nr];
	} while (same(&p, &was));
	push(to, &was);
	if (p.run != t->run || p.other != t->other)
		tui_run(t, p.run, p.other);
	tui_window(t, p.window.from_ns, p.window.to_ns, false);
	return p.view >= 0 && p.view != t->current ? tui_show(t, p.view, err) :
						     0;
}

int tui_back(struct tui *t, struct err *err)
{
	return go(t, &t->back, &t->ahead, err);
}

int tui_ahead(struct tui *t, struct err *err)
{
	return go(t, &t->ahead, &t->back, err);
}

void tui_window(struct tui *t, int64_t from_ns, int64_t to_ns, bool keep)
{
	int64_t least = t->canvas.w > 10 ? t->canvas.w : 10;
	struct tui_window was = t->window;
	struct tui_place place = here(t);

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
	if (keep)
		remember(t, &place);
	t->window = (struct tui_window){ from_ns, to_ns };
	tui_stale(t, STALE_WINDOW);
}

struct tui_window tui_marked(const struct tui *t)
{
	int64_t a = t->mark_ns, b = t->cursor_ns;

	if (!t->has_mark || a == b)
		return t->window;
	return a < b ? (struct tui_window){ a, b } :
		       (struct tui_window){ b, a };
}
