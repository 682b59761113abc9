/* SPDX-License-Identifier: MIT */
#include "replay/policy_pool.h"

#include <stdlib.h>

#include "model/err.h"
#include "replay/view.h"

/* Weights count how many cache_decay_ticks a task is cold, up to this. */
#define MAX_COLD 99

bool pool_balanced(int64_t m, int64_t t)
{
	return m <= 1 || (m - t) / 2 < ((m + t) / 2 + 3) / 4;
}

void pool_read_knobs(struct pool *p, const struct knob_value *k)
{
	p->knob = (struct pool_knobs){
		.busy_ns = k[POOL_BUSY].i,
		.idle_ns = k[POOL_IDLE].i,
		.cache_decay = k[POOL_DECAY].i,
		.delay = k[POOL_DELAY].i,
		.delay_shift = k[POOL_DELAY_SHIFT].i,
		.idle_delay = k[POOL_IDLE_DELAY].i,
		.whole_lists = k[POOL_STEAL].i,
	};
}

int pool_init(struct pool *p, const struct view *v, struct err *err)
{
	size_t nodes = (size_t)view_nr_node_ids(v) + 1;
	size_t cpus = (size_t)view_nr_cpu_ids(v) + 1;

	p->node = calloc(nodes, sizeof(*p->node));
	p->index = calloc(nodes, sizeof(*p->index));
	p->wait = calloc(cpus, sizeof(*p->wait));
	p->first = calloc(nodes + 1, sizeof(*p->first));
	p->cpu = calloc(cpus, sizeof(*p->cpu));
	if (!p->node || !p->index || !p->wait || !p->first || !p->cpu ||
	    prev_load_init(&p->load, v))
		return err_nomem(err);
	for (int n = 0; n < view_nr_node_ids(v); n++) {
		p->index[n] = -1;
		if (!view_node_cpus(v, n))
			continue;
		p->index[n] = p->nr;
		p->node[p->nr++] = n;
		for (int c = 0; c < view_nr_cpu_ids(v); c++)
			if (view_cpu_online(v, c) && view_cpu_node(v, c) == n)
				p->cpu[p->nr_cpus++] = c;
		p->first[p->nr] = p->nr_cpus;
	}
	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		p->wait[c].node = -1;
	p->last_exec = p->nr - 1;
	return 0;
}

void pool_release(struct pool *p)
{
	prev_load_release(&p->load);
	free(p->node);
	free(p->index);
	free(p->wait);
	free(p->first);
	free(p->cpu);
}

bool pool_due(const struct pool *p, const struct view *v, int cpu,
	      bool *is_idle)
{
	*is_idle = view_curr(v, cpu) == TASK_NONE;
	return prev_load_due(v, *is_idle ? p->knob.idle_ns : p->knob.busy_ns);
}

/* -- whom to take from ------------------------------------------------------- */

struct pool_look {
	int64_t load;		/* of the pool, tasks * 100 per CPU */
	int best;		/* its longest queue, -1 */
	int best_load;
};

/* D.1.2: one pool as a CPU sees it; the first of equals is the longest. */
static struct pool_look look_at(struct pool *p, const struct view *v, int cpu,
				int node, bool is_idle)
{
	struct pool_look l = { .best = -1, .best_load = -1 };
	int here = view_cpu_node(v, cpu), pool = p->index[node];
	int *then = prev_load_row(&p->load, cpu);
	const int *now = view_queue_lengths(v);
	int64_t sum = 0;

	for (int i = p->first[pool]; i < p->first[pool + 1]; i++) {
		int c = p->cpu[i];
		int load = is_idle || now[c] < then[c] ? now[c] : then[c];

		then[c] = now[c];
		if (node != here && p->extra_load && now[c])
			load += p->extra_load(p->ctx, v, c, here);
		sum += load;
		if (load > l.best_load) {
			l.best = c;
			l.best_load = load;
		}
	}
	l.load = sum * 100 / view_node_cpus(v, node);
	return l;
}

/* D.1.4: the most loaded of the other pools, in order from the next one on. */
static int busiest_pool(struct pool *p, const struct view *v, int cpu,
			bool is_idle, const struct pool_look *own,
			struct pool_look *max, int64_t *avg)
{
	int here = p->index[view_cpu_node(v, cpu)], found = -1;
	int64_t sum = own->load * view_node_cpus(v, p->node[here]);

	*max = *own;
	for (int i = 1; i < p->nr; i++) {
		int node = p->node[(here + i) % p->nr];
		struct pool_look l = look_at(p, v, cpu, node, is_idle);

		sum += l.load * view_node_cpus(v, node);
		if (l.load > max->load) {
			*max = l;
			found = node;
		}
	}
	*avg = sum / p->nr_cpus;
	return found;
}

static int64_t delay_of(const struct pool *p, bool is_idle, int64_t avg,
			int64_t own)
{
	int64_t shift = pool_balanced(avg, own) ? 0 : p->knob.delay_shift;

	if (is_idle && p->knob.idle_delay >= 0)
		return p->knob.idle_delay;
	return shift < 63 ? p->knob.delay >> shift : 0;
}

/* D.1.7: true if the CPU has wanted this pool for long enough. */
static bool has_waited(struct pool *p, const struct view *v, int cpu, int node,
		       int64_t delay)
{
	struct pool_wait *w = &p->wait[cpu];

	if (!delay)
		return true;
	if (w->node != node) {
		w->node = node;
		w->since = view_ticks(v);
		return false;
	}
	return view_ticks(v) - w->since >= delay;
}

