/* SPDX-License-Identifier: MIT */
#include "collect/calibrate.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/procfs.h"
#include "collect/topo_read.h"
#include "model/err.h"

#define HALF_MIN (INT64_C(64) << 20)
#define HALF_MAX (INT64_C(512) << 20)

static bool read_status(const char *root, const char *key, char *buf, size_t size)
{
	char path[PATH_MAX], text[8192];

	snprintf(path, sizeof(path), "%s/proc/self/status", root);
	return procfs_read(path, text, sizeof(text)) > 0 &&
	       procfs_status_value(text, key, buf, size);
}

/* Bytes of a line "KEY: N kB"; 0: none. */
static int64_t kib_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoll(at + strlen(key), NULL, 10) * 1024 : 0;
}

static int64_t read_free(const char *root, int node)
{
	char path[PATH_MAX], text[8192];

	snprintf(path, sizeof(path),
		 "%s/sys/devices/system/node/node%d/meminfo", root, node);
	if (procfs_read(path, text, sizeof(text)) > 0)
		return kib_of(text, " MemFree:") +
		       kib_of(text, " Inactive(file):");
	/* A kernel without nodes: all memory is on the one we made up. */
	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	return procfs_read(path, text, sizeof(text)) > 0 ?
		       kib_of(text, "MemAvailable:") : 0;
}

/* The largest of the caches of the highest level of a CPU. */
static int64_t read_cache(const char *root, int cpu)
{
	int64_t bytes = 0;
	long top = 0;

	for (int i = 0; i < 16; i++) {
		char path[PATH_MAX], text[64], *unit;
		int64_t size;
		long level;

		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/"
			 "cache/index%d/level", root, cpu, i);
		if (procfs_read(path, text, sizeof(text)) <= 0)
			break;
		level = strtol(text, NULL, 10);
		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/"
			 "cache/index%d/size", root, cpu, i);
		if (level < top || procfs_read(path, text, sizeof(text)) <= 0)
			continue;
		size = strtoll(text, &unit, 10);
		size *= *unit == 'K' ? 1024 : *unit == 'M' ? 1 << 20 : 1;
		bytes = level > top || size > bytes ? size : bytes;
		top = level;
	}
	return bytes;
}

static int read_cpus(struct calibrate_host *h, const char *root, struct err *err)
{
	char list[8192];

	if (!read_status(root, "Cpus_allowed_list", list, sizeof(list)))
		return err_set(err, ERR_IO, "cannot read '%s/proc/self/status'",
			       root);
	if (cpumask_parse(&h->cpus, list, err))
		return err_prefix(err, "Cpus_allowed_list");
	for (int cpu = 0; cpu < h->topo.nr_cpu_ids; cpu++) {
		int64_t bytes = read_cache(root, cpu);

		if (bytes > h->cache_bytes)
			h->cache_bytes = bytes;
	}
	return 0;
}

int calibrate_host_read(struct calibrate_host *h, const char *root,
			struct err *err)
{
	char list[8192] = "";
	int nr;

	*h = (struct calibrate_host){ 0 };
	if (topo_read_live(&h->topo, root, err) || read_cpus(h, root, err))
		return err->code;
	nr = h->topo.nr_node_ids;
	/* Kernels without NUMA have no such line. */
	read_status(root, "Mems_allowed_list", list, sizeof(list));
	if (cpumask_parse(&h->mems, list, err))
		return err_prefix(err, "Mems_allowed_list");
	h->free_bytes = calloc((size_t)nr + 1, sizeof(*h->free_bytes));
	if (!h->free_bytes)
		return err_nomem(err);
	for (int node = 0; node < nr; node++) {
		if (!h->topo.node[node].present)
			continue;
		h->free_bytes[node] = read_free(root, node);
		if (!*list && cpumask_set(&h->mems, node))
			return err_nomem(err);
	}
	return 0;
}

void calibrate_host_release(struct calibrate_host *h)
{
	topo_release(&h->topo);
	cpumask_release(&h->cpus);
	cpumask_release(&h->mems);
	free(h->free_bytes);
	*h = (struct calibrate_host){ 0 };
}

int64_t calibrate_half(const struct calibrate_host *h, int node)
{
	int64_t cache = h->cache_bytes < HALF_MAX ? h->cache_bytes : HALF_MAX;
	int64_t want = 4 * cache, least = 2 * cache;
	int64_t spare = h->free_bytes[node] / 4;

	if (want < HALF_MIN)
		want = HALF_MIN;
	if (want > HALF_MAX)
		want = HALF_MAX;
	if (least > want)
		least = want;
	if (least < CALIBRATE_MIN_BYTES)
		least = CALIBRATE_MIN_BYTES;
	if (want > spare)
		want = spare;
	return want < least ? 0 : want;
}
