/* SPDX-License-Identifier: MIT */
#include "ui/report.h"

#include "model/err.h"
#include "ui/json.h"
#include "ui/run_pick.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S 1e9

static bool has_cpus(const struct report *r, int node)
{
	return r->topo.node[node].present && r->topo.node[node].nr_cpus > 0;
}

static double part(double of, double all)
{
	return all > 0 ? of / all : 0;
}

/* -- text ----------------------------------------------------------------- */

static void put_head(struct table *t, const struct report *r)
{
	char head[32];

	table_column(t, "Job", TABLE_LEFT);
	table_column(t, "TID", TABLE_RIGHT);
	for (int n = 0; n < r->topo.nr_node_ids; n++) {
		if (!has_cpus(r, n))
			continue;
		snprintf(head, sizeof(head), "node%02d", n);
		table_column(t, head, TABLE_RIGHT);
	}
	table_column(t, "|", TABLE_LEFT);
	table_column(t, "iSched", TABLE_RIGHT);
	table_column(t, "MSched", TABLE_RIGHT);
	table_column(t, " ", TABLE_LEFT);
	table_column(t, "|", TABLE_LEFT);
	table_column(t, "CPUTime(s)", TABLE_RIGHT);
	table_column(t, "|", TABLE_LEFT);
	table_column(t, "Local(%)", TABLE_RIGHT);
	table_column(t, "Wait(s)", TABLE_RIGHT);
	table_column(t, "Moves", TABLE_RIGHT);
	table_column(t, "NodeMoves", TABLE_RIGHT);
}

static void put_shares(struct table *t, const struct report *r,
		       const int64_t *node_ns, int64_t all)
{
	for (int n = 0; n < r->topo.nr_node_ids; n++)
		if (has_cpus(r, n))
			table_printf(t, "%.1f", 100 * part((double)node_ns[n],
							   (double)all));
}

static void put_locality(struct table *t, double local_ns, double known_ns)
{
	if (known_ns > 0)
		table_printf(t, "%.1f", 100 * local_ns / known_ns);
	else
		table_text(t, "-");
}

static void put_node(struct table *t, int node)
{
	if (node < 0)
		table_text(t, "-");
	else
		table_printf(t, "%d", node);
}

static void put_row(struct table *t, const struct report *r, int id)
{
	const struct residency_task *x = residency_task(r->residency, id);

	table_text(t, r->tasks.task[id].comm);
	table_printf(t, "%d", r->tasks.task[id].tid);
	put_shares(t, r, x->node_ns, x->cpu_ns);
	table_text(t, "|");
	put_node(t, x->first_node);
	put_node(t, x->most_node);
	table_printf(t, "%s%s", x->first_node != x->most_node ? "*" : "",
		     x->censored ? "+" : "");
	table_text(t, "|");
	table_printf(t, "%.2f", (double)x->cpu_ns / NS_PER_S);
	table_text(t, "|");
	put_locality(t, x->local_ns, x->known_ns);
	table_printf(t, "%.2f", (double)x->wait_ns / NS_PER_S);
	table_printf(t, "%d", x->migrations);
	table_printf(t, "%d", x->node_migrations);
}

static void put_total(struct table *t, const struct report *r)
{
	const struct report_total *x = &r->total;

	table_rule(t);
	table_printf(t, "%d task%s", r->nr_tasks, r->nr_tasks == 1 ? "" : "s");
	table_text(t, "");
	put_shares(t, r, x->node_ns, x->cpu_ns);
	table_text(t, "|");
	table_text(t, "");
	table_text(t, "");
	table_text(t, "");
	table_text(t, "|");
	table_printf(t, "%.2f", (double)x->cpu_ns / NS_PER_S);
	table_text(t, "|");
	put_locality(t, x->local_ns, x->known_ns);
	table_printf(t, "%.2f", (double)x->wait_ns / NS_PER_S);
	table_printf(t, "%" PRId64, x->migrations);
	table_printf(t, "%" PRId64, x->node_migrations);
}

static double since_start(const struct report *r, int64_t ns)
{
	return ((double)ns - (double)r->run->start_ns) / NS_PER_S;
}

