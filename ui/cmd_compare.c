/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "ui/bar.h"
#include "ui/compare_study.h"
#include "ui/opt.h"
#include "ui/table.h"

#include <limits.h>
#include <stdbool.h>

#define TOP_DEFAULT 20

struct options {
	const char *cost;
	int64_t top;
	bool json, csv;
};

static int parse(struct options *o, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "cost", 'c', OPT_TEXT, &o->cost },
		{ "top", 'n', OPT_INT, &o->top },
		{ "json", 0, OPT_FLAG, &o->json },
		{ "csv", 0, OPT_FLAG, &o->csv },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (nr < 3)
		return err_set(err, ERR_USAGE, nr ? "two runs or more, please; "
			       "the first is the base" : "which file?");
	if (o->json && o->csv)
		return err_set(err, ERR_USAGE, "either --json or --csv");
	if (o->top < 0 || o->top > INT_MAX)
		return err_set(err, ERR_USAGE, "--top: 0 (all) or more");
	return nr;
}

static int print(const struct compare_study *c, const struct options *o,
		 struct err *err)
{
	int r = 0;

	compare_study_warn(c);
	if (o->json)
		compare_print_json(c);
	else if (o->csv)
		r = compare_print_csv(c);
	else
		r = compare_print_text(c, (int)o->top);
	return r ? table_output_failed(err) : 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { .top = TOP_DEFAULT };
	struct compare_study c = { 0 };
	struct bar bar;
	int nr = parse(&o, argc, argv, err), r;

	if (nr < 0)
		return nr;
	bar_init(&bar);
	r = compare_study_open(&c, argv[1], argv + 2, nr - 1, &bar, err);
	if (!r)
		r = compare_study_read(&c, o.cost, &bar, err);
	bar_clear(&bar);
	if (!r)
		r = print(&c, &o, err);
	compare_study_release(&c);
	return r;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.summary = "show what differs between runs, largest changes first",
	.usage = "homenode compare F RUN RUN... [options]",
	.help =
"Compares runs of F; the first is the base.  A RUN is a number, \"recorded\" (what\n"
"happened), or a policy as -p names it: \"o1\" means all seeds of it, \"o1,seed=3\"\n"
"one of them, \"o1,busy_rebalance=100ms\" those with this knob.  Several runs\n"
"under one name are shown as mean ± standard deviation.\n"
"\n"
"All tasks together first, then each task's changes, weighed as time: locality\n"
"by the CPU time that it is of, a node migration as 200 us.\n"
"\n"
"  -c, --cost SPEC     cost model of remote cost (as for 'homenode replay')\n"
"  -n, --top N         so many changes of tasks (default 20; 0: all)\n"
"      --json, --csv   for programs: all of it\n"
"\n"
"Warns when anything but the policy differs: seeds, run queue, machine, cost, or\n"
"the recording itself against a replay.\n",
	.run = run,
};
