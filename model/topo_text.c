/* SPDX-License-Identifier: MIT */
#include "model/topo_text.h"

#include "model/cpumask.h"
#include "model/err.h"
#include "model/topo.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_LEN 160

struct text {
	char *buf;
	size_t len, size;
	bool failed;
};

static void put(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
	size_t size = t->size ? t->size * 2 : 1024;
	va_list ap;
	char *buf;

	if (t->size - t->len < LINE_MAX_LEN) {
		buf = realloc(t->buf, size);
		if (!buf) {
			t->failed = true;
			return;
		}
		t->buf = buf;
		t->size = size;
	}
	va_start(ap, fmt);
	t->len += (size_t)vsnprintf(t->buf + t->len, LINE_MAX_LEN, fmt, ap);
	va_end(ap);
}

static int default_distance(int from, int to)
{
	return from == to ? TOPO_DISTANCE_LOCAL : TOPO_DISTANCE_REMOTE;
}

static void put_distances(struct text *x, const struct topo *t, int from)
{
	for (int to = 0; to < t->nr_node_ids; to++) {
		int d = topo_distance(t, from, to);

		if (t->node[to].present && d != default_distance(from, to))
			put(x, "distance %d %d %d\n", from, to, d);
	}
}

char *topo_to_text(const struct topo *t)
{
	struct text x = { 0 };

	for (int n = 0; n < t->nr_node_ids; n++)
		if (t->node[n].present)
			put(&x, "node %d %d %" PRId64 "\n", n,
			    t->node[n].online, t->node[n].mem_bytes);
	for (int n = 0; n < t->nr_node_ids; n++)
		if (t->node[n].present)
			put_distances(&x, t, n);
	for (int c = 0; c < t->nr_cpu_ids; c++) {
		const struct topo_cpu *p = &t->cpu[c];

		if (p->present)
			put(&x, "cpu %d %d %d %d %d %d %d %d %d\n", c, p->node,
			    p->online, p->package, p->die, p->cluster, p->llc,
			    p->core, p->smt);
	}
	if (x.failed) {
		free(x.buf);
		return NULL;
	}
	return x.buf ? x.buf : calloc(1, 1);
}

static int read_node(struct topo *t, const char *line, struct err *err)
{
	int id, online;
	int64_t mem;

	if (sscanf(line, "node %d %d %" SCNd64, &id, &online, &mem) != 3 ||
	    id < 0 || id >= TOPO_MAX_NODES || mem < -1)
		return ERR_FORMAT;
	if (topo_add_node(t, id, err))
		return err->code;
	t->node[id].online = online;
	t->node[id].mem_bytes = mem;
	return 0;
}

static int read_distance(struct topo *t, const char *line)
{
	int from, to, d;

	if (sscanf(line, "distance %d %d %d", &from, &to, &d) != 3 ||
	    from < 0 || to < 0 || from >= t->nr_node_ids ||
	    to >= t->nr_node_ids || d <= 0)
		return ERR_FORMAT;
	t->distance[from * t->nr_node_ids + to] = d;
	return 0;
}

static int read_cpu(struct topo *t, const char *line, struct err *err)
{
	struct topo_cpu p = { .present = true };
	int id, online;

	if (sscanf(line, "cpu %d %d %d %d %d %d %d %d %d", &id, &p.node,
		   &online, &p.package, &p.die, &p.cluster, &p.llc, &p.core,
		   &p.smt) != 9 || id < 0 || id >= CPUMASK_MAX ||
	    p.node < 0 || p.node >= t->nr_node_ids ||
	    !t->node[p.node].present)
		return ERR_FORMAT;
	if (topo_add_cpu(t, id, p.node, err))
		return err->code;
	p.online = online;
	t->cpu[id] = p;
	return 0;
}

static int read_line(struct topo *t, const char *line, struct err *err)
{
	if (!strncmp(line, "node ", 5))
		return read_node(t, line, err);
	if (!strncmp(line, "distance ", 9))
		return read_distance(t, line);
	if (!strncmp(line, "cpu ", 4))
		return read_cpu(t, line, err);
	return ERR_FORMAT;
}

int topo_from_text(struct topo *t, const char *text, struct err *err)
{
	char line[LINE_MAX_LEN];

	*t = (struct topo){ 0 };
	for (int nr = 1; *text; nr++) {
		size_t len = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ?
			 len : sizeof(line)), text);
		if (read_line(t, line, err))
			return err_set(err, ERR_FORMAT,
				       "topology, line %d: '%s' is damaged",
				       nr, line);
		text += len + (text[len] == '\n');
	}
	return topo_finish(t, err);
}
