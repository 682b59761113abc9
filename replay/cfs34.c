/* SPDX-License-Identifier: MIT */
#include "replay/cfs34.h"

#include <stdlib.h>

#include "model/err.h"

const struct fair_hooks cfs34_hooks = {
	.wake = cfs34_wake,
	.slow = cfs34_slow,
	.find_group = cfs34_find_group,
};

static enum cfs34_level level_of(enum fair_kind kind)
{
	switch (kind) {
	case FAIR_SMT:
		return CFS34_SIBLING;
	case FAIR_PKG:
	case FAIR_NODE:
		return CFS34_CPU;
	case FAIR_NUMA:
		return CFS34_NODE;
	default:
		return CFS34_MC;
	}
}

int64_t cfs34_number(const struct fair *f, int level, enum cfs34_per_level what)
{
	return f->knob[CFS34_LEVEL(level_of(f->domains.level[level].kind),
				   what)].i;
}

static void fill_spans(struct cfs34 *c)
{
	for (int i = 0; i < FAIR_NR_KINDS; i++) {
		const struct knob_value *k = c->fair.knob +
			CFS34_LEVEL(level_of((enum fair_kind)i), 0);

		c->span[i] = (struct fair_span){
			.min_ns = k[CFS34_MIN].i,
			.max_ns = k[CFS34_MAX].i,
			.busy_factor = (int)k[CFS34_BUSY_FACTOR].i,
			.pct = (int)k[CFS34_PCT].i,
			.cache_nice = (int)k[CFS34_NICE].i,
		};
	}
}

static int fill_power(struct cfs34 *c, struct err *err)
{
	const struct fair *f = &c->fair;

	c->power = calloc((size_t)f->nr_cpus + 1, sizeof(*c->power));
	c->load = calloc((size_t)f->nr_cpus * CFS34_NR_IDX + 1,
			 sizeof(*c->load));
	if (!c->power || !c->load)
		return err_nomem(err);
	for (int cpu = 0; cpu < f->nr_cpus; cpu++) {
		const struct fair_set *core = f->domains.nr_levels > 1 &&
			f->domains.level[1].kind == FAIR_SMT ?
			fair_domain(&f->domains, 1, cpu) : NULL;

		c->power[cpu] = core ?
			f->knob[CFS34_SMT_GAIN].i / core->nr : 1024;
		if (!c->power[cpu])
			c->power[cpu] = 1;
	}
	return 0;
}

int cfs34_init(struct cfs34 *c, const struct fair_hooks *hooks,
	       const struct view *v, const struct knob_value *knobs,
	       struct err *err)
{
	c->params = (struct fair_params){
		.span = c->span,
		.hooks = hooks ? hooks : &cfs34_hooks,
		.one_numa = true,
		.by_weight = true,
		.newidle_flat = true,
	};
	c->fair.kernel = c;
	if (fair_init(&c->fair, &c->params, v, knobs, err))
		return err->code;
	fill_spans(c);
	return fill_power(c, err);
}

void cfs34_release(struct cfs34 *c)
{
	fair_release(&c->fair);
	free(c->load);
	free(c->power);
	c->load = c->power = NULL;
}

/* Index i keeps 1 - 2^-i of what it was; growing it is rounded up, so that it
 * gets there. */
void cfs34_tick(void *state, const struct view *v, int cpu,
		struct decisions *d)
{
	struct cfs34 *c = state;
	int64_t *load = &c->load[(size_t)cpu * CFS34_NR_IDX];
	int64_t now = view_signal(v, SIGNAL_CPU_WEIGHT, cpu);

	for (int i = 0; i < CFS34_NR_IDX; i++) {
		int64_t scale = INT64_C(1) << i;
		int64_t up = now > load[i] ? scale - 1 : 0;

		load[i] = (load[i] * (scale - 1) + now + up) / scale;
	}
	fair_tick(&c->fair, v, cpu, d);
}

static int64_t was(const struct cfs34 *c, int cpu, int idx)
{
	return c->load[(size_t)cpu * CFS34_NR_IDX + (size_t)idx - 1];
}

int64_t cfs34_source_load(const struct cfs34 *c, const struct view *v, int cpu,
			  int idx)
{
	int64_t now = view_signal(v, SIGNAL_CPU_WEIGHT, cpu);

	return idx && was(c, cpu, idx) < now ? was(c, cpu, idx) : now;
}

int64_t cfs34_target_load(const struct cfs34 *c, const struct view *v, int cpu,
			  int idx)
{
	int64_t now = view_signal(v, SIGNAL_CPU_WEIGHT, cpu);

	return idx && was(c, cpu, idx) > now ? was(c, cpu, idx) : now;
}
