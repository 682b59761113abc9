/* SPDX-License-Identifier: MIT */
#include "tests/support/demand_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"

#define MAX_WORDS 16

static int fail(struct demand_text *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->error, sizeof(d->error), fmt, ap);
	va_end(ap);
	return -1;
}

int64_t demand_text_time(const char *text)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	char *end;
	double v = strtod(text, &end);

	if (end == text)
		return -1;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].unit))
			return (int64_t)(v * (double)units[i].ns + 0.5);
	return *end || v ? -1 : 0;
}

int demand_text_task(const struct demand_text *d, const char *name)
{
	for (int i = 0; i < d->tasks.nr; i++)
		if (!strcmp(d->tasks.task[i].comm, name))
			return i;
	return -1;
}

static int find_area(const struct demand_text *d, const char *name)
{
	for (int i = 0; i < d->areas.nr; i++)
		if (!strcmp(d->areas.area[i].name, name))
			return i;
	return -1;
}

/* Cuts a text into words in place. */
static int cut(char *text, char **word)
{
	int n = 0;

	for (char *w = strtok(text, " \t\n"); w && n < MAX_WORDS;
	     w = strtok(NULL, " \t\n"))
		word[n++] = w;
	return n;
}

/* -- operations --------------------------------------------------------------- */

enum arg { NONE, TASK, NS, AREA, PAGES, FROM, TO, CPU, CHANNEL };

static const struct {
	const char *name;
	enum demand_code code;
	enum arg arg[4];
} ops[] = {
	{ "run", DEMAND_RUN, { NS } },
	{ "wake", DEMAND_WAKE, { TASK } },
	{ "wait", DEMAND_WAIT, { TASK } },
	{ "sleep", DEMAND_SLEEP, { NS } },
	{ "fork", DEMAND_FORK, { TASK } },
	{ "exec", DEMAND_EXEC, { NONE } },
	{ "touch", DEMAND_TOUCH, { AREA, PAGES } },
	{ "free", DEMAND_FREE, { AREA, PAGES } },
	{ "held", DEMAND_HELD, { AREA, TO, PAGES } },
	{ "exit", DEMAND_EXIT, { NONE } },
	{ "end", DEMAND_END, { NONE } },
	{ "place", DEMAND_PLACE, { CPU, NS } },
	{ "moved", DEMAND_MOVED, { AREA, FROM, TO, PAGES } },
	{ "open", DEMAND_OPEN, { CHANNEL, PAGES, FROM, TO } },
	{ "send", DEMAND_SEND, { CHANNEL } },
	{ "recv", DEMAND_RECV, { CHANNEL } },
	{ "touch_at", DEMAND_TOUCH_AT, { AREA, TO, PAGES } },
	{ "free_at", DEMAND_FREE_AT, { AREA, FROM, PAGES } },
	{ "found", DEMAND_FOUND, { AREA, FROM, TO, PAGES } },
};

static int set_arg(struct demand_text *d, struct demand_op *op, enum arg arg,
		   const char *word)
{
	int n = atoi(word);

	switch (arg) {
	case TASK:
		op->task = demand_text_task(d, word);
		return op->task < 0 ? fail(d, "no task '%s'", word) : 0;
	case NS:
		op->ns = demand_text_time(word);
		return op->ns < 0 ? fail(d, "no time '%s'", word) : 0;
	case AREA:
		op->area = find_area(d, word);
		return op->area < 0 ? fail(d, "no area '%s'", word) : 0;
	case PAGES:
		op->pages = atoll(word);
		return 0;
	case CHANNEL:
		op->area = n;
		return 0;
	case FROM:
		op->from = n;
		return 0;
	case TO:
		op->to = n;
		return 0;
	default:
		op->cpu = n;
		return 0;
	}
}

static void append(struct demand_text_program *p, const struct demand_op *op,
		   size_t chunk)
{
	uint8_t buf[DEMAND_OP_MAX];
	size_t len = demand_encode(buf, op);

	if (!p->nr_chunks || p->len + len - p->chunk[p->nr_chunks - 1] > chunk) {
		p->chunk = realloc(p->chunk, (size_t)(p->nr_chunks + 1) *
				   sizeof(*p->chunk));
		p->chunk[p->nr_chunks++] = p->len;
	}
	p->bytes = realloc(p->bytes, p->len + len);
	memcpy(p->bytes + p->len, buf, len);
	p->len += len;
}

