/* SPDX-License-Identifier: MIT */
#include "collect/live_local.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "collect/clock.h"
#include "collect/knobs.h"
#include "collect/topo_read.h"
#include "model/err.h"

static int open_events(struct live *l, struct err *err)
{
	int *const fd[] = { &l->stop_fd, &l->watch_stop_fd, &l->failed_fd };

	for (size_t i = 0; i < sizeof(fd) / sizeof(fd[0]); i++) {
		*fd[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (*fd[i] < 0)
			return err_set(err, ERR_IO, "cannot make an eventfd: %s",
				       strerror(errno));
	}
	return 0;
}

static bool has_nodes(const struct topo *t)
{
	int nr = 0;

	for (int i = 0; i < t->nr_node_ids; i++)
		nr += t->node[i].present && t->node[i].mem_bytes != 0;
	return nr > 1;
}

static int make_instance(struct live *l, struct err *err)
{
	struct instance_setup setup = { .buffer_bytes = l->o->buffer_bytes };
	struct err swept = { 0 };
	int nr;

	if (tracedir_open(&l->dir, err) < 0)
		return err->code;
	nr = instance_sweep(l->dir.path, "/proc", &swept);
	if (nr < 0)
		live_note(l, "%s", swept.text);
	else if (nr > 0)
		live_note(l, "removed %d tracing instance%s that a killed recorder "
			  "left behind", nr, nr > 1 ? "s" : "");
	if (topo_read_live(&l->topo, "", err) < 0)
		return err->code;
	l->faults = l->o->faults == LIVE_FAULTS_ON ||
		    (l->o->faults == LIVE_FAULTS_AUTO && has_nodes(&l->topo));
	setup.faults = l->faults;
	return instance_new(&l->instance, &l->dir, &setup, err);
}

/* Threads of the processes given, for set_event_pid. */
static int list_threads(const struct live *l, int **tid, int *nr,
			struct err *err)
{
	*nr = 0;
	*tid = NULL;
	for (int i = 0; i < l->o->nr_pids; i++) {
		char path[64];
		struct dirent *ent;
		DIR *d;

		snprintf(path, sizeof(path), "/proc/%d/task", l->o->pids[i]);
		d = opendir(path);
		while (d && (ent = readdir(d))) {
			int *new;

			if (ent->d_name[0] == '.')
				continue;
			new = realloc(*tid, ((size_t)*nr + 1) * sizeof(*new));
			if (!new) {
				closedir(d);
				return err_nomem(err);
			}
			*tid = new;
			new[(*nr)++] = atoi(ent->d_name);
		}
		if (d)
			closedir(d);
	}
	return 0;
}

static int narrow(struct live *l, struct err *err)
{
	int *tid, nr, code;

	if (!l->o->only)
		return 0;
	if (l->in_namespace)
		return err_set(err, ERR_USAGE,
			       "--only does not work inside a pid namespace: "
			       "the kernel traces by the host's pids");
	if (l->r->command.pid > 0)
		return instance_set_pids(l->instance, &l->r->command.pid, 1, err);
	code = list_threads(l, &tid, &nr, err);
	if (code == 0)
		code = instance_set_pids(l->instance, tid, nr, err);
	free(tid);
	return code;
}

/* Copies a file of the instance to the spool. */
static int copy_file(struct live *l, const char *from, const char *to,
		     bool optional, struct err *err)
{
	int len, code;
	char *text = instance_file(l->instance, from, &len);

	if (!text)
		return optional ? 0 :
			err_set(err, ERR_IO, "cannot read '%s'", from);
	code = spool_put_file(l->spool, to, text, (size_t)len, err);
	free(text);
	return code;
}

static int copy_format(struct live *l, int kind, struct err *err)
{
	const char *system = event_kind_system(kind);
	const char *name = event_kind_name(kind);
	char from[120], to[100];

	snprintf(from, sizeof(from), "events/%s/%s/format", system, name);
	snprintf(to, sizeof(to), "%s.%s.format", system, name);
	return copy_file(l, from, to, false, err);
}

static int put_formats(struct live *l, struct err *err)
{
	char missing[300] = "";
	size_t len = 0;

	if (copy_file(l, "events/header_page", "header_page", false, err) < 0 ||
	    copy_file(l, "events/task/task_newtask/format",
		      "task.task_newtask.format", true, err) < 0)
		return err->code;
	for (int kind = 0; kind < EVENT_NR_KINDS; kind++) {
		if (instance_has_event(l->instance, kind)) {
			if (copy_format(l, kind, err) < 0)
				return err->code;
		} else if (kind != EVENT_PAGE_FAULT_USER || l->faults) {
			len += (size_t)snprintf(missing + len,
						sizeof(missing) - len, "%s%s",
						len ? " " : "",
						event_kind_name(kind));
		}
	}
	if (!len)
		return 0;
	live_note(l, "this kernel does not have: %s", missing);
	return spool_put_knob(l->spool, "homenode.missing_events", missing, err);
}

static int put_knob(void *ctx, const char *name, const char *value,
		    struct err *err)
{
	return spool_put_knob(ctx, name, value, err);
}

static int put_number(struct live *l, const char *name, int64_t value,
		      struct err *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	return spool_put_knob(l->spool, name, text, err);
}

/* So that other logs can be laid beside the recording. */
static int put_clocks(struct live *l, struct err *err)
{
	static const struct {
		const char *name;
		clockid_t clock;
	} clock[] = {
		{ "homenode.clock_mono_ns", CLOCK_MONOTONIC },
		{ "homenode.clock_boot_ns", CLOCK_BOOTTIME },
		{ "homenode.clock_real_ns", CLOCK_REALTIME },
	};
	int code = 0;

	for (size_t i = 0; i < sizeof(clock) / sizeof(clock[0]) && !code; i++)
		code = put_number(l, clock[i].name, clock_ns(clock[i].clock),
				  err);
	return code;
}

static int put_settings(struct live *l, struct err *err)
{
	struct tracedir debug = { .mount_fd = -1 };
	bool has_debug = tracedir_open_debug(&debug);
	const struct knob_roots roots = {
		.proc = "/proc", .sys = "/sys",
		.debug = has_debug ? debug.path : NULL,
	};
	int code = knobs_read(&roots, put_knob, l->spool, err);

	tracedir_close(&debug);
	if (code == 0)
		code = put_clocks(l, err);
	if (code == 0)
		code = put_number(l, "homenode.buffer_kib",
				  instance_buffer_bytes(l->instance) / 1024, err);
	if (code == 0)
		code = put_number(l, "homenode.faults", l->faults, err);
	if (code == 0)
		code = put_number(l, "homenode.only", l->o->only, err);
	if (code == 0)
		code = put_number(l, "homenode.pid_namespace", l->in_namespace,
				  err);
	return code;
}

static int make_spool(struct live *l, struct err *err)
{
	const struct spool_head head = {
		.command = l->o->command_line,
		.page_bytes = instance_page_bytes(l->instance),
		.start_ns = clock_now(),
		.nr_cpus = l->nr_cpus,
		.faults = l->faults,
	};

	if (spool_create(&l->spool, l->o->spool_dir, &head, err) < 0)
		return err->code;
	l->r->has_spool = true;
	if (put_formats(l, err) < 0 ||
	    spool_put_topo(l->spool, &l->topo, err) < 0)
		return err->code;
	return put_settings(l, err);
}

static int make_watch(struct live *l, struct err *err)
{
	const struct watch_setup setup = {
		.spool = l->spool,
		.proc = "/proc",
		.command_pid = l->r->command.pid,
		.all_cpus = &l->online,
		.memory = l->o->memory,
		.interval_ns = l->o->sample_interval_ns,
		.budget = l->o->sample_budget,
		.only = !l->o->only ? NULL :
			l->r->command.pid > 0 ? &l->r->command.pid :
						l->o->pids,
		.nr_only = !l->o->only ? 0 :
			   l->r->command.pid > 0 ? 1 : l->o->nr_pids,
		.stop_fd = l->watch_stop_fd,
		.failed_fd = l->failed_fd,
	};

	if (l->in_namespace) {
		live_note(l, "inside a pid namespace: names are those of the "
			  "events, processes and memory are not known");
		return 0;
	}
	return watch_new(&l->watch, &setup, err);
}

int live_setup(struct live *l, struct err *err)
{
	l->in_namespace = tracedir_in_pid_namespace("/proc");
	if (l->o->command &&
	    command_start(&l->r->command, l->o->command, l->o->command_mask,
			  err) < 0)
		return err->code;
	if (open_events(l, err) < 0 || live_find_cpus(l, err) < 0 ||
	    make_instance(l, err) < 0 || narrow(l, err) < 0 ||
	    make_spool(l, err) < 0 || make_watch(l, err) < 0)
		return err->code;
	return 0;
}

void live_teardown(struct live *l)
{
	int *const fd[] = { &l->stop_fd, &l->watch_stop_fd, &l->failed_fd };

	watch_free(l->watch);
	spool_close(l->spool);
	if (!instance_free(l->instance))
		live_note(l, "the tracing instance is in use by somebody else; "
			  "the next recording removes it");
	tracedir_close(&l->dir);
	topo_release(&l->topo);
	cpumask_release(&l->online);
	free(l->reader);
	for (size_t i = 0; i < sizeof(fd) / sizeof(fd[0]); i++)
		if (*fd[i] >= 0)
			close(*fd[i]);
}
