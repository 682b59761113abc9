/* SPDX-License-Identifier: MIT */
#include "replay/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/view_local.h"

#define NS_PER_S 1000000000

int view_init(struct view *v, const struct topo *topo, int nr_tasks,
	      struct err *err)
{
	size_t cpus = (size_t)topo->nr_cpu_ids, nodes = (size_t)topo->nr_node_ids;

	*v = (struct view){
		.topo = topo,
		.nr_cpus = topo->nr_cpu_ids,
		.nr_nodes = topo->nr_node_ids,
		.nr_tasks = nr_tasks,
		.cpu = calloc(cpus + 1, sizeof(*v->cpu)),
		.nr_running = calloc(cpus + 1, sizeof(*v->nr_running)),
		.task = calloc((size_t)nr_tasks + 1, sizeof(*v->task)),
		.node_cpus = calloc(nodes + 1, sizeof(*v->node_cpus)),
		.nr_home = calloc(cpus * nodes + 1, sizeof(*v->nr_home)),
	};
	if (!v->cpu || !v->nr_running || !v->task || !v->node_cpus || !v->nr_home)
		return err_nomem(err);
	for (int c = 0; c < v->nr_cpus; c++) {
		const struct topo_cpu *tc = &topo->cpu[c];

		v->cpu[c].curr = TASK_NONE;
		v->cpu[c].node = tc->present ? tc->node : -1;
		v->cpu[c].online = tc->present && tc->online;
		if (v->cpu[c].online)
			v->node_cpus[tc->node]++;
	}
	for (int t = 0; t < nr_tasks; t++) {
		v->task[t].cpu = -1;
		v->task[t].home = -1;
		v->task[t].proc = t;
	}
	return 0;
}

void view_release(struct view *v)
{
	free(v->cpu);
	free(v->nr_running);
	free(v->task);
	free(v->node_cpus);
	free(v->nr_home);
	*v = (struct view){ 0 };
}

static bool is_task(const struct view *v, int task)
{
	return task >= 0 && task < v->nr_tasks;
}

static bool is_cpu(const struct view *v, int cpu)
{
	return cpu >= 0 && cpu < v->nr_cpus;
}

static bool is_node(const struct view *v, int node)
{
	return node >= 0 && node < v->nr_nodes;
}

int64_t view_now(const struct view *v)
{
	return v->now;
}

int view_hz(const struct view *v)
{
	return v->queues->hz;
}

int64_t view_ticks(const struct view *v)
{
	return v->tick;
}

int64_t view_ns_to_ticks(const struct view *v, int64_t ns)
{
	int64_t hz = v->queues->hz;

	return ns / NS_PER_S * hz + ns % NS_PER_S * hz / NS_PER_S;
}

uint64_t view_random(const struct view *v, uint64_t below)
{
	return rng_below(v->rng, below);
}

const struct topo *view_topo(const struct view *v)
{
	return v->topo;
}

int view_nr_cpu_ids(const struct view *v)
{
	return v->nr_cpus;
}

int view_nr_node_ids(const struct view *v)
{
	return v->nr_nodes;
}

bool view_cpu_online(const struct view *v, int cpu)
{
	return is_cpu(v, cpu) && v->cpu[cpu].online;
}

int view_cpu_node(const struct view *v, int cpu)
{
	return is_cpu(v, cpu) ? v->cpu[cpu].node : -1;
}

int view_node_cpus(const struct view *v, int node)
{
	return is_node(v, node) ? v->node_cpus[node] : 0;
}

int view_nr_running(const struct view *v, int cpu)
{
	return is_cpu(v, cpu) ? v->nr_running[cpu] : 0;
}

const int *view_queue_lengths(const struct view *v)
{
	return v->nr_running;
}

int view_nr_crowded(const struct view *v)
{
	return v->nr_crowded;
}

int view_curr(const struct view *v, int cpu)
{
	return is_cpu(v, cpu) ? v->cpu[cpu].curr : TASK_NONE;
}

int view_nr_home(const struct view *v, int cpu, int node)
{
	if (!is_cpu(v, cpu) || !is_node(v, node))
		return 0;
	return v->nr_home[(size_t)cpu * (size_t)v->nr_nodes + (size_t)node];
}

int view_queue_next(const struct view *v, int cpu, struct queue_pos *pos)
{
	if (!is_cpu(v, cpu))
		return TASK_NONE;
	return v->queues->ops->steal_next(v->queues, cpu, pos);
}

/* Without a discipline that keeps averages. */
static int64_t momentary(const struct view *v, enum view_signal what, int id)
{
	enum view_state s = view_task_state(v, id);
	bool waits = s == VIEW_QUEUED || s == VIEW_RUNNING;

	switch (what) {
	case SIGNAL_CPU_LOAD:
	case SIGNAL_CPU_RUNNABLE:
	case SIGNAL_CPU_WEIGHT:
		return (int64_t)view_nr_running(v, id) * 1024;
	case SIGNAL_CPU_UTIL:
		return view_curr(v, id) != TASK_NONE ? 1024 : 0;
	case SIGNAL_AVG_IDLE:
		return INT64_MAX;
	case SIGNAL_TASK_UTIL:
		return s == VIEW_RUNNING ? 1024 : 0;
	case SIGNAL_TASK_WEIGHT:
		return 1024;
	default:
		return waits ? 1024 : 0;
	}
}

