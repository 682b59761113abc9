/* SPDX-License-Identifier: MIT */
#include "tests/support/replay_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/discipline.h"

int topo_grid(struct topo *t, const char *machine)
{
	struct err err = { 0 };
	int nodes = 0, clusters = 1, cpus = 0;
	int n = sscanf(machine, "%dx%dx%d", &nodes, &clusters, &cpus), per_node;

	memset(t, 0, sizeof(*t));
	if (n < 2)
		return -1;
	if (n == 2) {
		cpus = clusters;
		clusters = 1;
	}
	per_node = clusters * cpus;
	for (int c = 0; c < nodes * per_node; c++) {
		if (c % per_node == 0)
			topo_add_node(t, c / per_node, &err);
		topo_add_cpu(t, c, c / per_node, &err);
		if (n == 2)
			continue;
		t->cpu[c].cluster = c / cpus;
		t->cpu[c].llc = t->cpu[c].package = c / per_node;
	}
	return topo_finish(t, &err);
}

#define GROW(array, nr) \
	((array) = realloc((array), (size_t)((nr) + 1) * sizeof(*(array))))

static int on_span(void *ctx, const struct span *s, struct err *err)
{
	struct replay_run *r = ctx;

	GROW(r->span, r->nr_spans)[r->nr_spans] = *s;
	r->nr_spans++;
	return 0;
}

static int on_move(void *ctx, const struct move *m, struct err *err)
{
	struct replay_run *r = ctx;

	GROW(r->move, r->nr_moves)[r->nr_moves] = *m;
	r->nr_moves++;
	return 0;
}

static int on_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct replay_run *r = ctx;

	GROW(r->mem, r->nr_mems)[r->nr_mems] = *m;
	r->nr_mems++;
	return 0;
}

static int on_count(void *ctx, const char *name, int64_t value,
		    struct err *err)
{
	struct replay_run *r = ctx;

	snprintf(r->count[r->nr_counts].name, 32, "%s", name);
	r->count[r->nr_counts++].value = value;
	return 0;
}

static int spec_of(struct replay_run *r, struct policy_spec *s,
		   struct err *err)
{
	int e = policy_spec_pick(s, r->ops ? "stay" : r->policy,
				  r->discipline, err);

	if (!e && r->ops)
		s->ops = r->ops;
	return e;
}

int replay_run(struct replay_run *r, const char *demand)
{
	struct run_sink sink = {
		.ctx = r, .span = on_span, .move = on_move, .mem = on_mem,
		.count = on_count };
	struct engine_input in = {
		.seed = r->seed,
		.end_ns = r->end_ns ? r->end_ns : 1000000000,
		.page_size = r->page_size,
		.aligned_ticks = !r->random_ticks,
		.check = true,
	};
	struct policy_spec spec = { 0 };
	struct cost cost = { 0 };
	struct err err = { 0 };
	int e = ERR_USAGE;

	if (demand_text_parse(&r->demand, demand, r->chunk)) {
		snprintf(r->error, sizeof(r->error), "%s", r->demand.error);
		return e;
	}
	topo_grid(&r->topo, r->machine);
	if (r->adapt)
		r->adapt(&r->topo);
	e = cost_init(&cost, &r->topo, &err);
	if (!e)
		e = cost_parse(&cost, r->cost ? r->cost : "flat", &err);
	if (!e)
		e = spec_of(r, &spec, &err);
	in.topo = &r->topo;
	in.tasks = &r->demand.tasks;
	in.areas = &r->demand.areas;
	in.demand = r->demand.demand;
	in.nr_demand = r->demand.nr;
	in.access = r->demand.access;
	in.nr_access = r->demand.nr_access;
	in.cost = &cost;
	in.policy = &spec;
	demand_text_source(&r->demand, &in.source);
	if (!e)
		e = engine_run(&in, &sink, &err);
	snprintf(r->error, sizeof(r->error), "%s", err.text);
	cost_release(&cost);
	policy_spec_release(&spec);
	return e;
}

void replay_run_release(struct replay_run *r)
{
	demand_text_release(&r->demand);
	topo_release(&r->topo);
	free(r->span);
	free(r->move);
	free(r->mem);
	memset(r, 0, sizeof(*r));
}

int64_t replay_count(const struct replay_run *r, const char *name)
{
	for (int i = 0; i < r->nr_counts; i++)
		if (!strcmp(r->count[i].name, name))
			return r->count[i].value;
	return -1;
}

int64_t replay_cpu_ns(const struct replay_run *r, const char *task)
{
	int id = demand_text_task(&r->demand, task);
	int64_t sum = 0;

	for (int i = 0; i < r->nr_spans; i++)
		if (r->span[i].task == id)
			sum += r->span[i].end_ns - r->span[i].start_ns;
	return sum;
}

const char *replay_spans(const struct replay_run *r, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (int i = 0; i < r->nr_spans && len < size; i++) {
		const struct span *s = &r->span[i];

		len += (size_t)snprintf(buf + len, size - len,
				"%s%s %d %" PRId64 "-%" PRId64, len ? "; " : "",
				r->demand.tasks.task[s->task].comm, s->cpu,
				s->start_ns, s->end_ns);
	}
	return buf;
}

int64_t replay_pages(const struct replay_run *r, int area, int node)
{
	int64_t pages = 0;

	for (int i = 0; i < r->nr_mems; i++)
		if (r->mem[i].area == area && r->mem[i].node == node)
			pages = r->mem[i].pages;
	return pages;
}
