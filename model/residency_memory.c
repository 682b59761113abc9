/* SPDX-License-Identifier: MIT */
#include "model/residency_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

static void view_release(struct mem_view *v)
{
	curve_release(&v->own);
	free(v->part);
	free(v->ts);
	free(v->sum);
}

void mem_history_release(struct mem_history *h)
{
	for (int i = 0; h->proc_view && i < h->nr_tasks; i++)
		view_release(&h->proc_view[i]);
	for (int i = 0; h->task_view && i < h->nr_tasks; i++)
		view_release(&h->task_view[i]);
	for (int i = 0; h->area_curve && i < h->areas->nr; i++)
		curve_release(&h->area_curve[i]);
	free(h->proc_view);
	free(h->task_view);
	free(h->area_curve);
	free(h->has_curve);
	free(h->has_weights);
	free(h->step);
	free(h->area_at);
	free(h->access);
	free(h->leader);
	free(h->first_area);
	free(h->next_area);
	free(h->scratch);
}

/* -- sorting -------------------------------------------------------------- */

/* By area, each area's in the order in which they were given. */
static int sort_steps(struct mem_history *h, struct err *err)
{
	int nr = h->areas->nr;
	struct mem_step *sorted;
	int64_t *at = h->area_at;

	sorted = malloc(((size_t)h->nr_steps + 1) * sizeof(*sorted));
	if (!sorted)
		return err_nomem(err);
	for (int64_t i = 0; i < h->nr_steps; i++)
		at[h->step[i].area + 1]++;
	for (int a = 0; a < nr; a++)
		at[a + 1] += at[a];
	for (int64_t i = 0; i < h->nr_steps; i++)
		sorted[at[h->step[i].area]++] = h->step[i];
	for (int a = nr; a > 0; a--)
		at[a] = at[a - 1];
	at[0] = 0;
	free(h->step);
	h->step = sorted;
	return 0;
}

static int by_task(const void *pa, const void *pb)
{
	const struct mem_access *a = pa, *b = pb;

	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	return (a->area > b->area) - (a->area < b->area);
}

static void link_areas(struct mem_history *h)
{
	for (int i = 0; i < h->nr_tasks; i++)
		h->first_area[i] = -1;
	for (int a = h->areas->nr - 1; a >= 0; a--) {
		int proc = h->areas->area[a].proc;

		h->next_area[a] = -1;
		if (proc < 0 || proc >= h->nr_tasks)
			continue;
		h->next_area[a] = h->first_area[proc];
		h->first_area[proc] = a;
	}
}

static int64_t nr_changes(const struct mem_history *h, int area)
{
	return h->area_at[area + 1] - h->area_at[area];
}

/* -- curves --------------------------------------------------------------- */

/* What a curve is made of: areas, with weights or pooled by their pages. */
struct mixture {
	const struct mem_history *h;
	const struct mem_part *part;
	int nr_parts;
	bool pooled;
	const struct mem_step **step;	/* of all parts, in order */
	int64_t nr_steps;
	int *place;		/* [node] index into nodes, -1 */
	int *nodes;
	int nr_nodes;
	int *local;		/* [area] index into part */
	int64_t *pages;		/* [part][node place] */
	int64_t *total;		/* [part] */
	int64_t *pool;		/* [node place] */
	int64_t pool_total;
	double *share;
};

static int by_seq(const void *pa, const void *pb)
{
	const struct mem_step *a = *(const struct mem_step *const *)pa;
	const struct mem_step *b = *(const struct mem_step *const *)pb;

	return (a->seq > b->seq) - (a->seq < b->seq);
}

static void mixture_release(struct mixture *m)
{
	free(m->step);
	free(m->place);
	free(m->nodes);
	free(m->local);
	free(m->pages);
	free(m->total);
	free(m->pool);
	free(m->share);
}

static void gather(struct mixture *m)
{
	const struct mem_history *h = m->h;

	for (int p = 0; p < m->nr_parts; p++) {
		int area = m->part[p].area;

		m->local[area] = p;
		for (int64_t i = h->area_at[area]; i < h->area_at[area + 1];
		     i++) {
			m->step[m->nr_steps++] = &h->step[i];
			if (h->step[i].pages > 0)
				m->place[h->step[i].node] = 0;
		}
	}
	if (m->nr_parts > 1)
		qsort(m->step, (size_t)m->nr_steps, sizeof(*m->step), by_seq);
	for (int n = 0; n < h->nr_node_ids; n++) {
		if (m->place[n] < 0)
			continue;
		m->place[n] = m->nr_nodes;
		m->nodes[m->nr_nodes++] = n;
	}
}

