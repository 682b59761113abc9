/* SPDX-License-Identifier: MIT */
/*
 * live_local: what the parts of live share.
 *
 *	live.c		the order of things
 *	live_setup.c	what is made before the first event, and taken down
 *	live_cpus.c	readers, and CPUs that come
 */
#ifndef COLLECT_LIVE_LOCAL_H
#define COLLECT_LIVE_LOCAL_H

#include "collect/instance.h"
#include "collect/live.h"
#include "collect/reader.h"
#include "collect/spool.h"
#include "collect/tracedir.h"
#include "collect/watch.h"

struct live {
	const struct live_options *o;
	struct live_result *r;
	struct tracedir dir;
	struct instance *instance;
	struct spool *spool;
	struct watch *watch;
	struct topo topo;
	struct cpumask online;	/* that have been seen online */
	bool faults;
	bool in_namespace;	/* pids of /proc are not those of the trace */
	int stop_fd;		/* eventfd: readers drain and end */
	int watch_stop_fd;	/* eventfd: the last look */
	int failed_fd;		/* eventfd: a thread gave up */
	struct reader **reader;	/* by CPU number */
	int nr_cpus;		/* possible ones: size of reader */
	int64_t start_ns;
};

void live_note(const struct live *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* live_setup.c */
int live_setup(struct live *l, struct err *err);
void live_teardown(struct live *l);

/* live_cpus.c */
int live_find_cpus(struct live *l, struct err *err);
int live_start_readers(struct live *l, struct err *err);
/* CPUs that came online since the last call get a reader. */
int live_follow_cpus(struct live *l, struct err *err);
/* error: errno of a failed write, 0 none. */
int live_stop_readers(struct live *l, int *error, struct err *err);
int live_put_tail(struct live *l, int64_t end_ns, const char *reason,
		  struct err *err);

#endif
