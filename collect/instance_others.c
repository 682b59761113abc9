/* SPDX-License-Identifier: MIT */
#include "collect/instance_local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "collect/procfs.h"
#include "model/err.h"

#define KIB INT64_C(1024)

void instance_name_self(char name[INSTANCE_NAME_MAX])
{
	struct procfs_stat s = { 0 };

	procfs_stat_read("/proc", getpid(), &s);
	snprintf(name, INSTANCE_NAME_MAX, "homenode-%d-%lld", (int)getpid(),
		 (long long)s.start_ticks);
}

bool instance_name_parse(const char *name, int *pid, int64_t *start_ticks)
{
	char again[INSTANCE_NAME_MAX];
	long long start;

	if (sscanf(name, "homenode-%d-%lld", pid, &start) != 2 || *pid <= 0)
		return false;
	*start_ticks = start;
	snprintf(again, sizeof(again), "homenode-%d-%lld", *pid, start);
	return !strcmp(again, name);
}

/* 1 removed, 0 not ours to remove, -1 errno. */
static int sweep_one(const char *path, const char *name, const char *proc)
{
	int64_t start;
	int pid, fd, done = 0, saved;

	if (!instance_name_parse(name, &pid, &start) ||
	    procfs_alive(proc, pid, start))
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	/* A living owner in another pid namespace holds the lock. */
	if (!flock(fd, LOCK_EX | LOCK_NB))
		done = rmdir(path) ? -1 : 1;
	saved = errno;
	close(fd);
	errno = saved;
	return done;
}

int instance_sweep(const char *tracing_dir, const char *proc, struct err *err)
{
	char path[PATH_MAX];
	struct dirent *ent;
	int nr = 0, code = 0, done;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", tracing_dir);
	dir = opendir(path);
	/* Who may not look gets a better message from instance_new(). */
	if (!dir)
		return 0;
	while ((ent = readdir(dir))) {
		snprintf(path, sizeof(path), "%.*s/instances/%s", PATH_MAX - 300,
			 tracing_dir, ent->d_name);
		done = sweep_one(path, ent->d_name, proc);
		if (done < 0 && !code)
			code = err_set(err, ERR_IO,
				       "cannot remove '%s', which a recorder that "
				       "was killed left behind: %s",
				       path, strerror(errno));
		nr += done > 0;
	}
	closedir(dir);
	return code < 0 ? code : nr;
}

static bool has_events(const char *dir)
{
	char path[PATH_MAX], text[16];

	snprintf(path, sizeof(path), "%.*s/set_event", PATH_MAX - 20, dir);
	return procfs_read(path, text, sizeof(text)) != 0;
}

bool instance_is_only_user(const char *tracing_dir, const char *own_name)
{
	char path[PATH_MAX];
	struct dirent *ent;
	bool only = !has_events(tracing_dir);
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", tracing_dir);
	dir = opendir(path);
	if (!dir)
		return false;
	while (only && (ent = readdir(dir))) {
		if (ent->d_name[0] == '.' || !strcmp(ent->d_name, own_name))
			continue;
		snprintf(path, sizeof(path), "%.*s/instances/%s", PATH_MAX - 300,
			 tracing_dir, ent->d_name);
		only = !has_events(path);
	}
	closedir(dir);
	return only;
}

void cpu_stats_parse(struct cpu_stats *s, const char *text)
{
	struct {
		const char *key;
		int64_t *value;
	} const field[] = {
		{ "entries:", &s->entries },
		{ "overrun:", &s->overrun },
		{ "commit overrun:", &s->commit_overrun },
		{ "dropped events:", &s->dropped },
		{ "read events:", &s->read },
	};

	*s = (struct cpu_stats){ 0 };
	for (const char *line = text; line && *line;) {
		for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
			size_t len = strlen(field[i].key);

			if (!strncmp(line, field[i].key, len))
				*field[i].value = strtoll(line + len, NULL, 10);
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
}

int64_t instance_default_buffer(int64_t mem_bytes, int nr_cpus)
{
	int64_t bytes = mem_bytes / 64 / (nr_cpus > 0 ? nr_cpus : 1);

	if (bytes < 512 * KIB)
		return 512 * KIB;
	return bytes > 8192 * KIB ? 8192 * KIB : bytes / KIB * KIB;
}

int instance_page_kib(int64_t buffer_bytes)
{
	return buffer_bytes >= 1024 * KIB ? 16 : 4;
}
