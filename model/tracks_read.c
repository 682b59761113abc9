/* SPDX-License-Identifier: MIT */
/* Reading tracks: rows of a grid, totals, single spans. */
#include "model/tracks.h"

#include "model/residency.h"
#include "model/tracks_local.h"

#include <assert.h>

static const struct track *track_of(const struct tracks *t,
				    enum track_kind kind, int number)
{
	static const struct track none;

	if (kind == TRACK_TASK && number >= 0 && number < t->from.nr_tasks)
		return &t->task[number];
	if (kind == TRACK_CPU && number >= 0 && number < t->topo->nr_cpu_ids)
		return &t->cpu[number];
	return &none;
}

void track_item(const struct tracks *t, const struct track *k, int block,
		int index, struct track_item *i)
{
	const struct block *b;
	const struct item *p;
	int64_t start;

	if (k->refs) {
		uint32_t at = k->refs[block]->item[index];

		b = t->block[at >> BLOCK_BITS];
		index = at & (BLOCK_SPANS - 1);
	} else {
		b = t->block[k->block[block]];
	}
	p = &b->item[index];
	start = b->base_ns + p->at;
	i->span = (struct span){
		.task = b->task,
		.cpu = p->cpu,
		.start_ns = start,
		.end_ns = start + (p->len == WIDE ? b->sums.run_ns : p->len),
		.ready_ns = p->wait == WAIT_UNKNOWN ? -1 :
			    p->wait == WIDE	    ? start - b->sums.wait_ns :
						      start - p->wait,
		.waker = p->waker,
		.state = p->state_flags & 15,
		.flags = p->state_flags >> 4,
	};
	i->home = p->home == NO_HOME ? -1 : p->home;
	i->local = (double)p->local / SHARE_ALL;
	i->known = (double)p->known / SHARE_ALL;
	i->is_mixed = p->known && (p->known < SHARE_ALL ||
				   (p->local && p->local < SHARE_ALL));
}

