/* SPDX-License-Identifier: MIT */
#include "model/topo.h"

#include "model/cpumask.h"
#include "model/err.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void topo_release(struct topo *t)
{
	free(t->node);
	free(t->cpu);
	free(t->distance);
	*t = (struct topo){ 0 };
}

static void *copy_array(const void *from, size_t nr, size_t size)
{
	void *to = malloc(nr * size + 1);

	if (to && nr)
		memcpy(to, from, nr * size);
	return to;
}

int topo_copy(struct topo *to, const struct topo *from, struct err *err)
{
	size_t nodes = (size_t)from->nr_node_ids;
	struct topo new = *from;

	new.node = copy_array(from->node, nodes, sizeof(*new.node));
	new.cpu = copy_array(from->cpu, (size_t)from->nr_cpu_ids, sizeof(*new.cpu));
	new.distance = copy_array(from->distance, nodes * nodes,
				  sizeof(*new.distance));
	if (!new.node || !new.cpu || !new.distance) {
		topo_release(&new);
		return err_nomem(err);
	}
	topo_release(to);
	*to = new;
	return 0;
}

/* The matrix has the number of nodes as its stride, so it is laid anew. */
static int grow_nodes(struct topo *t, int nr)
{
	struct topo_node *node;
	int *distance;
	int old = t->nr_node_ids;

	distance = malloc((size_t)nr * (size_t)nr * sizeof(*distance));
	if (!distance)
		return ERR_NOMEM;
	node = realloc(t->node, (size_t)nr * sizeof(*node));
	if (!node) {
		free(distance);
		return ERR_NOMEM;
	}
	memset(node + old, 0, (size_t)(nr - old) * sizeof(*node));
	for (int from = 0; from < nr; from++)
		for (int to = 0; to < nr; to++) {
			int d = from == to ? TOPO_DISTANCE_LOCAL :
					     TOPO_DISTANCE_REMOTE;

			if (from < old && to < old)
				d = t->distance[from * old + to];
			distance[from * nr + to] = d;
		}
	free(t->distance);
	t->node = node;
	t->distance = distance;
	t->nr_node_ids = nr;
	return 0;
}

int topo_add_node(struct topo *t, int node, struct err *err)
{
	if (node < 0 || node >= TOPO_MAX_NODES)
		return err_set(err, ERR_FORMAT,
			       "node %d: numbers go from 0 to %d", node,
			       TOPO_MAX_NODES - 1);
	if (node >= t->nr_node_ids && grow_nodes(t, node + 1) < 0)
		return err_nomem(err);
	if (!t->node[node].present)
		t->node[node] = (struct topo_node){
			.present = true, .online = true, .mem_bytes = -1,
		};
	return 0;
}

int topo_add_cpu(struct topo *t, int cpu, int node, struct err *err)
{
	if (cpu < 0 || cpu >= CPUMASK_MAX)
		return err_set(err, ERR_FORMAT,
			       "CPU %d: numbers go from 0 to %d", cpu,
			       CPUMASK_MAX - 1);
	if (cpu >= t->nr_cpu_ids) {
		size_t more = (size_t)(cpu + 1 - t->nr_cpu_ids);
		struct topo_cpu *new;

		new = realloc(t->cpu, (size_t)(cpu + 1) * sizeof(*new));
		if (!new)
			return err_nomem(err);
		memset(new + t->nr_cpu_ids, 0, more * sizeof(*new));
		t->cpu = new;
		t->nr_cpu_ids = cpu + 1;
	}
	if (!t->cpu[cpu].present)
		t->cpu[cpu] = (struct topo_cpu){
			.present = true, .online = true, .node = node,
			.package = -1, .die = -1, .cluster = -1, .llc = -1,
			.core = -1,
		};
	return 0;
}

int topo_flat(struct topo *t, int nr_cpus, struct err *err)
{
	int code;

	topo_release(t);
	code = topo_add_node(t, 0, err);
	for (int cpu = 0; code == 0 && cpu < nr_cpus; cpu++)
		code = topo_add_cpu(t, cpu, 0, err);
	return code < 0 ? code : topo_finish(t, err);
}

struct llc_share {
	int llc, node, cpu;
};

