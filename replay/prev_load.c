/* SPDX-License-Identifier: MIT */
#include "replay/prev_load.h"

#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/policy.h"
#include "replay/view.h"

int prev_load_init(struct prev_load *p, const struct view *v)
{
	size_t n = (size_t)view_nr_cpu_ids(v);

	p->nr_cpus = (int)n;
	p->prev = calloc(n * n + 1, sizeof(*p->prev));
	return p->prev ? 0 : ERR_NOMEM;
}

void prev_load_release(struct prev_load *p)
{
	free(p->prev);
	p->prev = NULL;
}

static int *seen(const struct prev_load *p, int cpu, int other)
{
	return &p->prev[(size_t)cpu * (size_t)p->nr_cpus + (size_t)other];
}

int prev_load_self(const struct prev_load *p, const struct view *v, int cpu,
		   bool is_idle)
{
	int now = view_nr_running(v, cpu), then = *seen(p, cpu, cpu);

	return is_idle || now > then ? now : then;
}

int prev_load_other(struct prev_load *p, const struct view *v, int cpu,
		    int other, bool is_idle)
{
	int now = view_nr_running(v, other), *then = seen(p, cpu, other);
	int load = is_idle || now < *then ? now : *then;

	*then = now;
	return load;
}

int *prev_load_row(const struct prev_load *p, int cpu)
{
	return seen(p, cpu, 0);
}

int prev_load_longest(struct prev_load *p, const struct view *v, int cpu,
		      bool is_idle, int *max)
{
	const int *now = view_queue_lengths(v);
	int *then = seen(p, cpu, 0), longest = -1, nr = p->nr_cpus;

	/* No queue has two: what an idle CPU sees is not longer than 1. */
	if (is_idle && *max >= 1 && !view_nr_crowded(v))
		nr = 0;
	for (int i = 0; i < nr; i++) {
		int load = is_idle || now[i] < then[i] ? now[i] : then[i];

		if (load > *max && i != cpu) {
			longest = i;
			*max = load;
		}
	}
	memcpy(then, now, (size_t)p->nr_cpus * sizeof(*then));
	return longest;
}

bool prev_load_movable(const struct view *v, int task, int cpu, int64_t decay)
{
	return view_task_ran_ticks(v, task) > decay && view_allowed(v, task, cpu);
}

void prev_load_pull(const struct view *v, int cpu, int busiest, bool is_idle,
		    int imbalance, int64_t decay, struct decisions *d)
{
	struct queue_pos pos = { 0 };
	int task;

	while ((task = view_queue_next(v, busiest, &pos)) != TASK_NONE) {
		if (!prev_load_movable(v, task, cpu, decay))
			continue;
		decide_pull(d, &(struct pull){
			.task = task, .to_cpu = cpu, .why = MOVE_BALANCE });
		if (is_idle || !--imbalance)
			break;
	}
}

bool prev_load_due(const struct view *v, int64_t period_ns)
{
	int64_t ticks = view_ns_to_ticks(v, period_ns);

	if (!period_ns)
		return false;
	return ticks <= 1 || view_ticks(v) % ticks == 0;
}
