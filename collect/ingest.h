/* SPDX-License-Identifier: MIT */
/*
 * ingest: the one path from any source of records into a new file.
 *
 * Gives tasks their identity (tid, start), follows their names, writes events,
 * losses, companions (topology, knobs, /proc facts, placement samples) and the
 * capture's head.  Order of calls:
 *
 *	ingest_new()
 *	ingest_capture(), _topo(), _knob(), _task_fact()	any order
 *	ingest_run()				once, all events
 *	ingest_placement(), _placement_end()	in time order per process
 *	ingest_lost(), _repair(), _skipped(), _task_fact(), _knob()
 *	ingest_finish()
 *
 * Identity.  A task begins with its fork, with sched_wakeup_new where the fork
 * was not recorded, or where it is first seen (it was alive before).  It ends
 * with the switch away from it in a dead state.  A tid that is seen after that
 * is a new task, also without a fork (repair "fork_not_seen"); one that is
 * forked again without an end was reused too ("exit_not_seen").  A name that
 * changes makes no new task.  An exec in a thread that is not the leader ends
 * that thread and begins a new task under the leader's tid.
 *
 * Names hold from the exec, else from the first event that shows them.
 *
 * cgroup, nice and affinity come from facts; where there are none, from who
 * forked the task, as in the kernel.
 *
 * pid (tgid) comes from facts, from sched_*_numa, from sched_process_exec (who
 * execs leads its process), from sched_process_exit where it has group_dead, and
 * from placement samples; else it stays -1.
 */
#ifndef COLLECT_INGEST_H
#define COLLECT_INGEST_H

#include "collect/record.h"

struct ingest;

int ingest_new(struct ingest **in, struct store *s, struct err *err);
void ingest_free(struct ingest *in);

/* Facts; each is copied.  Of the capture, ingest_finish() sets what follows
 * from the events: times, window, has_faults, topology_known, and nr_cpus if
 * events show more CPUs. */
int ingest_capture(struct ingest *in, const struct capture *c, struct err *err);

/* Without it one node is assumed.  CPUs that the events have and it has not are
 * put on a node of their own, without memory (repair "cpu_not_in_topology"):
 * they must not be taken for a part of a node that is known. */
int ingest_topo(struct ingest *in, const struct topo *t, struct err *err);
int ingest_knob(struct ingest *in, const char *name, const char *value,
		struct err *err);

/* What /proc (or the trace's own tables) said of a task at a time; -1 / NULL /
 * empty where it is unknown.  Facts may come before or after the events. */
struct task_fact {
	int64_t ts;		/* of the trace's clock; INT64_MIN: at the
				 * start, INT64_MAX: at the end */
	int tid, pid;
	const char *comm, *cgroup, *nspid;
	bool weak_comm;		/* comm counts only if no event and no other
				 * fact ever named the task */
	const struct cpumask *affinity;
	int nice;		/* NICE_UNKNOWN */
	uint32_t flags;		/* TASK_F_KTHREAD, TASK_F_RECORDER */
};
int ingest_task_fact(struct ingest *in, const struct task_fact *f, struct err *err);

/* One sampled area: pages[] by node id. */
struct placement_fact {
	int64_t ts;
	int pid;
	uint64_t start, bytes;	/* bytes 0: unknown */
	int kind;		/* enum area_kind */
	const char *name;	/* NULL or "": none */
	char source;		/* 'm', 'e' or 'q' (schema/store.h) */
	int nr_node_ids;
	const int64_t *pages;
};

/*
 * An area is (process, its exec, start address); a stack grows downwards and is
 * known by being one.  Areas of one process and time that are the same count
 * together.  Samples of a process that run back in time are left out (repair
 * "placement_backward").
 */
int ingest_placement(struct ingest *in, const struct placement_fact *f,
		     struct err *err);

/* All areas of pid that hold pages at ts were given: those that were sampled
 * before and not now are gone, and get a sample without pages. */
int ingest_placement_end(struct ingest *in, int pid, int64_t ts,
			 struct err *err);

/*
 * Pulls the source dry.  The source is read and decoded in a thread of its own
 * while the caller's writes to the store; what is written does not depend on
 * how the two run.  progress may be NULL and is called in the caller's thread;
 * non-zero return stops (ERR_STOPPED).
 */
int ingest_run(struct ingest *in, struct record_source *src,
	       int (*progress)(void *ctx, double done), void *ctx,
	       struct err *err);

/* The recording's own counters say that so many events of a CPU were lost in
 * all.  Those that no hole accounts for become a loss of the whole capture, or
 * the count of the one hole whose size is not known. */
int ingest_lost(struct ingest *in, int cpu, int64_t events, struct err *err);

/* Counts repairs and remarks (kept in the file), e.g. what merge found; counts
 * of one kind add up. */
int ingest_repair(struct ingest *in, const char *kind, int64_t count,
		  struct err *err);
int ingest_skipped(struct ingest *in, const char *name, int64_t count,
		   struct err *err);

/*
 * Writes tasks, areas, capture.  Does not commit the store.  ERR_FORMAT if
 * there is no sched_switch, with what there is instead.
 *
 * The window is the whole capture, less what a CPU lacks at the start or end
 * because its buffer had been overrun or its file is cut.
 * A loss before a CPU's first event begins where the capture does, with the first
 * event of all CPUs; on the CPU of that event it has no length.
 */
int ingest_finish(struct ingest *in, struct err *err);

/* What came in; complete after ingest_finish(). */
struct ingest_totals {
	int64_t events, by_kind[EVENT_NR_KINDS];
	int64_t lost;		/* events known to be lost */
	int64_t loss_intervals;
	int64_t skipped;
	int64_t samples;	/* rows of placement */
	int64_t start_ns, end_ns, window_start_ns, window_end_ns;
	int tasks, processes, areas, cpus;
	int cpus_not_in_topology;
	int first_stray_cpu, stray_node;	/* of those; -1 */
};
const struct ingest_totals *ingest_totals(const struct ingest *in);

#endif
