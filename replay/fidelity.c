/* SPDX-License-Identifier: MIT */
#include "replay/fidelity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "model/residency.h"

const struct fidelity_def fidelity_table[FIDELITY_NR] = {
	[FIDELITY_Q1] = { "locality_q1", "locality, 1st quarter",
		FIDELITY_SHARE, false },
	[FIDELITY_Q2] = { "locality_q2", "locality, 2nd quarter",
		FIDELITY_SHARE, false },
	[FIDELITY_Q3] = { "locality_q3", "locality, 3rd quarter",
		FIDELITY_SHARE, true },
	[FIDELITY_Q4] = { "locality_q4", "locality, 4th quarter",
		FIDELITY_SHARE, true },
	[FIDELITY_LOCALITY] = { "locality", "locality, whole run",
		FIDELITY_SHARE, true },
	[FIDELITY_LARGEST] = { "largest_share_2nd_half",
		"largest node share, 2nd half", FIDELITY_SHARE, true },
	[FIDELITY_FIRST_TOUCH] = { "first_touch_share",
		"time on node of first touch", FIDELITY_SHARE, false },
	[FIDELITY_NODE_RATE] = { "node_migrations",
		"node migrations /task/s", FIDELITY_RATE, true },
	[FIDELITY_CPU_RATE] = { "cpu_migrations", "CPU migrations /task/s",
		FIDELITY_RATE, true },
	[FIDELITY_PAGES_MOVED] = { "pages_moved", "pages moved",
		FIDELITY_COUNT, true },
	[FIDELITY_HINTING] = { "hinting_faults", "hinting faults",
		FIDELITY_COUNT, true },
	[FIDELITY_HINTING_LOCAL] = { "hinting_faults_local",
		"local hinting faults", FIDELITY_SHARE, true },
	[FIDELITY_CPU_TIME] = { "cpu_time", "CPU time, s", FIDELITY_SECONDS,
		false },
	[FIDELITY_ELAPSED] = { "elapsed", "elapsed, s", FIDELITY_SECONDS,
		false },
	[FIDELITY_LEAST_BUSY] = { "least_busy_node", "share of least busy node",
		FIDELITY_SHARE, false },
	[FIDELITY_MOST_BUSY] = { "most_busy_node", "share of most busy node",
		FIDELITY_SHARE, false },
};

/* -- one run ------------------------------------------------------------------- */

struct kept {
	int64_t start, end;
	int task, node;
	int cpu;
};

/* Of a judged task. */
struct sums {
	int64_t first, last;	/* -1: it did not run */
	int64_t cpu_ns, touched_ns;
	int64_t *late_ns;	/* [node], 2nd half */
	int last_cpu, last_node;
	int migrations, node_migrations;
	int touched;		/* node of first touch, -1 */
};

struct fidelity {
	const struct fidelity_args a;
	struct residency *r;
	int *leader;
	bool *proc;		/* [task id of a leader] a judged one's */
	struct kept *span;
	int nr, size;
	struct mem_change *mem;
	int nr_mem, size_mem;
	int64_t moved, hinting, local;
	struct sums *sum;	/* [task] */
	int64_t *late;
	double value[FIDELITY_NR];
};

int fidelity_new(struct fidelity **out, const struct fidelity_args *args,
		 struct err *err)
{
	size_t nr = (size_t)args->tasks->nr + 1;
	size_t nodes = (size_t)args->topo->nr_node_ids + 1;
	struct fidelity *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return err_nomem(err);
	memcpy((void *)&f->a, args, sizeof(*args));
	f->leader = tasks_leaders(args->tasks);
	f->proc = calloc(nr, sizeof(*f->proc));
	f->sum = calloc(nr, sizeof(*f->sum));
	f->late = calloc(nr * nodes, sizeof(*f->late));
	if (!f->leader || !f->proc || !f->sum || !f->late)
		return err_nomem(err);
	for (int t = 0; t < args->tasks->nr; t++) {
		f->proc[f->leader[t]] |= args->judged[t];
		f->sum[t] = (struct sums){ .first = -1, .last = -1,
			.last_cpu = -1, .touched = -1,
			.late_ns = f->late + (size_t)t * nodes };
	}
	f->r = residency_new(args->topo, args->tasks, args->areas, args->cost,
			     INT64_MIN / 4, INT64_MAX / 4, err);
	return f->r ? 0 : err->code;
}

void fidelity_free(struct fidelity *f)
{
	if (!f)
		return;
	residency_free(f->r);
	free(f->leader);
	free(f->proc);
	free(f->sum);
	free(f->late);
	free(f->span);
	free(f->mem);
	free(f);
}

