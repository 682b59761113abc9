/* SPDX-License-Identifier: MIT */
/*
 * reproduce_table: runs a table of repro_table.h and shows it.
 */
#ifndef UI_REPRODUCE_TABLE_H
#define UI_REPRODUCE_TABLE_H

#include "replay/repro_table.h"
#include "ui/json.h"
#include "ui/reproduce_run.h"

/* A table and what its replays gave. */
struct reproduced {
	const struct repro_table *table;
	struct repro_result *result;	/* [lines] */
	int seeds;
};

int reproduce_table_run(const struct reproduce_options *o,
			struct reproduced *r, struct bar *bar, struct err *err);
void reproduce_table_release(struct reproduced *r);

int reproduce_table_print(const struct reproduced *r, struct err *err);

/* Its objects in the array `cells`; its errors as a member of `mean_error`. */
void reproduce_table_cells(struct json *j, const struct reproduced *r);
void reproduce_table_errors(struct json *j, const struct reproduced *r);

/* One object of `cells`. */
struct json_cell {
	const char *table, *row, *column, *figure;
	double published;
	const struct stats *simulated;
};
void reproduce_cell_json(struct json *j, const struct json_cell *c);

#endif
