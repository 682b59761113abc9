/* SPDX-License-Identifier: MIT */
/* Reading tracks: rows of a grid, totals, single spans. */
#include "model/tracks.h"

#include "model/residency.h"
#include "model/tracks_local.h"

#include <assert.h>
#include <string.h>

/* A few milliseconds of reading ahead. */
#define AHEAD_TASKS 500

static const struct track *track_of(const struct tracks *t,
				    enum track_kind kind, int number)
{
	static const struct track none = { .last_place = -1 };

	if (kind == TRACK_TASK && number >= 0 && number < t->from.nr_tasks)
		return &t->task[number];
	if (kind == TRACK_CPU && number >= 0 && number < t->topo->nr_cpu_ids)
		return &t->cpu[number];
	return &none;
}

/* Where a track goes. */
struct filling {
	const struct tracks *t;
	const struct track *k;
	const struct spine *spine;
	struct grid *g;
	int row;
	const bool *only;	/* by task: those that count; NULL: all */
};

/* An item whose locality is neither all nor nothing is asked for anew where an
 * edge cuts it: its share is not spread evenly. */
static void fill_mixed(const struct filling *f, const struct track_item *i)
{
	const struct residency *r = f->t->from.residency;
	const struct span *s = &i->span;
	int node = topo_node_of(f->t->topo, s->cpu), col;
	struct grid *g = f->g;

	col = grid_col(g, s->start_ns > g->from_ns ? s->start_ns : g->from_ns);
	for (; col < g->nr_cols && g->edge[col] < s->end_ns; col++) {
		struct grid_cell *c = grid_at(g, f->row, col);
		int64_t from = g->edge[col], to = g->edge[col + 1];
		double known = i->known_ns, local = i->local_ns;

		if (from < s->start_ns)
			from = s->start_ns;
		if (to > s->end_ns)
			to = s->end_ns;
		if (to - from < s->end_ns - s->start_ns)
			local = residency_local(r, s->task, node, from, to,
						&known);
		c->local_ns += local;
		c->known_ns += known;
	}
}

static void fill_item(const struct filling *f, const struct track_item *i)
{
	const struct span *s = &i->span;
	struct grid *g = f->g;
	struct grid_run run = {
		.start_ns = s->start_ns,
		.end_ns = s->end_ns,
		.node = i->place,
		.unsure = s->flags & SPAN_F_UNSURE,
		.censored = track_censored(s),
	};

	if (!i->is_mixed && i->known_ns) {
		run.local = i->local_ns > 0;
		run.known = 1;
	}
	grid_span(g, f->row, track_from(s), &run, i->moved);
	if (f->k->is_cpu && i->home >= 0)
		grid_pages(g, f->row, i->home, s->start_ns, s->end_ns, 1);
	if (i->is_mixed && s->end_ns > g->from_ns &&
	    s->start_ns < g->to_ns)
		fill_mixed(f, i);
}

static void fill_chunk(const struct filling *f, const struct chunk *c,
		       int64_t id)
{
	struct chunk_reader r;
	struct track_item i;
	int ret;

	chunk_open(&r, f->t, f->k, c);
	while ((ret = chunk_next(&r, &i)) > 0)
		if ((i.span.end_ns > f->g->from_ns ||
		     i.span.start_ns >= f->g->from_ns) &&
		    (!f->only || f->only[i.span.task]))
			fill_item(f, &i);
	if (ret < 0)
		tracks_note(f->t, ret, id);
}

/* All of a part of the track lies in one bucket. */
static void add_whole(const struct filling *f, const struct sums *s,
		      const int64_t *by_node, int col)
{
	struct grid_cell *c = grid_at(f->g, f->row, col);
	int64_t *node_ns = grid_nodes(f->g, f->row, col);
	double *home_ns = grid_page_nodes(f->g, f->row, col);
	int i;

	c->ns[GRID_RUN] += s->run_ns;
	c->ns[GRID_WAIT] += s->wait_ns;
	c->ns[GRID_UNSURE] += s->unsure_ns;
	c->ns[GRID_CENSORED] += s->censored_ns;
	c->local_ns += s->local_ns;
	c->known_ns += s->known_ns;
	c->spans += s->nr_spans;
	c->node_moves += s->node_moves;
	if (f->k->is_cpu)
		node_ns[track_place(f->t, f->k->number)] += s->run_ns;
	for (i = 0; i < f->t->nr_nodes; i++)
		if (f->k->is_cpu)
			home_ns[i] += by_node[i];
		else
			node_ns[i] += by_node[i];
}

