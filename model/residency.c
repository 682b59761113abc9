/* SPDX-License-Identifier: MIT */
#include "model/residency_local.h"

#include "model/cost.h"
#include "model/err.h"

#include <stdlib.h>
#include <string.h>

/* Of a task while its spans are added. */
struct adding {
	struct residency_task *result;	/* NULL: no span in the window */
	int last_cpu;
	int hint;
};

struct residency {
	const struct topo *topo;
	const struct tasks *tasks;
	const struct cost *cost;
	int64_t from_ns, to_ns;
	int nr_nodes;
	bool sealed;
	struct mem_history memory;
	struct adding *adding;	/* [task id] */
	int64_t **proc_pages;	/* [leader] at the window's end; NULL: none */
	int64_t *no_pages;
	double *share;		/* [node], between two calls of no use */
};

struct residency *residency_new(const struct topo *topo,
		const struct tasks *tasks, const struct areas *areas,
		const struct cost *cost, int64_t from_ns, int64_t to_ns,
		struct err *err)
{
	struct residency *r = calloc(1, sizeof(*r));
	size_t nodes = (size_t)topo->nr_node_ids + 1;
	size_t nr = (size_t)tasks->nr + 1;

	if (!r)
		goto out;
	*r = (struct residency){
		.topo = topo, .tasks = tasks, .cost = cost,
		.from_ns = from_ns, .to_ns = to_ns,
		.nr_nodes = topo->nr_node_ids,
		.memory = {
			.areas = areas, .nr_tasks = tasks->nr,
			.nr_node_ids = topo->nr_node_ids,
		},
	};
	r->memory.leader = tasks_leaders(tasks);
	r->adding = calloc(nr, sizeof(*r->adding));
	r->proc_pages = calloc(nr, sizeof(*r->proc_pages));
	r->no_pages = calloc(nodes, sizeof(*r->no_pages));
	r->share = calloc(nodes, sizeof(*r->share));
	if (r->memory.leader && r->adding && r->proc_pages && r->no_pages &&
	    r->share)
		return r;
out:
	residency_free(r);
	err_nomem(err);
	return NULL;
}

void residency_free(struct residency *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->tasks->nr; i++) {
		if (r->adding && r->adding[i].result) {
			free(r->adding[i].result->node_ns);
			free(r->adding[i].result);
		}
		if (r->proc_pages)
			free(r->proc_pages[i]);
	}
	mem_history_release(&r->memory);
	free(r->adding);
	free(r->proc_pages);
	free(r->no_pages);
	free(r->share);
	free(r);
}

/* -- memory --------------------------------------------------------------- */

int residency_mem(struct residency *r, const struct mem_change *m,
		  struct err *err)
{
	struct mem_history *h = &r->memory;
	struct mem_step *step;

	if (m->area < 0 || m->area >= h->areas->nr || m->node < 0 ||
	    m->node >= h->nr_node_ids || m->pages < 0 ||
	    m->pages > INT64_MAX >> 20)
		return err_set(err, ERR_FORMAT, "memory: %lld pages of area %d "
			       "on node %d cannot be", (long long)m->pages,
			       m->area, m->node);
	if (h->nr_steps == h->size_steps) {
		int64_t size = h->size_steps ? 2 * h->size_steps : 256;

		step = realloc(h->step, (size_t)size * sizeof(*step));
		if (!step)
			return err_nomem(err);
		h->step = step;
		h->size_steps = size;
	}
	if (h->nr_steps && m->ts < h->step[h->nr_steps - 1].ts)
		return err_set(err, ERR_FORMAT,
			       "memory: changes are not in order of time");
	h->step[h->nr_steps] = (struct mem_step){
		.ts = m->ts, .pages = m->pages, .seq = h->nr_steps,
		.area = m->area, .node = m->node,
	};
	h->nr_steps++;
	return 0;
}

int residency_access(struct residency *r, const struct mem_access *a,
		     struct err *err)
{
	struct mem_history *h = &r->memory;
	struct mem_access *access;

	if (a->task < 0 || a->task >= h->nr_tasks || a->area < 0 ||
	    a->area >= h->areas->nr || a->faults < 0)
		return err_set(err, ERR_FORMAT, "memory: no such access of "
			       "task %d to area %d", a->task, a->area);
	if (h->nr_access == h->size_access) {
		int size = h->size_access ? 2 * h->size_access : 64;

		access = realloc(h->access, (size_t)size * sizeof(*access));
		if (!access)
			return err_nomem(err);
		h->access = access;
		h->size_access = size;
	}
	h->access[h->nr_access++] = *a;
	return 0;
}

int residency_seal(struct residency *r, struct err *err)
{
	struct mem_history *h = &r->memory;

	if (mem_history_seal(h, err))
		return err->code;
	for (int i = 0; i < h->nr_tasks; i++) {
		if (h->first_area[i] < 0)
			continue;
		r->proc_pages[i] = calloc((size_t)r->nr_nodes + 1,
					  sizeof(**r->proc_pages));
		if (!r->proc_pages[i])
			return err_nomem(err);
		for (int n = 0; n < r->nr_nodes; n++)
			r->proc_pages[i][n] =
				residency_pages(r, i, -1, n, r->to_ns);
	}
	r->sealed = true;
	return 0;
}

