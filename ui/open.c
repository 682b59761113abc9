/* SPDX-License-Identifier: MIT */
#include "ui/open.h"

#include "model/err.h"
#include "schema/derive.h"
#include "ui/bar.h"

#include <unistd.h>

static int show(void *ctx, double done)
{
	return ctx ? bar_show(ctx, "deriving", done) : 0;
}

/* SQLite also needs to make a journal beside the file; it says so itself. */
static enum store_mode mode_of(const char *path)
{
	return access(path, W_OK) ? STORE_READ : STORE_WRITE;
}

static int try_mode(struct store **s, const char *path, enum store_mode mode,
		    struct bar *bar, struct err *err)
{
	if (!store_open(s, path, mode, err))
		derive_run0(*s, show, bar, err);
	if (bar)
		bar_clear(bar);
	if (err->code) {
		store_close(*s);
		*s = NULL;
	}
	return err->code;
}

int open_study(struct store **s, const char *path, struct bar *bar,
	       struct err *err)
{
	enum store_mode mode = mode_of(path);
	struct err first = { 0 };

	if (mode == STORE_READ)
		return try_mode(s, path, mode, bar, err);
	try_mode(s, path, mode, bar, &first);
	if (first.code == ERR_IO)
		return try_mode(s, path, STORE_READ, bar, err);
	*err = first;
	return err->code;
}

int open_read(struct store **s, const char *path, struct bar *bar,
	      struct err *err)
{
	if (mode_of(path) == STORE_WRITE) {
		if (open_study(s, path, bar, err))
			return err->code;
		store_close(*s);
	}
	return try_mode(s, path, STORE_READ, bar, err);
}
