/* SPDX-License-Identifier: MIT */
#include "replay/engine_local.h"

#include <stdlib.h>

static int keep(struct engine *e, const struct span *s)
{
	struct engine_pending *p = &e->pending;
	int size = p->size ? p->size * 2 : 64, i;
	struct span *span;

	if (p->nr == p->size) {
		span = realloc(p->span, (size_t)size * sizeof(*span));
		if (!span)
			return err_nomem(e->err);
		p->span = span;
		p->size = size;
	}
	for (i = p->nr++; i > 0 && p->span[i - 1].cpu > s->cpu; i--)
		p->span[i] = p->span[i - 1];
	p->span[i] = *s;
	return 0;
}

int emit_span(struct engine *e, const struct span *s)
{
	bool follows = e->in->policy->ops->flags & POLICY_F_FOLLOW;
	struct engine_cpu *c = &e->cpu[s->cpu];

	/* A task that only passed by did not run. */
	if (s->end_ns == s->start_ns && !follows)
		return 0;
	if (follows && s->end_ns > s->start_ns) {
		e->count.conflicts += s->start_ns < c->busy_until;
		c->busy_until = s->end_ns;
	}
	e->count.cpu_ns += s->end_ns - s->start_ns;
	if (e->command == TASK_NONE || s->task == e->command)
		e->count.last_ns = s->end_ns;
	return e->sink->span ? keep(e, s) : 0;
}

int emit_flush(struct engine *e)
{
	struct engine_pending *p = &e->pending;
	int r = 0;

	for (int i = 0; !r && i < p->nr; i++)
		r = e->sink->span(e->sink->ctx, &p->span[i], e->err);
	p->nr = 0;
	return r;
}

int emit_move(struct engine *e, const struct move *m)
{
	if (m->refused)
		e->count.refused++;
	else
		e->count.moves[m->why]++;
	return e->sink->move ? e->sink->move(e->sink->ctx, m, e->err) : 0;
}

static int64_t nr_unfinished(const struct engine *e)
{
	int64_t nr = 0;

	for (int t = 0; t < e->view.nr_tasks; t++)
		nr += e->task[t].has_program &&
			e->view.task[t].state != VIEW_GONE;
	return nr;
}

static int emit_access(struct engine *e)
{
	int r = 0;

	for (int i = 0; !r && e->sink->access && i < e->in->nr_access; i++)
		r = e->sink->access(e->sink->ctx, &e->in->access[i], e->err);
	return r;
}

int emit_end(struct engine *e)
{
	const struct engine_counts *n = &e->count;
	const struct {
		const char *name;
		int64_t value;
	} count[] = {
		{ "switches", n->switches },
		{ "migrations", n->migrations },
		{ "node_migrations", n->node_migrations },
		{ "wakeups", n->wakeups },
		{ "moves_wake", n->moves[MOVE_WAKE] },
		{ "moves_fork", n->moves[MOVE_FORK] },
		{ "moves_exec", n->moves[MOVE_EXEC] },
		{ "moves_balance", n->moves[MOVE_BALANCE] },
		{ "moves_push", n->moves[MOVE_PUSH] },
		{ "moves_numa", n->moves[MOVE_NUMA] },
		{ "refused", n->refused },
		{ "affinity_ignored", n->affinity_ignored },
		{ "pages_moved", (int64_t)e->memory.moved },
		{ "pages_refused", n->pages_refused },
		{ "hinting_faults", n->policy[POLICY_HINTING] },
		{ "hinting_faults_local", n->policy[POLICY_HINTING_LOCAL] },
		{ "pages_scanned", n->policy[POLICY_SCANNED] },
		{ "cpu_ns", n->cpu_ns },
		{ "cpu_lo_ns", (int64_t)(n->lo_ns + 0.5) },
		{ "cpu_hi_ns", (int64_t)(n->hi_ns + 0.5) },
		{ "elapsed_ns", n->last_ns > e->in->start_ns ?
			n->last_ns - e->in->start_ns : 0 },
		{ "unfinished", nr_unfinished(e) },
		{ "ticks", n->ticks },
		{ "conflicts", n->conflicts },
	};
	int r = emit_access(e);

	for (size_t i = 0; !r && e->sink->count &&
	     i < sizeof(count) / sizeof(*count); i++)
		r = e->sink->count(e->sink->ctx, count[i].name, count[i].value,
				   e->err);
	return r;
}

void emit_release(struct engine *e)
{
	free(e->pending.span);
}
