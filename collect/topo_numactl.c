/* SPDX-License-Identifier: MIT */
#include "collect/topo_numactl.h"

#include "model/cpumask.h"
#include "model/err.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DISTANCE_MAX 65535
#define MB (INT64_C(1) << 20)

struct reader {
	struct topo *t;
	int line;
	int column[TOPO_MAX_NODES];	/* nodes of the distances' columns */
	int nr_columns;
};

static const char *skip(const char *at, const char *what)
{
	size_t len = strlen(what);

	return strncmp(at, what, len) == 0 ? at + len : NULL;
}

/* The next number of the line, -1: none, -2: no number or too large. */
static int64_t number(const char **at, int64_t max)
{
	int64_t v = 0;

	while (**at == ' ' || **at == '\t' || **at == '\r')
		++*at;
	if (**at == '\n' || !**at)
		return -1;
	if (!isdigit((unsigned char)**at))
		return -2;
	for (; isdigit((unsigned char)**at); ++*at) {
		v = v * 10 + (**at - '0');
		if (v > max)
			return -2;
	}
	return v;
}

static int bad(const struct reader *r, const char *what, struct err *err)
{
	return err_set(err, ERR_FORMAT, "line %d: %s", r->line, what);
}

static int read_cpus(struct reader *r, int node, const char *at,
		     struct err *err)
{
	int64_t cpu;

	while ((cpu = number(&at, CPUMASK_MAX - 1)) >= 0)
		if (topo_node_of(r->t, (int)cpu) < 0 &&
		    topo_add_cpu(r->t, (int)cpu, node, err) < 0)
			return err->code;
	return cpu == -1 ? 0 : bad(r, "no number of a CPU", err);
}

/* "node 8 cpus: 2 3", "node 8 size: 100 MB" */
static int read_node(struct reader *r, const char *at, struct err *err)
{
	int64_t node = number(&at, TOPO_MAX_NODES - 1), mb;
	const char *rest;

	if (node < 0)
		return bad(r, "no number of a node", err);
	if (topo_add_node(r->t, (int)node, err) < 0)
		return err->code;
	rest = skip(at, " cpus:");
	if (rest)
		return read_cpus(r, (int)node, rest, err);
	rest = skip(at, " size:");
	if (!rest)
		return 0;
	mb = number(&rest, INT64_MAX / MB / 16);
	if (mb < 0)
		return bad(r, "no number of MB", err);
	r->t->node[node].mem_bytes = mb * MB;
	return 0;
}

static int read_columns(struct reader *r, const char *at, struct err *err)
{
	int64_t node;

	r->nr_columns = 0;
	while ((node = number(&at, TOPO_MAX_NODES - 1)) >= 0 &&
	       r->nr_columns < TOPO_MAX_NODES) {
		if (topo_add_node(r->t, (int)node, err) < 0)
			return err->code;
		r->column[r->nr_columns++] = (int)node;
	}
	return node == -1 ? 0 : bad(r, "no number of a node", err);
}

/* "  8:  40  10  80"; other lines are none of ours. */
static int read_row(struct reader *r, const char *at, struct err *err)
{
	int64_t from = number(&at, TOPO_MAX_NODES - 1), v;
	int n = 0;

	if (from < 0 || *at++ != ':')
		return 0;
	if (from >= r->t->nr_node_ids || !r->t->node[from].present)
		return bad(r, "distances of a node that is not listed", err);
	while ((v = number(&at, DISTANCE_MAX)) > 0 && n < r->nr_columns)
		r->t->distance[(int)from * r->t->nr_node_ids + r->column[n++]] =
			(int)v;
	if (v != -1 || n != r->nr_columns)
		return bad(r, "not one distance for each node", err);
	return 0;
}

static int read_line(struct reader *r, const char *at, struct err *err)
{
	const char *rest;

	if (skip(at, "node distances:"))
		return 0;
	rest = skip(at, "node ");
	if (rest && *rest == ' ')
		return read_columns(r, rest, err);
	if (rest && isdigit((unsigned char)*rest)) {
		const char *word = rest + strspn(rest, "0123456789");

		/* A single node's columns look like the others' lines. */
		return skip(word, " cpus:") || skip(word, " size:") ||
		       skip(word, " free:") ? read_node(r, rest, err) :
					      read_columns(r, rest, err);
	}
	return r->nr_columns ? read_row(r, at, err) : 0;
}

bool topo_numactl_is(const char *text)
{
	const char *at = text;

	while (at && !skip(at, "available: ")) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at && strstr(at, " nodes (");
}

int topo_numactl(struct topo *t, const char *text, struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	bool begun = false;

	topo_release(t);
	if (!r)
		return err_nomem(err);
	r->t = t;
	for (const char *at = text; at && !err->code; ) {
		r->line++;
		begun |= skip(at, "available: ") != NULL;
		if (begun)
			read_line(r, at, err);
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	free(r);
	if (!err->code && !topo_nr_nodes(t))
		topo_add_node(t, 0, err);
	return err->code ? err->code : topo_finish(t, err);
}
