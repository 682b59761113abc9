/* SPDX-License-Identifier: MIT */
/* Reading the rows of a run. */
#include "schema/runs_local.h"
#include "schema/store_local.h"

#include <stdlib.h>

/* Rows read under one hold of the lock. */
#define READ_ROWS 512

/* -- spans ---------------------------------------------------------------- */

static const struct stmt_def next_block = {
	.sql = "SELECT id, spans FROM @.span_block WHERE id >= ?1 AND id < ?2"
	       " AND last_end > ?3 AND first_start < ?4 ORDER BY id LIMIT 1",
};
static const struct stmt_def read_spans = {
	.sql = "SELECT task, what, end, len, wait, waker, id FROM @.span"
	       " WHERE id >= ?1 AND id < ?2 ORDER BY id",
};

struct store_spans {
	struct store *s;
	enum place place;
	int run;
	int64_t origin;
	int64_t from, to;	/* since the origin */
	int64_t next_block;	/* key from which blocks are still to be read */
	int64_t next, end;	/* keys of the block being read */
	int64_t nr_tasks;
	int nr, pos;
	struct span row[READ_ROWS];
};

static int64_t since_origin(int64_t ns, int64_t origin)
{
	int64_t at;

	if (ns == INT64_MIN || ns == INT64_MAX)
		return ns;
	if (__builtin_sub_overflow(ns, origin, &at))
		return ns < origin ? INT64_MIN : INT64_MAX;
	return at;
}

int store_spans_open(struct store *s, int run, int64_t from_ns, int64_t to_ns,
		     struct store_spans **out, struct err *err)
{
	struct store_spans *it;
	int64_t nr_areas;

	*out = NULL;
	if (store_flush_runs(s, err))
		return err->code;
	it = malloc(sizeof(*it));
	if (!it)
		return err_nomem(err);
	it->s = s;
	it->place = store_run_place(s, run);
	it->run = run;
	it->next_block = run_key(run, 0);
	it->next = it->end = 0;
	it->nr = it->pos = 0;
	if (store_origin(s, &it->origin, err) ||
	    store_limits(s, &it->nr_tasks, &nr_areas, err)) {
		free(it);
		return err->code;
	}
	it->from = since_origin(from_ns, it->origin);
	it->to = since_origin(to_ns, it->origin);
	*out = it;
	return 0;
}

/* 1: found another block with spans of the window, 0: none. */
static int find_block(struct store_spans *it, struct err *err)
{
	int64_t spans = 0;
	struct stmt *st;
	int rc;

	if (stmt_begin(it->s, it->place, &next_block, &st, err))
		return err->code;
	stmt_bind_int(st, 1, it->next_block);
	stmt_bind_int(st, 2, run_key(it->run + 1, 0));
	stmt_bind_int(st, 3, it->from);
	stmt_bind_int(st, 4, it->to);
	rc = stmt_step(st, err);
	if (rc > 0) {
		it->next = stmt_int(st, 0);
		spans = stmt_int(st, 1);
	}
	stmt_end(st);
	if (rc <= 0)
		return rc;
	if (spans < 1 || spans > SPAN_BLOCK || it->next < it->next_block ||
	    it->next >= run_key(it->run + 1, 0))
		return store_damaged(it->s, err, "span block %lld has %lld "
				     "spans", (long long)it->next,
				     (long long)spans);
	it->end = it->next_block = it->next + spans;
	return 1;
}

static int decode_span(struct store_spans *it, sqlite3_stmt *raw,
		       struct span *sp, struct err *err)
{
	int64_t task = sqlite3_column_int64(raw, 0);
	int64_t what = sqlite3_column_int64(raw, 1);
	int64_t end = sqlite3_column_int64(raw, 2);
	int64_t start = wrap_sub(end, sqlite3_column_int64(raw, 3));
	int64_t cpu = what >> 8;
	int64_t waker = TASK_NONE;

	if (end <= it->from || start >= it->to)
		return 0;
	*sp = (struct span){
		.task = (int)task,
		.cpu = (int)cpu,
		.start_ns = wrap_add(start, it->origin),
		.end_ns = wrap_add(end, it->origin),
		.ready_ns = -1,
		.state = (uint8_t)(what & SPAN_STATE_MASK),
		.flags = (uint8_t)(what >> SPAN_FLAG_SHIFT & SPAN_FLAG_MASK),
	};
	if (sqlite3_column_type(raw, 4) != SQLITE_NULL)
		sp->ready_ns = wrap_sub(sp->start_ns,
					sqlite3_column_int64(raw, 4));
	if (sqlite3_column_type(raw, 5) != SQLITE_NULL)
		waker = sqlite3_column_int64(raw, 5);
	sp->waker = (int)waker;
	if (task < 0 || task >= it->nr_tasks || cpu < -1 ||
	    cpu >= STORE_MAX_NUMBER || waker < TASK_NONE ||
	    waker >= it->nr_tasks)
		return store_damaged(it->s, err, "span %lld: task %lld, waker "
				     "%lld (of %lld tasks), CPU %lld",
				     (long long)sqlite3_column_int64(raw, 6),
				     (long long)task, (long long)waker,
				     (long long)it->nr_tasks, (long long)cpu);
	return 1;
}

