/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/synth.h"

extern const struct synth_ops synth_numa_test, synth_numa01, synth_numa02,
	synth_hackbench, synth_kernbench;

const struct synth_ops *const synth_table[] = {
	&synth_numa_test,
	&synth_numa01,
	&synth_numa02,
	&synth_hackbench,
	&synth_kernbench,
	NULL
};

const struct synth_ops *synth_find(const char *name)
{
	for (int i = 0; synth_table[i]; i++)
		if (!strcmp(synth_table[i]->name, name))
			return synth_table[i];
	return NULL;
}

static int set_knob(struct synth_spec *s, const char *name, const char *value,
		    struct err *err)
{
	int i = knob_find(s->ops->knobs, name);
	char list[600] = "";

	if (i >= 0)
		return knob_parse(&s->ops->knobs[i], value, &s->values[i], err);
	for (i = 0; s->ops->knobs[i].name; i++)
		err_list(list, sizeof(list), s->ops->knobs[i].name);
	return err_set(err, ERR_USAGE, "workload '%s' has no knob '%s'; it has: "
		       "%s", s->ops->name, name, list);
}

static int set_item(struct synth_spec *s, char *item, struct err *err)
{
	char *value = strchr(item, '=');

	if (!value)
		return err_set(err, ERR_USAGE, "workload '%s': '%s' is not of the "
			       "form knob=value", s->ops->name, item);
	*value++ = '\0';
	return set_knob(s, item, value, err);
}

static int unknown(const char *name, struct err *err)
{
	char list[200] = "";

	for (int i = 0; synth_table[i]; i++)
		err_list(list, sizeof(list), synth_table[i]->name);
	return err_set(err, ERR_USAGE, "no workload '%s'; there are: %s", name,
		       list);
}

int synth_spec_parse(struct synth_spec *s, const char *spec,
		     const char *operand, struct err *err)
{
	char *item, *rest;
	int r;

	*s = (struct synth_spec){ .text = strdup(spec) };
	if (!s->text)
		return err_nomem(err);
	rest = s->text;
	item = strsep(&rest, ",");
	s->ops = synth_find(item);
	if (!s->ops)
		return unknown(item, err);
	s->values = calloc((size_t)knob_count(s->ops->knobs) + 1,
			   sizeof(*s->values));
	if (!s->values)
		return err_nomem(err);
	r = knob_defaults(s->ops->knobs, s->values, err);
	if (!r && operand && !s->ops->operand)
		r = err_set(err, ERR_USAGE, "workload '%s' takes no number",
			    s->ops->name);
	else if (!r && operand)
		r = set_knob(s, s->ops->operand, operand, err);
	while (!r && (item = strsep(&rest, ",")))
		r = set_item(s, item, err);
	return r;
}

void synth_spec_release(struct synth_spec *s)
{
	free(s->values);
	free(s->text);
	*s = (struct synth_spec){ 0 };
}

char *synth_spec_text(const struct synth_spec *s)
{
	const struct knob *k = s->ops->knobs;
	size_t size = 0;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fprintf(f, "%s", s->ops->name);
	for (int i = 0; k[i].name; i++) {
		bool is_operand = s->ops->operand &&
			!strcmp(k[i].name, s->ops->operand);

		if (is_operand || strcmp(s->values[i].text, k[i].deflt))
			fprintf(f, " %s=%s", k[i].name, s->values[i].text);
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
