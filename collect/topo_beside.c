/* SPDX-License-Identifier: MIT */
#include "collect/topo_read.h"

#include "model/err.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DISTANCE_MAX 65535

static int next_node(const struct topo *t, int after)
{
	for (int n = after + 1; n < t->nr_node_ids; n++)
		if (t->node[n].present)
			return n;
	return -1;
}

/* A number from 0 to max at **p, which moves past it and blanks; -1: none. */
static int read_number(const char **p, int max)
{
	char *end;
	long v;

	*p += strspn(*p, " \t\n");
	if (**p < '0' || **p > '9')
		return -1;
	v = strtol(*p, &end, 10);
	*p = end + strspn(end, " \t\n");
	return v <= max ? (int)v : -1;
}

static int bad(const char *text, const char *at, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "distances '%.80s': cannot read '%.20s'; rows are \"10,20;20,10\", pairs \"0,1=21;0,2=31\"",
		       text, at);
}

static int read_rows(struct topo *t, const char *text, struct err *err)
{
	int nr = topo_nr_nodes(t), from = next_node(t, -1), to, v;
	const char *p = text;

	for (; from >= 0; from = next_node(t, from)) {
		for (to = next_node(t, -1); to >= 0; to = next_node(t, to)) {
			const char *at = p;

			v = read_number(&p, DISTANCE_MAX);
			if (v <= 0)
				return *at ? bad(text, at, err) :
					err_set(err, ERR_USAGE,
						"distances '%.80s': not %d rows of %d",
						text, nr, nr);
			t->distance[from * t->nr_node_ids + to] = v;
			if (next_node(t, to) >= 0 && *p == ',')
				p++;
			else if (next_node(t, to) >= 0)
				return err_set(err, ERR_USAGE,
					       "distances '%.80s': not %d rows of %d",
					       text, nr, nr);
		}
		if (*p == ';')
			p++;
	}
	if (*p)
		return err_set(err, ERR_USAGE,
			       "distances '%.80s': more than %d rows of %d", text,
			       nr, nr);
	return 0;
}

/* One "FROM,TO=DISTANCE". */
static int read_pair(struct topo *t, const char *text, const char **p,
		     int pair[3], struct err *err)
{
	const char *at = *p;

	pair[0] = read_number(p, TOPO_MAX_NODES);
	if (pair[0] >= 0 && **p == ',') {
		(*p)++;
		pair[1] = read_number(p, TOPO_MAX_NODES);
		if (pair[1] >= 0 && **p == '=') {
			(*p)++;
			pair[2] = read_number(p, DISTANCE_MAX);
			if (pair[2] > 0)
				goto read;
		}
	}
	return bad(text, at, err);
read:
	for (int i = 0; i < 2; i++)
		if (pair[i] >= t->nr_node_ids || !t->node[pair[i]].present)
			return err_set(err, ERR_USAGE,
				       "distances '%.80s': there is no node %d",
				       text, pair[i]);
	return 0;
}

/* Both ways first, so that a way that is given itself has the last word. */
static int read_pairs(struct topo *t, const char *text, struct err *err)
{
	for (int pass = 0; pass < 2; pass++) {
		const char *p = text;

		while (*p) {
			int pair[3] = { 0 };

			if (read_pair(t, text, &p, pair, err) < 0)
				return err->code;
			t->distance[pair[0] * t->nr_node_ids + pair[1]] = pair[2];
			if (pass == 0)
				t->distance[pair[1] * t->nr_node_ids + pair[0]] =
					pair[2];
			if (*p == ';')
				p++;
			else if (*p)
				return bad(text, p, err);
		}
	}
	return 0;
}

int topo_read_distances(struct topo *t, const char *text, struct err *err)
{
	return strchr(text, '=') ? read_pairs(t, text, err) :
				   read_rows(t, text, err);
}

int topo_read_memory_node(struct topo *t, const char *text, struct err *err)
{
	const char *p = text;
	int node = read_number(&p, TOPO_MAX_NODES - 1);
	int64_t bytes = -1;
	char *end = NULL;

	if (node >= 0 && *p == '=') {
		bytes = strtoll(p + 1, &end, 10);
		if (end == p + 1 || bytes < 0 || bytes > INT64_MAX >> 40)
			node = -1;
		else if (*end == 'K' || *end == 'M' || *end == 'G' || *end == 'T')
			bytes <<= *end == 'K' ? 10 : *end == 'M' ? 20 :
				  *end == 'G' ? 30 : 40;
		p = end + (*end && strchr("KMGT", *end) ? 1 : 0);
	}
	if (node < 0 || *p)
		return err_set(err, ERR_USAGE,
			       "memory node '%.80s': write a number, or NUMBER=SIZE with K, M, G or T",
			       text);
	if (node < t->nr_node_ids && t->node[node].present)
		return err_set(err, ERR_USAGE,
			       "memory node '%.80s': node %d is there already",
			       text, node);
	if (topo_add_node(t, node, err) < 0)
		return err->code;
	t->node[node].mem_bytes = bytes;
	return topo_finish(t, err);
}
