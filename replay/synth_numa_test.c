/* SPDX-License-Identifier: MIT */
/*
 * synth numa_test: Focht's benchmark of 2002, with its disturbance.
 *
 * A dispatcher forks N children without a pause.  Each execs sh and then
 * randupdt, prints its CPU (iSched), fills 20 MB and updates them at random
 * until its work is done.  3 s after the last fork hackbench 20 is started: 800
 * processes that pass 800 000 messages.  The dispatcher waits for the jobs.
 *
 * Source: sheet K.1 of algorithms.md; where that has no number, the guesses of
 * findings-numa_test.md ("Calibrated, guessed and tuned"), none of which was
 * fitted to a cell of the tables.
 */
#include "replay/synth_local.h"

#include "model/err.h"

enum {
	JOBS, CPU, ALONE, SPREAD, MEMORY, PIECES, TOUCH, FORK_TIME, CHILD_TIME, SH_TIME,
	START_TIME, JITTER, SETUP, FINISH, HB_GROUPS, HB_AT, HB_FORK, HB_EXIT, HB_LOOPS, HB_FDS,
	HB_SEND, HB_RECV, HB_SPREAD, HB_DEPTH, HB_LOW
};

static const struct knob knobs[] = {
	[JOBS] = {
		.name = "jobs", .type = KNOB_INT, .deflt = "16", .min = 1,
		.max = 100000, .help = "N: 4, 8, 16, 32, 64 in the tables (K.1)" },
	[CPU] = {
		.name = "cpu", .type = KNOB_INT, .deflt = "0", .max = 1000000,
		.help = "where the dispatcher is: all jobs of A print node 0" },
	[ALONE] = {
		.name = "alone", .type = KNOB_NS, .deflt = "27.2s",
		.help = "user time of a job alone on its node (user-time key: 27)" },
	[SPREAD] = {
		.name = "spread", .type = KNOB_SHARE, .deflt = "0.007",
		.help = "by how much that varies from job to job: E's at N = 8 "
			"and 16, which nothing disturbed, have a sd of 0.4 %, as "
			"evenly from -0.7 to 0.7 %" },
	[MEMORY] = {
		.name = "memory", .type = KNOB_INT, .deflt = "20000",
		.unit = "KB", .max = 1000000000,
		.help = "of a job: a 8 MB, b 8 MB, ix 4 MB (K.1)" },
	[PIECES] = {
		.name = "pieces", .type = KNOB_INT, .deflt = "16", .min = 1,
		.max = 100000, .help = "in which the memory is touched" },
	[TOUCH] = {
		.name = "touch", .type = KNOB_NS, .deflt = "250ms",
		.help = "CPU time of filling it with rand(), part of alone (guess)" },
	[FORK_TIME] = {
		.name = "fork", .type = KNOB_NS, .deflt = "1.5ms",
		.help = "CPU time of the dispatcher for a child (guess)" },
	[CHILD_TIME] = {
		.name = "child", .type = KNOB_NS, .deflt = "350us",
		.help = "CPU time of a child until it execs sh (guess)" },
	[SH_TIME] = {
		.name = "sh", .type = KNOB_NS, .deflt = "4ms",
		.help = "CPU time of sh until it execs randupdt (guess)" },
	[START_TIME] = {
		.name = "start", .type = KNOB_NS, .deflt = "3ms",
		.help = "CPU time of randupdt until it touches memory (guess)" },
	[JITTER] = {
		.name = "jitter", .type = KNOB_SHARE, .deflt = "0.5",
		.help = "by how much each of these start-up times varies (guess)" },
	[SETUP] = {
		.name = "setup", .type = KNOB_NS, .deflt = "0",
		.help = "CPU time of the dispatcher before the first fork" },
	[FINISH] = {
		.name = "finish", .type = KNOB_NS, .deflt = "900ms",
		.help = "CPU time of the dispatcher after the last job: E with 4 "
			"undisturbed jobs (28.14) less their user time (27.20)" },
	[HB_GROUPS] = {
		.name = "hackbench", .type = KNOB_INT, .deflt = "20",
		.unit = "groups", .max = 10000,
		.help = "of the disturbance; 0: none (K.1)" },
	[HB_AT] = {
		.name = "hackbench_at", .type = KNOB_NS, .deflt = "3s",
		.help = "after the last fork (K.1)" },
	[HB_FORK] = {
		.name = "hackbench_fork", .type = KNOB_NS, .deflt = "350us",
		.help = "CPU time of its parent for each of its children (guess)" },
	[HB_EXIT] = {
		.name = "hackbench_exit", .type = KNOB_NS, .deflt = "0",
		.help = "CPU time of the end of each of its children (guess: up to "
			"2 ms make no difference)" },
	[HB_LOOPS] = {
		.name = "hackbench_loops", .type = KNOB_INT, .deflt = "100",
		.min = 1, .max = 1000000,
		.help = "messages of a sender to each receiver (K.1)" },
	[HB_FDS] = {
		.name = "hackbench_fds", .type = KNOB_INT, .deflt = "20",
		.min = 1, .max = 10000,
		.help = "senders, and receivers, of a group (K.1)" },
	[HB_SEND] = {
		.name = "hackbench_send", .type = KNOB_NS, .deflt = "3.75us",
		.help = "CPU time of a sender for a message: half of 7.5 us, from "
			"column H of B, N >= 16" },
	[HB_RECV] = {
		.name = "hackbench_recv", .type = KNOB_NS, .deflt = "3.75us",
		.help = "CPU time of a receiver for a message: the other half" },
	[HB_SPREAD] = {
		.name = "hackbench_spread", .type = KNOB_SHARE, .deflt = "0.2",
		.help = "by how much messages of a whole run vary: H of F at "
			"N >= 16 goes from 4.28 to 6.86" },
	[HB_DEPTH] = {
		.name = "hackbench_depth", .type = KNOB_INT, .deflt = "173",
		.unit = "messages", .min = 1, .max = 1000000,
		.help = "of a socket: 64 KB of 378 bytes with overhead (guess)" },
	[HB_LOW] = {
		.name = "hackbench_low", .type = KNOB_INT, .deflt = "43",
		.unit = "messages", .max = 1000000,
		.help = "all writers of a full socket are woken at 1/4" },
	{ .name = NULL }
};

