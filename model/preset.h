/* SPDX-License-Identifier: MIT */
/*
 * preset: the machines of the seeds, by name: their topology, and the numbers
 * of their cost model, at most six each, every one with the single-situation
 * figure that it was taken from.
 *
 * The published tables were measured on them.  Everything else that a replay
 * on them gives is prediction: there is no number per table cell, policy or
 * load.
 */
#ifndef MODEL_PRESET_H
#define MODEL_PRESET_H

struct err;
struct topo;

#define PRESET_NAMES "azusa, azusa-2.5.39, numaq, westmere, kunpeng920"

struct preset_cost {
	const char *item;	/* as cost_parse() reads it; NULL: end */
	const char *source;	/* where the number comes from; NULL: "flat" */
};

struct preset {
	const char *name;
	const char *title;	/* one line */
	int packages;		/* equal parts each: */
	int nodes;		/*	of a package */
	int clusters;		/*	of a node; 0: no such level */
	int cores;		/*	of a cluster or node */
	int threads;		/* of a core; second ones are numbered last */
	int distance;		/* SLIT, between any two nodes */
	const struct preset_cost *cost;
};

extern const struct preset preset_table[];	/* ends with name NULL */

const struct preset *preset_find(const char *name);	/* NULL: none */

/* Nodes, CPUs and caches: one last-level cache per node, memory unknown. */
int preset_topo(const struct preset *p, struct topo *t, struct err *err);

#endif
