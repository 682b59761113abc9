/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collect/calibrate.h"
#include "model/cost.h"
#include "schema/store.h"
#include "ui/bar.h"
#include "ui/json.h"
#include "ui/opt.h"
#include "ui/say.h"
#include "ui/table.h"

struct calibrating {
	const char *output;
	bool json, csv;
	int64_t buffer_bytes, samples;
	struct bar bar;
	struct calibrate_host host;
	struct latency *row;
	int nr;
	struct cost cost;
};

static void show(void *ctx, double done)
{
	struct calibrating *p = ctx;

	bar_show(&p->bar, "measuring", done);
}

static void note(void *ctx, const char *text)
{
	struct calibrating *p = ctx;

	bar_clear(&p->bar);
	say("%s", text);
}

/* -- the file ---------------------------------------------------------------------- */

static int put_host(const struct calibrating *p, struct store *s,
		    struct err *err)
{
	struct utsname u;
	struct capture c = {
		.source = (char *)"calibrate",
		.tool = (char *)"homenode " HOMENODE_VERSION,
		.page_size = sysconf(_SC_PAGESIZE),
		.nr_cpus = topo_nr_cpus(&p->host.topo),
		.topology_known = true,
	};

	if (uname(&u) == 0) {
		c.kernel = u.release;
		c.arch = u.machine;
	}
	if (store_put_topo(s, &p->host.topo, err))
		return err->code;
	return store_put_capture(s, &c, err);
}

/* A recording can be told what memory costs only by the machine it is of. */
static int check_host(const struct calibrating *p, struct store *s,
		      struct err *err)
{
	const struct topo *here = &p->host.topo;
	struct topo there;
	bool same = true;

	if (store_get_topo(s, &there, err))
		return err->code;
	for (int i = 0; i < here->nr_node_ids || i < there.nr_node_ids; i++)
		same &= (i < here->nr_node_ids && here->node[i].present) ==
			(i < there.nr_node_ids && there.node[i].present);
	for (int i = 0; i < here->nr_cpu_ids || i < there.nr_cpu_ids; i++)
		same &= topo_node_of(here, i) == topo_node_of(&there, i);
	topo_release(&there);
	return same ? 0 : err_set(err, ERR_USAGE, "'%s' was recorded on a "
				  "machine of other nodes or CPUs than this host",
				  p->output);
}

static int save(const struct calibrating *p, struct err *err)
{
	bool is_new = access(p->output, F_OK) != 0;
	struct store *s = NULL;

	if (is_new) {
		if (store_create(&s, p->output, false, err) == 0 &&
		    put_host(p, s, err) == 0 &&
		    store_put_latencies(s, p->row, p->nr, err) == 0)
			store_commit(s, err);
	} else if (store_open(&s, p->output, STORE_WRITE, err) == 0 &&
		   check_host(p, s, err) == 0) {
		store_put_latencies(s, p->row, p->nr, err);
	}
	store_close(s);
	return err->code;
}

/* -- output ------------------------------------------------------------------------ */

static double idle_ps(const struct calibrating *p, const struct latency *l)
{
	for (int i = 0; i < p->nr; i++)
		if (!p->row[i].co_runners &&
		    p->row[i].cpu_node == l->cpu_node &&
		    p->row[i].mem_node == l->mem_node)
			return (double)p->row[i].median_ps;
	return 0;
}

static void put_row(const struct calibrating *p, struct table *t,
		    const struct latency *l)
{
	double idle = idle_ps(p, l);

	table_printf(t, "%d", l->cpu_node);
	table_printf(t, "%d", l->mem_node);
	table_printf(t, "%d", l->co_runners);
	table_printf(t, "%.1f", (double)l->median_ps / 1e3);
	table_printf(t, "%.1f", (double)l->low_ps / 1e3);
	table_printf(t, "%.1f", (double)l->high_ps / 1e3);
	table_printf(t, "%.3f", l->co_runners && idle > 0 ?
		     (double)l->median_ps / idle :
		     p->cost.remote[(size_t)l->cpu_node *
				    (size_t)p->cost.nr_node_ids +
				    (size_t)l->mem_node]);
	table_printf(t, "%d", l->samples);
	table_printf(t, "%" PRId64, l->buffer_bytes >> 20);
	table_printf(t, "%" PRId64, 100 * l->huge_bytes / l->buffer_bytes);
}

static int print_table(const struct calibrating *p, struct err *err)
{
	static const char *const heads[] = {
		"cpu_node", "mem_node", "co_runners", "median_ns", "low_ns",
		"high_ns", "factor", "samples", "buffer_mib", "huge_pct",
	};
	struct table *t = table_new();
	int r;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table_column(t, heads[i], TABLE_RIGHT);
	for (int i = 0; i < p->nr; i++)
		put_row(p, t, &p->row[i]);
	r = p->csv ? table_csv(t, stdout) : table_print(t, stdout);
	table_free(t);
	if (r)
		return err_set(err, r, "cannot write the table");
	if (!p->csv)
		printf("contention %.4f for each co-runner\n",
		       p->cost.contention);
	return 0;
}

