/* SPDX-License-Identifier: MIT */
/*
 * perf_build: writes small perf.data files: two events (cycles, which has call
 * chains, and the tracepoint sched:sched_switch), each with its own layout of
 * samples, of either byte order, as a file or through a pipe, compressed or not.
 *
 *	perf_build_init(&b, &form);
 *	perf_build_switch(&b, ...);	and others, in the file's order
 *	bytes = perf_build_done(&b, &len);	free() them
 */
#ifndef TESTS_SUPPORT_PERF_BUILD_H
#define TESTS_SUPPORT_PERF_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_form {
	bool big_endian, is_pipe;
	bool no_tracepoint;	/* cycles only */
	/* Compresses the records: dat_pack() of dat_pack.h; NULL: not. */
	size_t (*pack)(const char *compression, const uint8_t *from, size_t len,
		       uint8_t *to, size_t room);
};

struct perf_build_bytes {
	uint8_t *at;
	size_t len, size;
};

struct perf_build {
	struct perf_form form;
	struct perf_build_bytes data;	/* records */
};

void perf_build_init(struct perf_build *b, const struct perf_form *form);
void perf_build_switch(struct perf_build *b, int cpu, uint64_t ts, int pid,
		       const char *prev, int prev_tid, const char *next,
		       int next_tid);
void perf_build_cycles(struct perf_build *b, int cpu, uint64_t ts);
void perf_build_lost(struct perf_build *b, int cpu, uint64_t ts, uint64_t lost);
/* LOST_SAMPLES; those without a time are sums that perf writes at its end. */
void perf_build_lost_samples(struct perf_build *b, uint64_t ts, uint64_t lost);
void perf_build_comm(struct perf_build *b, int pid, int tid, const char *comm);
void perf_build_fork(struct perf_build *b, uint64_t ts, int pid, int tid);
void perf_build_round(struct perf_build *b);

/* The machine that its features tell of: node 0 has CPUs 0-1, node 3 CPUs 2-3
 * and 1 GiB; CPUs 0 and 1 are threads of one core. */
uint8_t *perf_build_done(struct perf_build *b, size_t *len);

#endif
