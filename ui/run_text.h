/* SPDX-License-Identifier: MIT */
/*
 * run_text: what tells one run from another, in the words of the options that
 * made it.  All texts are allocated; NULL: no memory.
 */
#ifndef UI_RUN_TEXT_H
#define UI_RUN_TEXT_H

struct run_info;

/* As --cost takes it: "flat", or the most that a remote node costs and those
 * numbers that are not their default: "remote=1.31,intensity=1".  "" for what
 * was recorded. */
char *run_text_cost(const struct run_info *r);

/* "2 nodes, 8 CPUs"; "" on the machine that was recorded. */
char *run_text_machine(const struct run_info *r);

/* What a run of one policy and seed may differ in: "hz=250, queue_fair, flat,
 * 2 nodes, 8 CPUs"; "" where all is as by default, and of what was recorded. */
char *run_text_settings(const struct run_info *r);

/* All of it: "o1,seed=1 hz=250 queue_fair flat on 2 nodes, 8 CPUs". */
char *run_text(const struct run_info *r);

#endif
