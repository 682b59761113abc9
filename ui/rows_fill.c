/* SPDX-License-Identifier: MIT */
/* Rows against time: figures over a window, cells of a grid. */
#include "ui/rows.h"

/* What a row's track adds to the grid, by the filter. */
static void fill_track(const struct tracks *t, const struct row *r, int m,
		       struct grid *g, int at)
{
	if (r->only)
		tracks_fill_cpu(t, r->number[m], r->only, g, at);
	else
		tracks_fill(t, r->kind, r->number[m], g, at);
}

/* g: one cell over the window. */
static void sum_row(struct row *r, struct row_sum *sum,
		    const struct study_run *run, struct grid *g)
{
	const struct tracks *t = run->tracks;
	const struct grid_cell *c = grid_at(g, 0, 0);
	double pages = 0;
	int m;

	grid_clear(g);
	for (m = 0; m < r->nr; m++) {
		struct track_total total;

		fill_track(t, r, m, g, 0);
		tracks_total(t, r->kind, r->number[m], &total);
		if (total.nr_spans && total.first_ns < r->first_ns)
			r->first_ns = total.first_ns;
		if (r->kind == TRACK_NONE)
			pages_fill_area(run->pages, r->number[m], g, 0);
	}
	for (m = 0; r->kind == TRACK_NONE && m < g->nr_nodes; m++)
		pages += grid_page_nodes(g, 0, 0)[m];
	*sum = (struct row_sum){
		.run_ns = c->ns[GRID_RUN],
		.wait_ns = c->ns[GRID_WAIT],
		.unsure_ns = c->ns[GRID_UNSURE],
		.censored_ns = c->ns[GRID_CENSORED],
		.local_ns = c->local_ns,
		.known_ns = c->known_ns,
		.node_moves = c->node_moves,
		.most_node = grid_most(grid_nodes(g, 0, 0), g->nr_nodes),
		.pages = pages / (g->to_ns - g->from_ns),
	};
}

/* Spans of all rows, of CPUs, in the window. */
static int64_t count_spans(const struct rows *rows, const struct tracks *t,
			   int64_t from_ns, int64_t to_ns)
{
	int64_t sum = 0;
	int i, m;

	for (i = 0; i < rows->nr; i++)
		for (m = 0; m < rows->row[i].nr; m++) {
			int cpu = rows->row[i].number[m];

			sum += tracks_find(t, TRACK_CPU, cpu, to_ns) -
			       tracks_find(t, TRACK_CPU, cpu, from_ns);
		}
	return sum;
}

static void narrow(struct rows *rows, const struct study *s, const int *run,
		   int64_t from_ns, int64_t to_ns)
{
	int64_t nr = 0;
	int i;

	for (i = 0; rows->max_spans && i < rows->nr_runs; i++)
		nr += count_spans(rows, s->run[run[i]].tracks, from_ns, to_ns);
	for (i = 0; i < rows->nr; i++)
		rows->row[i].only = nr <= rows->max_spans ? rows->only : NULL;
}

bool rows_count_all(const struct rows *rows)
{
	return rows->only && rows->nr && !rows->row[0].only;
}

int rows_figures(struct rows *rows, const struct study *s, const int *run,
		 int64_t from_ns, int64_t to_ns, struct err *err)
{
	int ret, i, k;
	struct grid g;

	ret = grid_init(&g, from_ns, to_ns, 1, 1,
			tracks_nr_nodes(s->run[run[0]].tracks), err);
	if (ret < 0)
		return ret;
	study_look(s);
	if (rows->only)
		narrow(rows, s, run, from_ns, to_ns);
	for (i = 0; i < rows->nr; i++)
		for (k = 0; k < rows->nr_runs; k++)
			sum_row(&rows->row[i], &rows->row[i].sum[k],
				&s->run[run[k]], &g);
	grid_release(&g);
	return study_look_end(s, run, rows->nr_runs, err);
}

int64_t row_capacity(const struct rows *rows, const struct row *row)
{
	return row->nr < rows->capacity_cpus ? row->nr : rows->capacity_cpus;
}

static void fill_lost(const struct study *s, const struct row *row,
		      struct grid *g, int at)
{
	int i, m;

	for (i = 0; i < s->nr_loss; i++)
		for (m = 0; m < row->nr; m++)
			if (s->loss[i].cpu == row->number[m])
				grid_time(g, at, GRID_LOST, s->loss[i].from_ns,
					  s->loss[i].to_ns);
}

/* Areas are there while their process is. */
static void fill_areas(const struct study *s, int run, const struct row *row,
		       struct grid *g, int at)
{
	int64_t from, to;
	int i;

	for (i = 0; i < row->nr; i++) {
		int area = row->number[i];

		pages_fill_area(s->run[run].pages, area, g, at);
		if (study_alive(s, run, s->areas.area[area].proc, &from, &to))
			grid_time(g, at, GRID_ALIVE, from, to);
	}
}

void row_fill(const struct study *s, int run, const struct row *row,
	      struct grid *g, int at)
{
	const struct study_run *r = &s->run[run];
	int64_t from, to;
	int i;

	if (row->kind == TRACK_NONE) {
		fill_areas(s, run, row, g, at);
		return;
	}
	for (i = 0; i < row->nr; i++) {
		fill_track(r->tracks, row, i, g, at);
		if (row->kind == TRACK_CPU)
			grid_time(g, at, GRID_ALIVE, r->info->start_ns,
				  r->info->end_ns);
		else if (study_alive(s, run, row->number[i], &from, &to))
			grid_time(g, at, GRID_ALIVE, from, to);
	}
	if (row->kind == TRACK_CPU && !r->info->id)
		fill_lost(s, row, g, at);
	if (row->kind == TRACK_TASK && row->proc >= 0 && r->pages)
		pages_fill_proc(r->pages, row->proc, g, at);
}

bool row_runner(const struct row *row, const struct tracks *t, int64_t ns,
		int64_t until_ns, struct span *sp)
{
	int cpu = row->number[0];
	int64_t i = tracks_find(t, TRACK_CPU, cpu, ns);
	struct track_total total;

	tracks_total(t, TRACK_CPU, cpu, &total);
	for (; i < total.nr_spans; i++) {
		tracks_get(t, TRACK_CPU, cpu, i, sp);
		if (!row->only)
			return true;
		if (sp->start_ns >= until_ns)
			return false;
		if (row->only[sp->task])
			return true;
	}
	return false;
}

int rows_find(const struct rows *rows, enum track_kind kind, int number)
{
	int i, m;

	for (i = 0; i < rows->nr; i++)
		for (m = 0; rows->row[i].kind == kind && m < rows->row[i].nr;
		     m++)
			if (rows->row[i].number[m] == number)
				return i;
	return -1;
}
