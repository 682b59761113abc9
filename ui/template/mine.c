/*
 * mine: a node balancer for homenode, to start your own from.
 *
 * Build and use it (homenode's headers are found by pkg-config):
 *
 *	cc -shared -fPIC -O2 $(pkg-config --cflags homenode) -o mine.so mine.c
 *	homenode policies ./mine.so
 *	homenode replay FILE -p ./mine.so,far=3 -p numa-2.6 --seeds 5
 *
 * The contract stands in <replay/policy.h>: when each callback is called, what
 * it may read, what becomes of a bad answer.  What can be read is declared in
 * <replay/view.h>: the machine, the queues, the tasks, their pages.  A policy
 * decides and the engine acts: a CPU that a task may not use, a task that is
 * gone, a node without memory are refused, counted and reported.
 *
 * Idea of this one: a task starts and wakes up on the CPU with the shortest
 * queue of the node where most of its process's pages are; a CPU that becomes
 * idle pulls a waiting task from its own node, and from another node only out
 * of a queue of `far` tasks or more.
 * Does badly: it never pulls for a CPU that is busy, and never moves pages.
 */
#include <stdlib.h>

#include <replay/policy.h>

/* What a user can set: -p ./mine.so,far=2.  Values come in this order. */
enum { KNOB_FAR, NR_KNOBS };

static const struct knob mine_knobs[] = {
	[KNOB_FAR] = {
		.name = "far", .type = KNOB_INT, .deflt = "3", .min = 1,
		.max = 1000, .unit = "tasks",
		.help = "runnable tasks a CPU of another node must have",
	},
	[NR_KNOBS] = { .name = NULL },
};

/* State hangs on the pointer that init() gives: no variables at file level,
 * since several replays may run in one process. */
struct mine {
	int far;
};

static int mine_init(void **state, const struct view *v,
		     const struct knob_value *knobs, struct err *err)
{
	struct mine *m = calloc(1, sizeof(*m));

	if (!m)
		return err_nomem(err);
	m->far = (int)knobs[KNOB_FAR].i;
	*state = m;
	return 0;
}

static void mine_exit(void *state)
{
	free(state);
}

/* The node with most of the task's pages, -1: it has none yet. */
static int node_of_pages(const struct view *v, int task)
{
	int64_t most = 0;
	int best = -1;

	for (int node = 0; node < view_nr_node_ids(v); node++) {
		int64_t pages = view_task_pages(v, task, node);

		if (pages > most) {
			most = pages;
			best = node;
		}
	}
	return best;
}

/* The CPU of the node (-1: any) with the shortest queue, of those that the
 * task may use; ties go to where it ran last, then to the lowest number; -1:
 * none. */
static int shortest(const struct view *v, const struct select_args *a, int node)
{
	int best = -1, least = 0;

	if (node < 0 || view_cpu_node(v, a->prev_cpu) == node)
		best = a->prev_cpu;
	if (best >= 0)
		least = view_nr_running(v, best);
	for (int cpu = 0; cpu < view_nr_cpu_ids(v); cpu++) {
		int nr = view_nr_running(v, cpu);

		if ((node >= 0 && view_cpu_node(v, cpu) != node) ||
		    !view_allowed(v, a->task, cpu))
			continue;
		if (best < 0 || nr < least) {
			best = cpu;
			least = nr;
		}
	}
	return best;
}

static int mine_select_cpu(void *state, const struct view *v,
			   const struct select_args *a, struct decisions *d)
{
	int cpu = shortest(v, a, node_of_pages(v, a->task));

	return cpu >= 0 ? cpu : shortest(v, a, -1);
}

/* The first waiting task of a queue that may run here. */
static int first_for(const struct view *v, int from, int cpu)
{
	struct queue_pos pos = { 0 };
	int task;

	while ((task = view_queue_next(v, from, &pos)) != TASK_NONE)
		if (view_allowed(v, task, cpu))
			return task;
	return TASK_NONE;
}

static void mine_newidle(void *state, const struct view *v, int cpu,
			 struct decisions *d)
{
	const struct mine *m = state;
	int longest = 1, task = TASK_NONE;

	for (int from = 0; from < view_nr_cpu_ids(v); from++) {
		int nr = view_nr_running(v, from), found;

		if (nr <= longest || (nr < m->far && view_cpu_node(v, from) !=
						     view_cpu_node(v, cpu)))
			continue;
		found = first_for(v, from, cpu);
		if (found == TASK_NONE)
			continue;
		longest = nr;
		task = found;
	}
	if (task != TASK_NONE)
		decide_pull(d, &(struct pull){
			.task = task, .to_cpu = cpu, .why = MOVE_BALANCE });
}

static const struct policy_ops mine = {
	.name = "mine",
	.title = "to the pages of the process, idle CPUs pull",
	.about =
"A task starts and wakes up where its process's pages are, on the shortest\n"
"queue there; idle CPUs pull in their node, and from long queues elsewhere.\n",
	.knobs = mine_knobs,
	.discipline = "queue_o1",	/* 'homenode policies' lists them */
	.init = mine_init,
	.exit = mine_exit,
	.select_cpu = mine_select_cpu,
	.newidle = mine_newidle,
};

/* What homenode looks for. */
const struct policy_plugin homenode_policy = {
	POLICY_PLUGIN_BUILD,
	.ops = &mine,
};
