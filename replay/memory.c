/* SPDX-License-Identifier: MIT */
#include "replay/memory_local.h"

#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/policy.h"

/* -- set-up ---------------------------------------------------------------- */

static void number_procs(struct memory *m, const struct areas *areas)
{
	for (int t = 0; t < m->nr_tasks; t++)
		m->proc_of[t] = -1;
	for (int a = m->nr_areas - 1; a >= 0; a--) {
		int leader = areas->area[a].proc, p;

		m->area_proc[a] = -1;
		m->next_area[a] = -1;
		if (leader < 0 || leader >= m->nr_tasks)
			continue;
		p = m->proc_of[leader];
		if (p < 0) {
			p = m->proc_of[leader] = m->nr_procs++;
			m->proc_area[p] = -1;
		}
		m->area_proc[a] = p;
		m->next_area[a] = m->proc_area[p];
		m->proc_area[p] = a;
	}
}

static void set_room(struct memory *m, int64_t page_size)
{
	for (int n = 0; n < m->nr_nodes; n++) {
		const struct topo_node *t = &m->topo->node[n];

		if (t->present && t->mem_bytes < 0)
			m->node_room[n] = INT64_MAX;
		else if (t->present)
			m->node_room[n] = t->mem_bytes / page_size;
	}
}

int memory_init(struct memory *m, const struct memory_input *in,
		struct err *err)
{
	size_t areas = (size_t)in->areas->nr + 1;
	size_t nodes = (size_t)in->topo->nr_node_ids + 1;
	size_t tasks = (size_t)in->nr_tasks + 1;

	*m = (struct memory){
		.topo = in->topo,
		.access = in->access,
		.nr_access = in->nr_access,
		.nr_areas = in->areas->nr,
		.nr_nodes = in->topo->nr_node_ids,
		.nr_tasks = in->nr_tasks,
		.pages = calloc(areas * nodes, sizeof(*m->pages)),
		.area_pages = calloc(areas, sizeof(*m->area_pages)),
		.area_proc = calloc(areas, sizeof(*m->area_proc)),
		.next_area = calloc(areas, sizeof(*m->next_area)),
		.proc_of = calloc(tasks, sizeof(*m->proc_of)),
		.proc_area = calloc(areas, sizeof(*m->proc_area)),
		.proc_gen = calloc(areas, sizeof(*m->proc_gen)),
		.proc_pages = calloc(areas * nodes, sizeof(*m->proc_pages)),
		.node_pages = calloc(nodes, sizeof(*m->node_pages)),
		.node_room = calloc(nodes, sizeof(*m->node_room)),
	};
	if (!m->pages || !m->area_pages || !m->area_proc || !m->next_area ||
	    !m->proc_of || !m->proc_area || !m->proc_gen || !m->proc_pages ||
	    !m->node_pages || !m->node_room)
		return err_nomem(err);
	number_procs(m, in->areas);
	set_room(m, in->page_size);
	return 0;
}

void memory_release(struct memory *m)
{
	free(m->pages);
	free(m->area_pages);
	free(m->area_proc);
	free(m->next_area);
	free(m->proc_of);
	free(m->proc_area);
	free(m->proc_gen);
	free(m->proc_pages);
	free(m->node_pages);
	free(m->node_room);
	free(m->task);
	free(m->share);
	*m = (struct memory){ 0 };
}

static int grow_tasks(struct memory *m, struct err *err)
{
	int size = m->size_mem_tasks ? m->size_mem_tasks * 2 : 64;
	struct memory_task *task;
	double *share;

	task = realloc(m->task, (size_t)size * sizeof(*task));
	if (!task)
		return err_nomem(err);
	m->task = task;
	share = realloc(m->share, (size_t)size * ((size_t)m->nr_nodes + 1) *
			sizeof(*share));
	if (!share)
		return err_nomem(err);
	m->share = share;
	m->size_mem_tasks = size;
	return 0;
}

