/* SPDX-License-Identifier: MIT */
#include "replay/policy_binding.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/policy_spread.h"
#include "replay/view.h"

/* -- who belongs where --------------------------------------------------------------- */

static int count_areas(const struct view *v, int proc)
{
	int nr = 0;

	for (int a = 0; a < view_nr_areas(v); a++)
		nr += view_area_proc(v, a) == proc;
	return nr;
}

/* Threads besides the first. */
static int count_threads(const struct view *v, int proc)
{
	int nr = -1;

	for (int t = 0; t < view_nr_tasks(v); t++)
		nr += view_task_proc(v, t) == proc;
	return nr;
}

static void deal_whole(struct binding *b, const struct view *v, int proc,
		       int part)
{
	for (int t = 0; t < view_nr_tasks(v); t++)
		if (view_task_proc(v, t) == proc)
			b->task_part[t] = part;
	for (int a = 0; a < b->nr_areas; a++)
		if (view_area_proc(v, a) == proc)
			b->area_part[a] = part;
}

static void deal_parts(struct binding *b, const struct view *v, int proc)
{
	int threads = count_threads(v, proc), areas = count_areas(v, proc);
	int t_nr = 0, a_nr = 0;

	b->task_part[proc] = 0;
	for (int t = 0; t < view_nr_tasks(v); t++)
		if (t != proc && view_task_proc(v, t) == proc)
			b->task_part[t] = t_nr++ * b->nr / threads;
	for (int a = 0; a < b->nr_areas; a++)
		if (view_area_proc(v, a) == proc)
			b->area_part[a] = a_nr++ * b->nr / areas;
}

static int find_nodes(struct binding *b, const struct view *v)
{
	int most = 0;

	for (int n = 0; n < view_nr_node_ids(v); n++) {
		if (!view_node_cpus(v, n))
			continue;
		b->node[b->nr++] = n;
		if (view_node_cpus(v, n) > most)
			most = view_node_cpus(v, n);
	}
	return most;
}

int binding_init(struct binding *b, const struct view *v, struct err *err)
{
	size_t nodes = (size_t)view_nr_node_ids(v) + 1;
	size_t tasks = (size_t)view_nr_tasks(v) + 1;
	int most, turn = 0;

	b->nr_areas = view_nr_areas(v);
	b->node = calloc(nodes, sizeof(*b->node));
	b->task_part = malloc(tasks * sizeof(*b->task_part));
	b->area_part = malloc(((size_t)b->nr_areas + 1) * sizeof(*b->area_part));
	if (!b->node || !b->task_part || !b->area_part)
		return err_nomem(err);
	most = find_nodes(b, v);
	for (int t = 0; t < view_nr_tasks(v); t++)
		b->task_part[t] = -1;
	for (int a = 0; a < b->nr_areas; a++)
		b->area_part[a] = -1;
	for (int a = 0; a < b->nr_areas; a++) {
		int proc = view_area_proc(v, a);

		if (proc < 0 || b->area_part[a] >= 0)
			continue;
		if (count_threads(v, proc) > most)
			deal_parts(b, v, proc);
		else
			deal_whole(b, v, proc, turn++ % b->nr);
	}
	return 0;
}

void binding_release(struct binding *b)
{
	free(b->node);
	free(b->task_part);
	free(b->area_part);
	*b = (struct binding){ .nr = 0 };
}

/* -- callbacks ------------------------------------------------------------------------ */

int bound_init(void **state, const struct view *v, const struct bound *like,
	       struct err *err)
{
	struct bound *b = calloc(1, sizeof(*b));

	*state = b;
	if (!b)
		return err_nomem(err);
	*b = *like;
	if (binding_init(&b->binding, v, err))
		return err->code;
	if (b->all_on >= b->binding.nr)
		return err_set(err, ERR_USAGE, "there are %d nodes with CPUs: node "
			       "%d of them cannot be", b->binding.nr, b->all_on);
	return 0;
}

void bound_exit(void *state)
{
	struct bound *b = state;

	if (b)
		binding_release(&b->binding);
	free(b);
}

static bool fits(void *ctx, const struct view *v, int task, int cpu)
{
	const struct bound *b = ctx;
	int part = b->binding.task_part[task];

	return b->tasks_free || part < 0 ||
		view_cpu_node(v, cpu) == b->binding.node[part];
}

int bound_select_cpu(void *state, const struct view *v,
		     const struct select_args *a, struct decisions *d)
{
	const struct spread s = { .ctx = state, .fits = fits };
	int cpu = spread_cpu(&s, v, a);

	return cpu >= 0 ? cpu : a->prev_cpu;
}

void bound_newidle(void *state, const struct view *v, int cpu,
		   struct decisions *d)
{
	const struct spread s = { .ctx = state, .fits = fits };

	spread_pull(&s, v, cpu, d);
}

void bound_tick(void *state, const struct view *v, int cpu,
		struct decisions *d)
{
	if (view_curr(v, cpu) == TASK_NONE)
		bound_newidle(state, v, cpu, d);
}

int bound_place_page(void *state, const struct view *v, int task, int area,
		     int64_t *pages)
{
	const struct bound *b = state;
	int part = b->binding.area_part[area];

	if (part < 0)
		return view_cpu_node(v, view_task_cpu(v, task));
	if (b->all_on >= 0)
		return b->binding.node[b->all_on];
	return b->binding.node[(part + b->shift) % b->binding.nr];
}
