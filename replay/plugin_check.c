/* SPDX-License-Identifier: MIT */
#include "replay/plugin.h"

#include <string.h>

#include "replay/discipline.h"
#include "replay/policy_spec.h"

#define MAX_NAME 40
#define MAX_LINE 200
#define MAX_TEXT 8000

/* -- strings ---------------------------------------------------------------- */

/* Names are typed in -p NAME,knob=value and named in a run's key. */
static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	size_t len;

	if (!name)
		return false;
	len = strnlen(name, MAX_NAME + 1);
	return len > 0 && len <= MAX_NAME && name[0] != '-' &&
		strspn(name, letters) == len;
}

/* Printable: no control characters but, in a text of several lines, newlines. */
static bool is_text(const char *text, size_t max, bool has_lines)
{
	size_t len = text ? strnlen(text, max + 1) : 0;

	for (size_t i = 0; i < len && i <= max; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == 0x7f || (c < 0x20 && !(c == '\n' && has_lines)))
			return false;
	}
	return len > 0 && len <= max;
}

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_FORMAT, "%s", what);
}

/* -- knobs ------------------------------------------------------------------ */

static bool is_reserved(const char *name)
{
	return !strcmp(name, "seed") || !strcmp(name, "plugin") ||
		!strcmp(name, "plugin_hash");
}

static int check_choices(const struct knob *k, struct err *err)
{
	size_t len;

	if (!k->choices)
		return 0;
	len = strnlen(k->choices, MAX_LINE + 1);
	if (k->type != KNOB_TEXT || !is_text(k->choices, MAX_LINE, false) ||
	    k->choices[0] == '|' || k->choices[len - 1] == '|' ||
	    strstr(k->choices, "||") || strchr(k->choices, ','))
		return err_set(err, ERR_FORMAT, "knob '%s': choices are words "
			       "with | between them, of a text", k->name);
	return 0;
}

static int check_knob(const struct policy_ops *ops, int i, struct err *err)
{
	const struct knob *k = &ops->knobs[i];
	struct knob_value v;

	if (!is_name(k->name))
		return err_set(err, ERR_FORMAT, "the name of knob %d is none: 1 "
			       "to %d letters, digits and -_.", i + 1, MAX_NAME);
	if (is_reserved(k->name) || knob_find(ops->knobs, k->name) < i)
		return err_set(err, ERR_FORMAT, "knob '%s': the name is taken",
			       k->name);
	if ((unsigned int)k->type > KNOB_TEXT)
		return err_set(err, ERR_FORMAT, "knob '%s' has no known type",
			       k->name);
	if (!is_text(k->help, MAX_TEXT, true) ||
	    (k->unit && !is_text(k->unit, MAX_LINE, false)))
		return err_set(err, ERR_FORMAT, "knob '%s' has no help, or a "
			       "unit that is no text", k->name);
	if (k->min > k->max)
		return err_set(err, ERR_FORMAT, "knob '%s': its least value is "
			       "above its greatest", k->name);
	if (!k->deflt || (*k->deflt && !is_text(k->deflt, MAX_LINE, false)))
		return err_set(err, ERR_FORMAT, "knob '%s' has no default",
			       k->name);
	if (check_choices(k, err))
		return err->code;
	if (knob_parse(k, k->deflt, &v, err)) {
		err->code = ERR_FORMAT;
		return err_prefix(err, "default of");
	}
	return 0;
}

static int check_knobs(const struct policy_ops *ops, struct err *err)
{
	int nr = 0;

	while (ops->knobs && ops->knobs[nr].name && nr <= PLUGIN_MAX_KNOBS)
		nr++;
	if (nr > PLUGIN_MAX_KNOBS)
		return err_set(err, ERR_FORMAT, "more than %d knobs: the table "
			       "does not end with name NULL", PLUGIN_MAX_KNOBS);
	for (int i = 0; i < nr; i++)
		if (check_knob(ops, i, err))
			return err->code;
	return 0;
}

/* -- the policy ------------------------------------------------------------- */

static bool decides_something(const struct policy_ops *ops)
{
	return ops->init_task || ops->select_cpu || ops->tick || ops->newidle ||
		ops->place_page || ops->touched || ops->ran;
}

static int check_ops(const struct policy_ops *ops, struct err *err)
{
	if (!is_name(ops->name))
		return err_set(err, ERR_FORMAT, "the policy's name is none: 1 to "
			       "%d letters, digits and -_.", MAX_NAME);
	if (policy_find(ops->name))
		return err_set(err, ERR_FORMAT, "it calls itself '%s', as a "
			       "policy that is built in", ops->name);
	if (!is_text(ops->title, MAX_LINE, false))
		return bad(err, "the policy has no title of one line");
	if (!is_text(ops->about, MAX_TEXT, true))
		return bad(err, "the policy says nothing about itself");
	if (ops->flags)
		return bad(err, "a plug-in can have no flags");
	if (!is_name(ops->discipline) || !discipline_find(ops->discipline))
		return bad(err, "there is no queue discipline of the name that "
			   "it gives ('homenode policies' lists them)");
	if (!decides_something(ops))
		return bad(err, "it has no callback that decides something");
	return check_knobs(ops, err);
}

int plugin_check(const struct policy_plugin *x, size_t size, struct err *err)
{
	if (size >= sizeof(x->abi) && x->abi != POLICY_ABI)
		return err_set(err, ERR_FORMAT, "built for version %d of the "
			       "policy ABI, this is version %d: build it anew "
			       "with these headers", x->abi, POLICY_ABI);
	if (size < sizeof(*x))
		return err_set(err, ERR_FORMAT, "'homenode_policy' has %zu "
			       "bytes, not %zu", size, sizeof(*x));
	if (x->ops_size != sizeof(struct policy_ops) ||
	    x->knob_size != sizeof(struct knob))
		return err_set(err, ERR_FORMAT, "its policy_ops and knob have %u "
			       "and %u bytes, not %zu and %zu", x->ops_size,
			       x->knob_size, sizeof(struct policy_ops),
			       sizeof(struct knob));
	if (!x->ops)
		return bad(err, "it has no policy");
	return check_ops(x->ops, err);
}
