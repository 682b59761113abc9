/* SPDX-License-Identifier: MIT */
#include "replay/fair.h"

#include "model/task.h"

/* A CPU's mean idle time is divided by that before it is spent on looking. */
#define IDLE_SHARE 512

/* Fewest CPUs worth a look, the first too many counted. */
#define LEAST_SCAN 4

static bool is_idle(const struct view *v, int task, int cpu)
{
	return fair_idle_cpu(v, cpu) && view_allowed(v, task, cpu);
}

/* Its CPUs from the target on, round the set, fewer than nr; *looks: at how
 * many. */
static int scan(const struct view *v, const struct fair_set *s, int task,
		int target, int64_t nr, int *looks)
{
	int at = 0;

	*looks = 0;
	while (at < s->nr && s->cpu[at] < target)
		at++;
	for (int i = 0; i < s->nr; i++, at++) {
		if (at >= s->nr)
			at = 0;
		if (!view_allowed(v, task, s->cpu[at]))
			continue;
		if (--nr <= 0)
			return -1;
		++*looks;
		if (is_idle(v, task, s->cpu[at]))
			return s->cpu[at];
	}
	return -1;
}

/* The more a CPU idles and the faster its looks were, the farther it looks. */
static int64_t nr_scan(const struct fair *f, const struct view *v,
		       const struct fair_set *llc, int this_cpu)
{
	int64_t idle = view_signal(v, SIGNAL_AVG_IDLE, this_cpu) / IDLE_SHARE;
	int64_t cost = f->scan_ns[this_cpu] + 1, span = llc->nr * idle;

	if (!f->knob[FAIR_SIS_UTIL].i)
		return llc->nr + 1;
	return span > LEAST_SCAN * cost ? span / cost : LEAST_SCAN;
}

static bool has_smt(const struct fair *f)
{
	return f->domains.nr_levels > 1 && f->domains.level[1].kind == FAIR_SMT;
}

int fair_scan_5_9(struct fair *f, const struct view *v,
		  const struct select_args *a, int target)
{
	const struct fair_set *llc = fair_set_of(&f->domains, f->llc, target);
	int this_cpu = a->waker_cpu >= 0 ? a->waker_cpu : a->prev_cpu;
	int64_t nr = nr_scan(f, v, llc, this_cpu), took;
	int cpu, looks;

	for (int l = 1; f->params->cluster_wake && l < f->llc; l++) {
		if (f->domains.level[l].kind != FAIR_CLUSTER || has_smt(f))
			continue;
		cpu = scan(v, fair_set_of(&f->domains, l, target), a->task,
			   target, f->nr_cpus, &looks);
		if (cpu >= 0)
			return cpu;
	}
	cpu = scan(v, llc, a->task, target, nr, &looks);
	if (cpu < 0 && looks + 1 >= nr)
		return -1;	/* cut short: not timed */
	took = looks * f->knob[FAIR_SCAN_NS].i;
	f->scan_ns[this_cpu] += (took - f->scan_ns[this_cpu]) / 8;
	return cpu;
}