static int fill_spans(struct store_spans *it, struct err *err)
{
	sqlite3_stmt *raw;
	struct stmt *st;
	int n = 0, rc = 1, used;
	int64_t id;

	if (stmt_begin(it->s, it->place, &read_spans, &st, err))
		return err->code;
	stmt_bind_int(st, 1, it->next);
	stmt_bind_int(st, 2, it->end);
	raw = stmt_raw(st);
	while (n < READ_ROWS && (rc = stmt_step(st, err)) > 0) {
		id = sqlite3_column_int64(raw, 6);
		if (id < it->next || id >= it->end) {
			rc = store_damaged(it->s, err, "span %lld is out of "
					   "order", (long long)id);
			break;
		}
		it->next = id + 1;
		used = decode_span(it, raw, &it->row[n], err);
		if (used < 0) {
			rc = used;
			break;
		}
		n += used;
	}
	stmt_end(st);
	if (rc < 0)
		return rc;
	if (!rc)
		it->next = it->end;
	it->nr = n;
	it->pos = 0;
	return 0;
}

int store_spans_next(struct store_spans *it, struct span *sp, struct err *err)
{
	int rc;

	while (it->pos == it->nr) {
		if (it->next >= it->end) {
			rc = find_block(it, err);
			if (rc <= 0)
				return rc;
		}
		if (fill_spans(it, err))
			return err->code;
	}
	*sp = it->row[it->pos++];
	return 1;
}

void store_spans_close(struct store_spans *it)
{
	free(it);
}

/* -- the other rows ------------------------------------------------------- */

struct limits {
	int64_t tasks, areas, origin;
};

static int begin_rows(struct store *s, int run, const struct stmt_def *def,
		      struct stmt **st, struct limits *l, struct err *err)
{
	*st = NULL;
	if (store_flush_runs(s, err) ||
	    store_origin(s, &l->origin, err) ||
	    store_limits(s, &l->tasks, &l->areas, err) ||
	    stmt_begin(s, store_run_place(s, run), def, st, err))
		return err->code;
	run_bind(*st, run);
	return 0;
}

static const struct stmt_def each_mem = {
	.sql = "SELECT at, area, node, pages FROM @.mem"
	       " WHERE id >= ?1 AND id < ?2 ORDER BY id",
};

int store_each_mem(struct store *s, int run, int (*fn)(void *ctx,
		   const struct mem_change *m, struct err *err), void *ctx,
		   struct err *err)
{
	struct mem_change m;
	struct limits l;
	struct stmt *st;
	int rc = 0;

	if (begin_rows(s, run, &each_mem, &st, &l, err))
		return err->code;
	while (!rc && stmt_step(st, err) > 0) {
		m.ts = wrap_add(stmt_int(st, 0), l.origin);
		m.pages = stmt_int(st, 3);
		rc = stmt_number(st, 1, 0, l.areas - 1, &m.area, err);
		if (!rc)
			rc = stmt_number(st, 2, 0, STORE_MAX_NODE, &m.node,
					 err);
		if (!rc)
			rc = fn(ctx, &m, err);
	}
	stmt_end(st);
	return err->code ? err->code : rc;
}

static const struct stmt_def each_access = {
	.sql = "SELECT task, area, faults FROM @.access"
	       " WHERE id >= ?1 AND id < ?2 ORDER BY id",
};

int store_each_access(struct store *s, int run, int (*fn)(void *ctx,
		      const struct mem_access *a, struct err *err), void *ctx,
		      struct err *err)
{
	struct mem_access a;
	struct limits l;
	struct stmt *st;
	int rc = 0;

	if (begin_rows(s, run, &each_access, &st, &l, err))
		return err->code;
	while (!rc && stmt_step(st, err) > 0) {
		a.faults = stmt_int(st, 2);
		rc = stmt_number(st, 0, 0, l.tasks - 1, &a.task, err);
		if (!rc)
			rc = stmt_number(st, 1, 0, l.areas - 1, &a.area, err);
		if (!rc)
			rc = fn(ctx, &a, err);
	}
	stmt_end(st);
	return err->code ? err->code : rc;
}

static const struct stmt_def each_move = {
	.sql = "SELECT at, task, from_cpu, to_cpu, why FROM @.move"
	       " WHERE id >= ?1 AND id < ?2 ORDER BY id",
};

static int read_move(struct stmt *st, const struct limits *l, struct move *m,
		     struct err *err)
{
	int why;

	m->ts = wrap_add(stmt_int(st, 0), l->origin);
	if (stmt_number(st, 1, 0, l->tasks - 1, &m->task, err) ||
	    stmt_number(st, 2, -1, STORE_MAX_NUMBER - 1, &m->from, err) ||
	    stmt_number(st, 3, -1, STORE_MAX_NUMBER - 1, &m->to, err) ||
	    stmt_number(st, 4, 0, 2 * MOVE_REFUSED - 1, &why, err))
		return err->code;
	m->why = (uint8_t)(why % MOVE_REFUSED);
	m->refused = why >= MOVE_REFUSED;
	return 0;
}

int store_each_move(struct store *s, int run, int (*fn)(void *ctx,
		    const struct move *m, struct err *err), void *ctx,
		    struct err *err)
{
	struct limits l;
	struct move m;
	struct stmt *st;
	int rc = 0;

	if (begin_rows(s, run, &each_move, &st, &l, err))
		return err->code;
	while (!rc && stmt_step(st, err) > 0) {
		rc = read_move(st, &l, &m, err);
		if (!rc)
			rc = fn(ctx, &m, err);
	}
	stmt_end(st);
	return err->code ? err->code : rc;
}

static const struct stmt_def get_count = {
	.sql = "SELECT value FROM @.run_count WHERE run = ?1 AND name = ?2",
};

int store_get_count(struct store *s, int run, const char *name,
		    int64_t *value, struct err *err)
{
	struct stmt *st;

	*value = 0;
	if (stmt_begin(s, store_run_place(s, run), &get_count, &st, err))
		return err->code;
	stmt_bind_int(st, 1, run);
	stmt_bind_text(st, 2, name);
	if (stmt_step(st, err) > 0)
		*value = stmt_int(st, 0);
	stmt_end(st);
	return err->code;
}
