/* SPDX-License-Identifier: MIT */
#include "replay/fidelity.h"

#include <stdlib.h>

#include "model/err.h"

#define PAGES_PART 10
#define TIME_PART 20

struct fidelity_choice {
	const struct tasks *tasks;
	const struct areas *areas;
	int *leader;		/* [task] */
	int64_t *cpu_ns;	/* [task] */
	int64_t *pages, *most;	/* [task id of a leader] now, and at most */
	int64_t *on;		/* [area][node], grown */
	int nodes;
};

int fidelity_choice_new(struct fidelity_choice **c, const struct tasks *tasks,
			const struct areas *areas, struct err *err)
{
	size_t nr = (size_t)tasks->nr + 1;
	struct fidelity_choice *n = calloc(1, sizeof(*n));

	*c = n;
	if (!n)
		return err_nomem(err);
	n->tasks = tasks;
	n->areas = areas;
	n->leader = tasks_leaders(tasks);
	n->cpu_ns = calloc(nr, sizeof(*n->cpu_ns));
	n->pages = calloc(nr, sizeof(*n->pages));
	n->most = calloc(nr, sizeof(*n->most));
	if (!n->leader || !n->cpu_ns || !n->pages || !n->most)
		return err_nomem(err);
	return 0;
}

void fidelity_choice_free(struct fidelity_choice *c)
{
	if (!c)
		return;
	free(c->leader);
	free(c->cpu_ns);
	free(c->pages);
	free(c->most);
	free(c->on);
	free(c);
}

static int on_span(void *ctx, const struct span *s, struct err *err)
{
	struct fidelity_choice *c = ctx;

	if (s->task >= 0 && s->task < c->tasks->nr)
		c->cpu_ns[s->task] += s->end_ns - s->start_ns;
	return 0;
}

static int grow(struct fidelity_choice *c, int node, struct err *err)
{
	int nodes = node + 1;
	size_t areas = (size_t)c->areas->nr + 1;
	int64_t *on = calloc(areas * (size_t)nodes, sizeof(*on));

	if (!on)
		return err_nomem(err);
	for (int a = 0; a < c->areas->nr; a++)
		for (int n = 0; n < c->nodes; n++)
			on[(size_t)a * (size_t)nodes + (size_t)n] =
				c->on[(size_t)a * (size_t)c->nodes + (size_t)n];
	free(c->on);
	c->on = on;
	c->nodes = nodes;
	return 0;
}

static int on_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct fidelity_choice *c = ctx;
	int64_t *on;
	int proc;

	if (m->area < 0 || m->area >= c->areas->nr || m->node < 0 ||
	    m->node >= TOPO_MAX_NODES)
		return 0;
	if (m->node >= c->nodes && grow(c, m->node, err))
		return err->code;
	proc = c->areas->area[m->area].proc;
	if (proc < 0 || proc >= c->tasks->nr)
		return 0;
	on = &c->on[(size_t)m->area * (size_t)c->nodes + (size_t)m->node];
	c->pages[proc] += m->pages - *on;
	*on = m->pages;
	if (c->pages[proc] > c->most[proc])
		c->most[proc] = c->pages[proc];
	return 0;
}

void fidelity_choice_sink(struct fidelity_choice *c, struct run_sink *sink)
{
	*sink = (struct run_sink){ .ctx = c, .span = on_span, .mem = on_mem };
}

int fidelity_choice_end(struct fidelity_choice *c, bool *judged,
			struct err *err)
{
	int64_t pages = 0, ns = 0;
	int nr = 0;

	for (int t = 0; t < c->tasks->nr; t++)
		pages = c->most[t] > pages ? c->most[t] : pages;
	for (int t = 0; t < c->tasks->nr; t++) {
		judged[t] = c->cpu_ns[t] &&
			c->most[c->leader[t]] >= pages / PAGES_PART &&
			!(c->tasks->task[t].flags & TASK_F_RECORDER);
		if (judged[t] && c->cpu_ns[t] > ns)
			ns = c->cpu_ns[t];
	}
	for (int t = 0; t < c->tasks->nr; t++) {
		judged[t] = judged[t] && c->cpu_ns[t] >= ns / TIME_PART;
		nr += judged[t];
	}
	return nr;
}
