/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "ui/bar.h"
#include "ui/fidelity_print.h"
#include "ui/fidelity_study.h"
#include "ui/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SEEDS 100000

struct fidelity_options {
	const char *policy, *cost;
	const char **against;	/* into argv */
	int nr_against;
	int64_t seeds, seed, jobs;
	bool json, csv;
	int nr;			/* of files, argv[1..] */
};

/* Takes the files behind --against out of argv: up to the next option. */
static int take_against(struct fidelity_options *o, int argc, char **argv,
			struct err *err)
{
	int out = 1;
	bool in = false;

	o->against = calloc((size_t)argc + 1, sizeof(*o->against));
	if (!o->against)
		return err_nomem(err);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--against")) {
			in = true;
		} else if (!strncmp(argv[i], "--against=", 10)) {
			o->against[o->nr_against++] = argv[i] + 10;
		} else if (in && argv[i][0] != '-') {
			o->against[o->nr_against++] = argv[i];
		} else {
			in = false;
			argv[out++] = argv[i];
		}
	}
	argv[out] = NULL;
	return out;
}

static int parse(struct fidelity_options *o, int argc, char **argv,
		 struct err *err)
{
	const struct opt table[] = {
		{ "policy", 'p', OPT_TEXT, &o->policy },
		{ "seeds", 'n', OPT_INT, &o->seeds },
		{ "seed", 's', OPT_INT, &o->seed },
		{ "jobs", 'j', OPT_COUNT, &o->jobs },
		{ "cost", 'c', OPT_TEXT, &o->cost },
		{ "json", 0, OPT_FLAG, &o->json },
		{ "csv", 0, OPT_FLAG, &o->csv },
		{ .name = NULL },
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	argc = take_against(o, argc, argv, err);
	if (argc < 0)
		return argc;
	o->nr = opt_parse(table, argc, argv, false, err);
	if (o->nr < 0)
		return o->nr;
	if (!o->nr)
		return err_set(err, ERR_USAGE, "which file?");
	if (o->seeds < 1 || o->seeds > MAX_SEEDS)
		return err_set(err, ERR_USAGE, "--seeds: from 1 to %d", MAX_SEEDS);
	if (o->seed < 0)
		return err_set(err, ERR_USAGE, "--seed: 0 or more");
	if (o->jobs > 4096)
		return err_set(err, ERR_USAGE, "--jobs: from 1 to 4096");
	if (!o->jobs)
		o->jobs = cpus > 0 ? cpus : 1;
	if (o->json && o->csv)
		return err_set(err, ERR_USAGE, "either --json or --csv");
	return 0;
}

static int read_real(const char *const *path, int nr, struct stats *real,
		     struct err *err)
{
	for (int i = 0; i < nr; i++) {
		double value[FIDELITY_NR];

		if (fidelity_of_file(path[i], value, err))
			return err->code;
		for (int m = 0; m < FIDELITY_NR; m++)
			stats_add(&real[m], value[m]);
	}
	return 0;
}

static int simulate(const struct fidelity_options *o, char **argv,
		    struct stats *sim, struct bar *bar, struct err *err)
{
	for (int i = 1; i <= o->nr; i++) {
		struct fidelity_want w = {
			.path = argv[i], .policy = o->policy, .cost = o->cost,
			.seeds = o->seeds, .seed = o->seed, .jobs = o->jobs,
			.bar = bar,
		};
		char *spec = NULL;

		if (fidelity_replay(&w, sim, &spec, err))
			return err->code;
		bar_clear(bar);
		if (!o->json && !o->csv)
			printf("%s: %s\n", argv[i], spec);
		free(spec);
	}
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct fidelity_options o = { .seeds = 20, .seed = 1 };
	struct stats real[FIDELITY_NR] = { 0 }, sim[FIDELITY_NR] = { 0 };
	struct bar bar;
	int r = 0;

	bar_init(&bar);
	if (parse(&o, argc, argv, err) ||
	    (o.nr_against ? read_real(o.against, o.nr_against, real, err) :
	     read_real((const char *const *)argv + 1, o.nr, real, err)) ||
	    simulate(&o, argv, sim, &bar, err)) {
		r = err->code;
	} else if (o.json) {
		fidelity_print_json(real, sim);
	} else {
		r = o.csv ? fidelity_print_csv(real, sim, err) :
			fidelity_print(real, sim, err);
	}
	bar_clear(&bar);
	free(o.against);
	return r;
}

const struct cmd cmd_fidelity = {
	.name = "fidelity",
	.summary = "hold simulations of recordings against reality",
	.usage = "homenode fidelity F... [-p POLICY[,knob=value]] [options]",
	.help =
"Replays each recording F, with several seeds, and judges the simulated runs by\n"
"what really happened: in the recordings G, else in F themselves.  Every metric\n"
"is printed with the real runs' mean, spread and range, the simulated mean and\n"
"spread, and z, the difference of the means in units of the real spread.\n"
"\n"
"  -p, --policy NAME[,knob=value...]   default: what was in force in each F.\n"
"                      Settings recorded in F, and the effective tick measured\n"
"                      there, are the defaults of the knobs of fair and numab\n"
"      --against G...  recordings under the setting that is simulated; all names\n"
"                      up to the next option\n"
"  -n, --seeds N       replays of each F (default 20)\n"
"  -s, --seed S        the first seed (default 1)\n"
"  -j, --jobs N        so many at a time (default: one per CPU)\n"
"  -c, --cost SPEC     what memory costs; \"flat\" for an emulated guest\n"
"      --json, --csv   for programs\n"
"\n"
"A metric is inside if the simulated mean is within the 95 % prediction interval\n"
"of one more real run: |z| < t(n - 1, 97.5 %) * sqrt(1 + 1/n) for n real runs; or\n"
"if it is nearer than 0.03 of a share, 10 % of a rate or count.  One real run has\n"
"no spread: then there is no verdict.\n"
"\n"
"Judged are the tasks with a tenth at least of the pages of the largest process\n"
"that ran a twentieth at least of the longest time.  Shares are of their time on\n"
"CPUs; quarters and halves are of the time from their first to their last.\n",
	.run = run,
};