static int on_span(void *ctx, const struct span *s, struct err *err)
{
	struct fidelity *f = ctx;
	int size = f->size ? 2 * f->size : 1024;
	struct kept *more;

	if (s->task < 0 || s->task >= f->a.tasks->nr || !f->a.judged[s->task])
		return 0;
	if (f->nr == f->size) {
		more = realloc(f->span, (size_t)size * sizeof(*more));
		if (!more)
			return err_nomem(err);
		f->span = more;
		f->size = size;
	}
	f->span[f->nr++] = (struct kept){
		.start = s->start_ns, .end = s->end_ns, .task = s->task,
		.cpu = s->cpu, .node = topo_node_of(f->a.topo, s->cpu) };
	return 0;
}

static int on_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct fidelity *f = ctx;
	int size = f->size_mem ? 2 * f->size_mem : 1024, proc;
	struct mem_change *more;

	if (m->area < 0 || m->area >= f->a.areas->nr)
		return residency_mem(f->r, m, err);
	proc = f->a.areas->area[m->area].proc;
	if (proc < 0 || proc >= f->a.tasks->nr || !f->proc[proc])
		return 0;
	if (f->nr_mem == f->size_mem) {
		more = realloc(f->mem, (size_t)size * sizeof(*more));
		if (!more)
			return err_nomem(err);
		f->mem = more;
		f->size_mem = size;
	}
	f->mem[f->nr_mem++] = *m;
	return residency_mem(f->r, m, err);
}

static int on_access(void *ctx, const struct mem_access *a, struct err *err)
{
	struct fidelity *f = ctx;

	return residency_access(f->r, a, err);
}

static int on_count(void *ctx, const char *name, int64_t value,
		    struct err *err)
{
	struct fidelity *f = ctx;

	if (!strcmp(name, "pages_moved"))
		f->moved = value;
	else if (!strcmp(name, "hinting_faults"))
		f->hinting = value;
	else if (!strcmp(name, "hinting_faults_local"))
		f->local = value;
	return 0;
}

void fidelity_sink(struct fidelity *f, struct run_sink *sink)
{
	*sink = (struct run_sink){
		.ctx = f, .span = on_span, .mem = on_mem,
		.access = on_access, .count = on_count };
}

/* -- node of first touch --------------------------------------------------------- */

/* Goes through the changes of a process; until its pages are `enough`, or all of
 * them.  total[node] is left as it is then; returns the most there were. */
static int64_t follow(const struct fidelity *f, int proc, int64_t enough,
		      int64_t *on, int64_t *total)
{
	int nodes = f->a.topo->nr_node_ids;
	int64_t now = 0, most = 0;

	memset(total, 0, (size_t)nodes * sizeof(*total));
	memset(on, 0, (size_t)f->a.areas->nr * (size_t)nodes * sizeof(*on));
	for (int i = 0; i < f->nr_mem; i++) {
		const struct mem_change *m = &f->mem[i];
		int64_t *x;

		if (f->a.areas->area[m->area].proc != proc || m->node < 0 ||
		    m->node >= nodes)
			continue;
		x = &on[(size_t)m->area * (size_t)nodes + (size_t)m->node];
		now += m->pages - *x;
		total[m->node] += m->pages - *x;
		*x = m->pages;
		most = now > most ? now : most;
		if (enough && now >= enough)
			break;
	}
	return most;
}

static int find_touched(struct fidelity *f, struct err *err)
{
	size_t nodes = (size_t)f->a.topo->nr_node_ids + 1;
	int64_t *on = calloc(((size_t)f->a.areas->nr + 1) * nodes, sizeof(*on));
	int64_t *total = calloc(nodes, sizeof(*total));

	for (int t = 0; on && total && t < f->a.tasks->nr; t++) {
		int proc = f->leader[t], best = -1;
		int64_t most;

		if (!f->a.judged[t])
			continue;
		most = follow(f, proc, 0, on, total);
		if (most)
			follow(f, proc, most - most / 10, on, total);
		for (int n = 0; most && n < f->a.topo->nr_node_ids; n++)
			if (best < 0 || total[n] > total[best])
				best = n;
		f->sum[t].touched = best;
	}
	free(on);
	free(total);
	return on && total ? 0 : err_nomem(err);
}

/* -- values ---------------------------------------------------------------------- */

static int64_t overlap(const struct kept *s, int64_t from, int64_t to)
{
	int64_t a = s->start > from ? s->start : from;
	int64_t b = s->end < to ? s->end : to;

	return b > a ? b - a : 0;
}

static void window(const struct fidelity *f, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (int i = 0; i < f->nr; i++) {
		*from = f->span[i].start < *from ? f->span[i].start : *from;
		*to = f->span[i].end > *to ? f->span[i].end : *to;
	}
}

