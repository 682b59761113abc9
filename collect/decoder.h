/* SPDX-License-Identifier: MIT */
/*
 * decoder: raw event records to struct record, by the recording's own format
 * texts (format.h).  Of formats of events that homenode does not keep only name
 * and ID are read.  A missing optional field is fine; a missing needed one is an
 * error that names event and field.
 *
 * Order of calls: decoder_new(), decoder_add_format() for every event of the
 * recording, then decoder_decode() for every ring entry.
 */
#ifndef COLLECT_DECODER_H
#define COLLECT_DECODER_H

#include "collect/record.h"

#include <stdbool.h>
#include <stddef.h>

struct decoder;

int decoder_new(struct decoder **d, bool big_endian, struct err *err);
void decoder_free(struct decoder *d);

/* Gives one event's format text ("name: sched_switch\nID: 312\n..."). */
int decoder_add_format(struct decoder *d, const char *system,
		       const char *text, size_t len, struct err *err);

/*
 * Decodes one ring entry: 1 record, 0 an event that is not kept (counted by
 * its id), ERR_FORMAT: shorter than its fields need.  Names point into data; a
 * name that is only "<...>" is left out.  sched_process_exec has one name, the
 * last part of the file name, which is what the kernel makes the task's name.
 */
int decoder_decode(struct decoder *d, int cpu, int64_t ts,
		   const uint8_t *data, size_t len, struct record *r,
		   struct err *err);

/* Letters of prev_state from sched_switch's print format. */
const struct state_table *decoder_states(const struct decoder *d);

/* Records of task:task_newtask on a CPU.  They are neither kept nor skipped:
 * they tell what the sched_process_fork after them made (record.fork). */
int64_t decoder_clones(const struct decoder *d, int cpu);

/* True once a format of a kind was given. */
bool decoder_has(const struct decoder *d, int event_kind);

/* Events that were not kept, by id ("event 77" where no format is known). */
int decoder_each_skipped(const struct decoder *d, int (*fn)(void *ctx,
			 const char *name, int64_t count, struct err *err),
			 void *ctx, struct err *err);

#endif
