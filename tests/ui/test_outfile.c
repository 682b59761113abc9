/* SPDX-License-Identifier: MIT */
/* Files are there whole or not at all. */
#include "model/err.h"
#include "tests/support/folder.h"
#include "ui/outfile.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static int setup(void **state)
{
	*state = folder_new();
	return 0;
}

static int teardown(void **state)
{
	folder_remove(*state);
	return 0;
}

static int write_text(const char *path, enum outfile_mode mode,
		      const char *text, int ret, struct err *err)
{
	struct outfile o;

	*err = (struct err){ 0 };
	if (outfile_open(&o, path, mode, err))
		return err->code;
	fputs(text, o.out);
	return outfile_close(&o, ret, err);
}

static void expect(const char *path, const char *want)
{
	size_t size;
	char *text = (char *)file_read(path, &size);

	assert_non_null(text);
	assert_int_equal(size, strlen(want));
	assert_memory_equal(text, want, size);
	free(text);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & (S_IFMT | 0777);
}

static void test_new(void **state)
{
	char *path = strdup(folder_path(*state, "a"));
	mode_t was = umask(027);
	struct err err;

	assert_int_equal(write_text(path, OUTFILE_NEW, "one", 0, &err), 0);
	umask(was);
	expect(path, "one");
	assert_int_equal(mode_of(path), S_IFREG | 0640);
	assert_int_equal(write_text(path, OUTFILE_NEW, "two", 0, &err),
			 ERR_EXISTS);
	expect(path, "one");
	/* What failed is dropped. */
	assert_int_equal(write_text(folder_path(*state, "b"), OUTFILE_NEW, "x",
				    ERR_FORMAT, &err), ERR_FORMAT);
	assert_int_equal(folder_count(*state), 1);
	free(path);
}

static void test_replace(void **state)
{
	char *path = strdup(folder_path(*state, "a"));
	char *link = strdup(folder_path(*state, "link"));
	struct err err;

	assert_int_equal(write_text(path, OUTFILE_REPLACE, "one", 0, &err), 0);
	assert_int_equal(chmod(path, 0604), 0);
	assert_int_equal(write_text(path, OUTFILE_REPLACE, "x", ERR_IO, &err),
			 ERR_IO);
	expect(path, "one");
	assert_int_equal(write_text(path, OUTFILE_REPLACE, "two", 0, &err), 0);
	expect(path, "two");
	assert_int_equal(mode_of(path), S_IFREG | 0604);
	/* Through a link: what it leads to. */
	assert_int_equal(symlink("a", link), 0);
	assert_int_equal(write_text(link, OUTFILE_NEW, "x", 0, &err),
			 ERR_EXISTS);
	assert_int_equal(write_text(link, OUTFILE_REPLACE, "three", 0, &err), 0);
	assert_int_equal(mode_of(link) & S_IFMT, S_IFLNK);
	expect(path, "three");
	assert_int_equal(folder_count(*state), 2);
	free(path);
	free(link);
}

/* Names as long as there are leave no room for a longer one beside them. */
static void test_longest_name(void **state)
{
	char name[256], *path;
	struct err err;

	memset(name, 'n', 255);
	name[255] = 0;
	path = strdup(folder_path(*state, name));
	assert_int_equal(write_text(path, OUTFILE_NEW, "1", 0, &err), 0);
	assert_int_equal(write_text(path, OUTFILE_REPLACE, "2", 0, &err), 0);
	expect(path, "2");
	assert_int_equal(folder_count(*state), 1);
	free(path);
}

static void test_no_place(void **state)
{
	struct err err;

	assert_int_equal(write_text(folder_path(*state, "no/a"),
				    OUTFILE_REPLACE, "x", 0, &err), ERR_IO);
	assert_non_null(strstr(err.text, "no/a': No such file or directory"));
	assert_int_equal(write_text(*state, OUTFILE_REPLACE, "x", 0, &err),
			 ERR_IO);
	assert_non_null(strstr(err.text, "Is a directory"));
	assert_int_equal(write_text("/dev/full", OUTFILE_REPLACE, "x", 0, &err),
			 ERR_IO);
	assert_non_null(strstr(err.text, "No space left"));
	assert_int_equal(write_text("/dev/null", OUTFILE_REPLACE, "x", 0, &err),
			 0);
	assert_int_equal(folder_count(*state), 0);
}

/* Another makes a file of that name while it is written. */
static void test_made_meanwhile(void **state)
{
	char *path = strdup(folder_path(*state, "a"));
	struct err err = { 0 };
	struct outfile o;

	assert_int_equal(outfile_open(&o, path, OUTFILE_NEW, &err), 0);
	fputs("mine", o.out);
	assert_int_equal(file_write(path, "theirs", 6), 0);
	assert_int_equal(outfile_close(&o, 0, &err), ERR_EXISTS);
	expect(path, "theirs");
	assert_int_equal(folder_count(*state), 1);
	free(path);
}

/* In a child, since it ends: by that signal, in the middle of writing. */
static void die_of(const char *folder, int sig)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		const struct rlimit limit = { 1000, 1000 };
		struct err err = { 0 };
		struct outfile o;

		signal(sig, SIG_DFL);
		if (outfile_open(&o, folder_path(folder, "dead"), OUTFILE_NEW,
				 &err))
			_exit(1);
		fputs("half", o.out);
		fflush(o.out);
		if (sig == SIGXFSZ) {
			setrlimit(RLIMIT_FSIZE, &limit);
			fprintf(o.out, "%2000d", 1);
			fflush(o.out);
		}
		raise(sig);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), sig);
	assert_int_equal(folder_count(folder), 0);
}

static void test_signals(void **state)
{
	die_of(*state, SIGINT);
	die_of(*state, SIGTERM);
	die_of(*state, SIGHUP);
	die_of(*state, SIGKILL);
	die_of(*state, SIGXFSZ);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new),
		TEST(test_replace),
		TEST(test_longest_name),
		TEST(test_no_place),
		TEST(test_made_meanwhile),
		TEST(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
