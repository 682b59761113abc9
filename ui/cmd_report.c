/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "ui/bar.h"
#include "ui/open.h"
#include "ui/opt.h"
#include "ui/report.h"
#include "ui/run_pick.h"
#include "ui/table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 50
#define NS_PER_S 1e9

struct options {
	const char *from, *to, *sort, *comm, *cost;
	struct opt_list pids;
	int64_t top;
	bool json, csv;
	struct report_query query;
	int *pid;
};

static const struct {
	const char *name;
	enum report_sort sort;
} sorts[] = {
	{ "cpu", REPORT_CPU },
	{ "start", REPORT_START },
	{ "name", REPORT_NAME },
	{ "node", REPORT_NODE },
	{ "locality", REPORT_LOCALITY },
	{ "wait", REPORT_WAIT },
	{ "moves", REPORT_MOVES },
};

static int read_sort(struct options *o, struct err *err)
{
	if (!o->sort)
		return 0;
	for (size_t i = 0; i < sizeof(sorts) / sizeof(*sorts); i++) {
		if (strcmp(o->sort, sorts[i].name))
			continue;
		o->query.sort = sorts[i].sort;
		return 0;
	}
	return err_set(err, ERR_USAGE, "--sort '%s': cpu, start, name, node, "
		       "locality, wait and moves are known", o->sort);
}

/* Each --pid may hold several, with commas between them. */
static int read_pids(struct options *o, struct err *err)
{
	int size = 1;

	for (int i = 0; i < o->pids.nr; i++)
		for (const char *p = o->pids.item[i]; p; p = strchr(p + 1, ','))
			size++;
	o->pid = malloc((size_t)size * sizeof(*o->pid));
	if (!o->pid)
		return err_nomem(err);
	for (int i = 0; i < o->pids.nr; i++) {
		const char *p = o->pids.item[i];
		char *end;
		long pid;

		do {
			pid = strtol(p, &end, 10);
			if (end == p || (*end && *end != ',') || pid < 1 ||
			    pid > INT_MAX)
				return err_set(err, ERR_USAGE,
					       "--pid '%s': process ids are "
					       "wanted", o->pids.item[i]);
			o->pid[o->query.nr_pids++] = (int)pid;
			p = end + 1;
		} while (*end);
	}
	o->query.pid = o->pid;
	return 0;
}

static int parse(struct options *o, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "from", 0, OPT_TEXT, &o->from },
		{ "to", 0, OPT_TEXT, &o->to },
		{ "sort", 's', OPT_TEXT, &o->sort },
		{ "comm", 'c', OPT_TEXT, &o->comm },
		{ "pid", 'p', OPT_LIST, &o->pids },
		{ "top", 'n', OPT_INT, &o->top },
		{ "cost", 0, OPT_TEXT, &o->cost },
		{ "json", 0, OPT_FLAG, &o->json },
		{ "csv", 0, OPT_FLAG, &o->csv },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (nr < 1 || nr > 2)
		return err_set(err, ERR_USAGE, nr ? "one file and one run, "
			       "please" : "which file?");
	if (o->json && o->csv)
		return err_set(err, ERR_USAGE, "either --json or --csv");
	if (o->top < 0 || o->top > INT_MAX)
		return err_set(err, ERR_USAGE, "--top: 0 (all) or more");
	o->query.comm = o->comm;
	o->query.top = (int)o->top;
	if (read_sort(o, err) || read_pids(o, err))
		return err->code;
	return nr;
}

/* A time from the start of the recording, or after '@' of the trace's clock. */
static int read_time(const char *option, const char *text, int64_t start_ns,
		     int64_t *ns, struct err *err)
{
	bool absolute = *text == '@';

	if (opt_time(text + absolute, ns, err) < 0)
		return err_prefix(err, "%s", option);
	if (!absolute && __builtin_add_overflow(*ns, start_ns, ns))
		return err_set(err, ERR_USAGE, "%s '%s' is too large", option,
			       text);
	return 0;
}

/* Buffers that overran begin late on some CPUs: by default only the time in
 * which the recording is complete. */
