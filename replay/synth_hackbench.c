/* SPDX-License-Identifier: MIT */
/*
 * synth hackbench: groups of senders and receivers that pass small messages.
 *
 * Source: sheet K of algorithms.md (K.1 the old one of numa_test, K.3 that of
 * rt-tests); depths of sockets and pipes are derived there.  What a message
 * costs its two ends is CPU time of the demand; what it costs more when they
 * are on different CPUs is a number of the machine (transfer of the cost model).
 *
 * Assumed: a receiver has one socket or pipe that all senders of its group
 * write to, round robin; the ready and go messages cost nothing of their own.
 */
#include "replay/synth_local.h"

#include <stdlib.h>

#include "model/err.h"

enum { SOCKET, PIPE };

enum {
	GROUPS, FDS, LOOPS, VIA, THREADS, FORK_TIME, CHILD_TIME, EXIT_TIME,
	SEND_TIME, RECV_TIME, DEPTH, LOW, CPUS
};

static const struct knob knobs[] = {
	[GROUPS] = {
		.name = "groups", .type = KNOB_INT, .deflt = "10", .min = 1,
		.max = 100000, .help = "-g: groups of senders and receivers (K.3)" },
	[FDS] = {
		.name = "fds", .type = KNOB_INT, .deflt = "20", .min = 1,
		.max = 100000, .help = "-f: senders, and receivers, of a group (K.3)" },
	[LOOPS] = {
		.name = "loops", .type = KNOB_INT, .deflt = "100", .min = 1,
		.max = 1000000000,
		.help = "-l: messages of a sender to each receiver (K.3)" },
	[VIA] = {
		.name = "via", .type = KNOB_TEXT, .deflt = "pipe",
		.choices = "socket|pipe",
		.help = "AF_UNIX sockets, or -p pipes (as the seed 002 ran it)" },
	[THREADS] = {
		.name = "threads", .type = KNOB_BOOL, .deflt = "on",
		.help = "-T: threads of one process (seed 002), else processes" },
	[FORK_TIME] = {
		.name = "fork", .type = KNOB_NS, .deflt = "20us",
		.help = "CPU time of the parent for each child (assumed)" },
	[CHILD_TIME] = {
		.name = "child", .type = KNOB_NS, .deflt = "20us",
		.help = "CPU time of a child until it is ready (assumed)" },
	[EXIT_TIME] = {
		.name = "exit", .type = KNOB_NS, .deflt = "20us",
		.help = "CPU time of a child's end (assumed)" },
	[SEND_TIME] = {
		.name = "send", .type = KNOB_NS, .deflt = "1us",
		.help = "CPU time of a sender for a message (assumed)" },
	[RECV_TIME] = {
		.name = "recv", .type = KNOB_NS, .deflt = "1us",
		.help = "CPU time of a receiver for a message (assumed)" },
	[DEPTH] = {
		.name = "depth", .type = KNOB_INT, .deflt = "640",
		.unit = "messages", .min = 1, .max = 1000000,
		.help = "what a pipe or socket holds: 16 pages of 40 (K.3)" },
	[LOW] = {
		.name = "low", .type = KNOB_INT, .deflt = "600",
		.unit = "messages", .max = 1000000,
		.help = "a full one has room again at so many: a page of 40 is "
			"read (K.3)" },
	[CPUS] = {
		.name = "cpus", .type = KNOB_INT, .deflt = "0", .max = 100000,
		.help = "bound to so many CPUs from 0 on, as numactl -N 0 does; "
			"0: all" },
	{ .name = NULL }
};

struct group {
	int *channel;		/* [fds] of the receivers */
	int *task;		/* [2 * fds] receivers, then senders */
};

static int child_of(struct synth *s, const struct hackbench *h, int parent)
{
	if (h->threads)
		return synth_thread(s, "hackbench", parent, parent);
	return synth_process(s, "hackbench", parent, -1);
}

static void begin_child(struct synth *s, const struct hackbench *h, int task,
			int parent)
{
	synth_run(s, task, h->child_ns);
	synth_wake(s, task, parent);
	synth_wait(s, task, parent);
}

static void receiver(struct synth *s, const struct hackbench *h, int task,
		     int parent, int channel)
{
	begin_child(s, h, task, parent);
	for (int64_t i = 0; i < h->loops * h->fds && !s->err->code; i++) {
		synth_recv(s, task, channel);
		synth_run(s, task, h->recv_ns);
	}
	synth_run(s, task, h->exit_ns);
	synth_wake(s, task, parent);
	synth_exit(s, task);
}

