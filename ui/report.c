/* SPDX-License-Identifier: MIT */
#include "ui/report.h"

#include "model/err.h"
#include "model/topo_text.h"
#include "ui/cost_spec.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

void report_release(struct report *r)
{
	residency_free(r->residency);
	cost_release(&r->cost);
	areas_release(&r->areas);
	tasks_release(&r->tasks);
	topo_release(&r->topo);
	free(r->task);
	free(r->total.node_ns);
	*r = (struct report){ 0 };
}

/* Of a damaged file: sums wrap. */
static void add(int64_t *sum, int64_t more)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)more);
}

/* -- reading -------------------------------------------------------------- */

static int take_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct report *r = ctx;

	if (residency_mem(r->residency, m, err))
		return err_prefix(err, "'%s'", store_path(r->store));
	return 0;
}

static int take_access(void *ctx, const struct mem_access *a, struct err *err)
{
	struct report *r = ctx;

	if (residency_access(r->residency, a, err))
		return err_prefix(err, "'%s'", store_path(r->store));
	return 0;
}

static int read_spans(struct report *r, struct err *err)
{
	struct store_spans *it;
	struct span s;

	if (store_spans_open(r->store, r->run->id, r->query->from_ns,
			     r->query->to_ns, &it, err))
		return err->code;
	while (store_spans_next(it, &s, err) > 0)
		if (residency_span(r->residency, &s, err)) {
			err_prefix(err, "'%s'", store_path(r->store));
			break;
		}
	store_spans_close(it);
	return err->code;
}

static int read_run(struct report *r, struct err *err)
{
	int run = r->run->id;

	r->residency = residency_new(&r->topo, &r->tasks, &r->areas, &r->cost,
				     r->query->from_ns, r->query->to_ns, err);
	if (!r->residency)
		return err->code;
	if (store_each_mem(r->store, run, take_mem, r, err) ||
	    store_each_access(r->store, run, take_access, r, err) ||
	    residency_seal(r->residency, err))
		return err->code;
	return read_spans(r, err);
}

static int read_counts(struct report *r, struct err *err)
{
	static const char *const repair[] = {
		"repair_two_cpus", "repair_lost_switch", "repair_dead_ran",
		"repair_backward_time", "repair_unknown_task",
	};
	int run = r->run->id, nr;
	struct loss *loss;
	int64_t n;

	if (store_get_count(r->store, run, "pages_moved",
			    &r->total.pages_moved, err) ||
	    store_get_count(r->store, run, "cpu_lo_ns", &r->cpu_lo_ns, err) ||
	    store_get_count(r->store, run, "cpu_hi_ns", &r->cpu_hi_ns, err) ||
	    store_get_loss(r->store, &loss, &nr, err))
		return err->code;
	for (int i = 0; i < nr; i++)
		r->nr_losses += loss[i].from_ns < r->query->to_ns &&
				loss[i].to_ns > r->query->from_ns;
	free(loss);
	for (size_t i = 0; i < sizeof(repair) / sizeof(*repair); i++) {
		if (store_get_count(r->store, run, repair[i], &n, err))
			return err->code;
		add(&r->repairs, n);
	}
	return 0;
}

/* -- which, and in what order --------------------------------------------- */

static bool passes(const struct report *r, const struct task *t)
{
	const struct report_query *q = r->query;
	bool is_pid = !q->nr_pids;

	for (int i = 0; i < q->nr_pids; i++)
		is_pid = is_pid || t->pid == q->pid[i] || t->tid == q->pid[i];
	return is_pid && (!q->comm || !fnmatch(q->comm, t->comm, 0));
}

static bool is_shown(const struct report *r, int task)
{
	return residency_task(r->residency, task) &&
	       !(r->tasks.task[task].flags & TASK_F_RECORDER) &&
	       passes(r, &r->tasks.task[task]);
}

static double locality_of(const struct residency_task *t)
{
	return t->known_ns > 0 ? t->local_ns / t->known_ns : 2;
}

static int compare_by(const struct report *r, int a, int b)
{
	const struct residency_task *x = residency_task(r->residency, a);
	const struct residency_task *y = residency_task(r->residency, b);
	const struct task *t = &r->tasks.task[a], *u = &r->tasks.task[b];
	double lx, ly;

	switch (r->query->sort) {
	case REPORT_START:
		return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
	case REPORT_NAME:
		return strcmp(t->comm, u->comm);
	case REPORT_NODE:
		return (x->most_node > y->most_node) -
		       (x->most_node < y->most_node);
	case REPORT_LOCALITY:
		lx = locality_of(x);
		ly = locality_of(y);
		return (lx > ly) - (lx < ly);
	case REPORT_WAIT:
		return (x->wait_ns < y->wait_ns) - (x->wait_ns > y->wait_ns);
	case REPORT_MOVES:
		return y->node_migrations - x->node_migrations;
	default:
		return 0;
	}
}

