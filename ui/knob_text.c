/* SPDX-License-Identifier: MIT */
#include "ui/knob_text.h"

#include "model/err.h"
#include "model/run.h"
#include "replay/discipline.h"
#include "replay/policy_spec.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	const char *key, *value;	/* into the JSON text, without quotes */
	int key_len, value_len;
};

/* Knobs are a flat object; its next pair from *at on. */
static bool next_pair(const char **at, struct pair *p)
{
	const char *key = strchr(*at, '"'), *end, *v;

	end = key ? strchr(key + 1, '"') : NULL;
	if (!end)
		return false;
	p->key = key + 1;
	p->key_len = (int)(end - key - 1);
	v = end + 1 + strspn(end + 1, ": ");
	if (*v == '"') {
		p->value = v + 1;
		p->value_len = (int)strcspn(v + 1, "\"");
		*at = v + 1 + p->value_len;
		*at += **at == '"';
	} else {
		p->value = v;
		p->value_len = (int)strcspn(v, ",} ");
		*at = v + p->value_len;
	}
	return true;
}

static bool is_same(const char *a, int a_len, const char *b, int b_len)
{
	return a_len == b_len && !memcmp(a, b, (size_t)a_len);
}

static bool is_in(const char *json, const struct pair *wanted)
{
	struct pair p;

	while (next_pair(&json, &p))
		if (is_same(p.key, p.key_len, wanted->key, wanted->key_len))
			return is_same(p.value, p.value_len, wanted->value,
				       wanted->value_len);
	return false;
}

static const struct knob *knob_of(const struct policy_spec *s,
				  const struct pair *p)
{
	const struct knob *table[] = { s->ops ? s->ops->knobs : NULL,
				       s->discipline ? s->discipline->knobs :
						       NULL };

	for (int i = 0; i < 2; i++)
		for (const struct knob *k = table[i]; k && k->name; k++)
			if (is_same(k->name, (int)strlen(k->name), p->key,
				    p->key_len))
				return k;
	return NULL;
}

/* A time in the largest unit that has no fraction. */
static void put_ns(FILE *out, int64_t ns)
{
	static const struct {
		int64_t ns;
		const char *name;
	} unit[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
		     { 1, "ns" } };
	int i = 0;

	while (ns % unit[i].ns)
		i++;
	fprintf(out, "%" PRId64 "%s", ns / unit[i].ns, ns ? unit[i].name : "");
}

static void put_pair(FILE *out, const struct knob *k, const struct pair *p)
{
	fprintf(out, "%.*s=", p->key_len, p->key);
	if (k && k->type == KNOB_NS)
		put_ns(out, strtoll(p->value, NULL, 10));
	else if (k && k->type == KNOB_BOOL)
		fputs(*p->value == 't' ? "on" : "off", out);
	else
		fprintf(out, "%.*s", p->value_len, p->value);
}

char *knob_text_changed(const struct run_info *r)
{
	const char *at = r->knobs ? r->knobs : "", *sep = "";
	struct policy_spec s = { 0 };
	struct err err = { 0 };
	char *deflt = NULL, *text = NULL;
	struct pair p;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	/* A plug-in's defaults are not known, those of its queue are. */
	if (!policy_spec_parse(&s, policy_find(r->policy) ? r->policy : "stay",
			       r->discipline && *r->discipline ?
				       r->discipline : NULL, &err))
		deflt = policy_spec_json(&s);
	while (next_pair(&at, &p)) {
		if (deflt && is_in(deflt, &p))
			continue;
		fputs(sep, out);
		put_pair(out, knob_of(&s, &p), &p);
		sep = ", ";
	}
	free(deflt);
	policy_spec_release(&s);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
