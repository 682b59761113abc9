/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "ui/replay_session.h"

#include <unistd.h>

#define MAX_SEEDS 100000

static int check_options(struct session_options *o, int nr, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (nr != 1)
		return err_set(err, ERR_USAGE, nr ? "one file, please" :
			       "which file?");
	if (!o->policies.nr && (o->study.topology || o->discipline || o->check))
		return err_set(err, ERR_USAGE, "--topology, --discipline and "
			       "--check go with -p");
	if (o->seeds < 1 || o->seeds > MAX_SEEDS)
		return err_set(err, ERR_USAGE, "--seeds: from 1 to %d", MAX_SEEDS);
	if (o->seed < 0)
		return err_set(err, ERR_USAGE, "--seed: 0 or more");
	if (o->jobs > 4096)
		return err_set(err, ERR_USAGE, "--jobs: from 1 to 4096");
	if (!o->jobs)
		o->jobs = cpus > 0 ? cpus : 1;
	if (o->study.distance && !o->study.topology)
		return err_set(err, ERR_USAGE, "--distance goes with --topology");
	if (o->json && o->csv)
		return err_set(err, ERR_USAGE, "either --json or --csv");
	return 0;
}

static int parse(struct session_options *o, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "policy", 'p', OPT_LIST, &o->policies },
		{ "seeds", 'n', OPT_INT, &o->seeds },
		{ "seed", 's', OPT_INT, &o->seed },
		{ "jobs", 'j', OPT_COUNT, &o->jobs },
		{ "topology", 't', OPT_TEXT, &o->study.topology },
		{ "distance", 0, OPT_TEXT, &o->study.distance },
		{ "cost", 'c', OPT_TEXT, &o->study.cost },
		{ "intensity", 'i', OPT_LIST, &o->intensity },
		{ "discipline", 'd', OPT_TEXT, &o->discipline },
		{ "check", 0, OPT_FLAG, &o->check },
		{ "again", 0, OPT_FLAG, &o->again },
		{ "json", 0, OPT_FLAG, &o->json },
		{ "csv", 0, OPT_FLAG, &o->csv },
		{ "progress", 0, OPT_FLAG, &o->progress },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (check_options(o, nr, err))
		return err->code;
	o->study.path = argv[1];
	o->study.intensity = &o->intensity;
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct session s = { .o = { .seeds = 1, .seed = 1 } };
	int r;

	bar_init(&s.bar);
	if (parse(&s.o, argc, argv, err)) {
		r = err->code;
		goto out;
	}
	if (s.o.progress)
		bar_lines(&s.bar);
	if (!s.o.policies.nr)
		r = session_fidelity_only(&s, err);
	else if (session_groups(&s, err) || session_fidelity(&s, err) ||
		 replay_study_open(&s.study, &s.o.study, &s.bar, err) ||
		 session_plan(&s, err) || session_run(&s, err))
		r = err->code;
	else
		r = session_show(&s, err);
out:
	bar_clear(&s.bar);
	session_release(&s);
	return r;
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "replay the recorded work under other node balancers",
	.usage = "homenode replay F [-p POLICY[,knob=value...] ...] [options]",
	.help =
"Replays what was recorded in F under each policy and adds the runs to F.\n"
"Same file, policy, knobs, seed, machine and cost give the same bytes, however\n"
"many replays run at a time.  A run that F has already is not replayed again.\n"
"\n"
"  -p, --policy NAME[,knob=value...]   'homenode policies' lists them and their\n"
"                      knobs.  -p recorded checks the replay itself: it must\n"
"                      give back the recorded spans exactly.  A path with a\n"
"                      slash is a plug-in: see 'homenode help policies'\n"
"  -n, --seeds N       replay with N seeds (default 1) and print mean ± spread\n"
"  -s, --seed S        the first of them (default 1)\n"
"  -j, --jobs N        so many at a time (default: one per CPU)\n"
"  -t, --topology T    on another machine: an lstopo XML or a synthetic string\n"
"                      such as \"numa:4 core:4 pu:1\"\n"
"      --distance D    its distances: \"10,20;20,10\" or \"0,1=21\"\n"
"  -c, --cost SPEC     what memory costs: \"flat\" or numbers such as\n"
"                      \"remote=1.31,contention=0.05,oversubscribed=1.05,smt=1.5,\n"
"                      intensity=0.5,migrate:node=100000\"; \"calibrated\" is what\n"
"                      'homenode calibrate -o F' measured, \"calibrated:FILE\" what\n"
"                      it stored in FILE.  Else other nodes cost what their SLIT\n"
"                      distances make of it, which are only ranks\n"
"  -i, --intensity COMM=X   part of the time that tasks of this name wait for\n"
"                      memory, 0 to 1 (shell pattern; may be given several times)\n"
"  -d, --discipline NAME   another run queue than the one the policy lived on\n"
"      --check         walk the engine's invariants all the time and compare\n"
"                      recorded span by span, not by checksum (slow)\n"
"      --again         replay anew what F has already\n"
"      --json, --csv   for programs\n"
"      --progress      lines \"progress 0.42\" on stderr, for programs\n"
"\n"
"How much of its time a task waits for memory cannot be seen in a schedule.\n"
"Unless it is given with --intensity or --cost, the CPU time is predicted as a\n"
"range, from intensity 0 to 1.\n"
"\n"
"How well it predicts is found out on the same recording: the policy that was in\n"
"force (fair, or numab where NUMA balancing was on) is simulated too and held\n"
"against what really happened.  The difference is printed and stored with each\n"
"run; without -p only this is done.  'homenode fidelity' judges by several\n"
"recordings.\n",
	.run = run,
};
