/* SPDX-License-Identifier: MIT */
/*
 * homenode tui on a pseudo-terminal: it draws, obeys, and leaves the terminal as
 * it found it however it ends.
 */
#include "file_study.h"
#include "tests/support/folder.h"
#include "ui/cmd.h"

#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>
#include <cmocka.h>

struct screen {
	char *folder;
	pid_t pid;
	int fd;			/* the terminal's other side */
	struct termios before;
	char seen[1 << 20];
	size_t nr;
};

/* Reads until the text was seen, or for 20 s. */
static bool sees(struct screen *s, const char *text)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int turn;

	for (turn = 0; turn < 200; turn++) {
		ssize_t n;

		if (s->nr && memmem(s->seen, s->nr, text, strlen(text)))
			return true;
		if (poll(&p, 1, 100) <= 0)
			continue;
		n = read(s->fd, s->seen + s->nr, sizeof(s->seen) - s->nr);
		if (n <= 0)
			return false;
		s->nr += n;
	}
	return false;
}

static void forget(struct screen *s)
{
	s->nr = 0;
}

static void type(struct screen *s, const char *keys)
{
	assert_int_equal(write(s->fd, keys, strlen(keys)), strlen(keys));
}

/* What a shell does for a job: the program in a process group of its own in the
 * foreground; when it stops, the terminal must be as before, and it is
 * continued.  Ends with the job's status, or 90 and more for what was wrong. */
static void child(const char *path);
static const char *term = "xterm-256color";	/* of the next one */
static bool no_control;	/* the terminal does not control it: no SIGHUP */

static void shell(const char *path, const struct termios *before)
{
	struct termios now;
	int status, stops = 0;
	pid_t job;

	signal(SIGTTOU, SIG_IGN);
	job = fork();
	if (!job) {
		setpgid(0, 0);
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
		child(path);
	}
	while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
		stops++;
		tcgetattr(STDIN_FILENO, &now);
		if (now.c_lflag != before->c_lflag)
			_exit(91);
		tcsetpgrp(STDIN_FILENO, job);
		kill(job, SIGCONT);
	}
	_exit(!WIFEXITED(status) ? 92 : stops != 1 ? 93 : WEXITSTATUS(status));
}

static void child(const char *path)
{
	char name[] = "tui", *argv[] = { name, (char *)path, NULL };
	struct err err = { 0 };
	int ret;

	setenv("TERM", term, 1);
	unsetenv("NO_COLOR");
	setlocale(LC_ALL, "C.UTF-8");
	ret = cmd_tui.run(2, argv, &err);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.text);
	_exit(ret < 0 ? err_exit_status(ret) : ret);
}

static int start(void **state, bool job)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct screen *s = calloc(1, sizeof(*s));
	struct err err = { 0 };
	struct termios before;
	char path[300];
	int slave;

	s->folder = folder_new();
	snprintf(path, sizeof(path), "%s", folder_path(s->folder, "x.hn"));
	if (file_study(path, &err))
		fail_msg("%s", err.text);
	/* The slave stays open here, so that its settings can be looked at. */
	if (openpty(&s->fd, &slave, NULL, NULL, &size))
		return -1;
	tcgetattr(slave, &s->before);
	before = s->before;
	s->pid = fork();
	if (!s->pid) {
		close(s->fd);
		free(s->folder);
		free(s);
		if (no_control) {
			setsid();
			dup2(slave, STDIN_FILENO);
			dup2(slave, STDOUT_FILENO);
			dup2(slave, STDERR_FILENO);
			close(slave);
		} else if (login_tty(slave)) {
			_exit(99);
		}
		if (job)
			shell(path, &before);
		child(path);
	}
	close(slave);
	*state = s;
	return s->pid < 0 ? -1 : 0;
}

static int setup(void **state)
{
	return start(state, false);
}

static int setup_job(void **state)
{
	return start(state, true);
}

static int setup_no_control(void **state)
{
	int ret;

	no_control = true;
	ret = start(state, false);
	no_control = false;
	return ret;
}

static int teardown(void **state)
{
	struct screen *s = *state;

	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	if (s->fd >= 0)
		close(s->fd);
	folder_remove(s->folder);
	free(s);
	return 0;
}

/* Waits for its end while reading what it still writes; its wait status. */
static int status_of(struct screen *s)
{
	int status = -1, turn;

	for (turn = 0; turn < 2000; turn++) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };

		if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
			s->pid = 0;
			break;
		}
		if (s->fd < 0) {
			usleep(10000);
		} else if (poll(&p, 1, 10) > 0 && s->nr < sizeof(s->seen)) {
			ssize_t n = read(s->fd, s->seen + s->nr,
					 sizeof(s->seen) - s->nr);

			if (n <= 0) {	/* it hung up, and is about to end */
				waitpid(s->pid, &status, 0);
				s->pid = 0;
				break;
			}
			s->nr += (size_t)n;
		}
	}
	return status;
}

