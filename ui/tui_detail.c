/* SPDX-License-Identifier: MIT */
#include "ui/tui_detail.h"

#include "model/err.h"
#include "ui/axis.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spans that are read to say who ran in a cell of a CPU. */
#define MAX_SPANS 20000
#define MAX_NAMES 4

static void add(char *line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(char *line, const char *fmt, ...)
{
	size_t at = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + at, DETAIL_SIZE - at, fmt, ap);
	va_end(ap);
}

static char *next_line(struct detail *d)
{
	static char none[DETAIL_SIZE];

	if (d->nr == DETAIL_LINES)
		return none;
	d->line[d->nr][0] = 0;
	return d->line[d->nr++];
}

/* -- the cell ------------------------------------------------------------- */

/* " on node 1", or with the time on each of several. */
static void nodes_text(char *line, const struct tracks *t, const int64_t *ns)
{
	int i, nr = tracks_nr_nodes(t), said = 0, used = 0;
	char len[32];

	for (i = 0; i < nr; i++)
		used += ns[i] > 0;
	for (i = 0; i < nr; i++) {
		if (!ns[i])
			continue;
		add(line, "%snode %d", said++ ? ", " : used > 1 ? ": " : " on ",
		    tracks_node(t, i));
		if (used > 1)
			add(line, " %s", axis_length(ns[i], len, sizeof(len)));
	}
}

static void cell_text(char *line, const struct detail_query *q,
		      const struct study_run *r, const struct grid *g)
{
	const struct grid_cell *c = grid_at(g, 0, 0);
	int64_t width = g->to_ns - g->from_ns;
	char at[64], len[32], share[32];

	add(line, "%s +%s: ", axis_point(g->from_ns - q->zero_ns, width / 10 + 1, at,
					 sizeof(at)),
	    axis_length(width, len, sizeof(len)));
	if (!c->ns[GRID_ALIVE] && !c->ns[GRID_RUN]) {
		add(line, "not there");
		return;
	}
	if (c->ns[GRID_RUN])
		add(line, "ran %s",
		    axis_length(c->ns[GRID_RUN], len, sizeof(len)));
	else
		add(line, "did not run");
	if (c->ns[GRID_RUN])
		nodes_text(line, r->tracks, grid_nodes(g, 0, 0));
	if (c->ns[GRID_WAIT])
		add(line, "; waited %s",
		    axis_length(c->ns[GRID_WAIT], len, sizeof(len)));
	if (c->known_ns > 0)
		add(line, "; %s local",
		    axis_share(c->local_ns / c->known_ns, share,
			       sizeof(share)));
	else if (c->ns[GRID_RUN])
		add(line, "; memory unknown");
	if (c->ns[GRID_LOST])
		add(line, "; events of this CPU were lost");
	else if (c->ns[GRID_UNSURE])
		add(line, q->study->nr_loss ? "; unsure: events lost or a switch missing" :
				     "; unsure: a switch was not recorded");
}

static void pages_text(char *line, const struct study_run *r,
		       const struct grid *g)
{
	const double *pages = grid_page_nodes(g, 0, 0);
	double width = g->to_ns - g->from_ns;
	int i, said = 0;

	for (i = 0; i < g->nr_nodes; i++)
		if (pages[i] > 0)
			add(line, "%s %.0f on node %d",
			    said++ ? "," : "pages:", pages[i] / width,
			    tracks_node(r->tracks, i));
	if (!said)
		add(line, "pages: not known");
}

/* -- one task ------------------------------------------------------------- */

static const char *state_word(int state)
{
	static const char *const word[] = {
		[STATE_RUNNABLE] = "preempted",	[STATE_SLEEPING] = "sleeps",
		[STATE_DISK] = "sleeps (D)",	[STATE_STOPPED] = "stopped",
		[STATE_IDLE] = "idles",		[STATE_PARKED] = "parked",
		[STATE_DEAD] = "ends",		[STATE_OTHER] = "blocked",
	};

	return state >= 0 && state <= STATE_OTHER ? word[state] : "?";
}

