/* SPDX-License-Identifier: MIT */
/* The files of a spool that an input may have, by letter from 'a' on. */
#ifndef TESTS_FUZZ_SPOOL_NAMES_H
#define TESTS_FUZZ_SPOOL_NAMES_H

static const char *const spool_names[] = {
	"homenode-spool", "header_page", "sched.sched_switch.format",
	"sched.sched_process_fork.format", "topology", "knobs", "tasks",
	"places", "cpu0.raw", "cpu1.raw", "marks", "tail",
};
#define NR_SPOOL_NAMES (sizeof(spool_names) / sizeof(spool_names[0]))

#endif
