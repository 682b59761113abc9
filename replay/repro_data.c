/* SPDX-License-Identifier: MIT */
#include "replay/repro_table.h"

#include <stddef.h>

/* S002: averages of ten runs of hackbench -p -T -l 100000 -g G on cpu0-23
 * (numactl -N 0) and cpu0-47; those without select_idle_cluster on one node were
 * withdrawn. */
static const struct repro_line cluster[] = {
	{ "one node, g=1", "without", "hackbench,cpus=24", "1", "llc-5.9",
	  { [FIGURE_H] = 7.5853 } },
	{ "one node, g=1", "with", "hackbench,cpus=24", "1", "cluster",
	  { [FIGURE_H] = 7.6697 } },
	{ "one node, g=2", "without", "hackbench,cpus=24", "2", "llc-5.9",
	  { [FIGURE_H] = 10.1006 } },
	{ "one node, g=2", "with", "hackbench,cpus=24", "2", "cluster",
	  { [FIGURE_H] = 9.6878 } },
	{ "one node, g=3", "without", "hackbench,cpus=24", "3", "llc-5.9",
	  { [FIGURE_H] = 15.7727 } },
	{ "one node, g=3", "with", "hackbench,cpus=24", "3", "cluster",
	  { [FIGURE_H] = 14.9005 } },
	{ "one node, g=4", "without", "hackbench,cpus=24", "4", "llc-5.9",
	  { [FIGURE_H] = 20.8187 } },
	{ "one node, g=4", "with", "hackbench,cpus=24", "4", "cluster",
	  { [FIGURE_H] = 20.5647 } },
	{ "two nodes, g=1", "without", "hackbench", "1", "llc-5.9",
	  { [FIGURE_H] = 7.4229 } },
	{ "two nodes, g=1", "domain only", "hackbench", "1",
	  "cluster-domain-only",
	  { 0 } },
	{ "two nodes, g=1", "with", "hackbench", "1", "cluster",
	  { [FIGURE_H] = 7.5925 } },
	{ "two nodes, g=2", "without", "hackbench", "2", "llc-5.9",
	  { [FIGURE_H] = 9.028 } },
	{ "two nodes, g=2", "domain only", "hackbench", "2",
	  "cluster-domain-only",
	  { 0 } },
	{ "two nodes, g=2", "with", "hackbench", "2", "cluster",
	  { [FIGURE_H] = 8.1913 } },
	{ "two nodes, g=3", "without", "hackbench", "3", "llc-5.9",
	  { [FIGURE_H] = 11.9557 } },
	{ "two nodes, g=3", "domain only", "hackbench", "3",
	  "cluster-domain-only",
	  { 0 } },
	{ "two nodes, g=3", "with", "hackbench", "3", "cluster",
	  { [FIGURE_H] = 9.5417 } },
	{ "two nodes, g=4", "without", "hackbench", "4", "llc-5.9",
	  { [FIGURE_H] = 17.7647 } },
	{ "two nodes, g=4", "domain only", "hackbench", "4",
	  "cluster-domain-only",
	  { [FIGURE_H] = 15.0931 } },
	{ "two nodes, g=4", "with", "hackbench", "4", "cluster",
	  { [FIGURE_H] = 10.4927 } },
	{ "two nodes, g=5", "without", "hackbench", "5", "llc-5.9",
	  { [FIGURE_H] = 27.4382 } },
	{ "two nodes, g=5", "domain only", "hackbench", "5",
	  "cluster-domain-only",
	  { 0 } },
	{ "two nodes, g=5", "with", "hackbench", "5", "cluster",
	  { [FIGURE_H] = 13.9735 } },
	{ .row = NULL }
};