static int add_op(struct demand_text *d, int task, char *text, size_t chunk)
{
	char *word[MAX_WORDS];
	int n = cut(text, word), at = 1;
	struct demand_op op = { .slow = DEMAND_SLOW_ONE };
	size_t i;

	if (!n)
		return 0;
	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(ops[i].name, word[0]))
			break;
	if (i == sizeof(ops) / sizeof(*ops))
		return fail(d, "no operation '%s'", word[0]);
	op.code = (uint8_t)ops[i].code;
	for (int a = 0; a < 4 && ops[i].arg[a]; a++, at++) {
		if (at >= n)
			return fail(d, "'%s' lacks an argument", word[0]);
		if (set_arg(d, &op, ops[i].arg[a], word[at]))
			return -1;
	}
	for (; op.code == DEMAND_RUN && at + 1 < n; at += 2) {
		if (!strcmp(word[at], "slow"))
			op.slow = atoi(word[at + 1]);
		else if (!strcmp(word[at], "crowd"))
			op.crowd = atoi(word[at + 1]);
	}
	append(&d->program[task], &op, chunk);
	return 0;
}

static int add_ops(struct demand_text *d, int task, const char *text,
		   size_t chunk)
{
	while (*text) {
		size_t len = strcspn(text, ";(");
		char op[200];

		if (text[len] == '(') {
			size_t end = len + strcspn(text + len, ")");
			char *body = strndup(text + len + 1, end - len - 1);
			int times = atoi(text), r = 0;

			for (int i = 0; !r && i < times; i++)
				r = add_ops(d, task, body, chunk);
			free(body);
			if (r || !text[end])
				return r ? r : fail(d, "no ')'");
			text += end + 1;
			continue;
		}
		snprintf(op, sizeof(op), "%.*s", (int)len, text);
		if (add_op(d, task, op, chunk))
			return -1;
		text += len + (text[len] == ';');
	}
	return 0;
}

/* -- lines -------------------------------------------------------------------- */

static int leader(struct demand_text *d, const char *name)
{
	int t = demand_text_task(d, name);

	return t >= 0 ? d->tasks.task[t].tid : fail(d, "no task '%s'", name);
}

static int set_option(struct demand_text *d, int task, char *word)
{
	struct demand_task *dt = &d->demand[task];
	struct task *t = &d->tasks.task[task];
	char *v = strchr(word, '=');
	struct err err = { 0 };

	if (!strcmp(word, "kthread")) {
		t->flags |= TASK_F_KTHREAD;
	} else if (!strcmp(word, "command")) {
		t->flags |= TASK_F_COMMAND;
	} else if (!strcmp(word, "forked")) {
		dt->forked = 1;
		t->flags &= ~(uint32_t)TASK_F_BORN_BEFORE;
	} else if (!strcmp(word, "stopper")) {
		dt->stopper = 1;
	} else if (!v) {
		return fail(d, "what is '%s'?", word);
	} else if (!strncmp(word, "cpu=", 4)) {
		dt->first_cpu = atoi(v + 1);
	} else if (!strncmp(word, "nice=", 5)) {
		t->nice = atoi(v + 1);
	} else if (!strncmp(word, "cpus=", 5)) {
		return cpumask_parse(&t->affinity, v + 1, &err);
	} else if (!strncmp(word, "at=", 3)) {
		dt->appears_ns = demand_text_time(v + 1);
	} else if (!strncmp(word, "proc=", 5)) {
		t->pid = leader(d, v + 1);
	} else {
		return fail(d, "what is '%s'?", word);
	}
	return 0;
}

static int add_task(struct demand_text *d, char *line)
{
	char *word[MAX_WORDS] = { NULL }, *colon = strchr(line, ':');
	struct task *t;

	if (!colon)
		return fail(d, "no ':' in '%s'", line);
	*colon = '\0';
	if (cut(line, word) < 2)
		return fail(d, "a task without a name");
	t = tasks_add(&d->tasks, 100 + d->tasks.nr, 0);
	free(t->comm);
	t->comm = strdup(word[1]);
	t->pid = t->tid;
	t->flags = TASK_F_BORN_BEFORE;
	d->demand = realloc(d->demand, (size_t)d->tasks.nr * sizeof(*d->demand));
	d->demand[t->id] = (struct demand_task){ .task = t->id, .first_cpu = -1 };
	d->nr = d->tasks.nr;
	return 0;
}

