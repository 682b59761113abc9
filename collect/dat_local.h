/* SPDX-License-Identifier: MIT */
/*
 * dat_local: what the parts of dat share.
 *
 *	dat.c		opening, the file's head, what v6 and v7 have in common
 *	dat_sections.c	v7
 *	dat_plain.c	v6
 *	dat_options.c	what is in options
 *	dat_pages.c	CPU data
 */
#ifndef COLLECT_DAT_LOCAL_H
#define COLLECT_DAT_LOCAL_H

#include "collect/dat.h"

#define DAT_SECTION_MAX (32u << 20)	/* bytes of one, uncompressed */
#define DAT_TEXT_MAX (64u << 10)	/* of a format that is looked at */
#define DAT_OPTION_MAX (4u << 20)
#define DAT_CHUNK_MAX (8u << 20)	/* of CPU data, uncompressed */

/* Reads forward through a part of the file, or through memory. */
struct dat_cursor {
	struct dat *d;
	const char *what;	/* for messages: "event formats" */
	const uint8_t *mem;	/* NULL: the file */
	int64_t pos, end;	/* in the file, or in mem */
	uint8_t buf[4096];
	int64_t buf_pos;
	size_t buf_len;
};

/* A part of the file that is read when it is asked for. */
struct dat_part {
	int64_t pos, size;	/* in the file; size 0: there is none */
	bool compressed;
};

struct dat_stream;
struct dat_codec;

struct dat {
	int fd;
	char *path;
	int64_t size;
	struct dat_info info;
	struct dat_part ftrace, events, cmdlines;
	char *tgids;		/* text of the saved thread groups, NULL */
	struct dat_codec *codec;
	struct dat_stream *stream;
	int nr_streams;
	int64_t to_read, read;
	char damage[200];
};

int dat_pread(struct dat *d, void *buf, size_t len, int64_t pos,
	      const char *what, struct err *err);

void dat_cursor_file(struct dat_cursor *c, struct dat *d, const char *what,
		     int64_t pos, int64_t end);
void dat_cursor_mem(struct dat_cursor *c, struct dat *d, const char *what,
		    const uint8_t *mem, size_t len);
/* ERR_FORMAT at the end: the message names file, what and place. */
int dat_cursor_bytes(struct dat_cursor *c, void *buf, size_t len, struct err *err);
int dat_cursor_skip(struct dat_cursor *c, uint64_t len, struct err *err);
int dat_cursor_number(struct dat_cursor *c, int size, uint64_t *v, struct err *err);
/* A text that ends in zero, with it; ERR_FORMAT if it is longer than size. */
int dat_cursor_text(struct dat_cursor *c, char *buf, size_t size, struct err *err);
int64_t dat_cursor_left(const struct dat_cursor *c);

int dat_open_plain(struct dat *d, struct dat_cursor *c, struct err *err);
int dat_open_sections(struct dat *d, struct dat_cursor *c, struct err *err);

/* "header_page" size text "header_event" size text */
int dat_read_headers(struct dat *d, struct dat_cursor *c, struct err *err);

/* Goes past v6's formats, and notes where they are. */
int dat_skip_formats(struct dat *d, struct dat_cursor *c, struct err *err);

/* Reads a part into memory, uncompressed, with a zero after it; *bytes NULL if
 * there is none. */
int dat_load_part(struct dat *d, const struct dat_part *part, const char *what,
		  uint8_t **bytes, size_t *len, struct err *err);

enum dat_option_id {
	DAT_OPTION_DONE = 0,
	DAT_OPTION_DATE = 1,
	DAT_OPTION_CPUSTAT = 2,
	DAT_OPTION_BUFFER = 3,
	DAT_OPTION_TRACECLOCK = 4,
	DAT_OPTION_UNAME = 5,
	DAT_OPTION_OFFSET = 7,
	DAT_OPTION_CPUCOUNT = 8,
	DAT_OPTION_VERSION = 9,
	DAT_OPTION_TSC2NSEC = 14,
	DAT_OPTION_HEADER_INFO = 16,
	DAT_OPTION_FTRACE_EVENTS = 17,
	DAT_OPTION_EVENT_FORMATS = 18,
	DAT_OPTION_CMDLINES = 21,
	DAT_OPTION_BUFFER_TEXT = 22,
	DAT_OPTION_SAVED_TGIDS = 32,	/* of gpuvis' trace-cmd */
};

/* Takes an option that says something itself; true: it was one. */
bool dat_take_option(struct dat *d, int id, const uint8_t *data, size_t len,
		     struct err *err);
struct dat_buffer *dat_add_buffer(struct dat *d, const char *name,
				  struct err *err);

/* CPU number, offset and size of one CPU's data, checked. */
int dat_add_cpu(struct dat *d, struct dat_buffer *b, const struct dat_cpu *cpu,
		struct err *err);

/* True if len bytes can be the uncompressed form of from_len ones. */
bool dat_plausible(uint64_t len, uint64_t from_len);

/* Uncompresses exactly to_len bytes; false: damaged. */
bool dat_uncompress(struct dat *d, uint8_t *to, size_t to_len,
		    const uint8_t *from, size_t from_len);
bool dat_codec_known(const char *name);
int dat_codec_open(struct dat *d, struct err *err);
void dat_codec_close(struct dat *d);
void dat_close_streams(struct dat *d);

/* "flyrecord" and the table of one v6 buffer at the cursor. */
int dat_read_cpu_table(struct dat *d, struct dat_buffer *b,
		       struct dat_cursor *c, struct err *err);

#endif
