/* SPDX-License-Identifier: MIT */
#include "model/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (e->code)
		return e->code;
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->text)];
	va_list ap;
	int n;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(e->text))
		snprintf(e->text + n, sizeof(e->text) - (size_t)n, ": %s", old);
	return e->code;
}

int err_nomem(struct err *e)
{
	return err_set(e, ERR_NOMEM, "out of memory");
}

int err_exit_status(int code)
{
	if (!code)
		return 0;
	return code == ERR_USAGE ? 2 : 1;
}
