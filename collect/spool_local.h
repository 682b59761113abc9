/* SPDX-License-Identifier: MIT */
/*
 * spool_local: what the parts of spool share.
 *
 *	spool.c		writing
 *	spool_import.c	reading: the order of things, facts
 *	spool_text.c	the texts of a spool
 *	spool_pages.c	events and losses
 */
#ifndef COLLECT_SPOOL_LOCAL_H
#define COLLECT_SPOOL_LOCAL_H

#include <limits.h>
#include <stdio.h>

#include "collect/decoder.h"
#include "collect/ring.h"
#include "collect/spool.h"

#define SPOOL_MAX_FIELDS 12

/* One text of a spool, line by line. */
struct spool_text {
	char path[PATH_MAX];
	FILE *f;
	char *line;
	size_t size;
	int64_t nr;		/* of the line at hand, from 1 */
	char *field[SPOOL_MAX_FIELDS];	/* those not there are "" */
	int nr_fields;
};

/* false: there is no such file. */
bool spool_text_open(struct spool_text *t, const char *dir, const char *name);
void spool_text_close(struct spool_text *t);
/* 1 a line, 0 the end (a line that is cut is left out), ERR_FORMAT. */
int spool_text_next(struct spool_text *t, struct err *err);
/* Number in a field; ERR_FORMAT names file, line and field. */
int spool_text_int(struct spool_text *t, int field, int64_t min, int64_t max,
		   int64_t *value, struct err *err);
int spool_text_bad(const struct spool_text *t, const char *why, struct err *err);

/* The marker file. */
struct spool_info {
	char tool[64], kernel[128], arch[32], clock[16];
	char *command;
	int64_t page_size, page_bytes, big_endian, start_ns, nr_cpus, faults;
};
int spool_read_info(const char *dir, struct spool_info *i, struct err *err);

/* The tail; has_end false: the recorder was killed. */
struct spool_end {
	bool has_end;
	int64_t end_ns;
	char reason[200];
	int nr_cpus;
	struct cpu_stats *stats;
};
int spool_read_end(const char *dir, struct spool_end *e, struct err *err);

/* Sources of events with losses as spool_import() promises. */
struct spool_source;
int spool_source_new(struct spool_source **s, const char *dir,
		     const struct spool_info *info, const struct spool_end *end,
		     const struct ring_format *format, struct decoder *d,
		     struct err *err);
void spool_source_free(struct spool_source *s);
void spool_source_record(struct spool_source *s, struct record_source *src);
/* After the last event: what merge counted, and the kernel's totals. */
int spool_source_finish(struct spool_source *s, struct ingest *in,
			struct err *err);

#endif