static void put_summary(const struct report *r, int hidden)
{
	const struct report_total *x = &r->total;
	bool censored = false;

	for (int i = 0; i < r->nr_tasks - hidden; i++)
		censored = censored ||
			residency_task(r->residency, r->task[i])->censored;
	if (hidden)
		printf("%d more in the totals; --top 0 shows all\n", hidden);
	printf("AverageCPUTime %.2f seconds\n",
	       (double)x->cpu_ns / r->nr_tasks / NS_PER_S);
	printf("ElapsedTime    %.2f\n",
	       (double)(x->last_ns - x->first_ns) / NS_PER_S);
	printf("TotalCPUTime   %.2f\n", (double)x->cpu_ns / NS_PER_S);
	if (x->recorder_ns)
		printf("Not in these: %.2f seconds of the recorder itself\n",
		       (double)x->recorder_ns / NS_PER_S);
	if (x->known_ns > 0)
		printf("RemoteCost     %.3f times local memory\n",
		       x->remote_ns / x->known_ns);
	if (x->pages_moved && r->query->from_ns <= r->run->start_ns &&
	    r->query->to_ns >= r->run->end_ns)
		printf("PagesMoved     %" PRId64 "\n", x->pages_moved);
	if (r->cpu_hi_ns)
		printf("Predicted CPU time of the whole run: %.2f .. %.2f s, "
		       "for memory intensity 0 to 1\n",
		       (double)r->cpu_lo_ns / NS_PER_S,
		       (double)r->cpu_hi_ns / NS_PER_S);
	if (r->run->id)
		printf("Fidelity       %s\n", r->run->fidelity ?
		       r->run->fidelity : "not known");
	if (censored)
		printf("+ ran before the recording began or on after it ended\n");
	if (r->query->complete)
		printf("Shown is what was recorded of all CPUs, %.3f to %.3f s;"
		       " --from 0 shows all\n",
		       since_start(r, r->query->from_ns),
		       since_start(r, r->query->to_ns));
	if (r->nr_losses)
		printf("Events were lost in %d interval%s of this time: "
		       "figures that touch them are unsure\n", r->nr_losses,
		       r->nr_losses == 1 ? "" : "s");
	if (r->repairs)
		printf("%" PRId64 " contradictions in the events were mended "
		       "(homenode info lists them)\n", r->repairs);
}

int report_print_text(const struct report *r)
{
	struct table *t = table_new();
	int shown = r->query->top > 0 && r->query->top < r->nr_tasks ?
			    r->query->top : r->nr_tasks;
	char name[100];
	int ret;

	put_head(t, r);
	for (int i = 0; i < shown; i++)
		put_row(t, r, r->task[i]);
	put_total(t, r);
	printf("Run %d: %s\n", r->run->id, run_name(r->run, name, sizeof(name)));
	ret = table_print(t, stdout);
	table_free(t);
	if (!ret)
		put_summary(r, r->nr_tasks - shown);
	return ret;
}

/* -- CSV ------------------------------------------------------------------ */

static void csv_head(struct table *t, const struct report *r)
{
	static const char *const before[] = {
		"comm", "tid", "pid", "start_ns", "cpu_ns", "wait_ns",
	};
	static const char *const after[] = {
		"first_node", "most_node", "locality", "remote_cost",
		"migrations", "node_migrations", "censored",
	};
	char head[32];

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		table_column(t, before[i], TABLE_LEFT);
	for (int k = 0; k < 2; k++) {
		for (int n = 0; n < r->topo.nr_node_ids; n++) {
			if (!r->topo.node[n].present)
				continue;
			snprintf(head, sizeof(head), k ? "node%d_pages" :
				 "node%d_ns", n);
			table_column(t, head, TABLE_RIGHT);
		}
	}
	for (size_t i = 0; i < sizeof(after) / sizeof(*after); i++)
		table_column(t, after[i], TABLE_LEFT);
}

static void csv_share(struct table *t, double of, double all)
{
	if (all > 0)
		table_printf(t, "%.9g", of / all);
	else
		table_text(t, "");
}

