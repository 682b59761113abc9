/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#include <stdlib.h>

#include "model/err.h"
#include "model/task.h"

static const struct fair_numa_ops numab_ops = { .degrades = numab_degrades };

/* -- set-up ----------------------------------------------------------------- */

static int fill_nodes(struct numab *n, const struct view *v, struct err *err)
{
	int at = 0;

	n->node_set = calloc((size_t)n->nr_nodes + 1, sizeof(*n->node_set));
	n->node_cpu = calloc((size_t)view_nr_cpu_ids(v) + 1,
			     sizeof(*n->node_cpu));
	if (!n->node_set || !n->node_cpu)
		return err_nomem(err);
	for (int i = 0; i < n->nr_nodes; i++) {
		n->node_set[i].cpu = n->node_cpu + at;
		for (int c = 0; c < view_nr_cpu_ids(v); c++)
			if (view_cpu_online(v, c) && view_cpu_node(v, c) == i)
				n->node_cpu[at++] = c;
		n->node_set[i].nr = (int)(n->node_cpu + at -
					  n->node_set[i].cpu);
	}
	return 0;
}

/* In the order of their numbers. */
static void link_areas(struct numab *n, const struct view *v)
{
	for (int a = n->nr_areas - 1; a >= 0; a--) {
		int proc = view_area_proc(v, a);

		n->area[a] = (struct numab_area){
			.per_unit = 1, .proc = proc, .sibling = -1 };
		if (proc < 0 || proc >= n->nr_tasks)
			continue;
		n->area[a].sibling = n->proc[proc].first_area;
		n->proc[proc].first_area = a;
	}
}

int numab_init(void **state, const struct view *v,
	       const struct knob_value *knobs, struct err *err)
{
	struct numab *n = *state = calloc(1, sizeof(*n));

	if (!n)
		return err_nomem(err);
	n->knob = knobs;
	n->nr_nodes = view_nr_node_ids(v);
	n->nr_tasks = view_nr_tasks(v);
	n->nr_areas = view_nr_areas(v);
	if (fair_init(&n->fair, &fair_today, v, knobs, err) ||
	    fill_nodes(n, v, err))
		return err->code;
	n->fair.numa_ops = &numab_ops;
	n->fair.numa = n;
	n->area = calloc((size_t)n->nr_areas + 1, sizeof(*n->area));
	n->proc = calloc((size_t)n->nr_tasks + 1, sizeof(*n->proc));
	n->task = calloc((size_t)n->nr_tasks + 1, sizeof(*n->task));
	n->group = calloc((size_t)n->nr_tasks + 1, sizeof(*n->group));
	if (!n->area || !n->proc || !n->task || !n->group)
		return err_nomem(err);
	for (int t = 0; t < n->nr_tasks; t++) {
		n->proc[t].first_area = n->proc[t].scan_area = -1;
		n->proc[t].hot.node = -1;
		n->task[t].preferred = n->task[t].node = -1;
	}
	link_areas(n, v);
	n->v = v;
	numab_find_shape(n);
	return 0;
}

void numab_exit(void *state)
{
	struct numab *n = state;

	if (!n)
		return;
	fair_release(&n->fair);
	for (int a = 0; n->area && a < n->nr_areas; a++)
		free(n->area[a].unit);
	for (int t = 0; n->task && t < n->nr_tasks; t++)
		free(n->task[t].sum);
	for (int t = 0; n->group && t < n->nr_tasks; t++)
		free(n->group[t].sum);
	free(n->group);
	free(n->area);
	free(n->proc);
	free(n->task);
	free(n->node_set);
	free(n->node_cpu);
	free(n);
}

/* -- tasks ------------------------------------------------------------------ */

/* A thread counts as scanned already soon after its start, and wants to be where
 * its parent does. */
static void begin_thread(struct numab *n, const struct view *v, int task,
			 int parent)
{
	n->task[task].stamp = NUMAB_STAGGER_NS;
	n->task[task].period_ns = n->knob[NUMAB_SCAN_DELAY].i;
	n->task[task].preferred = n->task[parent].preferred;
}

void numab_init_task(void *state, const struct view *v, int task, int parent,
		     struct decisions *d)
{
	struct numab *n = state;
	int proc = view_task_proc(v, task);
	struct numab_proc *p = &n->proc[proc];

	if (!p->nr_tasks++)
		p->next_scan_ns = view_now(v) + n->knob[NUMAB_SCAN_DELAY].i;
	if (parent == TASK_NONE)
		return;
	if (proc != task)
		begin_thread(n, v, task, parent);
	if (proc != task || !n->knob[NUMAB_HOT_PAGE].i)
		return;
	/* Its stack: copied where the parent runs. */
	p->hot.node = (int16_t)view_cpu_node(v, view_task_cpu(v, parent));
}

void numab_exit_task(void *state, const struct view *v, int task)
{
	struct numab *n = state;
	struct numab_task *t = &n->task[task];

	n->proc[view_task_proc(v, task)].nr_tasks--;
	numab_group_leave(n, task);
	free(t->sum);
	t->sum = t->buf = NULL;
	t->total = 0;
}

bool numab_has_faults(const struct numab *n, int task)
{
	return n->task[task].sum;
}

/* The load balancer took it elsewhere: away from its preferred node the scan
 * begins anew. */
static void note_node(struct numab *n, int task, int node)
{
	struct numab_task *t = &n->task[task];
	int from = t->node;

	t->node = node;
	if (from == node || from < 0 || !t->sum || !t->stamp)
		return;
	if (t->scan_seq && (node == t->preferred ||
			    (t->preferred >= 0 && from != t->preferred)))
		return;
	t->period_ns = numab_scan_start(n, task);
}

void numab_ran(void *state, const struct view *v, int task, int cpu,
	       int64_t ns, bool goes_off, struct decisions *d)
{
	struct numab *n = state;
	struct numab_task *t = &n->task[task];
	int64_t marked;

	if (view_task_is_kthread(v, task))
		return;
	n->v = v;
	n->d = d;
	n->moved = false;
	note_node(n, task, view_cpu_node(v, cpu));
	t->runtime += ns;
	t->credit += ns;
	numab_fault(n, task, cpu, goes_off);
	if (goes_off || n->moved)
		return;
	marked = numab_scan(n, task, cpu);
	if (!marked)
		return;
	/* The first of the marked pages is met at once, when all are marked. */
	t->credit = n->knob[NUMAB_FAULT_NS].i -
		marked * n->knob[NUMAB_MARK_NS].i;
	numab_fault(n, task, cpu, false);
}

/* -- load balancing --------------------------------------------------------- */

int numab_degrades(void *numab, const struct view *v, int task, int src,
		   int dst, bool is_idle)
{
	const struct numab *n = numab;
	int from = view_cpu_node(v, src), to = view_cpu_node(v, dst);
	int home = n->task[task].preferred, far;

	if (!n->task[task].sum || from == to)
		return -1;
	if (from == home)
		return view_nr_running(v, src) > view_nr_home(v, src, from) ?
			1 : -1;
	if (to == home)
		return 0;
	if (is_idle)
		return -1;
	far = topo_distance(view_topo(v), from, to);
	return numab_rank(n, task, to, far) < numab_rank(n, task, from, far);
}
