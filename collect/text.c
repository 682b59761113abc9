/* SPDX-License-Identifier: MIT */
#include "collect/text_local.h"

#include "collect/text_fields.h"
#include "model/cpumask.h"
#include "model/err.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NS (INT64_MAX / 2)

int text_open(struct text **t, const char *path, int64_t unit_ns,
	      struct err *err)
{
	struct text *new = calloc(1, sizeof(*new));
	int got = 1;

	*t = NULL;
	if (!new)
		return err_nomem(err);
	new->unit_ns = unit_ns;
	new->head.states = state_table_default;
	new->path = strdup(path);
	if (!new->path)
		err_nomem(err);
	else if (text_lines_open(&new->lines, path, err) == 0)
		text_order_new(&new->order, err);
	while (!err->code && got == 1) {
		got = text_lines_next(new->lines, &new->line, &new->len, err);
		new->has_line = got == 1;
		new->nr_lines += got == 1;
		if (got == 1)
			got = new->len && *new->line == '#' ?
			      text_note(new, new->line, new->len, err) : 0;
	}
	if (err->code) {
		text_close(new);
		return err->code;
	}
	*t = new;
	return 0;
}

void text_close(struct text *t)
{
	if (!t)
		return;
	text_lines_close(t->lines);
	text_order_free(t->order);
	sighted_release(&t->tasks);
	free(t->skip);
	free(t->cpu);
	free(t->path);
	free(t);
}

struct text_cpu *text_cpu(struct text *t, int cpu, struct err *err)
{
	struct text_cpu *new;
	int nr = cpu + 16;

	if (cpu < t->nr_cpus)
		return &t->cpu[cpu];
	new = realloc(t->cpu, (size_t)nr * sizeof(*new));
	if (!new) {
		err_nomem(err);
		return NULL;
	}
	t->cpu = new;
	for (int i = t->nr_cpus; i < nr; i++)
		new[i] = (struct text_cpu){ .key = INT64_MIN };
	t->nr_cpus = nr;
	return &t->cpu[cpu];
}

static void put_loss(struct text *t, struct text_cpu *c, int64_t to)
{
	struct record r = { .what = RECORD_LOSS };
	int64_t key = to == LOSS_TO_END ? INT64_MAX : to;

	r.loss = (struct loss){
		.cpu = (int)(c - t->cpu),
		.from_ns = c->seen ? c->last : LOSS_FROM_START,
		.to_ns = c->seen && to < c->last ? c->last : to,
		.events = c->missed,
	};
	if (c->has_edges) {
		r.loss.from_ns = c->from;
		r.loss.to_ns = c->to;
	}
	text_order_put(t->order, &r, key > c->key ? key : c->key);
	c->is_lost = c->has_edges = false;
}

/* Without a unit there is no time: say so instead of guessing one. */
static int take_unit(struct text *t, struct text_event *e, struct err *err)
{
	if (!e->is_integer)
		return 0;
	if (!t->unit_ns)
		return err_set(err, ERR_FORMAT,
			       "'%s': line %" PRId64 ": time %" PRId64 " has no point, so that its unit is not known; --unit ns (or us, ms) tells it, if the trace's clock counted time (counter and x86-tsc do not)",
			       t->path, text_lines_number(t->lines), e->ts);
	if (e->ts > MAX_NS / t->unit_ns)
		return err_set(err, ERR_FORMAT,
			       "'%s': line %" PRId64 ": time %" PRId64 " is out of range",
			       t->path, text_lines_number(t->lines), e->ts);
	e->ts *= t->unit_ns;
	return 0;
}

static int kind_of(const struct text_event *e)
{
	char name[32];

	if ((size_t)e->name_len >= sizeof(name))
		return -1;
	memcpy(name, e->name, (size_t)e->name_len);
	name[e->name_len] = '\0';
	return event_kind_of(name);
}

static bool is_name(const struct text_event *e, const char *name)
{
	return strlen(name) == (size_t)e->name_len &&
	       memcmp(e->name, name, (size_t)e->name_len) == 0;
}

/* "PERF_RECORD_LOST lost 5" of perf script --show-lost-events */
static int perf_lost(struct text *t, struct text_cpu *c,
		     const struct text_event *e)
{
	const char *end = e->rest + e->rest_len, *at;
	int64_t events = -1;

	at = memmem(e->rest, (size_t)e->rest_len, "lost ", 5);
	if (at)
		at += 5;
	if (!at || !text_int(&at, end, &events))
		events = -1;
	text_lose(c, events);
	return 0;
}

