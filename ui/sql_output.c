/* SPDX-License-Identifier: MIT */
#include "ui/sql_output.h"

#include "model/err.h"
#include "schema/store.h"
#include "ui/json.h"
#include "ui/table.h"
#include "ui/tty_out.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 1000
/* Bytes of a BLOB that a table shows. */
#define SHOWN_BYTES 32

static bool is_binary(const char *text, int len)
{
	return len && memchr(text, '\0', (size_t)len);
}

/* A cell of a table: numbers and texts as they are, bytes as x'00ff..'. */
static void text_cell(struct table *t, const char *text, int len)
{
	char hex[2 * SHOWN_BYTES + 8];
	int n = len < SHOWN_BYTES ? len : SHOWN_BYTES, at = 2;

	if (!text || !is_binary(text, len)) {
		table_text(t, text);
		return;
	}
	strcpy(hex, "x'");
	for (int i = 0; i < n; i++)
		at += sprintf(hex + at, "%02x", (unsigned char)text[i]);
	strcpy(hex + at, n < len ? "..'" : "'");
	table_text(t, hex);
}

static struct table *block_new(struct store_query *q)
{
	struct table *t = table_new();
	bool number;
	int len;

	for (int c = 0; c < store_query_columns(q); c++) {
		store_query_text(q, c, &len, &number);
		table_column(t, store_query_name(q, c),
			     number ? TABLE_RIGHT : TABLE_LEFT);
	}
	return t;
}

static int block_end(struct table *t, FILE *out, struct err *err)
{
	int rc = table_print(t, out);

	table_free(t);
	if (rc == ERR_NOMEM)
		return err_nomem(err);
	return rc ? table_output_failed(err) : 0;
}

static int print_text(struct store_query *q, FILE *out, struct err *err)
{
	int columns = store_query_columns(q), rows = 0, rc;
	struct table *t = NULL;
	bool number;

	while ((rc = store_query_step(q, err)) > 0) {
		if (t && rows % BLOCK_ROWS == 0) {
			rc = block_end(t, out, err);
			t = NULL;
			if (rc)
				return rc;
		}
		if (!t)
			t = block_new(q);
		for (int c = 0; c < columns; c++) {
			int len;
			const char *text = store_query_text(q, c, &len,
							    &number);

			text_cell(t, text, len);
		}
		rows++;
	}
	if (!t)
		return rc;
	return block_end(t, out, err) ? err->code : rc;
}

static void csv_field(FILE *out, const char *text, int len, bool last)
{
	bool quote = false;

	for (int i = 0; i < len && !quote; i++)
		quote = memchr(",\"\r\n", text[i], 4) != NULL;
	if (quote)
		putc('"', out);
	for (int i = 0; i < len; i++) {
		if (text[i] == '"')
			putc('"', out);
		putc(text[i], out);
	}
	if (quote)
		putc('"', out);
	fputs(last ? "\r\n" : ",", out);
}

static int print_csv(struct store_query *q, FILE *out, struct err *err)
{
	FILE *to = tty_out_open(out);
	int columns = store_query_columns(q), len, rc;
	const char *text;
	bool number;

	if (!to)
		return err_nomem(err);
	for (int c = 0; c < columns; c++) {
		text = store_query_name(q, c);
		csv_field(to, text, (int)strlen(text), c + 1 == columns);
	}
	while ((rc = store_query_step(q, err)) > 0 && !ferror(out)) {
		for (int c = 0; c < columns; c++) {
			text = store_query_text(q, c, &len, &number);
			csv_field(to, text ? text : "", len,
				  c + 1 == columns);
		}
	}
	tty_out_close(to, out);
	return rc < 0 ? rc : 0;
}

static int print_json(struct store_query *q, FILE *out, struct err *err)
{
	int columns = store_query_columns(q), len, rc;
	const char *text;
	struct json j;
	bool number;

	json_open(&j, out);
	json_array(&j);
	while ((rc = store_query_step(q, err)) > 0 && !ferror(out)) {
		json_object(&j);
		for (int c = 0; c < columns; c++) {
			json_key(&j, store_query_name(q, c));
			text = store_query_text(q, c, &len, &number);
			if (!text)
				json_null(&j);
			else if (number)
				json_raw(&j, text);
			else
				json_bytes(&j, text, len);
		}
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_done(&j);
	return rc < 0 ? rc : 0;
}

int sql_output(struct store_query *q, enum sql_form form, FILE *out,
	       struct err *err)
{
	int rc;

	if (!store_query_columns(q)) {
		while ((rc = store_query_step(q, err)) > 0)
			;
		return rc;
	}
	switch (form) {
	case SQL_CSV:
		return print_csv(q, out, err);
	case SQL_JSON:
		return print_json(q, out, err);
	default:
		return print_text(q, out, err);
	}
}
