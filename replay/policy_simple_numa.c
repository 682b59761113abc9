/* SPDX-License-Identifier: MIT */
/*
 * simple-numa: Hohnbaum's simple NUMA scheduler (Oct 2002), sheet C of
 * algorithms.md.
 *
 * Idea: the balancer of the O(1) scheduler looks at its own node first and goes
 * to another node only if a queue there is several times as long as its own; at
 * exec a task goes to the CPU with the shortest queue of all.
 *
 * Source: sheet C (H40, H40a, Hr2, Hr4).  Which of the first two the seed's
 * tables were made with is not stated: `variant`.  The quirks of the source are
 * kept: own queues count as 1 at least, and a busy CPU with an imbalance of 0
 * (2 tasks against 1) takes all that is cold.  Assumed: hr2 and hr4 place at exec
 * in the same way.
 *
 * Does badly because the scan at exec goes in order of CPU numbers and stays at
 * home while two tasks are there: it fills one node after the other.
 */
#include "replay/policy.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/prev_load.h"
#include "replay/view.h"

enum { VARIANT, BUSY, IDLE, DECAY, EXEC };
enum { H40, H40A, HR2, HR4 };

static const struct knob knobs[] = {
	[VARIANT] = {
		.name = "variant", .type = KNOB_TEXT, .deflt = "h40a",
		.choices = "h40|h40a|hr2|hr4",
		.help = "sched40, sched40a, rev2 for 2.5.41, rev4 for 2.5.44 (C)" },
	[BUSY] = {
		.name = "busy_rebalance", .type = KNOB_NS, .deflt = "250ms",
		.help = "period of a busy CPU (A.2); 0: never" },
	[IDLE] = {
		.name = "idle_rebalance", .type = KNOB_NS, .deflt = "1ms",
		.help = "period of an idle CPU, at least a tick (A.2); 0: never" },
	[DECAY] = {
		.name = "cache_decay_ticks", .type = KNOB_INT, .deflt = "10",
		.unit = "ticks", .max = 1000000,
		.help = "how long a task is cache hot (A.2)" },
	[EXEC] = {
		.name = "exec_balance", .type = KNOB_BOOL, .deflt = "on",
		.help = "choose a CPU at exec (C)" },
	{ .name = NULL }
};

struct simple {
	const struct knob_value *knob;
	struct prev_load load;
	int *last_exec;		/* [cpu] hr2: of tasks that exec there */
};

static int simple_init(void **state, const struct view *v,
		       const struct knob_value *k, struct err *err)
{
	struct simple *s = calloc(1, sizeof(*s));
	size_t cpus = (size_t)view_nr_cpu_ids(v) + 1;

	*state = s;
	if (!s || prev_load_init(&s->load, v))
		return err_nomem(err);
	s->knob = k;
	s->last_exec = calloc(cpus, sizeof(*s->last_exec));
	if (!s->last_exec)
		return err_nomem(err);
	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		s->last_exec[c] = c;
	return 0;
}

static void simple_exit(void *state)
{
	struct simple *s = state;

	if (s) {
		prev_load_release(&s->load);
		free(s->last_exec);
	}
	free(s);
}

/* -- balancing ------------------------------------------------------------------ */

struct longest {
	int cpu, load;
};

/* C.2 */
static void look(struct simple *s, const struct view *v, int cpu, bool is_idle,
		 struct longest *on, struct longest *off)
{
	int here = view_cpu_node(v, cpu);

	*on = (struct longest){ -1, 1 };
	*off = (struct longest){ -1, s->knob[VARIANT].i >= HR2 ? 3 : 1 };
	for (int i = 0; i < view_nr_cpu_ids(v); i++) {
		struct longest *l = view_cpu_node(v, i) == here ? on : off;
		int load;

		if (!view_cpu_online(v, i))
			continue;
		load = prev_load_other(&s->load, v, cpu, i, is_idle);
		if (i != cpu && load > l->load)
			*l = (struct longest){ i, load };
	}
}

/* C.3 */
static bool takes_own(const struct simple *s, const struct longest *on, int nr,
		      bool is_idle)
{
	if (on->cpu < 0)
		return false;
	if (s->knob[VARIANT].i == HR4)
		return is_idle || (on->load - nr) / 2 >= (on->load + 3) / 4;
	return is_idle || nr * 5 / 4 < on->load;
}

