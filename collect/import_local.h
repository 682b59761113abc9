/* SPDX-License-Identifier: MIT */
/* import_local: what import.c and the importers share. */
#ifndef COLLECT_IMPORT_LOCAL_H
#define COLLECT_IMPORT_LOCAL_H

#include "collect/import.h"

void import_note(const struct spool_watch *watch, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Topology and knobs, before the events; ERR_USAGE if samples are given whose
 * clock is not the trace's. */
int import_settings(struct ingest *in, const struct import_options *o,
		    const char *clock, struct err *err);

/* Placement samples, after the events. */
int import_samples(struct ingest *in, const struct import_options *o,
		   int64_t page_size, struct err *err);

/* What the totals tell that people should know. */
void import_remarks(const struct ingest_totals *t,
		    const struct import_options *o,
		    const struct spool_watch *watch);

int import_dat(const char *path, const struct import_options *o,
	       struct ingest *in, const struct spool_watch *watch,
	       struct err *err);

int import_perf(const char *path, const struct import_options *o,
		struct ingest *in, const struct spool_watch *watch,
		struct err *err);

/* False: the first bytes of the file cannot be those of a text. */
bool import_text_is(const uint8_t *bytes, size_t len);
int import_text(const char *path, const struct import_options *o,
		struct ingest *in, const struct spool_watch *watch,
		struct err *err);

#endif
