/* SPDX-License-Identifier: MIT */
/*
 * synth numa01, numa02: Arcangeli's benchmarks of 2012.
 *
 * numa01: two processes of half as many threads as there are CPUs; all threads
 * of a process write the same 3 GiB again and again.  numa02: one process of as
 * many threads as there are CPUs, each writes its own part of 1 GiB.
 *
 * Source: sheet K.2 of algorithms.md (autonuma-benchmark).  A pass over the
 * memory is bandwidth bound: how long it takes one thread alone is a knob, what
 * sharing a node's memory and remoteness cost is the cost model's.  Assumed: the
 * threads that fill the memory at the same time get even parts of it.
 */
#include "replay/synth_local.h"

#include <stdio.h>

#include "model/err.h"

#define PAGES_PER_MB 256

/* -- numa01 ------------------------------------------------------------------- */

enum {
	N1_PROCESSES, N1_THREADS, N1_MEMORY, N1_PASSES, N1_PASS, N1_OWN,
	N1_SAME_NODE, N1_FORK, N1_START, N1_CPU
};

static const struct knob numa01_knobs[] = {
	[N1_PROCESSES] = {
		.name = "processes", .type = KNOB_INT, .deflt = "2", .min = 1,
		.max = 10000, .help = "forked before the memory is there (K.2)" },
	[N1_THREADS] = {
		.name = "threads", .type = KNOB_INT, .deflt = "0", .max = 100000,
		.help = "of each; 0: CPUs / processes (K.2)" },
	[N1_MEMORY] = {
		.name = "memory", .type = KNOB_INT, .deflt = "3072",
		.unit = "MB", .min = 1, .max = 100000000,
		.help = "of each process (K.2)" },
	[N1_PASSES] = {
		.name = "passes", .type = KNOB_INT, .deflt = "50", .min = 1,
		.max = 1000000, .help = "over the memory, after the first (K.2)" },
	[N1_PASS] = {
		.name = "pass", .type = KNOB_NS, .deflt = "6569ms",
		.help = "of a thread over it: hard bind, 335 s / 51 (seed 004)" },
	[N1_OWN] = {
		.name = "thread_alloc", .type = KNOB_BOOL, .deflt = "off",
		.help = "each thread has its own part of the memory (K.2)" },
	[N1_SAME_NODE] = {
		.name = "same_node", .type = KNOB_INT, .deflt = "-1",
		.unit = "node", .min = -1, .max = 1000000,
		.help = "all memory lies there at first, as a forced first touch "
			"put it (K.2); -1: where it is touched" },
	[N1_FORK] = {
		.name = "fork", .type = KNOB_NS, .deflt = "50us",
		.help = "of the main thread for each thread, +-20 % (assumed)" },
	[N1_START] = {
		.name = "start", .type = KNOB_NS, .deflt = "300us",
		.help = "of a new process before it makes threads, +-20 % "
			"(assumed)" },
	[N1_CPU] = {
		.name = "cpu", .type = KNOB_INT, .deflt = "0", .max = 1000000,
		.help = "where the first process is" },
	{ .name = NULL }
};

struct shape {
	int64_t threads, pages, passes, pass_ns, fork_ns;
	int same_node;		/* -1: first touch */
	bool own;		/* areas of their own */
};

#define JITTER 0.2

/* The work of one thread: the first pass brings its part of the pages. */
static void thread(struct synth *s, const struct shape *w, int task, int area,
		   int nr)
{
	int64_t mine = w->pages * (nr + 1) / w->threads -
		w->pages * nr / w->threads;
	int64_t first = w->pass_ns / 16;

	if (w->same_node >= 0)
		synth_hold(s, task, area, w->same_node, mine);
	for (int i = 0; i < 16; i++) {
		if (w->same_node < 0)
			synth_touch(s, task, area, mine * (i + 1) / 16 -
				    mine * i / 16);
		synth_run(s, task, first);
	}
	for (int64_t i = 0; i < w->passes; i++)
		synth_run(s, task, w->pass_ns);
}

static int area_of(struct synth *s, const struct shape *w, int proc, int nr)
{
	char name[40];

	if (w->own) {
		snprintf(name, sizeof(name), "part %d", nr);
		return synth_area(s, proc, name, w->pages / w->threads * 4096);
	}
	return nr ? s->out->areas.nr - 1 :
		synth_area(s, proc, "memory", w->pages * 4096);
}

/* A process whose main thread makes the threads and waits for them. */
static void process(struct synth *s, const struct shape *w, int main,
		    const char *comm)
{
	int first = s->out->tasks.nr;

	for (int64_t i = 0; i < w->threads && !s->err->code; i++) {
		int t = synth_thread(s, comm, main, main);
		int area = area_of(s, w, main, (int)i);

		synth_role(s, t, SYNTH_JOB);
		synth_run(s, main, synth_vary(s, w->fork_ns, JITTER));
		synth_fork(s, main, t);
		if (w->own)
			synth_access(s, t, area, 1);
		thread(s, w, t, area, (int)i);
		synth_wake(s, t, main);
		synth_exit(s, t);
	}
	for (int64_t i = 0; i < w->threads; i++)
		synth_wait(s, main, first + (int)i);
}

