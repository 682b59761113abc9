/* SPDX-License-Identifier: MIT */
/* The runs of the file: what was recorded, what was replayed. */
#include "ui/tui.h"

#include "model/err.h"
#include "ui/axis.h"
#include "ui/table.h"

#include <stdio.h>
#include <string.h>

struct view_runs {
	int row, first, shown;
};

enum command { RUNS_UP, RUNS_DOWN, RUNS_PAGE_UP, RUNS_PAGE_DOWN, RUNS_SHOW,
	       RUNS_BESIDE, RUNS_POINT };

static const struct tui_binding runs_keys[] = {
	{ 0, 0, 0, "runs" },
	{ KEY_OF_UP, 'k', RUNS_UP, "up" },
	{ KEY_OF_DOWN, 'j', RUNS_DOWN, "down" },
	{ KEY_OF_PAGE_UP, 0, RUNS_PAGE_UP, "a screen up" },
	{ KEY_OF_PAGE_DOWN, 0, RUNS_PAGE_DOWN, "a screen down" },
	{ KEY_OF_ENTER, 0, RUNS_SHOW, "look at this run" },
	{ 'c', 0, RUNS_BESIDE, "this run beside the one that is shown" },
	{ KEY_OF_CLICK, 0, RUNS_POINT, "choose" },
	{ 0, 0, 0, NULL },
};

static void draw_machine(struct tui *t, int y)
{
	const struct study *s = t->study;
	char line[400], len[32];

	snprintf(line, sizeof(line), "%s%s%s%d node%s, %d CPU%s; %d task%s in %s",
		 s->capture.kernel ? s->capture.kernel : "",
		 s->capture.kernel && *s->capture.kernel ? ", " : "",
		 s->capture.topology_known ? "" : "topology unknown: ",
		 topo_nr_nodes(&s->topo), text_s(topo_nr_nodes(&s->topo)),
		 topo_nr_cpus(&s->topo), text_s(topo_nr_cpus(&s->topo)),
		 s->tasks.nr, text_s(s->tasks.nr),
		 axis_length(t->end_ns - t->begin_ns, len, sizeof(len)));
	canvas_text(&t->canvas, 1, y, ROLE_DIM, false, line);
}

static int draw(void *view, struct tui *t, int top, int lines, struct err *err)
{
	const struct study *s = t->study;
	struct view_runs *v = view;
	int i;

	v->shown = lines - 3;
	if (v->row < v->first)
		v->first = v->row;
	if (v->row >= v->first + v->shown)
		v->first = v->row - v->shown + 1;
	draw_machine(t, top);
	canvas_text(&t->canvas, 1, top + 2, ROLE_TEXT, true,
		    "   run  policy and seed            settings");
	for (i = v->first; i < s->nr_runs && i < v->first + v->shown; i++) {
		int y = top + 3 + i - v->first;
		char line[600];

		snprintf(line, sizeof(line), "%c %4d  %-24s  %s",
			 i == t->run ? '*' : i == t->other ? '|' : ' ',
			 s->runs[i].id, s->run[i].title, s->run[i].caption);
		canvas_text(&t->canvas, 1, y, ROLE_TEXT, false, line);
		if (i == v->row)
			canvas_reverse(&t->canvas, 0, y, t->canvas.w, 1);
	}
	return 0;
}

static int command(void *view, struct tui *t, int cmd,
		   const struct tui_key *key, struct err *err)
{
	struct view_runs *v = view;

	switch (cmd) {
	case RUNS_UP:
	case RUNS_DOWN:
		v->row += cmd == RUNS_UP ? -1 : 1;
		break;
	case RUNS_PAGE_UP:
	case RUNS_PAGE_DOWN:
		v->row += cmd == RUNS_PAGE_UP ? -v->shown : v->shown;
		break;
	case RUNS_POINT:
		if (key->y >= 4)
			v->row = v->first + key->y - 4;
		break;
	case RUNS_SHOW:
		tui_run(t, v->row, t->other);
		tui_go(t, "tasks", TASK_NONE, t->window.from_ns);
		break;
	default:
		tui_run(t, t->run, v->row == t->other ? -1 : v->row);
		break;
	}
	if (v->row >= t->study->nr_runs)
		v->row = t->study->nr_runs - 1;
	if (v->row < 0)
		v->row = 0;
	return 0;
}

const struct view_ops view_runs = {
	.name = "runs",
	.short_name = "runs",
	.keys = runs_keys,
	.size = sizeof(struct view_runs),
	.draw = draw,
	.command = command,
};
