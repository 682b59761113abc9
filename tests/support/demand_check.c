/* SPDX-License-Identifier: MIT */
#include "tests/support/demand_check.h"

#include "model/err.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void span_list_add(struct span_list *l, const struct span *s)
{
	if (l->nr == l->size) {
		l->size = l->size ? 2 * l->size : 64;
		l->span = realloc(l->span, l->size * sizeof(*l->span));
		assert(l->span);
	}
	l->span[l->nr++] = *s;
}

void span_list_release(struct span_list *l)
{
	free(l->span);
	*l = (struct span_list){ 0 };
}

/* -- chunks in memory ------------------------------------------------------ */

struct demand_store_task {
	int nr;
	uint8_t **bytes;
	size_t *len;
};

void demand_store_init(struct demand_store *d, int nr_tasks)
{
	*d = (struct demand_store){ .nr_tasks = nr_tasks };
	d->task = calloc((size_t)nr_tasks + 1, sizeof(*d->task));
	assert(d->task);
}

void demand_store_release(struct demand_store *d)
{
	for (int i = 0; i < d->nr_tasks; i++) {
		for (int n = 0; n < d->task[i].nr; n++)
			free(d->task[i].bytes[n]);
		free(d->task[i].bytes);
		free(d->task[i].len);
	}
	free(d->task);
	*d = (struct demand_store){ 0 };
}

static int store_chunk(void *ctx, int task, int n, const uint8_t *bytes,
		       size_t len, struct err *err)
{
	struct demand_store *d = ctx;
	struct demand_store_task *t = &d->task[task];

	assert(task >= 0 && task < d->nr_tasks);
	assert(n == t->nr && len && len <= DEMAND_CHUNK);
	t->nr++;
	t->bytes = realloc(t->bytes, (size_t)t->nr * sizeof(*t->bytes));
	t->len = realloc(t->len, (size_t)t->nr * sizeof(*t->len));
	assert(t->bytes && t->len);
	t->bytes[n] = malloc(len);
	assert(t->bytes[n]);
	memcpy(t->bytes[n], bytes, len);
	t->len[n] = len;
	d->bytes += len;
	d->chunks++;
	return 0;
}

static int load_chunk(void *ctx, int task, int n, const uint8_t **bytes,
		      size_t *len, struct err *err)
{
	struct demand_store *d = ctx;

	assert(task >= 0 && task < d->nr_tasks);
	if (n >= d->task[task].nr)
		return 0;
	*bytes = d->task[task].bytes[n];
	*len = d->task[task].len[n];
	return 1;
}

void demand_store_sink(struct demand_store *d, struct demand_sink *sink)
{
	*sink = (struct demand_sink){ .ctx = d, .chunk = store_chunk };
}

void demand_store_source(struct demand_store *d, struct demand_source *src)
{
	*src = (struct demand_source){ .ctx = d, .chunk = load_chunk };
}

/* -- interpreter ----------------------------------------------------------- */

struct token {
	int waker;
	int64_t ts;
};

struct program {
	const struct demand_task *head;	/* NULL: has none */
	struct demand_source *src;
	int task, chunk;
	const uint8_t *bytes;
	size_t len, at;
	int64_t now, ready;
	bool begun, ended, open, listed;
	bool late;		/* memory outside of a span: only an end comes */
	struct span span;
	struct token *token;	/* not yet taken, by time of their making */
	int nr_tokens;
	size_t *mine;		/* indices of the expected spans */
	size_t nr_mine, next_mine;
};

struct check {
	struct program *prog;
	int nr;
	const struct span_list *spans;
	int *work, nr_work;
	char *why;
	size_t size;
};

static const char *const op_name[DEMAND_NR] = {
	[DEMAND_RUN] = "RUN", [DEMAND_WAKE] = "WAKE", [DEMAND_WAIT] = "WAIT",
	[DEMAND_SLEEP] = "SLEEP", [DEMAND_FORK] = "FORK",
	[DEMAND_EXEC] = "EXEC", [DEMAND_TOUCH] = "TOUCH",
	[DEMAND_FREE] = "FREE", [DEMAND_EXIT] = "EXIT", [DEMAND_END] = "END",
	[DEMAND_PLACE] = "PLACE", [DEMAND_MOVED] = "MOVED",
	[DEMAND_HELD] = "HELD", [DEMAND_OPEN] = "OPEN",
	[DEMAND_SEND] = "SEND", [DEMAND_RECV] = "RECV",
	[DEMAND_TOUCH_AT] = "TOUCH_AT", [DEMAND_FREE_AT] = "FREE_AT",
	[DEMAND_FOUND] = "FOUND",
};

/* The next operation without going past it; false at the end or at damage. */
static bool peek(struct program *p, struct demand_op *op, size_t *len)
{
	struct err err = { 0 };

	while (p->at == p->len) {
		if (p->src->chunk(p->src->ctx, p->task, p->chunk, &p->bytes,
				  &p->len, &err) != 1)
			return false;
		p->chunk++;
		p->at = 0;
	}
	*len = demand_decode(p->bytes + p->at, p->len - p->at, op);
	return *len > 0;
}

