/* SPDX-License-Identifier: MIT */
/*
 * node-affine: the node affine scheduler with a static home node (Focht 2002),
 * sheet E of algorithms.md.
 *
 * Idea: every task has a home node, chosen at exec as the node to which the
 * fewest runnable tasks are assigned.  Its memory comes from there, balancers
 * like to bring it back and dislike to take it away, and a lone task that was
 * carried off is pushed home.  Balancing is that of the pooling scheduler
 * (policy_pool, sheet D).
 *
 * Source: sheets D and E (PS2, P10).  Assumed: a task that was alive when the
 * recording began has the node of its first CPU as home; a child has its
 * parent's; the own load of a home node is counted on that node's CPUs; levels
 * of nodes are the different distances of the topology; cache_decay_ticks=0
 * makes every task as cold as it can be.
 *
 * Does badly with processes larger than a node (one home for all threads' new
 * pages each), where children that never exec inherit one home (hackbench), and
 * when the home node stays overloaded: tasks wait there beside idle nodes.
 */
#include "replay/policy.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/policy_pool.h"
#include "replay/view.h"

enum {
	BUSY, IDLE, DECAY, DELAY, DELAY_SHIFT, IDLE_DELAY, LISTS, ILB, CHOICE,
	WEIGHTS, PUSH, PUSH_LIMIT, NODE_POLICY, ALLOC
};

enum { PS2, P10, OFF };
enum { AT_EXEC, AT_FORK, AT_FORK_ALL };

static const struct knob knobs[] = {
	[BUSY] = {
		.name = "busy_rebalance", .type = KNOB_NS, .deflt = "200ms",
		.help = "period of a busy CPU (D.1); 0: never" },
	[IDLE] = {
		.name = "idle_rebalance", .type = KNOB_NS, .deflt = "1ms",
		.help = "period of an idle CPU, at least a tick (D.1); 0: never" },
	[DECAY] = {
		.name = "cache_decay_ticks", .type = KNOB_INT, .deflt = "8",
		.unit = "ticks", .max = 1000000,
		.help = "how long a task is cache hot (B)" },
	[DELAY] = {
		.name = "pool_delay", .type = KNOB_INT, .deflt = "100",
		.unit = "ticks", .max = 1000000,
		.help = "wait before taking from another node (D.1.6)" },
	[DELAY_SHIFT] = {
		.name = "pool_delay_shift", .type = KNOB_INT, .deflt = "6",
		.unit = "bits", .max = 62,
		.help = "how much shorter if the own node has less than average" },
	[IDLE_DELAY] = {
		.name = "idle_pool_delay", .type = KNOB_INT, .deflt = "-1",
		.unit = "ticks", .min = -1, .max = 1000000,
		.help = "pool_delay of idle CPUs; -1: as the two above say" },
	[LISTS] = {
		.name = "steal", .type = KNOB_TEXT, .deflt = "tails",
		.choices = "tails|lists",
		.help = "look at the tail of each priority list or at all of it" },
	[ILB] = {
		.name = "initial_balancing", .type = KNOB_BOOL, .deflt = "on",
		.help = "choose home node and CPU at exec (or fork: node_policy)" },
	[CHOICE] = {
		.name = "homenode", .type = KNOB_TEXT, .deflt = "ps2",
		.choices = "ps2|p10",
		.help = "by tasks assigned to nodes, or by tasks running there" },
	[WEIGHTS] = {
		.name = "weights", .type = KNOB_TEXT, .deflt = "ps2",
		.choices = "ps2|p10",
		.help = "what homes weigh when a task is taken (E); p10: a task "
			"at home is never taken away" },
	[PUSH] = {
		.name = "push", .type = KNOB_TEXT, .deflt = "ps2",
		.choices = "ps2|p10|off",
		.help = "set a lone task back to its home node (E)" },
	[PUSH_LIMIT] = {
		.name = "push_limit", .type = KNOB_INT, .deflt = "25",
		.unit = "tasks*100/CPU", .max = 100000,
		.help = "own load of the home node below which ps2 pushes" },
	[NODE_POLICY] = {
		.name = "node_policy", .type = KNOB_TEXT, .deflt = "exec",
		.choices = "exec|fork|fork-all",
		.help = "when a home is chosen: exec, also fork of a process, "
			"also fork of a thread" },
	[ALLOC] = {
		.name = "alloc", .type = KNOB_TEXT, .deflt = "home",
		.choices = "home|local",
		.help = "where new pages go: home node or node of the CPU" },
	{ .name = NULL }
};

