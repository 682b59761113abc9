/* SPDX-License-Identifier: MIT */
#include "model/area_find.h"

#include "model/clusters.h"
#include "model/err.h"
#include "model/pagemap.h"
#include "model/tidmap.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROUND_NS 100000000	/* samples of a process's first round */
#define FAULT_INSTRUCTION 16
#define HUGE_TOUCHED 8		/* pages of a block */

/* The current address space of a process. */
struct living {
	struct pagemap pages;
	struct clusters clusters;
	int exec;
	int64_t from_ns;	/* since its exec */
	int last_space;		/* of map.space, -1 */
};

struct sampled {
	int64_t first_ns, last_ns;
};

struct area_find {
	struct area_find_args args;
	struct tidmap tids;
	struct living *living;	/* [task id of a leader] */
	int nr_recorded;
	int *by_start;		/* recorded areas by (proc, start) */
	int *first_of;		/* [leader] index into by_start; [nr] ends */
	struct sampled *sampled;	/* [area] */
	int64_t *proc_first_ns;	/* [leader] its first sample */
	struct area_map map;
	int size_ranges, size_spaces, size_info;
};

bool area_is_touch(const struct event *ev)
{
	return ev->kind == EVENT_PAGE_FAULT_USER &&
	       !(ev->fault.error_code & FAULT_INSTRUCTION) &&
	       ev->fault.address >> 63 == 0;
}

/* -- life ----------------------------------------------------------------- */

static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct areas *areas = ctx;
	const struct area *a = &areas->area[*(const int *)pa];
	const struct area *b = &areas->area[*(const int *)pb];

	if (a->proc != b->proc)
		return a->proc < b->proc ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->id - b->id;
}

static void sort_recorded(struct area_find *f)
{
	struct areas *areas = f->args.areas;
	int i = 0;

	for (int a = 0; a < areas->nr; a++)
		f->by_start[a] = a;
	qsort_r(f->by_start, (size_t)areas->nr, sizeof(*f->by_start), by_start,
		areas);
	for (int p = 0; p <= f->args.tasks->nr; p++) {
		while (i < areas->nr &&
		       areas->area[f->by_start[i]].proc < p)
			i++;
		f->first_of[p] = i;
	}
}

static int grow_info(struct area_find *f, int nr, struct err *err)
{
	struct area_info *info;
	int size = f->size_info;

	if (nr > size) {
		size = nr > 2 * size ? nr : 2 * size;
		info = realloc(f->map.info, (size_t)size * sizeof(*info));
		if (!info)
			return err_nomem(err);
		f->map.info = info;
		f->size_info = size;
	}
	for (int i = f->map.nr_areas; i < nr; i++)
		f->map.info[i] = (struct area_info){ .max_pages = -1 };
	f->map.nr_areas = nr;
	return 0;
}

int area_find_new(struct area_find **out, const struct area_find_args *args,
		  struct err *err)
{
	size_t nr = (size_t)args->tasks->nr;
	size_t nr_areas = (size_t)args->areas->nr;
	struct area_find *f = calloc(1, sizeof(*f));

	*out = NULL;
	if (!f)
		return err_nomem(err);
	f->args = *args;
	if (f->args.page_size <= 0)
		f->args.page_size = 4096;
	f->nr_recorded = args->areas->nr;
	f->living = calloc(nr + 1, sizeof(*f->living));
	f->by_start = calloc(nr_areas + 1, sizeof(*f->by_start));
	f->first_of = calloc(nr + 2, sizeof(*f->first_of));
	f->sampled = calloc(nr_areas + 1, sizeof(*f->sampled));
	f->proc_first_ns = calloc(nr + 1, sizeof(*f->proc_first_ns));
	f->map.first_space = calloc(nr + 1, sizeof(*f->map.first_space));
	if (!f->living || !f->by_start || !f->first_of || !f->sampled ||
	    !f->proc_first_ns || !f->map.first_space) {
		err_nomem(err);
		goto out;
	}
	for (size_t i = 0; i < nr; i++) {
		f->living[i] = (struct living){
			.from_ns = INT64_MIN, .last_space = -1,
		};
		f->proc_first_ns[i] = INT64_MAX;
		f->map.first_space[i] = -1;
	}
	if (grow_info(f, args->areas->nr, err) ||
	    tidmap_init(&f->tids, args->tasks, err))
		goto out;
	sort_recorded(f);
	*out = f;
	return 0;
out:
	area_find_free(f);
	return err->code;
}

