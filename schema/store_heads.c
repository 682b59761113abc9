/* SPDX-License-Identifier: MIT */
/* The heads of all runs. */
#include "schema/runs_local.h"
#include "schema/store_local.h"

#include <limits.h>
#include <stdlib.h>

static const struct stmt_def get_runs = {
	.sql = "SELECT id, policy, knobs, seed, cost, discipline, fidelity,"
	       " engine, topology, start_ns, end_ns, json_valid(knobs)"
	       " AND json_valid(cost)"
	       " AND json_valid(coalesce(fidelity, 'null'))"
	       " FROM @.run ORDER BY id",
	.flags = STMT_SCAN,
};

struct run_list {
	struct run_info *run;
	int nr, size;
};

static void free_list(struct run_list *l)
{
	for (int i = 0; i < l->nr; i++)
		run_info_release(&l->run[i]);
	free(l->run);
}

static int read_head(struct store *s, struct stmt *st, struct run_list *l,
		     struct err *err)
{
	struct run_info *r;

	r = store_room(l->run, l->nr, &l->size, sizeof(*r), err);
	if (!r)
		return err->code;
	l->run = r;
	r = &l->run[l->nr];
	*r = (struct run_info){
		.seed = (uint64_t)stmt_int(st, 3),
		.start_ns = stmt_int(st, 9),
		.end_ns = stmt_int(st, 10),
	};
	if (stmt_number(st, 0, 0, RUN_MAX, &r->id, err))
		return err->code;
	l->nr++;
	if (!stmt_int(st, 11))
		return store_damaged(s, err, "run %d is described in bad JSON",
				     r->id);
	if (stmt_number(st, 7, 0, INT_MAX, &r->engine, err) ||
	    stmt_text(st, 1, &r->policy, err) ||
	    stmt_text(st, 2, &r->knobs, err) ||
	    stmt_text(st, 4, &r->cost, err) ||
	    stmt_text(st, 5, &r->discipline, err))
		return err->code;
	if (stmt_text_or_null(st, 6, &r->fidelity, err))
		return err->code;
	return stmt_text_or_null(st, 8, &r->topology, err);
}

static int read_heads(struct store *s, enum place p, struct run_list *l,
		      struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, p, &get_runs, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0)
		if (read_head(s, st, l, err))
			break;
	stmt_end(st);
	return err->code;
}

static int by_id(const void *a, const void *b)
{
	const struct run_info *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* A run in both places is the one that was made last, in the temporary one. */
static void drop_hidden(const struct store *s, struct run_list *l, int nr_main)
{
	int kept = 0;

	for (int i = 0; i < l->nr; i++) {
		if (i < nr_main &&
		    store_run_place(s, l->run[i].id) == PLACE_TEMP)
			run_info_release(&l->run[i]);
		else
			l->run[kept++] = l->run[i];
	}
	l->nr = kept;
}

int store_get_runs(struct store *s, struct run_info **runs, int *nr,
		   struct err *err)
{
	struct run_list l = { 0 };
	int nr_main;

	*runs = NULL;
	*nr = 0;
	if (read_heads(s, PLACE_MAIN, &l, err))
		goto fail;
	nr_main = l.nr;
	if (s->has_temp && read_heads(s, PLACE_TEMP, &l, err))
		goto fail;
	drop_hidden(s, &l, nr_main);
	if (l.nr)
		qsort(l.run, (size_t)l.nr, sizeof(*l.run), by_id);
	*runs = l.run;
	*nr = l.nr;
	return 0;
fail:
	free_list(&l);
	return err->code;
}