struct affine {
	struct pool pool;
	const struct knob_value *knob;
};

static int64_t int_knob(const struct affine *a, int k)
{
	return a->knob[k].i;
}

/* -- homes -------------------------------------------------------------------- */

/* PS2: runnable tasks assigned to the node, wherever they run. */
static int64_t assigned_load(struct pool *p, const struct view *v, int task,
			     int node)
{
	enum view_state s = view_task_state(v, task);
	bool counts = (s == VIEW_RUNNING || s == VIEW_QUEUED) &&
		view_task_home(v, task) == node;
	int64_t sum = counts ? -1 : 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		sum += view_nr_home(v, c, node);
	return sum * 100 / view_node_cpus(v, node);
}

static int choose(struct affine *a, const struct view *v, int task,
		  struct decisions *d)
{
	int cpu = pool_place(&a->pool, v, task,
			     int_knob(a, CHOICE) == P10 ? pool_running_load :
			     assigned_load);

	if (cpu >= 0)
		decide_home(d, task, view_cpu_node(v, cpu));
	return cpu;
}

static void affine_init_task(void *state, const struct view *v, int task,
			     int parent, struct decisions *d)
{
	int home = view_cpu_node(v, view_task_cpu(v, task));

	if (parent != TASK_NONE && !view_task_is_kthread(v, task))
		home = view_task_home(v, parent);
	decide_home(d, task, home);
}

static bool chooses(const struct affine *a, const struct view *v,
		    const struct select_args *s)
{
	if (!int_knob(a, ILB) || view_task_is_kthread(v, s->task))
		return false;
	if (s->why == SELECT_EXEC)
		return true;
	if (s->why != SELECT_FORK || s->waker == TASK_NONE)
		return false;
	if (int_knob(a, NODE_POLICY) == AT_FORK)
		return view_task_proc(v, s->task) != view_task_proc(v, s->waker);
	return int_knob(a, NODE_POLICY) == AT_FORK_ALL;
}

static int affine_select_cpu(void *state, const struct view *v,
			     const struct select_args *s, struct decisions *d)
{
	int cpu = chooses(state, v, s) ? choose(state, v, s->task, d) : -1;

	return cpu >= 0 ? cpu : s->prev_cpu;
}

static int affine_place_page(void *state, const struct view *v, int task,
			     int area, int64_t *pages)
{
	const struct affine *a = state;
	int home = view_task_home(v, task);

	if (home < 0 || a->knob[ALLOC].i)
		home = view_cpu_node(v, view_task_cpu(v, task));
	return home;
}

/* -- balancing ----------------------------------------------------------------- */

/* Tasks elsewhere that belong here count twice. */
static int belongs_here(void *ctx, const struct view *v, int cpu, int this_node)
{
	return view_nr_home(v, cpu, this_node);
}

/* How many different distances there are up to that of two nodes. */
static int level_of(const struct view *v, int from, int to)
{
	const struct topo *t = view_topo(v);
	int far = topo_distance(t, from, to), level = 0;

	for (int n = 0; n < view_nr_node_ids(v); n++) {
		int d = topo_distance(t, from, n);
		bool is_new = view_node_cpus(v, n) && d < far;

		for (int m = 0; is_new && m < n; m++)
			is_new = !view_node_cpus(v, m) ||
				topo_distance(t, from, m) != d;
		level += is_new;
	}
	return level;
}

static int nr_levels(const struct view *v, int from)
{
	int max = 0;

	for (int n = 0; n < view_nr_node_ids(v); n++) {
		int l = view_node_cpus(v, n) ? level_of(v, from, n) : 0;

		if (l > max)
			max = l;
	}
	return max + 1;
}

static int64_t weight(void *ctx, const struct view *v, int task, int this_cpu,
		      int64_t cold)
{
	const struct affine *a = ctx;
	int here = view_cpu_node(v, this_cpu), home = view_task_home(v, task);
	int64_t w = cold;

	if (home < 0)
		return cold;
	if (a->knob[WEIGHTS].i == P10)
		w += home == here ? 100 : 0;
	else
		w += (2 * (nr_levels(v, here) - level_of(v, here, home)) - 1) * 100;
	if (home == view_cpu_node(v, view_task_cpu(v, task)))
		w -= 100;
	return w;
}

