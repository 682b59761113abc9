/* SPDX-License-Identifier: MIT */
#include "model/rebuild_local.h"

#include "model/err.h"
#include "model/topo.h"

#include <stdlib.h>

#define FAULT_WRITE_PRESENT 3	/* bits 0 and 1 of the x86 error code */

static uint32_t hash(int task, int area)
{
	uint64_t key = (uint64_t)(uint32_t)task << 32 | (uint32_t)area;

	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static int *find_access(const struct rebuild *r, int task, int area)
{
	uint32_t i = hash(task, area) & r->access_mask;

	for (; r->access_slot[i]; i = (i + 1) & r->access_mask) {
		const struct rb_access *a =
			&r->access[r->access_slot[i] - 1];

		if (a->task == task && a->area == area)
			break;
	}
	return &r->access_slot[i];
}

static int grow_access(struct rebuild *r, struct err *err)
{
	uint32_t size = 2 * (r->access_mask + 1);
	struct rb_access *access;
	int *slot, *old = r->access_slot;

	if (r->nr_access == r->size_access) {
		int nr = r->size_access ? 2 * r->size_access : 64;

		access = realloc(r->access, (size_t)nr * sizeof(*access));
		if (!access)
			return err_nomem(err);
		r->access = access;
		r->size_access = nr;
	}
	if ((uint32_t)r->nr_access < r->access_mask / 2)
		return 0;
	slot = calloc(size, sizeof(*slot));
	if (!slot)
		return err_nomem(err);
	r->access_slot = slot;
	r->access_mask = size - 1;
	for (int i = 0; i < r->nr_access; i++)
		*find_access(r, r->access[i].task, r->access[i].area) = i + 1;
	free(old);
	return 0;
}

static int count_access(struct rebuild *r, int task, int area, struct err *err)
{
	int *slot = find_access(r, task, area);

	if (*slot) {
		r->access[*slot - 1].faults++;
		return 0;
	}
	if (grow_access(r, err))
		return err->code;
	r->access[r->nr_access] = (struct rb_access){
		.task = task, .area = area, .faults = 1,
		.next = r->task[task].first_access,
	};
	r->task[task].first_access = r->nr_access;
	*find_access(r, task, area) = ++r->nr_access;
	return 0;
}

/* -- faults --------------------------------------------------------------- */

static const struct area_range *range_of(const struct rebuild *r,
					 struct rb_proc *p, uint64_t page)
{
	if (p->range && page >= p->range->first && page <= p->range->last)
		return p->range;
	p->range = p->space ? area_map_find(r->args.map, p->space, page) : NULL;
	return p->range;
}

/* Where a page of which only the area is known most likely lay. */
static int fullest_other(const struct rebuild *r, int area, int but)
{
	const int64_t *pages = r->area[area].pages;
	int best = -1;

	for (int n = 0; pages && n < r->nr_nodes; n++)
		if (n != but && pages[n] > 0 &&
		    (best < 0 || pages[n] > pages[best]))
			best = n;
	return best;
}

/* A known page is on another node than it was. */
static int displace(struct rebuild *r, struct demand_mem *m, uint64_t key,
		    int hinted, struct err *err)
{
	struct rb_proc *p = &r->proc[r->args.leader[m->task]];

	if (m->from == r->nr_nodes)
		m->from = fullest_other(r, m->area, m->to);
	if (pagemap_set(&p->place, key, m->to | hinted))
		return err_nomem(err);
	return rb_move(r, m, err);
}

static int first_touch(struct rebuild *r, struct rb_proc *p,
		       struct demand_mem *m, uint64_t key, struct err *err)
{
	r->count[REBUILD_FIRST_TOUCHES]++;
	m->code = DEMAND_TOUCH;
	if (pagemap_set(&p->place, key, m->to))
		return err_nomem(err);
	if (rb_add(r, m->area, m->to, m->pages, err))
		return err->code;
	m->from = 0;
	return rb_tell(r, m, err);
}

static int hinting_fault(struct rebuild *r, struct rb_proc *p,
			 const struct demand_mem *m, uint64_t key,
			 struct err *err)
{
	r->count[REBUILD_HINTING_FAULTS]++;
	r->count[REBUILD_HINTING_LOCAL] += m->from == m->to;
	if (pagemap_set(&p->place, key, RB_HINTED |
			(m->from < 0 ? r->nr_nodes : m->from)))
		return err_nomem(err);
	return 0;
}

static int unprotect(struct rb_proc *p, uint64_t key, int node,
		     struct err *err)
{
	return pagemap_set(&p->place, key, node) ? err_nomem(err) : 0;
}

static int on_fault(struct rebuild *r, const struct event *ev, struct err *err)
{
	uint64_t page = ev->fault.address / (uint64_t)r->args.page_size;
	int task = tidmap_find(&r->tids, ev->tid, r->now);
	int node = topo_node_of(r->args.topo, ev->cpu);
	bool copied = (ev->fault.error_code & FAULT_WRITE_PRESENT) ==
		      FAULT_WRITE_PRESENT;
	struct demand_mem m = {
		.ts = r->now, .task = task, .code = DEMAND_FOUND, .pages = 1,
	};
	const struct area_range *range;
	struct rb_proc *p;
	int value;

	if (task == TASK_NONE || node < 0)
		return 0;
	p = &r->proc[r->args.leader[task]];
	r->task[task].pending = false;
	range = area_is_touch(ev) ? range_of(r, p, page) : NULL;
	if (!range)
		return 0;
	if (rb_is_huge(r, range->area)) {
		page = page / AREA_BLOCK | RB_HUGE_KEY;
		m.pages = AREA_BLOCK;
	}
	m.area = range->area;
	r->area[m.area].event_ns = r->now;
	value = pagemap_get(&p->place, page);
	m.from = rb_node_of(value);
	m.to = node;
	if (count_access(r, task, m.area, err))
		return err->code;
	r->task[task] = (struct rb_task){
		.key = page, .area = m.area, .node = node, .pending = true,
		.first_access = r->task[task].first_access,
	};
	if (r->balancing && !copied &&
	    (m.from >= 0 || r->args.map->info[m.area].held))
		return hinting_fault(r, p, &m, page, err);
	if (m.from < 0)
		return first_touch(r, p, &m, page, err);
	if (r->balancing && (value & RB_HINTED))
		return unprotect(p, page, m.from, err);
	r->count[REBUILD_RETOUCHES]++;
	return displace(r, &m, page, 0, err);
}

/* -- migrations and execs ------------------------------------------------- */

static int on_migrate(struct rebuild *r, const struct event *ev,
		      struct err *err)
{
	int task = tidmap_find(&r->tids, ev->tid, r->now);
	struct rb_proc *p;
	struct rb_task *t;
	struct demand_mem m;

	if (ev->pages.reason != REASON_NUMA_MISPLACED) {
		if (ev->pages.succeeded > 0)
			r->count[REBUILD_OTHER_MOVES] += ev->pages.succeeded;
		return 0;
	}
	if (task == TASK_NONE || !r->task[task].pending) {
		r->count[REBUILD_MOVES_UNPLACED]++;
		return 0;
	}
	t = &r->task[task];
	t->pending = false;
	r->area[t->area].event_ns = r->now;
	if (ev->pages.succeeded <= 0 && ev->pages.thp_succeeded <= 0) {
		r->count[REBUILD_PAGES_NOT_MOVED]++;
		return 0;
	}
	p = &r->proc[r->args.leader[task]];
	m = (struct demand_mem){
		.ts = r->now, .task = task, .code = DEMAND_MOVED,
		.area = t->area, .to = t->node,
		.from = rb_node_of(pagemap_get(&p->place, t->key)),
		.pages = rb_is_huge(r, t->area) ? AREA_BLOCK : 1,
	};
	r->count[REBUILD_PAGES_MOVED] += m.pages;
	return displace(r, &m, t->key, RB_HINTED, err);
}

static int on_exec(struct rebuild *r, const struct event *ev, struct err *err)
{
	const struct area_map *map = r->args.map;
	int task = tidmap_find(&r->tids, ev->exec.tid, r->now);
	struct rb_proc *p;
	int id;

	if (task == TASK_NONE)
		return 0;
	p = &r->proc[r->args.leader[task]];
	for (int a = p->first_area; a >= 0; a = r->area[a].next) {
		if (rb_clear(r, a, err))
			return err->code;
		r->area[a].sampled = false;
	}
	pagemap_release(&p->place);
	p->exec++;
	p->range = NULL;
	p->space = NULL;
	p->round = false;
	id = map->first_space[r->args.leader[task]];
	while (id >= 0 && map->space[id].exec < p->exec)
		id = map->space[id].next;
	if (id >= 0 && map->space[id].exec == p->exec)
		p->space = &map->space[id];
	return 0;
}

int rebuild_event(struct rebuild *r, const struct event *ev, struct err *err)
{
	if (ev->kind != EVENT_PAGE_FAULT_USER &&
	    ev->kind != EVENT_MIGRATE_PAGES && ev->kind != EVENT_EXEC)
		return 0;
	if (ev->ts > r->now)
		r->now = ev->ts;
	if (rebuild_flush(r, r->now, err))
		return err->code;
	switch (ev->kind) {
	case EVENT_PAGE_FAULT_USER:
		return on_fault(r, ev, err);
	case EVENT_MIGRATE_PAGES:
		return on_migrate(r, ev, err);
	default:
		return on_exec(r, ev, err);
	}
}