static int mixture_init(struct mixture *m, struct err *err)
{
	const struct mem_history *h = m->h;
	size_t nodes = (size_t)h->nr_node_ids;
	size_t cells = (size_t)m->nr_parts;
	int64_t nr = 0;

	for (int p = 0; p < m->nr_parts; p++)
		nr += nr_changes(h, m->part[p].area);
	m->step = malloc(((size_t)nr + 1) * sizeof(*m->step));
	m->place = malloc((nodes + 1) * sizeof(*m->place));
	m->nodes = malloc((nodes + 1) * sizeof(*m->nodes));
	m->local = malloc(((size_t)h->areas->nr + 1) * sizeof(*m->local));
	m->share = malloc((nodes + 1) * sizeof(*m->share));
	m->total = calloc(cells + 1, sizeof(*m->total));
	m->pool = calloc(nodes + 1, sizeof(*m->pool));
	if (!m->step || !m->place || !m->nodes || !m->local || !m->share ||
	    !m->total || !m->pool)
		return err_nomem(err);
	memset(m->place, -1, (nodes + 1) * sizeof(*m->place));
	gather(m);
	m->pages = calloc(cells * (size_t)m->nr_nodes + 1, sizeof(*m->pages));
	return m->pages ? 0 : err_nomem(err);
}

static void apply(struct mixture *m, const struct mem_step *s)
{
	int p = m->local[s->area], n = m->place[s->node];
	int64_t *cell, more;

	if (n < 0)
		return;
	cell = &m->pages[(size_t)p * (size_t)m->nr_nodes + (size_t)n];
	more = s->pages - *cell;
	*cell = s->pages;
	m->total[p] += more;
	m->pool[n] += more;
	m->pool_total += more;
}

static const double *pooled_shares(struct mixture *m)
{
	for (int n = 0; n < m->nr_nodes; n++)
		m->share[n] = (double)m->pool[n] / (double)m->pool_total;
	return m->pool_total > 0 ? m->share : NULL;
}

/* NULL: nothing is known. */
static const double *shares(struct mixture *m)
{
	double sum = 0;

	if (m->pooled)
		return pooled_shares(m);
	memset(m->share, 0, (size_t)m->nr_nodes * sizeof(*m->share));
	for (int p = 0; p < m->nr_parts; p++) {
		const int64_t *pages =
			&m->pages[(size_t)p * (size_t)m->nr_nodes];
		double w = m->part[p].weight;

		if (m->total[p] <= 0)
			continue;
		sum += w;
		for (int n = 0; n < m->nr_nodes; n++)
			m->share[n] += w * ((double)pages[n] /
					    (double)m->total[p]);
	}
	for (int n = 0; n < m->nr_nodes; n++)
		m->share[n] /= sum;
	return sum > 0 ? m->share : NULL;
}

static int mix(struct mixture *m, struct curve *c, struct err *err)
{
	if (mixture_init(m, err) ||
	    curve_init(c, m->nodes, m->nr_nodes, err))
		return err->code;
	for (int64_t i = 0; i < m->nr_steps; i++) {
		apply(m, m->step[i]);
		if (i + 1 < m->nr_steps && m->step[i + 1]->ts == m->step[i]->ts)
			continue;
		if (curve_step(c, m->step[i]->ts, shares(m), err))
			return err->code;
	}
	return 0;
}

/* -- views ---------------------------------------------------------------- */

static int mix_view(const struct mem_history *h, const struct mem_part *part,
		    int nr, bool pooled, struct curve *c, struct err *err)
{
	struct mixture m = {
		.h = h, .part = part, .nr_parts = nr, .pooled = pooled,
	};

	mix(&m, c, err);
	mixture_release(&m);
	return err->code;
}

static int need_area_curve(struct mem_history *h, int area, struct err *err)
{
	const struct mem_part part = { .weight = 1, .area = area };

	if (h->has_curve[area])
		return 0;
	h->has_curve[area] = true;
	return mix_view(h, &part, 1, true, &h->area_curve[area], err);
}

