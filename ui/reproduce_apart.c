/* SPDX-License-Identifier: MIT */
#include "ui/reproduce_run.h"

#include "model/err.h"
#include "replay/plugin.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process of a replay reports.  Smaller than PIPE_BUF: never torn. */
struct report {
	struct repro_run run;
	struct err err;
};

static void child(const struct bench *b, const struct policy_spec *policy,
		  uint64_t seed, int fd)
{
	struct report r = { .err = { 0 } };

	/* A plug-in may loop for ever: not longer than who waits for it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	repro_run(b, policy, seed, &r.run, &r.err);
	while (write(fd, &r, sizeof(r)) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int blame(const struct plugin *p, uint64_t seed, int status,
		 struct err *err)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (!sig)
		return err_set(err, ERR_IO, "plug-in '%s' ended its replay in "
			       "seed %llu", p->path, (unsigned long long)seed);
	return err_set(err, ERR_IO, "plug-in '%s' died of signal %d (%s) in "
		       "seed %llu", p->path, sig, strsignal(sig),
		       (unsigned long long)seed);
}

static int wait_for(int fd, int pid, struct report *r)
{
	ssize_t n;
	int status = 0;

	do {
		n = read(fd, r, sizeof(*r));
	} while (n < 0 && errno == EINTR);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return n == (ssize_t)sizeof(*r) ? -1 : status;
}

static int apart(const struct bench *b, const struct policy_spec *policy,
		 uint64_t seed, struct repro_run *out, struct err *err)
{
	struct report r;
	int ends[2], pid, status;

	if (pipe(ends))
		return err_set(err, ERR_IO, "no pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		child(b, policy, seed, ends[1]);
	close(ends[1]);
	status = pid < 0 ? 0 : wait_for(ends[0], pid, &r);
	close(ends[0]);
	if (pid < 0)
		return err_set(err, ERR_IO, "no process: %s", strerror(errno));
	if (status >= 0)
		return blame(policy->plugin, seed, status, err);
	*out = r.run;
	return r.err.code ? err_set(err, r.err.code, "%s", r.err.text) : 0;
}

int reproduce_replay(const struct bench *b, const struct policy_spec *policy,
		     uint64_t seed, struct repro_run *out, struct err *err)
{
	return policy->plugin ? apart(b, policy, seed, out, err) :
		repro_run(b, policy, seed, out, err);
}