static void see_stamp(struct text *t, struct text_cpu *c, int64_t ts)
{
	if (c->is_lost)
		put_loss(t, c, ts);
	if (c->seen && ts < c->last)
		t->backward++;
	c->seen = true;
	c->last = ts;
	if (ts > c->key)
		c->key = ts;
}

static int take_event(struct text *t, struct text_event *e, const char *line,
		      size_t len, struct err *err)
{
	int kind = kind_of(e);
	struct text_cpu *c;
	struct record r;

	t->understood++;
	if (take_unit(t, e, err) < 0)
		return err->code;
	c = text_cpu(t, e->cpu, err);
	if (!c)
		return err->code;
	if (is_name(e, "PERF_RECORD_LOST"))
		return perf_lost(t, c, e);
	see_stamp(t, c, e->ts);
	if (kind < 0)
		return text_skip(t, e->name, (size_t)e->name_len, err);
	if (!text_fields(e, kind, &t->head.states, &r)) {
		text_miss(t, TEXT_MISS_FIELDS + kind, line, len);
		return 0;
	}
	if (kind == EVENT_FORK)
		sighted_born(&t->tasks, r.event.fork.child_tid);
	if (kind != EVENT_SWITCH || r.event.sw.prev_tid == e->tid || e->tgid >= 0)
		if (sighted_see(&t->tasks, e->ts, e->tid, e->tgid, e->comm,
				   e->comm_len, err) < 0)
			return err->code;
	text_order_put(t->order, &r, c->key);
	return 0;
}

/* A line of perf script's call chains: "\tffffffff8109 symbol+0x10 (file)" */
static bool is_call_chain(const char *line, size_t len)
{
	size_t i = 0, digits = 0;

	while (i < len && (line[i] == ' ' || line[i] == '\t'))
		i++;
	if (i < 4 && (i == 0 || line[0] != '\t'))
		return false;
	for (; i < len && memchr("0123456789abcdef", line[i], 16); i++)
		digits++;
	return digits >= 4 && digits <= 16 && i < len && line[i] == ' ';
}

static int take_line(struct text *t, const char *line, size_t len,
		     struct err *err)
{
	struct text_event e;
	int got;

	if (len && *line != '#' && text_event_parse(&e, line, len))
		return take_event(t, &e, line, len, err);
	got = text_note(t, line, len, err);
	if (got)
		return got < 0 ? got : 0;
	if (!is_call_chain(line, len))
		text_miss(t, len == TEXT_LINE_MAX ? TEXT_MISS_CUT :
			  TEXT_MISS_SHAPE, line, len);
	return 0;
}

static int read_line(struct text *t, struct err *err)
{
	int got = 1;

	if (!t->has_line) {
		got = text_lines_next(t->lines, &t->line, &t->len, err);
		t->nr_lines += got == 1;
	}
	t->has_line = false;
	if (got == 0)
		t->at_end = true;
	return got == 1 ? take_line(t, t->line, t->len, err) : got;
}

int text_next(struct text *t, struct record *r, struct err *err)
{
	while (!t->at_end && !text_order_full(t->order))
		if (read_line(t, err) < 0)
			return err->code;
	while (t->at_end && t->flushed < t->nr_cpus &&
	       !text_order_full(t->order)) {
		struct text_cpu *c = &t->cpu[t->flushed++];

		if (c->is_lost)
			put_loss(t, c, LOSS_TO_END);
	}
	if (text_order_empty(t->order))
		return 0;
	text_order_take(t->order, r);
	return 1;
}

double text_progress(const struct text *t)
{
	return text_lines_progress(t->lines);
}

const struct text_head *text_head(const struct text *t)
{
	return &t->head;
}

const struct sighted *text_tasks(const struct text *t)
{
	return &t->tasks;
}

int64_t text_nr_lines(const struct text *t)
{
	return t->nr_lines;
}

int64_t text_nr_understood(const struct text *t)
{
	return t->understood;
}

int64_t text_backward(const struct text *t)
{
	return t->backward;
}

int64_t text_late(const struct text *t)
{
	return text_order_late(t->order);
}
