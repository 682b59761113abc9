/* SPDX-License-Identifier: MIT */
/*
 * plugin: a policy from a shared object that a user built (policy.h tells what
 * is in one).
 *
 * Its path must have a slash, as dlopen() has it: a bare name is never searched
 * for.  Everything is looked at in a process of its own first, so that an object
 * that crashes when it is loaded, or whose tables point nowhere, is an error
 * like any other.  What it does later it does in the process of its replay
 * (ui/replay_jobs.h).
 */
#ifndef REPLAY_PLUGIN_H
#define REPLAY_PLUGIN_H

#include "replay/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plugin {
	const struct policy_ops *ops;
	char *path;		/* as it was given */
	const char *file;	/* the last part of it */
	uint64_t hash;		/* of what the file holds: FNV-1a, 64 bits */
	void *handle;		/* private */
};

/* True for a policy's name that is the path of a plug-in. */
bool plugin_is_path(const char *name);

/* ERR_NOTFOUND, ERR_IO, ERR_FORMAT: names the file and what is wrong with it.
 * Close it also after an error; a copy of *ops's strings must not outlive it. */
int plugin_open(struct plugin *p, const char *path, struct err *err);
void plugin_close(struct plugin *p);

/*
 * Checks what a plug-in exports; size: bytes of the symbol that was found.
 * ERR_FORMAT says the first thing that is wrong, without the file's name.  It
 * reads nothing behind a wrong ABI or size, never more of a name or text than is
 * allowed, and at most PLUGIN_MAX_KNOBS + 1 knobs; that pointers point somewhere
 * cannot be checked.
 */
#define PLUGIN_MAX_KNOBS 100
int plugin_check(const struct policy_plugin *x, size_t size, struct err *err);

/* True if the file can be opened, is a regular file and not empty; sets its
 * hash, or err without the file's name. */
bool plugin_hash(const char *path, uint64_t *hash, struct err *err);

#endif