void area_find_free(struct area_find *f)
{
	if (!f)
		return;
	for (int i = 0; f->living && i < f->args.tasks->nr; i++) {
		pagemap_release(&f->living[i].pages);
		clusters_release(&f->living[i].clusters);
	}
	free(f->living);
	free(f->by_start);
	free(f->first_of);
	free(f->sampled);
	free(f->proc_first_ns);
	tidmap_release(&f->tids);
	area_map_release(&f->map);
	free(f);
}

void area_map_release(struct area_map *map)
{
	for (int i = 0; i < map->nr_areas; i++)
		free(map->info[i].first);
	free(map->range);
	free(map->space);
	free(map->first_space);
	free(map->info);
	*map = (struct area_map){ 0 };
}

/* -- what was sampled ----------------------------------------------------- */

int area_find_sample(struct area_find *f, int64_t ts, int area,
		     const int64_t *pages, struct err *err)
{
	struct area_info *info = &f->map.info[area];
	int proc = f->args.areas->area[area].proc;
	size_t bytes = (size_t)f->args.nr_node_ids * sizeof(*pages);
	int64_t sum = 0;

	for (int n = 0; n < f->args.nr_node_ids; n++)
		sum += pages[n];
	if (!info->first) {
		info->first = malloc(bytes + 1);
		if (!info->first)
			return err_nomem(err);
		memcpy(info->first, pages, bytes);
		f->sampled[area].first_ns = ts;
	}
	f->sampled[area].last_ns = ts;
	if (sum > info->max_pages)
		info->max_pages = sum;
	if (ts < f->proc_first_ns[proc])
		f->proc_first_ns[proc] = ts;
	return 0;
}

/* -- a space is complete -------------------------------------------------- */

static int put_range(struct area_find *f, const struct area_range *r,
		     struct err *err)
{
	struct area_range *range = f->map.range;

	if (f->map.nr_ranges == f->size_ranges) {
		int size = f->size_ranges ? 2 * f->size_ranges : 64;

		range = realloc(range, (size_t)size * sizeof(*range));
		if (!range)
			return err_nomem(err);
		f->map.range = range;
		f->size_ranges = size;
	}
	f->map.range[f->map.nr_ranges++] = *r;
	return 0;
}

static int new_area(struct area_find *f, int proc, struct area_range *r,
		    struct err *err)
{
	uint64_t size = (uint64_t)f->args.page_size;
	struct area *a = areas_add(f->args.areas, proc);

	if (!a)
		return err_nomem(err);
	a->kind = AREA_INFERRED;
	a->start = r->first * size;
	a->bytes = (r->last - r->first + 1) * size;
	r->area = a->id;
	return grow_info(f, a->id + 1, err);
}

/* Recorded areas of a process that were sampled in a time, by start. */
struct valid {
	const struct area_find *f;
	int *area;
	int nr;
};

static uint64_t start_page(const struct valid *v, int i)
{
	return v->f->args.areas->area[v->area[i]].start /
	       (uint64_t)v->f->args.page_size;
}

static int find_valid(struct area_find *f, int proc, int64_t to_ns,
		      struct valid *v, struct err *err)
{
	int from = f->first_of[proc], to = f->first_of[proc + 1];

	*v = (struct valid){ .f = f };
	v->area = malloc((size_t)(to - from + 1) * sizeof(*v->area));
	if (!v->area)
		return err_nomem(err);
	for (int i = from; i < to; i++) {
		int a = f->by_start[i];
		const struct sampled *s = &f->sampled[a];

		if (!f->map.info[a].first ||
		    (s->first_ns < to_ns &&
		     s->last_ns >= f->living[proc].from_ns))
			v->area[v->nr++] = a;
	}
	return 0;
}

