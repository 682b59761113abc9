/* SPDX-License-Identifier: MIT */
#include "ui/opt.h"

#include "model/err.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void opt_list_release(struct opt_list *l)
{
	free(l->item);
	l->item = NULL;
	l->nr = 0;
}

static const struct opt *find_long(const struct opt *table, const char *name,
				   size_t len)
{
	for (; table->name; table++)
		if (strlen(table->name) == len && !strncmp(table->name, name, len))
			return table;
	return NULL;
}

static const struct opt *find_short(const struct opt *table, char letter)
{
	for (; table->name; table++)
		if (table->letter && table->letter == letter)
			return table;
	return NULL;
}

/* A decimal number with an optional fraction times a unit; -1 where it is none
 * or does not fit. */
static int64_t scaled(const char *text, const char *const *units,
		      const double *factor, double deflt)
{
	char *end;
	double v, f = deflt;

	errno = 0;
	v = strtod(text, &end);
	if (end == text || errno || !(v >= 0) || text[0] == '+')
		return -1;
	if (*end) {
		int i;

		for (i = 0; units[i]; i++)
			if (!strcmp(end, units[i]))
				break;
		if (!units[i])
			return -1;
		f = factor[i];
	}
	v *= f;
	return v < 9.2e18 ? (int64_t)(v + 0.5) : -1;
}

int opt_time(const char *text, int64_t *ns, struct err *err)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "m", "h",
					     NULL };
	static const double factor[] = { 1, 1e3, 1e6, 1e9, 60e9, 3600e9 };

	*ns = scaled(text, units, factor, 1e9);
	if (*ns < 0)
		return err_set(err, ERR_USAGE,
			       "'%s' is no time: try 1.5s, 20ms, 3us, 40ns",
			       text);
	return 0;
}

static int size_value(const char *text, int64_t *bytes, struct err *err)
{
	static const char *const units[] = { "K", "M", "G", "k", NULL };
	static const double factor[] = { 1024, 1048576, 1073741824, 1024 };

	*bytes = scaled(text, units, factor, 1);
	if (*bytes < 0)
		return err_set(err, ERR_USAGE,
			       "'%s' is no size: try 512K, 4M, 1G", text);
	return 0;
}

static int int_value(const char *text, int64_t *v, struct err *err)
{
	char *end;

	errno = 0;
	*v = strtoll(text, &end, 10);
	if (end == text || *end || errno)
		return err_set(err, ERR_USAGE, "'%s' is no whole number", text);
	return 0;
}

static int count_value(const char *text, int64_t *v, struct err *err)
{
	int ret = int_value(text, v, err);

	if (!ret && *v < 1)
		ret = err_set(err, ERR_USAGE, "'%s' is less than 1", text);
	return ret;
}

static int list_add(struct opt_list *l, const char *text, struct err *err)
{
	const char **item;

	item = realloc(l->item, (size_t)(l->nr + 1) * sizeof(*item));
	if (!item)
		return err_nomem(err);
	l->item = item;
	item[l->nr++] = text;
	return 0;
}

static int set_value(const struct opt *o, const char *text, struct err *err)
{
	int ret = 0;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		break;
	case OPT_INT:
		ret = int_value(text, o->value, err);
		break;
	case OPT_COUNT:
		ret = count_value(text, o->value, err);
		break;
	case OPT_TEXT:
		*(const char **)o->value = text;
		break;
	case OPT_LIST:
		ret = list_add(o->value, text, err);
		break;
	case OPT_TIME:
		ret = opt_time(text, o->value, err);
		break;
	case OPT_SIZE:
		ret = size_value(text, o->value, err);
		break;
	}
	return ret ? err_prefix(err, "--%s", o->name) : 0;
}

/* Reads the option at argv[*i]; moves *i to its value where that is apart. */
static int one_option(const struct opt *table, int argc, char **argv, int *i,
		      struct err *err)
{
	const char *arg = argv[*i], *value = NULL;
	const struct opt *o;

	if (arg[1] == '-') {
		const char *eq = strchr(arg, '=');

		o = find_long(table, arg + 2,
			      eq ? (size_t)(eq - arg - 2) : strlen(arg + 2));
		if (eq)
			value = eq + 1;
	} else {
		o = find_short(table, arg[1]);
		if (arg[2])
			value = arg + 2;
	}
	if (!o)
		return err_set(err, ERR_USAGE, "unknown option '%s'", arg);
	if (o->type == OPT_FLAG) {
		if (value)
			return err_set(err, ERR_USAGE,
				       "option '--%s' takes no value", o->name);
	} else if (!value) {
		if (*i + 1 >= argc)
			return err_set(err, ERR_USAGE,
				       "option '--%s' needs a value", o->name);
		value = argv[++*i];
	}
	return set_value(o, value, err);
}

int opt_parse(const struct opt *table, int argc, char **argv,
	      bool stop_at_operand, struct err *err)
{
	int i, n = 0;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (stop_at_operand)
				break;
			argv[1 + n++] = argv[i];
			continue;
		}
		if (one_option(table, argc, argv, &i, err))
			return err->code;
	}
	for (; i < argc; i++)
		argv[1 + n++] = argv[i];
	return n;
}
