/* SPDX-License-Identifier: MIT */
/*
 * view_make: a machine with tasks on its queues, put together by hand, to ask
 * a policy or a discipline what it would do, without the engine.
 */
#ifndef TESTS_SUPPORT_VIEW_MAKE_H
#define TESTS_SUPPORT_VIEW_MAKE_H

#include "model/task.h"
#include "replay/discipline.h"
#include "replay/policy_spec.h"
#include "replay/view_local.h"

struct view_make {
	struct topo topo;
	struct tasks tasks;
	struct rng rng;
	struct view view;
	struct queues queues;
	struct policy_spec spec;
	void *state;		/* of the policy, after view_make_policy() */
	struct decisions d;
	int nr_tasks;		/* made so far */
};

/* machine: "4x4"; policy: "o1,hz=1000".  The tick counter stands at 100000. */
void view_make_init(struct view_make *m, const char *machine,
		    const char *policy);
void view_make_policy(struct view_make *m);	/* calls its init() */
void view_make_release(struct view_make *m);

/* A new task: `ago` ticks ago it was last in the scheduler.  It runs if the
 * CPU is idle, else it waits.  Returns its number. */
int view_make_task(struct view_make *m, int cpu, int64_t ago);
void view_make_tasks(struct view_make *m, int cpu, int nr, int64_t ago);

/* Takes the runnable, not running tasks of a CPU away from the last one on, or
 * the running one, until nr are left. */
void view_make_shrink(struct view_make *m, int cpu, int nr);

void view_make_home(struct view_make *m, int task, int node);

/* The policy's tick() or newidle(); decisions are kept until the next call. */
void view_make_tick(struct view_make *m, int64_t tick, int cpu);
void view_make_newidle(struct view_make *m, int cpu);

/* "3 12": tasks that were to be pulled, in order. */
const char *view_make_pulled(const struct view_make *m, char *buf, size_t size);

#endif
