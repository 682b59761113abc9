/* SPDX-License-Identifier: MIT */
#include "ui/replay_jobs.h"

#include "replay/metrics.h"
#include "replay/plugin.h"
#include "ui/bar.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process reports through its pipe: progress, and at the end how it
 * went.  Smaller than PIPE_BUF: a write is never torn. */
struct report {
	double done;
	int64_t end_ns;
	int over;
	int code;
	char text[1000];
};

/* -- in the child ------------------------------------------------------------- */

static int say(int fd, const struct report *r)
{
	ssize_t n;

	do {
		n = write(fd, r, sizeof(*r));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*r) ? 0 : -1;
}

static int show_progress(void *ctx, double done)
{
	struct report r = { .done = done };

	return say(*(int *)ctx, &r);	/* nobody listens any more: stop */
}

/* Where a run is added up. */
struct sums {
	struct residency *r;
	uint64_t checksum;
};

static int add_span(void *ctx, const struct span *s, struct err *err)
{
	struct sums *sums = ctx;

	sums->checksum += span_checksum(s);
	return residency_span(sums->r, s, err);
}

static int add_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	return residency_mem(ctx, m, err);
}

static int add_access(void *ctx, const struct mem_access *a, struct err *err)
{
	return residency_access(ctx, a, err);
}

static int add_up(struct replay_job *job, struct sums *sums,
		  struct metrics_sum *m, struct err *err)
{
	const struct run_sink memory = {
		.ctx = sums->r, .mem = add_mem, .access = add_access };
	const struct run_sink spans = { .ctx = sums, .span = add_span };

	if (spill_read_rest(&job->spill, &memory, err) ||
	    residency_seal(sums->r, err) ||
	    spill_read_spans(&job->spill, &spans, err))
		return err->code;
	metrics_sum(m, sums->r, job->input.tasks->nr);
	return 0;
}

/* Sums that need memory and spans together, kept as counts of the run. */
static int put_sums(struct replay_job *job, struct run_sink *sink,
		    struct err *err)
{
	const struct engine_input *in = &job->input;
	struct metrics_sum sum;
	struct sums sums = { 0 };
	int ret;

	sums.r = residency_new(in->topo, in->tasks, in->areas, in->cost,
			  INT64_MIN / 4, INT64_MAX / 4, err);
	if (!sums.r)
		return err->code;
	ret = add_up(job, &sums, &sum, err);
	job->end_ns = sum.last_ns;
	residency_free(sums.r);
	if (ret)
		return ret;
	if (sink->count(sink->ctx, "wait_ns", sum.wait_ns, err) ||
	    sink->count(sink->ctx, "local_ns", (int64_t)sum.local_ns, err) ||
	    sink->count(sink->ctx, "known_ns", (int64_t)sum.known_ns, err) ||
	    sink->count(sink->ctx, "remote_ns", (int64_t)sum.remote_ns, err) ||
	    sink->count(sink->ctx, "span_checksum", (int64_t)sums.checksum, err))
		return err->code;
	return spill_flush(&job->spill, err);
}

static int replay(struct replay_job *job, int fd, struct err *err)
{
	struct engine_input *in = &job->input;
	struct run_sink sink;

	in->progress = show_progress;
	in->progress_ctx = &fd;
	spill_sink(&job->spill, &sink);
	if (demand_copy_source(job->demand, &in->source, err) ||
	    engine_run(in, &sink, err) || spill_flush(&job->spill, err))
		return err->code;
	return put_sums(job, &sink, err);
}

