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
	size_t room;
	va_list ap;
	int n;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n + 2 >= sizeof(e->text))
		return e->code;
	/* A text that is too long loses its end. */
	memcpy(e->text + n, ": ", 2);
	room = sizeof(e->text) - (size_t)n - 2;
	memcpy(e->text + n + 2, old, room);
	e->text[sizeof(e->text) - 1] = 0;
	return e->code;
}

int err_nomem(struct err *e)
{
	return err_set(e, ERR_NOMEM, "out of memory");
}

bool err_list(char *list, size_t size, const char *name)
{
	const char *comma = *list ? ", " : "";
	size_t len = strlen(list);

	if (len + strlen(comma) + strlen(name) >= size)
		return false;
	snprintf(list + len, size - len, "%s%s", comma, name);
	return true;
}

int err_exit_status(int code)
{
	if (!code)
		return 0;
	return code == ERR_USAGE ? 2 : 1;
}
