/* SPDX-License-Identifier: MIT */
#include "collect/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

#include "collect/instance_local.h"
#include "collect/procfs.h"
#include "collect/tracedir.h"
#include "model/err.h"

#define WATERMARK_PCT "50" /* readers are woken when so much is full */

struct instance {
	struct tracefs_instance *tracefs;
	char tracing_dir[PATH_MAX];
	char name[INSTANCE_NAME_MAX];
	char dir[PATH_MAX];
	int lock_fd;		/* the folder, locked */
	int free_fd;		/* free_buffer: closing it ends the tracing */
	int on_fd;		/* tracing_on */
	int64_t buffer_bytes, page_bytes;
	bool has_event[EVENT_NR_KINDS];
};

static int fail(const struct instance *in, const char *what, struct err *err)
{
	int error = errno;
	char hint[400];

	return err_set(err,
		       error == EPERM || error == EACCES ? ERR_PERM : ERR_IO,
		       "cannot %s in '%s': %s%s", what, in->dir,
		       strerror(error), tracedir_hint(error, hint, sizeof(hint)));
}

static int put(const struct instance *in, const char *file, const char *text,
	       struct err *err)
{
	char what[100];

	if (tracefs_instance_file_write(in->tracefs, file, text) >= 0)
		return 0;
	snprintf(what, sizeof(what), "write '%.40s' to '%.40s'", text, file);
	return fail(in, what, err);
}

/* Of options that not every kernel has. */
static void put_option(const struct instance *in, const char *option,
		       const char *value)
{
	char file[100];

	snprintf(file, sizeof(file), "options/%s", option);
	if (tracefs_file_exists(in->tracefs, file))
		tracefs_instance_file_write(in->tracefs, file, value);
}

char *instance_file(const struct instance *in, const char *file, int *len)
{
	char path[PATH_MAX];
	char *text;
	long n;

	*len = 0;
	text = tracefs_instance_file_read(in->tracefs, file, len);
	if (text)
		return text;
	/* What only the top has ("events/header_page"). */
	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 100, in->tracing_dir,
		 file);
	text = malloc(65536);
	if (!text)
		return NULL;
	n = procfs_read(path, text, 65536);
	if (n < 0) {
		free(text);
		return NULL;
	}
	*len = (int)n;
	return text;
}

/* Makes the folder and the lock on it; another recorder's sweep may remove the
 * folder between the two. */
static int make_folder(struct instance *in, struct err *err)
{
	struct stat by_fd, by_path;

	for (int i = 0; i < 10; i++) {
		if (mkdir(in->dir, 0750) < 0 && errno != EEXIST)
			break;
		in->lock_fd = open(in->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (in->lock_fd < 0 && errno == ENOENT)
			continue;
		if (in->lock_fd < 0)
			break;
		if (!flock(in->lock_fd, LOCK_EX | LOCK_NB) &&
		    !fstat(in->lock_fd, &by_fd) && !stat(in->dir, &by_path) &&
		    by_fd.st_ino == by_path.st_ino)
			return 0;
		close(in->lock_fd);
		in->lock_fd = -1;
	}
	return fail(in, "make a tracing instance", err);
}

static int set_clock(struct instance *in, struct err *err)
{
	int len;
	char *clocks = instance_file(in, "trace_clock", &len);
	bool has_mono = clocks && strstr(clocks, "mono");

	free(clocks);
	if (!has_mono)
		return err_set(err, ERR_NOTFOUND,
			       "this kernel has no trace clock 'mono' (Linux 3.17 "
			       "and later have)");
	return put(in, "trace_clock", "mono", err);
}

static int set_buffers(struct instance *in, int64_t bytes, struct err *err)
{
	char text[32];
	long long kib;

	if (bytes <= 0)
		bytes = instance_default_buffer((int64_t)sysconf(_SC_PHYS_PAGES) *
							sysconf(_SC_PAGESIZE),
						(int)sysconf(_SC_NPROCESSORS_ONLN));
	in->page_bytes = sysconf(_SC_PAGESIZE);
	if (!tracefs_instance_file_read_number(in->tracefs,
					       "buffer_subbuf_size_kb", &kib)) {
		snprintf(text, sizeof(text), "%d", instance_page_kib(bytes));
		if (instance_page_kib(bytes) > kib &&
		    tracefs_instance_file_write(in->tracefs,
						"buffer_subbuf_size_kb", text) >= 0)
			kib = instance_page_kib(bytes);
		in->page_bytes = kib * 1024;
	}
	snprintf(text, sizeof(text), "%lld",
		 (long long)(bytes + 1023) / 1024);
	if (tracefs_instance_file_write(in->tracefs, "buffer_size_kb", text) < 0)
		return fail(in, errno == ENOMEM ?
				"get so much memory (--buffer) for every CPU" :
				"set 'buffer_size_kb'", err);
	in->buffer_bytes = bytes;
	tracefs_instance_file_write(in->tracefs, "buffer_percent", WATERMARK_PCT);
	return 0;
}

/* A new instance begins with the top instance's options, whatever they are. */
static int set_options(struct instance *in, struct err *err)
{
	static const struct {
		const char *name, *value;
	} option[] = {
		{ "overwrite", "1" },	    /* only so are losses placed */
		{ "stacktrace", "0" },	    { "userstacktrace", "0" },
		{ "event-fork", "0" },	    { "function-fork", "0" },
		{ "pause-on-trace", "0" },  { "markers", "0" },
		{ "disable_on_free", "1" },
	};

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++)
		put_option(in, option[i].name, option[i].value);
	in->free_fd = tracefs_instance_file_open(in->tracefs, "free_buffer",
						 O_WRONLY | O_CLOEXEC);
	in->on_fd = tracefs_instance_file_open(in->tracefs, "tracing_on",
					       O_WRONLY | O_CLOEXEC);
	return in->on_fd < 0 ? fail(in, "open 'tracing_on'", err) : 0;
}