int64_t view_signal(const struct view *v, enum view_signal what, int id)
{
	bool of_cpu = what <= SIGNAL_AVG_IDLE || what == SIGNAL_CPU_WEIGHT;

	if (of_cpu ? !is_cpu(v, id) : !is_task(v, id))
		return 0;
	if (!v->queues || !v->queues->ops || !v->queues->ops->signal)
		return momentary(v, what, id);
	return v->queues->ops->signal(v->queues, what, id);
}

int view_nr_tasks(const struct view *v)
{
	return v->nr_tasks;
}

enum view_state view_task_state(const struct view *v, int task)
{
	return is_task(v, task) ? (enum view_state)v->task[task].state :
		VIEW_UNBORN;
}

int view_task_cpu(const struct view *v, int task)
{
	return is_task(v, task) ? v->task[task].cpu : -1;
}

int view_task_proc(const struct view *v, int task)
{
	return is_task(v, task) ? v->task[task].proc : TASK_NONE;
}

int view_task_home(const struct view *v, int task)
{
	return is_task(v, task) ? v->task[task].home : -1;
}

bool view_task_is_kthread(const struct view *v, int task)
{
	return is_task(v, task) && v->task[task].is_kthread;
}

bool view_allowed(const struct view *v, int task, int cpu)
{
	if (!is_task(v, task) || !view_cpu_online(v, cpu))
		return false;
	return !v->task[task].allowed || cpumask_test(v->task[task].allowed, cpu);
}

int64_t view_task_ran_ns(const struct view *v, int task)
{
	return is_task(v, task) ? v->task[task].ran_ns : 0;
}

int64_t view_task_ran_ticks(const struct view *v, int task)
{
	return is_task(v, task) ? v->tick - v->task[task].ran_tick : 0;
}

static const struct task *known(const struct view *v, int task)
{
	return v->tasks && task >= 0 && task < v->tasks->nr ?
		&v->tasks->task[task] : NULL;
}

const char *view_task_comm(const struct view *v, int task)
{
	const struct task *t = known(v, task);

	return t ? t->comm : "";
}

const char *view_task_cgroup(const struct view *v, int task)
{
	const struct task *t = known(v, task);

	return t && t->cgroup ? t->cgroup : "";
}

int view_task_tid(const struct view *v, int task)
{
	const struct task *t = known(v, task);

	return t ? t->tid : -1;
}

int view_nr_areas(const struct view *v)
{
	return v->areas ? v->areas->nr : 0;
}

int view_area_proc(const struct view *v, int area)
{
	return area >= 0 && area < view_nr_areas(v) ?
		v->areas->area[area].proc : TASK_NONE;
}

int64_t view_page_size(const struct view *v)
{
	return v->page_size > 0 ? v->page_size : 4096;
}

int64_t view_area_pages(const struct view *v, int area, int node)
{
	return v->area_pages && is_node(v, node) ?
		v->area_pages(v, area, node) : 0;
}

/* The first row of a task or of a later one. */
static int first_access(const struct view *v, int task)
{
	int lo = 0, hi = v->nr_access;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (v->access[mid].task < task)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int64_t view_access(const struct view *v, int task, int area)
{
	int i = first_access(v, task), first = i;

	for (; i < v->nr_access && v->access[i].task == task; i++)
		if (v->access[i].area == area)
			return v->access[i].faults > 0 ? v->access[i].faults : 0;
	return i > first ? 0 : -1;
}

int64_t view_task_pages(const struct view *v, int task, int node)
{
	return v->proc_pages && is_task(v, task) && is_node(v, node) ?
		v->proc_pages(v, v->task[task].proc, node) : 0;
}

static void decide(struct decisions *d, const struct decision *x)
{
	int size = d->size ? d->size * 2 : 16;
	struct decision *item = d->item;

	if (d->nr == d->size) {
		item = realloc(item, (size_t)size * sizeof(*item));
		if (!item) {
			decide_nomem(d);
			return;
		}
		d->item = item;
		d->size = size;
	}
	d->item[d->nr++] = *x;
}

void decide_pull(struct decisions *d, const struct pull *p)
{
	decide(d, &(struct decision){ .kind = DECIDE_PULL, .pull = *p });
}

void decide_pages(struct decisions *d, const struct page_move *m)
{
	decide(d, &(struct decision){ .kind = DECIDE_PAGES, .pages = *m });
}

void decide_home(struct decisions *d, int task, int node)
{
	decide(d, &(struct decision){
		.kind = DECIDE_HOME, .home = { task, node } });
}

void decide_time(struct decisions *d, int task, int64_t ns)
{
	decide(d, &(struct decision){
		.kind = DECIDE_TIME, .time = { task, ns } });
}

void decide_nomem(struct decisions *d)
{
	d->nomem = true;
}

void decide_count(struct decisions *d, enum policy_count what, int64_t nr)
{
	if ((unsigned int)what < POLICY_NR_COUNTS)
		decide(d, &(struct decision){
			.kind = DECIDE_COUNT, .count = { what, nr } });
}

void decisions_release(struct decisions *d)
{
	free(d->item);
	*d = (struct decisions){ 0 };
}
