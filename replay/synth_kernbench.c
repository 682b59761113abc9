/* SPDX-License-Identifier: MIT */
/*
 * synth kernbench: a parallel build: make forks compilers, so many at a time,
 * and the next one whenever one is through.
 *
 * Source: sheet K.4 of algorithms.md, which found no definition; all of it is
 * assumed: make -j of twice the CPUs, short processes that exec, touch some
 * MB and live 0.1 to 2 s, with the total user and system time of the seed.
 */
#include "replay/synth_local.h"

#include "model/err.h"

enum { FILES, JOBS, MIN_TIME, MAX_TIME, MEMORY, FORK_TIME, EXEC_TIME, CPU };

static const struct knob knobs[] = {
	[FILES] = {
		.name = "files", .type = KNOB_INT, .deflt = "560", .min = 1,
		.max = 10000000,
		.help = "to compile: (191.6 + 43.3) s of the seed / 0.42 s" },
	[JOBS] = {
		.name = "jobs", .type = KNOB_INT, .deflt = "0", .max = 100000,
		.help = "make -j; 0: 2 * CPUs (K.4, assumed)" },
	[MIN_TIME] = {
		.name = "min", .type = KNOB_NS, .deflt = "100ms",
		.help = "CPU time of the shortest compilation (K.4, assumed)" },
	[MAX_TIME] = {
		.name = "max", .type = KNOB_NS, .deflt = "2s",
		.help = "of the longest; short ones are more frequent (K.4)" },
	[MEMORY] = {
		.name = "memory", .type = KNOB_INT, .deflt = "4096",
		.unit = "KB", .max = 100000000,
		.help = "that a compilation touches (assumed)" },
	[FORK_TIME] = {
		.name = "fork", .type = KNOB_NS, .deflt = "1ms",
		.help = "CPU time of make for each (assumed)" },
	[EXEC_TIME] = {
		.name = "exec", .type = KNOB_NS, .deflt = "2ms",
		.help = "CPU time of sh until it execs the compiler (assumed)" },
	[CPU] = {
		.name = "cpu", .type = KNOB_INT, .deflt = "0", .max = 1000000,
		.help = "where make is" },
	{ .name = NULL }
};

#define PAGE_KB 4
#define PIECES 8

/* Between min and max, the cube of an even number: a mean of a quarter. */
static int64_t life(struct synth *s, const struct knob_value *k)
{
	int64_t range = k[MAX_TIME].i - k[MIN_TIME].i;
	double x = (double)rng_below(&s->rng, 1 << 20) / (1 << 20);

	return k[MIN_TIME].i + (int64_t)(x * x * x * (double)range);
}

static void compiler(struct synth *s, const struct knob_value *k, int task,
		     int done)
{
	int64_t pages = k[MEMORY].i / PAGE_KB, ns = life(s, k);
	int area = synth_area(s, task, "heap", pages * PAGE_KB * 1024);

	synth_run(s, task, k[FORK_TIME].i);
	synth_exec(s, task);
	synth_run(s, task, k[EXEC_TIME].i);
	synth_exec(s, task);
	for (int i = 0; i < PIECES; i++) {
		synth_touch(s, task, area, pages * (i + 1) / PIECES -
			    pages * i / PIECES);
		synth_run(s, task, ns / PIECES);
	}
	synth_send(s, task, done);
	synth_role(s, task, SYNTH_JOB);
	synth_exit(s, task);
}

static void make(struct synth *s, const struct knob_value *k)
{
	int64_t jobs = k[JOBS].i ? k[JOBS].i : 2 * s->nr_cpus, i;
	int main = synth_process(s, "make", TASK_NONE, (int)k[CPU].i);
	int done = synth_open(s, main, k[FILES].i, 0, 0);

	if (k[MAX_TIME].i < k[MIN_TIME].i)
		synth_fail(s, "kernbench: max must not be less than min");
	synth_role(s, main, SYNTH_MAIN);
	for (i = 0; i < k[FILES].i && !s->err->code; i++) {
		int t = synth_process(s, "cc1", main, -1);

		if (i >= jobs)
			synth_recv(s, main, done);
		synth_run(s, main, k[FORK_TIME].i);
		synth_fork(s, main, t);
		compiler(s, k, t, done);
	}
	for (int64_t left = i < jobs ? i : jobs; left > 0; left--)
		synth_recv(s, main, done);
	synth_exit(s, main);
}

extern const struct synth_ops synth_kernbench;
const struct synth_ops synth_kernbench = {
	.name = "kernbench",
	.title = "a parallel build of many short processes",
	.about =
"make keeps 2 * CPUs compilers running until all files are through.  Each execs\n"
"twice, touches some MB and lives 0.1 to 2 s, short lives being more frequent;\n"
"lengths follow the seed.  Source: algorithms.md, sheet K.4: all assumed.\n",
	.machine = "numaq",
	.operand = "files",
	.knobs = knobs,
	.make = make,
};
