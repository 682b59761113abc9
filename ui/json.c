/* SPDX-License-Identifier: MIT */
#include "ui/json.h"

#include "ui/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_open(struct json *j, FILE *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
	j->first[0] = true;
}

static void separate(struct json *j)
{
	if (j->after_key)
		j->after_key = false;
	else if (!j->first[j->depth])
		putc(',', j->out);
	j->first[j->depth] = false;
}

static void enter(struct json *j, char open)
{
	separate(j);
	putc(open, j->out);
	j->depth++;
	j->first[j->depth] = true;
}

void json_object(struct json *j)
{
	enter(j, '{');
}

void json_array(struct json *j)
{
	enter(j, '[');
}

void json_end(struct json *j, char close)
{
	j->depth--;
	putc(close, j->out);
}

static void quoted(struct json *j, const char *s, int len)
{
	int i = 0;

	putc('"', j->out);
	while (i < len) {
		unsigned char c = (unsigned char)s[i];
		int n = utf8_length(s + i, len - i);

		if (c == '"' || c == '\\')
			fprintf(j->out, "\\%c", c);
		else if (n == 0 || c < 0x20 || c == 0x7f)
			fprintf(j->out, "\\u%04x", c);
		else
			fwrite(s + i, 1, (size_t)n, j->out);
		i += n ? n : 1;
	}
	putc('"', j->out);
}

void json_key(struct json *j, const char *key)
{
	separate(j);
	quoted(j, key, (int)strlen(key));
	putc(':', j->out);
	j->after_key = true;
}

void json_text(struct json *j, const char *text)
{
	if (text)
		json_bytes(j, text, (int)strlen(text));
	else
		json_null(j);
}

void json_bytes(struct json *j, const char *bytes, int len)
{
	separate(j);
	quoted(j, bytes, len);
}

void json_int(struct json *j, int64_t v)
{
	separate(j);
	fprintf(j->out, "%" PRId64, v);
}

void json_double(struct json *j, double v)
{
	char buf[40];
	int digits;

	separate(j);
	if (!isfinite(v)) {
		fputs("null", j->out);
		return;
	}
	for (digits = 6; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	fputs(buf, j->out);
}

void json_bool(struct json *j, bool v)
{
	separate(j);
	fputs(v ? "true" : "false", j->out);
}

void json_null(struct json *j)
{
	separate(j);
	fputs("null", j->out);
}

void json_raw(struct json *j, const char *text)
{
	separate(j);
	fputs(text, j->out);
}

void json_done(struct json *j)
{
	putc('\n', j->out);
}
