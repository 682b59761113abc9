/* SPDX-License-Identifier: MIT */
#include "model/rebuild_local.h"

#include "model/err.h"
#include "model/topo.h"

#include <stdlib.h>
#include <string.h>

#define STEP_NS 1000000		/* changes are given this often */
#define SLOTS_MIN 256

static const char *const count_name[REBUILD_NR_COUNTS] = {
	[REBUILD_FIRST_TOUCHES] = "first_touches",
	[REBUILD_HINTING_FAULTS] = "hinting_faults",
	[REBUILD_HINTING_LOCAL] = "hinting_faults_local",
	[REBUILD_RETOUCHES] = "retouches",
	[REBUILD_PAGES_MOVED] = "pages_moved",
	[REBUILD_PAGES_NOT_MOVED] = "pages_not_moved",
	[REBUILD_MOVES_UNPLACED] = "moves_unplaced",
	[REBUILD_OTHER_MOVES] = "other_moves",
	[REBUILD_HUGE_AREAS] = "huge_areas",
	[REBUILD_AREAS_GONE] = "areas_gone",
	[REBUILD_COMPARED] = "pages_compared",
	[REBUILD_DIFFERING] = "pages_differing",
	[REBUILD_CORRECTED] = "pages_corrected",
};

const char *rebuild_count_name(int count)
{
	if (count < 0 || count >= REBUILD_NR_COUNTS)
		return NULL;
	return count_name[count];
}

int64_t rebuild_count(const struct rebuild *r, int count)
{
	return r->count[count];
}

static const struct area_space *first_space(const struct rebuild *r, int proc)
{
	const struct area_map *map = r->args.map;
	int id = map->first_space[proc];

	return id >= 0 && !map->space[id].exec ? &map->space[id] : NULL;
}

static void init_state(struct rebuild *r)
{
	const struct areas *areas = r->args.areas;

	for (int i = 0; i < r->args.tasks->nr; i++) {
		r->task[i].first_access = -1;
		r->proc[i].first_area = -1;
		r->proc[i].last_task = i;
		r->proc[i].space = first_space(r, i);
	}
	for (int a = areas->nr - 1; a >= 0; a--) {
		struct rb_proc *p = &r->proc[areas->area[a].proc];

		r->area[a].by = r->args.map->info[a].by;
		r->area[a].event_ns = INT64_MIN;
		r->area[a].next = p->first_area;
		p->first_area = a;
		r->count[REBUILD_HUGE_AREAS] += rb_is_huge(r, a);
	}
}

int rebuild_new(struct rebuild **out, const struct rebuild_args *args,
		struct err *err)
{
	struct rebuild *r = calloc(1, sizeof(*r));
	size_t nr = (size_t)args->tasks->nr;

	*out = NULL;
	if (!r)
		return err_nomem(err);
	r->args = *args;
	r->ops = *args->ops;
	if (r->args.page_size <= 0)
		r->args.page_size = 4096;
	r->nr_nodes = args->topo->nr_node_ids;
	r->now = args->start_ns;
	r->due_ns = INT64_MAX;
	r->balancing = args->numa_balancing < 0 ? args->map->numa_seen :
						  args->numa_balancing > 0;
	r->area = calloc((size_t)args->areas->nr + 1, sizeof(*r->area));
	r->proc = calloc(nr + 1, sizeof(*r->proc));
	r->task = calloc(nr + 1, sizeof(*r->task));
	r->access_slot = calloc(SLOTS_MIN, sizeof(*r->access_slot));
	r->access_mask = SLOTS_MIN - 1;
	if (!r->area || !r->proc || !r->task || !r->access_slot) {
		err_nomem(err);
		goto out;
	}
	if (tidmap_init(&r->tids, args->tasks, err))
		goto out;
	init_state(r);
	*out = r;
	return 0;
out:
	rebuild_free(r);
	return err->code;
}

void rebuild_free(struct rebuild *r)
{
	if (!r)
		return;
	for (int i = 0; r->area && i < r->args.areas->nr; i++) {
		free(r->area[i].pages);
		free(r->area[i].exact);
	}
	for (int i = 0; r->proc && i < r->args.tasks->nr; i++) {
		pagemap_release(&r->proc[i].place);
		free(r->proc[i].pages);
	}
	free(r->area);
	free(r->proc);
	free(r->task);
	free(r->access);
	free(r->access_slot);
	free(r->dirty);
	tidmap_release(&r->tids);
	free(r);
}

/* -- pages per node ------------------------------------------------------- */

static int mark_dirty(struct rebuild *r, int area, struct err *err)
{
	int *list;

	if (r->area[area].dirty)
		return 0;
	if (r->nr_dirty == r->size_dirty) {
		int size = r->size_dirty ? 2 * r->size_dirty : 64;

		list = realloc(r->dirty, (size_t)size * sizeof(*list));
		if (!list)
			return err_nomem(err);
		r->dirty = list;
		r->size_dirty = size;
	}
	if (!r->nr_dirty)
		r->due_ns = r->now - (r->now - r->args.start_ns) % STEP_NS +
			    STEP_NS;
	r->area[area].dirty = true;
	r->dirty[r->nr_dirty++] = area;
	return 0;
}

int rb_add(struct rebuild *r, int area, int node, int64_t pages,
	   struct err *err)
{
	struct rb_area *a = &r->area[area];
	struct rb_proc *p = &r->proc[r->args.areas->area[area].proc];
	size_t nr = (size_t)r->nr_nodes;

