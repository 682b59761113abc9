/* SPDX-License-Identifier: MIT */
#include "collect/knobs.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/procfs.h"
#include "model/err.h"

#define VALUE_MAX 4096
#define NAME_LEN 200

enum root { ROOT_PROC, ROOT_SYS, ROOT_DEBUG };

/* Files, or ("dir/prefix*") all files of a folder whose names begin so. */
static const struct {
	enum root root;
	const char *path;
	const char *name;	/* of a file; prefix of names of a folder's */
} places[] = {
	{ ROOT_PROC, "sys/kernel/numa_balancing*", "kernel." },
	{ ROOT_PROC, "sys/kernel/sched_*", "kernel." },
	{ ROOT_PROC, "sys/vm/zone_reclaim_mode", "vm.zone_reclaim_mode" },
	{ ROOT_PROC, "sys/vm/numa_*", "vm." },
	{ ROOT_PROC, "sys/vm/swappiness", "vm.swappiness" },
	{ ROOT_PROC, "sys/vm/nr_hugepages", "vm.nr_hugepages" },
	{ ROOT_PROC, "cmdline", "boot.cmdline" },
	{ ROOT_DEBUG, "sched/*", "sched." },
	{ ROOT_DEBUG, "sched/numa_balancing/*", "sched.numa_balancing." },
	{ ROOT_SYS, "kernel/mm/transparent_hugepage/*", "transparent_hugepage." },
	{ ROOT_SYS, "kernel/mm/numa/*", "numa." },
	{ ROOT_SYS, "kernel/mm/lru_gen/*", "lru_gen." },
	{ ROOT_SYS, "kernel/mm/ksm/run", "ksm.run" },
	{ ROOT_SYS, "kernel/mm/ksm/merge_across_nodes",
	  "ksm.merge_across_nodes" },
	{ ROOT_SYS, "devices/system/cpu/smt/control", "cpu.smt" },
	{ ROOT_SYS, "devices/system/cpu/isolated", "cpu.isolated" },
	{ ROOT_SYS, "devices/system/cpu/nohz_full", "cpu.nohz_full" },
	{ ROOT_SYS, "devices/system/cpu/cpufreq/policy0/scaling_driver",
	  "cpufreq.scaling_driver" },
	{ ROOT_SYS, "devices/system/cpu/cpufreq/policy0/scaling_governor",
	  "cpufreq.scaling_governor" },
	{ ROOT_SYS, "devices/system/clocksource/clocksource0/current_clocksource",
	  "clocksource" },
	{ ROOT_SYS, "kernel/sched_ext/state", "sched_ext.state" },
	{ ROOT_SYS, "kernel/sched_ext/root/ops", "sched_ext.ops" },
};

struct reading {
	const struct knob_roots *roots;
	int (*fn)(void *ctx, const char *name, const char *value,
		  struct err *err);
	void *ctx;
};

static const char *root_path(const struct knob_roots *roots, enum root root)
{
	return root == ROOT_PROC ? roots->proc :
	       root == ROOT_SYS	 ? roots->sys :
				   roots->debug;
}

