/* SPDX-License-Identifier: MIT */
#include "replay/policy_spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/discipline.h"
#include "replay/plugin.h"

extern const struct policy_ops policy_recorded, policy_stay, policy_o1,
	policy_o1_single, policy_simple_numa, policy_pooling,
	policy_pooling_ilb, policy_node_affine, policy_node_affine_dyn,
	policy_node_affine_dyn_ilb, policy_numa_2_6, policy_autonuma, policy_cfs34, policy_sched_numa,
	policy_fair, policy_numab,
	policy_idlest, policy_hard_bind, policy_inverse_bind,
	policy_same_node, policy_bind, policy_llc_5_9,
	policy_cluster_domain_only, policy_cluster;

const struct policy_ops *const policy_table[] = {
	&policy_recorded,
	&policy_stay,
	&policy_idlest,
	&policy_o1,
	&policy_o1_single,
	&policy_simple_numa,
	&policy_pooling,
	&policy_pooling_ilb,
	&policy_node_affine,
	&policy_node_affine_dyn,
	&policy_node_affine_dyn_ilb,
	&policy_numa_2_6,
	&policy_cfs34,
	&policy_autonuma,
	&policy_sched_numa,
	&policy_fair,
	&policy_numab,
	&policy_llc_5_9,
	&policy_cluster_domain_only,
	&policy_cluster,
	&policy_hard_bind,
	&policy_inverse_bind,
	&policy_same_node,
	&policy_bind,
	NULL
};

const struct policy_ops *policy_find(const char *name)
{
	for (int i = 0; policy_table[i]; i++)
		if (!strcmp(policy_table[i]->name, name))
			return policy_table[i];
	return NULL;
}

static int unknown_policy(const char *name, struct err *err)
{
	char list[400] = "";

	for (int i = 0; policy_table[i]; i++)
		err_list(list, sizeof(list), policy_table[i]->name);
	return err_set(err, ERR_USAGE, "no policy '%s'; there are: %s%s", name,
		       list, strstr(name, ".so") && !plugin_is_path(name) ?
		       "; a plug-in's path has a slash, as in ./mine.so" : "");
}

static int unknown_discipline(const char *name, struct err *err)
{
	char list[200] = "";

	for (int i = 0; discipline_table[i]; i++)
		err_list(list, sizeof(list), discipline_table[i]->name);
	return err_set(err, ERR_USAGE, "no queue discipline '%s'; there are: %s",
		       name, list);
}

/* False: there are too many. */
static bool append_knobs(char *list, size_t size, const struct knob *table)
{
	for (int i = 0; i < knob_count(table); i++)
		if (!err_list(list, size, table[i].name))
			return false;
	return true;
}

static int unknown_knob(const struct policy_spec *s, const char *name,
			struct err *err)
{
	char list[700] = "";

	if (!append_knobs(list, sizeof(list), s->ops->knobs) ||
	    (s->discipline && !append_knobs(list, sizeof(list),
					    s->discipline->knobs)))
		return err_set(err, ERR_USAGE, "policy '%s' has no knob '%s'; "
			       "'homenode policies %s' shows what it has",
			       s->ops->name, name, s->ops->name);
	return err_set(err, ERR_USAGE, "policy '%s' has no knob '%s'; it has: %s",
		       s->ops->name, name, *list ? list : "none");
}

static int parse_knob(struct policy_spec *s, char *item, struct err *err)
{
	char *value = strchr(item, '=');
	int i;

	if (!value)
		return err_set(err, ERR_USAGE,
			       "policy '%s': '%s' is not of the form knob=value",
			       s->ops->name, item);
	*value++ = '\0';
	i = knob_find(s->ops->knobs, item);
	if (i >= 0)
		return knob_parse(&s->ops->knobs[i], value, &s->values[i], err);
	if (s->discipline)
		i = knob_find(s->discipline->knobs, item);
	if (i < 0)
		return unknown_knob(s, item, err);
	return knob_parse(&s->discipline->knobs[i], value, &s->queue_values[i],
			  err);
}

static int alloc_values(const struct knob *table, struct knob_value **values,
			struct err *err)
{
	*values = calloc((size_t)knob_count(table) + 1, sizeof(**values));
	if (!*values)
		return err_nomem(err);
	return knob_defaults(table, *values, err);
}

