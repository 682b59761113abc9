/* SPDX-License-Identifier: MIT */
#include "replay/fair_domains.h"

#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "model/topo.h"

/* Are two CPUs in one set of the level? */
static bool together(const struct topo *t, const struct fair_level *l, int a,
		     int b)
{
	const struct topo_cpu *x = &t->cpu[a], *y = &t->cpu[b];

	if (a == b)
		return true;
	switch (l->kind) {
	case FAIR_CPU:
		return false;
	case FAIR_SMT:
		return x->core >= 0 && x->core == y->core &&
			x->node == y->node && x->package == y->package;
	case FAIR_CLUSTER:
		return x->cluster >= 0 && x->cluster == y->cluster &&
			x->node == y->node;
	case FAIR_MC:
		return x->llc >= 0 && x->llc == y->llc && x->node == y->node;
	case FAIR_PKG:
		return x->node == y->node && x->package == y->package;
	case FAIR_NODE:
		return x->node == y->node;
	case FAIR_NUMA:
		return topo_distance(t, x->node, y->node) <= l->distance;
	case FAIR_NR_KINDS:
		break;
	}
	return false;
}

static bool counts(const struct topo *t, int cpu)
{
	return t->cpu[cpu].present && t->cpu[cpu].online;
}

static int fill_set(struct fair_level *l, const struct topo *t, int cpu,
		    struct err *err)
{
	struct fair_set *s = &l->set[l->nr_sets];
	int nr = 0;

	for (int c = 0; c < t->nr_cpu_ids; c++)
		nr += counts(t, c) && together(t, l, cpu, c);
	s->cpu = calloc((size_t)nr + 1, sizeof(*s->cpu));
	if (!s->cpu)
		return err_nomem(err);
	for (int c = 0; c < t->nr_cpu_ids; c++)
		if (counts(t, c) && together(t, l, cpu, c))
			s->cpu[s->nr++] = c;
	return 0;
}

/* Levels of nodes may overlap: each node has a set of its own. */
static bool is_same(const struct topo *t, const struct fair_level *l, int cpu,
		    int other)
{
	if (l->kind == FAIR_NUMA)
		return t->cpu[cpu].node == t->cpu[other].node;
	return together(t, l, cpu, other);
}

static int fill_level(struct fair_level *l, const struct topo *t,
		      struct err *err)
{
	size_t cpus = (size_t)t->nr_cpu_ids + 1;

	l->set = calloc(cpus, sizeof(*l->set));
	l->set_of = malloc(cpus * sizeof(*l->set_of));
	if (!l->set || !l->set_of)
		return err_nomem(err);
	for (int c = 0; c < t->nr_cpu_ids; c++)
		l->set_of[c] = -1;
	for (int c = 0; c < t->nr_cpu_ids; c++) {
		if (!counts(t, c) || l->set_of[c] >= 0)
			continue;
		if (fill_set(l, t, c, err))
			return err->code;
		for (int i = 0; i < l->set[l->nr_sets].nr; i++) {
			int o = l->set[l->nr_sets].cpu[i];

			if (l->set_of[o] < 0 && is_same(t, l, c, o))
				l->set_of[o] = l->nr_sets;
		}
		l->nr_sets++;
	}
	return 0;
}

/* Which sets of the level below make up each set: those of its CPUs, from
 * CPU to CPU, as far as they are not covered yet. */
static int fill_groups(struct fair_level *l, const struct fair_level *below,
		       int nr_cpus, struct err *err)
{
	char *covered = malloc((size_t)nr_cpus + 1);

	if (!covered)
		return err_nomem(err);
	for (int i = 0; i < l->nr_sets; i++) {
		struct fair_set *s = &l->set[i];

		memset(covered, 0, (size_t)nr_cpus + 1);
		s->group = calloc((size_t)s->nr + 1, sizeof(*s->group));
		if (!s->group) {
			free(covered);
			return err_nomem(err);
		}
		for (int k = 0; k < s->nr; k++) {
			int g = below->set_of[s->cpu[k]];

			if (covered[s->cpu[k]])
				continue;
			s->group[s->nr_groups++] = g;
			for (int j = 0; j < below->set[g].nr; j++)
				covered[below->set[g].cpu[j]] = 1;
		}
	}
	free(covered);
	return 0;
}

static bool same_sets(const struct fair_level *a, const struct fair_level *b,
		      int nr_cpus)
{
	for (int c = 0; c < nr_cpus; c++)
		if (a->set_of[c] >= 0 && a->set[a->set_of[c]].nr !=
		    b->set[b->set_of[c]].nr)
			return false;
	return true;
}

static void release_level(struct fair_level *l)
{
	for (int i = 0; l->set && i < l->nr_sets; i++) {
		free(l->set[i].cpu);
		free(l->set[i].group);
	}
	free(l->set);
	free(l->set_of);
	free(l->own);
	*l = (struct fair_level){ 0 };
}

static int fill_own(struct fair_level *l, const struct fair_level *below,
		    int nr_cpus, struct err *err)
{
	l->own = calloc((size_t)nr_cpus + 1, sizeof(*l->own));
	if (!l->own)
		return err_nomem(err);
	for (int c = 0; c < nr_cpus; c++) {
		const struct fair_set *s = &l->set[l->set_of[c]];

		for (int i = 0; l->set_of[c] >= 0 && i < s->nr_groups; i++)
			if (s->group[i] == below->set_of[c])
				l->own[c] = i;
	}
	return 0;
}

