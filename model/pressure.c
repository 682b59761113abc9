/* SPDX-License-Identifier: MIT */
#include "model/pressure.h"

#include "model/cost.h"
#include "model/cpumask.h"
#include "model/demand.h"
#include "model/err.h"
#include "model/topo.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_MAX (1000 * DEMAND_SLOW_ONE)

/* The integral over time of a quantity that changes in steps. */
struct integral {
	double value, sum;
	int64_t at;
};

struct place {
	bool busy;
	int next_sibling;	/* ring of a core's CPUs; itself if alone */
	int nr_waiting;
	int64_t mark;		/* where the current piece began */
	struct integral crowded;	/* 1 while others wait */
	struct integral sibling;	/* 1 while a sibling is busy */
	double crowded_mark, sibling_mark;
};

struct pressure {
	const struct topo *topo;
	const struct cost *cost;
	int nr_nodes, nr_cpus;
	double *users;		/* [node] */
	struct integral *crowd;	/* [node]: users beyond the first */
	struct place *place;	/* [cpu] */
	double *share, *mark;	/* [cpu * nr_nodes + node] */
};

static double integral_at(const struct integral *i, int64_t ts)
{
	return i->sum + i->value * (double)(ts > i->at ? ts - i->at : 0);
}

static void integral_set(struct integral *i, int64_t ts, double value)
{
	i->sum = integral_at(i, ts);
	if (ts > i->at)
		i->at = ts;
	i->value = value;
}

/* -1 where unknown, and for numbers that make no sense. */
static int core_of(const struct pressure *p, int cpu)
{
	const struct topo_cpu *c = &p->topo->cpu[cpu];

	return c->present && c->core < CPUMASK_MAX ? c->core : -1;
}

static void link_siblings(struct pressure *p)
{
	int nr_cores = 0;
	int *last;

	for (int c = 0; c < p->nr_cpus; c++) {
		p->place[c].next_sibling = c;
		if (core_of(p, c) >= nr_cores)
			nr_cores = core_of(p, c) + 1;
	}
	last = malloc(((size_t)nr_cores + 1) * sizeof(*last));
	if (!last)
		return;
	memset(last, -1, ((size_t)nr_cores + 1) * sizeof(*last));
	for (int c = 0; c < p->nr_cpus; c++) {
		int core = core_of(p, c);

		if (core < 0)
			continue;
		if (last[core] >= 0) {
			p->place[c].next_sibling =
				p->place[last[core]].next_sibling;
			p->place[last[core]].next_sibling = c;
		}
		last[core] = c;
	}
	free(last);
}

int pressure_new(struct pressure **out, const struct topo *topo,
		 const struct cost *cost, struct err *err)
{
	size_t nodes = (size_t)topo->nr_node_ids, cpus;
	struct pressure *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p)
		return err_nomem(err);
	cpus = (size_t)topo->nr_cpu_ids;
	p->topo = topo;
	p->cost = cost;
	p->nr_nodes = topo->nr_node_ids;
	p->nr_cpus = topo->nr_cpu_ids;
	p->users = calloc(nodes + 1, sizeof(*p->users));
	p->crowd = calloc(nodes + 1, sizeof(*p->crowd));
	p->place = calloc(cpus + 1, sizeof(*p->place));
	p->share = calloc(cpus * nodes + 1, sizeof(*p->share));
	p->mark = calloc(cpus * nodes + 1, sizeof(*p->mark));
	if (!p->users || !p->crowd || !p->place || !p->share || !p->mark) {
		pressure_free(p);
		return err_nomem(err);
	}
	link_siblings(p);
	*out = p;
	return 0;
}

void pressure_free(struct pressure *p)
{
	if (!p)
		return;
	free(p->users);
	free(p->crowd);
	free(p->place);
	free(p->share);
	free(p->mark);
	free(p);
}

static struct place *place_of(struct pressure *p, int cpu)
{
	return cpu >= 0 && cpu < p->nr_cpus ? &p->place[cpu] : NULL;
}

static void set_share(struct pressure *p, int cpu, int64_t ts,
		      const double *share)
{
	double *mine = &p->share[(size_t)cpu * (size_t)p->nr_nodes];

	for (int n = 0; n < p->nr_nodes; n++) {
		double now = share ? share[n] : 0;

		if (now == mine[n])
			continue;
		p->users[n] += now - mine[n];
		mine[n] = now;
		integral_set(&p->crowd[n], ts,
			     p->users[n] > 1 ? p->users[n] - 1 : 0);
	}
}

