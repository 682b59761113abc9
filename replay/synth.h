/* SPDX-License-Identifier: MIT */
/*
 * synth: makes demand of the seeds' own benchmarks, of any size, for any
 * machine: the same programs that a recording gives (demand.h), but known
 * instead of measured, and without a recorded run.
 *
 * A generator is a const table of knobs, each with the source of its default,
 * and a function that writes programs.  Same knobs and seed, same bytes.
 */
#ifndef REPLAY_SYNTH_H
#define REPLAY_SYNTH_H

#include "model/demand.h"
#include "model/run.h"
#include "model/task.h"
#include "replay/knob.h"

struct err;
struct synth;

struct synth_ops {
	const char *name;	/* "numa_test" */
	const char *title;	/* one line */
	const char *about;	/* what it does, source, what is assumed */
	const char *machine;	/* preset (preset.h) that the seeds ran it on */
	const char *operand;	/* knob that a bare number sets; NULL: none */
	const struct knob *knobs;

	/* Fills it through synth_local.h; errors stay in the synth. */
	void (*make)(struct synth *s, const struct knob_value *knobs);
};

/* All generators, ends with NULL. */
extern const struct synth_ops *const synth_table[];

const struct synth_ops *synth_find(const char *name);	/* NULL: none */

/* A generator with a value for each of its knobs. */
struct synth_spec {
	const struct synth_ops *ops;
	struct knob_value *values;
	char *text;		/* private: owns the strings of values */
};

/* Reads "name,knob=value,..." and the operand ("16", NULL: none).  ERR_USAGE
 * lists what is valid.  Release it also after an error. */
int synth_spec_parse(struct synth_spec *s, const char *spec,
		     const char *operand, struct err *err);
void synth_spec_release(struct synth_spec *s);

/* "numa_test jobs=16": the knobs that differ from their defaults (and the
 * operand's), allocated; NULL: no memory. */
char *synth_spec_text(const struct synth_spec *s);

/* What the benchmark itself reports of a task. */
enum synth_role {
	SYNTH_OTHER,		/* nothing */
	SYNTH_JOB,		/* its user time */
	SYNTH_MAIN,		/* its end is the elapsed time */
	SYNTH_HACKBENCH,	/* hackbench's parent: the time from its "go" (it
				 * has slept until all are ready) to its end */
};

/* What is made, beside the programs. */
struct synth_result {
	struct tasks tasks;
	struct areas areas;
	struct demand_task *demand;	/* one per task, in order */
	uint8_t *role;		/* [tasks] enum synth_role */
	struct mem_access *access;	/* sorted by task; none: all pages alike */
	int nr_access;
	int64_t page_size;
	int64_t end_ns;		/* time starts at 0; how long it would take if
				 * all work were spread evenly over the CPUs */
};
void synth_result_release(struct synth_result *r);

/* Programs go to the sink, which may be NULL (to know the tasks only). */
int synth_make(const struct synth_spec *spec, int nr_cpus, uint64_t seed,
	       const struct demand_sink *sink, struct synth_result *result,
	       struct err *err);

#endif
