/* SPDX-License-Identifier: MIT */
/*
 * tty_out: what is meant for programs, where a person looks at it.
 *
 * Names in CSV or in an export are bytes as they were recorded, for a file or a
 * pipe.  On a terminal such bytes could be commands to it: there every line is
 * shown as text_safe() shows names.
 *
 *	to = tty_out_open(stdout);
 *	fprintf(to, ...);
 *	ret = tty_out_close(to, stdout);
 */
#ifndef UI_TTY_OUT_H
#define UI_TTY_OUT_H

#include <stdio.h>

/* out itself where it is no terminal; NULL: no memory. */
FILE *tty_out_open(FILE *out);

/* 0, or ERR_IO if not all of it was written; to may be NULL (ERR_NOMEM). */
int tty_out_close(FILE *to, FILE *out);

#endif
