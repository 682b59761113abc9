/* SPDX-License-Identifier: MIT */
#include "ui/run_pick.h"

#include "model/err.h"
#include "ui/opt.h"
#include "ui/run_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 12		/* runs that an error names */

char *run_name(const struct run_info *r, char *buf, size_t size)
{
	if (!r->id)
		snprintf(buf, size, "recorded");
	else
		snprintf(buf, size, "%s,seed=%" PRIu64, r->policy, r->seed);
	return buf;
}

static void list_runs(const struct run_info *runs, const int *index, int nr,
		      char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (int i = 0; i < nr && i < LISTED && len < size; i++) {
		const struct run_info *r = &runs[index ? index[i] : i];
		char *text = run_text(r);

		len += (size_t)snprintf(buf + len, size - len, "%s%d (%s)",
					i ? ", " : "", r->id,
					text ? text : r->policy);
		free(text);
	}
	if (nr > LISTED && len < size)
		snprintf(buf + len, size - len, ", and %d more", nr - LISTED);
}

/* Compares a knob's value as a run keeps it (JSON) with what a user types. */
static bool same_value(const char *json, size_t len, const char *text)
{
	char value[128], *end;
	struct err ignored = { 0 };
	int64_t ns;
	double a, b;

	if (len >= 2 && json[0] == '"') {
		json++;
		len -= 2;
	}
	if (len >= sizeof(value))
		return false;
	memcpy(value, json, len);
	value[len] = '\0';
	if (!strcmp(value, text))
		return true;
	if (!strcmp(value, "true") || !strcmp(value, "false"))
		return !strcmp(text, *value == 't' ? "on" : "off") ||
		       !strcmp(text, *value == 't' ? "1" : "0");
	a = strtod(value, &end);
	if (end == value || *end)
		return false;
	b = strtod(text, &end);
	if (end == text)
		return false;
	if (!*end)
		return a == b;
	return !opt_time(text, &ns, &ignored) && a == (double)ns;
}

/* A flat object is all that knobs are: "name": value, ... */
static bool has_knob(const char *json, const char *name, size_t name_len,
		     const char *text)
{
	const char *p = json;

	while ((p = strchr(p, '"'))) {
		const char *key = p + 1, *end = strchr(key, '"');
		size_t len;

		if (!end)
			return false;
		p = end + 1;
		p += strspn(p, " ");
		if (*p != ':')
			continue;
		p += 1 + strspn(p + 1, " ");
		len = *p == '"' ? strcspn(p + 1, "\"") + 2 : strcspn(p, ",} ");
		if ((size_t)(end - key) == name_len &&
		    !memcmp(key, name, name_len))
			return same_value(p, strnlen(p, len), text);
		p += strnlen(p, len);
	}
	return false;
}

static bool matches(const struct run_info *r, const char *spec)
{
	size_t len = strcspn(spec, ",");
	const char *p = spec + len;

	if (strlen(r->policy) != len || memcmp(r->policy, spec, len))
		return false;
	while (*p == ',') {
		char value[128];
		const char *name = ++p, *eq;

		p += strcspn(p, ",");
		eq = memchr(name, '=', (size_t)(p - name));
		if (!eq || (size_t)(p - eq) > sizeof(value))
			return false;
		memcpy(value, eq + 1, (size_t)(p - eq - 1));
		value[p - eq - 1] = '\0';
		if (eq - name == 4 && !memcmp(name, "seed", 4)) {
			if (strtoull(value, NULL, 10) != r->seed)
				return false;
		} else if (!has_knob(r->knobs, name, (size_t)(eq - name),
				     value)) {
			return false;
		}
	}
	return true;
}

int run_pick_all(const struct run_info *runs, int nr, const char *spec,
		 int *index, struct err *err)
{
	char have[700], *end;
	long id = strtol(spec, &end, 10);
	bool number = *spec && !*end;
	int found = 0;

	for (int i = 0; i < nr; i++)
		if (number ? runs[i].id == id : matches(&runs[i], spec))
			index[found++] = i;
	if (found)
		return found;
	list_runs(runs, NULL, nr, have, sizeof(have));
	if (!nr || runs[0].id)
		return err_set(err, ERR_NOTFOUND, "no run '%s': there is no "
			       "recorded run, since the work was generated; "
			       "there is %s", spec, nr ? have : "no replay either");
	return err_set(err, ERR_NOTFOUND, "no run '%s': there is %s", spec,
		       have);
}

int run_pick(const struct run_info *runs, int nr, const char *spec,
	     struct err *err)
{
	int *index = malloc(((size_t)nr + 1) * sizeof(*index));
	char have[700];
	int found;

	if (!index)
		return err_nomem(err);
	found = run_pick_all(runs, nr, spec, index, err);
	if (found > 1 && !runs[index[0]].id && !strcmp(spec, "recorded"))
		found = 1;
	if (found > 1) {
		list_runs(runs, index, found, have, sizeof(have));
		found = err_set(err, ERR_USAGE, "several runs are '%s': %s",
				spec, have);
	} else if (found == 1) {
		found = index[0];
	}
	free(index);
	return found;
}