/* S000 lines 329 to 370: single runs; "with" is "latest on tux1". */
static const struct repro_line numaq[] = {
	{ "4", "without", "numa_test", "4", "o1,hz=1000",
	  { [FIGURE_U] = 40.69, [FIGURE_TU] = 162.85, [FIGURE_E] = 52.14 } },
	{ "4", "with", "numa_test", "4", "simple-numa,hz=1000",
	  { [FIGURE_U] = 31.55, [FIGURE_TU] = 126.23, [FIGURE_E] = 41.58 } },
	{ "8", "without", "numa_test", "8", "o1,hz=1000",
	  { [FIGURE_U] = 36.90, [FIGURE_TU] = 295.29, [FIGURE_E] = 62.12 } },
	{ "8", "with", "numa_test", "8", "simple-numa,hz=1000",
	  { [FIGURE_U] = 51.80, [FIGURE_TU] = 414.50, [FIGURE_E] = 80.38 } },
	{ "16", "without", "numa_test", "16", "o1,hz=1000",
	  { [FIGURE_U] = 63.91, [FIGURE_TU] = 1022.71, [FIGURE_E] = 88.82 } },
	{ "16", "with", "numa_test", "16", "simple-numa,hz=1000",
	  { [FIGURE_U] = 50.75, [FIGURE_TU] = 812.08, [FIGURE_E] = 72.28 } },
	{ "32", "without", "numa_test", "32", "o1,hz=1000",
	  { [FIGURE_U] = 102.11, [FIGURE_TU] = 3267.84, [FIGURE_E] = 224.24 } },
	{ "32", "with", "numa_test", "32", "simple-numa,hz=1000",
	  { [FIGURE_U] = 55.78, [FIGURE_TU] = 1785.21, [FIGURE_E] = 126.45 } },
	{ "64", "without", "numa_test", "64", "o1,hz=1000",
	  { [FIGURE_U] = 148.33, [FIGURE_TU] = 9494.10, [FIGURE_E] = 611.71 } },
	{ "64", "with", "numa_test", "64", "simple-numa,hz=1000",
	  { [FIGURE_U] = 57.49, [FIGURE_TU] = 3679.94, [FIGURE_E] = 243.27 } },
	{ .row = NULL }
};

/* S003: a build without and with "sched", single runs; TU is user + system. */
static const struct repro_line kernbench[] = {
	{ "build", "without", "kernbench", "337", "o1,hz=1000",
	  { [FIGURE_TU] = 234.932, [FIGURE_E] = 19.798 } },
	{ "build", "with", "kernbench", "337", "simple-numa,hz=1000,variant=h40",
	  { [FIGURE_TU] = 229.576, [FIGURE_E] = 19.528 } },
	{ .row = NULL }
};

/* S004 lines 31 to 84: Smith's runs.  The "again" ones are those of INVERSE_BIND
 * without HARD_BIND, which binds nothing (algorithms.md O.9). */
static const struct repro_line autonuma[] = {
	{ "numa01", "hard", "numa01", NULL, "hard-bind",
	  { [FIGURE_E] = 335 } },
	{ "numa01", "inverse", "numa01", NULL, "inverse-bind",
	  { [FIGURE_E] = 483 } },
	{ "numa01", "mainline", "numa01", NULL, "cfs-3.4",
	  { [FIGURE_E] = 483 } },
	{ "numa01", "autonuma", "numa01", NULL, "autonuma",
	  { [FIGURE_E] = 366 } },
	{ "numa01", "numasched", "numa01", NULL, "sched-numa",
	  { [FIGURE_E] = 335 } },
	{ "numa01 again", "autonuma", "numa01", NULL, "autonuma",
	  { [FIGURE_E] = 356 } },
	{ "numa01 again", "numasched", "numa01", NULL, "sched-numa",
	  { [FIGURE_E] = 375 } },
	{ "numa01 same_node", "mainline", "numa01,same_node=0", NULL, "cfs-3.4",
	  { [FIGURE_E] = 483 } },
	{ "numa01 same_node", "autonuma", "numa01,same_node=0", NULL,
	  "autonuma",
	  { [FIGURE_E] = 377 } },
	{ "numa01 same_node", "numasched", "numa01,same_node=0", NULL,
	  "sched-numa",
	  { [FIGURE_E] = 491 } },
	{ "numa02", "hard", "numa02", NULL, "hard-bind",
	  { [FIGURE_E] = 37 } },
	{ "numa02", "inverse", "numa02", NULL, "inverse-bind",
	  { [FIGURE_E] = 53 } },
	{ "numa02", "mainline", "numa02", NULL, "cfs-3.4",
	  { [FIGURE_E] = 54 } },
	{ "numa02", "autonuma", "numa02", NULL, "autonuma",
	  { [FIGURE_E] = 42 } },
	{ "numa02", "numasched", "numa02", NULL, "sched-numa",
	  { [FIGURE_E] = 55 } },
	{ .row = NULL }
};

