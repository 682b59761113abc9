/* SPDX-License-Identifier: MIT */
/*
 * numa-2.6: the NUMA scheduler that was merged (Linux 2.5.59 to 2.6.0), sheet G
 * of algorithms.md.
 *
 * Idea: the balancer of the O(1) scheduler works inside a node; now and then it
 * works between its own CPU and the busiest other node, whose load is an average
 * that halves with every look; at exec a task goes to the least loaded CPU of the
 * least loaded node.
 *
 * Source: sheet G (K260; node_rate and the periods: K59, K59B).  Queues of 2.6.0
 * had slices up to 200 ms and a sleep average of 1 s: max_timeslice=200ms,
 * max_sleep_avg=1s.  Assumed: half of an imbalance of 1 is 0, with which the
 * source's loop takes all that is cold.
 *
 * Does badly when tasks are carried off all the same: no task has a home.
 */
#include "replay/policy.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/prev_load.h"
#include "replay/view.h"

enum {
	BUSY, IDLE, BUSY_NODE, IDLE_NODE, NODE_RATE, THRESHOLD, DECAY, EXEC
};

static const struct knob knobs[] = {
	[BUSY] = {
		.name = "busy_rebalance", .type = KNOB_NS, .deflt = "200ms",
		.help = "period of a busy CPU inside its node (G); 0: never" },
	[IDLE] = {
		.name = "idle_rebalance", .type = KNOB_NS, .deflt = "1ms",
		.help = "period of an idle CPU inside its node (G); 0: never" },
	[BUSY_NODE] = {
		.name = "busy_node_rebalance", .type = KNOB_NS, .deflt = "400ms",
		.help = "period of a busy CPU between nodes (G); 0: never" },
	[IDLE_NODE] = {
		.name = "idle_node_rebalance", .type = KNOB_NS, .deflt = "5ms",
		.help = "period of an idle CPU between nodes (2.5.59-B: 2ms)" },
	[NODE_RATE] = {
		.name = "node_rate", .type = KNOB_INT, .deflt = "0",
		.unit = "calls", .max = 1000000,
		.help = "2.5.59: every so many busy calls inside the node go to the "
			"busiest one instead (10; NUMA-Q 100); 0: by the periods" },
	[THRESHOLD] = {
		.name = "node_threshold", .type = KNOB_INT, .deflt = "125",
		.unit = "%", .max = 100000,
		.help = "load of another node that is busy, of one's own (G)" },
	[DECAY] = {
		.name = "cache_decay_ticks", .type = KNOB_INT, .deflt = "10",
		.unit = "ticks", .max = 1000000,
		.help = "how long a task is cache hot, not for idle CPUs (G)" },
	[EXEC] = {
		.name = "exec_balance", .type = KNOB_BOOL, .deflt = "on",
		.help = "choose a node and CPU at exec (G)" },
	{ .name = NULL }
};

#define LOAD_SCALE 10

struct merged {
	const struct knob_value *knob;
	struct prev_load load;
	int *node_load;		/* [cpu][node] as that CPU saw it last */
	int64_t *calls;		/* [cpu] for node_rate */
};

static int merged_init(void **state, const struct view *v,
		       const struct knob_value *k, struct err *err)
{
	struct merged *m = calloc(1, sizeof(*m));
	size_t cpus = (size_t)view_nr_cpu_ids(v) + 1;
	size_t nodes = (size_t)view_nr_node_ids(v) + 1;

	*state = m;
	if (!m || prev_load_init(&m->load, v))
		return err_nomem(err);
	m->knob = k;
	m->node_load = calloc(cpus * nodes, sizeof(*m->node_load));
	m->calls = calloc(cpus, sizeof(*m->calls));
	return m->node_load && m->calls ? 0 : err_nomem(err);
}

static void merged_exit(void *state)
{
	struct merged *m = state;

	if (m) {
		prev_load_release(&m->load);
		free(m->node_load);
		free(m->calls);
	}
	free(m);
}

/* -- nodes ------------------------------------------------------------------------ */

static int running_on(const struct view *v, int node)
{
	int sum = 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node)
			sum += view_nr_running(v, c);
	return sum;
}

static int node_load(struct merged *m, const struct view *v, int cpu, int node)
{
	int *then = &m->node_load[(size_t)cpu * (size_t)view_nr_node_ids(v) +
				  (size_t)node];

	*then = *then / 2 +
		LOAD_SCALE * running_on(v, node) / view_node_cpus(v, node);
	return *then;
}