/* The recorded area of a page (-1: none) and the last page for which that
 * answer holds. */
static int owner(const struct valid *v, const struct cluster *c, uint64_t page,
		 uint64_t *until)
{
	uint64_t size = (uint64_t)v->f->args.page_size, first, last;
	const struct area *a;
	int lo = 0, hi = v->nr;
	int64_t seen;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (start_page(v, mid) <= page)
			lo = mid + 1;
		else
			hi = mid;
	}
	*until = lo < v->nr ? start_page(v, lo) - 1 : UINT64_MAX;
	if (!lo)
		return -1;
	a = &v->f->args.areas->area[v->area[lo - 1]];
	first = start_page(v, lo - 1);
	if (a->bytes) {
		last = first + (a->bytes - 1) / size;
		if (page > last)
			return -1;
		if (last < *until)
			*until = last;
		return a->id;
	}
	seen = v->f->map.info[a->id].max_pages;
	last = first + (seen > 0 ? (uint64_t)seen : 0) + CLUSTERS_GAP;
	return c->first <= first || page <= last ? a->id : -1;
}

static int split_clusters(struct area_find *f, int proc, const struct valid *v,
			  struct err *err)
{
	const struct clusters *all = &f->living[proc].clusters;

	for (int i = 0; i < all->nr; i++) {
		const struct cluster *c = &all->run[i];
		struct area_range r;

		for (r.first = c->first; ; r.first = r.last + 1) {
			r.area = owner(v, c, r.first, &r.last);
			if (r.last > c->last)
				r.last = c->last;
			if (r.area < 0 && new_area(f, proc, &r, err))
				return err->code;
			if (put_range(f, &r, err))
				return err->code;
			if (r.last == c->last)
				break;
		}
	}
	return 0;
}

static bool may_be_huge(const struct area_find *f)
{
	return f->args.thp != AREA_THP_NEVER || f->map.thp_seen;
}

/* Touched pages of each area; where huge pages may be, blocks too. */
static int count_pages(struct area_find *f, struct living *l,
		       const struct area_space *space, struct err *err)
{
	struct pagemap blocks = { 0 };
	const struct area_range *r;
	uint64_t page;
	size_t at = 0;
	int value;

	while (pagemap_next(&l->pages, &at, &page, &value)) {
		r = area_map_find(&f->map, space, page);
		if (!r)
			continue;
		f->map.info[r->area].distinct++;
		if (may_be_huge(f) && r->last - r->first + 1 >= AREA_BLOCK &&
		    pagemap_set(&blocks, page / AREA_BLOCK, 0)) {
			err_nomem(err);
			break;
		}
	}
	at = 0;
	while (!err->code && pagemap_next(&blocks, &at, &page, &value)) {
		r = area_map_find(&f->map, space, page * AREA_BLOCK);
		if (!r)
			r = area_map_find(&f->map, space,
					  page * AREA_BLOCK + AREA_BLOCK - 1);
		if (r)
			f->map.info[r->area].blocks++;
	}
	pagemap_release(&blocks);
	return err->code;
}

static int put_space(struct area_find *f, int proc, int first_range,
		     struct err *err)
{
	struct living *l = &f->living[proc];
	struct area_space *space = f->map.space;
	int id = f->map.nr_spaces;

	if (id == f->size_spaces) {
		int size = f->size_spaces ? 2 * f->size_spaces : 64;

		space = realloc(space, (size_t)size * sizeof(*space));
		if (!space)
			return err_nomem(err);
		f->map.space = space;
		f->size_spaces = size;
	}
	space[id] = (struct area_space){
		.exec = l->exec, .next = -1, .first_range = first_range,
		.nr_ranges = f->map.nr_ranges - first_range,
	};
	if (l->last_space < 0)
		f->map.first_space[proc] = id;
	else
		space[l->last_space].next = id;
	l->last_space = id;
	f->map.nr_spaces++;
	return count_pages(f, l, &space[id], err);
}

