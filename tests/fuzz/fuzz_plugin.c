/* SPDX-License-Identifier: MIT */
/*
 * A plug-in's table made of the input.  Each string is a byte that picks: none,
 * one that is good, or the next bytes of the input up to a zero.  What passes
 * the check must do everything that is done with a policy.
 */
#include "tests/fuzz/fuzz.h"

#include "replay/plugin.h"
#include "replay/policy_spec.h"

#include <stdlib.h>
#include <string.h>

#define MAX_KNOBS (PLUGIN_MAX_KNOBS + 4)

struct input {
	const uint8_t *at;
	size_t left;
	char *text[8 + 5 * MAX_KNOBS];
	int nr;
};

static unsigned int byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static int64_t number(struct input *in)
{
	int64_t n = 0;
	size_t len = byte(in) % 9;

	for (size_t i = 0; i < len; i++)
		n = (int64_t)((uint64_t)n << 8 | byte(in));
	return n;
}

static const char *string(struct input *in, const char *good)
{
	unsigned int kind = byte(in);
	size_t len;
	char *text;

	if (kind < 8)
		return NULL;
	if (kind < 160)
		return good;
	len = strnlen((const char *)in->at, in->left);
	text = malloc(len + 1);
	memcpy(text, in->at, len);
	text[len] = '\0';
	in->at += len;
	in->left -= len;
	byte(in);
	return in->text[in->nr++] = text;
}

static void tick(void *state, const struct view *v, int cpu,
		 struct decisions *d)
{
}

static void fill_knob(struct input *in, struct knob *k)
{
	k->name = string(in, "far");
	k->type = (enum knob_type)(byte(in) % 8);
	k->deflt = string(in, "3");
	k->unit = string(in, NULL);
	k->help = string(in, "help");
	k->choices = string(in, NULL);
	k->min = number(in);
	k->max = number(in);
}

/* As policy_spec_parse() and `homenode policies` use it. */
static void use(const struct policy_ops *ops)
{
	struct knob_value *v = calloc((size_t)knob_count(ops->knobs) + 1,
				      sizeof(*v));
	struct policy_spec s = { .ops = ops, .values = v };
	struct err err = { 0 };
	char *json;

	if (!v || knob_defaults(ops->knobs, v, &err))
		abort();
	for (int i = 0; i < knob_count(ops->knobs); i++)
		if (knob_find(ops->knobs, ops->knobs[i].name) != i)
			abort();
	json = policy_spec_json(&s);
	if (!json || policy_find(ops->name))
		abort();
	free(json);
	free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input in = { .at = data, .left = len };
	struct knob *knobs = calloc(MAX_KNOBS + 1, sizeof(*knobs));
	struct policy_ops ops = { .tick = byte(&in) % 8 ? tick : NULL };
	struct policy_plugin x = { POLICY_PLUGIN_BUILD, .ops = &ops };
	unsigned int spoil = byte(&in);
	struct err err = { 0 };
	size_t size = sizeof(x), nr = byte(&in) % (MAX_KNOBS + 1);

	if (!knobs)
		abort();
	if (spoil == 1)
		x.abi = (int)number(&in);
	if (spoil == 2)
		size = byte(&in);
	if (spoil == 3)
		x.ops_size = (unsigned int)number(&in);
	if (spoil == 4)
		ops.flags = (unsigned int)number(&in);
	ops.name = string(&in, "mine");
	ops.title = string(&in, "title");
	ops.about = string(&in, "about\n");
	ops.discipline = string(&in, "queue_o1");
	ops.knobs = knobs;
	for (size_t i = 0; i < nr; i++)
		fill_knob(&in, &knobs[i]);
	if (!plugin_check(&x, size, &err))
		use(&ops);
	else if (err.code != ERR_FORMAT || !err.text[0])
		abort();
	for (int i = 0; i < in.nr; i++)
		free(in.text[i]);
	free(knobs);
	return 0;
}
