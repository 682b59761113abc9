/* SPDX-License-Identifier: MIT */
#include "replay/sched_numa.h"

#include "model/task.h"

int64_t sched_numa_node_pages(const struct sched_numa *s, int node)
{
	int64_t sum = 0;

	for (int a = 0; a < s->nr_areas; a++)
		sum += view_area_pages(s->v, a, node);
	return sum;
}

static bool is_runnable(const struct view *v, int task)
{
	enum view_state state = view_task_state(v, task);

	return state == VIEW_QUEUED || state == VIEW_RUNNING;
}

/* NUMA_SLOW: half of it is what it was. */
static void update(const struct sched_numa *s, int64_t *load, int64_t now)
{
	*load = s->knob[SCHED_NUMA_SLOW].i ? (*load + now) / 2 : now;
}

void sched_numa_look(struct sched_numa *s, int node)
{
	struct sched_numa_node *n = &s->node[node];
	int64_t all = 0, remote = 0, pages = sched_numa_node_pages(s, node);

	for (int t = 0; t < s->nr_tasks; t++) {
		int64_t w;

		if (!is_runnable(s->v, t) || view_task_home(s->v, t) != node)
			continue;
		w = view_signal(s->v, SIGNAL_TASK_WEIGHT, t);
		all += w;
		if (view_cpu_node(s->v, view_task_cpu(s->v, t)) != node)
			remote += w;
	}
	update(s, &n->remote_cpu, remote);
	update(s, &n->cpu, all);
	update(s, &n->remote_mem, n->foreign);
	n->foreign = 0;
	s->max_pages = s->max_pages ? (s->max_pages + pages) / 2 : pages;
}

/* The node with most overload; 0 and -1: nobody has any. */
struct worst {
	int node;
	int64_t load, sum;
};

static void add(struct worst *w, int node, int64_t load)
{
	w->sum += load;
	if (load > w->load) {
		w->load = load;
		w->node = node;
	}
}

int sched_numa_busiest(const struct sched_numa *s, int node,
		       struct sched_numa_imbalance *imb)
{
	struct worst cpu = { .node = -1 }, mem = { .node = -1 };
	int from;

	*imb = (struct sched_numa_imbalance){ 0 };
	if (s->node[node].remote_mem)
		return -1;
	for (int n = 0; n < s->nr_nodes; n++) {
		add(&cpu, n, s->node[n].remote_cpu);
		add(&mem, n, s->node[n].remote_mem);
	}
	/* Of the two whichever stands out more from the sum of all. */
	from = cpu.node;
	if (from < 0 || (mem.node >= 0 && (double)mem.load * (double)cpu.sum >
			 (double)cpu.load * (double)mem.sum))
		from = mem.node;
	if (from < 0)
		return -1;
	imb->by_cpu = cpu.node >= 0;
	imb->by_mem = mem.node >= 0;
	if (imb->by_cpu)
		imb->cpu = (s->node[from].cpu - s->node[node].cpu) / 2;
	if (imb->by_mem)
		imb->mem = (sched_numa_node_pages(s, from) -
			    sched_numa_node_pages(s, node)) / 2;
	return from;
}

static int64_t proc_pages(const struct sched_numa *s, int proc)
{
	int64_t sum = 0;

	for (int n = 0; n < s->nr_nodes; n++)
		sum += view_task_pages(s->v, proc, n);
	return sum;
}

static int64_t proc_load(const struct sched_numa *s, int proc)
{
	int64_t sum = 0;

	for (int t = 0; t < s->nr_tasks; t++)
		if (view_task_proc(s->v, t) == proc && is_runnable(s->v, t))
			sum += view_signal(s->v, SIGNAL_TASK_WEIGHT, t);
	return sum;
}

/* The one that has been longest in the list of the node, after `turn`; -1. */
static int next_proc(const struct sched_numa *s, int node, uint64_t turn)
{
	int best = -1;

	for (int p = 0; p < s->nr_tasks; p++) {
		const struct sched_numa_proc *x = &s->proc[p];

		if (x->home == node && x->nr_tasks > 0 && x->turn > turn &&
		    (best < 0 || x->turn < s->proc[best].turn))
			best = p;
	}
	return best;
}

/* NUMA_BALANCE_FILTER: it would tip the balance, or fill the node. */
static bool is_too_large(const struct sched_numa *s,
			 const struct sched_numa_imbalance *imb, int64_t cpu,
			 int64_t pages)
{
	if (!s->knob[SCHED_NUMA_FILTER].i)
		return false;
	return (imb->by_cpu && imb->cpu < cpu / 2) ||
		(s->max_pages && pages > s->max_pages);
}

static void move_processes(struct sched_numa *s, int from, int to,
			   struct sched_numa_imbalance *imb)
{
	uint64_t turn = 0, last = s->turn;
	int64_t there = sched_numa_node_pages(s, to);
	int p;

	while ((p = next_proc(s, from, turn)) >= 0 && s->proc[p].turn <= last) {
		int64_t cpu = proc_load(s, p), pages = proc_pages(s, p);

		turn = s->proc[p].turn;
		if (is_too_large(s, imb, cpu, there + pages)) {
			s->proc[p].turn = ++s->turn;
			continue;
		}
		sched_numa_set_home(s, p, to);
		there += pages;
		imb->cpu -= cpu;
		imb->mem -= pages;
		if (imb->cpu <= 0 && imb->mem <= 0)
			break;
	}
}

void sched_numa_daemon(struct sched_numa *s)
{
	struct sched_numa_imbalance imb;
	int from;

	for (int n = 0; n < s->nr_nodes; n++) {
		if (view_now(s->v) < s->node[n].next_ns)
			continue;
		s->node[n].next_ns = view_now(s->v) +
			s->knob[SCHED_NUMA_PERIOD].i;
		sched_numa_look(s, n);
		if (!s->knob[SCHED_NUMA_BALANCE].i || !view_node_cpus(s->v, n))
			continue;
		from = sched_numa_busiest(s, n, &imb);
		if (from >= 0 && (imb.cpu > 0 || imb.mem > 0))
			move_processes(s, from, n, &imb);
	}
}