static bool is_whole(struct grid *g, const struct sums *s, int *col)
{
	*col = grid_col(g, s->from_ns);
	return *col >= 0 && *col < g->nr_cols && s->to_ns < g->edge[*col + 1];
}

static void fill_group(const struct filling *f, const struct group *group,
		       int level);

static void fill_entry(const struct filling *f, const struct entry *e,
		       int level)
{
	struct node *n;

	if (e->node == NODE_OPEN) {
		if (!level)
			fill_chunk(f, &f->spine->chunk, f->k->spine_node);
		return;
	}
	n = tracks_hold(f->t, e->node, level ? NODE_GROUP : NODE_CHUNK);
	if (!n)
		return;
	if (level)
		fill_group(f, &n->group, level - 1);
	else
		fill_chunk(f, &n->chunk, e->node);
	tracks_let_go(f->t, n);
}

static void fill_group(const struct filling *f, const struct group *group,
		       int level)
{
	struct grid *g = f->g;
	int i, col;

	for (i = 0; i < group->nr; i++) {
		const struct entry *e = &group->entry[i];

		if (e->later_from_ns >= g->to_ns)
			break;
		if (e->sums.to_ns < g->from_ns || e->sums.from_ns >= g->to_ns)
			continue;
		if (!f->only && is_whole(g, &e->sums, &col))
			add_whole(f, &e->sums,
				  group->by_node + (size_t)i * f->t->nr_nodes,
				  col);
		else
			fill_entry(f, e, level);
	}
}

/* The spine of a track; *n is to be let go.  NULL: it cannot be read. */
static const struct spine *hold_spine(const struct tracks *t,
				      const struct track *k, struct node **n)
{
	*n = NULL;
	if (k->spine)
		return k->spine;
	*n = tracks_hold(t, k->spine_node, NODE_SPINE);
	return *n ? (*n)->spine : NULL;
}

int tracks_read_ahead(const struct tracks *t, int task)
{
	int end = task + AHEAD_TASKS;
	struct node *n;

	for (; task < end && task < t->from.nr_tasks; task++) {
		if (!t->task[task].sums.nr_spans)
			continue;
		if (pool_is_full(t->pool) || !hold_spine(t, &t->task[task], &n))
			return -1;
		tracks_let_go(t, n);
	}
	return task < t->from.nr_tasks ? task : -1;
}

static void fill(struct filling *f)
{
	const struct sums *s = &f->k->sums;
	struct node *n;
	int level, col;

	assert(f->g->nr_nodes == f->t->nr_nodes);
	if (!s->nr_spans || s->to_ns < f->g->from_ns ||
	    s->from_ns >= f->g->to_ns)
		return;
	if (!f->only && is_whole(f->g, s, &col)) {
		add_whole(f, s, f->k->by_node, col);
		return;
	}
	f->spine = hold_spine(f->t, f->k, &n);
	for (level = f->spine ? f->spine->nr_levels - 1 : -1; level >= 0;
	     level--)
		fill_group(f, &f->spine->level[level], level);
	tracks_let_go(f->t, n);
}

void tracks_fill(const struct tracks *t, enum track_kind kind, int number,
		 struct grid *g, int row)
{
	fill(&(struct filling){ .t = t, .k = track_of(t, kind, number),
				.g = g, .row = row });
}

void tracks_fill_cpu(const struct tracks *t, int cpu, const bool *only,
		     struct grid *g, int row)
{
	fill(&(struct filling){ .t = t, .k = track_of(t, TRACK_CPU, cpu),
				.g = g, .row = row, .only = only });
}

void tracks_total(const struct tracks *t, enum track_kind kind, int number,
		  struct track_total *total)
{
	const struct track *k = track_of(t, kind, number);
	const struct sums *s = &k->sums;

	*total = (struct track_total){
		.nr_spans = s->nr_spans,
		.run_ns = s->run_ns,
		.wait_ns = s->wait_ns,
		.local_ns = s->local_ns,
		.known_ns = s->known_ns,
		.node_moves = s->node_moves,
		.first_ns = k->first_ns,
		.last_ns = s->to_ns,
		.from_ns = s->from_ns,
		.last_state = k->last_state,
		.node_ns = k->is_cpu ? NULL : k->by_node,
	};
}