static int add_area(struct demand_text *d, char *line)
{
	char *word[MAX_WORDS] = { NULL };
	int n = cut(line, word), task;
	struct area *a;

	if (n != 3 || strncmp(word[2], "proc=", 5))
		return fail(d, "area NAME proc=TASK, not '%s'", line);
	task = demand_text_task(d, word[2] + 5);
	a = areas_add(&d->areas, task);
	free(a->name);
	a->name = strdup(word[1]);
	a->kind = AREA_ANON;
	return task < 0 ? fail(d, "no task '%s'", word[2] + 5) : 0;
}

static int add_access(struct demand_text *d, char *line)
{
	char *word[MAX_WORDS] = { NULL };
	int n = cut(line, word);
	struct mem_access x;

	if (n != 4)
		return fail(d, "access TASK AREA n, not '%s'", line);
	x.task = demand_text_task(d, word[1]);
	x.area = find_area(d, word[2]);
	x.faults = atoll(word[3]);
	d->access = realloc(d->access,
			    (size_t)(d->nr_access + 1) * sizeof(*d->access));
	d->access[d->nr_access++] = x;
	return x.task < 0 || x.area < 0 ? fail(d, "no task or area in access") : 0;
}

static int fill_task(struct demand_text *d, char *line, size_t chunk)
{
	char *word[MAX_WORDS] = { NULL }, *colon = strchr(line, ':');
	int n, task;

	*colon = '\0';
	n = cut(line, word);
	task = demand_text_task(d, word[1]);
	for (int i = 2; i < n; i++)
		if (set_option(d, task, word[i]))
			return -1;
	return add_ops(d, task, colon + 1, chunk);
}

/* One statement with its continuation lines, comments taken out. */
static char *next_line(const char **text)
{
	char *line = NULL;
	size_t len = 0;

	while (**text) {
		size_t n = strcspn(*text, "\n"), use = strcspn(*text, "#");

		if (use > n)
			use = n;
		line = realloc(line, len + use + 2);
		memcpy(line + len, *text, use);
		len += use;
		line[len++] = ' ';
		line[len] = '\0';
		*text += n + ((*text)[n] == '\n');
		if (**text != ' ' && **text != '\t')
			break;
	}
	return line;
}

static int each_line(struct demand_text *d, const char *text, const char *kind,
		     int pass, size_t chunk)
{
	char *line;
	int r = 0;

	while (!r && (line = next_line(&text))) {
		char *p = line + strspn(line, " \t");
		bool mine = !strncmp(p, kind, strlen(kind));

		if (*p && strncmp(p, "task ", 5) && strncmp(p, "area ", 5) &&
		    strncmp(p, "access ", 7))
			r = fail(d, "what is '%s'?", p);
		else if (mine && pass == 0)
			r = add_task(d, p);
		else if (mine && pass == 1)
			r = add_area(d, p);
		else if (mine && pass == 2)
			r = fill_task(d, p, chunk);
		else if (mine)
			r = add_access(d, p);
		free(line);
	}
	return r;
}

int demand_text_parse(struct demand_text *d, const char *text, size_t chunk)
{
	struct err err = { 0 };

	memset(d, 0, sizeof(*d));
	if (!chunk)
		chunk = DEMAND_CHUNK;
	if (each_line(d, text, "task ", 0, chunk) ||
	    each_line(d, text, "area ", 1, chunk))
		return -1;
	d->program = calloc((size_t)d->nr + 1, sizeof(*d->program));
	if (each_line(d, text, "task ", 2, chunk) ||
	    each_line(d, text, "access ", 3, chunk))
		return -1;
	return tasks_index(&d->tasks, &err);
}

void demand_text_release(struct demand_text *d)
{
	for (int i = 0; d->program && i < d->nr; i++) {
		free(d->program[i].bytes);
		free(d->program[i].chunk);
	}
	free(d->program);
	free(d->demand);
	free(d->access);
	tasks_release(&d->tasks);
	areas_release(&d->areas);
}

static int chunk_of(void *ctx, int task, int n, const uint8_t **bytes,
		    size_t *len, struct err *err)
{
	struct demand_text *d = ctx;
	const struct demand_text_program *p = &d->program[task];

	if (n >= p->nr_chunks)
		return 0;
	*bytes = p->bytes + p->chunk[n];
	*len = (n + 1 < p->nr_chunks ? p->chunk[n + 1] : p->len) - p->chunk[n];
	return 1;
}

void demand_text_source(struct demand_text *d, struct demand_source *src)
{
	*src = (struct demand_source){ .ctx = d, .chunk = chunk_of };
}
