/* SPDX-License-Identifier: MIT */
/*
 * synth_local: how generators write.  The first error stays in the synth and
 * makes the later calls do nothing, so that a generator reads like the
 * benchmark's own source.
 */
#ifndef REPLAY_SYNTH_LOCAL_H
#define REPLAY_SYNTH_LOCAL_H

#include <stdbool.h>

#include "model/rng.h"
#include "replay/synth.h"

struct synth_prog;

struct synth {
	struct synth_result *out;
	const struct demand_sink *sink;
	struct err *err;
	struct rng rng;
	int nr_cpus;
	int nr_channels;	/* used so far */
	struct synth_prog *prog;	/* [tasks] */
	int size;
	int64_t work_ns;	/* of all programs */
	int64_t longest_ns;	/* of one program, with its sleeps */
};

/* A process forked by `parent` (TASK_NONE: it is there from the start, on the
 * CPU); returns its id, also after an error. */
int synth_process(struct synth *s, const char *comm, int parent, int cpu);

/* A thread of a process, forked by one of its threads. */
int synth_thread(struct synth *s, const char *comm, int leader, int parent);

/* It, and whom it forks from now on, may run on CPUs 0 to nr - 1 only. */
void synth_bind(struct synth *s, int task, int nr);

void synth_role(struct synth *s, int task, enum synth_role role);

int synth_area(struct synth *s, int proc, const char *name, int64_t bytes);

/* How much of its accesses a task sends to an area; tasks in order. */
void synth_access(struct synth *s, int task, int area, int64_t weight);

/* ns times an even draw from 1 - share to 1 + share. */
int64_t synth_vary(struct synth *s, int64_t ns, double share);

void synth_run(struct synth *s, int task, int64_t ns);
void synth_wake(struct synth *s, int task, int other);
void synth_wait(struct synth *s, int task, int other);
void synth_sleep(struct synth *s, int task, int64_t ns);
void synth_fork(struct synth *s, int task, int child);
void synth_exec(struct synth *s, int task);
void synth_touch(struct synth *s, int task, int area, int64_t pages);

/* Pages that lie on a node when it begins, whatever the policy. */
void synth_hold(struct synth *s, int task, int area, int node, int64_t pages);
int synth_open(struct synth *s, int task, int64_t size, int64_t low,
	       int how);	/* enum demand_open_flag; gives its number */
void synth_send(struct synth *s, int task, int channel);
void synth_recv(struct synth *s, int task, int channel);

/* Its last operation; frees what the task needed while it was written. */
void synth_exit(struct synth *s, int task);

/* A generator found that its knobs make no sense together (ERR_USAGE). */
void synth_fail(struct synth *s, const char *why);

/* hackbench's parent and all its children, forked by and ending into `starter`;
 * also numa_test's disturbance. */
struct hackbench {
	int64_t groups, fds, loops;
	bool pipes, threads;
	int64_t start_ns;	/* of the parent, before it forks */
	int64_t fork_ns, child_ns, exit_ns;
	int64_t send_ns, recv_ns;	/* CPU time of a message at each end */
	int64_t depth;		/* messages that a socket or pipe holds */
	int64_t low;		/* a full one is writable again at so many */
	int cpus;		/* bound to so many, 0: all */
};
int synth_hackbench_add(struct synth *s, const struct hackbench *h,
			int starter);

#endif