static void sender(struct synth *s, const struct hackbench *h, int task,
		   int parent, const int *channel)
{
	begin_child(s, h, task, parent);
	for (int64_t l = 0; l < h->loops && !s->err->code; l++) {
		for (int r = 0; r < h->fds; r++) {
			synth_run(s, task, h->send_ns);
			synth_send(s, task, channel[r]);
		}
	}
	synth_run(s, task, h->exit_ns);
	synth_wake(s, task, parent);
	synth_exit(s, task);
}

static void add_group(struct synth *s, const struct hackbench *h, int parent,
		      const struct group *g)
{
	for (int i = 0; i < h->fds; i++)
		g->channel[i] = synth_open(s, parent, h->depth, h->low,
			h->pipes ? DEMAND_SYNC : DEMAND_WAKES_ALL);
	for (int i = 0; i < 2 * h->fds; i++) {
		g->task[i] = child_of(s, h, parent);
		synth_run(s, parent, h->fork_ns);
		synth_fork(s, parent, g->task[i]);
	}
	for (int i = 0; i < h->fds; i++)
		receiver(s, h, g->task[i], parent, g->channel[i]);
	for (int i = 0; i < h->fds; i++)
		sender(s, h, g->task[h->fds + i], parent, g->channel);
}

int synth_hackbench_add(struct synth *s, const struct hackbench *h,
			int starter)
{
	bool is_first = starter == TASK_NONE;
	int parent = synth_process(s, "hackbench", starter, is_first ? 0 : -1);
	int first = parent + 1, end;
	struct group g = {
		.channel = calloc((size_t)h->fds, sizeof(int)),
		.task = calloc((size_t)h->fds, 2 * sizeof(int)),
	};

	if (h->low >= h->depth)
		synth_fail(s, "hackbench: low must be less than depth");
	if (h->cpus)
		synth_bind(s, parent, h->cpus);
	if (!is_first)
		synth_exec(s, parent);
	synth_run(s, parent, h->start_ns);
	if (!g.channel || !g.task)
		err_nomem(s->err);
	for (int64_t i = 0; i < h->groups && !s->err->code; i++)
		add_group(s, h, parent, &g);
	end = s->out->tasks.nr;
	for (int t = first; t < end; t++)
		synth_wait(s, parent, t);
	for (int t = first; t < end; t++)
		synth_wake(s, parent, t);
	for (int t = first; t < end; t++)
		synth_wait(s, parent, t);
	if (!is_first)
		synth_wake(s, parent, starter);
	synth_role(s, parent, SYNTH_HACKBENCH);
	synth_exit(s, parent);
	free(g.channel);
	free(g.task);
	return parent;
}

static void make(struct synth *s, const struct knob_value *k)
{
	const struct hackbench h = {
		.groups = k[GROUPS].i,
		.fds = k[FDS].i,
		.loops = k[LOOPS].i,
		.pipes = k[VIA].i == PIPE,
		.threads = k[THREADS].i,
		.start_ns = k[FORK_TIME].i,
		.fork_ns = k[FORK_TIME].i,
		.child_ns = k[CHILD_TIME].i,
		.exit_ns = k[EXIT_TIME].i,
		.send_ns = k[SEND_TIME].i,
		.recv_ns = k[RECV_TIME].i,
		.depth = k[DEPTH].i,
		.low = k[LOW].i,
		.cpus = (int)k[CPUS].i,
	};

	synth_hackbench_add(s, &h, TASK_NONE);
}

extern const struct synth_ops synth_hackbench;
const struct synth_ops synth_hackbench = {
	.name = "hackbench",
	.title = "groups of senders and receivers of small messages",
	.about =
"A parent makes groups * 2 * fds children, lets all go at once, and waits for\n"
"them.  Each sender writes loops messages to every receiver of its group, one\n"
"after the other.  The defaults are those of rt-tests with -p -T.\n"
"Source: algorithms.md, sheet K.3.  The CPU times are assumed; what a message\n"
"costs more between CPUs is the cost model's transfer.\n",
	.machine = "kunpeng920",
	.operand = "groups",
	.knobs = knobs,
	.make = make,
};
