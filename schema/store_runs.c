/* SPDX-License-Identifier: MIT */
#include "schema/batch_local.h"
#include "schema/runs_local.h"
#include "schema/store_local.h"

#include <stdlib.h>
#include <string.h>

static const struct batch_def span_batch =
	BATCH_DEF("@.span", 7, "(?,?,?,?,?,?,?)");
static const struct batch_def block_batch =
	BATCH_DEF("@.span_block", 4, "(?,?,?,?)");
static const struct batch_def mem_batch =
	BATCH_DEF("@.mem", 5, "(?,?,?,?,?)");
static const struct batch_def access_batch =
	BATCH_DEF("@.access", 4, "(?,?,?,?)");
static const struct batch_def move_batch =
	BATCH_DEF("@.move", 6, "(?,?,?,?,?,?)");

/* A run that is being written: the ctx of its sink. */
struct store_run {
	struct store_run *next;
	struct store *s;
	int id;
	enum place place;
	int64_t origin;
	int64_t nr_spans, nr_mems, nr_accesses, nr_moves;
	int64_t block_start, block_end;	/* of the spans since the last block */
	struct batch spans, blocks, mems, accesses, moves;
};

/* -- the sink ------------------------------------------------------------- */

static int end_block(struct store_run *r, struct err *err)
{
	int64_t n = (r->nr_spans - 1) % SPAN_BLOCK + 1;
	int64_t *v = batch_row(r->s, &r->blocks, err);

	if (!v)
		return err->code;
	v[0] = run_key(r->id, r->nr_spans - n);
	v[1] = n;
	v[2] = r->block_start;
	v[3] = r->block_end;
	return 0;
}

static int key_full(struct store_run *r, struct err *err)
{
	return err_set(err, ERR_USAGE, "'%s': run %d has too many rows",
		       r->s->path, r->id);
}

static int sink_span(void *ctx, const struct span *sp, struct err *err)
{
	struct store_run *r = ctx;
	int64_t start, end;
	int64_t *v;

	if (r->nr_spans >> RUN_SHIFT)
		return key_full(r, err);
	v = batch_row(r->s, &r->spans, err);
	if (!v)
		return err->code;
	end = wrap_sub(sp->end_ns, r->origin);
	start = wrap_sub(sp->start_ns, r->origin);
	v[0] = run_key(r->id, r->nr_spans);
	v[1] = sp->task;
	v[2] = (int64_t)sp->cpu * SPAN_CPU_UNIT +
	       ((sp->flags & SPAN_FLAG_MASK) << SPAN_FLAG_SHIFT) +
	       (sp->state & SPAN_STATE_MASK);
	v[3] = end;
	v[4] = wrap_sub(end, start);
	v[5] = wrap_sub(sp->start_ns, sp->ready_ns);
	v[6] = sp->waker;
	if (sp->ready_ns == -1)
		batch_null(&r->spans, 5);
	if (sp->waker == TASK_NONE)
		batch_null(&r->spans, 6);
	if (r->nr_spans++ % SPAN_BLOCK == 0) {
		r->block_start = start;
		r->block_end = end;
	}
	if (start < r->block_start)
		r->block_start = start;
	if (end > r->block_end)
		r->block_end = end;
	return r->nr_spans % SPAN_BLOCK ? 0 : end_block(r, err);
}

static int sink_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct store_run *r = ctx;
	int64_t *v;

	if (r->nr_mems >> RUN_SHIFT)
		return key_full(r, err);
	v = batch_row(r->s, &r->mems, err);
	if (!v)
		return err->code;
	v[0] = run_key(r->id, r->nr_mems++);
	v[1] = wrap_sub(m->ts, r->origin);
	v[2] = m->area;
	v[3] = m->node;
	v[4] = m->pages;
	return 0;
}

static int sink_access(void *ctx, const struct mem_access *a, struct err *err)
{
	struct store_run *r = ctx;
	int64_t *v;

	if (r->nr_accesses >> RUN_SHIFT)
		return key_full(r, err);
	v = batch_row(r->s, &r->accesses, err);
	if (!v)
		return err->code;
	v[0] = run_key(r->id, r->nr_accesses++);
	v[1] = a->task;
	v[2] = a->area;
	v[3] = a->faults;
	return 0;
}

static int sink_move(void *ctx, const struct move *m, struct err *err)
{
	struct store_run *r = ctx;
	int64_t *v;

	if (r->nr_moves >> RUN_SHIFT)
		return key_full(r, err);
	v = batch_row(r->s, &r->moves, err);
	if (!v)
		return err->code;
	v[0] = run_key(r->id, r->nr_moves++);
	v[1] = wrap_sub(m->ts, r->origin);
	v[2] = m->task;
	v[3] = m->from;
	v[4] = m->to;
	v[5] = m->why + (m->refused ? MOVE_REFUSED : 0);
	return 0;
}

