/* SPDX-License-Identifier: MIT */
#include "ui/info.h"

#include "model/cpumask.h"
#include "model/err.h"
#include "ui/knob_text.h"
#include "ui/run_text.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* More nodes than this have a table of distances too wide to read. */
#define WIDE_NODES 16

static int print(struct table *t, FILE *out, struct err *err)
{
	int rc = table_print(t, out);

	table_free(t);
	if (rc == ERR_NOMEM)
		return err_nomem(err);
	return rc ? table_output_failed(err) : 0;
}

static const char *size_text(int64_t bytes, char *buf, size_t size)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes;
	int u = 0;

	while (v >= 1024 && u < 4) {
		v /= 1024;
		u++;
	}
	snprintf(buf, size, u ? "%.1f %s" : "%.0f %s", v, unit[u]);
	return buf;
}

/* -- what and when -------------------------------------------------------- */

static void line(struct table *t, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	table_text(t, name);
	table_text(t, value);
}

static double seconds(int64_t from, int64_t to)
{
	return ((double)to - (double)from) / 1e9;
}

static void times(struct table *t, const struct capture *c)
{
	table_text(t, "time");
	table_printf(t, "%.6f s (%.6f to %.6f)",
		     seconds(c->start_ns, c->end_ns), seconds(0, c->start_ns),
		     seconds(0, c->end_ns));
	if (c->window_start_ns == c->start_ns && c->window_end_ns == c->end_ns)
		return;
	table_text(t, "complete");
	table_printf(t, "%.6f s (%.6f to %.6f): every CPU was recorded then",
		     seconds(c->window_start_ns, c->window_end_ns),
		     seconds(0, c->window_start_ns),
		     seconds(0, c->window_end_ns));
}

static void machine(struct table *t, const struct info *in)
{
	int cpus = topo_nr_cpus(&in->topo), nodes = topo_nr_nodes(&in->topo);

	table_text(t, "machine");
	table_printf(t, "%d CPU%s on %d node%s%s", cpus, cpus == 1 ? "" : "s",
		     nodes, nodes == 1 ? "" : "s",
		     in->capture.topology_known ? "" :
		     "; its topology was not recorded: one node is assumed "
		     "(import with --topology)");
}

static void losses(struct table *t, const struct info *in)
{
	bool unknown = false;
	char events[48];

	table_text(t, "lost");
	if (!in->nr_loss) {
		table_text(t, "nothing");
		return;
	}
	for (int i = 0; i < in->nr_loss; i++)
		unknown = unknown || in->loss[i].events < 0;
	if (unknown && !in->lost)
		snprintf(events, sizeof(events), "an unknown number of");
	else
		snprintf(events, sizeof(events), "%s%" PRId64,
			 unknown ? "more than " : "", in->lost);
	table_printf(t, "%s events in %d interval%s", events, in->nr_loss,
		     in->nr_loss == 1 ? "" : "s");
}

static int overview(const struct info *in, FILE *out, struct err *err)
{
	const struct capture *c = &in->capture;
	struct table *t = table_new();
	char size[32], head[600];

	snprintf(head, sizeof(head), "%s (%s)", in->path,
		 size_text(in->bytes, size, sizeof(size)));
	table_column(t, "file", TABLE_LEFT);
	table_column(t, head, TABLE_LEFT);
	line(t, "source", c->source);
	line(t, "tool", c->tool);
	line(t, "command", c->command);
	line(t, "kernel", c->kernel);
	line(t, "arch", c->arch);
	line(t, "clock", c->clock);
	times(t, c);
	machine(t, in);
	table_text(t, "tasks");
	table_printf(t, "%d of %d process%s", in->tasks, in->processes,
		     in->processes == 1 ? "" : "es");
	losses(t, in);
	if (in->placement_samples) {
		table_text(t, "placement");
		table_printf(t, "%" PRId64 " sample%s of where an area's pages "
			     "were", in->placement_samples,
			     in->placement_samples == 1 ? "" : "s");
	}
	return print(t, out, err);
}

/* -- tables --------------------------------------------------------------- */

static char *cpus_of(const struct topo *t, int node, struct err *err)
{
	struct cpumask m = { 0 };
	char *text = NULL;
	int n;

	for (int c = 0; c < t->nr_cpu_ids; c++)
		if (t->cpu[c].present && t->cpu[c].node == node &&
		    cpumask_set(&m, c))
			goto out;
	n = cpumask_print(&m, NULL, 0);
	text = malloc((size_t)n + 1);
	if (text)
		cpumask_print(&m, text, (size_t)n + 1);
out:
	cpumask_release(&m);
	if (!text)
		err_nomem(err);
	return text;
}

