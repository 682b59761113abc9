/* SPDX-License-Identifier: MIT */
#include "collect/topo_sysfs.h"

#include "model/cpumask.h"
#include "model/err.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first bytes of a small file; false: it is not there. */
static bool read_text(const char *root, const char *path, char *buf, size_t size)
{
	char name[PATH_MAX];
	size_t n;
	FILE *f;

	snprintf(name, sizeof(name), "%s/sys/devices/system/%s", root, path);
	f = fopen(name, "re");
	if (!f)
		return false;
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
	return true;
}

/* A list as "0-3,8"; 1, 0 if the file is not there. */
static int read_list(const char *root, const char *path, struct cpumask *m,
		     struct err *err)
{
	char text[4096];

	if (!read_text(root, path, text, sizeof(text)))
		return 0;
	if (cpumask_parse(m, text, err) < 0)
		return err_prefix(err, "/sys/devices/system/%s", path);
	return 1;
}

static void read_memory(struct topo *t, const char *root, int node)
{
	char path[64], text[4096], *at;

	snprintf(path, sizeof(path), "node/node%d/meminfo", node);
	if (t->node[node].mem_bytes >= 0 ||
	    !read_text(root, path, text, sizeof(text)))
		return;
	at = strstr(text, "MemTotal:");
	if (at)
		t->node[node].mem_bytes = strtoll(at + 9, NULL, 10) * 1024;
}

/* A row has a number for each node that is online, in their order. */
static void read_distances(struct topo *t, const char *root,
			   const struct cpumask *nodes, int from)
{
	char path[64], text[8192], *p = text, *end;

	snprintf(path, sizeof(path), "node/node%d/distance", from);
	if (!read_text(root, path, text, sizeof(text)))
		return;
	for (int to = cpumask_next(nodes, -1); to >= 0;
	     to = cpumask_next(nodes, to)) {
		long v = strtol(p, &end, 10);

		if (end == p)
			break;
		if (v > 0 && v <= INT_MAX)
			t->distance[from * t->nr_node_ids + to] = (int)v;
		p = end;
	}
}

static int read_node(struct topo *t, const char *root, int node, struct err *err)
{
	struct cpumask cpus = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "node/node%d/cpulist", node);
	read_list(root, path, &cpus, err);
	for (int cpu = cpumask_next(&cpus, -1); cpu >= 0 && !err->code;
	     cpu = cpumask_next(&cpus, cpu)) {
		topo_add_cpu(t, cpu, node, err);
		if (!err->code)
			t->cpu[cpu].node = node;
	}
	cpumask_release(&cpus);
	return err->code;
}

static int read_nodes(struct topo *t, const char *root, struct err *err)
{
	struct cpumask nodes = { 0 };

	read_list(root, "node/online", &nodes, err);
	for (int n = cpumask_next(&nodes, -1); n >= 0 && !err->code;
	     n = cpumask_next(&nodes, n))
		topo_add_node(t, n, err);
	for (int n = cpumask_next(&nodes, -1); n >= 0 && !err->code;
	     n = cpumask_next(&nodes, n)) {
		read_node(t, root, n, err);
		read_memory(t, root, n);
		read_distances(t, root, &nodes, n);
	}
	cpumask_release(&nodes);
	return err->code;
}

static int first_node(const struct topo *t)
{
	for (int n = 0; n < t->nr_node_ids; n++)
		if (t->node[n].present)
			return n;
	return 0;
}

static int read_cpus(struct topo *t, const char *root, struct err *err)
{
	struct cpumask possible = { 0 }, online = { 0 };
	int node = first_node(t);

	read_list(root, "cpu/possible", &possible, err);
	if (!err->code && read_list(root, "cpu/online", &online, err) == 0)
		cpumask_copy(&online, &possible);
	for (int cpu = cpumask_next(&possible, -1); cpu >= 0 && !err->code;
	     cpu = cpumask_next(&possible, cpu)) {
		if (topo_node_of(t, cpu) >= 0)
			node = topo_node_of(t, cpu);
		topo_add_cpu(t, cpu, node, err);
		if (!err->code)
			t->cpu[cpu].online = cpumask_test(&online, cpu);
	}
	cpumask_release(&possible);
	cpumask_release(&online);
	return err->code;
}

int topo_sysfs(struct topo *t, const char *root, struct err *err)
{
	if (read_nodes(t, root, err) < 0)
		return err->code;
	if (topo_nr_nodes(t) == 0 && topo_add_node(t, 0, err) < 0)
		return err->code;
	if (read_cpus(t, root, err) < 0)
		return err->code;
	return topo_finish(t, err);
}
