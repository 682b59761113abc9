/* SPDX-License-Identifier: MIT */
#include "replay/autonuma.h"

#include <stdlib.h>

/* Much longer than the movers (engine.h) take for what the daemons send. */
#define SETTLED_NS INT64_C(1000000000)

/* -- what is there ---------------------------------------------------------- */

static bool add_unit(struct autonuma *a, struct autonuma_area *x, int node)
{
	int size = x->size ? 2 * x->size : 64;
	struct autonuma_unit *more;

	if (x->nr == x->size) {
		more = realloc(x->unit, (size_t)size * sizeof(*more));
		if (!more) {
			decide_nomem(a->d);
			return false;
		}
		x->unit = more;
		x->size = size;
	}
	x->unit[x->nr++] = (struct autonuma_unit){
		.node = (int16_t)node, .last_nid = -1, .wanted = -1 };
	return true;
}

static void forget_unit(struct autonuma *a, int area, int unit)
{
	struct autonuma_area *x = &a->area[area];

	autonuma_cancel(a, area, unit);
	if (!x->unit[unit].marked)
		return;
	x->nr_marked--;
	a->mm[x->proc].nr_marked--;
	x->unit[unit].marked = false;
}

/* Pages of a node come in whole units: what is left over makes one too if it is
 * half a unit or the only one. */
static int64_t units_for(const struct autonuma_area *x, int64_t pages)
{
	int64_t nr = (pages + x->per_unit / 2) / x->per_unit;

	return pages > 0 && !nr ? 1 : nr;
}

static int64_t units_in_all(struct autonuma *a, int area)
{
	int64_t sum = 0;

	for (int n = 0; n < a->nr_nodes; n++)
		sum += units_for(&a->area[area],
				 view_area_pages(a->v, area, n));
	return sum;
}

/* Too many units: all of them begin anew, twice as large. */
static void coarsen(struct autonuma *a, int area)
{
	struct autonuma_area *x = &a->area[area];

	while (units_in_all(a, area) > AUTONUMA_MAX_UNITS) {
		for (int i = 0; i < x->nr; i++)
			forget_unit(a, area, i);
		x->nr = x->next = 0;
		x->per_unit *= 2;
	}
}

/* How many units of a node are missing (> 0) or one too many. */
static int64_t missing(struct autonuma *a, int area, int node)
{
	const struct autonuma_area *x = &a->area[area];
	int64_t nr = units_for(x, view_area_pages(a->v, area, node));

	for (int i = 0; i < x->nr; i++)
		nr -= x->unit[i].node == node;
	return nr;
}

/* Units of other nodes that are too many; they stay what else they are. */
static int64_t take_over(struct autonuma *a, int area, int node, int64_t nr)
{
	struct autonuma_area *x = &a->area[area];

	for (int from = 0; nr > 0 && from < a->nr_nodes; from++) {
		int64_t spare = -missing(a, area, from);

		for (int i = 0; spare > 0 && nr > 0 && i < x->nr; i++) {
			if (x->unit[i].node != from)
				continue;
			x->unit[i].node = (int16_t)node;
			spare--;
			nr--;
		}
	}
	return nr;
}

static void drop_spare(struct autonuma *a, int area)
{
	struct autonuma_area *x = &a->area[area];

	for (int n = 0; n < a->nr_nodes; n++) {
		int64_t spare = -missing(a, area, n);

		for (int i = x->nr - 1; spare > 0 && i >= 0; i--) {
			if (x->unit[i].node != n)
				continue;
			forget_unit(a, area, i);
			forget_unit(a, area, x->nr - 1);
			x->unit[i] = x->unit[--x->nr];
			spare--;
		}
	}
}

void autonuma_sync(struct autonuma *a, int area)
{
	struct autonuma_area *x = &a->area[area];
	bool settled = !x->moved_ns || view_now(a->v) - x->moved_ns > SETTLED_NS;
	int64_t room;

	coarsen(a, area);
	room = units_in_all(a, area) - x->nr;
	for (int n = 0; n < a->nr_nodes; n++) {
		int64_t nr = missing(a, area, n);

		if (nr > 0 && settled)
			nr = take_over(a, area, n, nr);
		for (; nr > 0 && room > 0 && add_unit(a, x, n); nr--)
			room--;
	}
	if (settled)
		drop_spare(a, area);
}

/* -- who touches what ------------------------------------------------------- */

/* How much of its time a task spends on an area. */
static uint64_t chance(const struct autonuma *a, int task, int area)
{
	int64_t w = view_access(a->v, task, area);

	if (!a->area[area].nr)
		return 0;
	if (w < 0)
		return (uint64_t)(a->area[area].nr * a->area[area].per_unit);
	return (uint64_t)(w < INT32_MAX ? w : INT32_MAX);
}

static struct autonuma_unit *marked_of(struct autonuma_area *x)
{
	for (int i = 0; i < x->nr; i++, x->next++) {
		if (x->next >= x->nr)
			x->next = 0;
		if (x->unit[x->next].marked)
			return &x->unit[x->next];
	}
	return NULL;
}

struct autonuma_unit *autonuma_walk(struct autonuma *a, int task, int *area)
{
	int first = a->mm[view_task_proc(a->v, task)].first_area;
	uint64_t sum = 0, at;
	bool any = false;

	*area = -1;
	for (int i = first; i >= 0; i = a->area[i].sibling) {
		uint64_t c = chance(a, task, i);

		sum += c;
		any |= c && a->area[i].nr_marked;
	}
	if (!any)
		return NULL;
	at = view_random(a->v, sum);
	for (int i = first; i >= 0; i = a->area[i].sibling) {
		struct autonuma_area *x = &a->area[i];
		uint64_t c = chance(a, task, i);

		if (at >= c) {
			at -= c;
			continue;
		}
		*area = i;
		if (view_random(a->v, (uint64_t)x->nr) >= (uint64_t)x->nr_marked)
			return NULL;
		return marked_of(x);
	}
	return NULL;
}