/* D.1: the CPU to take from, -1 for none. */
static int find_busiest(struct pool *p, const struct view *v, int cpu,
			bool is_idle, int nr)
{
	struct pool_look own, max;
	int64_t avg;
	int node;

	own = look_at(p, v, cpu, view_cpu_node(v, cpu), is_idle);
	if (own.best != cpu && !pool_balanced(own.best_load, nr)) {
		p->wait[cpu].node = -1;
		return own.best;
	}
	node = busiest_pool(p, v, cpu, is_idle, &own, &max, &avg);
	if (node < 0 || pool_balanced(max.load, own.load)) {
		p->wait[cpu].node = -1;
		return -1;
	}
	if (!has_waited(p, v, cpu, node, delay_of(p, is_idle, avg, own.load)))
		return -1;
	if (pool_balanced(max.best_load, nr))
		return -1;
	p->wait[cpu].node = -1;
	return max.best;
}

/* -- what to take ------------------------------------------------------------ */

static int64_t weigh(const struct pool *p, const struct view *v, int task,
		     int cpu, struct decisions *d)
{
	int64_t cold = MAX_COLD;

	if (p->knob.cache_decay > 0)
		cold = view_task_ran_ticks(v, task) / p->knob.cache_decay;
	if (cold > MAX_COLD)
		cold = MAX_COLD;
	return p->weight ? p->weight(p->ctx, v, task, cpu, cold, d) : cold;
}

/* B: the task of the largest weight above 0, the first of equals; of each
 * list only the tail is looked at. */
static int task_to_steal(const struct pool *p, const struct view *v, int cpu,
			 int busiest, struct decisions *d)
{
	struct queue_pos pos = { 0 };
	int64_t best_weight = 0;
	int best = TASK_NONE, task;

	while ((task = view_queue_next(v, busiest, &pos)) != TASK_NONE) {
		int64_t w;

		pos.skip_list = !p->knob.whole_lists;
		if (!prev_load_movable(v, task, cpu, p->knob.cache_decay))
			continue;
		w = weigh(p, v, task, cpu, d);
		if (w > best_weight) {
			best = task;
			best_weight = w;
		}
	}
	return best;
}

void pool_take(const struct pool *p, const struct view *v, int cpu, int busiest,
	       int nr, struct decisions *d)
{
	int task;

	if (view_nr_running(v, busiest) <= nr + 1)
		return;
	task = task_to_steal(p, v, cpu, busiest, d);
	if (task != TASK_NONE)
		decide_pull(d, &(struct pull){
			.task = task, .to_cpu = cpu, .why = MOVE_BALANCE });
}

bool pool_balance(struct pool *p, const struct view *v, int cpu, bool is_idle,
		  struct decisions *d)
{
	int nr = prev_load_self(&p->load, v, cpu, is_idle), busiest;

	busiest = find_busiest(p, v, cpu, is_idle, nr);
	if (busiest < 0)
		return false;
	pool_take(p, v, cpu, busiest, nr, d);
	return true;
}

/* -- placement ---------------------------------------------------------------- */

int pool_lowest_cpu(const struct view *v, int task, int node,
		    bool (*fits)(const struct view *v, int cpu, int node))
{
	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node && view_allowed(v, task, c) &&
		    (!fits || fits(v, c, node)))
			return c;
	return -1;
}

int64_t pool_running_load(struct pool *p, const struct view *v, int task,
			  int node)
{
	bool counts = view_task_state(v, task) == VIEW_RUNNING &&
		view_cpu_node(v, view_task_cpu(v, task)) == node;
	int64_t sum = counts ? -1 : 0;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node)
			sum += view_nr_running(v, c);
	return sum * 100 / view_node_cpus(v, node);
}

static int shortest_queue(const struct view *v, int task, int node)
{
	int best = -1;

	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_node(v, c) == node && view_allowed(v, task, c) &&
		    (best < 0 || view_nr_running(v, c) < view_nr_running(v, best)))
			best = c;
	return best;
}

int pool_place(struct pool *p, const struct view *v, int task,
	       int64_t (*load)(struct pool *p, const struct view *v, int task,
			       int node))
{
	int best = -1, start = (p->last_exec + 1) % p->nr;
	int64_t best_load = 0;

	for (int i = 0; i < p->nr; i++) {
		int at = (start + i) % p->nr;
		int64_t l;

		if (pool_lowest_cpu(v, task, p->node[at], NULL) < 0)
			continue;
		l = load(p, v, task, p->node[at]);
		if (best < 0 || l < best_load) {
			best = at;
			best_load = l;
		}
	}
	if (best < 0)
		return -1;
	p->last_exec = best;
	return shortest_queue(v, task, p->node[best]);
}

/* -- callbacks ----------------------------------------------------------------- */

int pooling_init(void **state, const struct view *v, const struct knob_value *k,
		 struct err *err)
{
	struct pool *p = calloc(1, sizeof(*p));

	*state = p;
	if (!p)
		return err_nomem(err);
	pool_read_knobs(p, k);
	return pool_init(p, v, err);
}

void pooling_exit(void *state)
{
	if (state)
		pool_release(state);
	free(state);
}

void pooling_tick(void *state, const struct view *v, int cpu,
		  struct decisions *d)
{
	bool is_idle;

	if (pool_due(state, v, cpu, &is_idle))
		pool_balance(state, v, cpu, is_idle, d);
}

void pooling_newidle(void *state, const struct view *v, int cpu,
		     struct decisions *d)
{
	pool_balance(state, v, cpu, true, d);
}
