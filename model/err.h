/* SPDX-License-Identifier: MIT */
/*
 * err: what went wrong, as a code for the caller and a sentence for people.
 *
 * Every function that can fail takes a struct err and returns 0 or a negative
 * enum err_code; iterators return 1 while they have something and 0 at the
 * end.  Library code never prints and never exits: the program (ui/) prints
 * err.text as "homenode: TEXT" and maps the code to an exit status.
 *
 * The text is lower case, has no full stop, and names file, place and reason:
 *	'x.dat': page at 0x3000: commit 70000 is larger than the page
 */
#ifndef MODEL_ERR_H
#define MODEL_ERR_H

#include <stdbool.h>
#include <stddef.h>

enum err_code {
	ERR_NOMEM = -1,		/* no memory */
	ERR_IO = -2,		/* the system refused to read or write */
	ERR_FORMAT = -3,	/* an input is damaged or of an unknown kind */
	ERR_USAGE = -4,		/* the user asked for something impossible */
	ERR_EXISTS = -5,	/* the output exists and --force was not given */
	ERR_PERM = -6,		/* a privilege is missing */
	ERR_NOTFOUND = -7,	/* no such run, task, policy, file ... */
	ERR_VERSION = -8,	/* the file is of a newer homenode */
	ERR_STOPPED = -9,	/* the user stopped it (signal, key) */
};

struct err {
	int code;		/* 0 or an enum err_code */
	char text[1000];
};

/* Sets code and text, returns code.  The first error of a chain stays: a call
 * on an err that is set already only returns the code that it has. */
int err_set(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set(), but puts "PREFIX: " in front of a text that is set already. */
int err_prefix(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Short for a failed allocation. */
int err_nomem(struct err *e);

/* Adds a name to a list "a, b, c" in size bytes, which begins as "": what a text
 * says is valid.  False: no room, the list stays as it was. */
bool err_list(char *list, size_t size, const char *name);

/* The program's exit status for a code: 0, 2 for ERR_USAGE, else 1. */
int err_exit_status(int code);

#endif