static int end_space(struct area_find *f, int proc, int64_t to_ns,
		     struct err *err)
{
	struct living *l = &f->living[proc];
	int first = f->map.nr_ranges;
	struct valid v;

	if (l->clusters.nr) {
		if (find_valid(f, proc, to_ns, &v, err))
			return err->code;
		if (!split_clusters(f, proc, &v, err))
			put_space(f, proc, first, err);
		free(v.area);
	}
	pagemap_release(&l->pages);
	clusters_release(&l->clusters);
	l->exec++;
	l->from_ns = to_ns;
	return err->code;
}

/* -- events --------------------------------------------------------------- */

static int touch(struct area_find *f, const struct event *ev, struct err *err)
{
	uint64_t page = ev->fault.address / (uint64_t)f->args.page_size;
	int task = tidmap_find(&f->tids, ev->tid, ev->ts);
	struct living *l;

	if (task == TASK_NONE)
		return 0;
	if (!area_is_touch(ev)) {
		f->map.skipped++;
		return 0;
	}
	l = &f->living[f->args.leader[task]];
	if (pagemap_set(&l->pages, page, 0) || clusters_add(&l->clusters, page))
		return err_nomem(err);
	return 0;
}

int area_find_event(struct area_find *f, const struct event *ev,
		    struct err *err)
{
	int task;

	switch (ev->kind) {
	case EVENT_PAGE_FAULT_USER:
		return touch(f, ev, err);
	case EVENT_EXEC:
		task = tidmap_find(&f->tids, ev->exec.tid, ev->ts);
		if (task == TASK_NONE)
			return 0;
		return end_space(f, f->args.leader[task], ev->ts, err);
	case EVENT_MIGRATE_PAGES:
		if (ev->pages.reason == REASON_NUMA_MISPLACED)
			f->map.numa_seen = true;
		if (ev->pages.thp_succeeded > 0)
			f->map.thp_seen = true;
		return 0;
	case EVENT_MOVE_NUMA:
	case EVENT_SWAP_NUMA:
	case EVENT_STICK_NUMA:
		f->map.numa_seen = true;
		return 0;
	default:
		return 0;
	}
}

/* -- the result ----------------------------------------------------------- */

static void decide_huge(const struct area_find *f, struct area_info *i)
{
	if (!may_be_huge(f) || !i->blocks ||
	    i->distinct >= HUGE_TOUCHED * i->blocks)
		return;
	if (i->max_pages >= 0 ? i->max_pages <= HUGE_TOUCHED * i->distinct :
	    f->args.thp != AREA_THP_ALWAYS)
		return;
	i->huge = true;
	i->distinct = i->blocks;
}

static void decide(struct area_find *f, int area)
{
	const struct area *a = &f->args.areas->area[area];
	const struct task *leader = &f->args.tasks->task[a->proc];
	struct area_info *i = &f->map.info[area];
	int64_t found;

	decide_huge(f, i);
	if (!i->first)
		return;
	i->held = (leader->flags & TASK_F_BORN_BEFORE) &&
		f->sampled[area].first_ns - f->proc_first_ns[a->proc] <
			FIRST_ROUND_NS;
	found = i->huge ? i->distinct * AREA_BLOCK : i->distinct;
	if (i->held || found < i->max_pages - i->max_pages / 10)
		i->by = AREA_BY_SAMPLES;
}

int area_find_finish(struct area_find *f, struct area_map *map,
		     struct err *err)
{
	for (int p = 0; p < f->args.tasks->nr; p++)
		if (end_space(f, p, INT64_MAX, err))
			return err->code;
	for (int a = 0; a < f->map.nr_areas; a++)
		decide(f, a);
	*map = f->map;
	f->map = (struct area_map){ 0 };
	return 0;
}

const struct area_range *area_map_find(const struct area_map *map,
				       const struct area_space *space,
				       uint64_t page)
{
	const struct area_range *r = map->range + space->first_range;
	int lo = 0, hi = space->nr_ranges;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (r[mid].last < page)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < space->nr_ranges && r[lo].first <= page ? &r[lo] : NULL;
}
