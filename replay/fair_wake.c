/* SPDX-License-Identifier: MIT */
#include "replay/fair.h"

#include "model/task.h"

#define NS_PER_S INT64_C(1000000000)

static bool is_idle(const struct view *v, int task, int cpu)
{
	return fair_idle_cpu(v, cpu) && view_allowed(v, task, cpu);
}

/* -- who wakes whom --------------------------------------------------------- */

/* Counts how often a task wakes another one than before; halved each second. */
static void record_wakee(struct fair *f, const struct view *v, int waker,
			 int wakee)
{
	struct fair_flips *w = &f->flips[waker];

	if (view_now(v) - w->decayed_ns > NS_PER_S) {
		w->flips /= 2;
		w->decayed_ns = view_now(v);
	}
	if (w->last_wakee != wakee + 1) {
		w->last_wakee = wakee + 1;
		w->flips++;
	}
}

/* One waker of many partners, and they of many: together they would not fit
 * on one cache. */
static bool wake_wide(const struct fair *f, int waker, int wakee, int cpu)
{
	const struct fair_set *s = f->llc > 0 ?
		fair_set_of(&f->domains, f->llc, cpu) : NULL;
	int factor = s ? s->nr : 1;
	int most = f->flips[waker].flips, least = f->flips[wakee].flips;

	if (most < least) {
		int swap = most;

		most = least;
		least = swap;
	}
	return least >= factor && most / factor >= least;
}

/* -- the waker's CPU or the wakee's ----------------------------------------- */

/* -1: either may be. */
static int affine_idle(const struct fair *f, const struct view *v,
		       const struct select_args *a, int this_cpu)
{
	if (fair_idle_cpu(v, this_cpu) &&
	    fair_share_llc(&f->domains, this_cpu, a->prev_cpu))
		return fair_idle_cpu(v, a->prev_cpu) ? a->prev_cpu : this_cpu;
	if (fair_is_sync(f, a) && view_nr_running(v, this_cpu) == 1)
		return this_cpu;
	return fair_idle_cpu(v, a->prev_cpu) && !f->params->is_5_9 ?
		a->prev_cpu : -1;
}

static bool affine_weight(const struct fair *f, const struct view *v,
			  const struct select_args *a, int this_cpu, int pct)
{
	int64_t here = view_signal(v, SIGNAL_CPU_LOAD, this_cpu);
	int64_t there = view_signal(v, SIGNAL_CPU_LOAD, a->prev_cpu);
	int64_t load = view_signal(v, SIGNAL_TASK_LOAD, a->task), own;
	bool sync = fair_is_sync(f, a);

	if (sync) {
		own = view_signal(v, SIGNAL_TASK_LOAD, a->waker);
		if (own > here)
			return true;
		here -= own;
	}
	here = (here + load) * 100;
	there = (there > load ? there - load : 0) * (100 + (pct - 100) / 2);
	return here < there + sync;
}

int fair_wake_affine(struct fair *f, const struct view *v,
		     const struct select_args *a, int this_cpu)
{
	int target = -1;

	if (f->knob[FAIR_WA_IDLE].i)
		target = affine_idle(f, v, a, this_cpu);
	if (target >= 0)
		return target;
	for (int l = 1; l < f->domains.nr_levels; l++) {
		const struct fair_set *s = fair_domain(&f->domains, l, this_cpu);
		bool has_prev = false;

		for (int i = 0; s && i < s->nr; i++)
			has_prev |= s->cpu[i] == a->prev_cpu;
		if (!has_prev)
			continue;
		if (f->knob[FAIR_WA_WEIGHT].i &&
		    affine_weight(f, v, a, this_cpu,
				  fair_pct(f, l, this_cpu)))
			return this_cpu;
		break;
	}
	return a->prev_cpu;
}

/* -- an idle CPU near the target -------------------------------------------- */

/* SIS_UTIL: how many CPUs of a cache are worth a look: none above 85 % use. */
static int nr_scan(const struct fair *f, const struct view *v,
		   const struct fair_set *llc)
{
	int64_t util = 0, x, y;

	if (!f->knob[FAIR_SIS_UTIL].i)
		return llc->nr;
	for (int i = 0; i < llc->nr; i++)
		util += view_signal(v, SIGNAL_CPU_UTIL, llc->cpu[i]);
	x = util / llc->nr;
	y = 1024 - x * x * f->params->pct_llc / 100 * f->params->pct_llc /
		100 / 1024;
	return y > 0 ? (int)(llc->nr * y / 1024) : 0;
}