int memory_add_task(struct memory *m, int task, int leader, int *mem,
		    struct err *err)
{
	int proc = leader >= 0 && leader < m->nr_tasks ?
		m->proc_of[leader] : -1;
	int first, i = m->nr_mem_tasks;

	*mem = -1;
	while (m->access_at < m->nr_access &&
	       m->access[m->access_at].task < task)
		m->access_at++;
	first = m->access_at;
	while (m->access_at < m->nr_access &&
	       m->access[m->access_at].task == task)
		m->access_at++;
	if (proc < 0)
		return 0;
	if (i == m->size_mem_tasks && grow_tasks(m, err))
		return err->code;
	m->task[i] = (struct memory_task){
		.proc = proc,
		.gen = UINT64_MAX,
		.first_access = first,
		.nr_access = m->access_at - first,
	};
	m->nr_mem_tasks++;
	*mem = i;
	return 0;
}

/* -- pages ------------------------------------------------------------------ */

static int64_t *at(const struct memory *m, int64_t *table, int row, int node)
{
	return &table[(size_t)row * (size_t)m->nr_nodes + (size_t)node];
}

/* Every change of pages goes through here. */
static int change(struct memory *m, int area, int node, int64_t by)
{
	int64_t *pages = at(m, m->pages, area, node), told = *pages;
	int proc = m->area_proc[area];

	if (!by)
		return 0;
	*pages += by;
	m->area_pages[area] += by;
	m->node_pages[node] += by;
	if (proc >= 0) {
		*at(m, m->proc_pages, proc, node) += by;
		m->proc_gen[proc]++;
	}
	if (!m->changed || (told <= 0 && *pages <= 0))
		return 0;
	return m->changed(m->changed_ctx, area, node, *pages > 0 ? *pages : 0);
}

static bool has_room(const struct memory *m, int node)
{
	return m->node_pages[node] < m->node_room[node];
}

int memory_node_for(const struct memory *m, int node)
{
	int best = -1, best_far = 0;

	if (node >= 0 && node < m->nr_nodes && has_room(m, node))
		return node;
	for (int n = 0; n < m->nr_nodes; n++) {
		int far = topo_distance(m->topo, node, n);

		if (!m->topo->node[n].present || !has_room(m, n))
			continue;
		if (best < 0 || far < best_far) {
			best = n;
			best_far = far;
		}
	}
	return best >= 0 ? best : topo_nearest_memory(m->topo, node);
}

int memory_add(struct memory *m, int area, int node, int64_t pages)
{
	int r = 0;

	while (!r && pages > 0) {
		int n = memory_node_for(m, node);
		int64_t some = pages;

		if (n < 0)
			return 0;
		if (has_room(m, n) && some > m->node_room[n] - m->node_pages[n])
			some = m->node_room[n] - m->node_pages[n];
		m->touched += (uint64_t)some;
		pages -= some;
		r = change(m, area, n, some);
	}
	return r;
}

int memory_free(struct memory *m, int area, int64_t pages)
{
	int64_t total = m->area_pages[area], left;
	int r = 0;

	if (pages > total)
		pages = total;
	left = pages;
	m->freed += (uint64_t)pages;
	for (int n = 0; !r && left && n < m->nr_nodes; n++) {
		int64_t here = *at(m, m->pages, area, n);
		int64_t some = pages == total ? here :
			(int64_t)((double)here * (double)pages / (double)total);

		if (some > left)
			some = left;
		left -= some;
		r = change(m, area, n, -some);
	}
	/* What rounding left over, from the lowest nodes. */
	for (int n = 0; !r && left && n < m->nr_nodes; n++) {
		int64_t here = *at(m, m->pages, area, n);
		int64_t some = here < left ? here : left;

		left -= some;
		r = change(m, area, n, -some);
	}
	return r;
}

static bool too_many(int64_t pages, int64_t by)
{
	return pages + by > MEMORY_MAX_PAGES || pages + by < -MEMORY_MAX_PAGES;
}