static void waker_text(char *line, const struct study *s, const struct span *sp)
{
	char name[160], len[32];

	if (sp->ready_ns >= 0)
		add(line, ", runnable %s before",
		    axis_length(sp->start_ns - sp->ready_ns, len, sizeof(len)));
	if (sp->waker != TASK_NONE)
		add(line, ", woken by %s",
		    study_task_name(s, sp->waker, name, sizeof(name)));
}

/* The stay at a time, or the next one; where it was before. */
static void stay_text(struct detail *d, const struct detail_query *q, int task,
		      int64_t ns)
{
	const struct study *s = q->study;
	const struct tracks *t = s->run[q->run].tracks;
	struct track_total total;
	int64_t i = tracks_find(t, TRACK_TASK, task, ns);
	struct span sp, before;
	char when[64], len[32];
	char *line = next_line(d);

	tracks_total(t, TRACK_TASK, task, &total);
	if (i >= total.nr_spans) {
		add(line, "does not run any more");
		return;
	}
	tracks_get(t, TRACK_TASK, task, i, &sp);
	add(line, "%s cpu %d (node %d) at %s for %s",
	    sp.start_ns <= ns ? "on" : "next on", sp.cpu,
	    topo_node_of(study_topo(s, q->run), sp.cpu),
	    axis_point(sp.start_ns - q->zero_ns, 1000, when, sizeof(when)),
	    axis_length(sp.end_ns - sp.start_ns, len, sizeof(len)));
	waker_text(line, s, &sp);
	add(line, "; then %s", state_word(sp.state));
	if (!i) {
		add(line, "; its first time on a CPU");
		return;
	}
	line = next_line(d);
	tracks_get(t, TRACK_TASK, task, i - 1, &before);
	add(line, "before on cpu %d (node %d) until %s, then %s", before.cpu,
	    topo_node_of(study_topo(s, q->run), before.cpu),
	    axis_point(before.end_ns - q->zero_ns, 1000, when, sizeof(when)),
	    state_word(before.state));
	if (topo_node_of(study_topo(s, q->run), before.cpu) !=
	    topo_node_of(study_topo(s, q->run), sp.cpu))
		add(line, ": moved to another node");
}

/* Of a CPU: who is on it at the cursor, and where that one's pages are. */
static int runner_text(struct detail *d, const struct detail_query *q,
		       struct err *err)
{
	const struct study_run *r = &q->study->run[q->run];
	int nr = tracks_nr_nodes(r->tracks), said = 0, i;
	char name[160], *line;
	struct span sp;
	int64_t *count;

	if (!row_runner(q->row, r->tracks, q->at_ns, q->to_ns, &sp))
		return 0;
	count = calloc(nr + 1, sizeof(*count));
	if (!count)
		return err_nomem(err);
	line = next_line(d);
	add(line, "%s %s; its pages:",
	    sp.start_ns <= q->at_ns ? "at the cursor" : "next",
	    study_task_name(q->study, sp.task, name, sizeof(name)));
	if (r->pages)
		pages_at(r->pages, q->study->leader[sp.task], q->at_ns, count);
	for (i = 0; i < nr; i++)
		if (count[i])
			add(line, "%s %" PRId64 " on node %d",
			    said++ ? "," : "", count[i],
			    tracks_node(r->tracks, i));
	if (!said)
		add(line, " not known");
	free(count);
	stay_text(d, q, sp.task, sp.start_ns);
	return 0;
}

/* -- several -------------------------------------------------------------- */

struct who {
	int task;
	int64_t ns;
};

