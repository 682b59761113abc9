/* SPDX-License-Identifier: MIT */
/*
 * policy_affine: what the node affine schedulers share (Focht 2002, sheets E and
 * F of algorithms.md): home nodes, what they weigh when a task is taken, and
 * setting tasks back.  Balancing is that of policy_pool.  Each policy has a table
 * of AFFINE_KNOBS() with its own defaults and these callbacks.
 */
#ifndef REPLAY_POLICY_AFFINE_H
#define REPLAY_POLICY_AFFINE_H

#include "replay/policy_pool.h"

enum {
	AFFINE_ILB = POOL_NR_KNOBS, AFFINE_CHOICE, AFFINE_WEIGHTS, AFFINE_PUSH,
	AFFINE_PUSH_LIMIT, AFFINE_NODE_POLICY, AFFINE_ALLOC, AFFINE_DYNAMIC,
	AFFINE_NR_KNOBS
};

#define AFFINE_KNOBS(ilb, where, is_dynamic) \
	POOL_KNOBS("-1"), \
	[AFFINE_ILB] = { \
		.name = "initial_balancing", .type = KNOB_BOOL, .deflt = ilb, \
		.help = "choose home node and CPU at exec (or fork: node_policy)" }, \
	[AFFINE_CHOICE] = { \
		.name = "homenode", .type = KNOB_TEXT, .deflt = "ps2", \
		.choices = "ps2|p10", \
		.help = "by tasks assigned to nodes, or by tasks running there" }, \
	[AFFINE_WEIGHTS] = { \
		.name = "weights", .type = KNOB_TEXT, .deflt = "ps2", \
		.choices = "ps2|p10", \
		.help = "what homes weigh when a task is taken (E); p10: a task " \
			"at home is never taken away" }, \
	[AFFINE_PUSH] = { \
		.name = "push", .type = KNOB_TEXT, .deflt = "ps2", \
		.choices = "ps2|p10|off", \
		.help = "set a lone task back to its home node (E)" }, \
	[AFFINE_PUSH_LIMIT] = { \
		.name = "push_limit", .type = KNOB_INT, .deflt = "25", \
		.unit = "tasks*100/CPU", .max = 100000, \
		.help = "own load of the home node below which ps2 pushes" }, \
	[AFFINE_NODE_POLICY] = { \
		.name = "node_policy", .type = KNOB_TEXT, .deflt = "exec", \
		.choices = "exec|fork|fork-all", \
		.help = "when a home is chosen: exec, also fork of a process, " \
			"also fork of a thread" }, \
	[AFFINE_ALLOC] = { \
		.name = "alloc", .type = KNOB_TEXT, .deflt = where, \
		.choices = "home|local", \
		.help = "where new pages go: home node or node of the CPU" }, \
	[AFFINE_DYNAMIC] = { \
		.name = "dynamic", .type = KNOB_BOOL, .deflt = is_dynamic, \
		.help = "a task's home follows its pages, looked at when it " \
			"could be taken (F)" }

struct affine;

int affine_init(void **state, const struct view *v, const struct knob_value *k,
		struct err *err);
void affine_exit(void *state);
void affine_init_task(void *state, const struct view *v, int task, int parent,
		      struct decisions *d);
int affine_select_cpu(void *state, const struct view *v,
		      const struct select_args *s, struct decisions *d);
void affine_tick(void *state, const struct view *v, int cpu,
		 struct decisions *d);
void affine_newidle(void *state, const struct view *v, int cpu,
		    struct decisions *d);
int affine_place_page(void *state, const struct view *v, int task, int area,
		      int64_t *pages);

#endif
