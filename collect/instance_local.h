/* SPDX-License-Identifier: MIT */
/*
 * instance_local: names of instances, and what follows from them.
 *
 *	instance.c		the recorder's own instance
 *	instance_others.c	names, the sweep, who else is tracing, sizes
 */
#ifndef COLLECT_INSTANCE_LOCAL_H
#define COLLECT_INSTANCE_LOCAL_H

#include "collect/instance.h"

#define INSTANCE_NAME_MAX 64

/* This process's name for its instance. */
void instance_name_self(char name[INSTANCE_NAME_MAX]);

/* Owner of an instance by its name; false: not one of ours. */
bool instance_name_parse(const char *name, int *pid, int64_t *start_ticks);

/* True if no event is enabled in the top instance and in any other one.  Only
 * then may saving of comms be turned off in ours: the kernel would turn it off
 * for the events of all. */
bool instance_is_only_user(const char *tracing_dir, const char *own_name);

#endif