static const struct stmt_def put_count = {
	.sql = "INSERT INTO @.run_count VALUES (?1, ?2, ?3)"
	       " ON CONFLICT (run, name) DO UPDATE SET"
	       " value = value + excluded.value",
};

static int sink_count(void *ctx, const char *name, int64_t value,
		      struct err *err)
{
	struct store_run *r = ctx;
	struct stmt *st;

	if (stmt_begin(r->s, r->place, &put_count, &st, err))
		return err->code;
	stmt_bind_int(st, 1, r->id);
	stmt_bind_text(st, 2, name);
	stmt_bind_int(st, 3, value);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

/* -- begin and end -------------------------------------------------------- */

static const struct stmt_def max_run = {
	.sql = "SELECT max(id) FROM @.run",
};
static const struct stmt_def has_run = {
	.sql = "SELECT 1 FROM @.run WHERE id = ?1",
};

static int last_run(struct store *s, enum place p, int *id, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, p, &max_run, &st, err))
		return err->code;
	*id = -1;
	if (stmt_step(st, err) > 0 && !stmt_is_null(st, 0))
		stmt_number(st, 0, 0, RUN_MAX, id, err);
	stmt_end(st);
	return err->code;
}

static int run_exists(struct store *s, enum place p, int id, bool *exists,
		      struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, p, &has_run, &st, err))
		return err->code;
	stmt_bind_int(st, 1, id);
	*exists = stmt_step(st, err) > 0;
	stmt_end(st);
	return err->code;
}

/* The next free id, above 0 (what was recorded), also of runs in the making. */
static int next_run(struct store *s, int *id, struct err *err)
{
	int last = 0, other = 0;

	if (last_run(s, PLACE_MAIN, &last, err))
		return err->code;
	if (s->has_temp && last_run(s, PLACE_TEMP, &other, err))
		return err->code;
	last = other > last ? other : last;
	for (const struct store_run *r = s->runs; r; r = r->next)
		last = r->id > last ? r->id : last;
	if (last == RUN_MAX)
		return err_set(err, ERR_USAGE, "'%s': no number is left for "
			       "another run", s->path);
	*id = last < 0 ? 1 : last + 1;
	return 0;
}

static int check_free(struct store *s, int id, enum place p, struct err *err)
{
	bool exists = false;

	if (id < 0)
		return err_set(err, ERR_USAGE, "'%s': run %d cannot be",
			       s->path, id);
	for (const struct store_run *r = s->runs; r; r = r->next)
		exists = exists || r->id == id;
	if (!exists && run_exists(s, p, id, &exists, err))
		return err->code;
	return exists ? err_set(err, ERR_EXISTS, "'%s': run %d exists",
				s->path, id) : 0;
}

static int note_temp_run(struct store *s, int id, struct err *err)
{
	int *list;

	if (store_run_place(s, id) == PLACE_TEMP)
		return 0;
	list = realloc(s->temp_run,
		       (size_t)(s->nr_temp_runs + 1) * sizeof(*list));
	if (!list)
		return err_nomem(err);
	s->temp_run = list;
	s->temp_run[s->nr_temp_runs++] = id;
	return 0;
}

static void init_batches(struct store_run *r)
{
	batch_init(&r->spans, &span_batch, r->place);
	batch_init(&r->blocks, &block_batch, r->place);
	batch_init(&r->mems, &mem_batch, r->place);
	batch_init(&r->accesses, &access_batch, r->place);
	batch_init(&r->moves, &move_batch, r->place);
}

int store_run_begin(struct store *s, struct run_info *info,
		    struct run_sink *sink, struct err *err)
{
	struct store_run *r;
	enum place place;

	if (store_write_place(s, &place, err) ||
	    (info->id == -1 && next_run(s, &info->id, err)) ||
	    check_free(s, info->id, place, err))
		return err->code;
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_nomem(err);
	r->s = s;
	r->id = info->id;
	r->place = place;
	init_batches(r);
	if (store_origin(s, &r->origin, err) || store_begin(s, err))
		goto fail;
	if (place == PLACE_TEMP && note_temp_run(s, r->id, err))
		goto fail;
	r->next = s->runs;
	s->runs = r;
	*sink = (struct run_sink){
		.ctx = r,
		.span = sink_span,
		.mem = sink_mem,
		.access = sink_access,
		.move = sink_move,
		.count = sink_count,
	};
	return 0;
fail:
	free(r);
	return err->code;
}

static int flush_run(struct store_run *r, struct err *err)
{
	if (batch_flush(r->s, &r->spans, err) ||
	    batch_flush(r->s, &r->blocks, err) ||
	    batch_flush(r->s, &r->mems, err) ||
	    batch_flush(r->s, &r->accesses, err))
		return err->code;
	return batch_flush(r->s, &r->moves, err);
}