const struct repro_table repro_tables[] = {
	{
		.name = "cluster",
		.title = "hackbench on Kunpeng 920 (seed 002): Linux 5.9 without "
			 "the cluster patch, with\nits domain only, with all of "
			 "it",
		.machine = "kunpeng920",
		.further = "loops=4000",
		.scale = 25,
		.seeds = 3,
		.base = "without",
		.gain_of = FIGURE_H,
		.notes =
"Calibrated by one node, g=4, and two nodes, g=5, both without the patch; the\n"
"rest is prediction.  Runs are 25 times shorter than the seed's and their times\n"
"multiplied.  Notes of algorithms.md O.8: the seed's figures of the domain alone\n"
"on one node were withdrawn; -1.01 % at g=1 on one node is -1.11 %.\n",
		.line = cluster,
	},
	{
		.name = "numaq",
		.title = "numa_test on NUMA-Q (seed 000, Bligh): 2.5.40-mm2 "
			 "without and with the simple\nNUMA scheduler",
		.machine = "numaq",
		.further = "alone=28.2s",
		.scale = 1,
		.seeds = 10,
		.base = "without",
		.gain_of = FIGURE_U,
		.notes =
"Calibrated by its N = 4 (alone, remote).  Single runs.  Whether this kernel had\n"
"cache_decay_ticks = 0 (notsc) is not stated: it is taken to be as elsewhere.\n"
"TU is more than N * U by start-up times (algorithms.md O.2).\n",
		.line = numaq,
	},
	{
		.name = "kernbench",
		.title = "kernbench on NUMA-Q (seed 003): without and with the "
			 "simple NUMA scheduler;\nTU is user + system time",
		.machine = "numaq",
		.cost = "intensity=0.5",
		.scale = 1,
		.seeds = 20,
		.base = "without",
		.gain_of = FIGURE_TU,
		.notes =
"No definition of kernbench was found (algorithms.md K.4): how many files and how\n"
"much of a compilation waits for memory (half) are assumed; the number of files\n"
"gives TU without.  The seed's CPU % of the first row is 0.2 too low (O.7).\n",
		.line = kernbench,
	},
	{
		.name = "autonuma",
		.title = "numa01 and numa02 on 2 x 6 x 2 Westmere (seed 004, "
			 "Smith): bound by hand,\nmainline of 2012, AutoNUMA, "
			 "sched/numa",
		.machine = "westmere",
		.scale = 1,
		.seeds = 10,
		.base = "mainline",
		.gain_of = FIGURE_E,
		.notes =
"Calibrated by hard bind (how long a pass takes) and by inverse bind (remote);\n"
"the rest is prediction.  Single runs; \"again\" are those that were meant to be\n"
"inverse but bound nothing, so repeats (algorithms.md O.9): they differ by 3 % and\n"
"12 %.  same_node and plain mainline both took 483 s, which is unexplained there:\n"
"here all memory is remote to half of the threads in one, and half of it to all in\n"
"the other.  numad takes numa02 from node to node every 2 s: with\n"
"-p numasched=sched-numa,NUMA_BALANCE_FILTER=on it does not.\n",
		.line = autonuma,
	},
	{ .name = NULL }
};
