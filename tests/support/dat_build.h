/* SPDX-License-Identifier: MIT */
/*
 * dat_build: writes trace.dat files of any kind, well formed or not.
 *
 *	struct dat_build b;
 *	dat_build_init(&b, &(struct dat_form){ .version = 7, .nr_cpus = 2 });
 *	dat_build_switch(&b, 0, 1000, "a", 11, 1, "b", 12);	...
 *	dat_build_write(&b, path);
 *	dat_build_release(&b);
 *
 * Events of a CPU must come in its buffer's order; a new page begins when one
 * is full or dat_build_page() is called.  Any failure ends the test program.
 */
#ifndef TESTS_SUPPORT_DAT_BUILD_H
#define TESTS_SUPPORT_DAT_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DAT_BUILD_CPUS 64

/* Ids of the events in the formats that the builder writes. */
enum {
	DAT_ID_SWITCH = 301,
	DAT_ID_MIGRATE,
	DAT_ID_WAKING,
	DAT_ID_WAKEUP,
	DAT_ID_WAKEUP_NEW,
	DAT_ID_FORK,
	DAT_ID_EXEC,
	DAT_ID_EXIT,
	DAT_ID_FAULT,
	DAT_ID_PAGES,
	DAT_ID_SWAP_NUMA,
	DAT_ID_OTHER,		/* "thermal:tick": is not kept */
	DAT_ID_UNKNOWN = 999,	/* has no format */
};

/* What the file is like; zeros give a plain little-endian one. */
struct dat_form {
	int version;		/* 6 or 7 */
	bool big_endian;
	int long_size;		/* 8 if 0 */
	int nr_cpus;
	size_t page_size;	/* 4096 if 0 */
	const char *compression;	/* v7: "none" if NULL; else with: */
	size_t (*pack)(const char *compression, const uint8_t *from, size_t len,
		       uint8_t *to, size_t room);	/* dat_pack.h */
	bool wide_header;	/* common header of 12 bytes */
	bool old_wakeup;	/* sched_wakeup with success, no target_cpu */
	bool data_loc;		/* comms of migrate and fork as __data_loc */
	bool no_switch_format;
	bool latency;		/* no CPU data but "latency" */
	const char *uname, *clock;	/* options, left out if NULL */
	const char *cmdlines;	/* "11 a\n12 b\n" */
	const char *instance;	/* name of a further, empty buffer */
	int chunk_pages;	/* pages in a compressed chunk, 2 if 0 */
};

struct dat_bytes {
	uint8_t *at;
	size_t len, size;
};

struct dat_build_cpu {
	struct dat_bytes pages;
	size_t page_at;		/* start of the open page */
	size_t used;		/* bytes of entries on it; 0 and !open: none */
	bool open;
	int64_t ts;
	int64_t missed;		/* for the next page: 0, n, -1 */
};

struct dat_build {
	struct dat_form form;
	struct dat_build_cpu cpu[DAT_BUILD_CPUS];
	struct dat_bytes options;	/* further ones, as they stand in files */
	struct dat_bytes out;
	size_t table_at;	/* where in out the sizes of CPU 0's data are */
	size_t options_at;	/* where in out the first option is */
	size_t formats_at;	/* where in out the event formats are */
};

void dat_build_init(struct dat_build *b, const struct dat_form *form);
void dat_build_release(struct dat_build *b);

/* Entries. */
void dat_build_raw(struct dat_build *b, int cpu, int64_t ts, const void *data,
		   size_t len);
void dat_build_page(struct dat_build *b, int cpu);	/* ends the page */
void dat_build_missed(struct dat_build *b, int cpu, int64_t missed);
void dat_build_word(struct dat_build *b, int cpu, uint32_t type, uint32_t delta,
		    uint32_t more, bool has_more);

/* Events; the task that records them is the one before "next". */
void dat_build_switch(struct dat_build *b, int cpu, int64_t ts,
		      const char *prev, int prev_tid, int64_t prev_state,
		      const char *next, int next_tid);
void dat_build_wake(struct dat_build *b, int cpu, int64_t ts, int id,
		    const char *comm, int tid, int target_cpu, int by);
void dat_build_migrate(struct dat_build *b, int cpu, int64_t ts,
		       const char *comm, int tid, int from, int to, int by);
void dat_build_fork(struct dat_build *b, int cpu, int64_t ts,
		    const char *parent, int parent_tid, const char *child,
		    int child_tid);
void dat_build_exec(struct dat_build *b, int cpu, int64_t ts, const char *path,
		    int tid, int old_tid);
void dat_build_exit(struct dat_build *b, int cpu, int64_t ts, const char *comm,
		    int tid, int group_dead);
void dat_build_fault(struct dat_build *b, int cpu, int64_t ts, int tid,
		     uint64_t address);
void dat_build_pages(struct dat_build *b, int cpu, int64_t ts, int tid,
		     int64_t succeeded, int reason);
void dat_build_swap(struct dat_build *b, int cpu, int64_t ts, int src_tid,
		    int src_tgid, int dst_tid, int dst_tgid);
void dat_build_other(struct dat_build *b, int cpu, int64_t ts, int id);

/* A further option. */
void dat_build_option(struct dat_build *b, int id, const void *data, size_t len);

/* The whole file to b->out. */
void dat_build_file(struct dat_build *b);
void dat_build_write(struct dat_build *b, const char *path);

#endif