/* -- single spans --------------------------------------------------------- */

/* For one span, down to its chunk, which t->recent gets. */
struct search {
	const struct tracks *t;
	const struct track *k;
	int64_t first;		/* number of the first span of what is left */
	int64_t ns, number;	/* looked for: ends after ns; that number */
	bool by_time;
};

static bool is_before(const struct search *s, const struct entry *e)
{
	return s->by_time ? e->sums.to_ns <= s->ns :
			    s->first + e->sums.nr_spans <= s->number;
}

/* The entry that holds it; NULL: none. */
static const struct entry *entry_of(struct search *s, const struct group *g)
{
	int i;

	for (i = 0; i < g->nr; i++) {
		if (!is_before(s, &g->entry[i]))
			return &g->entry[i];
		s->first += g->entry[i].sums.nr_spans;
	}
	return NULL;
}

static void remember(struct search *s, const struct chunk *c, int64_t id)
{
	struct recent *r = s->t->recent;
	struct chunk_reader reader;
	int ret = 1;

	r->track = s->k;
	r->first = s->first;
	chunk_open(&reader, s->t, s->k, c);
	for (r->nr = 0; r->nr < CHUNK_SPANS && ret > 0; r->nr += ret > 0)
		ret = chunk_next(&reader, &r->item[r->nr]);
	if (ret < 0)
		tracks_note(s->t, ret, id);
}

/* Below an entry of a level of a group. */
static void descend(struct search *s, const struct spine *spine,
		    const struct entry *e, int level)
{
	struct node *n, *up = NULL;
	int64_t id;

	while (level > 0 && e) {
		n = tracks_hold(s->t, e->node, NODE_GROUP);
		tracks_let_go(s->t, up);
		up = n;
		e = n ? entry_of(s, &n->group) : NULL;
		level--;
	}
	id = e ? e->node : 0;
	if (e && id == NODE_OPEN) {
		remember(s, &spine->chunk, s->k->spine_node);
	} else if (e) {
		n = tracks_hold(s->t, id, NODE_CHUNK);
		if (n)
			remember(s, &n->chunk, id);
		tracks_let_go(s->t, n);
	}
	tracks_let_go(s->t, up);
}

static void look_up(struct search *s)
{
	const struct entry *e = NULL;
	const struct spine *spine;
	struct node *n;
	int level;

	s->t->recent->track = NULL;
	spine = hold_spine(s->t, s->k, &n);
	for (level = spine ? spine->nr_levels - 1 : -1; level >= 0; level--) {
		e = entry_of(s, &spine->level[level]);
		if (e)
			break;
	}
	if (e)
		descend(s, spine, e, level);
	tracks_let_go(s->t, n);
}

int64_t tracks_find(const struct tracks *t, enum track_kind kind, int number,
		    int64_t ns)
{
	const struct track *k = track_of(t, kind, number);
	struct search s = { .t = t, .k = k, .ns = ns, .by_time = true };
	const struct recent *r = t->recent;
	int i;

	if (!k->sums.nr_spans || k->sums.to_ns <= ns)
		return k->sums.nr_spans;
	look_up(&s);
	for (i = 0; r->track && i < r->nr - 1; i++)
		if (r->item[i].span.end_ns > ns)
			break;
	return s.first + (r->track ? i : 0);
}

void tracks_get(const struct tracks *t, enum track_kind kind, int number,
		int64_t i, struct span *s)
{
	const struct track *k = track_of(t, kind, number);
	const struct recent *r = t->recent;
	struct search search = { .t = t, .k = k, .number = i };

	assert(i >= 0 && i < k->sums.nr_spans);
	if (r->track != k || i < r->first || i >= r->first + r->nr)
		look_up(&search);
	if (r->track == k && i >= r->first && i < r->first + r->nr)
		*s = r->item[i - r->first].span;
	else	/* it cannot be read: tracks_error() says why */
		*s = (struct span){ .task = k->is_cpu ? 0 : k->number,
				    .cpu = k->is_cpu ? k->number : 0,
				    .start_ns = k->first_ns,
				    .end_ns = k->first_ns, .ready_ns = -1,
				    .waker = -1 };
}
