/* SPDX-License-Identifier: MIT */
/*
 * demand_text: demand programs written by hand, for tests of the replay.
 *
 *	# a comment
 *	area x proc=a
 *	task a cpu=0 [nice=5] [cpus=0-1] [at=2ms] [proc=b] [kthread] [command] [forked]:
 *		run 5ms; wake b; exit
 *	access a x 5
 *
 * Operations are separated by ';' and may go over several lines (a line that
 * begins with a blank goes on).  Tasks and areas get ids in order of their
 * lines and may be named before them.  Operations: run T [slow N] [crowd N], wake N,
 * wait N, sleep T, fork N, exec, touch A n, free A n, held A node n,
 * open chan size low all, send chan, recv chan (channels are numbers),
 * place cpu T, moved A from to n, exit, end, and N*(op; op) for N times.
 * T: 5ns, 3us, 2ms, 1s.
 */
#ifndef TESTS_SUPPORT_DEMAND_TEXT_H
#define TESTS_SUPPORT_DEMAND_TEXT_H

#include "model/demand.h"
#include "model/run.h"
#include "model/task.h"

#include <stddef.h>

struct demand_text_program {
	uint8_t *bytes;
	size_t len;
	size_t *chunk;		/* where each chunk begins */
	int nr_chunks;
};

struct demand_text {
	struct tasks tasks;
	struct areas areas;
	struct demand_task *demand;
	struct demand_text_program *program;	/* [tasks.nr] */
	int nr;
	struct mem_access *access;
	int nr_access;
	char error[300];
};

/* 0, or -1 and error says why.  chunk: bytes of a chunk at most (small ones
 * test the seams); 0: DEMAND_CHUNK. */
int demand_text_parse(struct demand_text *d, const char *text, size_t chunk);
void demand_text_release(struct demand_text *d);
void demand_text_source(struct demand_text *d, struct demand_source *src);

int demand_text_task(const struct demand_text *d, const char *name); /* -1 */

/* "5ms" to ns; -1 if it is none. */
int64_t demand_text_time(const char *text);

#endif
