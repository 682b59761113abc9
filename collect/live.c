/* SPDX-License-Identifier: MIT */
#include "collect/live_local.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "collect/clock.h"
#include "collect/procfs.h"
#include "model/err.h"

#define TICK_NS INT64_C(1000000000)	/* between looks for new CPUs */
#define PID_TICK_NS INT64_C(100000000)	/* ... for the end of processes */

void live_note(const struct live *l, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	if (!l->o->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	l->o->note(l->o->ctx, text);
}

/* Takes signals that came; true: one of them ends the recording.  COMMAND gets
 * it too, as it does from a terminal. */
static bool take_signals(struct live *l)
{
	struct signalfd_siginfo info;

	while (read(l->o->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (!l->r->signal)
			l->r->signal = (int)info.ssi_signo;
		if (l->r->command.pid > 0 && info.ssi_code <= 0)
			kill(l->r->command.pid, (int)info.ssi_signo);
	}
	return l->r->signal != 0;
}

static bool pids_ended(const struct live *l)
{
	struct procfs_stat s;

	if (!l->o->nr_pids)
		return false;
	for (int i = 0; i < l->o->nr_pids; i++)
		if (procfs_stat_read("/proc", l->o->pids[i], &s) &&
		    s.state != 'Z' && s.state != 'X')
			return false;
	return true;
}

static bool has_failed(const struct live *l)
{
	struct pollfd fd = { .fd = l->failed_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static int64_t next_tick(const struct live *l)
{
	int64_t now = clock_now();
	int64_t tick = l->o->nr_pids ? PID_TICK_NS : TICK_NS;
	int64_t end = l->o->duration_ns ? l->start_ns + l->o->duration_ns :
					  INT64_MAX;

	return end - now < tick ? end - now : tick;
}

/* Waits for the end; its reason, NULL: something failed. */
static const char *wait_for_end(struct live *l, char *buf, size_t size,
				struct err *err)
{
	struct pollfd fds[] = {
		{ .fd = l->o->signal_fd, .events = POLLIN },
		{ .fd = l->failed_fd, .events = POLLIN },
	};

	for (;;) {
		int64_t left = next_tick(l);

		if (left <= 0)
			return "end of the duration";
		poll(fds, 2, (int)((left + 999999) / 1000000));
		if (has_failed(l))
			return NULL;
		if (take_signals(l)) {
			snprintf(buf, size, "signal %d", l->r->signal);
			return buf;
		}
		if (l->o->command && command_ended(&l->r->command))
			return "end of the command";
		if (pids_ended(l))
			return "end of the processes";
		if (live_follow_cpus(l, err) < 0)
			return NULL;
	}
}

static int begin(struct live *l, struct err *err)
{
	if (live_start_readers(l, err) < 0 ||
	    instance_on(l->instance, err) < 0)
		return err->code;
	l->start_ns = clock_now();
	if (l->watch && watch_start(l->watch, err) < 0)
		return err->code;
	if (l->o->command &&
	    command_go(&l->r->command, l->o->command[0], err) < 0) {
		l->r->command_failed = true;
		return err->code;
	}
	return 0;
}

/* Everything stops and is drained, whatever failed before. */
static void finish(struct live *l, const char *reason, struct err *err)
{
	const uint64_t one = 1;
	struct err tail = { 0 };
	char text[200];
	int64_t end_ns;
	int error;

	(void)!write(l->watch_stop_fd, &one, sizeof(one));
	watch_join(l->watch, err);
	instance_off(l->instance, err);
	end_ns = clock_now();
	l->r->duration_ns = end_ns - l->start_ns;
	live_stop_readers(l, &error, err);
	l->r->disk_full = error == ENOSPC || error == EDQUOT;
	if (error) {
		snprintf(text, sizeof(text), "cannot write: %s", strerror(error));
		reason = text;
	} else if (!reason) {
		snprintf(text, sizeof(text), "error: %.150s", err->text);
		reason = text;
	}
	if (l->watch)
		watch_put_knobs(l->watch, &tail);
	live_put_tail(l, end_ns, reason, &tail);
	if (tail.code && !err->code)
		*err = tail;
}

int live_record(const struct live_options *o, struct live_result *r,
		struct err *err)
{
	struct live l = {
		.o = o, .r = r, .dir = { .mount_fd = -1 },
		.stop_fd = -1, .watch_stop_fd = -1, .failed_fd = -1,
	};
	struct err ignored = { 0 };
	bool began = false;
	char buf[32];

	*r = (struct live_result){ .command = COMMAND_INIT };
	if (live_setup(&l, err) == 0) {
		began = begin(&l, err) == 0;
		finish(&l, began ? wait_for_end(&l, buf, sizeof(buf), err) : NULL,
		       err);
	}
	live_teardown(&l);
	command_release(&r->command);
	if (!began && r->has_spool) {
		spool_remove(o->spool_dir, &ignored);
		r->has_spool = false;
	}
	return err->code;
}