	if (!a->pages)
		a->pages = calloc(2 * nr + 1, sizeof(*a->pages));
	if (!p->pages)
		p->pages = calloc(nr + 1, sizeof(*p->pages));
	if (!a->pages || !p->pages)
		return err_nomem(err);
	if (pages < -a->pages[node])
		pages = -a->pages[node];
	a->pages[node] += pages;
	a->total += pages;
	p->pages[node] += pages;
	return mark_dirty(r, area, err);
}

int rb_tell(struct rebuild *r, const struct demand_mem *m, struct err *err)
{
	return r->ops.change ? r->ops.change(r->args.ctx, m, err) : 0;
}

int rb_move(struct rebuild *r, const struct demand_mem *m, struct err *err)
{
	struct demand_mem some = *m, rest = *m;

	some.pages = m->from < 0 || m->from == m->to ? 0 :
		rebuild_pages(r, m->area, m->from);
	if (some.pages > m->pages)
		some.pages = m->pages;
	rest.pages -= some.pages;
	rest.from = m->to;
	if (some.pages &&
	    (rb_add(r, m->area, m->from, -some.pages, err) ||
	     rb_add(r, m->area, m->to, some.pages, err) ||
	     rb_tell(r, &some, err)))
		return err->code;
	return rest.pages && m->code == DEMAND_MOVED ? rb_tell(r, &rest, err) :
						       0;
}

int rb_clear(struct rebuild *r, int area, struct err *err)
{
	struct rb_area *a = &r->area[area];

	for (int n = 0; a->total && n < r->nr_nodes; n++)
		if (a->pages[n] && rb_add(r, area, n, -a->pages[n], err))
			return err->code;
	return 0;
}

int64_t rebuild_pages(const struct rebuild *r, int area, int node)
{
	return r->area[area].pages ? r->area[area].pages[node] : 0;
}

/* -- output --------------------------------------------------------------- */

static int give(struct rebuild *r, int area, int64_t ts, struct err *err)
{
	struct rb_area *a = &r->area[area];
	int64_t *given = a->pages + r->nr_nodes;

	for (int n = 0; n < r->nr_nodes; n++) {
		const struct mem_change m = {
			.ts = ts, .area = area, .node = n,
			.pages = a->pages[n],
		};

		if (a->pages[n] == given[n])
			continue;
		given[n] = a->pages[n];
		if (r->ops.mem && r->ops.mem(r->args.ctx, &m, err))
			return err->code;
	}
	return 0;
}

static int give_dirty(struct rebuild *r, int64_t ts, struct err *err)
{
	for (int i = 0; i < r->nr_dirty; i++) {
		r->area[r->dirty[i]].dirty = false;
		if (give(r, r->dirty[i], ts, err))
			return err->code;
	}
	r->nr_dirty = 0;
	r->due_ns = INT64_MAX;
	return 0;
}

int rebuild_flush(struct rebuild *r, int64_t until, struct err *err)
{
	return until >= r->due_ns ? give_dirty(r, r->due_ns, err) : 0;
}

int rebuild_finish(struct rebuild *r, struct err *err)
{
	int64_t end = r->args.end_ns > r->now ? r->args.end_ns : r->now;

	if (!r->nr_dirty)
		return 0;
	return give_dirty(r, r->due_ns < end ? r->due_ns : end, err);
}

static int hold(struct rebuild *r, int area, struct err *err)
{
	const int64_t *first = r->args.map->info[area].first;
	int proc = r->args.areas->area[area].proc;

	for (int n = 0; n < r->nr_nodes; n++) {
		if (first[n] <= 0)
			continue;
		if (rb_add(r, area, n, first[n], err))
			return err->code;
		if (r->ops.held && r->ops.held(r->args.ctx, proc, area, n,
					       first[n], err))
			return err->code;
	}
	return 0;
}

int rebuild_start(struct rebuild *r, struct err *err)
{
	for (int a = 0; a < r->args.areas->nr; a++)
		if (r->args.map->info[a].held && hold(r, a, err))
			return err->code;
	return give_dirty(r, r->args.start_ns, err);
}

void rebuild_ran(struct rebuild *r, int task)
{
	r->proc[r->args.leader[task]].last_task = task;
}

/* -- weights -------------------------------------------------------------- */

int rebuild_each_access(const struct rebuild *r,
			int (*fn)(void *ctx, const struct mem_access *a,
				  struct err *err), void *ctx,
			struct err *err)
{
	for (int t = 0; t < r->args.tasks->nr; t++) {
		for (int i = r->task[t].first_access; i >= 0;
		     i = r->access[i].next) {
			const struct mem_access a = {
				.task = t, .area = r->access[i].area,
				.faults = r->access[i].faults,
			};

			if (fn(ctx, &a, err))
				return err->code;
		}
	}
	return 0;
}

void rebuild_share(const struct rebuild *r, int task, double *share)
{
	const int64_t *pages = r->proc[r->args.leader[task]].pages;
	double sum = 0;

	memset(share, 0, (size_t)r->nr_nodes * sizeof(*share));
	for (int i = r->task[task].first_access; i >= 0;
	     i = r->access[i].next) {
		const struct rb_area *a = &r->area[r->access[i].area];
		double w = (double)r->access[i].faults;

		if (!a->total)
			continue;
		sum += w;
		for (int n = 0; n < r->nr_nodes; n++)
			share[n] += w * (double)a->pages[n] / (double)a->total;
	}
	if (!(sum > 0) && pages) {
		for (int n = 0; n < r->nr_nodes; n++) {
			share[n] = (double)pages[n];
			sum += share[n];
		}
	}
	for (int n = 0; sum > 0 && n < r->nr_nodes; n++)
		share[n] /= sum;
}
