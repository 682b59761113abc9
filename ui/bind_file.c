/* SPDX-License-Identifier: MIT */
#include "ui/bind_file.h"

#include "model/err.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1 << 20)
#define PREFIX "bind,file="

static char *read_text(const char *path, struct err *err)
{
	FILE *f = fopen(path, "r");
	char *text = f ? malloc(MAX_BYTES + 2) : NULL;
	size_t len = 0;

	if (!f) {
		err_set(err, ERR_IO, "cannot open '%s': %s", path,
			strerror(errno));
		return NULL;
	}
	if (text)
		len = fread(text, 1, MAX_BYTES + 1, f);
	if (!text)
		err_nomem(err);
	else if (ferror(f))
		err_set(err, ERR_IO, "cannot read '%s': %s", path,
			strerror(errno));
	else if (len > MAX_BYTES || memchr(text, '\0', len))
		err_set(err, ERR_FORMAT, "'%s': no file of rules", path);
	fclose(f);
	if (err->code) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

/* In place: it only gets shorter. */
static void join(char *text)
{
	bool in_comment = false;
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\n') {
			in_comment = false;
			*to++ = ';';
		} else if (*p == '#') {
			in_comment = true;
		} else if (!in_comment) {
			*to++ = *p == ',' ? '+' : *p;
		}
	}
	*to = '\0';
}

int bind_file_expand(const char *spec, char **out, struct err *err)
{
	char *text;

	*out = NULL;
	if (strncmp(spec, PREFIX, strlen(PREFIX))) {
		*out = strdup(spec);
		return *out ? 0 : err_nomem(err);
	}
	text = read_text(spec + strlen(PREFIX), err);
	if (!text)
		return err->code;
	join(text);
	if (asprintf(out, "bind,rules=%s", text) < 0) {
		*out = NULL;
		err_nomem(err);
	}
	free(text);
	return err->code;
}
