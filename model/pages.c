/* SPDX-License-Identifier: MIT */
#include "model/pages.h"

#include "model/err.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Every so many changes the whole state is kept, to start from there. */
#define KEEP_EVERY 256

struct change {
	int64_t ts;
	int64_t pages;
	int node;	/* place */
};

struct steps {
	int nr, size;
	struct change *change;
	int nr_kept;
	int64_t **kept;		/* [i][place]: before change i * KEEP_EVERY */
	int64_t *now;		/* [place]: after the last change */
};

/* Where most of a process's pages were, from a time on. */
struct home {
	int64_t ts;
	int node;		/* place */
};

struct proc {
	int nr, size;
	struct home *home;
	int64_t *now;		/* [place]: over all its areas */
};

struct pages {
	int nr_nodes;
	int *place;		/* by node */
	int nr_node_ids;
	int nr_areas;
	struct steps *steps;	/* by area */
	int nr_procs;
	struct proc *proc;
	int *proc_of;		/* by area; -1: of none */
	int *first;		/* [nr_procs + 1]: into by_proc */
	int *by_proc;		/* areas sorted by process */
	int64_t last_ts;
	int64_t *count, *since;	/* [place]: scratch of fill() and pages_at() */
};

static bool has_areas(const struct pages *p, int proc)
{
	return proc >= 0 && proc < p->nr_procs;
}

static int sort_areas(struct pages *p, const struct areas *areas,
		      struct err *err)
{
	int i;

	p->first = calloc(p->nr_procs + 2, sizeof(*p->first));
	p->by_proc = calloc(areas->nr + 1, sizeof(*p->by_proc));
	p->proc_of = calloc(areas->nr + 1, sizeof(*p->proc_of));
	p->proc = calloc(p->nr_procs + 1, sizeof(*p->proc));
	if (!p->first || !p->by_proc || !p->proc_of || !p->proc)
		return err_nomem(err);
	for (i = 0; i < areas->nr; i++)
		p->proc_of[i] = has_areas(p, areas->area[i].proc) ?
					areas->area[i].proc : -1;
	/* A counting sort; the counts are kept one place ahead, so that after
	 * the areas are dealt out each is the start of the next process. */
	for (i = 0; i < areas->nr; i++)
		if (has_areas(p, areas->area[i].proc))
			p->first[areas->area[i].proc + 2]++;
	for (i = 2; i < p->nr_procs + 2; i++)
		p->first[i] += p->first[i - 1];
	for (i = 0; i < areas->nr; i++)
		if (has_areas(p, areas->area[i].proc))
			p->by_proc[p->first[areas->area[i].proc + 1]++] = i;
	return 0;
}

struct pages *pages_new(const struct topo *topo, const struct areas *areas,
			int nr_tasks, struct err *err)
{
	struct pages *p = calloc(1, sizeof(*p));
	int node;

	if (!p) {
		err_nomem(err);
		return NULL;
	}
	p->last_ts = INT64_MIN;
	p->nr_node_ids = topo->nr_node_ids;
	p->nr_areas = areas->nr;
	p->nr_procs = nr_tasks;
	p->steps = calloc(areas->nr + 1, sizeof(*p->steps));
	p->place = calloc(topo->nr_node_ids + 1, sizeof(*p->place));
	if (!p->steps || !p->place) {
		err_nomem(err);
		pages_free(p);
		return NULL;
	}
	for (node = 0; node < topo->nr_node_ids; node++)
		p->place[node] = topo->node[node].present ? p->nr_nodes++ : -1;
	p->count = calloc(p->nr_nodes + 1, sizeof(*p->count));
	p->since = calloc(p->nr_nodes + 1, sizeof(*p->since));
	if (!p->count || !p->since || sort_areas(p, areas, err) < 0) {
		err_nomem(err);
		pages_free(p);
		return NULL;
	}
	return p;
}

void pages_free(struct pages *p)
{
	int i, k;

	if (!p)
		return;
	for (i = 0; p->steps && i < p->nr_areas; i++) {
		struct steps *s = &p->steps[i];

		for (k = 0; k < s->nr_kept; k++)
			free(s->kept[k]);
		free(s->kept);
		free(s->change);
		free(s->now);
	}
	for (i = 0; p->proc && i < p->nr_procs; i++) {
		free(p->proc[i].home);
		free(p->proc[i].now);
	}
	free(p->proc);
	free(p->proc_of);
	free(p->steps);
	free(p->place);
	free(p->first);
	free(p->by_proc);
	free(p->count);
	free(p->since);
	free(p);
}

static int keep(const struct pages *p, struct steps *s)
{
	int64_t **kept;

	if (!s->now)
		s->now = calloc(p->nr_nodes + 1, sizeof(*s->now));
	kept = realloc(s->kept, (s->nr_kept + 1) * sizeof(*kept));
	if (!kept || !s->now) {
		s->kept = kept ? kept : s->kept;
		return ERR_NOMEM;
	}
	s->kept = kept;
	kept[s->nr_kept] = malloc((p->nr_nodes + 1) * sizeof(**kept));
	if (!kept[s->nr_kept])
		return ERR_NOMEM;
	memcpy(kept[s->nr_kept], s->now, p->nr_nodes * sizeof(**kept));
	s->nr_kept++;
	return 0;
}

static int most(const struct pages *p, const int64_t *count, int before)
{
	int n, best = before;

	for (n = 0; n < p->nr_nodes; n++)
		if (count[n] > (best < 0 ? 0 : count[best]))
			best = n;
	return best >= 0 && !count[best] ? -1 : best;
}

