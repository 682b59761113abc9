/* SPDX-License-Identifier: MIT */
/*
 * outfile: a file that is there whole or not at all, whatever ends the program.
 *
 * What is written goes to a file without a name; outfile_close() gives it one.
 * So no temporary file is left by a signal or a full disk, and no part of a
 * picture or table is taken for all of it.  What exists and is no regular file (a
 * pipe, /dev/stdout) is written as it comes.
 *
 *	outfile_open(&o, path, OUTFILE_NEW, err);
 *	fprintf(o.out, ...);
 *	return outfile_close(&o, ret, err);
 */
#ifndef UI_OUTFILE_H
#define UI_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct err;

enum outfile_mode {
	OUTFILE_NEW,		/* ERR_EXISTS where there is one */
	OUTFILE_REPLACE,	/* keeps its mode */
};

struct outfile {
	FILE *out;
	char *path;		/* where a link leads; NULL: written as it comes */
	const char *name;	/* as given: for messages */
	enum outfile_mode mode;
};

/* path must outlive o.  ERR_EXISTS, ERR_IO: said before anything is written. */
int outfile_open(struct outfile *o, const char *path, enum outfile_mode mode,
		 struct err *err);

/* Puts it in place if ret is 0 and all was written, else drops it; frees. */
int outfile_close(struct outfile *o, int ret, struct err *err);

#endif
