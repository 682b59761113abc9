/* SPDX-License-Identifier: MIT */
/*
 * Both runs come in order of end time; the spans that end at one time are
 * gathered from each, sorted, and compared as sets.
 */
#include "ui/oracle.h"

#include "model/demand.h"
#include "model/err.h"
#include "model/task.h"
#include "model/topo.h"
#include "schema/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct group {
	struct span *span;
	int nr, size;
};

struct oracle {
	struct store_spans *it;	/* what was recorded */
	struct span next;
	bool more;		/* next holds one */
	struct group real, run;	/* all that end at one time */
	const struct demand_task *tasks;
	int nr_tasks;
	struct oracle_verdict v;
};

static int add(struct group *g, const struct span *s, struct err *err)
{
	int size = g->size ? 2 * g->size : 16;
	struct span *span;

	if (g->nr == g->size) {
		span = realloc(g->span, (size_t)size * sizeof(*span));
		if (!span)
			return err_nomem(err);
		g->span = span;
		g->size = size;
	}
	g->span[g->nr++] = *s;
	return 0;
}

static int advance(struct oracle *o, struct err *err)
{
	int r = store_spans_next(o->it, &o->next, err);

	o->more = r > 0;
	return r < 0 ? r : 0;
}

int oracle_open(struct oracle **out, struct store *s,
		const struct demand_task *tasks, int nr, struct err *err)
{
	struct oracle *o = calloc(1, sizeof(*o));

	*out = o;
	if (!o)
		return err_nomem(err);
	o->tasks = tasks;
	o->nr_tasks = nr;
	if (store_spans_open(s, 0, INT64_MIN, INT64_MAX, &o->it, err))
		return err->code;
	return advance(o, err);
}

