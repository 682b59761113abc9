/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#include <stdlib.h>

#include "model/task.h"

/* Two units become one, which is like the first of them. */
static void halve(struct numab_area *a)
{
	a->nr_marked = 0;
	for (int i = 0; i < a->nr; i += 2) {
		a->unit[i / 2] = a->unit[i];
		a->nr_marked += a->unit[i].marked;
	}
	a->nr = (a->nr + 1) / 2;
	a->per_unit *= 2;
	a->next = 0;
}

static bool add_unit(struct numab *n, struct numab_area *a,
		     const struct numab_unit *u)
{
	int size = a->size ? 2 * a->size : 64;
	struct numab_unit *more;

	if (a->nr == NUMAB_MAX_UNITS)
		halve(a);
	if (a->nr == a->size) {
		more = realloc(a->unit, (size_t)size * sizeof(*more));
		if (!more) {
			decide_nomem(n->d);
			return false;
		}
		a->unit = more;
		a->size = size;
	}
	a->unit[a->nr++] = *u;
	return true;
}

static void drop_unit(struct numab_area *a)
{
	a->nr--;
	a->nr_marked -= a->unit[a->nr].marked;
}

static void set_pages(struct numab *n, struct numab_area *a, int64_t pages,
		      const struct numab_unit *u)
{
	a->pages = pages;
	while (a->nr * a->per_unit < pages)
		if (!add_unit(n, a, u))
			break;
	while (a->nr && (a->nr - 1) * a->per_unit >= pages)
		drop_unit(a);
}

void numab_touch(struct numab *n, int area, int node, int64_t pages)
{
	struct numab_unit u = { .node = (int16_t)node };

	if (area < 0 || area >= n->nr_areas || pages <= 0)
		return;
	set_pages(n, &n->area[area], n->area[area].pages + pages, &u);
}

void numab_sync(struct numab *n, int area)
{
	struct numab_area *a = &n->area[area];
	int64_t there = 0, missing;
	struct numab_unit u = { 0 };

	for (int i = 0; i < n->nr_nodes; i++)
		there += view_area_pages(n->v, area, i);
	if (there <= a->pages) {
		if (there < a->pages)
			set_pages(n, a, there, &u);
		return;
	}
	missing = there - a->pages;
	for (int i = 0; i < n->nr_nodes && missing > 0; i++) {
		int64_t here = view_area_pages(n->v, area, i);

		for (int k = 0; k < a->nr; k++)
			if (a->unit[k].node == i)
				here -= a->per_unit;
		if (here > missing)
			here = missing;
		if (here <= 0)
			continue;
		u.node = (int16_t)i;
		set_pages(n, a, a->pages + here, &u);
		missing -= here;
	}
}

/* How likely the next fault of the task is in the area. */
static uint64_t chance(const struct numab *n, int task, int area)
{
	const struct numab_area *a = &n->area[area];
	int64_t w;

	if (!a->nr_marked)
		return 0;
	w = view_access(n->v, task, area);
	if (w < 0)
		return (uint64_t)(a->nr_marked * a->per_unit);
	if (w > INT32_MAX)
		w = INT32_MAX;
	return (uint64_t)w * (uint64_t)a->nr_marked / (uint64_t)a->nr;
}

static struct numab_unit *marked_of(struct numab_area *a)
{
	for (int i = 0; i < a->nr; i++, a->next++) {
		if (a->next >= a->nr)
			a->next = 0;
		if (a->unit[a->next].marked)
			return &a->unit[a->next];
	}
	return NULL;
}

struct numab_unit *numab_next_marked(struct numab *n, int task, int *area)
{
	struct numab_proc *p = &n->proc[view_task_proc(n->v, task)];
	uint64_t sum = 0, at;

	*area = -1;
	if (p->hot.node >= 0 && p->hot.marked)
		return &p->hot;
	for (int a = p->first_area; a >= 0; a = n->area[a].sibling)
		sum += chance(n, task, a);
	if (!sum)
		return NULL;
	at = view_random(n->v, sum);
	for (int a = p->first_area; a >= 0; a = n->area[a].sibling) {
		uint64_t c = chance(n, task, a);

		if (at < c) {
			*area = a;
			return marked_of(&n->area[a]);
		}
		at -= c;
	}
	return NULL;
}
