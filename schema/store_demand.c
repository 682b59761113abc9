/* SPDX-License-Identifier: MIT */
#include "schema/runs_local.h"
#include "schema/store_local.h"

#include <stdlib.h>
#include <string.h>

/* -- tasks ---------------------------------------------------------------- */

static const struct stmt_def put_task = {
	.sql = "INSERT OR REPLACE INTO @.demand_task"
	       " VALUES (?1, ?2, ?3, ?4, ?5)",
};

/* The first row of a demand in the temporary database hides the file's. */
static int demand_place(struct store *s, enum place *p, struct err *err)
{
	if (store_write_place(s, p, err))
		return err->code;
	if (*p == PLACE_TEMP)
		s->temp_demand = true;
	return 0;
}

int store_put_demand_task(struct store *s, const struct demand_task *t,
			  struct err *err)
{
	struct stmt *st;
	enum place p;

	if (demand_place(s, &p, err) || stmt_begin(s, p, &put_task, &st, err))
		return err->code;
	stmt_bind_int(st, 1, t->task);
	stmt_bind_int(st, 2, t->appears_ns);
	stmt_bind_int(st, 3, t->forked);
	stmt_bind_int(st, 4, t->first_cpu);
	stmt_bind_int(st, 5, t->stopper);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

static const struct stmt_def get_tasks = {
	.sql = "SELECT task, appears_ns, forked, first_cpu, stopper"
	       " FROM @.demand_task ORDER BY task",
	.flags = STMT_SCAN,
};

static int read_task(struct stmt *st, int64_t nr_tasks, struct demand_task *t,
		     struct err *err)
{
	t->appears_ns = stmt_int(st, 1);
	t->forked = stmt_int(st, 2) != 0;
	t->stopper = stmt_int(st, 4) != 0;
	if (stmt_number(st, 0, 0, nr_tasks - 1, &t->task, err))
		return err->code;
	return stmt_number(st, 3, -1, STORE_MAX_NUMBER - 1, &t->first_cpu,
			   err);
}

int store_get_demand_tasks(struct store *s, struct demand_task **out, int *nr,
			   struct err *err)
{
	enum place p = s->temp_demand ? PLACE_TEMP : PLACE_MAIN;
	struct demand_task *list = NULL, *more;
	int64_t nr_tasks, nr_areas;
	int n = 0, size = 0;
	struct stmt *st;