static double locality(const struct fidelity *f, int64_t from, int64_t to)
{
	double local = 0, known = 0, k;

	for (int i = 0; i < f->nr; i++) {
		const struct kept *s = &f->span[i];
		int64_t a = s->start > from ? s->start : from;
		int64_t b = s->end < to ? s->end : to;

		if (b <= a)
			continue;
		local += residency_local(f->r, s->task, s->node, a, b, &k);
		known += k;
	}
	return known > 0 ? local / known : NAN;
}

static void add_span(struct fidelity *f, const struct kept *s, int64_t half,
		     int64_t to)
{
	struct sums *t = &f->sum[s->task];

	if (t->first < 0)
		t->first = s->start;
	t->last = s->end;
	t->cpu_ns += s->end - s->start;
	if (s->node == t->touched)
		t->touched_ns += s->end - s->start;
	if (s->node >= 0)
		t->late_ns[s->node] += overlap(s, half, to);
	if (t->last_cpu >= 0 && t->last_cpu != s->cpu) {
		t->migrations++;
		t->node_migrations += t->last_node != s->node;
	}
	t->last_cpu = s->cpu;
	t->last_node = s->node;
}

static double largest(const struct fidelity *f)
{
	double sum = 0;
	int nr = 0;

	for (int t = 0; t < f->a.tasks->nr; t++) {
		int64_t all = 0, most = 0;

		for (int n = 0; n < f->a.topo->nr_node_ids; n++) {
			int64_t ns = f->sum[t].late_ns[n];

			all += ns;
			most = ns > most ? ns : most;
		}
		if (!all)
			continue;
		sum += (double)most / (double)all;
		nr++;
	}
	return nr ? sum / nr : NAN;
}

static void busy(struct fidelity *f, double *least, double *most)
{
	int64_t all = 0, lo = INT64_MAX, hi = 0;

	*least = *most = NAN;
	for (int n = 0; n < f->a.topo->nr_node_ids; n++) {
		int64_t ns = 0;

		if (!f->a.topo->node[n].present || !f->a.topo->node[n].nr_cpus)
			continue;
		for (int i = 0; i < f->nr; i++)
			if (f->span[i].node == n)
				ns += f->span[i].end - f->span[i].start;
		all += ns;
		lo = ns < lo ? ns : lo;
		hi = ns > hi ? ns : hi;
	}
	if (!all)
		return;
	*least = (double)lo / (double)all;
	*most = (double)hi / (double)all;
}

static void add_up(struct fidelity *f, double *v)
{
	double cpu = 0, touched = 0, life = 0, moves = 0, nodes = 0;

	for (int t = 0; t < f->a.tasks->nr; t++) {
		const struct sums *s = &f->sum[t];

		if (s->first < 0)
			continue;
		cpu += (double)s->cpu_ns;
		touched += (double)s->touched_ns;
		life += (double)(s->last - s->first) / 1e9;
		moves += s->migrations;
		nodes += s->node_migrations;
	}
	v[FIDELITY_CPU_TIME] = cpu / 1e9;
	v[FIDELITY_FIRST_TOUCH] = cpu > 0 ? touched / cpu : NAN;
	v[FIDELITY_NODE_RATE] = life > 0 ? nodes / life : NAN;
	v[FIDELITY_CPU_RATE] = life > 0 ? moves / life : NAN;
}

int fidelity_values(struct fidelity *f, double *v, struct err *err)
{
	int64_t from, to, len;

	for (int i = 0; i < FIDELITY_NR; i++)
		v[i] = NAN;
	v[FIDELITY_PAGES_MOVED] = (double)f->moved;
	v[FIDELITY_HINTING] = (double)f->hinting;
	if (f->hinting)
		v[FIDELITY_HINTING_LOCAL] = (double)f->local /
			(double)f->hinting;
	if (!f->nr)
		return 0;
	if (residency_seal(f->r, err) || find_touched(f, err))
		return err->code;
	window(f, &from, &to);
	len = to - from;
	for (int q = 0; q < 4; q++)
		v[FIDELITY_Q1 + q] = locality(f, from + len / 4 * q,
					      q == 3 ? to : from + len / 4 * (q + 1));
	v[FIDELITY_LOCALITY] = locality(f, from, to);
	for (int i = 0; i < f->nr; i++)
		add_span(f, &f->span[i], from + len / 2, to);
	v[FIDELITY_LARGEST] = largest(f);
	v[FIDELITY_ELAPSED] = (double)len / 1e9;
	add_up(f, v);
	busy(f, &v[FIDELITY_LEAST_BUSY], &v[FIDELITY_MOST_BUSY]);
	return 0;
}