static int node_row(struct table *t, const struct topo *topo, int node,
		    bool wide, struct err *err)
{
	int64_t bytes = topo->node[node].mem_bytes;
	char *cpus = cpus_of(topo, node, err);
	char size[32];

	if (!cpus)
		return err->code;
	table_printf(t, "%d", node);
	table_text(t, *cpus ? cpus : "-");
	table_text(t, bytes < 0 ? "?" : !bytes ? "-" :
		   size_text(bytes, size, sizeof(size)));
	for (int to = 0; to < topo->nr_node_ids && !wide; to++)
		if (topo->node[to].present)
			table_printf(t, "%d", topo_distance(topo, node, to));
	free(cpus);
	return 0;
}

static int nodes(const struct info *in, FILE *out, struct err *err)
{
	const struct topo *topo = &in->topo;
	bool wide = topo_nr_nodes(topo) > WIDE_NODES;
	struct table *t = table_new();
	char head[24];

	table_column(t, "node", TABLE_RIGHT);
	table_column(t, "CPUs", TABLE_LEFT);
	table_column(t, "memory", TABLE_RIGHT);
	for (int n = 0; n < topo->nr_node_ids && !wide; n++) {
		snprintf(head, sizeof(head), "to %d", n);
		if (topo->node[n].present)
			table_column(t, head, TABLE_RIGHT);
	}
	for (int n = 0; n < topo->nr_node_ids; n++) {
		if (topo->node[n].present &&
		    node_row(t, topo, n, wide, err)) {
			table_free(t);
			return err->code;
		}
	}
	putc('\n', out);
	return print(t, out, err);
}

static int list(const struct info_list *l, const char *name, const char *value,
		FILE *out, struct err *err)
{
	struct table *t;

	if (!l->nr)
		return 0;
	t = table_new();
	table_column(t, name, TABLE_LEFT);
	table_column(t, value, l->item[0].value ? TABLE_LEFT : TABLE_RIGHT);
	for (int i = 0; i < l->nr; i++) {
		table_text(t, l->item[i].name);
		if (l->item[i].value)
			table_text(t, l->item[i].value);
		else
			table_printf(t, "%" PRId64, l->item[i].count);
	}
	putc('\n', out);
	return print(t, out, err);
}

