/* SPDX-License-Identifier: MIT */
#include "schema/batch_local.h"
#include "schema/event_code_local.h"
#include "schema/fault_site_local.h"
#include "schema/store_local.h"

#include <stdlib.h>
#include <string.h>

/* Rows read under one hold of the lock. */
#define READ_ROWS 512

static const struct batch_def event_batch =
	BATCH_DEF("event", 5, "(?,?,?,?,?)");
static const struct batch_def more_batch =
	BATCH_DEF("event_more", 14, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");

struct event_writer {
	struct batch rows, more;
	struct fault_sites *sites;
	int64_t last;			/* place of the last row */
	int64_t count[EVENT_NR_KINDS];	/* since the last flush */
	int64_t total;
};

/* -- writing -------------------------------------------------------------- */

static const char set_origin_sql[] =
	"INSERT INTO capture(id, origin_ns) VALUES (1, ?1)"
	" ON CONFLICT (id) DO UPDATE SET origin_ns = excluded.origin_ns";
static const struct stmt_def set_origin = { .sql = set_origin_sql };

/* Times count from the first event, unless something else counts already. */
static int fix_origin(struct store *s, int64_t ts, struct err *err)
{
	struct stmt *st;
	int64_t used;

	if (store_int(s, "SELECT EXISTS (SELECT 1 FROM event) OR"
		      " EXISTS (SELECT 1 FROM span) OR EXISTS (SELECT 1 FROM"
		      " mem) OR EXISTS (SELECT 1 FROM move)", 0, &used, err))
		return err->code;
	if (used)
		return store_origin(s, &s->origin_ns, err);
	if (stmt_begin(s, PLACE_MAIN, &set_origin, &st, err))
		return err->code;
	stmt_bind_int(st, 1, ts);
	stmt_run(st, err);
	stmt_end(st);
	s->origin_ns = ts;
	s->origin_known = true;
	return err->code;
}

static int writer_start(struct store *s, int64_t ts, struct err *err)
{
	struct event_writer *w;

	if (fix_origin(s, ts, err))
		return err->code;
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_nomem(err);
	batch_init(&w->rows, &event_batch, PLACE_MAIN);
	batch_init(&w->more, &more_batch, PLACE_MAIN);
	w->total = store_nr_events(s);
	if (store_int(s, "SELECT max(at) FROM event", INT64_MIN, &w->last,
		      err) ||
	    fault_sites_new(s, false, &w->sites, err)) {
		free(w);
		return err->code;
	}
	s->events = w;
	return 0;
}

int store_put_event(struct store *s, const struct event *ev, struct err *err)
{
	struct event_writer *w = s->events;
	struct event_row row;
	struct event_more more;
	int64_t *v;

	if (!w) {
		if (writer_start(s, ev->ts, err))
			return err->code;
		w = s->events;
	}
	if (!event_encode(ev, s->origin_ns, w->last, &row, &more))
		return err_set(err, ERR_FORMAT, "'%s': time stamp %lld is "
			       "beyond all measure", s->path,
			       (long long)ev->ts);
	if (ev->kind == EVENT_PAGE_FAULT_USER && !event_has_more(&row) &&
	    fault_site_shorten(w->sites, &row.b, err))
		return err->code;
	v = batch_row(s, &w->rows, err);
	if (!v)
		return err->code;
	memcpy(v, &row, sizeof(row));
	if (event_has_more(&row)) {
		v = batch_row(s, &w->more, err);
		if (!v)
			return err->code;
		memcpy(v, &more, sizeof(more));
	}
	w->last = row.at;
	w->count[ev->kind]++;
	w->total++;
	return 0;
}

static const struct stmt_def add_count = {
	.sql = "INSERT INTO event_kind VALUES (?1, ?2, ?3, ?4)"
	       " ON CONFLICT (kind) DO UPDATE SET"
	       " events = events + excluded.events",
};

int store_flush_events(struct store *s, struct err *err)
{
	struct event_writer *w = s->events;
	struct stmt *st;

	if (!w)
		return 0;
	if (batch_flush(s, &w->rows, err) || batch_flush(s, &w->more, err) ||
	    stmt_begin(s, PLACE_MAIN, &add_count, &st, err))
		return err->code;
	for (int k = 0; k < EVENT_NR_KINDS && !err->code; k++) {
		if (!w->count[k])
			continue;
		stmt_bind_int(st, 1, k);
		stmt_bind_text(st, 2, event_kind_system(k));
		stmt_bind_text(st, 3, event_kind_name(k));
		stmt_bind_int(st, 4, w->count[k]);
		if (!stmt_run(st, err))
			w->count[k] = 0;
	}
	stmt_end(st);
	return err->code;
}

void store_events_writer_free(struct store *s)
{
	if (s->events)
		fault_sites_free(s->events->sites);
	free(s->events);
	s->events = NULL;
}

int64_t store_nr_events(struct store *s)
{
	struct err ignored = { 0 };
	int64_t n;

	if (s->events)
		return s->events->total;
	if (store_int(s, "SELECT sum(events) FROM event_kind", 0, &n,
		      &ignored))
		return 0;
	return n;
}

static const struct stmt_def each_kind = {
	.sql = "SELECT name, events FROM event_kind ORDER BY kind",
	.flags = STMT_SCAN,
};

int store_each_event_kind(struct store *s, int (*fn)(void *ctx,
			  const char *name, int64_t events), void *ctx,
			  struct err *err)
{
	if (store_flush_events(s, err))
		return err->code;
	return store_each_count(s, &each_kind, fn, ctx, err);
}

/* -- reading -------------------------------------------------------------- */

static const struct stmt_def read_events = {
	.sql = "SELECT at, what, tid, a, b FROM event"
	       " WHERE at >= ?1 AND at < ?2 ORDER BY at",
};
static const struct stmt_def read_more = {
	.sql = "SELECT ts, cpu, flags, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9"
	       " FROM event_more WHERE at = ?1",
};

struct store_events {
	struct store *s;
	struct fault_sites *sites;
	int64_t next, end;	/* places that are still to be read */
	int64_t origin;
	int nr, pos;
	bool last;		/* no rows after those in row[] */
	struct event_row row[READ_ROWS];
};

/* Difference of times as a place, held within int64. */
static int64_t place_of(int64_t ns, int64_t origin)
{
	int64_t at;

	if (__builtin_sub_overflow(ns, origin, &at))
		return ns < origin ? INT64_MIN : INT64_MAX;
	return at;
}

int store_events_open(struct store *s, int64_t from_ns, int64_t to_ns,
		      struct store_events **out, struct err *err)
{
	struct store_events *it;

	*out = NULL;
	if (store_flush_events(s, err))
		return err->code;
	it = malloc(sizeof(*it));
	if (!it)
		return err_nomem(err);
	it->s = s;
	it->nr = it->pos = 0;
	it->last = false;
	it->sites = NULL;
	if (store_origin(s, &it->origin, err) ||
	    fault_sites_new(s, true, &it->sites, err)) {
		free(it);
		return err->code;
	}
	it->next = from_ns == INT64_MIN ? from_ns :
		   place_of(from_ns, it->origin);
	it->end = to_ns == INT64_MAX ? to_ns : place_of(to_ns, it->origin);
	*out = it;
	return 0;
}

static int fill(struct store_events *it, struct err *err)
{
	sqlite3_stmt *raw;
	struct stmt *st;
	int64_t at, next = it->next;
	int n = 0, rc = 1;

	if (stmt_begin(it->s, PLACE_MAIN, &read_events, &st, err))
		return err->code;
	stmt_bind_int(st, 1, next);
	stmt_bind_int(st, 2, it->end);
	raw = stmt_raw(st);
	while (n < READ_ROWS && (rc = stmt_step(st, err)) > 0) {
		at = sqlite3_column_int64(raw, 0);
		if (at < next || at == INT64_MAX) {
			rc = store_damaged(it->s, err, "event %lld is out of "
					   "order", (long long)at);
			break;
		}
		next = at + 1;
		it->row[n++] = (struct event_row){
			.at = at,
			.what = sqlite3_column_int64(raw, 1),
			.tid = sqlite3_column_int64(raw, 2),
			.a = sqlite3_column_int64(raw, 3),
			.b = sqlite3_column_int64(raw, 4),
		};
	}
	stmt_end(st);
	if (rc < 0)
		return rc;
	it->last = rc == 0;
	it->nr = n;
	it->pos = 0;
	it->next = next;
	return 0;
}

static int read_wide(struct store_events *it, int64_t at,
		     struct event_more *more, struct err *err)
{
	struct stmt *st;
	int rc;

	if (stmt_begin(it->s, PLACE_MAIN, &read_more, &st, err))
		return err->code;
	stmt_bind_int(st, 1, at);
	rc = stmt_step(st, err);
	more->at = at;
	more->ts = stmt_int(st, 0);
	more->cpu = stmt_int(st, 1);
	more->flags = stmt_int(st, 2);
	for (int i = 0; i < EVENT_MORE_VALUES; i++)
		more->v[i] = stmt_int(st, 3 + i);
	stmt_end(st);
	if (!rc)
		return store_damaged(it->s, err, "event %lld has no row in "
				     "event_more", (long long)at);
	return rc < 0 ? rc : 0;
}

int store_events_next(struct store_events *it, struct event *ev,
		      struct err *err)
{
	struct event_row *row;
	struct event_more more;
	bool wide;

	if (it->pos == it->nr) {
		if (it->last)
			return 0;
		if (fill(it, err))
			return err->code;
		if (!it->nr)
			return 0;
	}
	row = &it->row[it->pos++];
	wide = event_has_more(row);
	if (wide && read_wide(it, row->at, &more, err))
		return err->code;
	if (event_kind_of_row(row) == EVENT_PAGE_FAULT_USER && !wide &&
	    !fault_site_expand(it->sites, &row->b))
		return store_damaged(it->s, err, "event %lld is of no known "
				     "fault site", (long long)row->at);
	if (!event_decode(row, wide ? &more : NULL, it->origin, ev))
		return store_damaged(it->s, err, "event %lld is of no known "
				     "kind", (long long)row->at);
	return 1;
}

void store_events_close(struct store_events *it)
{
	if (it)
		fault_sites_free(it->sites);
	free(it);
}