int64_t residency_pages(const struct residency *r, int proc, int area,
			int node, int64_t t)
{
	const struct mem_history *h = &r->memory;
	int64_t sum = 0;

	if (area >= 0)
		return mem_history_pages(h, area, node, t);
	for (int a = h->first_area[proc]; a >= 0; a = h->next_area[a])
		sum += mem_history_pages(h, a, node, t);
	return sum;
}

/* -- spans ---------------------------------------------------------------- */

static struct residency_task *result_of(struct residency *r, int task,
					struct err *err)
{
	struct adding *a = &r->adding[task];
	struct residency_task *t;
	int leader = r->memory.leader[task];

	if (a->result)
		return a->result;
	t = calloc(1, sizeof(*t));
	if (t)
		t->node_ns = calloc((size_t)r->nr_nodes + 1,
				    sizeof(*t->node_ns));
	if (!t || !t->node_ns) {
		free(t);
		err_nomem(err);
		return NULL;
	}
	t->task = task;
	t->first_node = t->most_node = -1;
	t->censored = (r->tasks->task[task].flags & TASK_F_BORN_BEFORE) != 0;
	t->mem_pages = r->proc_pages[leader] ? r->proc_pages[leader] :
					       r->no_pages;
	a->last_cpu = -1;
	a->result = t;
	return t;
}

static void add_memory(struct residency *r, struct residency_task *t,
		       int node, const int64_t window[2])
{
	const struct mem_view *v = mem_history_view(&r->memory, t->task);
	const struct cost *cost = r->cost;
	double known, remote = 0;

	memset(r->share, 0, (size_t)r->nr_nodes * sizeof(*r->share));
	known = mem_view_integral(&r->memory, v, window,
				  &r->adding[t->task].hint, r->share);
	if (!(known > 0))
		return;
	t->known_ns += known;
	t->local_ns += r->share[node];
	if (!cost || cost->flat || node >= cost->nr_node_ids) {
		t->remote_ns += known;
		return;
	}
	for (int n = 0; n < r->nr_nodes && n < cost->nr_node_ids; n++)
		remote += r->share[n] *
			  cost->remote[node * cost->nr_node_ids + n];
	t->remote_ns += remote;
}

/* Times in a damaged file may be anything: their sums wrap. */
static void add(int64_t *sum, int64_t from, int64_t to)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)to - (uint64_t)from);
}

static void add_time(struct residency_task *t, int node,
		     const int64_t window[2])
{
	add(&t->cpu_ns, window[0], window[1]);
	add(&t->node_ns[node], window[0], window[1]);
	if (t->most_node < 0 || t->node_ns[node] > t->node_ns[t->most_node] ||
	    (t->node_ns[node] == t->node_ns[t->most_node] &&
	     node < t->most_node))
		t->most_node = node;
}

int residency_span(struct residency *r, const struct span *s, struct err *err)
{
	int64_t window[2] = { s->start_ns, s->end_ns };
	int node = topo_node_of(r->topo, s->cpu);
	struct residency_task *t;
	struct adding *a;

	if (s->task < 0 || s->task >= r->tasks->nr || s->end_ns < s->start_ns)
		return err_set(err, ERR_FORMAT,
			       "span of task %d: no such task or time", s->task);
	if (window[0] < r->from_ns)
		window[0] = r->from_ns;
	if (window[1] > r->to_ns)
		window[1] = r->to_ns;
	if (window[1] < window[0] || s->start_ns >= r->to_ns ||
	    (s->end_ns <= r->from_ns && s->start_ns < r->from_ns))
		return 0;
	t = result_of(r, s->task, err);
	if (!t)
		return err->code;
	a = &r->adding[s->task];
	if (!t->spans)
		t->first_ns = s->start_ns;
	t->last_ns = s->end_ns;
	t->spans++;
	if (s->flags & (SPAN_F_CENSORED_START | SPAN_F_CENSORED_END))
		t->censored = 1;
	if (s->ready_ns != -1 && s->ready_ns < s->start_ns &&
	    s->start_ns >= r->from_ns)
		add(&t->wait_ns, s->ready_ns, s->start_ns);
	if (a->last_cpu >= 0 && a->last_cpu != s->cpu) {
		t->migrations++;
		t->node_migrations +=
			node != topo_node_of(r->topo, a->last_cpu);
	}
	a->last_cpu = s->cpu;
	if (node < 0)
		return 0;
	if (t->first_node < 0)
		t->first_node = node;
	add_time(t, node, window);
	if (window[1] > window[0])
		add_memory(r, t, node, window);
	return 0;
}

double residency_local(const struct residency *r, int task, int node,
		       int64_t from_ns, int64_t to_ns, double *known_ns)
{
	const int64_t window[2] = { from_ns, to_ns };
	const struct mem_history *h = &r->memory;

	*known_ns = 0;
	if (to_ns <= from_ns || node < 0 || node >= r->nr_nodes)
		return 0;
	memset(r->share, 0, (size_t)r->nr_nodes * sizeof(*r->share));
	*known_ns = mem_view_integral(h, mem_history_view(h, task), window,
				      NULL, r->share);
	return r->share[node];
}

const struct residency_task *residency_task(const struct residency *r, int task)
{
	return r->adding[task].result;
}