static int by_query(const void *pa, const void *pb, void *ctx)
{
	const struct report *r = ctx;
	int a = *(const int *)pa, b = *(const int *)pb;
	int64_t x = residency_task(r->residency, a)->cpu_ns;
	int64_t y = residency_task(r->residency, b)->cpu_ns;
	int c = compare_by(r, a, b);

	if (!c)
		c = (x < y) - (x > y);
	return c ? c : a - b;
}

static void add_total(struct report *r, const struct residency_task *t)
{
	struct report_total *sum = &r->total;

	if (!r->nr_tasks || t->first_ns < sum->first_ns)
		sum->first_ns = t->first_ns;
	if (!r->nr_tasks || t->last_ns > sum->last_ns)
		sum->last_ns = t->last_ns;
	add(&sum->cpu_ns, t->cpu_ns);
	add(&sum->wait_ns, t->wait_ns);
	sum->local_ns += t->local_ns;
	sum->known_ns += t->known_ns;
	sum->remote_ns += t->remote_ns;
	sum->migrations += t->migrations;
	sum->node_migrations += t->node_migrations;
	for (int n = 0; n < r->topo.nr_node_ids; n++)
		add(&sum->node_ns[n], t->node_ns[n]);
}

static int nothing_found(const struct report *r, struct err *err)
{
	const struct report_query *q = r->query;

	if (q->comm)
		return err_set(err, ERR_NOTFOUND, "'%s': no task is called "
			       "'%s' in this time", store_path(r->store),
			       q->comm);
	if (q->nr_pids)
		return err_set(err, ERR_NOTFOUND, "'%s': no task of process "
			       "%d%s ran in this time", store_path(r->store),
			       q->pid[0], q->nr_pids > 1 ? ", ..." : "");
	return err_set(err, ERR_NOTFOUND, "'%s': no task ran in this time",
		       store_path(r->store));
}

static int collect_tasks(struct report *r, struct err *err)
{
	struct report_total *sum = &r->total;
	int command;

	r->task = malloc(((size_t)r->tasks.nr + 1) * sizeof(*r->task));
	sum->node_ns = calloc((size_t)r->topo.nr_node_ids + 1,
			      sizeof(*sum->node_ns));
	if (!r->task || !sum->node_ns)
		return err_nomem(err);
	for (int i = 0; i < r->tasks.nr; i++) {
		const struct residency_task *t =
			residency_task(r->residency, i);

		if (t && r->tasks.task[i].flags & TASK_F_RECORDER)
			add(&sum->recorder_ns, t->cpu_ns);
		if (!is_shown(r, i))
			continue;
		add_total(r, t);
		r->task[r->nr_tasks++] = i;
	}
	if (!r->nr_tasks)
		return nothing_found(r, err);
	command = tasks_command(&r->tasks);
	if (command != TASK_NONE && is_shown(r, command)) {
		sum->first_ns = r->run->start_ns;
		sum->last_ns = residency_task(r->residency, command)->last_ns;
	}
	if (sum->first_ns < r->query->from_ns)
		sum->first_ns = r->query->from_ns;
	if (sum->last_ns > r->query->to_ns)
		sum->last_ns = r->query->to_ns;
	qsort_r(r->task, (size_t)r->nr_tasks, sizeof(*r->task), by_query, r);
	return 0;
}

/* The machine that the run was made on. */
static int read_topo(struct report *r, struct err *err)
{
	if (!r->run->topology || !*r->run->topology)
		return store_get_topo(r->store, &r->topo, err);
	if (topo_from_text(&r->topo, r->run->topology, err))
		return err_prefix(err, "'%s': run %d", store_path(r->store),
				  r->run->id);
	return 0;
}

int report_read(struct report *r, struct store *s, const struct run_info *run,
		const struct report_query *q, const char *cost,
		struct err *err)
{
	*r = (struct report){ .store = s, .run = run, .query = q };
	if (read_topo(r, err) ||
	    store_get_tasks(s, &r->tasks, err) ||
	    tasks_index(&r->tasks, err) ||
	    store_get_areas(s, &r->areas, err) ||
	    cost_spec(&r->cost, &r->topo, s, cost, NULL, err) ||
	    read_run(r, err) || read_counts(r, err))
		return err->code;
	return collect_tasks(r, err);
}
