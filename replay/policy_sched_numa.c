/* SPDX-License-Identifier: MIT */
/*
 * sched-numa: the NUMA balancer that Zijlstra posted in March 2012 ("numasched").
 *
 * Idea: each process has a home node, chosen when it is made and when it execs;
 * its memory is taken from there and its tasks are kept or brought there.  A
 * daemon for each node looks every 2 s whether tasks at home on another node have
 * to run elsewhere, and takes over whole processes; what of their memory is not
 * at home then follows when it is touched.  No faults are sampled.
 *
 * Source: algorithms.md, sheet I (sched_numa.h and cfs34.h say what is assumed).
 *
 * Does badly with processes larger than a node: half of their threads have all
 * their memory on the other node for ever, and numad takes such a process from
 * node to node; and with memory that was put elsewhere from the beginning: as long
 * as nobody is overloaded nothing moves.
 */
#include "replay/sched_numa.h"

static const struct knob sched_numa_knobs[] = {
	CFS34_KNOBS,
	[SCHED_NUMA_HYSTERESIS] = {
		.name = "home_hysteresis_pct", .type = KNOB_INT, .deflt = "10",
		.unit = "%", .max = 100000,
		.help = "a process stays on a node that is loaded this much more "
			"than the idlest" },
	[SCHED_NUMA_HOT] = {
		.name = "NUMA_HOT", .type = KNOB_BOOL, .deflt = "on",
		.help = "the balancer moves tasks between nodes only towards "
			"home, unless it has failed cache_nice_tries times" },
	[SCHED_NUMA_PULL] = {
		.name = "NUMA_PULL", .type = KNOB_BOOL, .deflt = "on",
		.help = "tasks that are not at home are taken first" },
	[SCHED_NUMA_PULL_BIAS] = {
		.name = "NUMA_PULL_BIAS", .type = KNOB_BOOL, .deflt = "on",
		.help = "every other time tasks that are not at home are "
			"looked for where all is balanced" },
	[SCHED_NUMA_BALANCE] = {
		.name = "NUMA_BALANCE", .type = KNOB_BOOL, .deflt = "on",
		.help = "numad takes over processes of overloaded nodes" },
	[SCHED_NUMA_SELECT] = {
		.name = "NUMA_SELECT", .type = KNOB_BOOL, .deflt = "on",
		.help = "new processes get a home" },
	[SCHED_NUMA_FILTER] = {
		.name = "NUMA_BALANCE_FILTER", .type = KNOB_BOOL,
		.deflt = "off",
		.help = "numad leaves processes that would overload its node" },
	[SCHED_NUMA_SLOW] = {
		.name = "NUMA_SLOW", .type = KNOB_BOOL, .deflt = "off",
		.help = "numad goes by the mean of its loads and the last ones" },
	[SCHED_NUMA_PERIOD] = {
		.name = "numad_period", .type = KNOB_NS, .deflt = "2s",
		.help = "between two looks of numad" },
	[SCHED_NUMA_LAZY] = {
		.name = "lazy_migrate", .type = KNOB_BOOL, .deflt = "on",
		.help = "memory follows its process to a new home" },
	[SCHED_NUMA_LAZY_MOVE] = {
		.name = "lazy_move_ns", .type = KNOB_NS, .deflt = "4us",
		.help = "who touches a page waits so long until it is there "
			"(assumed: 1 GB/s)" },
	[SCHED_NUMA_WALK] = {
		.name = "walk_ns", .type = KNOB_NS, .deflt = "8us",
		.help = "a task passes over a page in that time (assumed: "
			"numa01's 3 GiB in 335 s / 51)" },
	[SCHED_NUMA_NR_KNOBS] = { .name = NULL }
};

static struct sched_numa *enter(void *state, const struct view *v,
				struct decisions *d)
{
	struct sched_numa *s = state;

	s->v = v;
	s->d = d;
	return s;
}

static void init_task(void *state, const struct view *v, int task, int parent,
		      struct decisions *d)
{
	sched_numa_begin_task(enter(state, v, d), task, parent);
}

static int select_cpu(void *state, const struct view *v,
		      const struct select_args *a, struct decisions *d)
{
	return fair_select_cpu(enter(state, v, d), v, a, d);
}

static void tick(void *state, const struct view *v, int cpu,
		 struct decisions *d)
{
	sched_numa_daemon(enter(state, v, d));
	cfs34_tick(state, v, cpu, d);
}

static int place_page(void *state, const struct view *v, int task, int area,
		      int64_t *pages)
{
	const struct sched_numa *s = state;
	int home = s->proc[view_task_proc(v, task)].home;

	return home >= 0 ? home : view_cpu_node(v, view_task_cpu(v, task));
}

static void touched(void *state, const struct view *v, int task, int area,
		    int node, int64_t pages, struct decisions *d)
{
	struct sched_numa *s = enter(state, v, d);
	int home = s->proc[view_task_proc(v, task)].home;

	if (home >= 0 && node != home)
		s->node[home].foreign += pages;
}

static void ran(void *state, const struct view *v, int task, int cpu,
		int64_t ns, bool goes_off, struct decisions *d)
{
	sched_numa_ran(enter(state, v, d), task, ns);
}

extern const struct policy_ops policy_sched_numa;
const struct policy_ops policy_sched_numa = {
	.name = "sched-numa",
	.title = "sched/numa, \"numasched\" (Zijlstra, March 2012)",
	.about =
"Each process has a home node, chosen at fork and exec: its memory comes from\n"
"there and its tasks are kept or brought there.  numad takes over processes of\n"
"overloaded nodes every 2 s; their memory follows when it is touched.  The\n"
"scheduler under it is cfs-3.4.  Source: algorithms.md, sheet I.\n"
"Assumed: who was there from the start is at home where it was; a task walks over\n"
"its pages at an even pace (walk_ns); numad takes no time.\n"
"Does badly with processes larger than a node, and with memory that was put\n"
"elsewhere from the beginning.\n",
	.knobs = sched_numa_knobs,
	.discipline = "queue_fair",
	.init = sched_numa_init,
	.exit = sched_numa_exit,
	.init_task = init_task,
	.exit_task = sched_numa_exit_task,
	.select_cpu = select_cpu,
	.tick = tick,
	.newidle = fair_newidle,
	.place_page = place_page,
	.touched = touched,
	.ran = ran,
};
