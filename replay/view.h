/* SPDX-License-Identifier: MIT */
/*
 * view: what a policy may read: the machine, the queues, the tasks and their
 * pages, as they are at view_now().
 *
 * Tasks, CPUs and nodes are numbered as in task.h and topo.h; a number that
 * does not exist reads as -1, 0 or false.  Nothing here changes the replay
 * (view_random() moves its generator on).
 */
#ifndef REPLAY_VIEW_H
#define REPLAY_VIEW_H

#include "model/topo.h"

#include <stdbool.h>
#include <stdint.h>

struct view;

/* -- time ----------------------------------------------------------------- */

int64_t view_now(const struct view *v);	/* ns */
int view_hz(const struct view *v);	/* ticks per second of every CPU */

/* The global count of ticks (the kernel's jiffies): goes up once per tick
 * length; every CPU has exactly one tick at each value. */
int64_t view_ticks(const struct view *v);

/* ns as whole ticks, rounded down, as the kernel's HZ/5. */
int64_t view_ns_to_ticks(const struct view *v, int64_t ns);

uint64_t view_random(const struct view *v, uint64_t below);

/* -- machine -------------------------------------------------------------- */

const struct topo *view_topo(const struct view *v);
int view_nr_cpu_ids(const struct view *v);
int view_nr_node_ids(const struct view *v);
bool view_cpu_online(const struct view *v, int cpu);
int view_cpu_node(const struct view *v, int cpu);
int view_node_cpus(const struct view *v, int node);	/* online ones */

/* -- queues --------------------------------------------------------------- */

/* Runnable tasks of a CPU, the running one among them. */
int view_nr_running(const struct view *v, int cpu);
int view_curr(const struct view *v, int cpu);	/* TASK_NONE: idle */

/* The same for all CPUs at once, [view_nr_cpu_ids()], and how many of them have
 * two or more: for balancers that look at every CPU at every tick. */
const int *view_queue_lengths(const struct view *v);
int view_nr_crowded(const struct view *v);

/* Those of them whose home node this is (decide_home()). */
int view_nr_home(const struct view *v, int cpu, int node);

/*
 * Walks the waiting (not running) tasks of a CPU in the order in which the
 * queue discipline offers them to a thief.  Start with an all-zero position;
 * TASK_NONE ends it.  A queue may consist of several lists: `list` tells the
 * returned task's apart from others, and setting skip_list before the next
 * call leaves out what remains of it.
 */
struct queue_pos {
	int list;
	bool skip_list;
	int last;		/* private: 1 + the task that was returned */
};
int view_queue_next(const struct view *v, int cpu, struct queue_pos *pos);

/*
 * Decaying averages that a queue discipline keeps (pelt.h): 1024 is one CPU's
 * full use or one task of nice 0.  A discipline that keeps none gives what is
 * so at the moment.
 */
enum view_signal {
	SIGNAL_CPU_LOAD,	/* weight of its runnable tasks */
	SIGNAL_CPU_RUNNABLE,	/* 1024 for each of them */
	SIGNAL_CPU_UTIL,	/* 1024 while one runs */
	SIGNAL_AVG_IDLE,	/* ns that it stays idle at a time */
	SIGNAL_TASK_LOAD,
	SIGNAL_TASK_RUNNABLE,
	SIGNAL_TASK_UTIL,
	SIGNAL_CPU_WEIGHT,	/* weight of its tasks at this moment, the running
				 * one among them: no average */
	SIGNAL_TASK_WEIGHT,	/* likewise, runnable or not */
};

/* id: a CPU or a task. */
int64_t view_signal(const struct view *v, enum view_signal what, int id);

/* -- tasks ---------------------------------------------------------------- */

enum view_state {
	VIEW_UNBORN,
	VIEW_BLOCKED,
	VIEW_QUEUED,		/* waits on the queue of view_task_cpu() */
	VIEW_RUNNING,
	VIEW_GONE,
};

int view_nr_tasks(const struct view *v);
enum view_state view_task_state(const struct view *v, int task);
int view_task_cpu(const struct view *v, int task);	/* runs, waits, ran last */
int view_task_proc(const struct view *v, int task);	/* leader's task id */
int view_task_home(const struct view *v, int task);	/* -1: none */
bool view_task_is_kthread(const struct view *v, int task);

/* What users name tasks by: "" and -1 for one that does not exist. */
const char *view_task_comm(const struct view *v, int task);
const char *view_task_cgroup(const struct view *v, int task);	/* "" unknown */
int view_task_tid(const struct view *v, int task);

/* True if the task may run on this CPU and the CPU is online. */
bool view_allowed(const struct view *v, int task, int cpu);

/* When its CPU last went through the scheduler with it: it went off, or was
 * picked again; for a task that never ran, its fork. */
int64_t view_task_ran_ns(const struct view *v, int task);

/* Ticks (differences of view_ticks()) since then. */
int64_t view_task_ran_ticks(const struct view *v, int task);

/* -- memory --------------------------------------------------------------- */

int view_nr_areas(const struct view *v);
int view_area_proc(const struct view *v, int area);	/* leader's task id, -1 */
int64_t view_page_size(const struct view *v);	/* bytes */
int64_t view_area_pages(const struct view *v, int area, int node);

/* The weight of an area among a task's accesses (residency.h); -1: nothing is
 * known of the task's accesses, they are even over all pages of its process. */
int64_t view_access(const struct view *v, int task, int area);
int64_t view_task_pages(const struct view *v, int task, int node);	/* of its process */

#endif
