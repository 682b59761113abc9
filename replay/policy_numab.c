/* SPDX-License-Identifier: MIT */
/*
 * numab: today's Linux with NUMA balancing (kernel.numa_balancing = 1).
 *
 * Idea: placement and load balancing as in fair; besides, every task's pages
 * are marked about once a second of its time, and the faults on them tell where
 * its memory is.  Pages that are used twice in a row from another node move
 * there; a task goes to the node with most of its faults, if need be in exchange
 * for one that runs there; the balancer leaves tasks where their memory is
 * unless it fails again and again.
 *
 * Source: algorithms.md, sheet M, for Linux 6.1 (numab.h says what is assumed).
 *
 * Does badly with short lived tasks, which are never scanned, and where threads of
 * a process use different pages of the same memory, which are taken as used by
 * all alike.  Not there: pages shared by processes, whose tasks the kernel puts
 * into one group too, and memory tiers.
 */
#include "replay/numab.h"

static const struct knob numab_knobs[] = {
	FAIR_KNOBS,
	[NUMAB_SCAN_DELAY] = {
		.name = "scan_delay_ms", .type = KNOB_NS, .deflt = "1000ms",
		.help = "run time of a task before its first scan" },
	[NUMAB_PERIOD_MIN] = {
		.name = "scan_period_min_ms", .type = KNOB_NS,
		.deflt = "1000ms", .help = "shortest time between two scans" },
	[NUMAB_PERIOD_MAX] = {
		.name = "scan_period_max_ms", .type = KNOB_NS,
		.deflt = "60000ms", .help = "longest" },
	[NUMAB_SCAN_SIZE] = {
		.name = "scan_size_mb", .type = KNOB_INT, .deflt = "256",
		.unit = "MB", .min = 1, .max = 1000000,
		.help = "so much is marked in one scan" },
	[NUMAB_FAULT_NS] = {
		.name = "fault_ns", .type = KNOB_NS, .deflt = "500ns",
		.min = 1, .max = 1000000000,
		.help = "time between two faults on marked pages" },
	[NUMAB_MOVE_NS] = {
		.name = "move_ns", .type = KNOB_NS, .deflt = "3500ns",
		.help = "what a fault takes longer that moves its page" },
	[NUMAB_MARK_NS] = {
		.name = "mark_ns", .type = KNOB_NS, .deflt = "50ns",
		.max = 1000000000,
		.help = "time to mark a page; a task rests from scanning for "
			"32 times what a scan took, in whole ticks" },
	[NUMAB_SKIP_LOCAL] = {
		.name = "skip_local", .type = KNOB_BOOL, .deflt = "on",
		.help = "pages on the node of a single-threaded process are "
			"not marked" },
	[NUMAB_HOT_PAGE] = {
		.name = "hot_page", .type = KNOB_BOOL, .deflt = "on",
		.help = "fork leaves a page in use where the parent ran" },
	[NUMAB_SWAP] = {
		.name = "swap", .type = KNOB_BOOL, .deflt = "on",
		.help = "tasks may go in exchange for others" },
	[NUMAB_GROUPS] = {
		.name = "groups", .type = KNOB_BOOL, .deflt = "on",
		.help = "threads that share pages are placed as a group" },
	[NUMAB_NR_KNOBS] = { .name = NULL }
};

static void touched(void *state, const struct view *v, int task, int area,
		    int node, int64_t pages, struct decisions *d)
{
	struct numab *n = state;

	n->d = d;
	numab_touch(n, area, node, pages);
}

extern const struct policy_ops policy_numab;
const struct policy_ops policy_numab = {
	.name = "numab",
	.title = "today's Linux with NUMA balancing",
	.about =
"As fair; besides, pages are marked about once a second, faults on them tell\n"
"where the memory of a task is, pages used twice in a row from a node move\n"
"there, and tasks go where most of their faults are, also in exchange for\n"
"others.  Source: algorithms.md, sheet M.  CFS or EEVDF: knob variant.\n"
"Assumed: what fair assumes; a task touches its marked pages as fast as it can\n"
"fault; one page in use is left where its parent ran.\n"
"Does badly with short lived tasks, and with threads that use different pages of\n"
"one memory; processes that share memory form no group.\n",
	.knobs = numab_knobs,
	.discipline = "queue_fair",
	.init = numab_init,
	.exit = numab_exit,
	.init_task = numab_init_task,
	.exit_task = numab_exit_task,
	.select_cpu = fair_select_cpu,
	.tick = fair_tick,
	.newidle = fair_newidle,
	.touched = touched,
	.ran = numab_ran,
};
