/* SPDX-License-Identifier: MIT */
#include "collect/calibrate_local.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/clock.h"
#include "model/err.h"

#define LOADS 20000	/* a sample: some 2 ms */
#define MAX_CO_RUNNERS 64
#define BUSY 0.8	/* less of its CPU than this: the host was not idle */

struct calibration {
	const struct calibrate_setup *setup;
	const struct calibrate_host *host;
	struct latency *row;
	int nr, size;
	int samples;
	int64_t spent_ns, passed_ns;	/* CPU time and time of the loads */
};

/* The measurements of one memory node. */
struct target {
	int node;
	struct chase chase;
	uint32_t at;
};

static void note(const struct calibration *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(const struct calibration *c, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	if (!c->setup->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->setup->note(c->setup->ctx, text);
}

static struct latency *add_row(struct calibration *c, struct err *err)
{
	if (c->nr == c->size) {
		int size = c->size ? 2 * c->size : 16;
		struct latency *new = realloc(c->row,
					      (size_t)size * sizeof(*new));

		if (!new) {
			err_nomem(err);
			return NULL;
		}
		c->row = new;
		c->size = size;
	}
	return &c->row[c->nr++];
}

/* Samples of one latency, by the CPU that the thread is on. */
static int measure(struct calibration *c, struct target *t, int cpu_node,
		   int co_runners, struct err *err)
{
	int64_t *ps = calloc((size_t)c->samples, sizeof(*ps));
	struct latency *row;
	struct spread s;

	if (!ps)
		return err_nomem(err);
	chase_follow(&t->chase, &t->at, LOADS / 4);
	for (int i = 0; i < c->samples; i++) {
		int64_t begin = clock_now();

		ps[i] = chase_follow(&t->chase, &t->at, LOADS);
		c->passed_ns += clock_now() - begin;
		c->spent_ns += ps[i] * LOADS / 1000;
	}
	s = spread_of(ps, c->samples);
	free(ps);
	row = add_row(c, err);
	if (!row)
		return err->code;
	*row = (struct latency){
		.cpu_node = cpu_node, .mem_node = t->node,
		.co_runners = co_runners, .median_ps = s.median,
		.low_ps = s.low, .high_ps = s.high, .samples = c->samples,
		.buffer_bytes = (int64_t)t->chase.bytes / 2,
		.huge_bytes = t->chase.huge_bytes / 2,
	};
	return 0;
}

/* CPUs for co-runners: those of the node, one of another if it has no more. */
static int nr_co_runners(const struct calibrate_host *h, const int *cpu, int nr)
{
	int own = 0;

	for (int i = 1; i < nr; i++)
		own += topo_node_of(&h->topo, cpu[i]) ==
		       topo_node_of(&h->topo, cpu[0]);
	return own ? own : nr > 1 ? 1 : 0;
}

static int measure_loaded(struct calibration *c, struct target *t,
			  const int *cpu, int nr, struct err *err)
{
	int level[CALIBRATION_LEVELS];
	int nr_levels = calibration_levels(nr_co_runners(c->host, cpu, nr),
					   level);

	for (int i = 0; i < nr_levels && !err->code; i++) {
		struct co_runners *r = NULL;

		if (co_runners_start(&r, &t->chase, cpu + 1, level[i], err) == 0)
			measure(c, t, t->node, level[i], err);
		co_runners_stop(r);
	}
	if (!nr_levels)
		note(c, "node %d: no other CPU may be used, so how much "
		     "co-runners slow down is not known", t->node);
	return err->code;
}

static int measure_from(struct calibration *c, struct target *t, int cpu_node,
			struct err *err)
{
	int cpu[MAX_CO_RUNNERS + 1];
	int nr = calibration_cpus(&c->host->topo, &c->host->cpus, cpu_node, cpu,
				  MAX_CO_RUNNERS + 1);

	if (!nr)
		return 0;
	if (chase_bind_cpu(cpu[0], err) || measure(c, t, cpu_node, 0, err))
		return err->code;
	return cpu_node == t->node ? measure_loaded(c, t, cpu, nr, err) : 0;
}

/* False, and said, if the node's memory cannot be used. */
static bool open_target(struct calibration *c, struct target *t)
{
	const struct calibrate_host *h = c->host;
	int64_t half = c->setup->buffer_bytes;
	struct err why = { 0 };

	if (!cpumask_test(&h->mems, t->node)) {
		note(c, "node %d: its memory is not in this cpuset: not measured",
		     t->node);
		return false;
	}
	if (!half)
		half = calibrate_half(h, t->node);
	if (!half) {
		note(c, "node %d: only %" PRId64 " MiB of its memory are free: "
		     "not measured", t->node, h->free_bytes[t->node] >> 20);
		return false;
	}
	if (chase_open(&t->chase, t->node, topo_nr_nodes(&h->topo) > 1, half,
		       &why) == 0)
		return true;
	note(c, "node %d: %s: not measured", t->node, why.text);
	chase_close(&t->chase);
	return false;
}

static void note_cpus(const struct calibration *c)
{
	const struct topo *t = &c->host->topo;
	int cpu;

	for (int node = 0; node < t->nr_node_ids; node++)
		if (t->node[node].present && t->node[node].nr_cpus &&
		    !calibration_cpus(t, &c->host->cpus, node, &cpu, 1))
			note(c, "node %d: none of its CPUs is online and may be "
			     "used: not measured from there", node);
}

static int measure_all(struct calibration *c, struct err *err)
{
	const struct topo *topo = &c->host->topo;
	int pairs = topo->nr_node_ids * topo->nr_node_ids, done = 0;

	for (int mem = 0; mem < topo->nr_node_ids && !err->code; mem++) {
		struct target t = { .node = mem };

		if (!topo->node[mem].present || !topo->node[mem].mem_bytes ||
		    !open_target(c, &t)) {
			done += topo->nr_node_ids;
			continue;
		}
		for (int from = 0; from < topo->nr_node_ids && !err->code;
		     from++) {
			if (c->setup->progress)
				c->setup->progress(c->setup->ctx,
						   (double)done++ / pairs);
			measure_from(c, &t, from, err);
		}
		chase_close(&t.chase);
	}
	return err->code;
}

/* Restores the affinity that calibrate_host_read() found. */
static void unbind(const struct calibrate_host *h)
{
	int last = 0;
	cpu_set_t *set;
	size_t size;

	for (int cpu = -1; (cpu = cpumask_next(&h->cpus, cpu)) >= 0;)
		last = cpu;
	size = CPU_ALLOC_SIZE((size_t)last + 1);
	set = CPU_ALLOC((size_t)last + 1);
	if (!set)
		return;
	CPU_ZERO_S(size, set);
	for (int cpu = -1; (cpu = cpumask_next(&h->cpus, cpu)) >= 0;)
		CPU_SET_S((size_t)cpu, size, set);
	sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

int calibrate(const struct calibrate_setup *setup,
	      const struct calibrate_host *h, struct latency **l, int *nr,
	      struct err *err)
{
	struct calibration c = {
		.setup = setup, .host = h,
		.samples = setup->samples ? setup->samples : CALIBRATE_SAMPLES,
	};

	*l = NULL;
	*nr = 0;
	note_cpus(&c);
	measure_all(&c, err);
	unbind(h);
	if (!err->code && !c.nr)
		err_set(err, ERR_NOTFOUND, "no node could be measured");
	if (err->code) {
		free(c.row);
		return err->code;
	}
	if ((double)c.spent_ns < BUSY * (double)c.passed_ns)
		note(&c, "this host was busy (%.0f %% of a CPU for the measuring "
		     "thread): measure again when it is idle",
		     100 * (double)c.spent_ns / (double)c.passed_ns);
	*l = c.row;
	*nr = c.nr;
	return 0;
}