static int by_ns(const void *pa, const void *pb)
{
	const struct who *a = pa, *b = pb;

	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

static int by_task(const void *pa, const void *pb)
{
	const struct who *a = pa, *b = pb;

	return a->task - b->task;
}

/* All spans of the row's tracks in the window, at most MAX_SPANS. */
static int collect(struct who *who, const struct tracks *t,
		   const struct row *row, const struct grid *g)
{
	int nr = 0, m;

	for (m = 0; m < row->nr; m++) {
		struct track_total total;
		int64_t i = tracks_find(t, row->kind, row->number[m],
					g->from_ns);

		tracks_total(t, row->kind, row->number[m], &total);
		for (; i < total.nr_spans && nr < MAX_SPANS; i++) {
			struct span sp;
			int64_t from, to;

			tracks_get(t, row->kind, row->number[m], i, &sp);
			if (sp.start_ns >= g->to_ns)
				break;
			if (row->only && !row->only[sp.task])
				continue;
			from = sp.start_ns > g->from_ns ? sp.start_ns :
							  g->from_ns;
			to = sp.end_ns < g->to_ns ? sp.end_ns : g->to_ns;
			who[nr++] = (struct who){ sp.task, to - from };
		}
	}
	return nr;
}

static int who_text(struct detail *d, const struct detail_query *q,
		    const struct grid *g, struct err *err)
{
	const struct study *s = q->study;
	struct who *who = malloc(MAX_SPANS * sizeof(*who));
	int nr, i, kept = 0;
	char *line;

	if (!who)
		return err_nomem(err);
	nr = collect(who, s->run[q->run].tracks, q->row, g);
	qsort(who, nr, sizeof(*who), by_task);
	for (i = 0; i < nr; i++)
		if (kept && who[kept - 1].task == who[i].task)
			who[kept - 1].ns += who[i].ns;
		else
			who[kept++] = who[i];
	qsort(who, kept, sizeof(*who), by_ns);
	line = next_line(d);
	add(line, "who: ");
	for (i = 0; i < kept && i < MAX_NAMES; i++) {
		char name[160], len[32];

		add(line, "%s%s %s", i ? ", " : "",
		    study_task_name(s, who[i].task, name, sizeof(name)),
		    axis_length(who[i].ns, len, sizeof(len)));
	}
	if (kept > MAX_NAMES)
		add(line, ", %s%d more", nr == MAX_SPANS ? "over " : "",
		    kept - MAX_NAMES);
	free(who);
	return 0;
}

/* The same cell in the run beside. */
static int beside_text(struct detail *d, const struct detail_query *q,
		       struct grid *g)
{
	const struct study_run *r = &q->study->run[q->other];
	char *line;

	if (!r->tracks)
		return 0;
	grid_clear(g);
	row_fill(q->study, q->other, q->row, g, 0);
	line = next_line(d);
	add(line, "%s: ", r->title);
	if (q->row->kind == TRACK_NONE)
		pages_text(line, r, g);
	else
		cell_text(line, q, r, g);
	return 0;
}

int tui_detail(struct detail *d, const struct detail_query *q, struct err *err)
{
	const struct study_run *r = &q->study->run[q->run];
	const struct row *row = q->row;
	struct grid g;
	int ret;

	d->nr = 0;
	ret = grid_init(&g, q->from_ns, q->to_ns, 1, 1,
			tracks_nr_nodes(r->tracks), err);
	if (ret < 0)
		return ret;
	row_fill(q->study, q->run, row, &g, 0);
	if (row->kind != TRACK_NONE)
		cell_text(next_line(d), q, r, &g);
	if (row->kind != TRACK_CPU && row->proc >= 0)
		pages_text(next_line(d), r, &g);
	if (row->kind == TRACK_TASK && row->nr == 1)
		stay_text(d, q, row->number[0], q->at_ns);
	else if (grid_at(&g, 0, 0)->ns[GRID_RUN])
		ret = who_text(d, q, &g, err);
	if (!ret && row->kind == TRACK_CPU && row->nr == 1)
		ret = runner_text(d, q, err);
	if (!ret && q->other >= 0)
		ret = beside_text(d, q, &g);
	grid_release(&g);
	return ret;
}
