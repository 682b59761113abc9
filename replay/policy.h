/* SPDX-License-Identifier: MIT */
/*
 * policy: the contract between the replay engine and a node balancer.
 *
 * A policy decides, the engine acts: it checks every decision (the CPU exists,
 * is online and allowed, the task is still there), carries it out or refuses
 * it, and counts both.  A policy sees the machine only through the const
 * struct view (replay/view.h); all times are simulated ns.  Its state hangs on
 * the pointer that init() returned: no file-scope state, since several replays
 * may run in one process.  It must not read a clock, the environment or a
 * random source other than view_random().
 *
 * Names follow the kernel's sched_ext_ops where the meaning is the same.
 */
#ifndef REPLAY_POLICY_H
#define REPLAY_POLICY_H

#include "model/err.h"
#include "model/run.h"
#include "model/task.h"
#include "model/topo.h"
#include "replay/knob.h"
#include "replay/view.h"

#include <stdbool.h>
#include <stdint.h>

/* Goes up whenever a struct, callback or function that a policy uses changes. */
#define POLICY_ABI 3

enum select_why { SELECT_WAKE, SELECT_FORK, SELECT_EXEC };

struct select_args {
	int task;
	int prev_cpu;		/* where it ran last; for SELECT_FORK the
				 * parent's CPU; always a CPU it may use */
	int waker;		/* task that wakes or forks it; TASK_NONE */
	int waker_cpu;		/* where that happens; -1: no task did it */
	enum select_why why;
	bool is_sync;		/* SELECT_WAKE: the waker said that it would
				 * sleep soon (DEMAND_SYNC) */
};

/* One wish of a balancer. */
struct pull {
	int task;
	int to_cpu;
	enum move_why why;	/* MOVE_BALANCE: refused for a running task;
				 * MOVE_PUSH, MOVE_NUMA: stops it and moves it */
};

/* One wish to move pages of an area; as many as lie there are moved, at the
 * engine's bandwidth per target node (engine.h).  Refused for an area or node
 * that does not exist and to a node without memory. */
struct page_move {
	int area;
	int from, to;		/* nodes */
	int64_t pages;
};

/* What a policy counts, for the run's numbers. */
enum policy_count {
	POLICY_HINTING,		/* hinting faults (in pages) */
	POLICY_HINTING_LOCAL,	/* of them, on the page's own node */
	POLICY_SCANNED,		/* pages that were marked for one */
	POLICY_NR_COUNTS
};

/* Filled by a policy during one callback, carried out in order after it. */
struct decisions;
void decide_pull(struct decisions *d, const struct pull *p);
void decide_pages(struct decisions *d, const struct page_move *m);

/* Gives a task a home node (-1: none).  The engine attaches no meaning to it
 * but counts the runnable tasks of each queue by home node (view_nr_home()).
 * Carried out before the CPU that select_cpu() returns; refused
 * for a task that is gone and a node that does not exist. */
void decide_home(struct decisions *d, int task, int node);

/* The kernel works that long on behalf of a task, as in a fault that moves its
 * page: its run, this one or the next, takes so much longer. */
void decide_time(struct decisions *d, int task, int64_t ns);

/* Adds to a count of the run. */
void decide_count(struct decisions *d, enum policy_count what, int64_t nr);

/* The policy had no memory for what it has to know: the replay ends with
 * ERR_NOMEM. */
void decide_nomem(struct decisions *d);

enum policy_flag {
	/* The engine follows the recorded places (PLACE, MOVED of demand.h)
	 * and uses no queues: no callback but init() and exit() is called. */
	POLICY_F_FOLLOW = 1,
};

struct policy_ops {
	const char *name;	/* "node-affine" */
	const char *title;	/* one line */
	const char *about;	/* idea, source, assumptions, where it does badly */
	const struct knob *knobs;	/* ends with name NULL; NULL: none */
	const char *discipline;	/* the queue it lived on: "queue_o1" */
	unsigned int flags;	/* enum policy_flag */

	/* Once, when topology, tasks and queues exist, before any other call.
	 * *state: the policy's own, NULL where it needs none.  The values are
	 * in the order of the knob table and outlive the policy.  ERR_USAGE
	 * for knobs that make no sense together.  NULL: nothing to do. */
	int (*init)(void **state, const struct view *v,
		    const struct knob_value *knobs, struct err *err);

	/* Frees the state; also after a failed init() (state may be NULL). */
	void (*exit)(void *state);

	/* A task exists from now on (parent TASK_NONE: it was alive when the
	 * recording began) / is gone.  NULL: not interested. */
	void (*init_task)(void *state, const struct view *v, int task,
			  int parent, struct decisions *d);
	void (*exit_task)(void *state, const struct view *v, int task);

	/* Where a task that becomes runnable, is born or execs shall be put.
	 * The task is not on a queue yet (SELECT_EXEC: it runs on prev_cpu).
	 * A CPU that does not exist or is not allowed is refused and counted,
	 * and prev_cpu taken.  NULL: it stays on prev_cpu. */
	int (*select_cpu)(void *state, const struct view *v,
			  const struct select_args *a, struct decisions *d);

	/* The timer tick of a CPU, view_hz() times a second; idle CPUs tick
	 * too, except that ticks pause when no task has been runnable anywhere
	 * for a second.  The queue discipline has done its part already. */
	void (*tick)(void *state, const struct view *v, int cpu,
		     struct decisions *d);

	/* A CPU's queue ran empty and it is about to go idle: one chance to
	 * pull.  NULL: goes idle. */
	void (*newidle)(void *state, const struct view *v, int cpu,
			struct decisions *d);

	/* The node for further pages that a running task touches.  *pages
	 * says how many; lowered, it is called again for the rest.  A node
	 * that does not exist, has no memory or no room is replaced by the
	 * nearest with it, and one that does not exist counts as refused.  -1 or
	 * NULL: first touch, the node of its CPU. */
	int (*place_page)(void *state, const struct view *v, int task,
			  int area, int64_t *pages);

	/* A running task touched so many pages of an area that lie on a node
	 * (first touches; later also sampled accesses).  NULL: not
	 * interested. */
	void (*touched)(void *state, const struct view *v, int task, int area,
			int node, int64_t pages, struct decisions *d);

	/* The task that runs on a CPU did so for ns since the last call: each
	 * time it goes off (goes_off; no pull is carried out then) and at each
	 * tick, before tick().  NULL: not interested. */
	void (*ran)(void *state, const struct view *v, int task, int cpu,
		    int64_t ns, bool goes_off, struct decisions *d);
};

/*
 * What a plug-in (-p ./mine.so) exports, filled in by name:
 *
 *	const struct policy_plugin homenode_policy = {
 *		POLICY_PLUGIN_BUILD,
 *		.ops = &mine,
 *	};
 *
 * It may call everything that this header and those it includes declare; the
 * program that loads it has them.  The table is checked once, when the policy is
 * picked: the sizes and the ABI, every name and text, that each knob has a
 * default which is valid, that the discipline exists.  The strings and tables
 * must not change afterwards.
 */
struct policy_plugin {
	int abi;		/* POLICY_ABI that it was built with */
	unsigned int ops_size;	/* sizeof(struct policy_ops) */
	unsigned int knob_size;	/* sizeof(struct knob) */
	const struct policy_ops *ops;
};

#define POLICY_PLUGIN_BUILD                                                    \
	.abi = POLICY_ABI, .ops_size = sizeof(struct policy_ops),              \
	.knob_size = sizeof(struct knob)

/* Declared here so that a plug-in's definition has this type. */
extern const struct policy_plugin homenode_policy;

#endif