static void squeeze(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		bool blank = *from == ' ' || *from == '\n' || *from == '\t';

		if (!blank)
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

/* Of a file that cannot be read there is nothing to tell. */
static int read_one(const struct reading *r, const char *path, const char *name,
		    struct err *err)
{
	char value[VALUE_MAX];

	if (procfs_read(path, value, sizeof(value)) < 0)
		return 0;
	squeeze(value);
	return r->fn(r->ctx, name, value, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder that begin with prefix, sorted; malloced. */
static char **list(const char *dir, const char *prefix, bool folders, int *nr)
{
	DIR *d = opendir(dir);
	struct dirent *ent;
	char **names = NULL;

	*nr = 0;
	if (!d)
		return NULL;
	while ((ent = readdir(d))) {
		char **new, *copy;

		if (ent->d_name[0] == '.' ||
		    strncmp(ent->d_name, prefix, strlen(prefix)) ||
		    (ent->d_type == DT_DIR) != folders)
			continue;
		new = realloc(names, ((size_t)*nr + 1) * sizeof(*names));
		copy = strdup(ent->d_name);
		if (new)
			names = new;
		if (!new || !copy) {
			free(copy);
			break;
		}
		names[(*nr)++] = copy;
	}
	closedir(d);
	if (names)
		qsort(names, (size_t)*nr, sizeof(*names), by_name);
	return names;
}

static void list_free(char **names, int nr)
{
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

static int read_place(const struct reading *r, const char *root,
		      const char *place, const char *name, struct err *err)
{
	char path[PATH_MAX], full[NAME_LEN], *slash, **names;
	int nr, code = 0;

	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 300, root, place);
	slash = strrchr(path, '/');
	if (path[strlen(path) - 1] != '*')
		return read_one(r, path, name, err);
	path[strlen(path) - 1] = '\0';
	*slash = '\0';
	names = list(path, slash + 1, false, &nr);
	for (int i = 0; i < nr && code == 0; i++) {
		snprintf(slash, (size_t)(path + sizeof(path) - slash), "/%s",
			 names[i]);
		snprintf(full, sizeof(full), "%s%.100s", name, names[i]);
		code = read_one(r, path, full, err);
	}
	list_free(names, nr);
	return code;
}

/* Levels and names of domains that were told already. */
struct seen {
	char text[4096];
	size_t len;
};

static bool first_time(struct seen *seen, const char *what)
{
	char key[120];
	int len = snprintf(key, sizeof(key), "/%s/", what);

	if (strstr(seen->text, key))
		return false;
	if (seen->len + (size_t)len >= sizeof(seen->text))
		return false;
	memcpy(seen->text + seen->len, key, (size_t)len + 1);
	seen->len += (size_t)len;
	return true;
}

/* .../cpu3/domain1 */
static int read_domain(const struct reading *r, const char *dir, int level,
		       struct seen *seen, struct err *err)
{
	char path[PATH_MAX], name[64], key[100], full[NAME_LEN], **names;
	int nr, code = 0;

	snprintf(path, sizeof(path), "%.*s/name", PATH_MAX - 300, dir);
	if (procfs_read(path, name, sizeof(name)) < 0)
		return 0;
	squeeze(name);
	snprintf(key, sizeof(key), "%d.%s", level, name);
	if (!first_time(seen, key))
		return 0;
	names = list(dir, "", false, &nr);
	for (int i = 0; i < nr && code == 0; i++) {
		if (!strcmp(names[i], "name"))
			continue;
		snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 300, dir,
			 names[i]);
		snprintf(full, sizeof(full), "sched.domain.%s.%.60s", key,
			 names[i]);
		code = read_one(r, path, full, err);
	}
	list_free(names, nr);
	return code;
}

static int read_domains(const struct reading *r, const char *root,
			const char *place, struct err *err)
{
	char base[PATH_MAX], path[PATH_MAX], **cpus, **domains;
	struct seen seen = { .len = 0 };
	int nr_cpus, nr, code = 0;

	if (!root)
		return 0;
	snprintf(base, sizeof(base), "%.*s/%s", PATH_MAX - 300, root, place);
	cpus = list(base, "cpu", true, &nr_cpus);
	for (int i = 0; i < nr_cpus && code == 0; i++) {
		snprintf(path, sizeof(path), "%.*s/%.100s", PATH_MAX - 200, base,
			 cpus[i]);
		domains = list(path, "domain", true, &nr);
		for (int j = 0; j < nr && code == 0; j++) {
			char dir[PATH_MAX];

			snprintf(dir, sizeof(dir), "%.*s/%.60s", PATH_MAX - 100,
				 path, domains[j]);
			code = read_domain(r, dir, atoi(domains[j] + 6), &seen,
					   err);
		}
		list_free(domains, nr);
	}
	list_free(cpus, nr_cpus);
	return code;
}

int knobs_read(const struct knob_roots *roots,
	       int (*fn)(void *ctx, const char *name, const char *value,
			 struct err *err),
	       void *ctx, struct err *err)
{
	const struct reading r = { .roots = roots, .fn = fn, .ctx = ctx };
	int code = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *root = root_path(roots, places[i].root);

		if (root && code == 0)
			code = read_place(&r, root, places[i].path,
					  places[i].name, err);
	}
	if (code == 0)
		code = read_domains(&r, roots->debug, "sched/domains", err);
	if (code == 0)
		code = read_domains(&r, roots->proc, "sys/kernel/sched_domain",
				    err);
	return code;
}
