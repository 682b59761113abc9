/* SPDX-License-Identifier: MIT */
#include "model/preset.h"

#include <string.h>

#include "model/err.h"
#include "model/topo.h"

static const struct preset_cost azusa_cost[] = {
	{ "flat", NULL },
	{ "intensity=1", "the numbers below are of whole run times" },
	{ "remote=1.31", "numa_test user-time key: 36 s away from its memory, "
	  "27 s alone; displaced and local rows at N = 16" },
	{ "contention=0.0525", "jobs 100 % on one node with 1 to 5 users" },
	{ "oversubscribed=1.048", "jobs that never left their node at N = 32" },
	{ "transfer=22500", "column H of B (2.4.18): 1.5 s on idle CPUs, 5 s on "
	  "one" },
	{ NULL, NULL }
};

/* The same machine with the kernel on which the seed's hackbench took two to
 * six times as long where its tasks were on several CPUs. */
static const struct preset_cost azusa_2_5_39_cost[] = {
	{ "azusa", NULL },
	{ "transfer:system=80000", "column H of A and C (2.5.39) at N >= 16: 4.5 s "
	  "in the mean" },
	{ NULL, NULL }
};

static const struct preset_cost numaq_cost[] = {
	{ "flat", NULL },
	{ "intensity=1", "the numbers below are of whole run times" },
	{ "remote=1.95", "N = 4 of Bligh's table: the longest job without the "
	  "patch, thrown off at 3 s ((52.1 - 3) / (28.2 - 3)), beside 28.2 s, the "
	  "mean of the other three with it" },
	{ "contention=0.0525", "azusa's: no figure of this machine tells it" },
	{ "oversubscribed=1.048", "azusa's, likewise" },
	{ "transfer=22500", "azusa's, likewise: hackbench's times were not "
	  "printed" },
	{ NULL, NULL }
};

/* The workloads' times of a pass are those of hard bind, with all threads of all
 * cores busy: nothing else of the machine is known from one situation alone. */
static const struct preset_cost westmere_cost[] = {
	{ "flat", NULL },
	{ "intensity=1", "the numbers below are of whole run times" },
	{ "remote=1.44", "inverse / hard bind: numa01 483 / 335 s, numa02 53 / 37 "
	  "(seed 004, lines 31 and 84)" },
	{ NULL, NULL }
};

static const struct preset_cost kunpeng920_cost[] = {
	{ "flat", NULL },
	{ "handover:llc=800", "hackbench on one node, g = 4 without the patch: "
	  "20.8 s on 24 CPUs, 3.1 us a message" },
	{ "handover:system=6000", "on two nodes, g = 5 without the patch: 27.4 s "
	  "on 48 CPUs, 6.6 us a message" },
	{ NULL, NULL }
};

const struct preset preset_table[] = {
	{
		.name = "azusa",
		.title = "NEC AzusA, 16 Itanium, 4 nodes (seed 000, Focht 2002)",
		.packages = 4, .nodes = 1, .cores = 4, .threads = 1,
		.distance = 20,
		.cost = azusa_cost,
	},
	{
		.name = "azusa-2.5.39",
		.title = "the same under Linux 2.5.39, azusa being 2.4.18",
		.packages = 4, .nodes = 1, .cores = 4, .threads = 1,
		.distance = 20,
		.cost = azusa_2_5_39_cost,
	},
	{
		.name = "numaq",
		.title = "IBM NUMA-Q, 16 IA-32, 4 quads (seeds 000, 003, Bligh)",
		.packages = 4, .nodes = 1, .cores = 4, .threads = 1,
		.distance = 20,
		.cost = numaq_cost,
	},
	{
		.name = "westmere",
		.title = "2 x 6 cores x 2 threads (seed 004, Smith 2012)",
		.packages = 2, .nodes = 1, .cores = 6, .threads = 2,
		.distance = 20,
		.cost = westmere_cost,
	},
	{
		.name = "kunpeng920",
		.title = "2 nodes x 6 clusters x 4 cores (seed 002, Song 2020)",
		.packages = 1, .nodes = 2, .clusters = 6, .cores = 4,
		.threads = 1,
		.distance = 20,
		.cost = kunpeng920_cost,
	},
	{ .name = NULL }
};

const struct preset *preset_find(const char *name)
{
	for (const struct preset *p = preset_table; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static void place_cpu(const struct preset *p, struct topo *t, int cpu)
{
	int clusters = p->clusters ? p->clusters : 1;
	int per_node = clusters * p->cores;
	int cores = p->packages * p->nodes * per_node, core = cpu % cores;
	struct topo_cpu *c = &t->cpu[cpu];

	c->package = core / per_node / p->nodes;
	c->die = c->package;
	c->llc = core / per_node;
	c->cluster = p->clusters ? core / p->cores : -1;
	c->core = core;
	c->smt = cpu / cores;
}

int preset_topo(const struct preset *p, struct topo *t, struct err *err)
{
	int per_node = (p->clusters ? p->clusters : 1) * p->cores;
	int nodes = p->packages * p->nodes, cores = nodes * per_node;

	*t = (struct topo){ 0 };
	for (int n = 0; n < nodes; n++)
		if (topo_add_node(t, n, err))
			return err->code;
	for (int from = 0; from < nodes; from++)
		for (int to = 0; to < nodes; to++)
			if (from != to)
				t->distance[from * nodes + to] = p->distance;
	for (int c = 0; c < cores * p->threads; c++) {
		if (topo_add_cpu(t, c, c % cores / per_node, err))
			return err->code;
		place_cpu(p, t, c);
	}
	return topo_finish(t, err);
}