static int busiest_node(struct merged *m, const struct view *v, int cpu)
{
	int here = view_cpu_node(v, cpu), found = -1, max = 0;
	int own = node_load(m, v, cpu, here);

	for (int n = 0; n < view_nr_node_ids(v); n++) {
		int load;

		if (n == here || !view_node_cpus(v, n))
			continue;
		load = node_load(m, v, cpu, n);
		if (load > max && 100 * (int64_t)load >
		    m->knob[THRESHOLD].i * own) {
			max = load;
			found = n;
		}
	}
	return found;
}

/* -- balancing --------------------------------------------------------------------- */

/* Between this CPU and those of a node. */
static void balance(struct merged *m, const struct view *v, int cpu, int node,
		    bool is_idle, struct decisions *d)
{
	int nr = prev_load_self(&m->load, v, cpu, is_idle);
	int busiest = -1, max = 1, imbalance;

	for (int i = 0; i < view_nr_cpu_ids(v); i++) {
		int load;

		if (!view_cpu_online(v, i) ||
		    (i != cpu && view_cpu_node(v, i) != node))
			continue;
		load = prev_load_other(&m->load, v, cpu, i, is_idle);
		if (load > max && i != cpu) {
			busiest = i;
			max = load;
		}
	}
	imbalance = max - nr;
	if (busiest < 0 || (!is_idle && imbalance * 4 < max) ||
	    view_nr_running(v, busiest) <= nr)
		return;
	prev_load_pull(v, cpu, busiest, is_idle, imbalance / 2,
		       is_idle ? -1 : m->knob[DECAY].i, d);
}

static bool is_turn_of_nodes(struct merged *m, int cpu)
{
	int64_t rate = m->knob[NODE_RATE].i;

	return rate && ++m->calls[cpu] % rate == 0;
}

static void merged_tick(void *state, const struct view *v, int cpu,
			struct decisions *d)
{
	struct merged *m = state;
	bool is_idle = view_curr(v, cpu) == TASK_NONE;
	int node = view_cpu_node(v, cpu), other = -1;

	if (!m->knob[NODE_RATE].i &&
	    prev_load_due(v, m->knob[is_idle ? IDLE_NODE : BUSY_NODE].i)) {
		other = busiest_node(m, v, cpu);
		if (other >= 0)
			balance(m, v, cpu, other, is_idle, d);
	}
	if (!prev_load_due(v, m->knob[is_idle ? IDLE : BUSY].i))
		return;
	if (!is_idle && is_turn_of_nodes(m, cpu))
		other = busiest_node(m, v, cpu);
	else
		other = -1;
	balance(m, v, cpu, other >= 0 ? other : node, is_idle, d);
}

static void merged_newidle(void *state, const struct view *v, int cpu,
			   struct decisions *d)
{
	balance(state, v, cpu, view_cpu_node(v, cpu), true, d);
}

/* -- exec --------------------------------------------------------------------------- */

static int shortest_queue(const struct view *v, int task, int node)
{
	int best = -1;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node && view_allowed(v, task, c) &&
		    (best < 0 || view_nr_running(v, c) < view_nr_running(v, best)))
			best = c;
	return best;
}

static int merged_select_cpu(void *state, const struct view *v,
			     const struct select_args *a, struct decisions *d)
{
	const struct merged *m = state;
	int best = -1, min = 0;

	if (a->why != SELECT_EXEC || !m->knob[EXEC].i ||
	    view_nr_running(v, a->prev_cpu) <= 2)
		return a->prev_cpu;
	for (int n = 0; n < view_nr_node_ids(v); n++) {
		int cpu = shortest_queue(v, a->task, n), load = running_on(v, n);

		if (cpu >= 0 && (best < 0 || load < min)) {
			best = cpu;
			min = load;
		}
	}
	return best >= 0 ? best : a->prev_cpu;
}

extern const struct policy_ops policy_numa_2_6;
const struct policy_ops policy_numa_2_6 = {
	.name = "numa-2.6",
	.title = "NUMA scheduler that was merged (2.5.59, 2.6.0)",
	.about =
"Balances inside a node like o1 (half of the difference at once; idle CPUs one\n"
"task, hot or not), and every 5 ms (idle) or 400 ms (busy) between a CPU and the\n"
"busiest node if that has 125 % of its own load.  At exec, unless two tasks or\n"
"fewer are there, a task goes to the emptiest node and CPU.\n"
"Source: algorithms.md, sheet G.  Its queues: max_timeslice=200ms,\n"
"max_sleep_avg=1s.  2.5.59: node_rate=10.\n"
"Does badly when tasks are carried off all the same: no task has a home.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = merged_init,
	.exit = merged_exit,
	.select_cpu = merged_select_cpu,
	.tick = merged_tick,
	.newidle = merged_newidle,
};
