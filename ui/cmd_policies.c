/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include "replay/discipline.h"
#include "replay/plugin.h"
#include "replay/policy_spec.h"
#include "ui/json.h"
#include "ui/opt.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char template_text[] =
#include "gen/mine_c.h"
;

/* What the values of a knob are counted in. */
static const char *unit_of(const struct knob *k)
{
	static const char *const units[] = {
		[KNOB_INT] = "", [KNOB_NS] = "time", [KNOB_SHARE] = "0..1",
		[KNOB_BOOL] = "on|off", [KNOB_TEXT] = "text",
	};

	if (k->choices)
		return k->choices;
	return k->unit ? k->unit : units[k->type];
}

/* -- for people ------------------------------------------------------------------- */

static int list_policies(void)
{
	struct table *t = table_new();
	int r;

	table_column(t, "policy", TABLE_LEFT);
	table_column(t, "run queue", TABLE_LEFT);
	table_column(t, "", TABLE_LEFT);
	for (int i = 0; policy_table[i]; i++) {
		table_text(t, policy_table[i]->name);
		table_text(t, policy_table[i]->discipline);
		table_text(t, policy_table[i]->title);
	}
	r = table_print(t, stdout);
	table_free(t);
	if (!r)
		puts("\n'homenode policies NAME' tells more of a policy or a run "
		     "queue.");
	return r;
}

static int print_knobs(const struct knob *table)
{
	struct table *t;
	int r;

	if (!knob_count(table))
		return 0;
	putchar('\n');
	t = table_new();
	table_column(t, "knob", TABLE_LEFT);
	table_column(t, "default", TABLE_LEFT);
	table_column(t, "unit", TABLE_LEFT);
	table_column(t, "", TABLE_LEFT);
	for (int i = 0; i < knob_count(table); i++) {
		table_text(t, table[i].name);
		table_text(t, table[i].deflt);
		table_text(t, unit_of(&table[i]));
		table_text(t, table[i].help);
	}
	r = table_print(t, stdout);
	table_free(t);
	return r;
}

static int print_discipline(const struct discipline_ops *d)
{
	printf("%s - %s\n\n%s", d->name, d->title, d->about);
	return print_knobs(d->knobs);
}

static int print_policy(const struct policy_ops *p)
{
	const struct discipline_ops *d =
		p->discipline ? discipline_find(p->discipline) : NULL;

	printf("%s - %s\n\n%s", p->name, p->title, p->about);
	if (print_knobs(p->knobs))
		return -1;
	if (!d)
		return 0;
	printf("\nIts run queue: ");
	return print_discipline(d);
}

/* -- for programs ------------------------------------------------------------------- */

static void json_knobs(struct json *j, const struct knob *table)
{
	static const char *const types[] = {
		[KNOB_INT] = "int", [KNOB_NS] = "ns", [KNOB_SHARE] = "share",
		[KNOB_BOOL] = "bool", [KNOB_TEXT] = "text",
	};

	json_key(j, "knobs");
	json_array(j);
	for (int i = 0; i < knob_count(table); i++) {
		json_object(j);
		json_key(j, "name");
		json_text(j, table[i].name);
		json_key(j, "type");
		json_text(j, types[table[i].type]);
		json_key(j, "default");
		json_text(j, table[i].deflt);
		json_key(j, "unit");
		json_text(j, unit_of(&table[i]));
		json_key(j, "help");
		json_text(j, table[i].help);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_head(struct json *j, const char *name, const char *title,
		      const char *about)
{
	json_object(j);
	json_key(j, "name");
	json_text(j, name);
	json_key(j, "title");
	json_text(j, title);
	json_key(j, "about");
	json_text(j, about);
}

static void json_policy(struct json *j, const struct policy_ops *p)
{
	json_head(j, p->name, p->title, p->about);
	json_key(j, "discipline");
	json_text(j, p->discipline);
	json_knobs(j, p->knobs);
	json_end(j, '}');
}

static void json_discipline(struct json *j, const struct discipline_ops *d)
{
	json_head(j, d->name, d->title, d->about);
	json_knobs(j, d->knobs);
	json_end(j, '}');
}

/* All of them, or the one that was asked for. */
static void print_json(const struct policy_ops *p,
		       const struct discipline_ops *d)
{
	struct json j;

	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "policies");
	json_array(&j);
	if (p)
		json_policy(&j, p);
	for (int i = 0; !p && !d && policy_table[i]; i++)
		json_policy(&j, policy_table[i]);
	json_end(&j, ']');
	json_key(&j, "disciplines");
	json_array(&j);
	for (int i = 0; discipline_table[i]; i++)
		if (d ? d == discipline_table[i] : !p)
			json_discipline(&j, discipline_table[i]);
	json_end(&j, ']');
	json_end(&j, '}');
	json_done(&j);
}

static int unknown(const char *name, struct err *err)
{
	char list[700] = "";

	for (int i = 0; policy_table[i]; i++)
		err_list(list, sizeof(list), policy_table[i]->name);
	for (int i = 0; discipline_table[i]; i++)
		err_list(list, sizeof(list), discipline_table[i]->name);
	return err_set(err, ERR_USAGE,
		       "no policy or run queue '%s'; there are: %s", name, list);
}

static int print(const struct policy_ops *p, const struct discipline_ops *d,
		 bool json, bool template)
{
	if (template)
		return fputs(template_text, stdout) < 0 ? -1 : 0;
	if (json)
		print_json(p, d);
	else if (p)
		return print_policy(p);
	else
		return d ? print_discipline(d) : list_policies();
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	const struct discipline_ops *d = NULL;
	const struct policy_ops *p = NULL;
	bool json = false, template = false;
	struct plugin plugin = { 0 };
	const struct opt table[] = {
		{ "json", 0, OPT_FLAG, &json },
		{ "template", 0, OPT_FLAG, &template },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (nr > 1 || (template && (nr || json)))
		return err_set(err, ERR_USAGE, nr > 1 ? "one policy, please" :
			       "--template goes alone");
	if (nr && plugin_is_path(argv[1])) {
		if (!plugin_open(&plugin, argv[1], err))
			p = plugin.ops;
	} else if (nr) {
		p = policy_find(argv[1]);
		d = p ? NULL : discipline_find(argv[1]);
		if (!p && !d)
			unknown(argv[1], err);
	}
	if (!err->code && print(p, d, json, template))
		table_output_failed(err);
	plugin_close(&plugin);
	return err->code;
}

const struct cmd cmd_policies = {
	.name = "policies",
	.summary = "list the node balancers and what can be set in them",
	.usage = "homenode policies [NAME | ./PLUGIN.so] [--json]\n"
		 "       homenode policies --template",
	.help =
"Without NAME all policies that 'homenode replay -p' knows.  With NAME the idea\n"
"of a policy or run queue, its source, what is assumed, where it does badly, and\n"
"its knobs with defaults and units.\n"
"\n"
"      --json          for programs\n"
"      --template      prints the source of a policy of your own to start from:\n"
"\n"
"    homenode policies --template > mine.c\n"
"    cc -shared -fPIC -O2 $(pkg-config --cflags homenode) -o mine.so mine.c\n"
"    homenode replay FILE -p ./mine.so\n"
"\n"
"A plug-in is any path with a slash.  It is built with the headers that 'make\n"
"install' puts under include/homenode; one of another version of the interface\n"
"is refused.  What it decides wrongly (a CPU that a task may not use, a node\n"
"without memory) is refused and counted; where it crashes, its own replay ends\n"
"and the others go on.\n",
	.run = run,
};
