/* SPDX-License-Identifier: MIT */
#include "collect/command.h"

#include "model/err.h"
#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void wait_for(struct command *c)
{
	siginfo_t info;

	/* Waits, but leaves it to be found by command_ended(). */
	assert_int_equal(waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT), 0);
	assert_true(command_ended(c));
}

static int status_of(const char *script)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct command c = COMMAND_INIT;
	struct err err = { 0 };
	sigset_t none;

	sigemptyset(&none);
	assert_int_equal(command_start(&c, argv, &none, &err), 0);
	assert_int_equal(command_go(&c, "sh", &err), 0);
	wait_for(&c);
	command_release(&c);
	assert_int_equal(c.pid, 0);
	return command_exit_status(c.status);
}

/* As a shell gives it: the status, or 128 + the signal. */
static void passes_the_status_on(void **state)
{
	assert_int_equal(status_of("exit 0"), 0);
	assert_int_equal(status_of("exit 42"), 42);
	assert_int_equal(status_of("kill -TERM $$"), 128 + SIGTERM);
	assert_int_equal(status_of("kill -KILL $$"), 128 + SIGKILL);
}

static void waits_until_it_may_go(void **state)
{
	char *dir = folder_new(), script[700];
	char *argv[] = { (char *)"sh", (char *)"-c", script, NULL };
	struct command c = COMMAND_INIT;
	struct err err = { 0 };
	sigset_t none;

	sigemptyset(&none);
	snprintf(script, sizeof(script), "echo > %s/ran", dir);
	assert_int_equal(command_start(&c, argv, &none, &err), 0);
	assert_true(c.pid > 0);
	assert_false(command_ended(&c));
	command_release(&c);	/* never told to go: it ends by itself */
	assert_int_not_equal(access(folder_path(dir, "ran"), F_OK), 0);

	assert_int_equal(command_start(&c, argv, &none, &err), 0);
	assert_int_equal(command_go(&c, "sh", &err), 0);
	wait_for(&c);
	assert_int_equal(access(folder_path(dir, "ran"), F_OK), 0);
	command_release(&c);
	folder_remove(dir);
}

static int go(const char *name, struct err *err)
{
	char *argv[] = { (char *)name, NULL };
	struct command c = COMMAND_INIT;
	sigset_t none;
	int code;

	*err = (struct err){ 0 };
	sigemptyset(&none);
	assert_int_equal(command_start(&c, argv, &none, err), 0);
	code = command_go(&c, name, err);
	wait_for(&c);
	command_release(&c);
	return code;
}

static void tells_what_cannot_be_run(void **state)
{
	struct err err;

	assert_int_equal(go("no-such-program-x", &err), ERR_NOTFOUND);
	assert_string_equal(err.text, "cannot run 'no-such-program-x': No such "
				      "file or directory");
	assert_int_equal(go("/etc/passwd", &err), ERR_PERM);
	assert_string_equal(err.text,
			    "cannot run '/etc/passwd': Permission denied");
}

/* The command gets the caller's own mask back, not that of the recorder. */
static void restores_the_signal_mask(void **state)
{
	char *argv[] = { (char *)"sh", (char *)"-c",
			 (char *)"kill -INT $$; exit 5", NULL };
	struct command c = COMMAND_INIT;
	struct err err = { 0 };
	sigset_t block, old;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, &old);
	assert_int_equal(command_start(&c, argv, &old, &err), 0);
	assert_int_equal(command_go(&c, "sh", &err), 0);
	wait_for(&c);
	assert_int_equal(command_exit_status(c.status), 128 + SIGINT);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void releases_nothing(void **state)
{
	struct command c = COMMAND_INIT;

	assert_false(command_ended(&c));
	command_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_the_status_on),
		cmocka_unit_test(waits_until_it_may_go),
		cmocka_unit_test(tells_what_cannot_be_run),
		cmocka_unit_test(restores_the_signal_mask),
		cmocka_unit_test(releases_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