int memory_record(struct memory *m, int area, int node, int64_t by)
{
	int proc = m->area_proc[area];

	if (too_many(0, by) || too_many(*at(m, m->pages, area, node), by) ||
	    too_many(m->node_pages[node], by) ||
	    (proc >= 0 && too_many(*at(m, m->proc_pages, proc, node), by)))
		return 1;
	if (by > 0)
		m->touched += (uint64_t)by;
	else
		m->freed += (uint64_t)-by;
	return change(m, area, node, by);
}

int memory_drop(struct memory *m, int leader)
{
	int proc = leader >= 0 && leader < m->nr_tasks ?
		m->proc_of[leader] : -1;
	int r = 0;

	if (proc < 0)
		return 0;
	for (int a = m->proc_area[proc]; a >= 0; a = m->next_area[a]) {
		for (int n = 0; !r && n < m->nr_nodes; n++) {
			int64_t here = *at(m, m->pages, a, n);

			m->freed += (uint64_t)here;
			r = change(m, a, n, -here);
		}
	}
	return r;
}

void memory_forget(struct memory *m, int leader)
{
	int (*changed)(void *ctx, int area, int node, int64_t pages) = m->changed;

	m->changed = NULL;
	memory_drop(m, leader);
	m->changed = changed;
}

int memory_move(struct memory *m, const struct page_move *p, int64_t *done)
{
	int64_t some = *at(m, m->pages, p->area, p->from);
	int64_t room = m->node_room[p->to] - m->node_pages[p->to];
	int r;

	*done = 0;
	if (some > p->pages)
		some = p->pages;
	if (some > room)
		some = room;
	if (some <= 0 || p->from == p->to)
		return 0;
	*done = some;
	m->moved += (uint64_t)some;
	r = change(m, p->area, p->from, -some);
	return r ? r : change(m, p->area, p->to, some);
}

int64_t memory_pages(const struct memory *m, int area, int node)
{
	return area >= 0 && area < m->nr_areas ?
		*at(m, m->pages, area, node) : 0;
}

int64_t memory_proc_pages(const struct memory *m, int leader, int node)
{
	int proc = leader >= 0 && leader < m->nr_tasks ?
		m->proc_of[leader] : -1;

	return proc >= 0 ? *at(m, m->proc_pages, proc, node) : 0;
}

/* -- shares ----------------------------------------------------------------- */

static double by_access(const struct memory *m, const struct memory_task *t,
			double *share)
{
	double sum = 0;

	for (int i = t->first_access; i < t->first_access + t->nr_access; i++) {
		const struct mem_access *x = &m->access[i];
		double w;

		if (x->area < 0 || x->area >= m->nr_areas || x->faults <= 0 ||
		    !m->area_pages[x->area])
			continue;
		w = (double)x->faults / (double)m->area_pages[x->area];
		sum += (double)x->faults;
		for (int n = 0; n < m->nr_nodes; n++)
			share[n] += w * (double)*at(m, m->pages, x->area, n);
	}
	return sum;
}

static double by_pages(const struct memory *m, const struct memory_task *t,
		       double *share)
{
	double sum = 0;

	for (int n = 0; n < m->nr_nodes; n++) {
		share[n] = (double)*at(m, m->proc_pages, t->proc, n);
		sum += share[n];
	}
	return sum;
}

const double *memory_share(struct memory *m, int mem)
{
	struct memory_task *t = &m->task[mem];
	double *share = m->share + (size_t)mem * (size_t)m->nr_nodes, sum;

	if (t->gen == m->proc_gen[t->proc])
		return share;
	t->gen = m->proc_gen[t->proc];
	memset(share, 0, (size_t)m->nr_nodes * sizeof(*share));
	sum = t->nr_access ? by_access(m, t, share) : by_pages(m, t, share);
	for (int n = 0; sum > 0 && n < m->nr_nodes; n++)
		share[n] /= sum;
	return share;
}

bool memory_share_is_old(const struct memory *m, int mem)
{
	const struct memory_task *t = &m->task[mem];

	return t->gen != m->proc_gen[t->proc];
}