int store_flush_runs(struct store *s, struct err *err)
{
	for (struct store_run *r = s->runs; r; r = r->next)
		if (flush_run(r, err))
			return err->code;
	return 0;
}

void store_runs_free(struct store *s)
{
	struct store_run *next;

	for (struct store_run *r = s->runs; r; r = next) {
		next = r->next;
		free(r);
	}
	s->runs = NULL;
}

/* Takes a run out of the list of those being written; NULL: not in it. */
static struct store_run *take_run(struct store *s, int id)
{
	struct store_run **link = &s->runs, *r;

	while (*link && (*link)->id != id)
		link = &(*link)->next;
	r = *link;
	if (r)
		*link = r->next;
	return r;
}

static const struct stmt_def put_run = {
	.sql = "INSERT INTO @.run VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
	       " ?10, ?11)",
};

static const char *json_or_empty(const char *json)
{
	return json && *json ? json : "{}";
}

static int put_head(struct store_run *r, const struct run_info *info,
		    struct err *err)
{
	struct stmt *st;

	if (stmt_begin(r->s, r->place, &put_run, &st, err))
		return err->code;
	stmt_bind_int(st, 1, r->id);
	stmt_bind_text(st, 2, info->policy ? info->policy : "");
	stmt_bind_text(st, 3, json_or_empty(info->knobs));
	stmt_bind_int(st, 4, (int64_t)info->seed);
	stmt_bind_text(st, 5, json_or_empty(info->cost));
	stmt_bind_text(st, 6, info->discipline ? info->discipline : "");
	stmt_bind_text(st, 7, info->fidelity);
	stmt_bind_int(st, 8, info->engine);
	stmt_bind_text(st, 9, info->topology);
	stmt_bind_int(st, 10, info->start_ns);
	stmt_bind_int(st, 11, info->end_ns);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

int store_run_end(struct store *s, const struct run_info *info,
		  struct err *err)
{
	struct store_run *r = take_run(s, info->id);

	if (!r)
		return err_set(err, ERR_NOTFOUND, "'%s': run %d is not being "
			       "written", s->path, info->id);
	if (r->nr_spans % SPAN_BLOCK)
		end_block(r, err);
	if (!err->code && !flush_run(r, err))
		put_head(r, info, err);
	free(r);
	return err->code ? err->code : store_end(s, err);
}

int store_put_accesses(struct store *s, const struct mem_access *a, int nr,
		       struct err *err)
{
	struct run_info info = { .id = 0 };
	struct store_run *r;
	struct run_sink sink;

	if (store_run_begin(s, &info, &sink, err))
		return err->code;
	for (int i = 0; i < nr && !err->code; i++)
		sink.access(sink.ctx, &a[i], err);
	r = take_run(s, 0);
	if (!err->code)
		flush_run(r, err);
	free(r);
	return err->code ? err->code : store_end(s, err);
}

static const struct stmt_def drop_rows[] = {
	{ .sql = "DELETE FROM @.span WHERE id >= ?1 AND id < ?2" },
	{ .sql = "DELETE FROM @.span_block WHERE id >= ?1 AND id < ?2" },
	{ .sql = "DELETE FROM @.mem WHERE id >= ?1 AND id < ?2" },
	{ .sql = "DELETE FROM @.access WHERE id >= ?1 AND id < ?2" },
	{ .sql = "DELETE FROM @.move WHERE id >= ?1 AND id < ?2" },
	{ .sql = "DELETE FROM @.run_count WHERE run >= ?3 AND run < ?3 + 1" },
	{ .sql = "DELETE FROM @.run WHERE id = ?3" },
};

static int delete_run(struct store *s, enum place p, int run, struct err *err)
{
	struct stmt *st;

	for (size_t i = 0; i < sizeof(drop_rows) / sizeof(drop_rows[0]); i++) {
		bool by_run = strstr(drop_rows[i].sql, "?3") != NULL;

		if (stmt_begin(s, p, &drop_rows[i], &st, err))
			return err->code;
		if (by_run)
			stmt_bind_int(st, 3, run);
		else
			run_bind(st, run);
		stmt_run(st, err);
		stmt_end(st);
		if (err->code)
			return err->code;
	}
	return store_drop_tracks(s, p, run, err);
}

int store_run_drop(struct store *s, int run, struct err *err)
{
	struct store_run *r = take_run(s, run);
	enum place p = store_run_place(s, run);
	bool exists = r != NULL;

	if (!exists && run_exists(s, p, run, &exists, err))
		return err->code;
	if (!exists)
		return err_set(err, ERR_NOTFOUND, "'%s': there is no run %d",
			       s->path, run);
	if (!r && store_begin(s, err))
		return err->code;
	free(r);
	if (delete_run(s, p, run, err))
		return err->code;
	return store_end(s, err);
}