/* Two knobs of one name: which of them is set? */
static int check_shared(const struct policy_spec *s, struct err *err)
{
	const struct knob *own = s->ops->knobs;

	for (int i = 0; i < knob_count(own); i++)
		if (knob_find(s->discipline->knobs, own[i].name) >= 0)
			return err_set(err, ERR_USAGE, "policy '%s' and its run "
				       "queue '%s' both have a knob '%s'",
				       s->plugin ? s->plugin->path :
				       s->ops->name, s->discipline->name,
				       own[i].name);
	return 0;
}

static int choose_discipline(struct policy_spec *s, const char *name,
			     struct err *err)
{
	if (s->ops->flags & POLICY_F_FOLLOW) {
		if (name)
			return err_set(err, ERR_USAGE,
				       "policy '%s' has no queues: it follows the recording",
				       s->ops->name);
		return 0;
	}
	if (!name)
		name = s->ops->discipline;
	s->discipline = discipline_find(name);
	if (!s->discipline)
		return unknown_discipline(name, err);
	if (check_shared(s, err))
		return err->code;
	return alloc_values(s->discipline->knobs, &s->queue_values, err);
}

static int choose_policy(struct policy_spec *s, const char *name, bool may_load,
			 struct err *err)
{
	if (!may_load || !plugin_is_path(name)) {
		s->ops = policy_find(name);
		return s->ops ? 0 : unknown_policy(name, err);
	}
	s->plugin = calloc(1, sizeof(*s->plugin));
	if (!s->plugin)
		return err_nomem(err);
	if (plugin_open(s->plugin, name, err))
		return err->code;
	s->ops = s->plugin->ops;
	return 0;
}

static int parse(struct policy_spec *s, const char *spec,
		 const char *discipline, bool may_load, struct err *err)
{
	char *item, *rest;
	int r;

	*s = (struct policy_spec){ .text = strdup(spec) };
	if (!s->text)
		return err_nomem(err);
	rest = s->text;
	item = strsep(&rest, ",");
	r = choose_policy(s, item, may_load, err);
	if (!r)
		r = alloc_values(s->ops->knobs, &s->values, err);
	if (!r)
		r = choose_discipline(s, discipline, err);
	while (!r && (item = strsep(&rest, ",")))
		r = parse_knob(s, item, err);
	return r;
}

int policy_spec_parse(struct policy_spec *s, const char *spec,
		      const char *discipline, struct err *err)
{
	return parse(s, spec, discipline, false, err);
}

int policy_spec_pick(struct policy_spec *s, const char *spec,
		     const char *discipline, struct err *err)
{
	return parse(s, spec, discipline, true, err);
}

void policy_spec_release(struct policy_spec *s)
{
	free(s->values);
	free(s->queue_values);
	free(s->text);
	if (s->plugin)
		plugin_close(s->plugin);
	free(s->plugin);
	*s = (struct policy_spec){ 0 };
}

/* Which file a plug-in is, written as if these were knobs of it. */
static size_t plugin_json(const struct plugin *p, char *buf, size_t size)
{
	static const struct knob names[] = {
		{ .name = "plugin", .type = KNOB_TEXT },
		{ .name = "plugin_hash", .type = KNOB_TEXT },
		{ .name = NULL },
	};
	char hash[20];
	struct knob_value values[] = { { .text = p ? p->file : NULL },
				       { .text = hash } };

	if (!p)
		return 0;
	snprintf(hash, sizeof(hash), "%016" PRIx64, p->hash);
	return knob_table_json(names, values, buf, size);
}

char *policy_spec_json(const struct policy_spec *s)
{
	const struct knob *queue = s->discipline ? s->discipline->knobs : NULL;
	size_t plugin = plugin_json(s->plugin, NULL, 0);
	size_t own = knob_table_json(s->ops->knobs, s->values, NULL, 0);
	size_t below = knob_table_json(queue, s->queue_values, NULL, 0);
	char *text = malloc(plugin + own + below + 7), *p = text;

	if (!text)
		return NULL;
	*p++ = '{';
	p += plugin_json(s->plugin, p, plugin + 1);
	if (plugin && own)
		p = stpcpy(p, ", ");
	p += knob_table_json(s->ops->knobs, s->values, p, own + 1);
	if ((plugin || own) && below)
		p = stpcpy(p, ", ");
	p += knob_table_json(queue, s->queue_values, p, below + 1);
	*p++ = '}';
	*p = '\0';
	return text;
}