static int by_task(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void note(struct oracle *o, const char *what, const struct span *s)
{
	if (!*o->v.first)
		snprintf(o->v.first, sizeof(o->v.first),
			 "%s task %d on CPU %d from %" PRId64 " to %" PRId64,
			 what, s->task, s->cpu, s->start_ns, s->end_ns);
}

static bool is_stopper(const struct oracle *o, int task)
{
	int lo = 0, hi = o->nr_tasks;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (o->tasks[mid].task < task)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < o->nr_tasks && o->tasks[lo].task == task &&
		o->tasks[lo].stopper;
}

static void compare_ready(struct oracle *o, const struct span *real,
			  const struct span *run)
{
	if (real->ready_ns < 0 || run->ready_ns < 0 ||
	    real->ready_ns == run->ready_ns ||
	    (real->waker != TASK_NONE && is_stopper(o, real->waker)))
		return;
	o->v.ready++;
	note(o, "became ready at another time:", run);
}

static void compare(struct oracle *o)
{
	struct group *real = &o->real, *run = &o->run;
	int i = 0, k = 0;

	if (real->nr > 1)
		qsort(real->span, (size_t)real->nr, sizeof(*real->span), by_task);
	if (run->nr > 1)
		qsort(run->span, (size_t)run->nr, sizeof(*run->span), by_task);
	while (i < real->nr || k < run->nr) {
		const struct span *a = &real->span[i], *b = &run->span[k];
		int c = i == real->nr ? 1 : k == run->nr ? -1 : by_task(a, b);

		if (!c) {
			o->v.spans++;
			compare_ready(o, a, b);
		} else if (c < 0) {
			o->v.missing++;
			note(o, "not replayed:", a);
		} else {
			o->v.extra++;
			note(o, "not recorded:", b);
		}
		i += c <= 0;
		k += c >= 0;
	}
	real->nr = run->nr = 0;
}

/* Compares all that ends before `end`. */
static int catch_up(struct oracle *o, int64_t end, struct err *err)
{
	int64_t at;

	while (o->run.nr || (o->more && o->next.end_ns < end)) {
		at = o->run.nr ? o->run.span[0].end_ns : o->next.end_ns;
		if (o->more && o->next.end_ns < at) {
			o->v.missing++;
			note(o, "not replayed:", &o->next);
			if (advance(o, err))
				return err->code;
			continue;
		}
		if (at >= end)
			break;
		while (o->more && o->next.end_ns == at)
			if (add(&o->real, &o->next, err) || advance(o, err))
				return err->code;
		compare(o);
	}
	return 0;
}

int oracle_span(struct oracle *o, const struct span *s, struct err *err)
{
	if (o->run.nr && o->run.span[0].end_ns != s->end_ns &&
	    catch_up(o, s->end_ns, err))
		return err->code;
	return add(&o->run, s, err);
}

int oracle_close(struct oracle *o, struct oracle_verdict *v, struct err *err)
{
	if (!o)
		return err->code;
	if (!err->code)
		catch_up(o, INT64_MAX, err);
	*v = o->v;
	store_spans_close(o->it);
	free(o->real.span);
	free(o->run.span);
	free(o);
	return err->code;
}

bool oracle_agrees(const struct oracle_verdict *v)
{
	return !v->missing && !v->extra && !v->ready && !v->pages_differ;
}

bool oracle_agrees_fast(struct store *s, int run, struct oracle_verdict *v,
			struct err *err)
{
	static const char *const names[] = { "switches", "span_checksum" };
	int64_t real[2], here[2];

	for (int i = 0; i < 2; i++)
		if (store_get_count(s, 0, names[i], &real[i], err) ||
		    store_get_count(s, run, names[i], &here[i], err))
			return false;
	if (real[0] != here[0] || real[1] != here[1])
		return false;
	*v = (struct oracle_verdict){ .spans = real[0] };
	return true;
}

/* -- memory --------------------------------------------------------------- */

/* Pages at the end, of run 0 less those of the other. */
struct balance {
	int64_t *pages;		/* [area][node] */
	int nr_areas, nr_nodes;
	int64_t *last;		/* likewise, of the run that is being read */
};

static int take_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct balance *b = ctx;

	if (m->area < 0 || m->area >= b->nr_areas || m->node < 0 ||
	    m->node >= b->nr_nodes)
		return err_set(err, ERR_FORMAT, "pages of area %d on node %d, "
			       "which do not exist", m->area, m->node);
	b->last[(size_t)m->area * (size_t)b->nr_nodes + (size_t)m->node] =
		m->pages;
	return 0;
}

static int weigh(struct balance *b, struct store *s, int run,
		 struct oracle_verdict *v, struct err *err)
{
	size_t nr = (size_t)b->nr_areas * (size_t)b->nr_nodes;

	b->pages = calloc(nr + 1, sizeof(*b->pages));
	b->last = calloc(nr + 1, sizeof(*b->last));
	if (!b->pages || !b->last)
		return err_nomem(err);
	if (store_each_mem(s, 0, take_mem, b, err))
		return err->code;
	for (size_t i = 0; i < nr; i++) {
		v->pages += b->last[i];
		b->pages[i] = b->last[i];
		b->last[i] = 0;
	}
	if (store_each_mem(s, run, take_mem, b, err))
		return err->code;
	for (size_t i = 0; i < nr; i++)
		v->pages_differ += b->pages[i] > b->last[i] ?
			b->pages[i] - b->last[i] : b->last[i] - b->pages[i];
	return 0;
}

int oracle_memory(struct store *s, int run, struct oracle_verdict *v,
		  struct err *err)
{
	struct areas areas = { 0 };
	struct topo topo = { 0 };
	struct balance b = { 0 };

	v->pages = v->pages_differ = 0;
	if (!store_get_areas(s, &areas, err) && !store_get_topo(s, &topo, err)) {
		b.nr_areas = areas.nr;
		b.nr_nodes = topo.nr_node_ids;
		weigh(&b, s, run, v, err);
	}
	free(b.pages);
	free(b.last);
	areas_release(&areas);
	topo_release(&topo);
	return err->code;
}
