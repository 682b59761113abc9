/* SPDX-License-Identifier: MIT */
/*
 * autonuma: AutoNUMA, as Arcangeli posted it in 2012.
 *
 * Idea: a daemon marks all memory again and again; the faults that follow tell
 * for every thread and every process on which node its memory is used.  Pages
 * follow whoever used them twice in a row, moved in the background by one daemon
 * for each node; threads go to the node where more of their memory is than of
 * those that run there, if need be at those threads' cost.
 *
 * Source: algorithms.md, sheet H (autonuma.h and cfs34.h say what is assumed).
 * Three states of it: alpha6 (March, that of the published tables), alpha14 (May)
 * and aug (August).
 *
 * Does badly for the first 5 to 15 s of a process, when there are no statistics
 * yet, so with short lived ones altogether; and where threads of two nodes use
 * the same pages in turn.
 */
#include "replay/autonuma.h"

static const struct knob autonuma_knobs[] = {
	CFS34_KNOBS,
	[AUTONUMA_VARIANT] = {
		.name = "version", .type = KNOB_TEXT, .deflt = "alpha6",
		.choices = "alpha6|alpha14|aug",
		.help = "alpha6: goes to idle CPUs too, one way; alpha14: to "
			"busy ones only; aug: in exchange" },
	[AUTONUMA_SCAN_CHUNK] = {
		.name = "scan_chunk_mb", .type = KNOB_INT, .deflt = "128",
		.unit = "MB", .max = 1000000,
		.help = "knuma_scand marks so much in one go; 0: nothing" },
	[AUTONUMA_SCAN_SLEEP] = {
		.name = "scan_sleep", .type = KNOB_NS, .deflt = "100ms",
		.help = "and sleeps so long then" },
	[AUTONUMA_PASS_SLEEP] = {
		.name = "scan_sleep_pass", .type = KNOB_NS, .deflt = "10s",
		.help = "its pause between two passes over all memory" },
	[AUTONUMA_PMD] = {
		.name = "scan_pmd", .type = KNOB_BOOL, .deflt = "on",
		.help = "2 MB are marked, and met, at once, else single pages" },
	[AUTONUMA_FILTER] = {
		.name = "two_hit_filter", .type = KNOB_BOOL, .deflt = "on",
		.help = "a page moves when it is used twice in a row from a "
			"node, not at once" },
	[AUTONUMA_MIGRATE] = {
		.name = "migrate", .type = KNOB_BOOL, .deflt = "on",
		.help = "pages move at all" },
	[AUTONUMA_MIGRATE_CHUNK] = {
		.name = "migrate_chunk_mb", .type = KNOB_INT, .deflt = "128",
		.unit = "MB", .max = 1000000,
		.help = "knuma_migrated wakes at so much and moves so much in "
			"one go; 0: nothing" },
	[AUTONUMA_MIGRATE_SLEEP] = {
		.name = "migrate_sleep", .type = KNOB_NS, .deflt = "100ms",
		.help = "and sleeps so long then" },
	[AUTONUMA_BALANCE] = {
		.name = "balance", .type = KNOB_BOOL, .deflt = "on",
		.help = "tasks go where their memory is" },
	[AUTONUMA_BALANCE_PERIOD] = {
		.name = "balance_period", .type = KNOB_NS, .deflt = "64ms",
		.help = "how often a busy CPU asks where its task belongs "
			"(assumed: its balance interval)" },
	[AUTONUMA_STRICT] = {
		.name = "load_balance_strict", .type = KNOB_BOOL,
		.deflt = "on",
		.help = "only idle CPUs may take a task off its node" },
	[AUTONUMA_WALK] = {
		.name = "walk_ns", .type = KNOB_NS, .deflt = "8us",
		.help = "a task passes over a page in that time (assumed: "
			"numa01's 3 GiB in 335 s / 51)" },
	[AUTONUMA_NR_KNOBS] = { .name = NULL }
};

static struct autonuma *enter(void *state, const struct view *v,
			      struct decisions *d)
{
	struct autonuma *a = state;

	a->v = v;
	a->d = d;
	return a;
}

static int select_cpu(void *state, const struct view *v,
		      const struct select_args *s, struct decisions *d)
{
	if (s->why == SELECT_EXEC)
		autonuma_exec(state, v, s->task);
	return fair_select_cpu(state, v, s, d);
}

static void tick(void *state, const struct view *v, int cpu,
		 struct decisions *d)
{
	struct autonuma *a = enter(state, v, d);

	autonuma_scan(a);
	autonuma_migrate(a);
	autonuma_balance(a, cpu);
	cfs34_tick(state, v, cpu, d);
}

static void ran(void *state, const struct view *v, int task, int cpu,
		int64_t ns, bool goes_off, struct decisions *d)
{
	autonuma_ran(enter(state, v, d), task, cpu, ns);
}

extern const struct policy_ops policy_autonuma;
const struct policy_ops policy_autonuma = {
	.name = "autonuma",
	.title = "AutoNUMA (Arcangeli 2012)",
	.about =
"A daemon marks all memory every 10 s or so; the faults that follow tell where\n"
"threads and processes use theirs.  Pages used twice in a row from a node are\n"
"moved there in the background; threads go to the node where more of their memory\n"
"is than of those that run there.  The scheduler under it is cfs-3.4.\n"
"Source: algorithms.md, sheet H.\n"
"Assumed: all pages may move; daemons and faults take no time; a task walks over\n"
"its pages at an even pace (walk_ns).\n"
"Does badly for the first 5 to 15 s, and where threads of two nodes use the same\n"
"pages in turn.\n",
	.knobs = autonuma_knobs,
	.discipline = "queue_fair",
	.init = autonuma_init,
	.exit = autonuma_exit,
	.init_task = autonuma_init_task,
	.exit_task = autonuma_exit_task,
	.select_cpu = select_cpu,
	.tick = tick,
	.newidle = fair_newidle,
	.ran = ran,
};
