/* SPDX-License-Identifier: MIT */
#include "replay/policy_affine.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/view.h"

enum { PS2, P10, OFF };
enum { AT_EXEC, AT_FORK, AT_FORK_ALL };
enum { ALLOC_HOME, ALLOC_LOCAL };

struct affine {
	struct pool pool;
	const struct knob_value *knob;
};

static int64_t int_knob(const struct affine *a, int k)
{
	return a->knob[k].i;
}

/* -- homes -------------------------------------------------------------------- */

/* PS2: runnable tasks assigned to the node, wherever they run. */
static int64_t assigned_load(struct pool *p, const struct view *v, int task,
			     int node)
{
	enum view_state s = view_task_state(v, task);
	bool counts = (s == VIEW_RUNNING || s == VIEW_QUEUED) &&
		view_task_home(v, task) == node;
	int64_t sum = counts ? -1 : 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		sum += view_nr_home(v, c, node);
	return sum * 100 / view_node_cpus(v, node);
}

static int choose(struct affine *a, const struct view *v, int task,
		  struct decisions *d)
{
	int cpu = pool_place(&a->pool, v, task,
			     int_knob(a, AFFINE_CHOICE) == P10 ? pool_running_load :
			     assigned_load);

	if (cpu >= 0)
		decide_home(d, task, view_cpu_node(v, cpu));
	return cpu;
}

void affine_init_task(void *state, const struct view *v, int task,
			     int parent, struct decisions *d)
{
	int home = view_cpu_node(v, view_task_cpu(v, task));

	if (parent != TASK_NONE && !view_task_is_kthread(v, task))
		home = view_task_home(v, parent);
	decide_home(d, task, home);
}

static bool chooses(const struct affine *a, const struct view *v,
		    const struct select_args *s)
{
	if (!int_knob(a, AFFINE_ILB) || view_task_is_kthread(v, s->task))
		return false;
	if (s->why == SELECT_EXEC)
		return true;
	if (s->why != SELECT_FORK || s->waker == TASK_NONE)
		return false;
	if (int_knob(a, AFFINE_NODE_POLICY) == AT_FORK)
		return view_task_proc(v, s->task) != view_task_proc(v, s->waker);
	return int_knob(a, AFFINE_NODE_POLICY) == AT_FORK_ALL;
}

int affine_select_cpu(void *state, const struct view *v,
			     const struct select_args *s, struct decisions *d)
{
	int cpu = chooses(state, v, s) ? choose(state, v, s->task, d) : -1;

	return cpu >= 0 ? cpu : s->prev_cpu;
}

int affine_place_page(void *state, const struct view *v, int task,
			     int area, int64_t *pages)
{
	const struct affine *a = state;
	int home = view_task_home(v, task);

	if (home < 0 || a->knob[AFFINE_ALLOC].i)
		home = view_cpu_node(v, view_task_cpu(v, task));
	return home;
}

/* -- balancing ----------------------------------------------------------------- */

/* Tasks elsewhere that belong here count twice. */
static int belongs_here(void *ctx, const struct view *v, int cpu, int this_node)
{
	return view_nr_home(v, cpu, this_node);
}

/* How many different distances there are up to that of two nodes. */
static int level_of(const struct view *v, int from, int to)
{
	const struct topo *t = view_topo(v);
	int far = topo_distance(t, from, to), level = 0;

	for (int n = 0; n < view_nr_node_ids(v); n++) {
		int d = topo_distance(t, from, n);
		bool is_new = view_node_cpus(v, n) && d < far;

		for (int m = 0; is_new && m < n; m++)
			is_new = !view_node_cpus(v, m) ||
				topo_distance(t, from, m) != d;
		level += is_new;
	}
	return level;
}

static int nr_levels(const struct view *v, int from)
{
	int max = 0;

	for (int n = 0; n < view_nr_node_ids(v); n++) {
		int l = view_node_cpus(v, n) ? level_of(v, from, n) : 0;

		if (l > max)
			max = l;
	}
	return max + 1;
}