static void make_numa01(struct synth *s, const struct knob_value *k)
{
	int64_t nr = k[N1_PROCESSES].i;
	struct shape w = {
		.threads = k[N1_THREADS].i,
		.pages = k[N1_MEMORY].i * PAGES_PER_MB,
		.passes = k[N1_PASSES].i,
		.pass_ns = k[N1_PASS].i,
		.fork_ns = k[N1_FORK].i,
		.same_node = (int)k[N1_SAME_NODE].i,
		.own = k[N1_OWN].i,
	};
	int main = synth_process(s, "numa01", TASK_NONE, (int)k[N1_CPU].i);

	if (!w.threads)
		w.threads = s->nr_cpus > nr ? s->nr_cpus / nr : 1;
	synth_role(s, main, SYNTH_MAIN);
	for (int64_t i = 1; i < nr; i++) {
		int child = synth_process(s, "numa01", main, -1);

		synth_run(s, main, 100000);
		synth_fork(s, main, child);
		synth_run(s, child, synth_vary(s, k[N1_START].i, JITTER));
		process(s, &w, child, "numa01");
		synth_wake(s, child, main);
		synth_exit(s, child);
	}
	process(s, &w, main, "numa01");
	for (int t = 0; t < s->out->tasks.nr; t++)
		if (t != main && s->out->role[t] == SYNTH_OTHER)
			synth_wait(s, main, t);
	synth_exit(s, main);
}

extern const struct synth_ops synth_numa01;
const struct synth_ops synth_numa01 = {
	.name = "numa01",
	.title = "two processes of many threads that share memory (2012)",
	.about =
"Two processes of CPUs / 2 threads each; all threads of a process write the\n"
"same 3 GiB 51 times (thread_alloc=on: each its own part, the same work).\n"
"Source: algorithms.md, sheet K.2; the time of a pass: seed 004, hard bind.\n"
"Assumed: what making threads and processes takes.\n",
	.machine = "westmere",
	.operand = NULL,
	.knobs = numa01_knobs,
	.make = make_numa01,
};

/* -- numa02 ------------------------------------------------------------------- */

enum { N2_THREADS, N2_MEMORY, N2_PASSES, N2_PASS, N2_CPU };

static const struct knob numa02_knobs[] = {
	[N2_THREADS] = {
		.name = "threads", .type = KNOB_INT, .deflt = "0", .max = 100000,
		.help = "0: as many as CPUs (K.2)" },
	[N2_MEMORY] = {
		.name = "memory", .type = KNOB_INT, .deflt = "1024",
		.unit = "MB", .min = 1, .max = 100000000,
		.help = "of the process (K.2)" },
	[N2_PASSES] = {
		.name = "passes", .type = KNOB_INT, .deflt = "800", .min = 1,
		.max = 1000000, .help = "of each thread over its part (K.2)" },
	[N2_PASS] = {
		.name = "pass", .type = KNOB_NS, .deflt = "44900us",
		.help = "of a thread over its part: hard bind, 37 s / (24 + 800) "
			"(seed 004)" },
	[N2_CPU] = {
		.name = "cpu", .type = KNOB_INT, .deflt = "0", .max = 1000000,
		.help = "where the process begins" },
	{ .name = NULL }
};

static void make_numa02(struct synth *s, const struct knob_value *k)
{
	int64_t pages = k[N2_MEMORY].i * PAGES_PER_MB, nr = k[N2_THREADS].i;
	int main = synth_process(s, "numa02", TASK_NONE, (int)k[N2_CPU].i);
	int first = main + 1;

	if (!nr)
		nr = s->nr_cpus;
	synth_role(s, main, SYNTH_MAIN);
	for (int i = 0; i < nr && !s->err->code; i++) {
		char name[40];
		int64_t part = pages * (i + 1) / nr - pages * i / nr;
		int t = synth_thread(s, "numa02", main, main);
		int area;

		snprintf(name, sizeof(name), "part %d", i);
		area = synth_area(s, main, name, part * 4096);
		synth_touch(s, main, area, part);
		synth_run(s, main, k[N2_PASS].i);
		synth_access(s, t, area, 1);
		for (int64_t p = 0; p < k[N2_PASSES].i; p++)
			synth_run(s, t, k[N2_PASS].i);
		synth_role(s, t, SYNTH_JOB);
		synth_wake(s, t, main);
		synth_exit(s, t);
	}
	for (int i = 0; i < nr; i++) {
		synth_run(s, main, 50000);
		synth_fork(s, main, first + i);
	}
	for (int i = 0; i < nr; i++)
		synth_wait(s, main, first + i);
	synth_exit(s, main);
}

extern const struct synth_ops synth_numa02;
const struct synth_ops synth_numa02 = {
	.name = "numa02",
	.title = "one process whose threads have their own parts of memory (2012)",
	.about =
"The main thread fills 1 GiB, then one thread for each CPU writes its own part\n"
"800 times.  Source: algorithms.md, sheet K.2; the time of a pass: seed 004,\n"
"hard bind.\n",
	.machine = "westmere",
	.operand = NULL,
	.knobs = numa02_knobs,
	.make = make_numa02,
};
