/* SPDX-License-Identifier: MIT */
#include "collect/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h, ABI of stat's flags */

#define COMM_LEN 15 /* TASK_COMM_LEN - 1 */

/* Fields of stat behind the comm, counted from the state. */
enum {
	STAT_PPID = 1,
	STAT_FLAGS = 6,
	STAT_NICE = 16,
	STAT_START = 19,
	STAT_NR,
};

long procfs_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC), saved;

	buf[0] = '\0';
	if (fd < 0)
		return -1;
	do {
		n = read(fd, buf + len, size - 1 - len);
		if (n > 0)
			len += (size_t)n;
	} while (n > 0 && len < size - 1);
	saved = errno;
	close(fd);
	errno = saved;
	buf[len] = '\0';
	return n < 0 ? -1 : (long)len;
}

bool procfs_stat_parse(const char *text, struct procfs_stat *s)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	int64_t field[STAT_NR];
	const char *p;
	char *end;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	*s = (struct procfs_stat){ .state = close[2] };
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)(close - open - 1),
		 open + 1);
	p = close + 3;
	for (int i = 1; i < STAT_NR; i++) {
		field[i] = strtoll(p, &end, 10);
		if (end == p)
			return false;
		p = end;
	}
	s->ppid = (int)field[STAT_PPID];
	s->kthread = field[STAT_FLAGS] & PF_KTHREAD;
	s->nice = (int)field[STAT_NICE];
	s->start_ticks = field[STAT_START];
	return true;
}

bool procfs_stat_read(const char *proc, int pid, struct procfs_stat *s)
{
	char path[PATH_MAX], text[1024];

	snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
	return procfs_read(path, text, sizeof(text)) > 0 &&
	       procfs_stat_parse(text, s);
}

bool procfs_alive(const char *proc, int pid, int64_t start_ticks)
{
	struct procfs_stat s;

	return procfs_stat_read(proc, pid, &s) && s.start_ticks == start_ticks;
}

bool procfs_status_value(const char *status, const char *key, char *buf,
			 size_t size)
{
	size_t key_len = strlen(key), len = 0;
	const char *line = status;

	while (line && (strncmp(line, key, key_len) || line[key_len] != ':')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return false;
	line += key_len + 1;
	line += strspn(line, " \t");
	for (; *line && *line != '\n' && len + 1 < size; line++) {
		if (*line != '\t' && *line != ' ')
			buf[len++] = *line;
		else if (buf[len - 1] != ' ')
			buf[len++] = ' ';
	}
	buf[len] = '\0';
	return true;
}

/* "4:cpu,cpuacct:/path": does the list in the middle name `controller`? */
static bool has_controller(const char *list, const char *end,
			   const char *controller)
{
	size_t len = strlen(controller);

	while (list < end) {
		const char *stop = memchr(list, ',', (size_t)(end - list));

		if (!stop)
			stop = end;
		if ((size_t)(stop - list) == len && !memcmp(list, controller, len))
			return true;
		list = stop + 1;
	}
	return false;
}

void procfs_cgroup_parse(const char *text, char *buf, size_t size)
{
	buf[0] = '\0';
	for (const char *line = text; line && *line;) {
		const char *end = strchrnul(line, '\n');
		const char *list = memchr(line, ':', (size_t)(end - line));
		const char *path = list ? memchr(list + 1, ':',
						 (size_t)(end - list - 1)) :
					  NULL;

		if (path) {
			bool cpu = has_controller(list + 1, path, "cpu");

			if (cpu || path == list + 1)
				snprintf(buf, size, "%.*s", (int)(end - path - 1),
					 path + 1);
			if (cpu)
				return;
		}
		line = *end ? end + 1 : NULL;
	}
}

static bool read_task_file(const char *proc, int pid, int tid, const char *name,
			   char *buf, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/task/%d/%s", proc, pid, tid, name);
	return procfs_read(path, buf, size) >= 0;
}

bool procfs_cpus_read(const char *proc, int pid, int tid, char *cpus, size_t size)
{
	char text[16384];

	return read_task_file(proc, pid, tid, "status", text, sizeof(text)) &&
	       procfs_status_value(text, "Cpus_allowed_list", cpus, size);
}

/* /proc has more of a kernel thread's name than the task has (and events tell):
 * all of a long one, and what a worker is at. */
static void task_name(char *to, const struct procfs_stat *s)
{
	size_t len = strlen(s->comm);

	if (s->kthread && !strncmp(s->comm, "kworker/", 8) && s->comm[8] != 'R')
		len = strcspn(s->comm, "-+");
	if (len > COMM_LEN)
		len = COMM_LEN;
	memcpy(to, s->comm, len);
	to[len] = '\0';
}

bool procfs_task_read(const char *proc, int pid, int tid, struct procfs_task *t)
{
	struct procfs_stat s;
	char text[16384];

	*t = (struct procfs_task){ .pid = pid, .tid = tid };
	if (!read_task_file(proc, pid, tid, "stat", text, sizeof(text)) ||
	    !procfs_stat_parse(text, &s))
		return false;
	task_name(t->comm, &s);
	t->nice = s.nice;
	t->kthread = s.kthread;
	if (!read_task_file(proc, pid, tid, "status", text, sizeof(text)))
		return false;
	procfs_status_value(text, "NSpid", t->nspid, sizeof(t->nspid));
	procfs_status_value(text, "Cpus_allowed_list", t->cpus, sizeof(t->cpus));
	if (read_task_file(proc, pid, tid, "cgroup", text, sizeof(text)))
		procfs_cgroup_parse(text, t->cgroup, sizeof(t->cgroup));
	return true;
}

int64_t procfs_resident(const char *proc, int pid)
{
	char path[PATH_MAX], text[256];
	long long size, resident;

	snprintf(path, sizeof(path), "%s/%d/statm", proc, pid);
	if (procfs_read(path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%lld %lld", &size, &resident) != 2)
		return -1;
	return resident;
}

bool procfs_map_parse(char *line, struct procfs_map *m)
{
	char *p, *end = strchr(line, '\n');

	if (end)
		*end = '\0';
	m->start = strtoull(line, &p, 16);
	if (p == line || *p != '-')
		return false;
	m->end = strtoull(p + 1, &end, 16);
	if (end == p + 1 || *end != ' ' || m->end <= m->start)
		return false;
	p = end + 1;
	if (strlen(p) < 5)
		return false;
	m->writable = p[1] == 'w';
	m->shared = p[3] == 's';
	/* Permissions, offset, device, inode. */
	for (int i = 0; i < 4 && p; i++) {
		p = strchr(p, ' ');
		while (p && *p == ' ')
			p++;
	}
	m->name = p ? p : line + strlen(line);
	return true;
}