struct toggle {
	int64_t ts;
	double more;
};

static int by_time(const void *pa, const void *pb)
{
	const struct toggle *a = pa, *b = pb;

	return (a->ts > b->ts) - (a->ts < b->ts);
}

/* When an area comes to hold pages, or holds none any more. */
static int count_toggles(const struct curve *c, double weight,
			 struct toggle *to)
{
	bool was = false;
	int nr = 0;

	for (int i = 0; i < c->nr; i++) {
		double first = c->sum[(size_t)i * (size_t)(1 + c->nr_nodes)];
		bool is = i + 1 == c->nr ? c->rate[0] > 0 :
			c->sum[(size_t)(i + 1) * (size_t)(1 + c->nr_nodes)] >
				first;

		if (is != was && to)
			to[nr] = (struct toggle){ c->ts[i],
						  is ? weight : -weight };
		nr += is != was;
		was = is;
	}
	return nr;
}

static int sum_weights(struct mem_history *h, struct mem_view *v,
		       struct err *err)
{
	struct toggle *list;
	int nr = 0, n = 0;
	double sum = 0;

	for (int p = 0; p < v->nr_parts; p++)
		nr += count_toggles(&h->area_curve[v->part[p].area], 0, NULL);
	list = malloc(((size_t)nr + 1) * sizeof(*list));
	v->ts = malloc(((size_t)nr + 1) * sizeof(*v->ts));
	v->sum = malloc(((size_t)nr + 1) * sizeof(*v->sum));
	if (!list || !v->ts || !v->sum) {
		free(list);
		return err_nomem(err);
	}
	for (int p = 0; p < v->nr_parts; p++)
		n += count_toggles(&h->area_curve[v->part[p].area],
				   v->part[p].weight, list + n);
	qsort(list, (size_t)nr, sizeof(*list), by_time);
	for (int i = 0; i < nr; i++) {
		sum += list[i].more;
		if (i + 1 < nr && list[i + 1].ts == list[i].ts)
			continue;
		v->ts[v->nr_sums] = list[i].ts;
		v->sum[v->nr_sums++] = sum;
	}
	free(list);
	return 0;
}

static int make_shared(struct mem_history *h, struct mem_view *v,
		       const struct mem_part *part, int nr, struct err *err)
{
	v->shared = true;
	v->part = malloc(((size_t)nr + 1) * sizeof(*v->part));
	if (!v->part)
		return err_nomem(err);
	memcpy(v->part, part, (size_t)nr * sizeof(*part));
	v->nr_parts = nr;
	for (int p = 0; p < nr; p++)
		if (need_area_curve(h, part[p].area, err))
			return err->code;
	return sum_weights(h, v, err);
}

static int make_task_views(struct mem_history *h, struct mem_part *part,
			   struct err *err)
{
	for (int i = 0, end; i < h->nr_access; i = end) {
		int task = h->access[i].task;
		struct mem_view *v = &h->task_view[task];
		int64_t changes = 0;
		int nr = 0;

		for (end = i; end < h->nr_access &&
		     h->access[end].task == task; end++) {
			if (nr && part[nr - 1].area == h->access[end].area) {
				part[nr - 1].weight +=
					(double)h->access[end].faults;
				continue;
			}
			part[nr].area = h->access[end].area;
			part[nr++].weight = (double)h->access[end].faults;
			changes += nr_changes(h, h->access[end].area);
		}
		h->has_weights[task] = true;
		if (changes > VIEW_OWN_CHANGES ?
		    make_shared(h, v, part, nr, err) :
		    mix_view(h, part, nr, false, &v->own, err))
			return err->code;
	}
	return 0;
}

static int make_proc_views(struct mem_history *h, struct mem_part *part,
			   struct err *err)
{
	bool *needed = calloc((size_t)h->nr_tasks + 1, sizeof(*needed));

	if (!needed)
		return err_nomem(err);
	for (int i = 0; i < h->nr_tasks; i++)
		if (!h->has_weights[i])
			needed[h->leader[i]] = true;
	for (int i = 0; i < h->nr_tasks && !err->code; i++) {
		int nr = 0;

		if (!needed[i])
			continue;
		for (int a = h->first_area[i]; a >= 0; a = h->next_area[a])
			if (nr_changes(h, a))
				part[nr++] = (struct mem_part){ .area = a };
		if (nr)
			mix_view(h, part, nr, true, &h->proc_view[i].own, err);
	}
	free(needed);
	return err->code;
}

