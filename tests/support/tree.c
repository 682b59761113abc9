/* SPDX-License-Identifier: MIT */
#include "tests/support/tree.h"

#include "tests/support/folder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void tree_put(const char *folder, const char *path, const char *fmt, ...)
{
	char full[4096], *text;
	va_list ap;
	int len;

	mkdir(folder, 0755);
	snprintf(full, sizeof(full), "%s/%s", folder, path);
	for (char *p = full + strlen(folder) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0 || file_write(full, text, (size_t)len)) {
		perror(full);
		abort();
	}
	free(text);
}

void tree_task(const char *folder, const struct tree_task *t)
{
	char path[128];

	snprintf(path, sizeof(path), "%d/task/%d/stat", t->pid, t->tid);
	for (int leader = 0; leader < 2; leader++) {
		tree_put(folder, path,
			 "%d (%s) S %d 1 1 0 -1 %u 0 0 0 0 0 0 0 0 %d %d 1 0 "
			 "%lld 1000 10\n",
			 t->tid, t->comm, t->ppid,
			 t->kthread ? 0x208040u : 0x400000u, 20 + t->nice,
			 t->nice, t->start_ticks);
		if (t->tid != t->pid)
			break;
		snprintf(path, sizeof(path), "%d/stat", t->pid);
	}
	snprintf(path, sizeof(path), "%d/task/%d/status", t->pid, t->tid);
	tree_put(folder, path,
		 "Name:\t%s\nTgid:\t%d\nPid:\t%d\nNSpid:\t%d\t17\n"
		 "Cpus_allowed:\tff\nCpus_allowed_list:\t%s\n",
		 t->comm, t->pid, t->tid, t->tid, t->cpus);
	snprintf(path, sizeof(path), "%d/task/%d/cgroup", t->pid, t->tid);
	tree_put(folder, path, "0::/work/%d.scope\n", t->pid);
}

void tree_remove(const char *folder, const char *path)
{
	char *cmd;

	if (asprintf(&cmd, "rm -rf '%s/%s'", folder, path) < 0 || system(cmd)) {
		perror(path);
		abort();
	}
	free(cmd);
}
