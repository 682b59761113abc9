/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#include <stdlib.h>

#include "model/task.h"

#define NS_PER_S INT64_C(1000000000)
#define EARLY_SEQS 4		/* passes in which pages move at once */

bool numab_follows(struct numab *n, int task, int node, struct numab_unit *u)
{
	const struct numab_task *t = &n->task[task];
	int last = u->last - 1, last_node = u->last_node;
	bool own = last < 0 || last == task;

	u->last = task + 1;
	u->last_node = (int16_t)node;
	if ((t->preferred < 0 || t->scan_seq <= EARLY_SEQS) && own)
		return true;
	/* Twice in a row from the same node. */
	if (last >= 0 && last_node != node)
		return false;
	return last == task || numab_group_wants(n, task, u->node, node);
}

/* The faults of a task are kept from its first one on. */
static bool has_room(struct numab *n, struct numab_task *t)
{
	size_t nr = (size_t)n->nr_nodes + 1;

	if (t->sum)
		return true;
	t->sum = calloc(2 * nr, sizeof(*t->sum));
	if (!t->sum) {
		decide_nomem(n->d);
		return false;
	}
	t->buf = t->sum + nr;
	return true;
}

static void move_unit(struct numab *n, int area, struct numab_unit *u,
		      int node, int64_t pages)
{
	if (area >= 0)
		decide_pages(n->d, &(struct page_move){
			.area = area, .from = u->node, .to = node,
			.pages = pages });
	u->node = (int16_t)node;
}

static void retry(struct numab *n, int task)
{
	struct numab_task *t = &n->task[task];
	int64_t wait = t->period_ns / 16;

	numab_place(n, task);
	if (t->preferred < 0)
		return;
	t->retry_ns = view_now(n->v) + (wait < NS_PER_S ? wait : NS_PER_S);
	if (t->preferred == t->node)
		return;
	numab_move(n, task);
}

/* A shared page on another of the nodes on which its group runs is as good as
 * a local one. */
static bool is_within_group(const struct numab *n, int task, int node,
			    int mem_node)
{
	const struct numab_group *g = numab_group(n, task);

	return g && g->nr_active > 1 && numab_group_is_active(g, node) &&
		numab_group_is_active(g, mem_node);
}

/* One fault. */
static void take(struct numab *n, int task, int node, bool goes_off,
		 int area, struct numab_unit *u)
{
	struct numab_task *t = &n->task[task];
	int64_t pages = area >= 0 ? n->area[area].per_unit : 1;
	bool local = u->node == node, near;
	bool private = !u->last || u->last - 1 == task;
	int last = u->last - 1, last_node = u->last_node;

	u->marked = false;
	if (area >= 0)
		n->area[area].nr_marked--;
	if (!local && numab_follows(n, task, node, u))
		move_unit(n, area, u, node, pages);
	decide_count(n->d, POLICY_HINTING, pages);
	if (local)
		decide_count(n->d, POLICY_HINTING_LOCAL, pages);
	if (!has_room(n, t))
		return;
	if (!private)
		numab_group_meet(n, task, last, last_node);
	near = local || (!private && is_within_group(n, task, node, u->node));
	if (!goes_off && view_now(n->v) > t->retry_ns)
		retry(n, task);
	t->buf[u->node].mem[private] += pages;
	t->buf[node].cpu[private] += pages;
	t->locality[near] += pages;
}

void numab_fault(struct numab *n, int task, int cpu, bool goes_off)
{
	struct numab_task *t = &n->task[task];
	int64_t cost = n->knob[NUMAB_FAULT_NS].i;
	int node = view_cpu_node(n->v, cpu);

	while (t->credit >= cost && !n->moved) {
		int area, was;
		struct numab_unit *u = numab_next_marked(n, task, &area);
		int64_t pages;

		if (!u) {
			t->credit = 0;
			return;
		}
		was = u->node;
		pages = area >= 0 ? n->area[area].per_unit : 1;
		take(n, task, node, goes_off, area, u);
		t->credit -= pages * (was != u->node ? cost +
			n->knob[NUMAB_MOVE_NS].i : cost);
	}
	if (n->moved)
		t->credit = 0;
}