/* F: the node that has most of the task's pages, its home unless another has
 * strictly more. */
static int home_by_pages(const struct affine *a, const struct view *v, int task,
			 struct decisions *d)
{
	int home = view_task_home(v, task), best = home;

	if (!a->knob[AFFINE_DYNAMIC].i)
		return home;
	for (int n = 0; n < view_nr_node_ids(v); n++)
		if (view_task_pages(v, task, n) > view_task_pages(v, task, best))
			best = n;
	if (best != home)
		decide_home(d, task, best);
	return best;
}

static int64_t weight(void *ctx, const struct view *v, int task, int this_cpu,
		      int64_t cold, struct decisions *d)
{
	const struct affine *a = ctx;
	int here = view_cpu_node(v, this_cpu);
	int home = home_by_pages(a, v, task, d);
	int64_t w = cold;

	if (home < 0)
		return cold;
	if (a->knob[AFFINE_WEIGHTS].i == P10)
		w += home == here ? 100 : 0;
	else
		w += (2 * (nr_levels(v, here) - level_of(v, here, home)) - 1) * 100;
	if (home == view_cpu_node(v, view_task_cpu(v, task)))
		w -= 100;
	return w;
}

static int home_load(const struct view *v, int node)
{
	int sum = 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node)
			sum += view_nr_home(v, c, node);
	return sum;
}

static int running_on(const struct view *v, int node)
{
	int sum = 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node)
			sum += view_nr_running(v, c);
	return sum;
}

static bool has_no_own(const struct view *v, int cpu, int node)
{
	return !view_nr_home(v, cpu, node);
}

/* Set back a task that runs alone, away from home (try_push_home). */
static void push_home(struct affine *a, const struct view *v, int cpu,
		      struct decisions *d)
{
	int task = view_curr(v, cpu), home = view_task_home(v, task), to = -1;

	if (view_nr_running(v, cpu) != 1 || task == TASK_NONE || home < 0 ||
	    home == view_cpu_node(v, cpu) || !view_node_cpus(v, home))
		return;
	if (a->knob[AFFINE_PUSH].i == PS2) {
		if (100 * home_load(v, home) / view_node_cpus(v, home) <
		    a->knob[AFFINE_PUSH_LIMIT].i)
			to = pool_lowest_cpu(v, task, home, NULL);
		if (to == 0)
			return;		/* the source never pushes to CPU 0 */
	} else if (a->knob[AFFINE_PUSH].i == P10) {
		if (running_on(v, home) > home_load(v, home))
			to = pool_lowest_cpu(v, task, home, has_no_own);
	}
	if (to >= 0)
		decide_pull(d, &(struct pull){
			.task = task, .to_cpu = to, .why = MOVE_PUSH });
}

static void balance(struct affine *a, const struct view *v, int cpu,
		    bool is_idle, struct decisions *d)
{
	if (!pool_balance(&a->pool, v, cpu, is_idle, d))
		push_home(a, v, cpu, d);
}

void affine_tick(void *state, const struct view *v, int cpu,
			struct decisions *d)
{
	struct affine *a = state;
	bool is_idle;

	if (pool_due(&a->pool, v, cpu, &is_idle))
		balance(a, v, cpu, is_idle, d);
}

void affine_newidle(void *state, const struct view *v, int cpu,
			   struct decisions *d)
{
	balance(state, v, cpu, true, d);
}

/* -- set-up -------------------------------------------------------------------- */

int affine_init(void **state, const struct view *v, const struct knob_value *k,
		struct err *err)
{
	struct affine *a = calloc(1, sizeof(*a));

	*state = a;
	if (!a)
		return err_nomem(err);
	a->knob = k;
	a->pool.ctx = a;
	a->pool.extra_load = belongs_here;
	a->pool.weight = weight;
	pool_read_knobs(&a->pool, k);
	return pool_init(&a->pool, v, err);
}

void affine_exit(void *state)
{
	struct affine *a = state;

	if (a)
		pool_release(&a->pool);
	free(a);
}
