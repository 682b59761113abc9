/* SPDX-License-Identifier: MIT */
/* What homenode calibrate measured. */
#include "schema/store_local.h"

#include <stdlib.h>

#include "model/calibration.h"

/* No load takes longer: 1 ms. */
#define MAX_PS INT64_C(1000000000)

static const struct stmt_def drop_all = {
	.sql = "DELETE FROM latency",
	.flags = STMT_SCAN,
};
static const struct stmt_def put_one = {
	.sql = "INSERT INTO latency VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
};
static const struct stmt_def get_all = {
	.sql = "SELECT cpu_node, mem_node, co_runners, samples, median_ps,"
	       " low_ps, high_ps, buffer_bytes, huge_bytes FROM latency"
	       " ORDER BY cpu_node, mem_node, co_runners",
	.flags = STMT_SCAN,
};

static int put_rows(struct store *s, const struct latency *l, int nr,
		    struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_one, &st, err))
		return err->code;
	for (int i = 0; i < nr && !err->code; i++) {
		const int64_t v[] = {
			l[i].cpu_node, l[i].mem_node, l[i].co_runners,
			l[i].median_ps, l[i].low_ps, l[i].high_ps,
			l[i].samples, l[i].buffer_bytes, l[i].huge_bytes,
		};

		for (int k = 0; k < 9; k++)
			stmt_bind_int(st, k + 1, v[k]);
		stmt_run(st, err);
	}
	stmt_end(st);
	return err->code;
}

int store_put_latencies(struct store *s, const struct latency *l, int nr,
			struct err *err)
{
	struct stmt *st;

	if (store_begin(s, err))
		return err->code;
	if (stmt_begin(s, PLACE_MAIN, &drop_all, &st, err) == 0) {
		stmt_run(st, err);
		stmt_end(st);
	}
	if (!err->code)
		put_rows(s, l, nr, err);
	return err->code ? err->code : store_end(s, err);
}

static int read_row(struct store *s, struct stmt *st, struct latency *l,
		    struct err *err)
{
	int64_t *const time[] = { &l->median_ps, &l->low_ps, &l->high_ps };

	*l = (struct latency){
		.buffer_bytes = stmt_int(st, 7),
		.huge_bytes = stmt_int(st, 8),
	};
	if (stmt_number(st, 0, 0, STORE_MAX_NODE, &l->cpu_node, err) ||
	    stmt_number(st, 1, 0, STORE_MAX_NODE, &l->mem_node, err) ||
	    stmt_number(st, 2, 0, STORE_MAX_NUMBER, &l->co_runners, err) ||
	    stmt_number(st, 3, 1, INT32_MAX, &l->samples, err))
		return err->code;
	for (int i = 0; i < 3; i++) {
		*time[i] = stmt_int(st, 4 + i);
		if (*time[i] <= 0 || *time[i] > MAX_PS)
			return store_damaged(s, err, "a latency of %lld ps",
					     (long long)*time[i]);
	}
	return 0;
}

int store_get_latencies(struct store *s, struct latency **l, int *nr,
			struct err *err)
{
	struct stmt *st;
	int size = 0;

	*l = NULL;
	*nr = 0;
	if (s->format < 3)
		return 0;
	if (stmt_begin(s, PLACE_MAIN, &get_all, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0) {
		struct latency *new = store_room(*l, *nr, &size, sizeof(*new),
						 err);

		if (!new)
			break;
		*l = new;
		if (read_row(s, st, &new[*nr], err))
			break;
		++*nr;
	}
	stmt_end(st);
	if (err->code) {
		free(*l);
		*l = NULL;
		*nr = 0;
	}
	return err->code;
}
