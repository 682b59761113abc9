/* SPDX-License-Identifier: MIT */
/*
 * format: reads an event's format text (events/SYSTEM/EVENT/format):
 *
 *	name: sched_switch
 *	ID: 310
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		...
 *	print fmt: "...", REC->prev_comm, ... __print_flags(REC->prev_state &
 *		..., "|", { 0x0001, "S" }, { 0x0002, "D" }, ...) : "R", ...
 *
 * libtraceevent reads it too, and what it makes of it is right; but given a
 * damaged text 1.7.1 runs off its stack and leaks, and a file from elsewhere
 * may hold any text.  Only fields and the tables of two print functions are
 * needed here.
 */
#ifndef COLLECT_FORMAT_H
#define COLLECT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct format {
	const char *text;	/* borrowed; no zero at its end is needed */
	size_t len;
};

enum format_place {
	FORMAT_INLINE,		/* the field's bytes are at offset */
	FORMAT_DATA_LOC,	/* u32: length << 16 | offset in the record */
	FORMAT_REL_LOC,		/* u32: length << 16 | offset from its end */
};

struct format_field {
	uint32_t offset, size;
	bool is_signed, is_array;
	enum format_place place;
};

/* The rest of the first line that begins with key ("name: "); false: none. */
bool format_line(const struct format *f, const char *key, const char **at,
		 size_t *len);

/* False if there is no such field, or its numbers are beyond 65535. */
bool format_field(const struct format *f, const char *name,
		  struct format_field *field);

/* A row of a table: { value, "text" }. */
struct format_pair {
	uint64_t value;
	char text[32];
};

/* The table that function ("__print_flags") has for a field, up to max rows;
 * returns how many. */
int format_table(const struct format *f, const char *function,
		 const char *field, struct format_pair *pair, int max);

/* The bit of `REC->FIELD & BIT ? "SIGN" : ""`; 0: there is none. */
uint64_t format_sign_bit(const struct format *f, const char *field,
			 const char *sign);

#endif