static void csv_row(struct table *t, const struct report *r, int id)
{
	const struct residency_task *x = residency_task(r->residency, id);
	const struct task *task = &r->tasks.task[id];

	table_text(t, task->comm);
	table_printf(t, "%d", task->tid);
	if (task->pid >= 0)
		table_printf(t, "%d", task->pid);
	else
		table_text(t, "");
	table_printf(t, "%" PRId64, task->start_ns);
	table_printf(t, "%" PRId64, x->cpu_ns);
	table_printf(t, "%" PRId64, x->wait_ns);
	for (int k = 0; k < 2; k++)
		for (int n = 0; n < r->topo.nr_node_ids; n++)
			if (r->topo.node[n].present)
				table_printf(t, "%" PRId64, k ?
					     x->mem_pages[n] : x->node_ns[n]);
	table_printf(t, "%d", x->first_node);
	table_printf(t, "%d", x->most_node);
	csv_share(t, x->local_ns, x->known_ns);
	csv_share(t, x->remote_ns, x->known_ns);
	table_printf(t, "%d", x->migrations);
	table_printf(t, "%d", x->node_migrations);
	table_printf(t, "%d", x->censored);
}

int report_print_csv(const struct report *r)
{
	struct table *t = table_new();
	int ret;

	csv_head(t, r);
	for (int i = 0; i < r->nr_tasks; i++)
		csv_row(t, r, r->task[i]);
	ret = table_csv(t, stdout);
	table_free(t);
	return ret;
}

/* -- JSON ----------------------------------------------------------------- */

static void json_nodes(struct json *j, const struct report *r,
		       const char *key, const int64_t *by_node)
{
	char name[16];

	json_key(j, key);
	json_object(j);
	for (int n = 0; n < r->topo.nr_node_ids; n++) {
		if (!r->topo.node[n].present)
			continue;
		snprintf(name, sizeof(name), "%d", n);
		json_key(j, name);
		json_int(j, by_node[n]);
	}
	json_end(j, '}');
}

static void json_number(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_int(j, v);
}

static void json_share(struct json *j, const char *key, double of, double all)
{
	json_key(j, key);
	if (all > 0)
		json_double(j, of / all);
	else
		json_null(j);
}

static void json_task(struct json *j, const struct report *r, int id)
{
	const struct residency_task *x = residency_task(r->residency, id);
	const struct task *task = &r->tasks.task[id];

	json_object(j);
	json_number(j, "tid", task->tid);
	json_number(j, "pid", task->pid);
	json_key(j, "comm");
	json_text(j, task->comm);
	json_number(j, "start_ns", task->start_ns);
	json_number(j, "cpu_ns", x->cpu_ns);
	json_number(j, "wait_ns", x->wait_ns);
	json_nodes(j, r, "node_ns", x->node_ns);
	json_number(j, "first_node", x->first_node);
	json_number(j, "most_node", x->most_node);
	json_nodes(j, r, "mem_pages", x->mem_pages);
	json_share(j, "locality", x->local_ns, x->known_ns);
	json_share(j, "remote_cost", x->remote_ns, x->known_ns);
	json_number(j, "migrations", x->migrations);
	json_number(j, "node_migrations", x->node_migrations);
	json_key(j, "censored");
	json_bool(j, x->censored);
	json_end(j, '}');
}

static void json_run(struct json *j, const struct run_info *run)
{
	json_key(j, "run");
	json_object(j);
	json_number(j, "id", run->id);
	json_key(j, "policy");
	json_text(j, run->policy);
	json_key(j, "knobs");
	json_raw(j, run->knobs && *run->knobs ? run->knobs : "{}");
	json_number(j, "seed", (int64_t)run->seed);
	json_key(j, "fidelity");
	if (run->fidelity)
		json_raw(j, run->fidelity);
	else
		json_null(j);
	json_end(j, '}');
}

static void json_total(struct json *j, const struct report *r)
{
	const struct report_total *x = &r->total;

	json_key(j, "total");
	json_object(j);
	json_number(j, "cpu_ns", x->cpu_ns);
	json_nodes(j, r, "node_ns", x->node_ns);
	json_share(j, "locality", x->local_ns, x->known_ns);
	json_share(j, "remote_cost", x->remote_ns, x->known_ns);
	json_number(j, "migrations", x->migrations);
	json_number(j, "node_migrations", x->node_migrations);
	json_number(j, "pages_moved", x->pages_moved);
	json_number(j, "elapsed_ns", x->last_ns - x->first_ns);
	json_end(j, '}');
}

void report_print_json(const struct report *r)
{
	struct json j;

	json_open(&j, stdout);
	json_object(&j);
	json_run(&j, r->run);
	json_key(&j, "tasks");
	json_array(&j);
	for (int i = 0; i < r->nr_tasks; i++)
		json_task(&j, r, r->task[i]);
	json_end(&j, ']');
	json_total(&j, r);
	json_end(&j, '}');
	json_done(&j);
}
