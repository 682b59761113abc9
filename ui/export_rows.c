/* SPDX-License-Identifier: MIT */
/* CSV and JSON lines. */
#include "ui/export.h"

#include "model/cost.h"
#include "model/err.h"
#include "model/residency.h"
#include "ui/json.h"
#include "ui/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one table; CSV has the names of the columns first. */
struct rows {
	struct export_run *x;
	struct json *json;	/* NULL: CSV */
	const char *table;
	bool has_head, is_head, has_cell;
};

static void row_start(struct rows *r)
{
	r->has_cell = false;
	if (!r->json)
		return;
	json_open(r->json, r->x->out);
	json_object(r->json);
	json_key(r->json, "table");
	json_text(r->json, r->table);
}

static void row_end(struct rows *r)
{
	if (r->json) {
		json_end(r->json, '}');
		json_done(r->json);
	} else {
		fputc('\n', r->x->out);
	}
}

/* True if the value is to be written; in a head the name was. */
static bool cell(struct rows *r, const char *name)
{
	if (r->json) {
		json_key(r->json, name);
		return true;
	}
	if (r->has_cell)
		fputc(',', r->x->out);
	r->has_cell = true;
	if (r->is_head)
		fputs(name, r->x->out);
	return !r->is_head;
}

static void put_int(struct rows *r, const char *name, int64_t v, bool known)
{
	if (!cell(r, name))
		return;
	if (r->json && known)
		json_int(r->json, v);
	else if (r->json)
		json_null(r->json);
	else if (known)
		fprintf(r->x->out, "%" PRId64, v);
}

static void put_share(struct rows *r, const char *name, double v, bool known)
{
	if (!cell(r, name))
		return;
	if (r->json && known)
		json_double(r->json, v);
	else if (r->json)
		json_null(r->json);
	else if (known)
		fprintf(r->x->out, "%.6f", v);
}

static void put_text(struct rows *r, const char *name, const char *text)
{
	if (!cell(r, name))
		return;
	if (r->json) {
		json_text(r->json, text);
		return;
	}
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, r->x->out);
		return;
	}
	fputc('"', r->x->out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', r->x->out);
		fputc(*text, r->x->out);
	}
	fputc('"', r->x->out);
}

static void put_task(struct rows *r, int task)
{
	const struct task *t = &r->x->tasks.task[task];

	put_int(r, "task", task, true);
	put_int(r, "tid", t->tid, true);
	put_int(r, "pid", t->pid, t->pid >= 0);
	put_text(r, "comm", t->comm);
}

static void span_cells(struct rows *r, const struct span *s)
{
	const struct tasks *tasks = &r->x->tasks;
	bool has_waker = s->waker >= 0 && s->waker < tasks->nr;

	put_int(r, "run", r->x->run->id, true);
	put_task(r, s->task);
	put_int(r, "cpu", s->cpu, true);
	put_int(r, "node", topo_node_of(&r->x->topo, s->cpu), true);
	put_int(r, "start_ns", s->start_ns, true);
	put_int(r, "end_ns", s->end_ns, true);
	put_int(r, "wait_ns", s->start_ns - s->ready_ns, s->ready_ns >= 0);
	put_int(r, "waker_tid", has_waker ? tasks->task[s->waker].tid : 0,
		has_waker);
	put_text(r, "state", export_state(s->state));
	put_int(r, "flags", s->flags, true);
}

static void move_cells(struct rows *r, const struct move *m)
{
	const struct topo *t = &r->x->topo;

	put_int(r, "run", r->x->run->id, true);
	put_int(r, "ts", m->ts, true);
	put_task(r, m->task);
	put_int(r, "from_cpu", m->from, m->from >= 0);
	put_int(r, "from_node", topo_node_of(t, m->from),
		topo_node_of(t, m->from) >= 0);
	put_int(r, "to_cpu", m->to, m->to >= 0);
	put_int(r, "to_node", topo_node_of(t, m->to), topo_node_of(t, m->to) >= 0);
	put_text(r, "why", export_why(m->why));
	put_int(r, "refused", m->refused, true);
}

