/* SPDX-License-Identifier: MIT */
#include "replay/bind_rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/view.h"

static void rule_release(struct bind_rule *r)
{
	free(r->comm);
	free(r->cgroup);
	free(r->weight);
	cpumask_release(&r->cpus);
	cpumask_release(&r->nodes);
}

void bind_rules_release(struct bind_rules *r)
{
	for (int i = 0; i < r->nr; i++)
		rule_release(&r->rule[i]);
	free(r->rule);
	*r = (struct bind_rules){ 0 };
}

/* -- words ------------------------------------------------------------------------ */

static int bad(const char *word, const char *why, struct err *err)
{
	return err_set(err, ERR_USAGE, "rule '%s': %s", word, why);
}

static int read_number(const char *word, const char *text, int *n,
		       struct err *err)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (errno || end == text || *end || v < 0 || v > INT_MAX)
		return bad(word, "a number is wanted", err);
	*n = (int)v;
	return 0;
}

/* "0-3+8" */
static int read_list(const char *word, char *text, struct cpumask *m,
		     struct err *err)
{
	for (char *c = text; *c; c++)
		if (*c == '+')
			*c = ',';
	if (cpumask_parse(m, text, err))
		return err->code;
	return cpumask_empty(m) ? bad(word, "it names nothing", err) : 0;
}

static bool has_memory(const struct view *v, int node)
{
	const struct topo *t = view_topo(v);

	return node >= 0 && node < t->nr_node_ids && t->node[node].present &&
		t->node[node].mem_bytes != 0;
}

static int add_weight(struct bind_rule *r, const char *word, int node,
		      int weight, const struct view *v, struct err *err)
{
	if (!has_memory(v, node))
		return bad(word, "there is no such node with memory", err);
	if (weight > 1000000)
		return bad(word, "weights are at most 1000000", err);
	if (!r->weight)
		r->weight = calloc((size_t)view_nr_node_ids(v) + 1,
				   sizeof(*r->weight));
	if (!r->weight)
		return err_nomem(err);
	r->weight[node] += weight;
	r->total += weight;
	return 0;
}

static int read_memory(struct bind_rule *r, const char *word, char *text,
		       const struct view *v, struct err *err)
{
	struct cpumask m = { 0 };
	int code = read_list(word, text, &m, err);

	for (int n = cpumask_next(&m, -1); !code && n >= 0;
	     n = cpumask_next(&m, n))
		code = add_weight(r, word, n, 1, v, err);
	cpumask_release(&m);
	return code;
}

static int read_weights(struct bind_rule *r, const char *word, char *text,
			const struct view *v, struct err *err)
{
	char *item;

	while ((item = strsep(&text, "+,"))) {
		char *colon = strchr(item, ':');
		int node, weight;

		if (!colon)
			return bad(word, "NODE:WEIGHT+NODE:WEIGHT is wanted", err);
		*colon = '\0';
		if (read_number(word, item, &node, err) ||
		    read_number(word, colon + 1, &weight, err) ||
		    add_weight(r, word, node, weight, v, err))
			return err->code;
	}
	return r->total ? 0 : bad(word, "all weights are 0", err);
}

static int check_places(const struct bind_rule *r, const char *word,
			const struct view *v, struct err *err)
{
	for (int c = 0; c < view_nr_cpu_ids(v); c++)
		if (view_cpu_online(v, c) &&
		    (cpumask_test(&r->cpus, c) ||
		     cpumask_test(&r->nodes, view_cpu_node(v, c))))
			return 0;
	return bad(word, "none of its CPUs is there", err);
}

static int set_text(char **to, const char *text, struct err *err)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : err_nomem(err);
}

static int read_word(struct bind_rule *r, char *word, const struct view *v,
		     struct err *err)
{
	char *copy = strdup(word), *value = strchr(word, '=');
	int code = ERR_USAGE;

	if (!copy)
		return err_nomem(err);
	if (!value) {
		free(copy);
		return bad(word, "KEY=VALUE is wanted", err);
	}
	*value++ = '\0';
	if (!strcmp(word, "comm")) {
		code = set_text(&r->comm, value, err);
	} else if (!strcmp(word, "cgroup")) {
		code = set_text(&r->cgroup, value, err);
	} else if (!strcmp(word, "pid")) {
		code = read_number(copy, value, &r->pid, err);
	} else if (!strcmp(word, "cpus")) {
		r->has_cpus = true;
		code = read_list(copy, value, &r->cpus, err);
	} else if (!strcmp(word, "nodes")) {
		r->has_nodes = true;
		code = read_list(copy, value, &r->nodes, err);
	} else if (!strcmp(word, "mem") || !strcmp(word, "prefer")) {
		r->memory = BIND_NEAREST;
		code = read_memory(r, copy, value, v, err);
	} else if (!strcmp(word, "interleave")) {
		r->memory = BIND_SPREAD;
		code = read_memory(r, copy, value, v, err);
	} else if (!strcmp(word, "weights")) {
		r->memory = BIND_SPREAD;
		code = read_weights(r, copy, value, v, err);
	} else {
		bad(copy, "the keys are comm, cgroup, pid, cpus, nodes, mem, "
		    "prefer, interleave and weights", err);
	}
	if (!code && (r->has_cpus || r->has_nodes))
		code = check_places(r, copy, v, err);
	free(copy);
	return code;
}

/* -- rules ------------------------------------------------------------------------- */

static int add_rule(struct bind_rules *r, char *text, const struct view *v,
		    struct err *err)
{
	struct bind_rule rule = { .pid = -1 }, *more;
	char *word;
	int words = 0, size;

	while (!err->code && (word = strsep(&text, " \t\r"))) {
		if (!*word)
			continue;
		words++;
		read_word(&rule, word, v, err);
	}
	if (!err->code && words && r->nr == r->size) {
		size = r->size ? 2 * r->size : 8;
		more = realloc(r->rule, (size_t)size * sizeof(*more));
		if (more) {
			r->rule = more;
			r->size = size;
		} else {
			err_nomem(err);
		}
	}
	if (err->code || !words) {
		rule_release(&rule);
		return err->code;
	}
	r->rule[r->nr++] = rule;
	return 0;
}

int bind_rules_parse(struct bind_rules *r, const char *text,
		     const struct view *v, struct err *err)
{
	char *copy = strdup(text), *rest = copy, *line, *rule;

	if (!copy)
		return err_nomem(err);
	r->nr_nodes = view_nr_node_ids(v);
	while (!err->code && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		while (!err->code && (rule = strsep(&line, ";")))
			add_rule(r, rule, v, err);
	}
	free(copy);
	return err->code;
}

static bool fits(const struct bind_rule *r, const struct view *v, int task)
{
	if (r->comm && fnmatch(r->comm, view_task_comm(v, task), 0))
		return false;
	if (r->cgroup && fnmatch(r->cgroup, view_task_cgroup(v, task), 0))
		return false;
	return r->pid < 0 || view_task_tid(v, task) == r->pid ||
		view_task_tid(v, view_task_proc(v, task)) == r->pid;
}

int bind_rules_find(const struct bind_rules *r, const struct view *v, int task)
{
	for (int i = 0; i < r->nr; i++)
		if (fits(&r->rule[i], v, task))
			return i;
	return -1;
}
