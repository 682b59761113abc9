/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "ui/bar.h"
#include "ui/json.h"
#include "ui/reproduce_numa_test.h"
#include "ui/reproduce_run.h"
#include "ui/reproduce_table.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_SEEDS 10000
#define MAX_TABLES 16
#define NUMA_TEST "numa_test"

struct options {
	struct reproduce_options run;
	bool json;

	bool numa_test;		/* tables that are wanted */
	const struct repro_table *table[MAX_TABLES];
	int nr_tables;
};

/* What came out. */
struct outcome {
	struct repro numa_test;
	struct reproduced table[MAX_TABLES];
};

/* -- which -------------------------------------------------------------------------- */

static int add_table(struct options *o, const char *name, struct err *err)
{
	const struct repro_table *t = repro_table_find(name);
	char list[200] = NUMA_TEST;

	if (!strcmp(name, NUMA_TEST)) {
		o->numa_test = true;
		return 0;
	}
	if (t && o->nr_tables < MAX_TABLES) {
		o->table[o->nr_tables++] = t;
		return 0;
	}
	for (t = repro_tables; t->name; t++)
		err_list(list, sizeof(list), t->name);
	return err_set(err, ERR_USAGE, "no table '%s'; there are: %s", name,
		       list);
}

static int choose(struct options *o, int nr, char **name, struct err *err)
{
	if (!nr) {
		o->numa_test = true;
		for (const struct repro_table *t = repro_tables; t->name; t++)
			add_table(o, t->name, err);
	}
	for (int i = 0; i < nr && !err->code; i++)
		add_table(o, name[i], err);
	return err->code;
}

static int parse(struct options *o, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "seeds", 'n', OPT_INT, &o->run.seeds },
		{ "seed", 's', OPT_INT, &o->run.seed },
		{ "jobs", 'j', OPT_INT, &o->run.jobs },
		{ "workload", 'w', OPT_TEXT, &o->run.workload },
		{ "cost", 'c', OPT_TEXT, &o->run.cost },
		{ "system", 'p', OPT_LIST, &o->run.systems },
		{ "json", 0, OPT_FLAG, &o->json },
		{ .name = NULL },
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int nr;

	o->run.seeds = -1;
	nr = opt_parse(table, argc, argv, false, err);
	if (nr < 0)
		return nr;
	if (o->run.seeds != -1 && (o->run.seeds < 2 || o->run.seeds > MAX_SEEDS))
		return err_set(err, ERR_USAGE, "--seeds: from 2 to %d", MAX_SEEDS);
	if (o->run.seeds < 0)
		o->run.seeds = 0;
	if (o->run.seed < 0)
		return err_set(err, ERR_USAGE, "--seed: 0 or more");
	if (o->run.jobs < 0 || o->run.jobs > 256)
		return err_set(err, ERR_USAGE, "--jobs: from 1 to 256");
	if (!o->run.jobs)
		o->run.jobs = cpus > 0 ? cpus : 1;
	return reproduce_check(&o->run, err) ? err->code :
		choose(o, nr, argv + 1, err);
}

/* -- what is shown ------------------------------------------------------------------ */

static int print_text(const struct options *o, const struct outcome *out,
		      struct err *err)
{
	if (o->numa_test)
		reproduce_numa_test_print(&out->numa_test,
					  reproduce_seeds(&o->run), err);
	for (int i = 0; i < o->nr_tables && !err->code; i++) {
		if (i || o->numa_test)
			puts("\n");
		reproduce_table_print(&out->table[i], err);
	}
	return err->code;
}

static void print_json(const struct options *o, const struct outcome *out)
{
	struct json j;

	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "seeds");
	json_object(&j);
	if (o->numa_test) {
		json_key(&j, NUMA_TEST);
		json_int(&j, reproduce_seeds(&o->run));
	}
	for (int i = 0; i < o->nr_tables; i++) {
		json_key(&j, o->table[i]->name);
		json_int(&j, out->table[i].seeds);
	}
	json_end(&j, '}');
	json_key(&j, "cells");
	json_array(&j);
	if (o->numa_test)
		reproduce_numa_test_cells(&j, &out->numa_test);
	for (int i = 0; i < o->nr_tables; i++)
		reproduce_table_cells(&j, &out->table[i]);
	json_end(&j, ']');
	json_key(&j, "mean_error");
	json_object(&j);
	if (o->numa_test)
		reproduce_numa_test_errors(&j, &out->numa_test);
	for (int i = 0; i < o->nr_tables; i++)
		reproduce_table_errors(&j, &out->table[i]);
	json_end(&j, '}');
	if (o->numa_test)
		reproduce_numa_test_yards(&j, &out->numa_test);
	json_end(&j, '}');
	json_done(&j);
}

/* -- command ------------------------------------------------------------------------- */

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { .run = { .seed = 1 } };
	struct outcome out = { .table = { { .table = NULL } } };
	struct bar bar;

	bar_init(&bar);
	if (!parse(&o, argc, argv, err) && o.numa_test)
		reproduce_run(&o.run, &out.numa_test, &bar, err);
	for (int i = 0; i < o.nr_tables && !err->code; i++) {
		out.table[i].table = o.table[i];
		reproduce_table_run(&o.run, &out.table[i], &bar, err);
	}
	bar_clear(&bar);
	if (!err->code && o.json)
		print_json(&o, &out);
	else if (!err->code)
		print_text(&o, &out, err);
	for (int i = 0; i < o.nr_tables; i++)
		reproduce_table_release(&out.table[i]);
	opt_list_release(&o.run.systems);
	return err->code;
}

const struct cmd cmd_reproduce = {
	.name = "reproduce",
	.summary = "published tables beside the same, simulated",
	.usage = "homenode reproduce [TABLE...] [options]",
	.help =
"Generates the benchmarks of the seeds, replays them on the machines of the\n"
"seeds under the policies of the systems that were measured, and prints the\n"
"published figures beside the simulated ones, with what is calibration among\n"
"them and which of the seeds' own figures do not fit together.  TABLEs (all\n"
"unless some are named):\n"
"\n"
"  numa_test     4 to 64 jobs under systems A to F: times, 4-run averages, where\n"
"                the jobs were, and the yardsticks that all are held against\n"
"  cluster       hackbench on Kunpeng 920, Linux 5.9 and the cluster patch\n"
"  numaq         numa_test on NUMA-Q with and without the simple NUMA scheduler\n"
"  kernbench     a parallel build there\n"
"  autonuma      numa01 and numa02 on Westmere: bound, mainline of 2012, AutoNUMA,\n"
"                sched/numa\n"
"\n"
"  -n, --seeds N       mean and spread of so many (default 20, cluster 3,\n"
"                      autonuma and numaq 10)\n"
"  -s, --seed S        the first of them (default 1)\n"
"  -j, --jobs N        so many at a time (default: one per CPU)\n"
"      --json          for programs: seeds, cells, mean_error, yardsticks\n"
"\n"
"To see what a mechanism does, name one table, change it and look again:\n"
"  -w, --workload knob=value,...   of its workload (homenode synth numa_test)\n"
"  -c, --cost SPEC     on top of the machine's numbers\n"
"  -p, --system S=POLICY[,knob=value...]   another policy for a system of\n"
"                      numa_test (A to F, ilb) or a column (with, autonuma); a path\n"
"                      with a slash is a plug-in: A=./mine.so,knob=value\n",
	.run = run,
};