static void residency_cells(struct rows *r, const struct residency_task *t)
{
	const struct topo *topo = &r->x->topo;
	char name[32];

	put_int(r, "run", r->x->run->id, true);
	put_task(r, t->task);
	put_int(r, "cpu_ns", t->cpu_ns, true);
	put_int(r, "wait_ns", t->wait_ns, true);
	put_share(r, "locality", t->known_ns > 0 ? t->local_ns / t->known_ns : 0,
		  t->known_ns > 0);
	put_int(r, "migrations", t->migrations, true);
	put_int(r, "node_migrations", t->node_migrations, true);
	put_int(r, "censored", t->censored, true);
	for (int n = 0; n < topo->nr_node_ids; n++) {
		if (!topo->node[n].present)
			continue;
		snprintf(name, sizeof(name), "node%d_ns", n);
		put_int(r, name, t->node_ns[n], true);
		snprintf(name, sizeof(name), "node%d_pages", n);
		put_int(r, name, t->mem_pages[n], true);
	}
}

/* The names of the columns come with the first row. */
#define ROW(r, call) do { \
		if (!(r)->json && !(r)->has_head) { \
			(r)->has_head = (r)->is_head = true; \
			row_start(r); \
			call; \
			row_end(r); \
			(r)->is_head = false; \
		} \
		row_start(r); \
		call; \
		row_end(r); \
	} while (0)

static bool is_task(const struct rows *r, int task)
{
	return task >= 0 && task < r->x->tasks.nr;
}

static int write_spans(struct rows *r, struct err *err)
{
	struct store_spans *it;
	struct span s;
	int got;

	if (store_spans_open(r->x->store, r->x->run->id, INT64_MIN, INT64_MAX,
			     &it, err) < 0)
		return err->code;
	while ((got = store_spans_next(it, &s, err)) > 0)
		if (is_task(r, s.task))
			ROW(r, span_cells(r, &s));
	store_spans_close(it);
	return got;
}

static int on_move(void *ctx, const struct move *m, struct err *err)
{
	struct rows *r = ctx;

	(void)err;
	if (is_task(r, m->task))
		ROW(r, move_cells(r, m));
	return 0;
}

static int write_residency(struct rows *r, struct err *err)
{
	const struct run_info *run = r->x->run;
	const struct report_query q = {
		.from_ns = run->start_ns, .to_ns = run->end_ns,
	};
	struct report report = { 0 };
	int code = report_read(&report, r->x->store, run, &q, NULL, err);

	for (int i = 0; code == 0 && i < report.nr_tasks; i++) {
		const struct residency_task *t =
			residency_task(report.residency, report.task[i]);

		if (t)
			ROW(r, residency_cells(r, t));
	}
	report_release(&report);
	return code;
}

static int write_table(struct export_run *x, const char *table,
		       struct json *json, struct err *err)
{
	struct rows r = { .x = x, .json = json, .table = table };

	if (strcmp(table, "spans") == 0)
		return write_spans(&r, err);
	if (strcmp(table, "moves") == 0)
		return store_each_move(x->store, x->run->id, on_move, &r, err);
	if (strcmp(table, "residency") == 0)
		return write_residency(&r, err);
	return err_set(err, ERR_USAGE,
		       "--table '%.40s': spans, moves or residency", table);
}

int export_csv(struct export_run *x, struct err *err)
{
	return write_table(x, x->table ? x->table : "spans", NULL, err);
}

int export_json(struct export_run *x, struct err *err)
{
	static const char *const all[] = { "spans", "moves", "residency" };
	struct json json;
	int code = 0;

	if (x->table)
		return write_table(x, x->table, &json, err);
	for (int i = 0; i < 3 && code == 0; i++)
		code = write_table(x, all[i], &json, err);
	return code;
}
