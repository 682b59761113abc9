/* SPDX-License-Identifier: MIT */
/*
 * policy: the contract between the replay engine and a node balancer.
 *
 * A policy decides, the engine acts: it checks every decision (CPU exists, is
 * online and allowed, the task is still there and not running), carries it out
 * or refuses it, and counts both.  A policy sees the machine only through the
 * const struct view; all times are simulated ns.  Its state hangs on the
 * pointer that init() returned: no file-scope state, since several replays may
 * run in one process.  It must not read a clock, the environment or a random
 * source other than view_random().
 *
 * Names follow the kernel's sched_ext_ops where the meaning is the same.
 */
#ifndef REPLAY_POLICY_H
#define REPLAY_POLICY_H

#include "model/run.h"
#include "model/task.h"
#include "model/topo.h"

#include <stdbool.h>
#include <stdint.h>

struct discipline_ops;
struct view;		/* replay/view.h: read-only accessors */

/* Goes up whenever a struct or callback below changes. */
#define POLICY_ABI 1

enum knob_type { KNOB_INT, KNOB_NS, KNOB_SHARE, KNOB_BOOL, KNOB_TEXT };

/* One number (or word) that a user may set: -p name,knob=value. */
struct knob {
	const char *name;	/* as in the source of the algorithm */
	enum knob_type type;
	const char *deflt;	/* as a user would type it: "250ms", "25", "on" */
	const char *help;	/* what it does, its unit, its source */
};

/* Values in the order of the policy's knob table. */
struct knob_value {
	int64_t i;		/* KNOB_INT, KNOB_NS (ns), KNOB_BOOL */
	double share;		/* KNOB_SHARE */
	const char *text;	/* KNOB_TEXT */
};

enum select_why { SELECT_WAKE, SELECT_FORK, SELECT_EXEC };

struct select_args {
	int task;
	int prev_cpu;		/* where it ran last; for FORK the parent's CPU */
	int waker;		/* task that wakes or forks it; TASK_NONE */
	int waker_cpu;		/* where that happens; -1: no task did it */
	enum select_why why;
};

/* One wish of a balancer. */
struct pull {
	int task;
	int to_cpu;
	enum move_why why;	/* MOVE_BALANCE, MOVE_PUSH, MOVE_NUMA */
};

/* One wish to move pages. */
struct page_move {
	int area;
	int from, to;
	int64_t pages;
};

/* Filled by a policy during one callback, carried out in order after it. */
struct decisions;
void decide_pull(struct decisions *d, const struct pull *p);
void decide_pages(struct decisions *d, const struct page_move *m);

struct policy_ops {
	const char *name;	/* "node-affine" */
	const char *title;	/* one line */
	const char *about;	/* idea, source, assumptions, where it does badly */
	const struct knob *knobs;	/* ends with name NULL; NULL: none */
	const char *discipline;	/* the queue it lived on: "queue_o1" */

	/* Once, when topology, tasks and queues exist, before any other call.
	 * Returns the policy's state, NULL for none.  ERR_USAGE for knobs that
	 * make no sense together. */
	int (*init)(void **state, const struct view *v,
		    const struct knob_value *knobs, struct err *err);
	void (*exit)(void *state);	/* also after a failed replay */

	/* A task exists from now on / is gone.  NULL: not interested. */
	void (*init_task)(void *state, const struct view *v, int task, int parent);
	void (*exit_task)(void *state, const struct view *v, int task);

	/* Where a task that becomes runnable, is born, or execs shall be put.
	 * A CPU that is not allowed is refused and counted, and prev_cpu (or
	 * the lowest allowed CPU) taken.  NULL: stays on prev_cpu. */
	int (*select_cpu)(void *state, const struct view *v,
			  const struct select_args *a);

	/* The timer tick of a CPU, every view_tick_ns(); idle CPUs tick too.
	 * The queue discipline has done its part already. */
	void (*tick)(void *state, const struct view *v, int cpu,
		     struct decisions *d);

	/* A CPU ran out of tasks and is about to go idle.  NULL: goes idle. */
	void (*newidle)(void *state, const struct view *v, int cpu,
			struct decisions *d);

	/* On which node a further page that a task touches is put; a node
	 * without memory or room is replaced by the nearest with it.  NULL:
	 * first touch, the node of the CPU that it runs on. */
	int (*place_page)(void *state, const struct view *v, int task, int area);

	/* A task touched so many pages of an area that lie on a node (first
	 * touches and sampled accesses).  NULL: not interested. */
	void (*touched)(void *state, const struct view *v, int task, int area,
			int node, int64_t pages, struct decisions *d);
};

/* All built-in policies, ends with NULL. */
extern const struct policy_ops *const policy_table[];

const struct policy_ops *policy_find(const char *name);	/* NULL: none */

/* Reads "name,knob=value,..." into ops and values (allocated, one per knob, in
 * table order; free with policy_spec_release()).  ERR_USAGE lists what is
 * valid. */
struct policy_spec {
	const struct policy_ops *ops;
	struct knob_value *values;
	int nr_values;
	char *text;		/* private: owns the strings of values */
};
int policy_spec_parse(struct policy_spec *s, const char *spec, struct err *err);
void policy_spec_release(struct policy_spec *s);
char *policy_spec_json(const struct policy_spec *s);	/* every knob's value */

#endif
