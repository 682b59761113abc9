/* SPDX-License-Identifier: MIT */
/* What runs are drawn from: tables drawing, drawing_track, drawing_node. */
#include "schema/runs_local.h"
#include "schema/store_local.h"

#include <stdlib.h>

/* CPUs come behind all tasks. */
#define FIRST_CPU ((int64_t)1 << 31)

/* Whoever draws does not wait long for another that writes. */
#define WAIT_MS 200

struct store_tracks {
	struct store *s;
	int run;
	enum place place;
	bool is_open;		/* in its transaction */
	struct tracks_store nodes;
};

static const struct stmt_def get_drawing = {
	.sql = "SELECT version, spans FROM @.drawing WHERE run = ?1",
};
static const struct stmt_def count_spans = {
	.sql = "SELECT max(id) FROM @.span WHERE id >= ?1 AND id < ?2",
};
static const struct stmt_def put_drawing = {
	.sql = "INSERT INTO @.drawing VALUES (?1, ?2, ?3)",
};
static const struct stmt_def put_node = {
	.sql = "INSERT INTO @.drawing_node VALUES (?1, ?2)",
};
static const struct stmt_def get_node = {
	.sql = "SELECT data FROM @.drawing_node WHERE id = ?1",
};
static const struct stmt_def put_head = {
	.sql = "INSERT INTO @.drawing_track VALUES (?1, ?2)",
};
static const struct stmt_def each_head = {
	.sql = "SELECT id, head FROM @.drawing_track"
	       " WHERE id >= ?1 AND id < ?2 ORDER BY id",
};
static const struct stmt_def drop_rows[] = {
	{ .sql = "DELETE FROM @.drawing_track WHERE id >= ?1 AND id < ?2" },
	{ .sql = "DELETE FROM @.drawing_node WHERE id >= ?1 AND id < ?2" },
	{ .sql = "DELETE FROM @.drawing WHERE run >= ?1 >> 32"
		 " AND run < ?2 >> 32" },
};

/* -- nodes and heads ------------------------------------------------------ */