static void json_row(struct json *j, const struct latency *l)
{
	const struct {
		const char *name;
		int64_t value;
	} field[] = {
		{ "cpu_node", l->cpu_node },
		{ "mem_node", l->mem_node },
		{ "co_runners", l->co_runners },
		{ "median_ps", l->median_ps },
		{ "low_ps", l->low_ps },
		{ "high_ps", l->high_ps },
		{ "samples", l->samples },
		{ "buffer_bytes", l->buffer_bytes },
		{ "huge_bytes", l->huge_bytes },
	};

	json_object(j);
	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		json_key(j, field[i].name);
		json_int(j, field[i].value);
	}
	json_end(j, '}');
}

static int print_json(const struct calibrating *p, struct err *err)
{
	char *cost = cost_json(&p->cost);
	struct json j;

	if (!cost)
		return err_nomem(err);
	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "latency");
	json_array(&j);
	for (int i = 0; i < p->nr; i++)
		json_row(&j, &p->row[i]);
	json_end(&j, ']');
	json_key(&j, "cost");
	json_raw(&j, cost);
	json_end(&j, '}');
	json_done(&j);
	free(cost);
	return 0;
}

/* ---------------------------------------------------------------------------------- */

static int parse(struct calibrating *p, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "output", 'o', OPT_TEXT, &p->output },
		{ "buffer", 'b', OPT_SIZE, &p->buffer_bytes },
		{ "samples", 'n', OPT_INT, &p->samples },
		{ "json", 0, OPT_FLAG, &p->json },
		{ "csv", 0, OPT_FLAG, &p->csv },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (nr)
		return err_set(err, ERR_USAGE, "'%s': a file goes with -o",
			       argv[1]);
	if (p->json && p->csv)
		return err_set(err, ERR_USAGE, "either --json or --csv");
	if (p->samples < 1 || p->samples > 10000)
		return err_set(err, ERR_USAGE, "--samples: from 1 to 10000");
	if (p->buffer_bytes && (p->buffer_bytes < CALIBRATE_MIN_BYTES ||
				p->buffer_bytes > INT64_C(64) << 30))
		return err_set(err, ERR_USAGE, "--buffer: from 4M to 64G");
	return 0;
}

static int measure(struct calibrating *p, struct err *err)
{
	const struct calibrate_setup setup = {
		.buffer_bytes = p->buffer_bytes,
		.samples = (int)p->samples,
		.progress = show,
		.note = note,
		.ctx = p,
	};
	int missing = 0;

	bar_init(&p->bar);
	if (calibrate_host_read(&p->host, "", err) == 0)
		calibrate(&setup, &p->host, &p->row, &p->nr, err);
	bar_clear(&p->bar);
	if (err->code || cost_init(&p->cost, &p->host.topo, err) ||
	    cost_calibrate(&p->cost, &p->host.topo, p->row, p->nr, &missing,
			   err))
		return err->code;
	if (missing)
		fprintf(stderr, "homenode: %d pair%s of nodes not measured: "
			"these keep what their distance says\n", missing,
			text_s(missing));
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct calibrating p = { .samples = CALIBRATE_SAMPLES };

	if (parse(&p, argc, argv, err) == 0 && measure(&p, err) == 0 &&
	    (!p.output || save(&p, err) == 0))
		p.json ? print_json(&p, err) : print_table(&p, err);
	cost_release(&p.cost);
	calibrate_host_release(&p.host);
	free(p.row);
	return err->code;
}

const struct cmd cmd_calibrate = {
	.name = "calibrate",
	.summary = "measure what this host's memory costs, node by node",
	.usage = "homenode calibrate [-o F] [--json|--csv]",
	.help =
"Measures, from a CPU of each node, how long a load from the memory of each node\n"
"takes that has to wait for the one before it: alone (idle latency), and on the\n"
"node itself with 1, 2, 4, ... co-runners on its other CPUs, up to all of them.\n"
"Takes some seconds; the host should be idle.\n"
"\n"
"  -o, --output F   store it in F: a recording of this host, for which\n"
"                   'homenode replay F --cost calibrated' then uses it, or a new\n"
"                   file, for --cost calibrated:F with any recording of it\n"
"  -b, --buffer SIZE   go over so much memory (default: four times the largest\n"
"                   last-level cache, 64M to 512M; less where little is free)\n"
"  -n, --samples N  of each latency (default 15); median and quartiles are kept\n"
"      --json, --csv   for programs\n"
"\n"
"Each node's buffer takes twice that much of its memory, on huge pages where the\n"
"kernel gives them (huge_pct).  factor is what replay makes of it: without\n"
"co-runners the latency as a multiple of the node's own, with co-runners as a\n"
"multiple of that without; contention is the straight line through the latter.\n"
"Co-runners read as fast as they can, so tasks that wait less for memory slow\n"
"each other down less.\n"
"\n"
"Nodes without CPUs are measured as targets, nodes without memory as sources.\n"
"What this process may not use (cpusets, affinity) or has no room for is left\n"
"out, and said.\n",
	.run = run,
};