	*out = NULL;
	*nr = 0;
	if (store_limits(s, &nr_tasks, &nr_areas, err) ||
	    stmt_begin(s, p, &get_tasks, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0) {
		more = store_room(list, n, &size, sizeof(*list), err);
		if (!more)
			break;
		list = more;
		if (read_task(st, nr_tasks, &list[n], err))
			break;
		n++;
	}
	stmt_end(st);
	if (err->code) {
		free(list);
		return err->code;
	}
	*out = list;
	*nr = n;
	return 0;
}

/* -- chunks --------------------------------------------------------------- */

static const struct stmt_def put_chunk = {
	.sql = "INSERT OR REPLACE INTO @.demand VALUES (?1, ?2)",
};

static int sink_chunk(void *ctx, int task, int n, const uint8_t *bytes,
		      size_t len, struct err *err)
{
	struct store *s = ctx;
	struct stmt *st;
	enum place p;

	if (demand_place(s, &p, err) || stmt_begin(s, p, &put_chunk, &st, err))
		return err->code;
	stmt_bind_int(st, 1, run_key(task, n));
	stmt_bind_blob(st, 2, bytes, len);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

int store_drop_demand(struct store *s, struct err *err)
{
	static const char *const drop[] = {
		[PLACE_MAIN] = "DELETE FROM main.demand;"
			       "DELETE FROM main.demand_task",
		[PLACE_TEMP] = "DELETE FROM temp.demand;"
			       "DELETE FROM temp.demand_task",
	};
	enum place p;

	if (demand_place(s, &p, err))
		return err->code;
	return store_exec(s, drop[p], err);
}

void store_demand_sink(struct store *s, struct demand_sink *sink)
{
	*sink = (struct demand_sink){ .ctx = s, .chunk = sink_chunk };
}

static const struct stmt_def get_chunk = {
	.sql = "SELECT ops FROM @.demand WHERE id = ?1",
};

/* The ctx of one source: the chunk that each task is at. */
struct demand_reader {
	struct demand_reader *next;
	struct store *s;
	uint8_t **chunk;	/* by task */
	int nr_tasks;
};

static int grow_reader(struct demand_reader *r, int task, struct err *err)
{
	int nr = r->nr_tasks ? r->nr_tasks : 64;
	uint8_t **chunk;

	if (task < r->nr_tasks)
		return 0;
	while (nr <= task)
		nr *= 2;
	chunk = realloc(r->chunk, (size_t)nr * sizeof(*chunk));
	if (!chunk)
		return err_nomem(err);
	memset(chunk + r->nr_tasks, 0,
	       (size_t)(nr - r->nr_tasks) * sizeof(*chunk));
	r->chunk = chunk;
	r->nr_tasks = nr;
	return 0;
}

static int copy_chunk(struct demand_reader *r, struct stmt *st, int task,
		      size_t *len, struct err *err)
{
	const void *bytes = sqlite3_column_blob(stmt_raw(st), 0);
	int n = sqlite3_column_bytes(stmt_raw(st), 0);

	if (!bytes || n > DEMAND_CHUNK)
		return store_damaged(r->s, err, "a demand chunk of task %d has "
				     "%d bytes", task, n);
	if (grow_reader(r, task, err))
		return err->code;
	if (!r->chunk[task])
		r->chunk[task] = malloc(DEMAND_CHUNK);
	if (!r->chunk[task])
		return err_nomem(err);
	memcpy(r->chunk[task], bytes, (size_t)n);
	*len = (size_t)n;
	return 0;
}

static int source_chunk(void *ctx, int task, int n, const uint8_t **bytes,
			size_t *len, struct err *err)
{
	struct demand_reader *r = ctx;
	struct stmt *st;
	int rc;

	if (!r)
		return err_nomem(err);
	if (task < 0 || n < 0)
		return 0;
	if (stmt_begin(r->s, r->s->temp_demand ? PLACE_TEMP : PLACE_MAIN,
		       &get_chunk, &st, err))
		return err->code;
	stmt_bind_int(st, 1, run_key(task, n));
	rc = stmt_step(st, err);
	if (rc > 0 && copy_chunk(r, st, task, len, err))
		rc = err->code;
	stmt_end(st);
	if (rc > 0) {
		*bytes = r->chunk[task];
	} else if (r->chunk && task < r->nr_tasks) {
		free(r->chunk[task]);	/* its program is over */
		r->chunk[task] = NULL;
	}
	return rc;
}

void store_demand_source(struct store *s, struct demand_source *src)
{
	struct demand_reader *r = calloc(1, sizeof(*r));

	if (r) {
		r->s = s;
		pthread_mutex_lock(&s->lock);
		r->next = s->readers;
		s->readers = r;
		pthread_mutex_unlock(&s->lock);
	}
	*src = (struct demand_source){ .ctx = r, .chunk = source_chunk };
}

static void free_reader(struct demand_reader *r)
{
	for (int i = 0; i < r->nr_tasks; i++)
		free(r->chunk[i]);
	free(r->chunk);
	free(r);
}

void store_demand_source_close(struct store *s, struct demand_source *src)
{
	struct demand_reader **link;

	if (!src->ctx)
		return;
	pthread_mutex_lock(&s->lock);
	for (link = &s->readers; *link; link = &(*link)->next) {
		if (*link == src->ctx) {
			*link = (*link)->next;
			break;
		}
	}
	pthread_mutex_unlock(&s->lock);
	free_reader(src->ctx);
	src->ctx = NULL;
}

static const struct stmt_def each_chunk = {
	.sql = "SELECT id, ops FROM @.demand ORDER BY id",
	.flags = STMT_SCAN,
};

static int give_chunk(struct store *s, struct stmt *st, int64_t *next,
		      int (*fn)(void *ctx, int task, const uint8_t *bytes,
				size_t len, struct err *err), void *ctx,
		      struct err *err)
{
	const void *bytes = sqlite3_column_blob(stmt_raw(st), 1);
	int len = sqlite3_column_bytes(stmt_raw(st), 1);
	int64_t id = stmt_int(st, 0);

	if (!bytes || len > DEMAND_CHUNK || id < 0 ||
	    (id != *next && id != run_key((int)(id >> 32), 0)))
		return store_damaged(s, err, "demand chunk %lld is not in place",
				     (long long)id);
	*next = id + 1;
	return fn(ctx, (int)(id >> 32), bytes, (size_t)len, err);
}

int store_each_chunk(struct store *s, int (*fn)(void *ctx, int task,
		     const uint8_t *bytes, size_t len, struct err *err),
		     void *ctx, struct err *err)
{
	enum place p = s->temp_demand ? PLACE_TEMP : PLACE_MAIN;
	int64_t next = 0;
	struct stmt *st;

	if (stmt_begin(s, p, &each_chunk, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0)
		if (give_chunk(s, st, &next, fn, ctx, err))
			break;
	stmt_end(st);
	return err->code;
}

void store_readers_free(struct store *s)
{
	struct demand_reader *next;

	for (struct demand_reader *r = s->readers; r; r = next) {
		next = r->next;
		free_reader(r);
	}
	s->readers = NULL;
}

/* -- what was derived from what ------------------------------------------- */

static const struct stmt_def get_derived = {
	.sql = "SELECT value FROM @.derived WHERE key = ?1",
};
static const struct stmt_def put_derived = {
	.sql = "INSERT OR REPLACE INTO @.derived VALUES (?1, ?2)",
};

static int look_up(struct store *s, enum place p, const char *key,
		   char **value, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, p, &get_derived, &st, err))
		return err->code;
	stmt_bind_text(st, 1, key);
	if (stmt_step(st, err) > 0)
		stmt_text(st, 0, value, err);
	stmt_end(st);
	return err->code;
}

int store_get_derived(struct store *s, const char *key, char **value,
		      struct err *err)
{
	*value = NULL;
	if (s->has_temp && look_up(s, PLACE_TEMP, key, value, err))
		return err->code;
	return *value ? 0 : look_up(s, PLACE_MAIN, key, value, err);
}

int store_put_derived(struct store *s, const char *key, const char *value,
		      struct err *err)
{
	struct stmt *st;
	enum place p;

	if (store_write_place(s, &p, err) ||
	    stmt_begin(s, p, &put_derived, &st, err))
		return err->code;
	stmt_bind_text(st, 1, key);
	stmt_bind_text(st, 2, value);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

int store_is_generated(struct store *s, bool *is, struct err *err)
{
	int64_t found = 0;

	if (store_int(s, "SELECT count(*) FROM main.capture WHERE source GLOB '"
		      STORE_GENERATED "*'", 0, &found, err))
		return err->code;
	*is = found > 0;
	return 0;
}

int store_drop_derived(struct store *s, struct err *err)
{
	bool is_generated = false;

	if (store_is_generated(s, &is_generated, err))
		return err->code;
	if (is_generated)
		return err_set(err, ERR_USAGE, "'%s': its demand was "
			       "generated, it cannot be made again", s->path);
	if (!s->writable)
		return err_set(err, ERR_USAGE, "'%s': is open for reading only",
			       s->path);
	if (store_begin(s, err) || store_exec(s, store_derived_sql, err))
		return err->code;
	return store_end(s, err);
}
