/* SPDX-License-Identifier: MIT */
#include "collect/command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/err.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static _Noreturn void wait_and_execute(int go, int failed, char *const argv[],
				       const sigset_t *mask)
{
	char byte;
	int error;

	if (read(go, &byte, 1) != 1)
		_exit(1);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	(void)!write(failed, &error, sizeof(error));
	_exit(error == ENOENT ? 127 : 126);
}

int command_start(struct command *c, char *const argv[], const sigset_t *mask,
		  struct err *err)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 };

	*c = (struct command)COMMAND_INIT;
	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0) {
		err_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
		goto out;
	}
	c->pid = fork();
	if (c->pid < 0)
		err_set(err, ERR_IO, "cannot fork: %s", strerror(errno));
	if (c->pid == 0) {
		close(go[1]);
		close(failed[0]);
		wait_and_execute(go[0], failed[1], argv, mask);
	}
	if (c->pid > 0) {
		c->go_fd = go[1];
		c->failed_fd = failed[0];
		go[1] = failed[0] = -1;
	} else {
		c->pid = 0;
	}
out:
	for (int i = 0; i < 2; i++) {
		close_fd(&go[i]);
		close_fd(&failed[i]);
	}
	return err->code;
}

int command_go(struct command *c, const char *name, struct err *err)
{
	int error = 0;
	ssize_t n;

	if (write(c->go_fd, "", 1) != 1)
		return err_set(err, ERR_IO, "cannot start '%s': %s", name,
			       strerror(errno));
	close_fd(&c->go_fd);
	do {
		n = read(c->failed_fd, &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	close_fd(&c->failed_fd);
	if (n != sizeof(error))
		return 0;
	return err_set(err, error == ENOENT ? ERR_NOTFOUND : ERR_PERM,
		       "cannot run '%s': %s", name, strerror(error));
}

bool command_ended(struct command *c)
{
	if (c->pid > 0 && waitpid(c->pid, &c->status, WNOHANG) == c->pid) {
		c->ended = true;
		c->pid = 0;
	}
	return c->ended;
}

void command_release(struct command *c)
{
	bool waits = c->go_fd >= 0;

	close_fd(&c->go_fd);
	close_fd(&c->failed_fd);
	if (waits && c->pid > 0)
		waitpid(c->pid, &c->status, 0);
}

int command_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
