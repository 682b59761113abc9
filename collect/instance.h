/* SPDX-License-Identifier: MIT */
/*
 * instance: the recorder's own tracing instance, so that nothing of the user's
 * tracing setup (the top instance and other tools' instances) is touched.
 *
 * Its name is "homenode-PID-START": pid and start time (/proc/PID/stat, clock
 * ticks since boot) of its owner, who also holds a lock (flock) on its folder
 * for as long as it lives, however it ends.  An instance of that form is left
 * over, and instance_sweep() removes it, iff its lock is free and no process
 * of that pid and start time is there.
 *
 * Order of calls: instance_sweep(), instance_new(), instance_set_pids(),
 * instance_on(), instance_off(), instance_cpu_stats(), instance_free().
 * When the owner dies in between, the kernel stops the instance and gives its
 * buffers back at once (free_buffer, disable_on_free); only the empty instance
 * stays until the next sweep.
 */
#ifndef COLLECT_INSTANCE_H
#define COLLECT_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"

struct err;
struct tracedir;
struct instance;

struct instance_setup {
	int64_t buffer_bytes;	/* per CPU; 0: instance_default_buffer() */
	bool faults;		/* exceptions:page_fault_user too */
};

/* Removes instances of recorders that are gone; returns how many, or an error
 * if there are some that could not be removed.  proc: "/proc". */
int instance_sweep(const char *tracing_dir, const char *proc, struct err *err);

/* Makes the instance, stopped, with clock mono, its buffers, and every kind of
 * event that the kernel has enabled, task:task_newtask too, which tells of
 * each fork whether it makes a thread.  ERR_PERM, ERR_IO, ERR_NOTFOUND where the
 * kernel has no sched_switch or no clock mono. */
int instance_new(struct instance **in, const struct tracedir *dir,
		 const struct instance_setup *setup, struct err *err);
/* Stops and removes it; false: somebody has a file of it open, so that it stays
 * (stopped and empty) until the next sweep.  NULL is fine. */
bool instance_free(struct instance *in);

/* Narrows the events to these tids and what they fork from now on. */
int instance_set_pids(struct instance *in, const int *tid, int nr,
		      struct err *err);

int instance_on(struct instance *in, struct err *err);
int instance_off(struct instance *in, struct err *err);

/* What was set up. */
const char *instance_name(const struct instance *in);
bool instance_has_event(const struct instance *in, int event_kind);
int64_t instance_buffer_bytes(const struct instance *in);	/* per CPU */
int64_t instance_page_bytes(const struct instance *in);	/* a sub-buffer */

/* A file of the instance, or of the top one where the instance has none
 * ("events/header_page"); malloced, *len bytes.  NULL: none. */
char *instance_file(const struct instance *in, const char *file, int *len);

/* Opens per_cpu/cpuN/trace_pipe_raw, not blocking; negative error. */
int instance_open_cpu(const struct instance *in, int cpu, struct err *err);

/* The kernel's own counters of a CPU (per_cpu/cpuN/stats). */
struct cpu_stats {
	int64_t entries;	/* events still in the buffer */
	int64_t read;		/* events that were read */
	int64_t overrun;	/* lost: overwritten before they were read */
	int64_t commit_overrun;	/* lost: nested writers filled the buffer */
	int64_t dropped;	/* lost: refused by a full buffer */
};
int instance_cpu_stats(const struct instance *in, int cpu, struct cpu_stats *s,
		       struct err *err);
void cpu_stats_parse(struct cpu_stats *s, const char *text);

/* Bytes per CPU: 1/64 of the memory over all CPUs, from 512 KiB to 8 MiB. */
int64_t instance_default_buffer(int64_t mem_bytes, int nr_cpus);

/* Bytes of a sub-buffer that suit a buffer: large ones cost less to move,
 * small ones lose less at a time. */
int instance_page_kib(int64_t buffer_bytes);

#endif