/* A level that is like the one below everywhere is dropped. */
static int add_level(struct fair_domains *d, const struct topo *t,
		     enum fair_kind kind, int distance, struct err *err)
{
	struct fair_level *l = realloc(d->level, ((size_t)d->nr_levels + 1) *
				       sizeof(*l));

	if (!l)
		return err_nomem(err);
	d->level = l;
	l = &d->level[d->nr_levels++];
	*l = (struct fair_level){ .kind = kind, .distance = distance };
	if (fill_level(l, t, err))
		return err->code;
	if (d->nr_levels == 1)
		return 0;
	if (same_sets(l, l - 1, t->nr_cpu_ids)) {
		release_level(l);
		d->nr_levels--;
		return 0;
	}
	return fill_groups(l, l - 1, t->nr_cpu_ids, err) ? err->code :
		fill_own(l, l - 1, t->nr_cpu_ids, err);
}

/* The next larger distance between two nodes with CPUs; 0: none. */
static int next_distance(const struct topo *t, int than)
{
	int best = 0;

	for (int a = 0; a < t->nr_node_ids; a++)
		for (int b = 0; b < t->nr_node_ids; b++) {
			int far = topo_distance(t, a, b);

			if (!t->node[a].present || !t->node[b].present ||
			    a == b || !t->node[a].nr_cpus || !t->node[b].nr_cpus)
				continue;
			if (far > than && (!best || far < best))
				best = far;
		}
	return best;
}

/* M.5: one task for each cache of a node or, if there is one only, for eight
 * CPUs of it; in proportion on higher levels. */
static void set_imb_numa(struct fair_domains *d)
{
	int base = 0, span = 0;

	for (int i = 1; i < d->nr_levels; i++) {
		struct fair_level *l = &d->level[i];
		int llc = fair_llc_level(d), cpus, caches = 1, imb, node;

		if (l->kind != FAIR_NUMA || !l->nr_sets || !l->set[0].nr_groups)
			continue;
		if (!base) {
			node = l->set[0].group[0];
			cpus = d->level[i - 1].set[node].nr;
			if (llc > 0 && llc < i)
				caches = cpus /
					d->level[llc].set[0].nr;
			base = caches > 1 ? caches : cpus / 8;
			if (base < 1)
				base = 1;
			span = l->set[0].nr;
		}
		imb = l->set[0].nr / span;
		l->imb_numa = base * (imb > 1 ? imb : 1);
	}
}

int fair_domains_init(struct fair_domains *d, const struct topo *t,
		      unsigned int flags, struct err *err)
{
	static const enum fair_kind kinds[] = {
		FAIR_CPU, FAIR_SMT, FAIR_CLUSTER, FAIR_MC, FAIR_PKG, FAIR_NODE };

	*d = (struct fair_domains){ .nr_cpus = t->nr_cpu_ids };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((kinds[i] != FAIR_CLUSTER || flags & FAIR_F_CLUSTERS) &&
		    add_level(d, t, kinds[i], 0, err))
			return err->code;
	for (int far = next_distance(t, 0), next; far; far = next) {
		next = next_distance(t, far);
		if ((!next || !(flags & FAIR_F_ONE_NUMA)) &&
		    add_level(d, t, FAIR_NUMA, far, err))
			return err->code;
	}
	set_imb_numa(d);
	return 0;
}

void fair_domains_release(struct fair_domains *d)
{
	for (int i = 0; i < d->nr_levels; i++)
		release_level(&d->level[i]);
	free(d->level);
	*d = (struct fair_domains){ 0 };
}

const struct fair_set *fair_set_of(const struct fair_domains *d, int level,
				   int cpu)
{
	int i;

	if (level < 0 || level >= d->nr_levels || cpu < 0 || cpu >= d->nr_cpus)
		return NULL;
	i = d->level[level].set_of[cpu];
	return i >= 0 ? &d->level[level].set[i] : NULL;
}

const struct fair_set *fair_domain(const struct fair_domains *d, int level,
				   int cpu)
{
	const struct fair_set *s = fair_set_of(d, level, cpu);

	return s && s->nr_groups > 1 ? s : NULL;
}

const struct fair_set *fair_group(const struct fair_domains *d, int level,
				  int cpu, int nth)
{
	const struct fair_level *below = &d->level[level - 1];
	const struct fair_set *s = fair_set_of(d, level, cpu);

	nth += d->level[level].own[cpu];
	if (nth >= s->nr_groups)
		nth -= s->nr_groups;
	return &below->set[s->group[nth]];
}

int fair_child(const struct fair_domains *d, int level, int cpu)
{
	while (--level > 0)
		if (fair_domain(d, level, cpu))
			return level;
	return 0;
}

/* The highest level of CPUs that share a cache: smaller ones may be all that
 * a machine has (an SMT level that is like its caches). */
int fair_llc_level(const struct fair_domains *d)
{
	int best = -1;

	for (int i = 1; i < d->nr_levels; i++)
		if (d->level[i].kind <= FAIR_MC)
			best = i;
	return best;
}

bool fair_share_llc(const struct fair_domains *d, int a, int b)
{
	int l = fair_llc_level(d);

	if (a == b)
		return true;
	return l > 0 && d->level[l].set_of[a] >= 0 &&
		d->level[l].set_of[a] == d->level[l].set_of[b];
}
