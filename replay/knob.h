/* SPDX-License-Identifier: MIT */
/*
 * knob: a number or word of an algorithm that a user may set, with its unit,
 * default and limits, in a const table that ends with name NULL.
 */
#ifndef REPLAY_KNOB_H
#define REPLAY_KNOB_H

#include <stddef.h>
#include <stdint.h>

struct err;

enum knob_type {
	KNOB_INT,
	KNOB_NS,	/* "250ms", "1.5s", "3us", "40ns"; a bare 0 */
	KNOB_SHARE,	/* 0..1 */
	KNOB_BOOL,	/* on, off */
	KNOB_TEXT,
};

struct knob {
	const char *name;	/* as in the source of the algorithm */
	enum knob_type type;
	const char *deflt;	/* as a user would type it: "250ms", "25", "on" */
	const char *unit;	/* "ticks", "%"; NULL: the type says it */
	const char *help;	/* what it does and its source */
	int64_t min, max;	/* of INT and NS; both 0: from 0 to 10^15 */
	const char *choices;	/* of TEXT: "ps2|p10"; NULL: any text */
};

struct knob_value {
	int64_t i;		/* INT, NS (ns), BOOL, index of a TEXT's choice;
				 * of SHARE the billionths */
	double share;		/* SHARE */
	const char *text;	/* as the user or the default gave it */
};

int knob_count(const struct knob *table);	/* NULL: 0 */
int knob_find(const struct knob *table, const char *name);	/* -1: none */

/* Sets every value to its default. */
int knob_defaults(const struct knob *table, struct knob_value *values,
		  struct err *err);

/* Reads text (which must outlive the value); ERR_USAGE says what is valid. */
int knob_parse(const struct knob *k, const char *text, struct knob_value *v,
	       struct err *err);

/* Writes "name": value as JSON has it (no braces, no comma) like snprintf();
 * returns the length it needs. */
size_t knob_json(const struct knob *k, const struct knob_value *v, char *buf,
		 size_t size);

/* The same for a whole table, separated by ", ". */
size_t knob_table_json(const struct knob *table, const struct knob_value *v,
		       char *buf, size_t size);

#endif
