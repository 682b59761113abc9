/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "collect/topo_read.h"
#include "model/preset.h"
#include "replay/synth.h"
#include "schema/store.h"
#include "ui/opt.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *spec, *operand, *output, *topology;
	int64_t seed;
	bool force;
};

/* -- what there is ------------------------------------------------------------- */

static int list_all(struct err *err)
{
	struct table *t = table_new();
	int code;

	table_column(t, "workload", TABLE_LEFT);
	table_column(t, "machine", TABLE_LEFT);
	table_column(t, "what it is", TABLE_LEFT);
	for (int i = 0; synth_table[i]; i++) {
		table_text(t, synth_table[i]->name);
		table_text(t, synth_table[i]->machine);
		table_text(t, synth_table[i]->title);
	}
	code = table_print(t, stdout);
	table_free(t);
	return code ? err_set(err, code, "cannot print") : 0;
}

/* The knobs of one. */
static int describe(const char *name, struct err *err)
{
	const struct synth_ops *ops = synth_find(name);
	struct synth_spec none;
	struct table *t;
	int code;

	if (!ops) {
		code = synth_spec_parse(&none, name, NULL, err);
		synth_spec_release(&none);
		return code;
	}
	printf("%s: %s\n\n%s\n", ops->name, ops->title, ops->about);
	t = table_new();
	table_column(t, "knob", TABLE_LEFT);
	table_column(t, "default", TABLE_RIGHT);
	table_column(t, "unit", TABLE_LEFT);
	table_column(t, "what it is and where its value is from", TABLE_LEFT);
	for (const struct knob *k = ops->knobs; k->name; k++) {
		table_text(t, k->name);
		table_text(t, k->deflt);
		table_text(t, k->choices ? k->choices : k->unit);
		table_text(t, k->help);
	}
	code = table_print(t, stdout);
	table_free(t);
	return code ? err_set(err, code, "cannot print") : 0;
}

/* -- the file ------------------------------------------------------------------- */

static int put_tasks(struct store *s, const struct synth_result *r,
		     struct err *err)
{
	if (store_put_tasks(s, &r->tasks, err) ||
	    store_put_areas(s, &r->areas, err))
		return err->code;
	for (int t = 0; t < r->tasks.nr; t++)
		if (store_put_name(s, t, 0, r->tasks.task[t].comm, err) ||
		    store_put_demand_task(s, &r->demand[t], err))
			return err->code;
	return r->nr_access ?
		store_put_accesses(s, r->access, r->nr_access, err) : 0;
}

static int put_capture(struct store *s, const struct options *o,
		       const struct synth_spec *spec, const struct topo *topo,
		       const struct synth_result *r, struct err *err)
{
	char *text = synth_spec_text(spec), *source = NULL, *command = NULL;
	struct capture c = {
		.kernel = (char *)"", .arch = (char *)"",
		.clock = (char *)"synthetic",
		.tool = (char *)"homenode " HOMENODE_VERSION,
		.page_size = r->page_size,
		.end_ns = r->end_ns,
		.window_end_ns = r->end_ns,
		.nr_cpus = topo_nr_cpus(topo),
		.topology_known = true,
	};

	if (!text || asprintf(&source, STORE_GENERATED "%s", text) < 0 ||
	    asprintf(&command, "homenode synth %s%s%s --seed %" PRId64, o->spec,
		     o->operand ? " " : "", o->operand ? o->operand : "",
		     o->seed) < 0) {
		err_nomem(err);
	} else {
		c.source = source;
		c.command = command;
		store_put_capture(s, &c, err);
	}
	free(text);
	free(source);
	free(command);
	return err->code;
}

/* Everything but the programs is known only when they are written. */
static int fill(struct store *s, const struct options *o,
		const struct synth_spec *spec, const struct topo *topo,
		struct err *err)
{
	struct synth_result r = { .nr_access = 0 };
	struct demand_sink sink;

	store_demand_sink(s, &sink);
	if (store_begin(s, err))
		return err->code;
	if (!synth_make(spec, topo_nr_cpus(topo), (uint64_t)o->seed, &sink, &r,
			err) &&
	    !put_capture(s, o, spec, topo, &r, err) &&
	    !store_put_topo(s, topo, err) && !put_tasks(s, &r, err) &&
	    !store_end(s, err))
		printf("%s: %d task%s, %d memory area%s on %d CPU%s, %.3f s of "
		       "work evenly spread\n", o->output, r.tasks.nr,
		       text_s(r.tasks.nr), r.areas.nr, text_s(r.areas.nr),
		       topo_nr_cpus(topo), text_s(topo_nr_cpus(topo)),
		       (double)r.end_ns / 1e9);
	synth_result_release(&r);
	return err->code;
}

static int write_file(const struct options *o, struct err *err)
{
	struct synth_spec spec;
	struct topo topo = { 0 };
	struct store *s = NULL;
	int code = synth_spec_parse(&spec, o->spec, o->operand, err);

	if (!code)
		code = topo_read(&topo, o->topology ? o->topology :
				 spec.ops->machine, err);
	if (!code)
		code = topo_finish(&topo, err);
	if (!code)
		code = store_create(&s, o->output, o->force, err);
	if (!code)
		code = fill(s, o, &spec, &topo, err);
	if (!code)
		code = store_commit(s, err);
	store_close(s);
	topo_release(&topo);
	synth_spec_release(&spec);
	return code;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { .seed = 1 };
	const struct opt table[] = {
		{ "output", 'o', OPT_TEXT, &o.output },
		{ "topology", 't', OPT_TEXT, &o.topology },
		{ "seed", 's', OPT_INT, &o.seed },
		{ "force", 'f', OPT_FLAG, &o.force },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (!nr)
		return list_all(err);
	if (nr > 2)
		return err_set(err, ERR_USAGE, "WORKLOAD and one number at most");
	o.spec = argv[1];
	o.operand = nr > 1 ? argv[2] : NULL;
	if (!o.output && nr == 1 && !strpbrk(o.spec, ",="))
		return describe(o.spec, err);
	if (!o.output)
		return err_set(err, ERR_USAGE, "to which file? -o F");
	return write_file(&o, err);
}

const struct cmd cmd_synth = {
	.name = "synth",
	.summary = "make a file of a benchmark's work, of any size",
	.usage = "homenode synth [WORKLOAD[,knob=value...] [N] -o F] [options]",
	.help =
"Writes what the tasks of a benchmark want, as a recording would have it, to F:\n"
"an ordinary file for all other commands, but without a recorded run, since\n"
"nothing was.  Without -o the knobs of WORKLOAD are shown; without WORKLOAD what\n"
"there is: numa_test N, numa01, numa02, hackbench N, kernbench N.\n"
"\n"
"  -o, --output F      the file to make\n"
"  -f, --force         replace F if it exists\n"
"  -t, --topology T    the machine: azusa, numaq, westmere, kunpeng920, an lstopo\n"
"                      XML or a description such as \"numa:4 core:4 pu:1\"; else\n"
"                      the one that the workload's seed ran on\n"
"  -s, --seed S        of what is random in it (default 1)\n"
"\n"
"The cost of those machines goes with the replay: homenode replay F -p o1\n"
"--cost azusa.\n",
	.run = run,
};
