/* SPDX-License-Identifier: MIT */
/*
 * derive_local: what the parts of the derivation share: what was recorded
 * (derive_input.c), read in, and the passes over it (derive.c).
 */
#ifndef SCHEMA_DERIVE_LOCAL_H
#define SCHEMA_DERIVE_LOCAL_H

#include "model/area_find.h"
#include "model/rebuild.h"
#include "model/timeline.h"
#include "schema/derive.h"

struct derive_input {
	struct store *store;
	struct capture capture;
	struct topo topo;
	struct tasks tasks;
	int *leader;
	struct areas areas;	/* recorded ones, then those that were found */
	int nr_recorded;
	struct timeline_loss *loss;
	int nr_loss;
	int numa_balancing;	/* as struct rebuild_args has it */
	enum area_thp thp;
};

/* Times of the trace's clock within 73 years of its zero: what model/ takes
 * differences of.  0, or ERR_FORMAT. */
int derive_check_time(const struct derive_input *in, int64_t ns,
		      struct err *err);

/* Reads all but events and samples. */
int derive_input_read(struct derive_input *in, struct store *s,
		      struct err *err);
void derive_input_release(struct derive_input *in);

/* Placement samples, whole: one for each (time, area, source). */
struct sample_reader {
	struct store_placements *it;
	struct placement ahead;	/* the next row, if there is one */
	bool more;
	const struct derive_input *in;
	int nr_nodes;
	int64_t *pages;
};

int sample_reader_open(struct sample_reader *r, const struct derive_input *in,
		       struct err *err);
void sample_reader_close(struct sample_reader *r);

/* 1 and a sample (its pages stay until the next call), 0 at the end. */
int sample_reader_next(struct sample_reader *r, struct rebuild_sample *s,
		       struct err *err);

#endif
