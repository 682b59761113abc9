/* SPDX-License-Identifier: MIT */
/*
 * sample_local: what the parts of sample share.
 *
 *	sample.c	whose turn it is, and what is handed on
 *	sample_read.c	one sample of one process
 */
#ifndef COLLECT_SAMPLE_LOCAL_H
#define COLLECT_SAMPLE_LOCAL_H

#include "collect/sample.h"

/* One sample: areas in order of address, pages and names behind each other. */
struct sample_area {
	uint64_t start, bytes;
	int kind;
	int nr_node_ids;
	size_t pages;		/* index of its first one */
	size_t name;		/* index of its first byte */
};

struct sample {
	int64_t ts;
	char source;		/* 'm', 'e' or 'q' */
	struct sample_area *area;
	int nr, size;
	int64_t *pages;
	size_t nr_pages, size_pages;
	char *names;
	size_t nr_names, size_names;
};

void sample_release(struct sample *s);
bool sample_equal(const struct sample *a, const struct sample *b);

/* How reading went. */
enum sample_result {
	SAMPLE_OK,
	SAMPLE_GONE,		/* no such process, or it has no memory */
	SAMPLE_REFUSED,		/* not ours to read */
	SAMPLE_NO_MAPS,		/* the kernel has no numa_maps */
};

/* Reads into an empty sample; negative only for want of memory. */
int sample_read_maps(const struct sampler_setup *setup, int pid,
		     struct sample *s, struct err *err);
int sample_query(const struct sampler_setup *setup, int pid, struct sample *s,
		 int64_t *max_stride, struct err *err);

#endif
