/* SPDX-License-Identifier: MIT */
#include "model/calibration.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/cost.h"
#include "model/cpumask.h"
#include "model/err.h"
#include "model/rng.h"
#include "model/topo.h"

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

struct spread spread_of(int64_t *v, int nr)
{
	struct spread s;

	qsort(v, (size_t)nr, sizeof(*v), by_value);
	s.low = v[(nr + 3) / 4 - 1];
	s.high = v[(3 * nr + 3) / 4 - 1];
	s.median = v[(nr - 1) / 2];
	if (nr % 2 == 0)
		s.median += (v[nr / 2] - s.median) / 2;
	return s;
}

void chase_cycle(uint32_t *next, uint32_t nr, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed);
	for (uint32_t i = 0; i < nr; i++)
		next[i] = i;
	for (uint32_t i = nr; i-- > 1;) {
		uint32_t k = (uint32_t)rng_below(&rng, i), was = next[i];

		next[i] = next[k];
		next[k] = was;
	}
}

/* -- which CPUs, how many co-runners ------------------------------------------ */

static bool may_use(const struct topo *t, const struct cpumask *allowed, int cpu)
{
	return t->cpu[cpu].present && t->cpu[cpu].online &&
	       (!allowed || cpumask_test(allowed, cpu));
}

/* Co-runners are taken in rising order of this. */
static int64_t rank_of(const struct topo *t, int first, int cpu)
{
	int node = t->cpu[first].node;
	bool sibling = topo_shared_level(t, first, cpu) == TOPO_SMT;
	int64_t rank = (int64_t)sibling << 48;

	if (t->cpu[cpu].node != node)
		rank += (int64_t)topo_distance(t, t->cpu[cpu].node, node) << 16;
	return rank + cpu;
}

/* Where rank belongs among the nr CPUs behind cpu[0]. */
static int place_of(const struct topo *t, const int *cpu, int nr, int64_t rank)
{
	int at = 1;

	while (at < nr && rank_of(t, cpu[0], cpu[at]) < rank)
		at++;
	return at;
}

int calibration_cpus(const struct topo *t, const struct cpumask *allowed,
		     int node, int *cpu, int size)
{
	int first = 0, nr = 1;

	while (first < t->nr_cpu_ids && (t->cpu[first].node != node ||
					 !may_use(t, allowed, first)))
		first++;
	if (first == t->nr_cpu_ids || size < 1)
		return 0;
	cpu[0] = first;
	for (int i = 0; i < t->nr_cpu_ids; i++) {
		int at;

		if (i == first || !may_use(t, allowed, i))
			continue;
		at = place_of(t, cpu, nr, rank_of(t, first, i));
		if (at >= size)
			continue;
		nr += nr < size;
		for (int k = nr - 1; k > at; k--)
			cpu[k] = cpu[k - 1];
		cpu[at] = i;
	}
	return nr;
}

int calibration_levels(int most, int *level)
{
	int nr = 0;

	for (int k = 1; k < most && nr < CALIBRATION_LEVELS - 1; k *= 2)
		level[nr++] = k;
	if (most > 0)
		level[nr++] = most;
	return nr;
}

/* -- the cost model's numbers --------------------------------------------------- */

static int64_t median_of(const struct latency *l, int nr, int cpu_node,
			 int mem_node)
{
	for (int i = 0; i < nr; i++)
		if (!l[i].co_runners && l[i].cpu_node == cpu_node &&
		    l[i].mem_node == mem_node)
			return l[i].median_ps;
	return 0;
}

/* Median over the nodes of their own latency; 0: none was measured. */
static int64_t usual_local(const struct latency *l, int nr, struct err *err)
{
	int64_t *own = malloc(((size_t)nr + 1) * sizeof(*own)), median = 0;
	int n = 0;

	if (!own) {
		err_nomem(err);
		return 0;
	}
	for (int i = 0; i < nr; i++)
		if (!l[i].co_runners && l[i].cpu_node == l[i].mem_node)
			own[n++] = l[i].median_ps;
	if (n)
		median = spread_of(own, n).median;
	free(own);
	return median;
}

static int check_nodes(const struct topo *t, const struct latency *l, int nr,
		       struct err *err)
{
	bool idle = false;

	for (int i = 0; i < nr; i++) {
		const int node[] = { l[i].cpu_node, l[i].mem_node };

		idle |= !l[i].co_runners;
		for (int k = 0; k < 2; k++)
			if (node[k] < 0 || node[k] >= t->nr_node_ids ||
			    !t->node[node[k]].present)
				return err_set(err, ERR_USAGE, "it was measured "
					       "on a host with a node %d; this "
					       "machine has none", node[k]);
	}
	return idle ? 0 : err_set(err, ERR_USAGE, "no latency was measured");
}

static double fit_contention(const struct latency *l, int nr, double otherwise)
{
	double sum = 0, squares = 0;

	for (int i = 0; i < nr; i++) {
		double k = l[i].co_runners;
		int64_t idle = median_of(l, nr, l[i].cpu_node, l[i].mem_node);

		if (!l[i].co_runners || idle <= 0)
			continue;
		sum += k * ((double)l[i].median_ps / (double)idle - 1);
		squares += k * k;
	}
	if (squares <= 0)
		return otherwise;
	return sum > 0 ? sum / squares : 0;
}

int cost_calibrate(struct cost *c, const struct topo *t,
		   const struct latency *l, int nr, int *missing,
		   struct err *err)
{
	int64_t usual;
	int lacking = 0;

	if (check_nodes(t, l, nr, err))
		return err->code;
	usual = usual_local(l, nr, err);
	if (err->code)
		return err->code;
	for (int from = 0; from < t->nr_node_ids; from++) {
		int64_t local = median_of(l, nr, from, from);

		if (!local)
			local = usual;
		for (int to = 0; to < t->nr_node_ids; to++) {
			int64_t far = median_of(l, nr, from, to);
			double factor;

			if (!t->node[from].present || !t->node[from].nr_cpus ||
			    !t->node[to].present || !t->node[to].mem_bytes)
				continue;
			if (far <= 0 || local <= 0) {
				lacking++;
				continue;
			}
			factor = (double)far / (double)local;
			c->remote[(size_t)from * (size_t)c->nr_node_ids +
				  (size_t)to] = factor > 1 ? factor : 1;
		}
	}
	c->contention = fit_contention(l, nr, c->contention);
	c->flat = 0;
	if (missing)
		*missing = lacking;
	return 0;
}
