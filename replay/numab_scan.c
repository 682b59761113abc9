/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#include "model/task.h"

#define NS_PER_MS INT64_C(1000000)
#define REST_PER_SCAN 32	/* so scanning takes at most 3 % of the time */
#define MAX_WINDOW_MB 2560	/* scanned per second at most */

static int64_t pages_per_scan(const struct numab *n)
{
	int64_t pages = n->knob[NUMAB_SCAN_SIZE].i * (1 << 20) /
		view_page_size(n->v);

	return pages > 0 ? pages : 1;
}

/* How many scans a pass over the process takes. */
static int64_t windows(const struct numab *n, int proc)
{
	int64_t pages = 0, size = pages_per_scan(n);

	for (int a = n->proc[proc].first_area; a >= 0; a = n->area[a].sibling)
		pages += n->area[a].pages;
	pages = (pages + size - 1) / size;
	return pages > 0 ? pages : 1;
}

int64_t numab_scan_min(const struct numab *n, int task)
{
	int proc = view_task_proc(n->v, task);
	int64_t size = n->knob[NUMAB_SCAN_SIZE].i, least = 1000 * NS_PER_MS;
	int64_t period = n->knob[NUMAB_PERIOD_MIN].i / windows(n, proc);

	if (size < MAX_WINDOW_MB)
		least /= MAX_WINDOW_MB / size;
	return period > least ? period : least;
}

int64_t numab_scan_start(const struct numab *n, int task)
{
	int64_t least = numab_scan_min(n, task);
	int64_t period = numab_group_scale(n, task, least);

	return period > least ? period : least;
}

int64_t numab_scan_max(const struct numab *n, int task)
{
	int64_t most = n->knob[NUMAB_PERIOD_MAX].i /
		windows(n, view_task_proc(n->v, task));
	int64_t least = numab_scan_min(n, task);
	int64_t period = numab_group_scale(n, task, most);

	/* A group may take longer, not less. */
	if (period > most)
		most = period;
	return most > least ? most : least;
}

/* Pages on the node of a single-threaded process are left alone. */
static bool mark(struct numab *n, const struct numab_proc *p,
		 struct numab_unit *u, int node)
{
	if (u->marked || (n->knob[NUMAB_SKIP_LOCAL].i && p->nr_tasks <= 1 &&
			  u->node == node))
		return false;
	u->marked = true;
	return true;
}

static int64_t mark_area(struct numab *n, struct numab_proc *p, int area,
			 int node, int64_t *left)
{
	struct numab_area *a = &n->area[area];
	int64_t nr = 0;

	if (a->nr && !a->nr_marked)
		a->next = (int)view_random(n->v, (uint64_t)a->nr);
	for (; p->scan_unit < a->nr && *left > 0; p->scan_unit++) {
		*left -= a->per_unit;
		if (!mark(n, p, &a->unit[p->scan_unit], node))
			continue;
		a->nr_marked++;
		nr += a->per_unit;
	}
	return nr;
}

/* One window, from where the last one ended to the end of the pass at most. */
static int64_t scan_window(struct numab *n, struct numab_proc *p, int node)
{
	int64_t left = pages_per_scan(n), nr = 0;

	if (p->scan_area < 0) {
		p->scan_area = p->first_area;
		p->scan_unit = 0;
		nr += p->hot.node >= 0 && mark(n, p, &p->hot, node);
	}
	while (p->scan_area >= 0 && left > 0) {
		numab_sync(n, p->scan_area);
		nr += mark_area(n, p, p->scan_area, node, &left);
		if (p->scan_unit < n->area[p->scan_area].nr)
			break;
		p->scan_area = n->area[p->scan_area].sibling;
		p->scan_unit = 0;
	}
	if (p->scan_area < 0)
		p->scan_seq++;
	return nr;
}

/* What the kernel sees of the time of a scan that marked so many pages: it begins
 * at a tick, and run time is brought up to date at ticks. */
static int64_t seen_ns(const struct numab *n, int64_t nr)
{
	int64_t tick = 1000 * NS_PER_MS / view_hz(n->v);

	return nr * n->knob[NUMAB_MARK_NS].i / tick * tick;
}

int64_t numab_scan(struct numab *n, int task, int cpu)
{
	struct numab_task *t = &n->task[task];
	int proc = view_task_proc(n->v, task);
	struct numab_proc *p = &n->proc[proc];
	int64_t now = view_now(n->v), nr;

	if (p->first_area < 0)
		return 0;
	if (!t->period_ns)
		t->period_ns = n->knob[NUMAB_SCAN_DELAY].i;
	if (t->runtime <= t->stamp + t->period_ns)
		return 0;
	if (!t->stamp)
		t->period_ns = numab_scan_start(n, task);
	t->stamp += t->period_ns;
	if (now < p->next_scan_ns)
		return 0;
	p->next_scan_ns = now + t->period_ns;
	/* Another task of the process is likely to be the next. */
	t->stamp += NUMAB_STAGGER_NS;
	nr = scan_window(n, p, view_cpu_node(n->v, cpu));
	t->stamp += REST_PER_SCAN * seen_ns(n, nr);
	if (nr)
		decide_count(n->d, POLICY_SCANNED, nr);
	return nr;
}