static int by_llc(const void *pa, const void *pb)
{
	const struct llc_share *a = pa, *b = pb;

	if (a->llc != b->llc)
		return a->llc < b->llc ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/* The lowest node of an LLC keeps its number, the others get new ones. */
static int split_llcs(struct topo *t, struct err *err)
{
	struct llc_share *share;
	int nr = 0, next = 0, llc = -1;

	share = malloc(((size_t)t->nr_cpu_ids + 1) * sizeof(*share));
	if (!share)
		return err_nomem(err);
	for (int cpu = 0; cpu < t->nr_cpu_ids; cpu++) {
		struct topo_cpu *c = &t->cpu[cpu];

		if (!c->present || c->llc < 0)
			continue;
		if (c->llc > INT_MAX / 2) {
			free(share);
			return err_set(err, ERR_FORMAT,
				       "CPU %d: cache number %d is too large",
				       cpu, c->llc);
		}
		share[nr++] = (struct llc_share){ c->llc, c->node, cpu };
		if (c->llc >= next)
			next = c->llc + 1;
	}
	qsort(share, (size_t)nr, sizeof(*share), by_llc);
	for (int i = 0; i < nr; i++) {
		if (i == 0 || share[i].llc != share[i - 1].llc)
			llc = share[i].llc;
		else if (share[i].node != share[i - 1].node)
			llc = next++;
		t->cpu[share[i].cpu].llc = llc;
	}
	free(share);
	return 0;
}

int topo_finish(struct topo *t, struct err *err)
{
	for (int n = 0; n < t->nr_node_ids; n++)
		t->node[n].nr_cpus = 0;
	for (int cpu = 0; cpu < t->nr_cpu_ids; cpu++) {
		struct topo_cpu *c = &t->cpu[cpu];

		if (!c->present)
			continue;
		if (c->node < 0 || c->node >= t->nr_node_ids ||
		    !t->node[c->node].present)
			return err_set(err, ERR_FORMAT,
				       "CPU %d is on node %d, which is not there",
				       cpu, c->node);
		t->node[c->node].nr_cpus++;
	}
	for (int from = 0; from < t->nr_node_ids; from++)
		for (int to = 0; to < t->nr_node_ids; to++)
			if (t->distance[from * t->nr_node_ids + to] <= 0)
				return err_set(err, ERR_FORMAT,
					       "distance from node %d to %d is not above 0",
					       from, to);
	return split_llcs(t, err);
}

int topo_node_of(const struct topo *t, int cpu)
{
	if (cpu < 0 || cpu >= t->nr_cpu_ids || !t->cpu[cpu].present)
		return -1;
	return t->cpu[cpu].node;
}

int topo_distance(const struct topo *t, int from, int to)
{
	if (from == to)
		return from >= 0 && from < t->nr_node_ids ?
			t->distance[from * t->nr_node_ids + to] :
			TOPO_DISTANCE_LOCAL;
	if (from < 0 || to < 0 || from >= t->nr_node_ids ||
	    to >= t->nr_node_ids)
		return TOPO_DISTANCE_REMOTE;
	return t->distance[from * t->nr_node_ids + to];
}

int topo_nr_nodes(const struct topo *t)
{
	int nr = 0;

	for (int n = 0; n < t->nr_node_ids; n++)
		nr += t->node[n].present;
	return nr;
}

int topo_nr_cpus(const struct topo *t)
{
	int nr = 0;

	for (int cpu = 0; cpu < t->nr_cpu_ids; cpu++)
		nr += t->cpu[cpu].present;
	return nr;
}

static bool has_memory(const struct topo *t, int node)
{
	return t->node[node].present && t->node[node].mem_bytes != 0;
}

int topo_nearest_memory(const struct topo *t, int node)
{
	int best = -1;

	if (node >= 0 && node < t->nr_node_ids && has_memory(t, node))
		return node;
	for (int n = 0; n < t->nr_node_ids; n++)
		if (has_memory(t, n) &&
		    (best < 0 ||
		     topo_distance(t, node, n) < topo_distance(t, node, best)))
			best = n;
	return best;
}

static int by_place(const void *pa, const void *pb, void *ctx)
{
	int na = *(const int *)pa, nb = *(const int *)pb;
	const struct topo_cpu *cpus = ctx, *a = &cpus[na], *b = &cpus[nb];

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->llc != b->llc)
		return a->llc < b->llc ? -1 : 1;
	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->smt != b->smt)
		return a->smt < b->smt ? -1 : 1;
	return na < nb ? -1 : na > nb;
}

int topo_cpu_order(const struct topo *t, int *order)
{
	int nr = 0;

	for (int cpu = 0; cpu < t->nr_cpu_ids; cpu++)
		if (t->cpu[cpu].present)
			order[nr++] = cpu;
	if (nr)
		qsort_r(order, (size_t)nr, sizeof(*order), by_place, t->cpu);
	return nr;
}

enum topo_level topo_shared_level(const struct topo *t, int a, int b)
{
	const struct topo_cpu *ca, *cb;
	int na, nb;

	if (a == b)
		return TOPO_SAME_CPU;
	na = topo_node_of(t, a);
	nb = topo_node_of(t, b);
	if (na < 0 || na != nb)
		return TOPO_SYSTEM;
	ca = &t->cpu[a];
	cb = &t->cpu[b];
	if (ca->core >= 0 && ca->core == cb->core)
		return TOPO_SMT;
	if (ca->cluster >= 0 && ca->cluster == cb->cluster)
		return TOPO_CLUSTER;
	if (ca->llc >= 0 && ca->llc == cb->llc)
		return TOPO_LLC;
	return TOPO_NODE;
}
