/* SPDX-License-Identifier: MIT */
/*
 * tracedir: the kernel's tracing folder, wherever it is.
 *
 * A tracefs that is mounted is used where it is.  Else one is mounted for this
 * process alone (a detached mount: no path of the system leads to it, and it
 * is gone when the process ends, however it ends); the same serves for reading
 * debugfs.  Needs CAP_SYS_ADMIN and Linux 5.2 or later.
 */
#ifndef COLLECT_TRACEDIR_H
#define COLLECT_TRACEDIR_H

#include <limits.h>
#include <stdbool.h>

struct err;

struct tracedir {
	char path[PATH_MAX];	/* no slash at the end */
	int mount_fd;		/* -1: it was mounted before */
};

/* ERR_PERM says which privilege is missing and how to get it, ERR_NOTFOUND
 * that the kernel has no tracing. */
int tracedir_open(struct tracedir *t, struct err *err);
void tracedir_close(struct tracedir *t);

/* The same for debugfs, of which only scheduler settings are read; false where
 * it is neither mounted nor can be. */
bool tracedir_open_debug(struct tracedir *t);

/* Where a file system of this type is mounted by /proc/self/mounts or a file of
 * that form; the first one counts.  path: PATH_MAX. */
bool tracedir_find_mount(const char *mounts, const char *type, char *path);

/* Puts a sentence on how to get what an errno of tracefs says is missing into
 * buf ("" for an errno that no privilege mends); returns buf. */
const char *tracedir_hint(int error, char *buf, int size);

/* True in a pid namespace of its own, whose pids are not those of the trace. */
bool tracedir_in_pid_namespace(const char *proc);

#endif
