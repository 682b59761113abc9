/* SPDX-License-Identifier: MIT */
#include "ui/tty_out.h"

#include "model/err.h"
#include "ui/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* len bytes of a line, without its end. */
static int write_line(FILE *out, const char *line, size_t len)
{
	char *safe = malloc(len * 4 + 2);

	if (!safe)
		return -1;
	fputs(text_safe(line, (int)len, 0, safe, (int)len * 4 + 2), out);
	free(safe);
	return 0;
}

static ssize_t write_safe(void *out, const char *bytes, size_t len)
{
	const char *at = bytes, *end = bytes + len;

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		const char *to = line_end ? line_end : end;

		if (line_end && to > at && to[-1] == '\r')
			to--;
		if (write_line(out, at, (size_t)(to - at)) < 0)
			return 0;
		if (line_end)
			fputs("\n", out);
		at = line_end ? line_end + 1 : end;
	}
	return ferror(out) ? 0 : (ssize_t)len;
}

FILE *tty_out_open(FILE *out)
{
	const cookie_io_functions_t io = { .write = write_safe };
	FILE *to;

	if (!isatty(fileno(out)))
		return out;
	to = fopencookie(out, "w", io);
	if (to)
		setvbuf(to, NULL, _IOLBF, BUFSIZ);
	return to;
}

int tty_out_close(FILE *to, FILE *out)
{
	if (!to)
		return ERR_NOMEM;
	if (to != out && fclose(to))
		return ERR_IO;
	return ferror(out) ? ERR_IO : 0;
}