static void assert_sane(struct screen *s)
{
	struct termios now;

	assert_int_equal(tcgetattr(s->fd, &now), 0);
	assert_int_equal(now.c_lflag & (ICANON | ECHO | ISIG),
			 s->before.c_lflag & (ICANON | ECHO | ISIG));
	assert_int_equal(now.c_iflag, s->before.c_iflag);
	assert_int_equal(now.c_oflag, s->before.c_oflag);
	/* The main screen and the cursor came back. */
	assert_true(sees(s, "\033[?1049l"));
	assert_non_null(memmem(s->seen, s->nr, "\033[?25h", 6) ?
				memmem(s->seen, s->nr, "\033[?25h", 6) :
				memmem(s->seen, s->nr, "\033[?12l", 6));
}

static void test_draws_and_quits(void **state)
{
	struct screen *s = *state;

	assert_true(sees(s, "one 101"));
	assert_true(sees(s, "quit"));
	forget(s);
	type(s, "4");
	assert_true(sees(s, "cpu 3"));
	forget(s);
	type(s, "?");
	assert_true(sees(s, "moving about"));
	type(s, "q");
	type(s, "q");
	assert_int_equal(status_of(s), 0);
	assert_sane(s);
}

static void test_grows(void **state)
{
	struct winsize size = { .ws_row = 40, .ws_col = 120 };
	struct screen *s = *state;

	assert_true(sees(s, "quit"));
	forget(s);
	assert_int_equal(ioctl(s->fd, TIOCSWINSZ, &size), 0);
	/* The status line is now line 40. */
	assert_true(sees(s, "\033[40;"));
	type(s, "q");
	assert_int_equal(status_of(s), 0);
}

static void test_mouse(void **state)
{
	struct screen *s = *state;

	assert_true(sees(s, "quit"));
	/* The wheel (button 64) turned up over column 40 of line 6: a column of the
	 * millisecond (1000 us in 46) is half as long; ^L draws all of it. */
	assert_true(sees(s, "+21.7"));
	forget(s);
	type(s, "\033[<64;40;6M\014");
	assert_true(sees(s, "+10.9"));
	forget(s);
	/* SGR: button 0 pressed at column 3 of line 1: the view "runs" */
	type(s, "\033[<0;3;1M\033[<0;3;1m");
	assert_true(sees(s, "policy"));
	type(s, "q");
	assert_int_equal(status_of(s), 0);
}

static void ends_by(struct screen *s, int sig)
{
	int status;

	assert_true(sees(s, "quit"));
	assert_int_equal(kill(s->pid, sig), 0);
	status = status_of(s);
	assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == sig :
					  WEXITSTATUS(status) != 0);
	assert_sane(s);
}

static void test_terminated(void **state)
{
	ends_by(*state, SIGTERM);
}

static void test_quit_signal(void **state)
{
	ends_by(*state, SIGQUIT);
}

static void test_interrupted(void **state)
{
	ends_by(*state, SIGINT);
}

/* What a crash does: the handler resets the terminal, then it dies of it. */
static void test_crash(void **state)
{
	ends_by(*state, SIGSEGV);
}

static void test_terminal_goes_away(void **state)
{
	struct screen *s = *state;

	assert_true(sees(s, "quit"));
	close(s->fd);
	s->fd = -1;
	assert_int_not_equal(status_of(s), -1);
}

/* Nobody sends SIGHUP: only the end of the file tells it. */
static void test_terminal_gone_silently(void **state)
{
	struct screen *s = *state;

	assert_true(sees(s, "quit"));
	close(s->fd);
	s->fd = -1;
	assert_int_equal(status_of(s), 0);
}

static void refused(void **state, const char *name, const char *why)
{
	struct screen *s;

	term = name;
	assert_int_equal(start(state, false), 0);
	term = "xterm-256color";
	s = *state;
	assert_true(sees(s, why));
	assert_int_equal(WEXITSTATUS(status_of(s)), 2);
	assert_null(memmem(s->seen, s->nr, "\033[?1049h", 8));
	teardown(state);
}

static void test_unable_terminals(void **state)
{
	refused(state, "dumb", "terminal 'dumb' cannot show a full screen");
	refused(state, "", "TERM is not set");
	refused(state, "nosuch", "terminal 'nosuch' is not known");
}

static void test_suspended_and_resumed(void **state)
{
	struct screen *s = *state;

	if (getenv("HOMENODE_WRAP"))
		skip();		/* valgrind stops nobody */
	assert_true(sees(s, "quit"));
	forget(s);
	type(s, "\032");
	/* It leaves its screen, comes back, and draws all of it again. */
	assert_true(sees(s, "\033[?1049l"));
	assert_true(sees(s, "\033[?1049h"));
	assert_true(sees(s, "one 101"));
	type(s, "q");
	assert_int_equal(status_of(s), 0);
	assert_sane(s);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_draws_and_quits),
		TEST(test_grows),
		TEST(test_mouse),
		TEST(test_terminated),
		TEST(test_interrupted),
		TEST(test_quit_signal),
		TEST(test_crash),
		TEST(test_terminal_goes_away),
		cmocka_unit_test_setup_teardown(test_terminal_gone_silently,
						setup_no_control, teardown),
		cmocka_unit_test(test_unable_terminals),
		cmocka_unit_test_setup_teardown(test_suspended_and_resumed,
						setup_job, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
