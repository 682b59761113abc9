/* SPDX-License-Identifier: MIT */
#include "model/cost.h"

#include "model/err.h"
#include "model/preset.h"
#include "model/topo.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* findings-numa_test.md, "What was calibrated". */
#define REMOTE_AT_20 0.31
#define CONTENTION 0.0525
#define OVERSUBSCRIBED 1.048

static const int64_t default_migrate_ns[6] = {
	[TOPO_CLUSTER] = 5000,
	[TOPO_LLC] = 20000,
	[TOPO_NODE] = 100000,
	[TOPO_SYSTEM] = 200000,
};

static const char *const level_name[6] = {
	[TOPO_SAME_CPU] = "cpu",
	[TOPO_SMT] = "smt",
	[TOPO_CLUSTER] = "cluster",
	[TOPO_LLC] = "llc",
	[TOPO_NODE] = "node",
	[TOPO_SYSTEM] = "system",
};

static double *remote_of(const struct cost *c, int from, int to)
{
	return &c->remote[(size_t)from * (size_t)c->nr_node_ids + (size_t)to];
}

int cost_init(struct cost *c, const struct topo *t, struct err *err)
{
	int n = t->nr_node_ids;

	*c = (struct cost){
		.nr_node_ids = n,
		.contention = CONTENTION,
		.oversubscribed = OVERSUBSCRIBED,
		.smt = 1.5,
		.intensity = 0.5,
	};
	memcpy(c->migrate_ns, default_migrate_ns, sizeof(c->migrate_ns));
	if (!n)
		return 0;
	c->remote = calloc((size_t)n * (size_t)n, sizeof(*c->remote));
	if (!c->remote)
		return err_nomem(err);
	for (int from = 0; from < n; from++) {
		for (int to = 0; to < n; to++) {
			int d = topo_distance(t, from, to) - TOPO_DISTANCE_LOCAL;

			*remote_of(c, from, to) = from == to || d <= 0 ? 1 :
				1 + REMOTE_AT_20 * d / TOPO_DISTANCE_LOCAL;
		}
	}
	return 0;
}

void cost_release(struct cost *c)
{
	free(c->remote);
	*c = (struct cost){ 0 };
}

static void set_remote(struct cost *c, double v)
{
	for (int from = 0; from < c->nr_node_ids; from++)
		for (int to = 0; to < c->nr_node_ids; to++)
			*remote_of(c, from, to) = from == to ? 1 : v;
}

static void set_flat(struct cost *c)
{
	c->flat = 1;
	c->contention = 0;
	c->oversubscribed = 1;
	c->smt = 1;
	memset(c->migrate_ns, 0, sizeof(c->migrate_ns));
	memset(c->transfer_ns, 0, sizeof(c->transfer_ns));
	memset(c->handover_ns, 0, sizeof(c->handover_ns));
	set_remote(c, 1);
}

struct range {
	const char *name;
	double min, max;
};

static const struct range range_factor = { "factor", 1, 1000 };
static const struct range range_contention = { "contention", 0, 1000 };
static const struct range range_intensity = { "intensity", 0, 1 };
static const struct range range_ns = { "time in ns", 0, 1e15 };

static int read_number(const char *item, const char *text,
		       const struct range *r, double *v, struct err *err)
{
	char *end;

	*v = strtod(text, &end);
	if (end == text || *end || !isfinite(*v))
		return err_set(err, ERR_USAGE, "cost '%s': '%s' is no number",
			       item, text);
	if (*v < r->min || *v > r->max)
		return err_set(err, ERR_USAGE,
			       "cost '%s': %s is from %g to %g", item,
			       r->name, r->min, r->max);
	return 0;
}

static int set_pair(struct cost *c, const char *item, const char *value,
		    struct err *err)
{
	int from = -1, to = -1, used = 0;
	double v;

	if (sscanf(item, "remote:%d:%d=%n", &from, &to, &used) != 2 || !used)
		return err_set(err, ERR_USAGE,
			       "cost '%s': expected remote:FROM:TO=FACTOR",
			       item);
	if (from < 0 || to < 0 || from >= c->nr_node_ids ||
	    to >= c->nr_node_ids)
		return err_set(err, ERR_USAGE, "cost '%s': no such node", item);
	if (read_number(item, value, &range_factor, &v, err))
		return err->code;
	*remote_of(c, from, to) = v;
	c->flat = 0;
	return 0;
}

/* "KIND=NS" sets all levels, "KIND:LEVEL=NS" one; kind ends where its length
 * says. */
static int set_levels(int64_t *ns, const char *item, size_t kind,
		      struct err *err)
{
	size_t len = strcspn(item + kind, "=");
	bool found = !len, all = !len;
	double v;

	if (!item[kind + len] || (len && item[kind] != ':'))
		return err_set(err, ERR_USAGE, "cost '%s': expected %.*s=NS or "
			       "%.*s:LEVEL=NS", item, (int)kind, item,
			       (int)kind, item);
	if (read_number(item, item + kind + len + 1, &range_ns, &v, err))
		return err->code;
	for (int i = TOPO_SMT; i <= TOPO_SYSTEM; i++) {
		bool is_this = !all && strlen(level_name[i]) == len - 1 &&
			!memcmp(level_name[i], item + kind + 1, len - 1);

		if (all || is_this)
			ns[i] = (int64_t)v;
		found |= is_this;
	}
	return found ? 0 : err_set(err, ERR_USAGE, "cost '%s': the levels are "
				   "smt, cluster, llc, node and system", item);
}

static int set_item(struct cost *c, const char *item, struct err *err);

