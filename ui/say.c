/* SPDX-License-Identifier: MIT */
#include "ui/say.h"

#include "ui/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void say(const char *fmt, ...)
{
	char *text = NULL, *safe = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		safe = text_safe_copy(text);
	va_end(ap);
	fprintf(stderr, "homenode: %s\n", safe ? safe : "out of memory");
	free(text);
	free(safe);
}