static int note_home(struct pages *p, struct proc *q, int64_t ts, int place,
		     int64_t more)
{
	int before = q->nr ? q->home[q->nr - 1].node : -1, now;

	if (!q->now)
		q->now = calloc(p->nr_nodes + 1, sizeof(*q->now));
	if (!q->now)
		return ERR_NOMEM;
	q->now[place] += more;
	now = most(p, q->now, before);
	if (now == before)
		return 0;
	if (q->nr == q->size) {
		int room = q->size ? q->size * 2 : 4;
		void *h = realloc(q->home, room * sizeof(*q->home));

		if (!h)
			return ERR_NOMEM;
		q->home = h;
		q->size = room;
	}
	q->home[q->nr++] = (struct home){ ts, now };
	return 0;
}

int pages_change(struct pages *p, const struct mem_change *m, struct err *err)
{
	struct steps *s;
	int place;

	if (m->area < 0 || m->area >= p->nr_areas || m->node < 0 ||
	    m->node >= p->nr_node_ids || p->place[m->node] < 0 || m->pages < 0)
		return err_set(err, ERR_FORMAT,
			       "%lld pages of area %d on node %d make no sense",
			       (long long)m->pages, m->area, m->node);
	if (m->ts < p->last_ts)
		return err_set(err, ERR_FORMAT,
			       "memory changes are out of order at %lld ns",
			       (long long)m->ts);
	p->last_ts = m->ts;
	place = p->place[m->node];
	s = &p->steps[m->area];
	if (s->nr % KEEP_EVERY == 0 && keep(p, s) < 0)
		return err_nomem(err);
	if (s->nr == s->size) {
		int more = s->size ? s->size * 2 : 8;
		void *c = realloc(s->change, more * sizeof(*s->change));

		if (!c)
			return err_nomem(err);
		s->change = c;
		s->size = more;
	}
	s->change[s->nr++] = (struct change){ m->ts, m->pages, place };
	if (p->proc_of[m->area] >= 0 &&
	    note_home(p, &p->proc[p->proc_of[m->area]], m->ts, place,
		      m->pages - s->now[place]) < 0)
		return err_nomem(err);
	s->now[place] = m->pages;
	return 0;
}

/* The first change after ns, with the state before it in count[]. */
static int state_at(const struct pages *p, const struct steps *s, int64_t ns,
		    int64_t *count)
{
	int lo = 0, hi = s->nr, i;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (s->change[mid].ts > ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (!lo) {
		memset(count, 0, p->nr_nodes * sizeof(*count));
		return 0;
	}
	i = (lo - 1) / KEEP_EVERY;
	memcpy(count, s->kept[i], p->nr_nodes * sizeof(*count));
	for (i *= KEEP_EVERY; i < lo; i++)
		count[s->change[i].node] = s->change[i].pages;
	return lo;
}

static void fill(const struct pages *p, const struct steps *s, struct grid *g,
		 int row)
{
	int64_t *count = p->count, *since = p->since;
	int64_t gained = 0, lost = 0;
	int i, n;

	if (!s->nr || s->change[0].ts >= g->to_ns)
		return;
	i = state_at(p, s, g->from_ns - 1, count);
	for (n = 0; n < p->nr_nodes; n++)
		since[n] = g->from_ns;
	for (; i < s->nr && s->change[i].ts < g->to_ns; i++) {
		const struct change *c = &s->change[i];

		grid_pages(g, row, c->node, since[c->node], c->ts,
			   count[c->node]);
		if (c->pages > count[c->node])
			gained += c->pages - count[c->node];
		else
			lost += count[c->node] - c->pages;
		since[c->node] = c->ts;
		count[c->node] = c->pages;
		if (i + 1 < s->nr && s->change[i + 1].ts == c->ts)
			continue;
		grid_pages_moved(g, row, c->ts, gained < lost ? gained : lost);
		gained = lost = 0;
	}
	for (n = 0; n < p->nr_nodes; n++)
		grid_pages(g, row, n, since[n], g->to_ns, count[n]);
}

void pages_fill_area(const struct pages *p, int area, struct grid *g, int row)
{
	assert(g->nr_nodes == p->nr_nodes);
	if (area >= 0 && area < p->nr_areas)
		fill(p, &p->steps[area], g, row);
}

void pages_fill_proc(const struct pages *p, int proc, struct grid *g, int row)
{
	int i;

	assert(g->nr_nodes == p->nr_nodes);
	for (i = has_areas(p, proc) ? p->first[proc] : 0;
	     has_areas(p, proc) && i < p->first[proc + 1]; i++)
		fill(p, &p->steps[p->by_proc[i]], g, row);
}

void pages_at(const struct pages *p, int proc, int64_t ns, int64_t *count)
{
	int i, n;

	if (!has_areas(p, proc))
		return;
	for (i = p->first[proc]; i < p->first[proc + 1]; i++) {
		const struct steps *s = &p->steps[p->by_proc[i]];

		if (!s->nr)
			continue;
		state_at(p, s, ns, p->count);
		for (n = 0; n < p->nr_nodes; n++)
			count[n] += p->count[n];
	}
}

bool pages_known(const struct pages *p, int proc)
{
	int i;

	if (!has_areas(p, proc))
		return false;
	for (i = p->first[proc]; i < p->first[proc + 1]; i++)
		if (p->steps[p->by_proc[i]].nr)
			return true;
	return false;
}

int pages_home(const struct pages *p, int proc, int64_t ns)
{
	int lo = 0, hi = has_areas(p, proc) ? p->proc[proc].nr : 0;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (p->proc[proc].home[mid].ts > ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo ? p->proc[proc].home[lo - 1].node : -1;
}
