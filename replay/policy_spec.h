/* SPDX-License-Identifier: MIT */
/*
 * policy_spec: the policies that there are, and one picked by the user with
 * what was set in it.
 */
#ifndef REPLAY_POLICY_SPEC_H
#define REPLAY_POLICY_SPEC_H

#include "replay/policy.h"

struct discipline_ops;
struct plugin;

/* All built-in policies, ends with NULL. */
extern const struct policy_ops *const policy_table[];

const struct policy_ops *policy_find(const char *name);	/* NULL: none */

/* A policy with the queue discipline under it and every knob of both. */
struct policy_spec {
	const struct policy_ops *ops;
	struct knob_value *values;	/* one per knob of ops, in table order */
	const struct discipline_ops *discipline;
	struct knob_value *queue_values;	/* likewise of the discipline */
	struct plugin *plugin;		/* it came from there; NULL: built in */
	char *text;			/* private: owns the strings of values */
};

/*
 * Reads "name,knob=value,..." (knobs of the policy or of its discipline).
 * discipline: a name to use instead of the policy's own, NULL for that one.
 * ERR_USAGE lists what is valid.  Release it also after an error.
 */
int policy_spec_parse(struct policy_spec *s, const char *spec,
		      const char *discipline, struct err *err);

/* The same for what the user gave: a name with a slash is the path of a plug-in
 * (plugin.h), which is loaded.  Never for a name that stands in a file. */
int policy_spec_pick(struct policy_spec *s, const char *spec,
		     const char *discipline, struct err *err);
void policy_spec_release(struct policy_spec *s);

/* Every knob's value as a JSON object, allocated; NULL: no memory.  A choice
 * or text is a string, ns and counts are numbers.  A plug-in's begins with
 * "plugin": "mine.so", "plugin_hash": 16 hexadecimal digits. */
char *policy_spec_json(const struct policy_spec *s);

#endif
