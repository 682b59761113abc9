/* SPDX-License-Identifier: MIT */
/*
 * open: a file with run 0 in it, as every command that shows runs needs it.
 *
 * Opened for writing where that is possible, so that what is derived stays in
 * the file; read-only files are derived in memory each time.
 */
#ifndef UI_OPEN_H
#define UI_OPEN_H

#include "schema/store.h"

struct bar;

/* bar: shows progress; may be NULL. */
int open_study(struct store **s, const char *path, struct bar *bar,
	       struct err *err);

/* As open_study(), but what it gives never writes to the file. */
int open_read(struct store **s, const char *path, struct bar *bar,
	      struct err *err);

#endif
