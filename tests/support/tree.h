/* SPDX-License-Identifier: MIT */
/*
 * tree: folders that look like /proc and /sys, made in a test's own folder.
 */
#ifndef TESTS_SUPPORT_TREE_H
#define TESTS_SUPPORT_TREE_H

#include <stdbool.h>

/* Writes FOLDER/PATH and the folders on the way; ends the program on failure. */
void tree_put(const char *folder, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Removes a file or a folder with what is in it. */
void tree_remove(const char *folder, const char *path);

/* A task as /proc shows it: PID/task/TID/{stat,status,cgroup}, PID/stat for a
 * leader.  NSpid is "TID 17", cgroup "/work/PID.scope". */
struct tree_task {
	int pid, tid, ppid;
	const char *comm;
	const char *cpus;	/* Cpus_allowed_list */
	int nice;
	bool kthread;
	long long start_ticks;
};
void tree_task(const char *folder, const struct tree_task *t);

#endif