/* C.1 to C.5: the CPU to take from, -1; *imbalance how many. */
static int find_busiest(struct simple *s, const struct view *v, int cpu,
			bool is_idle, int *imbalance)
{
	int64_t variant = s->knob[VARIANT].i;
	int nr = prev_load_self(&s->load, v, cpu, is_idle);
	struct longest on, off, take;

	if (nr < 1 && variant != HR4)
		nr = 1;
	look(s, v, cpu, is_idle, &on, &off);
	if (takes_own(s, &on, nr, is_idle)) {
		take = on;
		*imbalance = (on.load - nr) / 2;
	} else if (off.cpu >= 0 && nr * (variant == H40 ? 2 : 4) < off.load) {
		take = off;
		*imbalance = 1;
	} else {
		return -1;
	}
	if (view_nr_running(v, take.cpu) <= (variant == HR4 ? nr + 1 : nr))
		return -1;
	return take.cpu;
}

static void balance(struct simple *s, const struct view *v, int cpu,
		    bool is_idle, struct decisions *d)
{
	int imbalance, busiest = find_busiest(s, v, cpu, is_idle, &imbalance);

	if (busiest >= 0)
		prev_load_pull(v, cpu, busiest, is_idle, imbalance,
			       s->knob[DECAY].i, d);
}

static void simple_tick(void *state, const struct view *v, int cpu,
			struct decisions *d)
{
	struct simple *s = state;
	bool is_idle = view_curr(v, cpu) == TASK_NONE;

	if (prev_load_due(v, s->knob[is_idle ? IDLE : BUSY].i))
		balance(s, v, cpu, is_idle, d);
}

static void simple_newidle(void *state, const struct view *v, int cpu,
			   struct decisions *d)
{
	balance(state, v, cpu, true, d);
}

/* -- exec ------------------------------------------------------------------------ */

/* The first CPU of the node behind that of the last placement. */
static int first_of_next_node(const struct view *v, int last)
{
	int nodes = view_nr_node_ids(v), node = view_cpu_node(v, last);

	for (int i = 1; i <= nodes; i++) {
		int next = (node + i) % nodes;

		for (int c = 0; c < view_nr_cpu_ids(v); c++)
			if (view_cpu_node(v, c) == next && view_cpu_online(v, c))
				return c;
	}
	return 0;
}

/* The first CPU with strictly fewer tasks than those before it. */
static int best_cpu(const struct view *v, int task, int cpu, int start)
{
	int nr = view_nr_cpu_ids(v), best = cpu, min = view_nr_running(v, cpu);

	for (int i = 0; i < nr; i++) {
		int c = (start + i) % nr;

		if (view_allowed(v, task, c) && view_nr_running(v, c) < min) {
			best = c;
			min = view_nr_running(v, c);
		}
	}
	return best;
}

static int simple_select_cpu(void *state, const struct view *v,
			     const struct select_args *a, struct decisions *d)
{
	struct simple *s = state;
	int cpu = a->prev_cpu, best;

	if (a->why != SELECT_EXEC || !s->knob[EXEC].i)
		return cpu;
	if (s->knob[VARIANT].i < HR2)
		return view_nr_running(v, cpu) <= 2 ? cpu :
			best_cpu(v, a->task, cpu, 0);
	best = best_cpu(v, a->task, cpu,
			first_of_next_node(v, s->last_exec[cpu]));
	s->last_exec[cpu] = best;
	return best;
}

extern const struct policy_ops policy_simple_numa;
const struct policy_ops policy_simple_numa = {
	.name = "simple-numa",
	.title = "Hohnbaum's simple NUMA scheduler (2.5.39)",
	.about =
"Balances like o1, but inside the node first (a queue a quarter longer than its\n"
"own), and takes one task from another node only if a queue there is more than\n"
"twice (variant=h40) or four times (h40a) as long.  At exec, unless two tasks or\n"
"fewer are there, a task goes to the CPU with the fewest of all, the lowest\n"
"number first.\n"
"Source: algorithms.md, sheet C; which variant the seed measured is not known.\n"
"Does badly because it fills one node after the other.\n",
	.knobs = knobs,
	.discipline = "queue_o1",
	.init = simple_init,
	.exit = simple_exit,
	.select_cpu = simple_select_cpu,
	.tick = simple_tick,
	.newidle = simple_newidle,
};
