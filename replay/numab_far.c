/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#include <stdlib.h>

#define LOCAL TOPO_DISTANCE_LOCAL

static bool has_cpus(const struct numab *n, int node)
{
	return n->node_set[node].nr > 0;
}

static int64_t faults_on(const struct numab_faults *sum, int node)
{
	return sum[node].mem[0] + sum[node].mem[1];
}

/* -- how the nodes are connected -------------------------------------------- */

static bool has_middle(const struct numab *n, int a, int b)
{
	const struct topo *t = view_topo(n->v);

	for (int c = 0; c < n->nr_nodes; c++)
		if (has_cpus(n, c) && topo_distance(t, a, c) < n->farthest &&
		    topo_distance(t, b, c) < n->farthest)
			return true;
	return false;
}

/* By the first two nodes that are as far apart as any. */
static enum numab_shape shape_of(const struct numab *n)
{
	for (int a = 0; a < n->nr_nodes; a++)
		for (int b = 0; b < n->nr_nodes; b++)
			if (has_cpus(n, a) && has_cpus(n, b) &&
			    topo_distance(view_topo(n->v), a, b) == n->farthest)
				return has_middle(n, a, b) ? NUMAB_MESH :
					NUMAB_BACKPLANE;
	return NUMAB_DIRECT;
}

void numab_find_shape(struct numab *n)
{
	const struct topo *t = view_topo(n->v);
	int nearest = 0;

	n->farthest = LOCAL;
	for (int a = 0; a < n->nr_nodes; a++) {
		for (int b = 0; b < n->nr_nodes; b++) {
			int far = topo_distance(t, a, b);

			if (!t->node[a].present || !t->node[b].present || a == b)
				continue;
			if (!nearest || far < nearest)
				nearest = far;
			if (far > n->farthest)
				n->farthest = far;
		}
	}
	n->shape = nearest == n->farthest || !nearest ? NUMAB_DIRECT :
		shape_of(n);
}

/* -- faults in the neighbourhood -------------------------------------------- */

static int64_t nearby(const struct numab *n, const struct numab_faults *sum,
		      int node, int within)
{
	const struct topo *t = view_topo(n->v);
	int64_t score = 0;

	for (int i = 0; i < n->nr_nodes; i++) {
		int far = topo_distance(t, node, i);

		if (i == node || !t->node[i].present || far >= n->farthest)
			continue;
		if (n->shape == NUMAB_MESH)
			score += faults_on(sum, i) * (n->farthest - far) /
				(n->farthest - LOCAL);
		else if (far < within)
			score += faults_on(sum, i);
	}
	return score;
}

int64_t numab_part(const struct numab *n, const struct numab_faults *sum,
		   int64_t total, int node, int within)
{
	int64_t faults;

	if (!sum || total <= 0 || node < 0)
		return 0;
	faults = faults_on(sum, node);
	if (n->shape != NUMAB_DIRECT)
		faults += nearby(n, sum, node, within);
	return 1000 * faults / total;
}

/* -- where a group belongs -------------------------------------------------- */

static int best_in_mesh(const struct numab *n, const struct numab_group *g,
			int best)
{
	int64_t most = 0;

	for (int i = 0; i < n->nr_nodes; i++) {
		int64_t part = numab_part(n, g->sum, g->total, i, n->farthest);

		if (has_cpus(n, i) && part > most) {
			most = part;
			best = i;
		}
	}
	return best;
}

static bool is_a_distance(const struct numab *n, int far)
{
	const struct topo *t = view_topo(n->v);

	for (int a = 0; a < n->nr_nodes; a++)
		for (int b = 0; b < n->nr_nodes; b++)
			if (t->node[a].present && t->node[b].present &&
			    topo_distance(t, a, b) == far)
				return true;
	return false;
}

/* Of sets of nodes that are nearer than `far` to one of them, takes the one with
 * most faults; of[node] is 1 for those that are left, 0 for others. */
static bool narrow(const struct numab *n, const struct numab_group *g, int far,
		   int *of, int *best)
{
	int64_t most = 0;
	int taken = 0;

	for (int a = 0, set = 2; a < n->nr_nodes; a++) {
		int64_t faults = 0;

		if (of[a] != 1)
			continue;
		for (int b = 0; b < n->nr_nodes; b++) {
			if (of[b] != 1 ||
			    topo_distance(view_topo(n->v), a, b) >= far)
				continue;
			faults += faults_on(g->sum, b);
			of[b] = set;
		}
		if (faults > most) {
			most = faults;
			taken = set;
			*best = a;
		}
		set++;
	}
	for (int i = 0; taken && i < n->nr_nodes; i++)
		of[i] = of[i] == taken;
	return taken;
}

static int best_behind_backplane(struct numab *n, const struct numab_group *g,
				 int best)
{
	int *of = calloc((size_t)n->nr_nodes + 1, sizeof(*of));

	if (!of) {
		decide_nomem(n->d);
		return best;
	}
	for (int i = 0; i < n->nr_nodes; i++)
		of[i] = view_topo(n->v)->node[i].present;
	for (int far = n->farthest; far > LOCAL; far--)
		if (is_a_distance(n, far) && !narrow(n, g, far, of, &best))
			break;
	free(of);
	return has_cpus(n, best) ? best : -1;
}

int numab_group_node(struct numab *n, const struct numab_group *g, int best)
{
	if (best < 0 || n->shape == NUMAB_DIRECT)
		return best;
	return n->shape == NUMAB_MESH ? best_in_mesh(n, g, best) :
		best_behind_backplane(n, g, best);
}