#define PAGE_KB 4

static int64_t start_up(struct synth *s, const struct knob_value *k, int which)
{
	return synth_vary(s, k[which].i, k[JITTER].share);
}

static void job(struct synth *s, const struct knob_value *k, int task,
		int parent)
{
	int64_t pages = k[MEMORY].i / PAGE_KB, pieces = k[PIECES].i;
	int64_t alone = k[SPREAD].share > 0 ?
		synth_vary(s, k[ALONE].i, k[SPREAD].share) : k[ALONE].i;
	int64_t left = alone - k[TOUCH].i / pieces * pieces;
	int area = synth_area(s, task, "a, b, ix", pages * PAGE_KB * 1024);

	synth_run(s, task, start_up(s, k, CHILD_TIME));
	synth_exec(s, task);
	synth_run(s, task, start_up(s, k, SH_TIME));
	synth_exec(s, task);
	synth_run(s, task, start_up(s, k, START_TIME));
	for (int64_t i = 0; i < pieces; i++) {
		synth_touch(s, task, area, pages * (i + 1) / pieces -
			    pages * i / pieces);
		synth_run(s, task, k[TOUCH].i / pieces);
	}
	synth_run(s, task, left > 0 ? left : 0);
	synth_wake(s, task, parent);
	synth_role(s, task, SYNTH_JOB);
	synth_exit(s, task);
}

static void hackbench(struct synth *s, const struct knob_value *k, int starter)
{
	int64_t ppm = synth_vary(s, 1000000, k[HB_SPREAD].share);
	const struct hackbench h = {
		.groups = k[HB_GROUPS].i,
		.fds = k[HB_FDS].i,
		.loops = k[HB_LOOPS].i,
		.start_ns = k[START_TIME].i,
		.fork_ns = k[HB_FORK].i,
		.child_ns = k[HB_FORK].i,
		.exit_ns = k[HB_EXIT].i,
		.send_ns = k[HB_SEND].i * ppm / 1000000,
		.recv_ns = k[HB_RECV].i * ppm / 1000000,
		.depth = k[HB_DEPTH].i,
		.low = k[HB_LOW].i,
	};

	synth_run(s, starter, start_up(s, k, FORK_TIME));
	synth_fork(s, starter, s->out->tasks.nr);
	synth_hackbench_add(s, &h, starter);
}

static void make(struct synth *s, const struct knob_value *k)
{
	int main = synth_process(s, "numa_test", TASK_NONE, (int)k[CPU].i);
	int first = main + 1, end = first + (int)k[JOBS].i;

	synth_role(s, main, SYNTH_MAIN);
	synth_run(s, main, k[SETUP].i);
	for (int t = first; t < end; t++) {
		synth_process(s, "randupdt", main, -1);
		synth_run(s, main, start_up(s, k, FORK_TIME));
		synth_fork(s, main, t);
	}
	for (int t = first; t < end && !s->err->code; t++)
		job(s, k, t, main);
	if (k[HB_GROUPS].i) {
		synth_sleep(s, main, k[HB_AT].i);
		hackbench(s, k, main);
	}
	for (int t = first; t < end; t++)
		synth_wait(s, main, t);
	synth_run(s, main, k[FINISH].i);
	synth_exit(s, main);
}

extern const struct synth_ops synth_numa_test;
const struct synth_ops synth_numa_test = {
	.name = "numa_test",
	.title = "jobs with memory of their own, disturbed by hackbench (2002)",
	.about =
"A dispatcher forks the jobs without a pause.  Each execs twice (sh, then\n"
"randupdt), fills 20 MB and updates them at random for 27.2 s of work.  After\n"
"3 s hackbench is started and throws jobs off their nodes.\n"
"Source: algorithms.md, sheet K.1, and findings-numa_test.md.\n",
	.machine = "azusa",
	.operand = "jobs",
	.knobs = knobs,
	.make = make,
};
