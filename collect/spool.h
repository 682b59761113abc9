/* SPDX-License-Identifier: MIT */
/*
 * spool: the folder in which a recording lies until rows are made of it.
 *
 * What is in it (texts are lines of fields.h, bytes as the kernel gave them):
 *
 *	homenode-spool	"homenode-spool 1", then KEY VALUE: what is known before
 *			the first event (struct spool_head, spool_read.c)
 *	header_page	events/header_page of the kernel
 *	SYSTEM.EVENT.format	the format of each recorded event
 *	topology	node ID ONLINE MEM_BYTES
 *			cpu ID ONLINE NODE PACKAGE DIE CLUSTER LLC CORE SMT
 *			distance FROM TO N; a later topology adds to it
 *	knobs		NAME VALUE; the last of a name counts
 *	tasks		TS TID PID NICE FLAGS CPUS CGROUP NSPID COMM
 *	places		a TS PID SOURCE KIND START BYTES NODE:PAGES,... NAME
 *			and, after the last area of a sample, e TS PID
 *	cpuN.raw	sub-buffers of CPU N, each page_bytes long
 *	marks		int64 per CPU number: everything of the CPU before this
 *			time is in cpuN.raw
 *	tail		written last: end NS REASON, and for each CPU:
 *			cpu N ENTRIES READ OVERRUN COMMIT_OVERRUN DROPPED
 *
 * A spool without tail is one of a recorder that was killed.  It can be read
 * as it is; the end of every file may then be cut.
 *
 * Order of calls: spool_create(), anything else from any thread (each kind of
 * file from one at a time), spool_put_tail(), spool_close(), and spool_import()
 * at any later time.
 */
#ifndef COLLECT_SPOOL_H
#define COLLECT_SPOOL_H

#include "collect/ingest.h"
#include "collect/instance.h"

#define SPOOL_VERSION 1
#define SPOOL_MARKER "homenode-spool"

struct spool;

struct spool_head {
	const char *command;	/* what is recorded, "" the whole system */
	int64_t page_bytes;	/* of a sub-buffer */
	int64_t start_ns;	/* clock mono */
	int nr_cpus;		/* possible CPUs */
	bool faults;
};

/* Makes the folder (0700); ERR_EXISTS if there is one of that name. */
int spool_create(struct spool **sp, const char *dir,
		 const struct spool_head *head, struct err *err);
void spool_close(struct spool *sp);	/* NULL is fine */
const char *spool_dir(const struct spool *sp);

/* True if dir is a spool; whatever else it is, nothing is said. */
bool spool_is(const char *dir);

/* Removes a spool and nothing else that may lie in its folder. */
int spool_remove(const char *dir, struct err *err);

/* A whole file of the spool at once: header_page, formats. */
int spool_put_file(struct spool *sp, const char *name, const char *text,
		   size_t len, struct err *err);
int spool_put_topo(struct spool *sp, const struct topo *t, struct err *err);
int spool_put_knob(struct spool *sp, const char *name, const char *value,
		   struct err *err);

/* A task_fact, but for the affinity that stays a text ("0-3", NULL: unknown). */
int spool_put_task(struct spool *sp, const struct task_fact *f,
		   const char *cpus, struct err *err);
int spool_put_place(struct spool *sp, const struct placement_fact *f,
		    struct err *err);
int spool_put_place_end(struct spool *sp, int pid, int64_t ts, struct err *err);

/* Tasks and places reach the files with this at the latest. */
int spool_flush(struct spool *sp, struct err *err);

/* Opens cpuN.raw for writing; negative error. */
int spool_open_cpu(struct spool *sp, int cpu, struct err *err);
void spool_mark(struct spool *sp, int cpu, int64_t ns);

struct spool_tail {
	int64_t end_ns;		/* clock mono */
	const char *reason;	/* "end of command", "signal 2"; "cannot write..."
				 * where files end before the events do */
	int nr_cpus;		/* size of stats */
	const struct cpu_stats *stats;	/* by CPU number */
};
/* Works on a full disk too: room for it was kept from the beginning. */
int spool_put_tail(struct spool *sp, const struct spool_tail *t,
		   struct err *err);

/* How an import tells what it does; any may be NULL. */
struct spool_watch {
	void *ctx;
	int (*progress)(void *ctx, double done);	/* non-zero: stop */
	void (*note)(void *ctx, const char *text);	/* what is missing */
};

/*
 * Makes rows of a spool in a store that was just created; does not commit it.
 * totals may be NULL.  The losses add up to what the kernel counted: holes of
 * unknown size share by their length what the known ones do not account for.
 */
int spool_import(const char *dir, struct store *s,
		 const struct spool_watch *watch, struct ingest_totals *totals,
		 struct err *err);

#endif
