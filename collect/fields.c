/* SPDX-License-Identifier: MIT */
#include "collect/fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void fields_put(FILE *f, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '\t')
			fputs("\\t", f);
		else if (*text == '\n')
			fputs("\\n", f);
		else if (*text == '\\')
			fputs("\\\\", f);
		else
			putc(*text, f);
	}
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1]) {
			text++;
			*to++ = *text == 't' ? '\t' : *text == 'n' ? '\n' : *text;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

int fields_split(char *line, char **field, int max)
{
	int nr = 0;
	char *end = strchr(line, '\n');

	if (end)
		*end = '\0';
	while (line && nr < max) {
		char *tab = strchr(line, '\t');

		if (tab)
			*tab++ = '\0';
		unescape(line);
		field[nr++] = line;
		line = tab;
	}
	return nr;
}

bool fields_int(const char *text, int64_t min, int64_t max, int64_t *value)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max)
		return false;
	*value = n;
	return true;
}
