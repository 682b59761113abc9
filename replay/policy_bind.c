/* SPDX-License-Identifier: MIT */
/*
 * bind: tasks and pages where a person put them: numactl, cpusets, pinned
 * virtual machines, by rules (bind_rules.h).
 *
 * Idea: CPUs and memory of each task are given by the first rule that fits its
 * name, pid or cgroup; the rest is free.  Among the CPUs that it may use a task
 * goes to the one with the fewest others, and idle CPUs take from the longest
 * queue.
 *
 * Source: numactl(8), cpuset(7), set_mempolicy(2): bind, preferred, interleave,
 * weighted interleave.  Assumed: a rule holds from the start; where a bound node
 * is full the nearest other one takes the pages, as with a preferred node.
 *
 * Does badly when the load changes after the person looked.
 */
#include "replay/policy.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/bind_rules.h"
#include "replay/policy_spread.h"
#include "replay/view.h"

enum { RULES };

static const struct knob knobs[] = {
	[RULES] = {
		.name = "rules", .type = KNOB_TEXT, .deflt = "",
		.help = "as 'comm=mysqld* nodes=0 mem=0; pid=17 cpus=4-7+12', "
			"keys comm, cgroup, pid; cpus, nodes; mem, prefer, "
			"interleave, weights=0:3+1:1; homenode replay -p "
			"bind,file=F takes them from a file" },
	{ .name = NULL }
};

/* How the pages of one touch are split over nodes. */
struct split {
	int64_t all, left;	/* pages */
	int cumulated;		/* weight of the nodes that had their part */
	int next;		/* node */
	int start;		/* of the next split: they take turns */
};

struct bind {
	struct bind_rules rules;
	int *rule;		/* [task] -1: none */
	struct split *split;	/* [rule] */
};

static int bind_init(void **state, const struct view *v,
		     const struct knob_value *k, struct err *err)
{
	struct bind *b = calloc(1, sizeof(*b));

	*state = b;
	if (!b)
		return err_nomem(err);
	if (bind_rules_parse(&b->rules, k[RULES].text, v, err))
		return err->code;
	if (!b->rules.nr)
		return err_set(err, ERR_USAGE, "policy 'bind' needs rules= or file=");
	b->rule = malloc(((size_t)view_nr_tasks(v) + 1) * sizeof(*b->rule));
	b->split = calloc((size_t)b->rules.nr, sizeof(*b->split));
	if (!b->rule || !b->split)
		return err_nomem(err);
	for (int t = 0; t < view_nr_tasks(v); t++)
		b->rule[t] = bind_rules_find(&b->rules, v, t);
	return 0;
}

static void bind_exit(void *state)
{
	struct bind *b = state;

	if (b) {
		bind_rules_release(&b->rules);
		free(b->rule);
		free(b->split);
	}
	free(b);
}

/* -- CPUs --------------------------------------------------------------------------- */

static bool fits(void *ctx, const struct view *v, int task, int cpu)
{
	const struct bind *b = ctx;
	const struct bind_rule *r;

	if (b->rule[task] < 0)
		return true;
	r = &b->rules.rule[b->rule[task]];
	if (!r->has_cpus && !r->has_nodes)
		return true;
	return cpumask_test(&r->cpus, cpu) ||
		cpumask_test(&r->nodes, view_cpu_node(v, cpu));
}

static int bind_select_cpu(void *state, const struct view *v,
			   const struct select_args *a, struct decisions *d)
{
	const struct spread s = { .ctx = state, .fits = fits };
	int cpu = spread_cpu(&s, v, a);

	return cpu >= 0 ? cpu : a->prev_cpu;
}

static void bind_newidle(void *state, const struct view *v, int cpu,
			 struct decisions *d)
{
	const struct spread s = { .ctx = state, .fits = fits };

	spread_pull(&s, v, cpu, d);
}

static void bind_tick(void *state, const struct view *v, int cpu,
		      struct decisions *d)
{
	if (view_curr(v, cpu) == TASK_NONE)
		bind_newidle(state, v, cpu, d);
}

/* -- pages --------------------------------------------------------------------------- */

static int nearest(const struct bind_rule *r, const struct view *v, int here)
{
	int best = -1;

	for (int n = 0; n < view_nr_node_ids(v); n++)
		if (r->weight[n] &&
		    (best < 0 || topo_distance(view_topo(v), here, n) <
		     topo_distance(view_topo(v), here, best)))
			best = n;
	return best;
}

static int next_node(const struct bind_rule *r, int nr, int node)
{
	do {
		node = (node + 1) % nr;
	} while (!r->weight[node]);
	return node;
}

/* Each node gets its part of the pages of one touch, in turn; where there are too
 * few for all, other nodes begin the next time. */
static int spread_pages(const struct bind_rule *r, struct split *s, int nr,
			int64_t *pages)
{
	int64_t before, after;
	int node;

	if (s->left != *pages || !s->left) {
		s->all = s->left = *pages;
		s->cumulated = 0;
		s->start = next_node(r, nr, s->start);
		s->next = s->start;
	}
	do {
		node = s->next;
		before = (int64_t)((double)s->all * s->cumulated / r->total);
		s->cumulated += r->weight[node];
		after = s->cumulated >= r->total ? s->all :
			(int64_t)((double)s->all * s->cumulated / r->total);
		s->next = next_node(r, nr, node);
	} while (after == before);
	*pages = after - before;
	s->left -= *pages;
	return node;
}

static int bind_place_page(void *state, const struct view *v, int task,
			   int area, int64_t *pages)
{
	struct bind *b = state;
	int here = view_cpu_node(v, view_task_cpu(v, task)), i = b->rule[task];
	const struct bind_rule *r = i < 0 ? NULL : &b->rules.rule[i];

	if (!r || r->memory == BIND_LOCAL)
		return here;
	if (r->memory == BIND_NEAREST)
		return nearest(r, v, here);
	return spread_pages(r, &b->split[i], view_nr_node_ids(v), pages);
}

extern const struct policy_ops policy_bind;
const struct policy_ops policy_bind = {
	.name = "bind",
	.title = "tasks and pages where rules put them (numactl, cpusets)",
	.about =
"CPUs and memory by rules, the first that fits a task holds:\n"
"    -p \"bind,rules=comm=mysqld* nodes=0 mem=0; cgroup=/vm/* cpus=8-15+24\"\n"
"or file=F (one a line).  Whom: comm=, cgroup= (shell patterns), pid=.  Where:\n"
"cpus= or nodes=; pages on the nearest of mem=, on prefer=, evenly on interleave=,\n"
"in proportion on weights=0:3+1:1.  Lists use + where a comma ends the knob.  Among\n"
"its CPUs a task goes to the one with the fewest others.\n"
"Assumed: rules hold from the start; a full node gives on to the nearest.\n"
"Does badly when the load changes after somebody looked.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = bind_init,
	.exit = bind_exit,
	.select_cpu = bind_select_cpu,
	.tick = bind_tick,
	.newidle = bind_newidle,
	.place_page = bind_place_page,
};
