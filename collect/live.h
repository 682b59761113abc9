/* SPDX-License-Identifier: MIT */
/*
 * live: records the running kernel into a spool (spool.h).
 *
 * Order of things: COMMAND is forked and waits; what other recorders left is
 * swept away; topology, settings and /proc are read; the instance is set up;
 * readers and the watch run; tracing is turned on; COMMAND is executed.  At the
 * end: a last look at /proc and memory, tracing off, all buffers drained, the
 * kernel's counters, and the instance is removed.
 */
#ifndef COLLECT_LIVE_H
#define COLLECT_LIVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "collect/command.h"

struct err;

enum live_faults { LIVE_FAULTS_AUTO, LIVE_FAULTS_ON, LIVE_FAULTS_OFF };

struct live_options {
	const char *spool_dir;
	char *const *command;	/* NULL: none */
	const char *command_line;	/* of it, as a text */
	const int *pids;	/* record until they all ended */
	int nr_pids;
	bool only;		/* nothing but COMMAND or pids and what they fork */
	enum live_faults faults;	/* exceptions:page_fault_user; AUTO: where
				 * more than one node has memory */
	bool memory;		/* sample where pages are */
	int64_t duration_ns;	/* 0: no end */
	int64_t buffer_bytes;	/* per CPU; 0: by memory and CPUs */
	int64_t sample_interval_ns;
	double sample_budget;	/* share of one CPU's time */

	/* A signalfd, not blocking, of signals that are blocked: SIGCHLD wakes
	 * it, any other ends the recording and, unless it came from the
	 * terminal, which gave it to COMMAND already, is passed on to it. */
	int signal_fd;
	const sigset_t *command_mask;	/* signals blocked for COMMAND */

	/* Called with remarks for people; may be NULL. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

struct live_result {
	bool has_spool;		/* there is one, even if something failed */
	bool disk_full;
	int signal;		/* that ended the recording, 0 none */
	int64_t duration_ns;
	struct command command;	/* .pid > 0: it runs on */
	bool command_failed;	/* it could not be executed: no spool */
};

/*
 * Records.  On an error before tracing began nothing is left behind; on one
 * after it (disk full) the spool is.  If both COMMAND and the recording fail,
 * the latter is told.
 */
int live_record(const struct live_options *o, struct live_result *r,
		struct err *err);

#define LIVE_SAMPLE_INTERVAL_NS INT64_C(500000000)
#define LIVE_SAMPLE_BUDGET 0.01

#endif