/* From the CPU after the target on, round the set; at most *nr of them. */
static int scan(const struct view *v, const struct fair_set *s, int task,
		int target, int *nr)
{
	int at = 0;

	while (at < s->nr && s->cpu[at] <= target)
		at++;
	for (int i = 0; i < s->nr; i++, at++) {
		if (at >= s->nr)
			at = 0;
		if (s->cpu[at] == target)
			continue;
		if (--*nr < 0)
			return -1;
		if (is_idle(v, task, s->cpu[at]))
			return s->cpu[at];
	}
	return -1;
}

/* SMT: a core all of whose threads are idle. */
static int idle_core(struct fair *f, const struct view *v, int task,
		     const struct fair_set *llc, int target)
{
	int at = 0;

	if (f->domains.nr_levels < 2 || f->domains.level[1].kind != FAIR_SMT)
		return -1;
	while (at < llc->nr && llc->cpu[at] != target)
		at++;
	for (int i = 0; i < llc->nr; i++) {
		int c = llc->cpu[(at + i) % llc->nr];
		const struct fair_set *core = fair_set_of(&f->domains, 1, c);
		bool all = is_idle(v, task, c);

		for (int k = 0; all && k < core->nr; k++)
			all = fair_idle_cpu(v, core->cpu[k]);
		if (all)
			return c;
	}
	return -1;
}

static int idle_cpu_of_llc(struct fair *f, const struct view *v, int task,
			   int target)
{
	const struct fair_set *llc = fair_set_of(&f->domains, f->llc, target);
	int cpu = idle_core(f, v, task, llc, target), nr;

	if (cpu >= 0)
		return cpu;
	nr = nr_scan(f, v, llc);
	for (int l = 1; f->params->cluster_wake && l < f->llc; l++)
		if (f->domains.level[l].kind == FAIR_CLUSTER) {
			cpu = scan(v, fair_set_of(&f->domains, l, target), task,
				   target, &nr);
			if (cpu >= 0)
				return cpu;
		}
	return nr > 0 ? scan(v, llc, task, target, &nr) : -1;
}

int fair_idle_sibling(struct fair *f, const struct view *v,
		      const struct select_args *a, int target)
{
	int task = a->task, prev = a->prev_cpu;
	struct fair_flips *t = &f->flips[task];
	int recent = t->recent_cpu - 1, cpu;

	if (is_idle(v, task, target))
		return target;
	if (prev != target && fair_share_llc(&f->domains, prev, target) &&
	    is_idle(v, task, prev))
		return prev;
	if (!f->params->is_5_9)
		t->recent_cpu = prev + 1;
	if (recent >= 0 && recent != prev && recent != target &&
	    fair_share_llc(&f->domains, recent, target) &&
	    is_idle(v, task, recent)) {
		t->recent_cpu = prev + 1;
		return recent;
	}
	if (f->llc < 1)
		return target;
	cpu = f->params->is_5_9 ? fair_scan_5_9(f, v, a, target) :
		idle_cpu_of_llc(f, v, task, target);
	return cpu >= 0 ? cpu : target;
}

int fair_wake(struct fair *f, const struct view *v,
	      const struct select_args *a)
{
	int this_cpu = a->waker_cpu >= 0 ? a->waker_cpu : a->prev_cpu;
	int target = a->prev_cpu, cpu;
	bool wide = false;

	if (a->waker != TASK_NONE) {
		record_wakee(f, v, a->waker, a->task);
		wide = wake_wide(f, a->waker, a->task, this_cpu);
	}
	wide |= !view_allowed(v, a->task, this_cpu);
	if (!wide && this_cpu != a->prev_cpu)
		target = fair_wake_affine(f, v, a, this_cpu);
	cpu = fair_idle_sibling(f, v, a, target);
	/* Up to 5.9 it is the waker that remembers, and where it was. */
	if (f->params->is_5_9 && !wide && a->waker != TASK_NONE)
		f->flips[a->waker].recent_cpu = this_cpu + 1;
	return cpu;
}
