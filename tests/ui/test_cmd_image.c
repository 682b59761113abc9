/* SPDX-License-Identifier: MIT */
/* homenode image as a command: what it makes, and what it says to nonsense. */
#include "file_study.h"
#include "tests/support/folder.h"
#include "ui/cmd.h"
#include "ui/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

static int setup(void **state)
{
	struct err err = { 0 };

	*state = folder_new();
	if (file_study(folder_path(*state, "x.hn"), &err))
		fail_msg("%s", err.text);
	return 0;
}

static int teardown(void **state)
{
	folder_remove(*state);
	return 0;
}

/* Words after "image"; @ at a word's begin stands for the folder. */
static int image(const char *folder, struct err *err, const char *words)
{
	char text[1000], *argv[30], *save, *word;
	char path[30][300];
	int argc = 0;

	snprintf(text, sizeof(text), "image %s", words);
	for (word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		snprintf(path[argc], sizeof(path[argc]), "%s%s%s",
			 *word == '@' ? folder : "", *word == '@' ? "/" : "",
			 *word == '@' ? word + 1 : word);
		argv[argc] = path[argc];
		argc++;
	}
	*err = (struct err){ 0 };
	return cmd_image.run(argc, argv, err);
}

static void test_draws(void **state)
{
	struct err err;
	uint8_t *png;
	size_t size;

	if (image(*state, &err, "@x.hn -o @a.png"))
		fail_msg("%s", err.text);
	png = file_read(folder_path(*state, "a.png"), &size);
	assert_non_null(png);
	/* IHDR: the width is in bytes 16 to 19, big endian */
	assert_int_equal(png[18] << 8 | png[19], 1600);
	free(png);
	assert_int_equal(image(*state, &err, "@x.hn 0 recorded -o @b.svg "
			       "--mode locality --theme dark --sort name "
			       "--top 1 --from 100us --to 900us"), 0);
	assert_int_equal(image(*state, &err, "@x.hn -o @c.pdf -r cpus "
			       "--mode load --size 500x300"), 0);
	assert_int_equal(image(*state, &err, "@x.hn -o @d.png --comm tw* "
			       "--pid 102,103 --no-pages -r processes"), 0);
	assert_int_equal(image(*state, &err, "@x.hn 0 0 -o @e.png -m diff"), 0);
	assert_int_equal(image(*state, &err, "@x.hn --diff 0 0 -o @f.png"), 0);
	assert_int_equal(image(*state, &err, "@x.hn -r nodes --theme dark "
			       "--mode load --size 8000x400 -o @g.png"), 0);
	assert_int_equal(image(*state, &err, "@x.hn -o @a.png --force"), 0);
}

static void refused(const char *folder, const char *words, int code,
		    const char *why)
{
	struct err err;

	assert_int_equal(image(folder, &err, words), code);
	if (!strstr(err.text, why))
		fail_msg("%s: '%s' does not say '%s'", words, err.text, why);
}

static void test_refuses(void **state)
{
	const char *f = *state;

	refused(f, "", ERR_USAGE, "a file");
	refused(f, "@x.hn", ERR_USAGE, "-o");
	refused(f, "@x.hn -o @a.gif", ERR_USAGE, ".png, .svg or .pdf");
	refused(f, "@x.hn -o @a.png --mode blue", ERR_USAGE, "node, locality");
	refused(f, "@x.hn -o @a.png --rows rows", ERR_USAGE, "tasks, proc");
	refused(f, "@x.hn -o @a.png --sort it", ERR_USAGE, "cpu, node, loc");
	refused(f, "@x.hn -o @a.png --theme grey", ERR_USAGE, "light, dark");
	refused(f, "@x.hn -o @a.png --size 10x10", ERR_USAGE, "100 to 20000");
	refused(f, "@x.hn -o @a.png --size 400x", ERR_USAGE, "WIDTHxHEIGHT");
	refused(f, "@x.hn -o @a.png --size 100x100", ERR_USAGE, "no room");
	refused(f, "@x.hn -o @a.png --top 0", ERR_USAGE, "--top");
	refused(f, "@x.hn -o @a.png --pid 1,a", ERR_USAGE, "process ids");
	refused(f, "@x.hn -o @a.png --pid 99999999999", ERR_USAGE, "process");
	refused(f, "@x.hn -o @a.png --from 2s --to 1s", ERR_USAGE, "before");
	refused(f, "@x.hn -o @a.png --from 2ms", ERR_USAGE, "1.00 ms long");
	refused(f, "@x.hn o1 -o @a.png", ERR_NOTFOUND, "o1");
	refused(f, "@x.hn 0 -o @a.png -m diff", ERR_USAGE, "two runs");
	refused(f, "@x.hn 0 0 0 0 0 0 0 0 0 -o @a.png", ERR_USAGE, "at most 8");
	refused(f, "@x.hn -o @a.png --comm nobody", ERR_NOTFOUND, "--comm");
	refused(f, "@x.hn -o @a.png --comm nobody", ERR_NOTFOUND,
		"there are: one, two");
	refused(f, "@x.hn -o @a.png -r memory", ERR_NOTFOUND, "--numa-maps");
	refused(f, "@x.hn 0 -o @a.png --diff", ERR_USAGE, "F --diff A B");
	refused(f, "@x.hn 0 0 -o @a.png --diff -m wait", ERR_USAGE, "exclude");
	refused(f, "@x.hn 0 0 -o @a.png --diff -r memory", ERR_USAGE,
		"not of memory");
	refused(f, "@no.hn -o @a.png", ERR_NOTFOUND, "no.hn");
	refused(f, "@x.hn -o @no/a.png", ERR_IO, "no/a.png");
	/* Nothing was left behind. */
	assert_int_equal(folder_count(f), 1);
}

/* The spans that were drawn are those of the events, to the ns. */
static void test_study(void **state)
{
	struct err err = { 0 };
	struct track_total total;
	struct study s;
	struct span sp;

	if (study_open(&s, folder_path(*state, "x.hn"), NULL, &err) ||
	    study_load(&s, 0, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(s.nr_runs, 1);
	assert_string_equal(s.run[0].title, "recorded");
	assert_non_null(strstr(s.run[0].caption, "Linux 6.1"));
	tracks_total(s.run[0].tracks, TRACK_TASK, 0, &total);
	assert_int_equal(total.run_ns, 900000);
	assert_int_equal(total.node_ns[0], 400000);
	assert_int_equal(total.node_ns[1], 500000);
	assert_int_equal(total.node_moves, 1);
	tracks_total(s.run[0].tracks, TRACK_TASK, 1, &total);
	assert_int_equal(total.run_ns, 200000 + 550000);
	tracks_get(s.run[0].tracks, TRACK_TASK, 1, 1, &sp);
	assert_int_equal(sp.cpu, 3);
	assert_int_equal(sp.ready_ns, 340000);
	assert_int_equal(sp.waker, 0);
	study_release(&s);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_draws),
		TEST(test_refuses),
		TEST(test_study),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