static void child(struct replay_job *job, int fd)
{
	struct report r = { .over = 1 };
	struct err err = { 0 };

	signal(SIGPIPE, SIG_IGN);
	/* A plug-in may loop for ever: not longer than who waits for it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	r.code = replay(job, fd, &err);
	r.end_ns = job->end_ns;
	memcpy(r.text, err.text, sizeof(r.text));
	say(fd, &r);
	demand_copy_close(&job->input.source);
	_exit(0);
}

/* -- in the parent -------------------------------------------------------------- */

static int start(struct replay_jobs *j, struct replay_job *job,
		 struct err *err)
{
	int ends[2];

	if (spill_open(&job->spill, j->beside, err))
		return err->code;
	if (pipe(ends))
		return err_set(err, ERR_IO, "cannot make a pipe: %s",
			       strerror(errno));
	fflush(NULL);
	job->pid = fork();
	if (!job->pid) {
		close(ends[0]);
		child(job, ends[1]);
	}
	close(ends[1]);
	if (job->pid < 0) {
		close(ends[0]);
		return err_set(err, ERR_IO, "cannot start a process: %s",
			       strerror(errno));
	}
	job->fd = ends[0];
	return 0;
}

/* Nobody but a plug-in should bring a process to an end. */
static void blame(struct replay_job *job, int status)
{
	const struct plugin *p = job->input.policy->plugin;
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (p && sig)
		err_set(&job->err, ERR_IO, "plug-in '%s' died of signal %d (%s) "
			"in seed %" PRIu64, p->path, sig, strsignal(sig),
			job->input.seed);
	else if (p)
		err_set(&job->err, ERR_IO, "plug-in '%s' ended its replay in "
			"seed %" PRIu64, p->path, job->input.seed);
	else if (sig)
		err_set(&job->err, ERR_IO, "the replay of %s died: %s",
			job->title, strsignal(sig));
	else
		err_set(&job->err, ERR_IO, "the replay of %s ended early",
			job->title);
}

/* The process is gone; it has reported how it went, or it crashed. */
static void reap(struct replay_job *job)
{
	int status = 0;

	close(job->fd);
	job->fd = -1;
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!job->over)
		blame(job, status);
	else if (job->err.code)
		err_prefix(&job->err, "%s", job->title);
	job->over = true;
	job->done = 1;
}

static void receive(struct replay_job *job)
{
	struct report r;
	ssize_t n = read(job->fd, &r, sizeof(r));

	if (n < 0 && errno == EINTR)
		return;
	if (n != (ssize_t)sizeof(r)) {
		reap(job);
		return;
	}
	job->done = r.done;
	if (!r.over)
		return;
	job->over = true;
	job->end_ns = r.end_ns;
	r.text[sizeof(r.text) - 1] = '\0';
	if (r.code)
		err_set(&job->err, r.code, "%s", r.text);
	reap(job);
}

static void show(const struct replay_jobs *j)
{
	double done = 0;

	for (int i = 0; i < j->nr; i++)
		done += j->job[i].done;
	if (j->bar)
		bar_show(j->bar, "replay", done / j->nr);
}

static int wait_for_news(struct replay_jobs *j, struct pollfd *fds)
{
	int nr = 0;

	for (int i = 0; i < j->nr; i++)
		if (j->job[i].fd >= 0)
			fds[nr++] = (struct pollfd){
				.fd = j->job[i].fd, .events = POLLIN };
	if (poll(fds, (nfds_t)nr, -1) < 0)
		return errno == EINTR ? 0 : ERR_IO;
	for (int i = 0, k = 0; i < j->nr; i++)
		if (j->job[i].fd >= 0 && fds[k++].revents)
			receive(&j->job[i]);
	show(j);
	return 0;
}

static void stop_all(struct replay_jobs *j)
{
	for (int i = 0; i < j->nr; i++) {
		struct replay_job *job = &j->job[i];

		if (job->fd >= 0) {
			kill(job->pid, SIGKILL);
			reap(job);
		}
		spill_close(&job->spill);
	}
}

/* Spills take room: not many more are filled than have been handed over. */
static bool may_start(const struct replay_jobs *j, int next, int running,
		      int handed)
{
	return next < j->nr && running < j->at_once &&
		next - handed < 2 * j->at_once;
}

static int run(struct replay_jobs *j, struct pollfd *fds, struct err *err)
{
	int next = 0, running = 0, handed = 0;

	while (handed < j->nr) {
		while (may_start(j, next, running, handed)) {
			if (start(j, &j->job[next++], err))
				return err->code;
			running++;
		}
		if (!j->job[handed].over && wait_for_news(j, fds))
			return err_set(err, ERR_IO, "cannot wait for replays: %s",
				       strerror(errno));
		running = 0;
		for (int i = 0; i < next; i++)
			running += j->job[i].fd >= 0;
		if (!j->job[handed].over)
			continue;
		if (j->finished(j->ctx, &j->job[handed], err))
			return err->code;
		spill_close(&j->job[handed++].spill);
	}
	return 0;
}

int replay_jobs_run(struct replay_jobs *j, struct err *err)
{
	struct pollfd *fds = calloc((size_t)j->nr + 1, sizeof(*fds));
	int r;

	if (!fds)
		return err_nomem(err);
	for (int i = 0; i < j->nr; i++)
		j->job[i].fd = -1;
	r = run(j, fds, err);
	stop_all(j);
	free(fds);
	return r;
}