/* The name of a machine stands for its list of items. */
static int set_preset(struct cost *c, const char *item, struct err *err)
{
	const struct preset *p = preset_find(item);
	int ret = 0;

	if (!p)
		return err_set(err, ERR_USAGE, "unknown cost '%s': known are "
			       "flat, remote=F, remote:FROM:TO=F, contention=F, "
			       "oversubscribed=F, smt=F, intensity=F, "
			       "migrate[:LEVEL]=NS, transfer[:LEVEL]=NS, "
			       "handover[:LEVEL]=NS and the machines %s", item, PRESET_NAMES);
	for (int i = 0; !ret && p->cost[i].item; i++)
		ret = set_item(c, p->cost[i].item, err);
	return ret;
}

static int set_item(struct cost *c, const char *item, struct err *err)
{
	const struct {
		const char *name;
		double *to;
		const struct range *range;
	} number[] = {
		{ "contention=", &c->contention, &range_contention },
		{ "oversubscribed=", &c->oversubscribed, &range_factor },
		{ "smt=", &c->smt, &range_factor },
		{ "intensity=", &c->intensity, &range_intensity },
	};
	const char *value = strchr(item, '=');
	double v;

	if (!strcmp(item, "flat")) {
		set_flat(c);
		return 0;
	}
	value = value ? value + 1 : item;
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++) {
		if (strncmp(item, number[i].name, strlen(number[i].name)))
			continue;
		if (number[i].to == &c->intensity)
			c->intensity_set = 1;
		if (number[i].to == &c->contention)
			c->flat = 0;
		return read_number(item, value, number[i].range, number[i].to,
				   err);
	}
	if (!strncmp(item, "remote=", 7)) {
		if (read_number(item, value, &range_factor, &v, err))
			return err->code;
		c->flat = 0;
		set_remote(c, v);
		return 0;
	}
	if (!strncmp(item, "remote:", 7) && value != item)
		return set_pair(c, item, value, err);
	if (!strncmp(item, "migrate", 7))
		return set_levels(c->migrate_ns, item, 7, err);
	if (!strncmp(item, "transfer", 8))
		return set_levels(c->transfer_ns, item, 8, err);
	if (!strncmp(item, "handover", 8))
		return set_levels(c->handover_ns, item, 8, err);
	return set_preset(c, item, err);
}

int cost_parse(struct cost *c, const char *spec, struct err *err)
{
	char *text, *at, *item;
	int ret = 0;

	if (!*spec)
		return 0;
	text = strdup(spec);
	if (!text)
		return err_nomem(err);
	for (at = text; !ret && (item = strsep(&at, ",")); )
		ret = set_item(c, item, err);
	free(text);
	return ret;
}

/* A text that grows; once memory ran out it stays NULL. */
struct text {
	char *buf;
	size_t len, size;
	int failed;
};

static void put(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
	char piece[64];
	va_list ap;
	size_t len;
	char *grown;

	va_start(ap, fmt);
	vsnprintf(piece, sizeof(piece), fmt, ap);
	va_end(ap);
	len = strlen(piece);
	if (t->len + len + 1 > t->size) {
		grown = realloc(t->buf, 2 * t->size + sizeof(piece));
		if (!grown) {
			t->failed = 1;
			return;
		}
		t->buf = grown;
		t->size = 2 * t->size + sizeof(piece);
	}
	memcpy(t->buf + t->len, piece, len + 1);
	t->len += len;
}

/* The shortest decimal that reads back as the same double. */
static void put_number(struct text *t, const char *key, double v)
{
	char buf[40];

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	put(t, "%s%s", key, buf);
}

static void put_levels(struct text *t, const char *key, const int64_t *ns)
{
	put(t, "\"%s\":", key);
	for (int i = TOPO_SMT; i <= TOPO_SYSTEM; i++)
		put(t, "%s\"%s\":%lld", i == TOPO_SMT ? "{" : ",",
		    level_name[i], (long long)ns[i]);
	put(t, "},");
}

char *cost_json(const struct cost *c)
{
	struct text t = { 0 };

	put(&t, "{\"flat\":%s,", c->flat ? "true" : "false");
	put_number(&t, "\"contention\":", c->contention);
	put_number(&t, ",\"oversubscribed\":", c->oversubscribed);
	put_number(&t, ",\"smt\":", c->smt);
	put_number(&t, ",\"intensity\":", c->intensity);
	put(&t, ",\"intensity_set\":%s,", c->intensity_set ? "true" : "false");
	put_levels(&t, "migrate_ns", c->migrate_ns);
	put_levels(&t, "transfer_ns", c->transfer_ns);
	put_levels(&t, "handover_ns", c->handover_ns);
	put(&t, "\"remote\":[");
	for (int from = 0; from < c->nr_node_ids; from++) {
		put(&t, from ? ",[" : "[");
		for (int to = 0; to < c->nr_node_ids; to++)
			put_number(&t, to ? "," : "", *remote_of(c, from, to));
		put(&t, "]");
	}
	put(&t, "]}");
	if (t.failed) {
		free(t.buf);
		return NULL;
	}
	return t.buf;
}

double cost_memory(const struct cost *c, int node, const double *share,
		   const double *users)
{
	double sum = 0, m = 0;

	if (c->flat)
		return 1;
	for (int to = 0; to < c->nr_node_ids; to++) {
		double crowd = users && users[to] > 1 ? users[to] - 1 : 0;
		double far = node >= 0 && node < c->nr_node_ids ?
			*remote_of(c, node, to) : 1;

		if (share[to] <= 0)
			continue;
		sum += share[to];
		m += share[to] * far * (1 + c->contention * crowd);
	}
	return sum > 0 ? m / sum : 1;
}
