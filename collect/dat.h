/* SPDX-License-Identifier: MIT */
/*
 * dat: reads the container trace.dat of trace-cmd, versions 6 and 7, as
 * trace-cmd.dat.v6(5) and .v7(5) describe it.  What is in the pages is for
 * ring, decoder and merge.
 *
 * libtracecmd reads the same, but trusts the sizes in the file (it allocates
 * what an option claims), prints on stderr and says no more than -1; a file
 * from elsewhere needs each size checked against the file and a reason.
 *
 *	v6	magic, "6", byte order, long size, page size, then in this order
 *		header_page, header_event, ftrace formats, event formats,
 *		kallsyms, printk, cmdlines, CPU count, "options" (id, size,
 *		data; id 0 ends), "flyrecord" and for each CPU offset and size
 *	v7	magic, "7", the same three, compression, offset of the first
 *		options section; everything else is a section that an option
 *		points to.  Option 0 points to the next options section.
 *		Compressed sections and data chunks have their sizes before them
 *
 * Text traces ("latency") are refused.  Options DATE (wall-clock time), TIME_
 * SHIFT (a guest's host) are not applied: times stay those of the trace's
 * clock, which companions of a recording share.  OFFSET and TSC2NSEC are.
 */
#ifndef COLLECT_DAT_H
#define COLLECT_DAT_H

#include "collect/merge.h"
#include "collect/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dat;

struct dat_cpu {
	int cpu;
	int64_t offset, size;	/* in the file */
};

/* One ring buffer: the top one (name "") or that of an instance. */
struct dat_buffer {
	char *name;
	char *clock;		/* "" unknown */
	bool is_text;		/* a latency trace: cannot be read */
	size_t page_size;	/* 0: that of the file */
	int64_t table_offset;	/* v6 instance: where its CPU table is; 0 */
	int nr_cpus;
	struct dat_cpu *cpu;
};

/* What the recording's counters say of a CPU of the top buffer. */
struct dat_stat {
	int cpu;
	int64_t lost;		/* overrun + commit overrun + dropped */
};

struct dat_info {
	int version;
	bool big_endian;
	int user_long;		/* long size of trace-cmd's program */
	size_t page_size;	/* of the host */
	char *compression;	/* "none", "zlib", "zstd" */
	char *uname;		/* "Linux HOST RELEASE MACHINE", "" */
	char *tool;		/* trace-cmd's version, "" */
	char *clock;		/* of the trace_clock file, "" */
	int nr_cpus;
	int64_t offset_ns;	/* to add to every time */
	uint32_t tsc_mult, tsc_shift;	/* ns = ticks * mult >> shift; mult 0: none */
	struct ring_format ring;	/* page_size: that of header_page */
	int nr_buffers;
	struct dat_buffer *buffer;	/* [0] is the top one */
	int nr_stats;
	struct dat_stat *stat;
};

/* True for the first bytes of a trace.dat. */
bool dat_magic(const uint8_t *bytes, size_t len);

int dat_open(struct dat **d, const char *path, struct err *err);
void dat_close(struct dat *d);
const struct dat_info *dat_info(const struct dat *d);

/* Calls back for each format text in the file, of ftrace's own ones first
 * (system "ftrace").  Text over 64 KiB is cut. */
int dat_each_format(struct dat *d, int (*fn)(void *ctx, const char *system,
		    const char *text, size_t len, struct err *err), void *ctx,
		    struct err *err);

/* Calls back for each "PID NAME" of the saved names, and for each "PID TGID"
 * (name NULL) of saved thread groups; a line that is none ends them. */
int dat_each_name(struct dat *d, int (*fn)(void *ctx, int pid,
		  const char *name, int tgid, struct err *err), void *ctx,
		  struct err *err);

/*
 * The pages of a buffer (index into info.buffer): one stream a CPU, allocated
 * for the caller; dat_close() ends them.  A CPU whose data ends after the file
 * is ERR_FORMAT, unless partial is true: then it ends with a hole.  format gets
 * the layout of this buffer's pages.
 */
int dat_streams(struct dat *d, int buffer, bool partial,
		struct ring_format *format, struct page_stream **streams,
		int *nr, struct err *err);

/* How much of the data that dat_streams() gave was read, 0..1. */
double dat_progress(const struct dat *d);

/* What was wrong with the first damaged chunk, and where; "" if none was. */
const char *dat_damage(const struct dat *d);

#endif