/* The first block that reaches beyond ns: ends are in order. */
static int first_block(const struct tracks *t, const struct track *k,
		       int64_t ns)
{
	int lo = 0, hi = k->nr_blocks;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (track_sums(t, k, mid)->to_ns > ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Where a track goes. */
struct filling {
	const struct tracks *t;
	const struct track *k;
	struct grid *g;
	int row;
};

/* An item whose locality is neither all nor nothing is asked for anew where an
 * edge cuts it: its share is not spread evenly. */
static void fill_cut(const struct filling *f, const struct span *s)
{
	const struct tracks *t = f->t;
	struct grid *g = f->g;
	int node = topo_node_of(t->topo, s->cpu);
	int col = grid_col(g, s->start_ns > g->from_ns ? s->start_ns :
							 g->from_ns);

	for (; col < g->nr_cols && g->edge[col] < s->end_ns; col++) {
		struct grid_cell *c = grid_at(g, f->row, col);
		int64_t from = g->edge[col], to = g->edge[col + 1];
		double known;

		if (from < s->start_ns)
			from = s->start_ns;
		if (to > s->end_ns)
			to = s->end_ns;
		if (from >= to)
			continue;
		c->local_ns += residency_local(t->from.residency, s->task, node,
					       from, to, &known);
		c->known_ns += known;
	}
}

static void fill_item(const struct filling *f, const struct track_item *i,
		      bool moved)
{
	const struct tracks *t = f->t;
	const struct span *s = &i->span;
	struct grid *g = f->g;
	struct grid_run run = {
		.start_ns = s->start_ns,
		.end_ns = s->end_ns,
		.node = track_place(t, s->cpu),
		.unsure = s->flags & SPAN_F_UNSURE,
		.censored = track_censored(s),
	};
	bool even = !i->is_mixed || !t->from.residency;

	if (even) {
		run.local = i->local;
		run.known = i->known;
	}
	grid_span(g, f->row, track_from(s), &run, moved);
	if (f->k->refs && i->home >= 0)
		grid_pages(g, f->row, i->home, s->start_ns, s->end_ns, 1);
	if (!even && s->end_ns > g->from_ns && s->start_ns < g->to_ns)
		fill_cut(f, s);
}

static void fill_block(const struct filling *f, int block)
{
	const struct tracks *t = f->t;
	const struct track *k = f->k;
	int last = -1, i, n = track_nr(t, k, block);
	struct track_item it;

	if (!k->refs && block) {
		track_item(t, k, block - 1, track_nr(t, k, block - 1) - 1, &it);
		last = track_place(t, it.span.cpu);
	}
	for (i = 0; i < n; i++) {
		int place;

		track_item(t, k, block, i, &it);
		place = track_place(t, it.span.cpu);
		if (it.span.end_ns > f->g->from_ns ||
		    it.span.start_ns >= f->g->from_ns)
			fill_item(f, &it,
				  !k->refs && last >= 0 && last != place);
		last = place;
	}
}

static void add_block(const struct filling *f, int block, int col)
{
	const struct tracks *t = f->t;
	const struct track *k = f->k;
	const struct sums *s = track_sums(t, k, block);
	struct grid_cell *c = grid_at(f->g, f->row, col);
	int64_t *node_ns = grid_nodes(f->g, f->row, col);
	double *home_ns = grid_page_nodes(f->g, f->row, col);
	struct track_item it;
	int i;

	c->ns[GRID_RUN] += s->run_ns;
	c->ns[GRID_WAIT] += s->wait_ns;
	c->ns[GRID_UNSURE] += s->unsure_ns;
	c->ns[GRID_CENSORED] += s->censored_ns;
	c->local_ns += s->local_ns;
	c->known_ns += s->known_ns;
	c->spans += track_nr(t, k, block);
	c->node_moves += s->node_moves;
	if (k->refs) {
		track_item(t, k, block, 0, &it);
		node_ns[track_place(t, it.span.cpu)] += s->run_ns;
		for (i = 0; i < t->nr_nodes; i++)
			home_ns[i] += k->refs[block]->home_ns[i];
		return;
	}
	for (i = 0; i < t->nr_nodes; i++)
		node_ns[i] += t->block[k->block[block]]->node_ns[i];
}

void tracks_fill(const struct tracks *t, enum track_kind kind, int number,
		 struct grid *g, int row)
{
	const struct track *k = track_of(t, kind, number);
	const struct filling f = { t, k, g, row };
	int b = first_block(t, k, g->from_ns - 1);

	assert(g->nr_nodes == t->nr_nodes);
	for (; b < k->nr_blocks; b++) {
		const struct sums *s = track_sums(t, k, b);
		int col;

		if (s->later_from_ns >= g->to_ns)
			break;
		col = grid_col(g, s->from_ns);
		if (col >= 0 && col < g->nr_cols &&
		    s->to_ns < g->edge[col + 1])
			add_block(&f, b, col);
		else
			fill_block(&f, b);
	}
}

void tracks_total(const struct tracks *t, enum track_kind kind, int number,
		  struct track_total *total)
{
	*total = track_of(t, kind, number)->total;
}

/* Number of the first span of a block. */
static int64_t first_of(const struct tracks *t, const struct track *k,
			int block)
{
	return k->refs ? (int64_t)block * BLOCK_SPANS :
			 t->block[k->block[block]]->first;
}

int64_t tracks_find(const struct tracks *t, enum track_kind kind, int number,
		    int64_t ns)
{
	const struct track *k = track_of(t, kind, number);
	int b = first_block(t, k, ns), i;
	struct track_item it;

	if (b == k->nr_blocks)
		return k->nr_spans;
	for (i = 0; i < track_nr(t, k, b) - 1; i++) {
		track_item(t, k, b, i, &it);
		if (it.span.end_ns > ns)
			break;
	}
	return first_of(t, k, b) + i;
}

void tracks_get(const struct tracks *t, enum track_kind kind, int number,
		int64_t i, struct span *s)
{
	const struct track *k = track_of(t, kind, number);
	int lo = 0, hi = k->nr_blocks;
	struct track_item it;

	assert(i >= 0 && i < k->nr_spans);
	while (hi - lo > 1) {
		int mid = lo + (hi - lo) / 2;

		if (first_of(t, k, mid) <= i)
			lo = mid;
		else
			hi = mid;
	}
	track_item(t, k, lo, i - first_of(t, k, lo), &it);
	*s = it.span;
}