static int home_load(const struct view *v, int node)
{
	int sum = 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node)
			sum += view_nr_home(v, c, node);
	return sum;
}

static int running_on(const struct view *v, int node)
{
	int sum = 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node)
			sum += view_nr_running(v, c);
	return sum;
}

static bool has_no_own(const struct view *v, int cpu, int node)
{
	return !view_nr_home(v, cpu, node);
}

/* Set back a task that runs alone, away from home (try_push_home). */
static void push_home(struct affine *a, const struct view *v, int cpu,
		      struct decisions *d)
{
	int task = view_curr(v, cpu), home = view_task_home(v, task), to = -1;

	if (view_nr_running(v, cpu) != 1 || task == TASK_NONE || home < 0 ||
	    home == view_cpu_node(v, cpu) || !view_node_cpus(v, home))
		return;
	if (a->knob[PUSH].i == PS2) {
		if (100 * home_load(v, home) / view_node_cpus(v, home) <
		    a->knob[PUSH_LIMIT].i)
			to = pool_lowest_cpu(v, task, home, NULL);
		if (to == 0)
			return;		/* the source never pushes to CPU 0 */
	} else if (a->knob[PUSH].i == P10) {
		if (running_on(v, home) > home_load(v, home))
			to = pool_lowest_cpu(v, task, home, has_no_own);
	}
	if (to >= 0)
		decide_pull(d, &(struct pull){
			.task = task, .to_cpu = to, .why = MOVE_PUSH });
}

static void balance(struct affine *a, const struct view *v, int cpu,
		    bool is_idle, struct decisions *d)
{
	if (!pool_balance(&a->pool, v, cpu, is_idle, d))
		push_home(a, v, cpu, d);
}

static void affine_tick(void *state, const struct view *v, int cpu,
			struct decisions *d)
{
	struct affine *a = state;
	bool is_idle;

	if (pool_due(&a->pool, v, cpu, &is_idle))
		balance(a, v, cpu, is_idle, d);
}

static void affine_newidle(void *state, const struct view *v, int cpu,
			   struct decisions *d)
{
	balance(state, v, cpu, true, d);
}

/* -- set-up -------------------------------------------------------------------- */

static int affine_init(void **state, const struct view *v,
		       const struct knob_value *k, struct err *err)
{
	struct affine *a = calloc(1, sizeof(*a));

	*state = a;
	if (!a)
		return err_nomem(err);
	a->knob = k;
	a->pool.ctx = a;
	a->pool.extra_load = belongs_here;
	a->pool.weight = weight;
	a->pool.knob = (struct pool_knobs){
		.busy_ns = k[BUSY].i,
		.idle_ns = k[IDLE].i,
		.cache_decay = k[DECAY].i,
		.delay = k[DELAY].i,
		.delay_shift = k[DELAY_SHIFT].i,
		.idle_delay = k[IDLE_DELAY].i,
		.whole_lists = k[LISTS].i,
	};
	return pool_init(&a->pool, v, err);
}

static void affine_exit(void *state)
{
	struct affine *a = state;

	if (a)
		pool_release(&a->pool);
	free(a);
}

extern const struct policy_ops policy_node_affine;
const struct policy_ops policy_node_affine = {
	.name = "node-affine",
	.title = "node affine scheduler: static home nodes chosen at exec",
	.about =
"Every task has a home node, chosen at exec as the one with the fewest runnable\n"
"tasks assigned to it, beginning after the last one chosen.  New pages come\n"
"from it; balancers prefer to bring tasks home and avoid to take them away; a\n"
"lone task that was carried off is pushed home.  Queues are balanced inside a\n"
"node first, between nodes after a delay (about 100 ms, or one tick if the own\n"
"node has less than the average), one task at a time.\n"
"Source: algorithms.md, sheets D and E (patches of Focht, Sep/Oct 2002).\n"
"Assumed: tasks alive at the start are at home where they were first seen;\n"
"children inherit; cache_decay_ticks=0 makes every task fully cold.\n"
"Does badly with processes larger than a node, with children that never exec\n"
"(all inherit one home), and when one home node stays overloaded.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = affine_init,
	.exit = affine_exit,
	.init_task = affine_init_task,
	.select_cpu = affine_select_cpu,
	.tick = affine_tick,
	.newidle = affine_newidle,
	.place_page = affine_place_page,
};
