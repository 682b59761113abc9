/* SPDX-License-Identifier: MIT */
/*
 * procfs: what /proc says of a task (proc(5)): stat, status and cgroup.
 *
 * Every function takes the folder to read ("/proc"), so that tests can bring
 * one of their own.  A task that ends while it is read is no error: false.
 */
#ifndef COLLECT_PROCFS_H
#define COLLECT_PROCFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procfs_stat {
	char comm[64];		/* as it stands there */
	char state;
	int ppid;
	bool kthread;		/* PF_KTHREAD */
	int nice;
	int64_t start_ticks;	/* since boot, in clock ticks */
};

/* All texts are cut to fit. */
struct procfs_task {
	int pid, tid;
	char comm[64];
	char cgroup[1024];	/* the cpu controller's path, "" unknown */
	char nspid[128];	/* "1234 17", "" unknown */
	char cpus[4096];	/* Cpus_allowed_list, "" unknown */
	int nice;
	bool kthread;
};

/* Reads one whole file into buf with a NUL behind; its length, -1: errno. */
long procfs_read(const char *path, char *buf, size_t size);

bool procfs_stat_parse(const char *text, struct procfs_stat *s);
bool procfs_stat_read(const char *proc, int pid, struct procfs_stat *s);

/* True if a process of this pid that started then is there. */
bool procfs_alive(const char *proc, int pid, int64_t start_ticks);

bool procfs_task_read(const char *proc, int pid, int tid, struct procfs_task *t);

/* Reads only the affinity of a task; false: it is gone. */
bool procfs_cpus_read(const char *proc, int pid, int tid, char *cpus, size_t size);

/*
 * The value of a line "KEY:\tVALUE" of status, blanks made single ones; false:
 * none.
 */
bool procfs_status_value(const char *status, const char *key, char *buf,
			 size_t size);

/* The path of the cpu controller, else of the unified hierarchy, of a text in
 * the form of /proc/PID/cgroup; "" if neither is there. */
void procfs_cgroup_parse(const char *text, char *buf, size_t size);

/* One line of /proc/PID/maps, where an area ends:
 * 7f8648b72000-7f8648b74000 rw-p 00001000 08:01 1234 /lib/x.so */
struct procfs_map {
	uint64_t start, end;
	bool writable, shared;
	char *name;		/* as it stands, "" none; in the line */
};
bool procfs_map_parse(char *line, struct procfs_map *m);

/* Resident pages by /proc/PID/statm; -1: gone. */
int64_t procfs_resident(const char *proc, int pid);

#endif
