/* SPDX-License-Identifier: MIT */
#include "replay/metrics.h"

#include <math.h>

#define NS_PER_S 1e9

const struct metric_def metric_table[METRIC_NR] = {
	[METRIC_ELAPSED] = { "elapsed_ns", "elapsed", UNIT_NS, true },
	[METRIC_CPU] = { "cpu_ns", "CPU time", UNIT_NS, true },
	[METRIC_WAIT] = { "wait_ns", "waiting", UNIT_NS, true },
	[METRIC_LOCALITY] = { "locality", "locality", UNIT_SHARE, true },
	[METRIC_REMOTE_COST] = {
		"remote_cost", "remote cost", UNIT_FACTOR, true },
	[METRIC_NODE_MIGRATIONS] = {
		"node_migrations", "node moves", UNIT_COUNT, true },
	[METRIC_NODE_RATE] = {
		"node_migrations_per_s", "per CPU s", UNIT_RATE, true },
	[METRIC_MIGRATIONS] = {
		"migrations", "CPU moves", UNIT_COUNT, true },
	[METRIC_RATE] = { "migrations_per_s", "per CPU s", UNIT_RATE, true },
	[METRIC_PAGES_MOVED] = {
		"pages_moved", "pages moved", UNIT_COUNT, false },
};

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

void metrics_sum(struct metrics_sum *m, const struct residency *r,
		 int nr_tasks)
{
	*m = (struct metrics_sum){ .first_ns = -1, .last_ns = -1 };
	for (int i = 0; i < nr_tasks; i++) {
		const struct residency_task *t = residency_task(r, i);

		if (!t)
			continue;
		m->local_ns += t->local_ns;
		m->known_ns += t->known_ns;
		m->remote_ns += t->remote_ns;
		m->cpu_ns += t->cpu_ns;
		m->wait_ns += t->wait_ns;
		m->migrations += t->migrations;
		m->node_migrations += t->node_migrations;
		if (m->first_ns < 0 || t->first_ns < m->first_ns)
			m->first_ns = t->first_ns;
		if (t->last_ns > m->last_ns)
			m->last_ns = t->last_ns;
	}
}

void metrics_of_run(const struct metrics_sum *m, double *value)
{
	double cpu_s = (double)m->cpu_ns / NS_PER_S;

	value[METRIC_ELAPSED] = (double)(m->last_ns - m->first_ns);
	value[METRIC_CPU] = (double)m->cpu_ns;
	value[METRIC_WAIT] = (double)m->wait_ns;
	value[METRIC_LOCALITY] = ratio(m->local_ns, m->known_ns);
	value[METRIC_REMOTE_COST] = ratio(m->remote_ns, m->known_ns);
	value[METRIC_NODE_MIGRATIONS] = (double)m->node_migrations;
	value[METRIC_NODE_RATE] = ratio((double)m->node_migrations, cpu_s);
	value[METRIC_MIGRATIONS] = (double)m->migrations;
	value[METRIC_RATE] = ratio((double)m->migrations, cpu_s);
	value[METRIC_PAGES_MOVED] = (double)m->pages_moved;
}

void metrics_of_task(const struct residency_task *t, double *value)
{
	const struct metrics_sum sum = {
		.local_ns = t->local_ns, .known_ns = t->known_ns,
		.remote_ns = t->remote_ns, .cpu_ns = t->cpu_ns,
		.wait_ns = t->wait_ns, .first_ns = t->first_ns,
		.last_ns = t->last_ns, .migrations = t->migrations,
		.node_migrations = t->node_migrations,
	};

	metrics_of_run(&sum, value);
	value[METRIC_PAGES_MOVED] = NAN;
}