static int fail(struct check *c, const struct program *p, const char *what,
		int64_t want, int64_t have)
{
	snprintf(c->why, c->size,
		 "task %d, span %zu: %s: expected %lld, program gives %lld",
		 p->task, p->next_mine, what, (long long)want,
		 (long long)have);
	return -1;
}

static int end_span(struct check *c, struct program *p)
{
	const struct span *want;

	if (!p->open)
		return 0;
	p->open = false;
	p->span.end_ns = p->now;
	if (p->next_mine == p->nr_mine)
		return fail(c, p, "a span too many, start", -1,
			    p->span.start_ns);
	want = &c->spans->span[p->mine[p->next_mine]];
	if (want->cpu != p->span.cpu)
		return fail(c, p, "cpu", want->cpu, p->span.cpu);
	if (want->start_ns != p->span.start_ns)
		return fail(c, p, "start", want->start_ns, p->span.start_ns);
	if (want->end_ns != p->span.end_ns)
		return fail(c, p, "end", want->end_ns, p->span.end_ns);
	p->next_mine++;
	return 0;
}

static void list(struct check *c, struct program *p)
{
	if (p->listed)
		return;
	p->listed = true;
	c->work[c->nr_work++] = p->task;
}

static bool take_token(struct program *p, int waker, int64_t *ts)
{
	for (int i = 0; i < p->nr_tokens; i++) {
		if (p->token[i].waker != waker)
			continue;
		*ts = p->token[i].ts;
		memmove(&p->token[i], &p->token[i + 1],
			(size_t)(p->nr_tokens - i - 1) * sizeof(*p->token));
		p->nr_tokens--;
		return true;
	}
	return false;
}

static int other(struct check *c, struct program *p,
		 const struct demand_op *op)
{
	struct program *q;

	if (!p->open || op->task >= c->nr || !c->prog[op->task].head)
		return fail(c, p, op_name[op->code], op->task, -1);
	q = &c->prog[op->task];
	if (op->code == DEMAND_FORK) {
		if (q->begun || !q->head->forked)
			return fail(c, p, "forked twice", 0, op->task);
		q->begun = true;
		q->now = q->ready = p->now;
	} else {
		q->token = realloc(q->token, ((size_t)q->nr_tokens + 1) *
				   sizeof(*q->token));
		assert(q->token);
		q->token[q->nr_tokens++] =
			(struct token){ .waker = p->task, .ts = p->now };
	}
	list(c, q);
	return 0;
}

/* Returns 1 if the program goes on, 0 if it waits or has ended. */
static int step(struct check *c, struct program *p, const struct demand_op *op)
{
	int64_t ts;

	switch (op->code) {
	case DEMAND_PLACE:
		if (p->late)
			return fail(c, p, "PLACE after late memory", 0, 0);
		if (p->open) {
			if (end_span(c, p))
				return -1;
			p->ready = p->now;
		}
		p->now = p->ready + op->ns;
		p->open = true;
		p->span = (struct span){ .cpu = op->cpu, .start_ns = p->now };
		return 1;
	case DEMAND_RUN:
		if (!p->open)
			return fail(c, p, "RUN outside a span", 0, op->ns);
		p->now += op->ns;
		return 1;
	case DEMAND_SLEEP:
		if (end_span(c, p))
			return -1;
		p->now = p->ready = p->now + op->ns;
		return 1;
	case DEMAND_WAIT:
		if (end_span(c, p))
			return -1;
		if (!take_token(p, op->task, &ts))
			return 0;
		if (ts > p->now)
			p->now = ts;
		p->ready = p->now;
		return 1;
	case DEMAND_WAKE:
	case DEMAND_FORK:
		return other(c, p, op) ? -1 : 1;
	case DEMAND_EXIT:
	case DEMAND_END:
		if (end_span(c, p))
			return -1;
		p->ended = true;
		return 0;
	case DEMAND_HELD:
		return p->next_mine || p->open ?
			fail(c, p, "HELD after the start", 0, 0) : 1;
	case DEMAND_TOUCH:
	case DEMAND_TOUCH_AT:
	case DEMAND_FREE_AT:
	case DEMAND_MOVED:
	case DEMAND_FOUND:
		p->late |= !p->open;
		return 1;
	default:
		return p->open ? 1 : fail(c, p, op_name[op->code], 0, 0);
	}
}

static int run(struct check *c, struct program *p)
{
	struct demand_op op;
	size_t len;
	int more = 1;

	while (more == 1 && !p->ended) {
		if (!peek(p, &op, &len))
			return fail(c, p, "program is cut", 0, 0);
		more = step(c, p, &op);
		if (more == 1 || p->ended)
			p->at += len;
	}
	return more < 0 ? -1 : 0;
}

