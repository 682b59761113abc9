/* SPDX-License-Identifier: MIT */
#include "ui/tui_job.h"

#include "model/err.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"
#define KILL_AFTER_MS 2000

/* -- the process ---------------------------------------------------------- */

static void settle(pid_t parent, int fd)
{
	static const int ignored[] = { SIGPIPE, SIGTSTP, SIGTTOU, SIGTTIN };
	static const int plain[] = { SIGINT,  SIGTERM, SIGHUP,	SIGSEGV,
				     SIGBUS,  SIGFPE,  SIGILL,	SIGABRT };
	int null = open("/dev/null", O_RDWR);
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		signal(plain[i], SIG_DFL);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || null < 0)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	closefrom(STDERR_FILENO + 1);
}

void tui_job_say(double done)
{
	dprintf(STDERR_FILENO, "progress %.4f\n", done);
}

struct body {
	const char **argv;
	int (*fn)(void *ctx, struct err *err);
	void *ctx;
};

/* By its name, which also serves under valgrind; where that is gone, since the
 * program was replaced while it ran, as what runs. */
static void exec_self(const char **argv)
{
	char path[4096];
	ssize_t n = readlink(SELF, path, sizeof(path) - 1);

	if (n > 0) {
		path[n] = '\0';
		execv(path, (char *const *)argv);
	}
	execv(SELF, (char *const *)argv);
}

static void child(const struct body *b)
{
	struct err err = { 0 };
	int ret;

	if (b->argv) {
		exec_self(b->argv);
		dprintf(STDERR_FILENO, "cannot run %s: %s\n", SELF,
			strerror(errno));
		_exit(127);
	}
	ret = b->fn(b->ctx, &err);
	if (ret < 0)
		dprintf(STDERR_FILENO, "%s\n", err.text);
	_exit(ret < 0);
}

static int start(struct tui_job *j, enum tui_job_kind kind,
		 const struct body *b, struct err *err)
{
	pid_t parent = getpid();
	char title[sizeof(j->title)];
	int ends[2];

	memcpy(title, j->title, sizeof(title));
	*j = (struct tui_job){ .fd = -1 };
	memcpy(j->title, title, sizeof(title));
	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, ERR_IO, "cannot make a pipe: %s",
			       strerror(errno));
	fflush(NULL);
	j->pid = fork();
	if (!j->pid) {
		settle(parent, ends[1]);
		child(b);
	}
	close(ends[1]);
	if (j->pid < 0) {
		close(ends[0]);
		return err_set(err, ERR_IO, "cannot start a process: %s",
			       strerror(errno));
	}
	setpgid(j->pid, j->pid);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	j->fd = ends[0];
	j->kind = kind;
	return 0;
}

int tui_job_exec(struct tui_job *j, enum tui_job_kind kind, const char **argv,
		 struct err *err)
{
	struct body b = { .argv = argv };

	argv[0] = "homenode";
	return start(j, kind, &b, err);
}

int tui_job_call(struct tui_job *j, enum tui_job_kind kind,
		 int (*fn)(void *ctx, struct err *err), void *ctx,
		 struct err *err)
{
	struct body b = { .fn = fn, .ctx = ctx };

	return start(j, kind, &b, err);
}

/* -- what it says --------------------------------------------------------- */

static void take_line(struct tui_job *j)
{
	static const char own[] = "homenode: ";
	const char *text = j->line;
	double done;

	j->line[j->len] = 0;
	j->len = 0;
	if (sscanf(text, "progress %lf", &done) == 1) {
		j->done = done < 0 ? 0 : done > 1 ? 1 : done;
	} else if (*text) {
		if (!strncmp(text, own, sizeof(own) - 1))
			text += sizeof(own) - 1;
		snprintf(j->reason, sizeof(j->reason), "%s", text);
	}
}

static void take(struct tui_job *j, const char *bytes, ssize_t n)
{
	ssize_t i;

	for (i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			take_line(j);
		else if (j->len + 1 < (int)sizeof(j->line))
			j->line[j->len++] = bytes[i];
	}
}

static void reap(struct tui_job *j)
{
	int status = 0;

	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(j->fd);
	j->fd = -1;
	j->failed = !WIFEXITED(status) || WEXITSTATUS(status);
	if (WIFSIGNALED(status))
		snprintf(j->reason, sizeof(j->reason), "it died: %s",
			 strsignal(WTERMSIG(status)));
}

bool tui_job_over(struct tui_job *j)
{
	char buf[4096];
	ssize_t n;

	if (!j->kind)
		return false;
	while ((n = read(j->fd, buf, sizeof(buf))) > 0)
		take(j, buf, n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (j->len)
		take_line(j);
	reap(j);
	return true;
}

void tui_job_clear(struct tui_job *j)
{
	*j = (struct tui_job){ .fd = -1 };
}

void tui_job_stop(struct tui_job *j)
{
	int ms;

	if (!j->kind)
		return;
	kill(-j->pid, SIGTERM);
	for (ms = 0; ms < KILL_AFTER_MS && !tui_job_over(j); ms += 5)
		usleep(5000);
	if (j->fd >= 0) {
		kill(-j->pid, SIGKILL);
		reap(j);
	}
	tui_job_clear(j);
}