int mem_history_seal(struct mem_history *h, struct err *err)
{
	size_t tasks = (size_t)h->nr_tasks + 1;
	size_t areas = (size_t)h->areas->nr + 1;
	size_t most = areas > (size_t)h->nr_access ? areas :
						     (size_t)h->nr_access;
	struct mem_part *part = malloc(most * sizeof(*part));

	h->area_at = calloc(areas + 1, sizeof(*h->area_at));
	h->first_area = malloc(tasks * sizeof(*h->first_area));
	h->next_area = malloc(areas * sizeof(*h->next_area));
	h->area_curve = calloc(areas, sizeof(*h->area_curve));
	h->has_curve = calloc(areas, sizeof(*h->has_curve));
	h->proc_view = calloc(tasks, sizeof(*h->proc_view));
	h->task_view = calloc(tasks, sizeof(*h->task_view));
	h->has_weights = calloc(tasks, sizeof(*h->has_weights));
	h->scratch = calloc((size_t)h->nr_node_ids + 1, sizeof(*h->scratch));
	if (!part || !h->area_at || !h->first_area || !h->next_area ||
	    !h->area_curve || !h->has_curve || !h->proc_view ||
	    !h->task_view || !h->has_weights || !h->scratch) {
		free(part);
		return err_nomem(err);
	}
	if (h->nr_access)
		qsort(h->access, (size_t)h->nr_access, sizeof(*h->access),
		      by_task);
	link_areas(h);
	if (!sort_steps(h, err) && !make_task_views(h, part, err))
		make_proc_views(h, part, err);
	free(part);
	return err->code;
}

const struct mem_view *mem_history_view(const struct mem_history *h, int task)
{
	return h->has_weights[task] ? &h->task_view[task] :
				      &h->proc_view[h->leader[task]];
}

/* -- reading -------------------------------------------------------------- */

static void add_curve(const struct curve *c, const double *integral,
		      double factor, double *into)
{
	for (int i = 0; i < c->nr_nodes; i++)
		into[c->node[i]] += factor * integral[i];
}

static double shared_integral(const struct mem_history *h,
			      const struct mem_view *v,
			      const int64_t window[2], double *into)
{
	double known = 0;
	int lo = 0, hi = v->nr_sums;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (v->ts[mid] <= window[0])
			lo = mid + 1;
		else
			hi = mid;
	}
	for (int i = lo ? lo - 1 : 0; i < v->nr_sums; i++) {
		int64_t from = v->ts[i], to = window[1];

		if (i + 1 < v->nr_sums && v->ts[i + 1] < to)
			to = v->ts[i + 1];
		if (from < window[0])
			from = window[0];
		if (from >= to)
			break;
		if (!(v->sum[i] > 0))
			continue;
		known += (double)((uint64_t)to - (uint64_t)from);
		for (int p = 0; p < v->nr_parts; p++) {
			const struct curve *c =
				&h->area_curve[v->part[p].area];

			curve_integral(c, from, to, NULL, h->scratch);
			add_curve(c, h->scratch,
				  v->part[p].weight / v->sum[i], into);
		}
	}
	return known;
}

double mem_view_integral(const struct mem_history *h, const struct mem_view *v,
			 const int64_t window[2], int *hint, double *into)
{
	double known;

	if (v->shared)
		return shared_integral(h, v, window, into);
	if (!v->own.nr)
		return 0;
	known = curve_integral(&v->own, window[0], window[1], hint,
			       h->scratch);
	add_curve(&v->own, h->scratch, 1, into);
	return known;
}

int64_t mem_history_pages(const struct mem_history *h, int area, int node,
			  int64_t t)
{
	int64_t first = h->area_at[area], lo = first;
	int64_t hi = h->area_at[area + 1];

	while (lo < hi) {
		int64_t mid = lo + (hi - lo) / 2;

		if (h->step[mid].ts <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo-- > first)
		if (h->step[lo].node == node)
			return h->step[lo].pages;
	return 0;
}