static int leftovers(struct check *c)
{
	struct demand_op op;
	size_t len;

	for (int i = 0; i < c->nr; i++) {
		struct program *p = &c->prog[i];

		if (!p->head) {
			if (p->nr_mine)
				return fail(c, p, "spans without a program",
					    (int64_t)p->nr_mine, 0);
			continue;
		}
		if (!p->begun)
			return fail(c, p, "never forked", 0, 0);
		if (!p->ended)
			return fail(c, p, "waits for ever",
				    (int64_t)p->nr_mine,
				    (int64_t)p->next_mine);
		if (p->nr_tokens)
			return fail(c, p, "tokens left", 0, p->nr_tokens);
		if (p->next_mine != p->nr_mine)
			return fail(c, p, "spans missing",
				    (int64_t)p->nr_mine,
				    (int64_t)p->next_mine);
		if (peek(p, &op, &len))
			return fail(c, p, "goes on after its end", 0, op.code);
	}
	return 0;
}

static void deal_spans(struct check *c)
{
	for (size_t i = 0; i < c->spans->nr; i++) {
		struct program *p = &c->prog[c->spans->span[i].task];

		p->mine = realloc(p->mine,
				  (p->nr_mine + 1) * sizeof(*p->mine));
		assert(p->mine);
		p->mine[p->nr_mine++] = i;
	}
}

int demand_check(const struct demand_task *tasks, int nr,
		 struct demand_source *src, const struct span_list *spans,
		 char *why, size_t size)
{
	struct check c = { .spans = spans, .why = why, .size = size };
	int ret = 0;

	for (int i = 0; i < nr; i++)
		if (tasks[i].task >= c.nr)
			c.nr = tasks[i].task + 1;
	for (size_t i = 0; i < spans->nr; i++)
		if (spans->span[i].task >= c.nr)
			c.nr = spans->span[i].task + 1;
	c.prog = calloc((size_t)c.nr + 1, sizeof(*c.prog));
	c.work = calloc((size_t)c.nr + 1, sizeof(*c.work));
	assert(c.prog && c.work);
	for (int i = 0; i < c.nr; i++) {
		c.prog[i].task = i;
		c.prog[i].src = src;
	}
	deal_spans(&c);
	for (int i = 0; i < nr; i++) {
		struct program *p = &c.prog[tasks[i].task];

		p->head = &tasks[i];
		p->begun = !tasks[i].forked;
		p->now = p->ready = tasks[i].appears_ns;
		if (p->begun)
			list(&c, p);
	}
	while (!ret && c.nr_work) {
		struct program *p = &c.prog[c.work[--c.nr_work]];

		p->listed = false;
		if (p->begun && !p->ended)
			ret = run(&c, p);
	}
	if (!ret)
		ret = leftovers(&c);
	for (int i = 0; i < c.nr; i++) {
		free(c.prog[i].token);
		free(c.prog[i].mine);
	}
	free(c.prog);
	free(c.work);
	return ret;
}

/* -- text ------------------------------------------------------------------ */

static int op_text(const struct demand_op *op, char *buf, size_t size)
{
	const char *name = op_name[op->code];

	switch (op->code) {
	case DEMAND_RUN:
		if (op->slow == DEMAND_SLOW_ONE && op->crowd <= DEMAND_SLOW_ONE)
			return snprintf(buf, size, "%s %lld", name,
					(long long)op->ns);
		return snprintf(buf, size, "%s %lld slow %d", name,
				(long long)op->ns, op->slow);
	case DEMAND_WAKE:
	case DEMAND_WAIT:
	case DEMAND_FORK:
		return snprintf(buf, size, "%s %d", name, op->task);
	case DEMAND_SLEEP:
		return snprintf(buf, size, "%s %lld", name, (long long)op->ns);
	case DEMAND_TOUCH:
	case DEMAND_FREE:
		return snprintf(buf, size, "%s %d %lld", name, op->area,
				(long long)op->pages);
	case DEMAND_PLACE:
		return snprintf(buf, size, "%s %d %lld", name, op->cpu,
				(long long)op->ns);
	case DEMAND_MOVED:
	case DEMAND_FOUND:
		return snprintf(buf, size, "%s %d %d>%d %lld", name, op->area,
				op->from, op->to, (long long)op->pages);
	case DEMAND_FREE_AT:
		return snprintf(buf, size, "%s %d %d %lld", name, op->area,
				op->from, (long long)op->pages);
	case DEMAND_HELD:
	case DEMAND_TOUCH_AT:
		return snprintf(buf, size, "%s %d %d %lld", name, op->area,
				op->to, (long long)op->pages);
	default:
		return snprintf(buf, size, "%s", name);
	}
}

char *demand_text(struct demand_source *src, int task)
{
	struct program p = { .src = src, .task = task };
	struct demand_op op;
	size_t len, n = 0;
	char *text = calloc(1, 1);

	assert(text);
	for (; peek(&p, &op, &len); p.at += len) {
		char buf[128];

		op_text(&op, buf, sizeof(buf));
		text = realloc(text, n + strlen(buf) + 3);
		assert(text);
		n += (size_t)sprintf(text + n, "%s%s", n ? "; " : "", buf);
	}
	return text;
}