static int by_cpu(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void loss_row(struct table *t, const struct loss *l, int nr)
{
	int64_t events = 0, ns = 0;
	bool unknown = false;

	for (int i = 0; i < nr; i++) {
		unknown = unknown || l[i].events < 0;
		events += l[i].events > 0 ? l[i].events : 0;
		ns += l[i].to_ns - l[i].from_ns;
	}
	table_printf(t, "%d", l->cpu);
	table_printf(t, "%d", nr);
	if (unknown && !events)
		table_text(t, "unknown");
	else
		table_printf(t, "%s%" PRId64, unknown ? "> " : "", events);
	table_printf(t, "%.6f s", (double)ns / 1e9);
}

static int loss_table(const struct info *in, FILE *out, struct err *err)
{
	struct loss *l;
	struct table *t;

	if (!in->nr_loss)
		return 0;
	l = malloc((size_t)in->nr_loss * sizeof(*l));
	if (!l)
		return err_nomem(err);
	memcpy(l, in->loss, (size_t)in->nr_loss * sizeof(*l));
	qsort(l, (size_t)in->nr_loss, sizeof(*l), by_cpu);
	t = table_new();
	table_column(t, "CPU", TABLE_RIGHT);
	table_column(t, "losses", TABLE_RIGHT);
	table_column(t, "lost events", TABLE_RIGHT);
	table_column(t, "over", TABLE_RIGHT);
	for (int i = 0, n; i < in->nr_loss; i += n) {
		n = 1;
		while (i + n < in->nr_loss && l[i + n].cpu == l[i].cpu)
			n++;
		loss_row(t, l + i, n);
	}
	free(l);
	putc('\n', out);
	return print(t, out, err);
}

/* Takes the words; false: there was no memory for them. */
static bool put_words(struct table *t, char *words)
{
	if (words)
		table_text(t, words);
	free(words);
	return words != NULL;
}

static int runs(const struct info *in, FILE *out, struct err *err)
{
	struct table *t;

	if (!in->nr_runs)
		return 0;
	t = table_new();
	table_column(t, "run", TABLE_RIGHT);
	table_column(t, "policy", TABLE_LEFT);
	table_column(t, "seed", TABLE_RIGHT);
	table_column(t, "queues", TABLE_LEFT);
	table_column(t, "length", TABLE_RIGHT);
	table_column(t, "cost", TABLE_LEFT);
	table_column(t, "machine", TABLE_LEFT);
	table_column(t, "changed knobs", TABLE_LEFT);
	for (int i = 0; i < in->nr_runs; i++) {
		const struct run_info *r = &in->runs[i];

		table_printf(t, "%d", r->id);
		table_text(t, r->policy);
		table_printf(t, "%" PRIu64, r->seed);
		table_text(t, r->discipline);
		table_printf(t, "%.6f s", seconds(r->start_ns, r->end_ns));
		if (!put_words(t, run_text_cost(r)) ||
		    !put_words(t, run_text_machine(r)) ||
		    !put_words(t, knob_text_changed(r))) {
			table_free(t);
			return err_nomem(err);
		}
	}
	putc('\n', out);
	return print(t, out, err);
}

int info_text(const struct info *in, FILE *out, struct err *err)
{
	if (overview(in, out, err) || nodes(in, out, err) ||
	    list(&in->by_kind, "event", "count", out, err) ||
	    list(&in->skipped, "event left out", "count", out, err) ||
	    loss_table(in, out, err) ||
	    list(&in->repairs, "mended or remarked", "count", out, err) ||
	    list(&in->knobs, "setting", "value", out, err))
		return err->code;
	return runs(in, out, err);
}

/* -- CSV ------------------------------------------------------------------ */

static void csv_text(struct table *t, const char *section, const char *name,
		     const char *value)
{
	table_text(t, section);
	table_text(t, name);
	table_text(t, value);
}

static void csv_int(struct table *t, const char *section, const char *name,
		    int64_t value)
{
	table_text(t, section);
	table_text(t, name);
	table_printf(t, "%" PRId64, value);
}

static void csv_list(struct table *t, const char *section,
		     const struct info_list *l)
{
	for (int i = 0; i < l->nr; i++) {
		if (l->item[i].value)
			csv_text(t, section, l->item[i].name,
				 l->item[i].value);
		else
			csv_int(t, section, l->item[i].name, l->item[i].count);
	}
}

static void csv_capture(struct table *t, const struct info *in)
{
	const struct capture *c = &in->capture;
	const struct {
		const char *name, *value;
	} texts[] = {
		{ "source", c->source }, { "tool", c->tool },
		{ "command", c->command }, { "kernel", c->kernel },
		{ "arch", c->arch }, { "clock", c->clock },
	};
	const struct {
		const char *name;
		int64_t value;
	} numbers[] = {
		{ "start_ns", c->start_ns }, { "end_ns", c->end_ns },
		{ "window_start_ns", c->window_start_ns },
		{ "window_end_ns", c->window_end_ns },
		{ "page_size", c->page_size },
		{ "cpus", topo_nr_cpus(&in->topo) },
		{ "nodes", topo_nr_nodes(&in->topo) },
		{ "tasks", in->tasks }, { "processes", in->processes },
		{ "events", in->events }, { "lost", in->lost },
		{ "loss_intervals", in->nr_loss },
		{ "placement_samples", in->placement_samples },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		csv_text(t, "capture", texts[i].name, texts[i].value);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		csv_int(t, "capture", numbers[i].name, numbers[i].value);
}

int info_csv(const struct info *in, FILE *out, struct err *err)
{
	struct table *t = table_new();
	char id[16];
	int rc;

	table_column(t, "section", TABLE_LEFT);
	table_column(t, "name", TABLE_LEFT);
	table_column(t, "value", TABLE_LEFT);
	csv_capture(t, in);
	csv_list(t, "event", &in->by_kind);
	csv_list(t, "skipped", &in->skipped);
	csv_list(t, "repair", &in->repairs);
	csv_list(t, "knob", &in->knobs);
	for (int i = 0; i < in->nr_runs; i++) {
		snprintf(id, sizeof(id), "%d", in->runs[i].id);
		csv_text(t, "run", id, in->runs[i].policy);
	}
	rc = table_csv(t, out);
	table_free(t);
	if (rc == ERR_NOMEM)
		return err_nomem(err);
	return rc ? table_output_failed(err) : 0;
}
