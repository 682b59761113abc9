/* SPDX-License-Identifier: MIT */
/*
 * knobs: the scheduler and NUMA settings that are in force and can be read.
 *
 *	kernel.NAME, vm.NAME		as sysctl(8) names them
 *	sched.NAME			debugfs sched/NAME ("sched.features",
 *					"sched.numa_balancing.scan_delay_ms")
 *	sched.domain.LEVEL.NAME.WHAT	one of each level and name that any CPU
 *					has ("sched.domain.1.NUMA.max_interval")
 *	transparent_hugepage.NAME, numa.NAME, lru_gen.NAME, ksm.NAME,
 *	cpu.NAME, cpufreq.NAME, clocksource, sched_ext.NAME	of sysfs
 *	boot.cmdline
 *
 * Blanks and line feeds in a value are made single spaces.
 */
#ifndef COLLECT_KNOBS_H
#define COLLECT_KNOBS_H

struct err;

/* Where to read; a NULL one is left out. */
struct knob_roots {
	const char *proc;	/* "/proc" */
	const char *sys;	/* "/sys" */
	const char *debug;	/* debugfs */
};

/* Calls back for each; stops at an error of fn and returns it. */
int knobs_read(const struct knob_roots *roots,
	       int (*fn)(void *ctx, const char *name, const char *value,
			 struct err *err),
	       void *ctx, struct err *err);

#endif