static int complete_window(struct options *o, struct store *s,
			   const struct run_info *run, struct err *err)
{
	struct report_query *q = &o->query;
	struct capture c;

	if (run->id || o->from || o->to)
		return 0;
	if (store_get_capture(s, &c, err))
		return err->code;
	if (c.window_start_ns < c.window_end_ns &&
	    (c.window_start_ns > run->start_ns ||
	     c.window_end_ns < run->end_ns)) {
		q->from_ns = c.window_start_ns;
		q->to_ns = c.window_end_ns;
		q->complete = true;
	}
	capture_release(&c);
	return 0;
}

static int read_window(struct options *o, const struct run_info *run,
		       struct err *err)
{
	struct report_query *q = &o->query;
	double length = ((double)run->end_ns - (double)run->start_ns) /
			NS_PER_S;

	q->from_ns = run->start_ns;
	q->to_ns = run->end_ns;
	if (o->from &&
	    read_time("--from", o->from, run->start_ns, &q->from_ns, err))
		return err->code;
	if (o->to && read_time("--to", o->to, run->start_ns, &q->to_ns, err))
		return err->code;
	if (q->from_ns >= q->to_ns && (o->from || o->to))
		return err_set(err, ERR_USAGE, "the window from %s to %s is "
			       "empty: the run lasts %.3f s, from @%.9f s on",
			       o->from ? o->from : "the start",
			       o->to ? o->to : "the end", length,
			       (double)run->start_ns / NS_PER_S);
	if (q->from_ns >= run->end_ns || q->to_ns <= run->start_ns)
		return err_set(err, ERR_USAGE, "the window lies outside the "
			       "run, which lasts %.3f s, from @%.9f s on",
			       length, (double)run->start_ns / NS_PER_S);
	return 0;
}

static int print(const struct options *o, const struct report *r)
{
	if (o->csv)
		return report_print_csv(r);
	if (!o->json)
		return report_print_text(r);
	report_print_json(r);
	return 0;
}

static int report_run(struct options *o, struct store *s, const char *spec,
		      struct err *err)
{
	struct report r = { 0 };
	struct run_info *runs;
	int nr, i, ret = 0;

	if (store_get_runs(s, &runs, &nr, err))
		return err->code;
	i = run_pick(runs, nr, spec, err);
	if (i >= 0 && !read_window(o, &runs[i], err) &&
	    !complete_window(o, s, &runs[i], err) &&
	    !report_read(&r, s, &runs[i], &o->query, o->cost, err))
		ret = print(o, &r);
	if (ret)
		table_output_failed(err);
	report_release(&r);
	for (i = 0; i < nr; i++)
		run_info_release(&runs[i]);
	free(runs);
	return err->code;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { .top = TOP_DEFAULT };
	struct store *s = NULL;
	struct bar bar;
	int nr = parse(&o, argc, argv, err);

	bar_init(&bar);
	if (nr > 0 && !open_study(&s, argv[1], &bar, err))
		report_run(&o, s, nr > 1 ? argv[2] : "recorded", err);
	store_close(s);
	opt_list_release(&o.pids);
	free(o.pid);
	return err->code;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "on which nodes each task ran, and how near to its memory",
	.usage = "homenode report FILE [RUN] [options]",
	.help =
"RUN is a number, \"recorded\" (the default), a policy, or a policy with what\n"
"narrows it down: \"o1,seed=3\".  One line per task: share of its CPU time (user\n"
"and system) on each node in per cent, node where it started, node of most\n"
"time (* where they differ), CPU time, share of its memory accesses that were\n"
"local (- unknown), time it waited for a CPU, and how often it changed CPU and\n"
"node.\n"
"\n"
"      --from TIME   begin of the window, counted from the start of the run:\n"
"                    5s, 250ms, ...; @TIME is a time of the trace's clock\n"
"      --to TIME     its end.  Without both: all of the run, or of a recording\n"
"                    the part in which no CPU's events are missing at an end\n"
"  -s, --sort ORDER  cpu (default), start, name, node, locality, wait, moves\n"
"  -c, --comm GLOB   only tasks with such a name: numawork, 'kworker/*'\n"
"  -p, --pid N,...   only tasks of these processes (or these threads)\n"
"  -n, --top N       at most N lines (default 50; 0: all); totals are of all\n"
"      --cost SPEC   cost of remote memory: flat, remote=1.3, ...\n"
"      --json        as JSON, all tasks\n"
"      --csv         as CSV, all tasks\n",
	.run = run,
};
