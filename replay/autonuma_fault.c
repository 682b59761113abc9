/* SPDX-License-Identifier: MIT */
#include "replay/autonuma.h"

#include <stdlib.h>

static bool has_room(struct autonuma *a, struct autonuma_task *t)
{
	if (t->faults)
		return true;
	t->faults = calloc((size_t)a->nr_nodes + 1, sizeof(*t->faults));
	if (!t->faults)
		decide_nomem(a->d);
	return t->faults;
}

int autonuma_filter(struct autonuma *a, int area, int unit, int node)
{
	struct autonuma_unit *u = &a->area[area].unit[unit];
	int last = u->last_nid;

	u->last_nid = (int16_t)node;
	if (a->knob[AUTONUMA_FILTER].i && last >= 0 && last != node) {
		autonuma_cancel(a, area, unit);
		return u->node;
	}
	if (u->node != node)
		autonuma_want(a, area, unit, node);
	else
		autonuma_cancel(a, area, unit);
	return node;
}

static void count(struct autonuma *a, int task, int node, int64_t pages)
{
	struct autonuma_task *t = &a->task[task];
	int pass = a->mm[view_task_proc(a->v, task)].pass;

	if (!has_room(a, t))
		return;
	if (t->pass != pass) {
		t->total = 0;
		for (int n = 0; n < a->nr_nodes; n++)
			t->total += t->faults[n] /= 2;
		t->pass = pass;
	}
	t->faults[node] += pages;
	t->total += pages;
}

static void fault(struct autonuma *a, int task, int node, int area,
		  struct autonuma_unit *u)
{
	struct autonuma_area *x = &a->area[area];

	u->marked = false;
	x->nr_marked--;
	a->mm[x->proc].nr_marked--;
	decide_count(a->d, POLICY_HINTING, x->per_unit);
	if (u->node == node)
		decide_count(a->d, POLICY_HINTING_LOCAL, x->per_unit);
	count(a, task, autonuma_filter(a, area, (int)(u - x->unit), node),
	      x->per_unit);
}

void autonuma_ran(struct autonuma *a, int task, int cpu, int64_t ns)
{
	int node = view_cpu_node(a->v, cpu), area, proc;
	struct autonuma_task *t = &a->task[task];
	struct autonuma_unit *u;
	int64_t step;

	proc = view_task_proc(a->v, task);
	if (!a->mm[proc].nr_marked || view_task_is_kthread(a->v, task)) {
		t->walked = 0;
		return;
	}
	t->walked += ns;
	while (t->walked > 0) {
		u = autonuma_walk(a, task, &area);
		if (area < 0) {
			t->walked = 0;
			return;
		}
		step = a->area[area].per_unit * a->knob[AUTONUMA_WALK].i;
		t->walked -= step ? step : 1;
		if (u)
			fault(a, task, node, area, u);
	}
}
