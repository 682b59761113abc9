/* SPDX-License-Identifier: MIT */
/*
 * perf: a perf.data to records in order of time: the samples of tracepoints, by
 * the formats in its tracing data, and what PERF_RECORD_LOST says.  Files and
 * what was written to a pipe, either byte order, zstd.  Layout: Linux
 * tools/perf/Documentation/perf.data-file-format.txt and perf_event_open(2).
 *
 * A sample's layout is that of its event's attributes, found by the id that it
 * carries, if the file has several events.
 */
#ifndef COLLECT_PERF_H
#define COLLECT_PERF_H

#include "collect/decoder.h"
#include "collect/sighted.h"
#include "model/topo.h"

#include <stdbool.h>

struct perf;

struct perf_info {
	bool is_pipe, big_endian;
	bool is_cut;		/* perf did not come to its end */
	char kernel[128], arch[64], tool[64], command[512];	/* "" unknown */
	char clock[16];		/* "perf" unless perf record -k named one */
	int nr_cpus;		/* 0 unknown */
	int64_t page_size;
	bool has_topo;		/* nodes with their CPUs are told */
	struct topo topo;	/* distances are not */
};

/* True for the first bytes of a perf.data. */
bool perf_magic(const uint8_t *bytes, size_t len);

/* partial: take what is there of a file that is cut off. */
int perf_open(struct perf **p, const char *path, bool partial, struct err *err);
void perf_close(struct perf *p);

/* As of record_source. */
int perf_next(struct perf *p, struct record *r, struct err *err);
double perf_progress(const struct perf *p);

/* In a pipe's file parts may come with the records. */
const struct perf_info *perf_info(const struct perf *p);
const struct decoder *perf_decoder(const struct perf *p);
const struct sighted *perf_sighted(const struct perf *p);
int64_t perf_bad_samples(const struct perf *p);	/* shorter than they say */
int64_t perf_unplaced(const struct perf *p);	/* lost on an unknown CPU */
int64_t perf_late(const struct perf *p);	/* came too late to be in order */
const char *perf_damage(const struct perf *p);	/* "" none */

/* Samples that are no tracepoint's, by event. */
int perf_each_skipped(const struct perf *p, int (*fn)(void *ctx,
		      const char *name, int64_t count, struct err *err),
		      void *ctx, struct err *err);

#endif