static void begin_piece(struct pressure *p, int cpu, int64_t ts)
{
	double *mark = &p->mark[(size_t)cpu * (size_t)p->nr_nodes];
	struct place *pl = &p->place[cpu];

	pl->mark = ts;
	pl->crowded_mark = integral_at(&pl->crowded, ts);
	pl->sibling_mark = integral_at(&pl->sibling, ts);
	for (int n = 0; n < p->nr_nodes; n++)
		mark[n] = integral_at(&p->crowd[n], ts);
}

/* A CPU became busy or idle: its siblings feel it. */
static void tell_siblings(struct pressure *p, int cpu, int64_t ts)
{
	for (int c = p->place[cpu].next_sibling; c != cpu;
	     c = p->place[c].next_sibling) {
		bool busy = false;

		for (int s = p->place[c].next_sibling; s != c;
		     s = p->place[s].next_sibling)
			busy = busy || p->place[s].busy;
		integral_set(&p->place[c].sibling, ts, busy);
	}
}

void pressure_on(struct pressure *p, int cpu, int64_t ts, const double *share)
{
	struct place *pl = place_of(p, cpu);

	if (!pl)
		return;
	pl->busy = true;
	tell_siblings(p, cpu, ts);
	set_share(p, cpu, ts, share);
	begin_piece(p, cpu, ts);
}

void pressure_off(struct pressure *p, int cpu, int64_t ts)
{
	struct place *pl = place_of(p, cpu);

	if (!pl)
		return;
	pl->busy = false;
	tell_siblings(p, cpu, ts);
	set_share(p, cpu, ts, NULL);
}

void pressure_share(struct pressure *p, int cpu, int64_t ts,
		    const double *share)
{
	if (place_of(p, cpu))
		set_share(p, cpu, ts, share);
}

void pressure_queue(struct pressure *p, int cpu, int64_t ts, int more)
{
	struct place *pl = place_of(p, cpu);

	if (!pl)
		return;
	pl->nr_waiting += more;
	integral_set(&pl->crowded, ts, pl->nr_waiting > 0);
}

static double memory_factor(const struct pressure *p, int cpu, int64_t ts,
			    double dt)
{
	const struct cost *cost = p->cost;
	size_t row = (size_t)cpu * (size_t)p->nr_nodes;
	int node = topo_node_of(p->topo, cpu);
	double m = 0, sum = 0;

	if (cost->flat || node < 0 || node >= cost->nr_node_ids)
		return 1;
	for (int n = 0; n < p->nr_nodes && n < cost->nr_node_ids; n++) {
		double share = p->share[row + (size_t)n];
		double crowd = (integral_at(&p->crowd[n], ts) -
				p->mark[row + (size_t)n]) / dt;

		sum += share;
		m += share * (1 + cost->contention * crowd) *
		     cost->remote[node * cost->nr_node_ids + n];
	}
	return sum > 0 ? m / sum : 1;
}

static int in_1024ths(double slow)
{
	if (!(slow > 1))
		return DEMAND_SLOW_ONE;
	return slow >= 1000 ? SLOW_MAX : (int)lround(slow * DEMAND_SLOW_ONE);
}

struct pressure_slow pressure_take(struct pressure *p, int cpu, int64_t ts)
{
	struct pressure_slow s = { DEMAND_SLOW_ONE, DEMAND_SLOW_ONE };
	struct place *pl = place_of(p, cpu);
	double dt, over, smt;

	if (!pl || ts <= pl->mark)
		return s;
	dt = (double)(ts - pl->mark);
	s.memory = in_1024ths(memory_factor(p, cpu, ts, dt));
	over = (integral_at(&pl->crowded, ts) - pl->crowded_mark) / dt;
	smt = (integral_at(&pl->sibling, ts) - pl->sibling_mark) / dt;
	s.crowd = in_1024ths((1 + (p->cost->oversubscribed - 1) * over) *
			     (1 + (p->cost->smt - 1) * smt));
	begin_piece(p, cpu, ts);
	return s;
}
