/* SPDX-License-Identifier: MIT */
#include "schema/batch_local.h"

#include "schema/store_local.h"

void batch_init(struct batch *b, const struct batch_def *def, enum place p)
{
	b->def = def;
	b->place = p;
	b->nr = 0;
}

static void bind_row(sqlite3_stmt *st, const struct batch *b, int i, int at)
{
	const int64_t *v = b->row[i];

	for (int c = 0; c < b->def->columns; c++) {
		if (b->nulls[i] & 1u << c)
			sqlite3_bind_null(st, at + c + 1);
		else
			sqlite3_bind_int64(st, at + c + 1, v[c]);
	}
}

int batch_flush(struct store *s, struct batch *b, struct err *err)
{
	bool full = b->nr == BATCH_ROWS;
	int step = full ? BATCH_ROWS : 1;
	struct stmt *st;
	int rc = 0;

	if (!b->nr)
		return 0;
	rc = stmt_begin(s, b->place, full ? &b->def->many : &b->def->one, &st,
			err);
	if (rc)
		return rc;
	for (int i = 0; i < b->nr && !rc; i += step) {
		for (int k = 0; k < step; k++)
			bind_row(stmt_raw(st), b, i + k, k * b->def->columns);
		rc = stmt_run(st, err);
	}
	stmt_end(st);
	b->nr = 0;
	return rc;
}

int64_t *batch_row(struct store *s, struct batch *b, struct err *err)
{
	if (b->nr == BATCH_ROWS && batch_flush(s, b, err))
		return NULL;
	b->nulls[b->nr] = 0;
	return b->row[b->nr++];
}

void batch_null(struct batch *b, int column)
{
	b->nulls[b->nr - 1] |= (uint16_t)(1u << column);
}