static int enable_events(struct instance *in, bool faults, struct err *err)
{
	for (int kind = 0; kind < EVENT_NR_KINDS; kind++) {
		if (kind == EVENT_PAGE_FAULT_USER && !faults)
			continue;
		in->has_event[kind] =
			tracefs_event_file_write(in->tracefs,
						 event_kind_system(kind),
						 event_kind_name(kind), "enable",
						 "1") >= 0;
		if (!in->has_event[kind] && kind == EVENT_SWITCH)
			return fail(in, "enable the event sched_switch", err);
	}
	tracefs_event_file_write(in->tracefs, "task", "task_newtask", "enable",
				 "1");
	return 0;
}

int instance_new(struct instance **in, const struct tracedir *dir,
		 const struct instance_setup *setup, struct err *err)
{
	struct instance *new = calloc(1, sizeof(*new));
	int code;

	*in = NULL;
	if (!new)
		return err_nomem(err);
	new->lock_fd = new->free_fd = new->on_fd = -1;
	snprintf(new->tracing_dir, sizeof(new->tracing_dir), "%s", dir->path);
	instance_name_self(new->name);
	snprintf(new->dir, sizeof(new->dir), "%.*s/instances/%s", PATH_MAX - 100,
		 dir->path, new->name);
	code = make_folder(new, err);
	if (code < 0) {
		free(new);
		return code;
	}
	new->tracefs = tracefs_instance_alloc(dir->path, new->name);
	if (!new->tracefs)
		code = fail(new, "use the instance", err);
	if (code == 0)
		code = put(new, "tracing_on", "0", err);
	if (code == 0)
		code = set_options(new, err);
	if (code == 0)
		code = set_clock(new, err);
	if (code == 0)
		code = set_buffers(new, setup->buffer_bytes, err);
	if (code == 0 && instance_is_only_user(dir->path, new->name))
		tracefs_instance_file_write(new->tracefs, "trace_options",
					    "norecord-cmd");
	if (code == 0)
		code = enable_events(new, setup->faults, err);
	if (code < 0)
		instance_free(new);
	else
		*in = new;
	return code;
}

bool instance_free(struct instance *in)
{
	bool removed;

	if (!in)
		return true;
	if (in->on_fd >= 0) {
		tracefs_trace_off_fd(in->on_fd);
		close(in->on_fd);
	}
	if (in->free_fd >= 0)
		close(in->free_fd);
	tracefs_instance_free(in->tracefs);
	removed = !rmdir(in->dir);
	if (in->lock_fd >= 0)
		close(in->lock_fd);
	free(in);
	return removed;
}

int instance_set_pids(struct instance *in, const int *tid, int nr,
		      struct err *err)
{
	char text[16];

	put_option(in, "event-fork", "1");
	if (put(in, "set_event_pid", "", err) < 0)
		return err->code;
	for (int i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), "%d", tid[i]);
		if (tracefs_instance_file_append(in->tracefs, "set_event_pid",
						 text) < 0)
			return fail(in, "write to 'set_event_pid'", err);
	}
	return 0;
}

int instance_on(struct instance *in, struct err *err)
{
	return tracefs_trace_on_fd(in->on_fd) < 0 ?
		       fail(in, "start tracing", err) : 0;
}

int instance_off(struct instance *in, struct err *err)
{
	return tracefs_trace_off_fd(in->on_fd) < 0 ?
		       fail(in, "stop tracing", err) : 0;
}

const char *instance_name(const struct instance *in)
{
	return in->name;
}

bool instance_has_event(const struct instance *in, int event_kind)
{
	return in->has_event[event_kind];
}

int64_t instance_buffer_bytes(const struct instance *in)
{
	return in->buffer_bytes;
}

int64_t instance_page_bytes(const struct instance *in)
{
	return in->page_bytes;
}

int instance_open_cpu(const struct instance *in, int cpu, struct err *err)
{
	char file[64], what[100];
	int fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	fd = tracefs_instance_file_open(in->tracefs, file,
					O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	snprintf(what, sizeof(what), "open '%s'", file);
	return fail(in, what, err);
}

int instance_cpu_stats(const struct instance *in, int cpu, struct cpu_stats *s,
		       struct err *err)
{
	char file[64], what[100];
	char *text;
	int len;

	*s = (struct cpu_stats){ 0 };
	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
	text = tracefs_instance_file_read(in->tracefs, file, &len);
	if (!text) {
		snprintf(what, sizeof(what), "read '%s'", file);
		return fail(in, what, err);
	}
	cpu_stats_parse(s, text);
	free(text);
	return 0;
}
