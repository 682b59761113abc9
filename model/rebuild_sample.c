/* SPDX-License-Identifier: MIT */
#include "model/rebuild_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

static struct demand_mem change_of(const struct rebuild *r, int area, int code)
{
	int proc = r->args.areas->area[area].proc;

	return (struct demand_mem){
		.ts = r->now, .task = r->proc[proc].last_task, .code = code,
		.area = area,
	};
}

static int tell_free(struct rebuild *r, int area, int node, int64_t pages,
		     struct err *err)
{
	struct demand_mem m = change_of(r, area, DEMAND_FREE_AT);

	m.from = node;
	m.pages = pages;
	return rb_tell(r, &m, err);
}

/* The area is gone. */
static int free_all(struct rebuild *r, int area, struct err *err)
{
	for (int n = 0; n < r->nr_nodes; n++) {
		int64_t pages = rebuild_pages(r, area, n);

		if (pages && (rb_add(r, area, n, -pages, err) ||
			      tell_free(r, area, n, pages, err)))
			return err->code;
	}
	return 0;
}

static void drop_places(struct rebuild *r, int area)
{
	struct rb_proc *p = &r->proc[r->args.areas->area[area].proc];

	for (int i = 0; p->space && i < p->space->nr_ranges; i++) {
		const struct area_range *range =
			&r->args.map->range[p->space->first_range + i];

		if (range->area == area && !rb_is_huge(r, area))
			pagemap_drop(&p->place, range->first, range->last);
	}
}

/* Ends the reading of a process's numa_maps: what it passed by is gone. */
static int end_round(struct rebuild *r, struct rb_proc *p, struct err *err)
{
	for (int i = p->first_area; i >= 0; i = r->area[i].next) {
		struct rb_area *a = &r->area[i];

		if (!a->sampled || a->seen_ns == p->round_ns ||
		    r->args.areas->area[i].start > p->round_start)
			continue;
		a->sampled = false;
		a->by = AREA_BY_SAMPLES;
		if (!a->total)
			continue;
		r->count[REBUILD_AREAS_GONE]++;
		drop_places(r, i);
		if (free_all(r, i, err))
			return err->code;
	}
	p->round = false;
	return 0;
}

static int note_round(struct rebuild *r, const struct rebuild_sample *s,
		      struct err *err)
{
	const struct area *area = &r->args.areas->area[s->area];
	struct rb_proc *p = &r->proc[area->proc];

	if (p->round && p->round_ns != s->ts && end_round(r, p, err))
		return err->code;
	if (!p->round) {
		p->round = true;
		p->round_ns = s->ts;
		p->round_start = 0;
	}
	if (area->start > p->round_start)
		p->round_start = area->start;
	r->area[s->area].seen_ns = s->ts;
	r->area[s->area].sampled = true;
	return 0;
}

static void compare(struct rebuild *r, const struct rebuild_sample *s)
{
	for (int n = 0; n < r->nr_nodes; n++) {
		int64_t have = rebuild_pages(r, s->area, n);
		int64_t want = s->pages[n];

		r->count[REBUILD_COMPARED] += want;
		if (want > have)
			r->count[REBUILD_DIFFERING] += want - have;
	}
}

/* Where pages are followed one by one, those that were found elsewhere get their
 * new places: any that were on the node, since a sample does not tell which. */
static int find_elsewhere(struct rebuild *r, const struct demand_mem *m,
			  struct err *err)
{
	struct rb_proc *p = &r->proc[r->args.areas->area[m->area].proc];
	uint64_t unit = rb_is_huge(r, m->area) ? AREA_BLOCK : 1;
	uint64_t left = (uint64_t)m->pages / unit;

	if (r->area[m->area].by != AREA_BY_FAULTS)
		return 0;
	r->count[REBUILD_CORRECTED] += m->pages;
	for (int i = 0; p->space && i < p->space->nr_ranges; i++) {
		const struct area_range *range =
			&r->args.map->range[p->space->first_range + i];
		uint64_t key = range->first / unit;

		if (range->area != m->area)
			continue;
		for (; left && key <= range->last / unit; key++) {
			uint64_t at = unit > 1 ? key | RB_HUGE_KEY : key;
			int value = pagemap_get(&p->place, at);

			if (rb_node_of(value) != m->from)
				continue;
			if (pagemap_set(&p->place, at,
					m->to | (value & RB_HINTED)))
				return err_nomem(err);
			left--;
		}
	}
	return 0;
}

/* Moves from nodes that have too many to those that have too few. */
static int level(struct rebuild *r, const struct rebuild_sample *s,
		 struct err *err)
{
	int to = 0;

	for (int from = 0; from < r->nr_nodes; from++) {
		int64_t over = rebuild_pages(r, s->area, from) -
			       s->pages[from];

		while (over > 0 && to < r->nr_nodes) {
			struct demand_mem m = change_of(r, s->area,
							DEMAND_FOUND);
			int64_t under = s->pages[to] -
					rebuild_pages(r, s->area, to);

			if (under <= 0) {
				to++;
				continue;
			}
			m.from = from;
			m.to = to;
			m.pages = over < under ? over : under;
			if (find_elsewhere(r, &m, err) || rb_move(r, &m, err))
				return err->code;
			over -= m.pages;
		}
	}
	return 0;
}

static int follow(struct rebuild *r, const struct rebuild_sample *s,
		  struct err *err)
{
	if (level(r, s, err))
		return err->code;
	for (int n = 0; n < r->nr_nodes; n++) {
		int64_t more = s->pages[n] - rebuild_pages(r, s->area, n);
		struct demand_mem m = change_of(r, s->area, DEMAND_TOUCH);

		if (!more)
			continue;
		m.to = n;
		m.pages = more;
		if (rb_add(r, s->area, n, more, err) ||
		    (more > 0 ? rb_tell(r, &m, err) :
				tell_free(r, s->area, n, -more, err)))
			return err->code;
	}
	return 0;
}

/* Pages that are marked for a hinting fault 'e' does not know. */
static bool is_exact(const struct rebuild *r, const struct rebuild_sample *s)
{
	int64_t total = 0;

	for (int n = 0; n < r->nr_nodes; n++)
		total += s->pages[n];
	return s->source == 'm' ||
	       (s->source == 'e' && total == r->area[s->area].total);
}

/* What two samples at rest say is true of where the pages are. */
static int correct(struct rebuild *r, const struct rebuild_sample *s,
		   struct err *err)
{
	struct rb_area *a = &r->area[s->area];
	size_t size = (size_t)r->nr_nodes * sizeof(*a->exact);
	bool at_rest = a->exact && a->event_ns < a->exact_ns &&
		       !memcmp(a->exact, s->pages, size);

	if (!a->exact)
		a->exact = malloc(size);
	if (!a->exact)
		return err_nomem(err);
	memcpy(a->exact, s->pages, size);
	a->exact_ns = s->ts;
	return at_rest ? level(r, s, err) : 0;
}

int rebuild_sample(struct rebuild *r, const struct rebuild_sample *s,
		   struct err *err)
{
	if (s->ts > r->now)
		r->now = s->ts;
	if (rebuild_flush(r, r->now, err))
		return err->code;
	if (s->source == 'm' && note_round(r, s, err))
		return err->code;
	if (r->area[s->area].by == AREA_BY_FAULTS) {
		compare(r, s);
		return is_exact(r, s) ? correct(r, s, err) : 0;
	}
	return follow(r, s, err);
}
