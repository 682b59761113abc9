// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "charge.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int own_tid(void)
{
	return (int)syscall(SYS_gettid);
}

static int join(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return -1;
	fprintf(file, "%d", own_tid());
	return fclose(file);
}

int charge_begin(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d", dir, own_tid());
	if (mkdir(path, 0700))
		return -1;
	snprintf(path, sizeof(path), "%s/%d/tasks", dir, own_tid());
	return join(path);
}

int charge_end(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tasks", dir);
	if (join(path))
		return -1;
	snprintf(path, sizeof(path), "%s/%d", dir, own_tid());
	return rmdir(path);
}

int charge_read(const char *dir, const signed char *node_of, int nr_cpus,
		int64_t by_node[CHARGE_MAX_NODES])
{
	char path[PATH_MAX];
	long long ns;
	FILE *file;

	memset(by_node, 0, CHARGE_MAX_NODES * sizeof(*by_node));
	snprintf(path, sizeof(path), "%s/%d/cpuacct.usage_percpu", dir,
		 own_tid());
	file = fopen(path, "r");
	if (!file)
		return -1;
	for (int cpu = 0; cpu < nr_cpus && fscanf(file, "%lld", &ns) == 1; cpu++) {
		if (node_of[cpu] >= 0)
			by_node[node_of[cpu]] += ns;
	}
	return fclose(file);
}