static int put(struct store_tracks *t, const struct stmt_def *def, int64_t n,
	       const void *bytes, size_t len, struct err *err)
{
	struct stmt *st;

	if (n >> RUN_SHIFT)
		return err_set(err, ERR_USAGE, "'%s': run %d has too many rows",
			       t->s->path, t->run);
	if (stmt_begin(t->s, t->place, def, &st, err))
		return err->code;
	stmt_bind_int(st, 1, run_key(t->run, n));
	stmt_bind_blob(st, 2, bytes, len);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

static int node_put(void *ctx, int64_t id, const void *bytes, size_t len,
		    struct err *err)
{
	return put(ctx, &put_node, id, bytes, len, err);
}

static int node_get(void *ctx, int64_t id,
		    int (*take)(void *ctx, const void *bytes, size_t len),
		    void *take_ctx, struct err *err)
{
	struct store_tracks *t = ctx;
	struct stmt *st;
	int ret;

	if (id < 0 || id >> RUN_SHIFT)
		return ERR_FORMAT;
	if (stmt_begin(t->s, t->place, &get_node, &st, err))
		return err->code;
	stmt_bind_int(st, 1, run_key(t->run, id));
	ret = stmt_step(st, err);
	if (ret > 0)
		ret = take(take_ctx, sqlite3_column_blob(stmt_raw(st), 0),
			   (size_t)sqlite3_column_bytes(stmt_raw(st), 0));
	else if (!ret)
		ret = ERR_FORMAT;
	stmt_end(st);
	return ret;
}

int store_tracks_put_head(void *ctx, enum track_kind kind, int number,
			  const void *head, size_t len, struct err *err)
{
	return put(ctx, &put_head, kind == TRACK_CPU ? FIRST_CPU + number :
						       number,
		   head, len, err);
}

int store_tracks_each_head(struct store_tracks *t, tracks_head_fn fn,
			   void *ctx, struct err *err)
{
	struct stmt *st;
	int rc = 0;

	if (stmt_begin(t->s, t->place, &each_head, &st, err))
		return err->code;
	run_bind(st, t->run);
	while (!rc && stmt_step(st, err) > 0) {
		int64_t n = stmt_int(st, 0) - run_key(t->run, 0);
		sqlite3_stmt *raw = stmt_raw(st);

		rc = fn(ctx, n < FIRST_CPU ? TRACK_TASK : TRACK_CPU,
			(int)(n % FIRST_CPU), sqlite3_column_blob(raw, 1),
			(size_t)sqlite3_column_bytes(raw, 1), err);
	}
	stmt_end(st);
	return err->code ? err->code : rc;
}

const struct tracks_store *store_tracks_nodes(const struct store_tracks *t)
{
	return &t->nodes;
}

/* -- life ----------------------------------------------------------------- */

static struct store_tracks *new_tracks(struct store *s, int run, enum place p,
				       struct err *err)
{
	struct store_tracks *t = malloc(sizeof(*t));

	if (!t) {
		err_nomem(err);
		return NULL;
	}
	*t = (struct store_tracks){ .s = s, .run = run, .place = p };
	t->nodes = (struct tracks_store){ t, node_put, node_get };
	return t;
}

static int nr_spans(struct store *s, int run, int64_t *nr, struct err *err)
{
	struct stmt *st;

	*nr = 0;
	if (stmt_begin(s, store_run_place(s, run), &count_spans, &st, err))
		return err->code;
	run_bind(st, run);
	if (stmt_step(st, err) > 0 && !stmt_is_null(st, 0))
		*nr = stmt_int(st, 0) + 1 - run_key(run, 0);
	stmt_end(st);
	return err->code;
}

int store_tracks_open(struct store *s, int run, struct store_tracks **t,
		      struct err *err)
{
	enum place p = store_run_place(s, run);
	int64_t version = -1, spans = -1, nr;
	struct stmt *st;

	*t = NULL;
	if (p == PLACE_MAIN && s->format < 2)
		return 0;
	if (nr_spans(s, run, &nr, err) ||
	    stmt_begin(s, p, &get_drawing, &st, err))
		return err->code;
	stmt_bind_int(st, 1, run);
	if (stmt_step(st, err) > 0) {
		version = stmt_int(st, 0);
		spans = stmt_int(st, 1);
	}
	stmt_end(st);
	if (err->code || version != TRACKS_VERSION || spans != nr)
		return err->code;
	*t = new_tracks(s, run, p, err);
	return *t ? 1 : err->code;
}

int store_drop_tracks(struct store *s, enum place p, int run, struct err *err)
{
	struct stmt *st;

	for (size_t i = 0; i < sizeof(drop_rows) / sizeof(drop_rows[0]); i++) {
		if (stmt_begin(s, p, &drop_rows[i], &st, err))
			return err->code;
		run_bind(st, run);
		stmt_run(st, err);
		stmt_end(st);
		if (err->code)
			return err->code;
	}
	return 0;
}

/* Said at once and not when the rows no longer have room in memory. */
static int begin(struct store_tracks *t, struct err *err)
{
	struct store *s = t->s;

	if (!s->depth && t->place == PLACE_MAIN) {
		sqlite3_busy_timeout(s->db, WAIT_MS);
		store_exec(s, "BEGIN IMMEDIATE", err);
		sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
		if (err->code)
			return err->code;
		s->depth = 1;
	} else if (store_begin(s, err)) {
		return err->code;
	}
	t->is_open = true;
	return 0;
}

int store_tracks_make(struct store *s, int run, bool temp,
		      struct store_tracks **t, struct err *err)
{
	enum place p;

	*t = NULL;
	if (store_run_place(s, run) == PLACE_TEMP)
		temp = true;
	if (temp || !s->writable)
		p = store_make_temp(s, err) ? PLACE_MAIN : PLACE_TEMP;
	else
		p = PLACE_MAIN;
	if (err->code)
		return err->code;
	*t = new_tracks(s, run, p, err);
	if (!*t)
		return err->code;
	if (begin(*t, err) || store_drop_tracks(s, p, run, err)) {
		store_tracks_close(*t);
		*t = NULL;
	}
	return err->code;
}

int store_tracks_done(struct store_tracks *t, struct err *err)
{
	struct stmt *st;
	int64_t nr;

	if (nr_spans(t->s, t->run, &nr, err) ||
	    stmt_begin(t->s, t->place, &put_drawing, &st, err))
		return err->code;
	stmt_bind_int(st, 1, t->run);
	stmt_bind_int(st, 2, TRACKS_VERSION);
	stmt_bind_int(st, 3, nr);
	stmt_run(st, err);
	stmt_end(st);
	if (err->code || store_end(t->s, err))
		return err->code;
	t->is_open = false;
	return 0;
}

/* Nobody else's changes may be undone with it. */
static void undo(struct store_tracks *t)
{
	struct err ignored = { 0 };
	struct store *s = t->s;

	if (s->depth > 1) {
		store_drop_tracks(s, t->place, t->run, &ignored);
		store_end(s, &ignored);
		return;
	}
	/* SQLite has done it itself where the disk was full. */
	if (!sqlite3_get_autocommit(s->db))
		store_exec(s, "ROLLBACK", &ignored);
	s->depth = 0;
}

void store_tracks_close(struct store_tracks *t)
{
	if (!t)
		return;
	if (t->is_open)
		undo(t);
	free(t);
}
