/* SPDX-License-Identifier: MIT */
/* From one migration of a task to the next, and after it from CPU to CPU. */
#include "ui/view_heat_local.h"

#include "model/err.h"

static const struct tracks *tracks_of(const struct tui *t)
{
	return t->study->run[t->run].tracks;
}

/* The task that is meant: the row's, the followed one, or who runs here. */
static int selected(struct view_heat *v, struct tui *t)
{
	const struct row *r = &v->rows.row[v->row];
	int64_t ns;

	if (r->kind == TRACK_TASK)
		return r->nr == 1 ? r->number[0] : TASK_NONE;
	if (r->kind != TRACK_CPU)
		return TASK_NONE;
	return t->followed != TASK_NONE ? t->followed :
					  view_heat_where(v, t, &ns);
}

/* Number of its CPU or node during span i. */
static int place_of(const struct tui *t, int task, int64_t i, bool node)
{
	struct span sp;

	tracks_get(tracks_of(t), TRACK_TASK, task, i, &sp);
	return node ? topo_node_of(study_topo(t->study, t->run), sp.cpu) : sp.cpu;
}

/* The span that is the next one elsewhere; -1: there is none. */
static int64_t find_move(const struct tui *t, int task, int by, bool node)
{
	const struct tracks *k = tracks_of(t);
	struct track_total total;
	struct span sp;
	int64_t i;

	tracks_total(k, TRACK_TASK, task, &total);
	i = tracks_find(k, TRACK_TASK, task, t->cursor_ns);
	if (by < 0 && i < total.nr_spans) {
		tracks_get(k, TRACK_TASK, task, i, &sp);
		/* Not the one that the cursor is on. */
		i -= sp.start_ns >= t->cursor_ns;
	} else if (by > 0 && i < total.nr_spans) {
		tracks_get(k, TRACK_TASK, task, i, &sp);
		/* Off the CPU, the next one may be it. */
		i += sp.start_ns <= t->cursor_ns || !i;
	}
	for (; i > 0 && i < total.nr_spans; i += by)
		if (place_of(t, task, i, node) != place_of(t, task, i - 1, node))
			return i;
	return -1;
}

void view_heat_move(struct view_heat *v, struct tui *t, int by, bool node)
{
	const char *what = node ? "node" : "cpu";
	struct err err = { 0 };
	int task = selected(v, t);
	struct span sp;
	int64_t i;

	if (task == TASK_NONE) {
		tui_message(t, v->rows.row[v->row].kind == TRACK_CPU ?
				       "nobody runs here" :
				       "only single tasks move");
		return;
	}
	study_look(t->study);
	i = find_move(t, task, by, node);
	if (study_look_end(t->study, &t->run, 1, &err) < 0) {
		tui_message(t, "%s", err.text);
		return;
	}
	if (i <= 0) {
		tui_message(t, "no %s %s migration of this task",
			    by > 0 ? "further" : "earlier", what);
		return;
	}
	tracks_get(tracks_of(t), TRACK_TASK, task, i, &sp);
	if (v->kind > ROWS_PROCESSES)
		t->followed = task;
	view_heat_go(v, t, task, sp.start_ns);
	tui_message(t, "%s %d to %s %d", what,
		    place_of(t, task, i - 1, node), what,
		    place_of(t, task, i, node));
}

void view_heat_follow(struct view_heat *v, struct tui *t)
{
	if (t->followed == TASK_NONE || v->row_ns == t->cursor_ns ||
	    (v->kind != ROWS_CPUS && v->kind != ROWS_NODES))
		return;
	v->row_ns = t->cursor_ns;
	view_heat_go(v, t, t->followed, t->cursor_ns);
}

void view_heat_follow_key(struct view_heat *v, struct tui *t)
{
	int task = selected(v, t);
	char name[160];

	if (v->kind > ROWS_PROCESSES && t->followed != TASK_NONE) {
		t->followed = TASK_NONE;
		tui_message(t, "following nobody");
		return;
	}
	if (task == TASK_NONE) {
		tui_message(t, v->rows.row[v->row].kind == TRACK_CPU ?
				       "nobody runs here" :
				       "only single tasks can be followed");
		return;
	}
	t->followed = task;
	if (v->kind <= ROWS_PROCESSES)
		tui_go(t, "cpus", task, t->cursor_ns);
	tui_message(t, "following %s; n N . , go to its migrations",
		    study_task_name(t->study, task, name, sizeof(name)));
}
