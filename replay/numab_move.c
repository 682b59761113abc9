/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#include <stdlib.h>

#include "model/task.h"

#define SMALL 30		/* less is not worth a swap */

/* One attempt to find a CPU for a task. */
struct seek {
	struct numab *n;
	int task, src_cpu, src, dst;
	int64_t task_imp, group_imp;	/* what the move alone is worth */
	int64_t imp;		/* of these what counts */
	int far;		/* from src to dst */
	struct fair_stats from, to;
	bool may_move;		/* the load allows it without a swap */
	int64_t best_imp;
	int best_cpu, best_task;
	bool stop;
};

/* Imbalance at which a node's load is too large, per cent. */
static int node_pct(const struct numab *n)
{
	return 100 + (n->fair.params->pct - 100) / 2;
}

static void measure(struct seek *s, int node, struct fair_stats *st)
{
	fair_group_stats(&s->n->fair, s->n->v, &s->n->node_set[node],
			 TASK_NONE, node_pct(s->n), st);
}

static int64_t far_off(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* Would this make the two nodes more unequal than they are? */
static bool too_imbalanced(const struct seek *s, int64_t load)
{
	int64_t a = s->from.nr_cpus, b = s->to.nr_cpus;
	int64_t now = far_off(s->to.load * a, s->from.load * b);

	return far_off((s->to.load + load) * a, (s->from.load - load) * b) > now;
}

static int idle_cpu(const struct seek *s)
{
	const struct fair_set *set = &s->n->node_set[s->dst];

	for (int i = 0; i < set->nr; i++)
		if (fair_idle_cpu(s->n->v, set->cpu[i]) &&
		    view_allowed(s->n->v, s->task, set->cpu[i]))
			return set->cpu[i];
	return -1;
}

static void assign(struct seek *s, int cpu, int task, int64_t imp)
{
	s->best_cpu = cpu;
	s->best_task = task;
	s->best_imp = imp;
}

static void assign_move(struct seek *s, int cpu, int64_t imp)
{
	int idle = idle_cpu(s);

	assign(s, idle >= 0 ? idle : cpu, TASK_NONE, imp);
	if (s->may_move && fair_idle_cpu(s->n->v, s->best_cpu))
		s->stop = true;
}

static int preferred(const struct seek *s, int task)
{
	return task == TASK_NONE ? -1 : s->n->task[task].preferred;
}

/* In the same group, or both in none. */
static bool same_group(const struct seek *s, int cur)
{
	return s->n->task[cur].group == s->n->task[s->task].group;
}

/* What a swap with the task that runs there would be worth. */
static int64_t swap_worth(const struct seek *s, int cur)
{
	const struct numab *n = s->n;
	int64_t imp = s->imp;

	if (!same_group(s, cur) && n->task[cur].group && n->task[s->task].group) {
		imp += numab_group_weight(n, cur, s->src, s->far) -
			numab_group_weight(n, cur, s->dst, s->far);
	} else {
		if (same_group(s, cur))
			imp = s->task_imp;
		imp += numab_weight(n, cur, s->src, s->far) -
			numab_weight(n, cur, s->dst, s->far);
		if (same_group(s, cur) && n->task[cur].group)
			imp -= imp / 16;
	}
	if (preferred(s, cur) == s->dst)
		imp -= imp / 16;
	if (preferred(s, cur) == s->src)
		imp += imp / 8;
	return imp;
}

static void compare_task(struct seek *s, int cpu, int cur)
{
	const struct view *v = s->n->v;
	bool goes_home = preferred(s, cur) == s->src;
	bool best_home = s->best_task != TASK_NONE &&
		preferred(s, s->best_task) == s->src;
	int64_t imp, load;

	if (!s->n->knob[NUMAB_SWAP].i || !view_allowed(v, cur, s->src_cpu) ||
	    (best_home && !goes_home) ||
	    (same_group(s, cur) && s->to.type == FAIR_HAS_SPARE))
		return;
	imp = swap_worth(s, cur);
	if (s->may_move && s->imp > imp && s->imp > s->best_imp) {
		assign_move(s, cpu, s->imp);
		return;
	}
	if (!(s->best_task != TASK_NONE && goes_home && !best_home)) {
		if (imp < SMALL || imp <= s->best_imp + SMALL / 2)
			return;
		load = view_signal(v, SIGNAL_TASK_LOAD, s->task) -
			view_signal(v, SIGNAL_TASK_LOAD, cur);
		if (load && too_imbalanced(s, load))
			return;
	}
	assign(s, cpu, cur, imp);
	if (!s->may_move && goes_home)
		s->stop = true;
}

static void compare_cpu(struct seek *s, int cpu)
{
	int cur = view_curr(s->n->v, cpu);

	if (cur == s->task) {
		s->stop = true;
		return;
	}
	if (cur != TASK_NONE)
		compare_task(s, cpu, cur);
	else if (s->may_move && s->imp >= s->best_imp)
		assign_move(s, cpu, s->imp);
}

/* Would the balancer leave the task there? */
static bool leaves_it(const struct seek *s)
{
	const struct fair *f = &s->n->fair;
	int to = s->to.nr_running + 1, from = s->from.nr_running - 1;
	int64_t imbalance = to > from ? to - from : 0;

	for (int l = 1; l < f->domains.nr_levels; l++)
		if (f->domains.level[l].kind == FAIR_NUMA)
			return !fair_adjust_numa(f, l, imbalance, to);
	return !imbalance;
}

static void seek_on(struct seek *s)
{
	const struct fair_set *set = &s->n->node_set[s->dst];
	int cpu;

	s->may_move = false;
	if (s->to.type == FAIR_HAS_SPARE) {
		s->may_move = leaves_it(s);
		cpu = idle_cpu(s);
		if (s->may_move && cpu >= 0) {
			assign(s, cpu, TASK_NONE, 0);
			return;
		}
	} else {
		s->may_move = !too_imbalanced(s,
			view_signal(s->n->v, SIGNAL_TASK_LOAD, s->task));
	}
	s->stop = false;
	for (int i = 0; i < set->nr && !s->stop; i++)
		if (view_allowed(s->n->v, s->task, set->cpu[i]))
			compare_cpu(s, set->cpu[i]);
}

/* What the task and its group would gain. */
static void weigh(struct seek *s, int node)
{
	const struct numab *n = s->n;
	int task = s->task;

	s->far = topo_distance(view_topo(n->v), s->src, node);
	s->task_imp = numab_weight(n, task, node, s->far) -
		numab_weight(n, task, s->src, s->far);
	s->group_imp = numab_group_weight(n, task, node, s->far) -
		numab_group_weight(n, task, s->src, s->far);
}

static void try_node(struct seek *s, int node)
{
	s->dst = node;
	weigh(s, node);
	s->imp = s->n->task[s->task].group ? s->group_imp : s->task_imp;
	measure(s, node, &s->to);
	seek_on(s);
}

/* The task or its group would not lose: one without a group has none that could,
 * so that it looks everywhere. */
static bool is_better(struct seek *s, int node)
{
	weigh(s, node);
	return s->task_imp >= 0 || s->group_imp >= 0;
}

/* A member of a group is content with the node that it gets, even with the one
 * where it is: so the group comes to rest. */
static void settle(const struct seek *s)
{
	int node = s->best_cpu >= 0 ? view_cpu_node(s->n->v, s->best_cpu) :
		s->src;
	struct numab_task *t = &s->n->task[s->task];

	if (node == t->preferred)
		return;
	t->preferred = node;
	decide_home(s->n->d, s->task, node);
}

static void carry_out(struct seek *s)
{
	decide_pull(s->n->d, &(struct pull){
		.task = s->task, .to_cpu = s->best_cpu, .why = MOVE_NUMA });
	if (s->best_task != TASK_NONE)
		decide_pull(s->n->d, &(struct pull){
			.task = s->best_task, .to_cpu = s->src_cpu,
			.why = MOVE_NUMA });
	s->n->moved = true;
}

void numab_move(struct numab *n, int task)
{
	struct seek s = {
		.n = n, .task = task, .src_cpu = view_task_cpu(n->v, task),
		.best_cpu = -1, .best_task = TASK_NONE };
	bool all;
	const struct numab_group *g = numab_group(n, task);
	int home = n->task[task].preferred;

	s.src = view_cpu_node(n->v, s.src_cpu);
	if (!n->node_set[home].nr)
		return;
	measure(&s, s.src, &s.from);
	try_node(&s, home);
	all = s.best_cpu < 0 || (g && g->nr_active > 1);
	for (int i = 0; all && i < n->nr_nodes; i++)
		if (i != s.src && i != home && n->node_set[i].nr &&
		    is_better(&s, i))
			try_node(&s, i);
	if (g)
		settle(&s);
	if (s.best_cpu >= 0)
		carry_out(&s);
}
