/* SPDX-License-Identifier: MIT */
/*
 * The terminal program driven by the scripts of tests/tui: NAME.keys is played
 * on small_study.h, and each screen that it saves must equal the file of that
 * name in tests/tui.  The first line of a script may be "#: WxH [utf8] [8|256]".
 * HOMENODE_REFRESH=1 writes the screens instead: look at them before they are
 * committed.
 */
#include "small_study.h"
#include "tests/support/folder.h"
#include "ui/tui_local.h"
#include "ui/tui_script.h"

#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

static char screens[PATH_MAX];	/* tests/tui */

struct how {
	int w, h;
	bool utf8;
	enum colours colours;
};

/* -- every key is pressed in some script ----------------------------------- */

#define MAX_KEYS 400

static struct {
	const struct tui_binding *binding;
	int code;
} pressed[MAX_KEYS];
static int nr_pressed;

static void note(void *ctx, const struct tui_binding *b, int code)
{
	int i;

	for (i = 0; i < nr_pressed; i++)
		if (pressed[i].binding == b && pressed[i].code == code)
			return;
	assert_true(nr_pressed < MAX_KEYS);
	pressed[nr_pressed].binding = b;
	pressed[nr_pressed++].code = code;
}

static int missing(const char *table, const struct tui_binding *b, int code)
{
	char name[16];
	int i;

	for (i = 0; i < nr_pressed; i++)
		if (pressed[i].binding == b && pressed[i].code == code)
			return 0;
	print_error("%s: no script presses %s (%s)\n", table,
		    tui_key_name(code, name), b->help);
	return 1;
}

static int missing_of(const char *table, const struct tui_binding *b)
{
	int nr = 0;

	for (; b && b->help; b++) {
		if (b->key)
			nr += missing(table, b, b->key);
		if (b->other)
			nr += missing(table, b, b->other);
	}
	return nr;
}

/* After test_screens, which plays all scripts. */
static void test_every_key(void **state)
{
	int i, nr = 0;

	assert_true(nr_pressed > 0);
	for (i = 0; i < TUI_NR_VIEWS; i++) {
		nr += missing_of(tui_views[i]->name, tui_views[i]->keys);
		nr += missing_of(tui_views[i]->name, tui_views[i]->more_keys);
	}
	nr += missing_of("everywhere", tui_keys);
	nr += missing_of("prompt", tui_prompt_keys);
	assert_int_equal(nr, 0);
}

/* No key means two things in one view, but where the view takes it over. */
static void test_no_key_twice(void **state)
{
	int i;

	for (i = 0; i < TUI_NR_VIEWS; i++) {
		const struct tui_binding *b;

		for (b = tui_views[i]->keys; b && b->help; b++) {
			if (b->key)
				assert_ptr_equal(tui_binding_get(
					tui_views[i]->keys, b->key), b);
			if (b->other)
				assert_ptr_equal(tui_binding_get(
					tui_views[i]->keys, b->other), b);
		}
	}
}

static struct how how_of(const char *path)
{
	struct how how = { 80, 24, false, COLOURS_NONE };
	char line[200] = "";
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	if (fgets(line, sizeof(line), in) && !strncmp(line, "#: ", 3)) {
		sscanf(line, "#: %dx%d", &how.w, &how.h);
		how.utf8 = strstr(line, "utf8");
		how.colours = strstr(line, " 256") ? COLOURS_256 :
			      strstr(line, " 8")   ? COLOURS_8 :
						     COLOURS_NONE;
	}
	fclose(in);
	return how;
}

static void compare(const char *folder, const char *name)
{
	size_t got_size, want_size;
	uint8_t *got = file_read(folder_path(folder, name), &got_size);
	uint8_t *want = file_read(folder_path(screens, name), &want_size);

	if (getenv("HOMENODE_REFRESH")) {
		assert_int_equal(file_write(folder_path(screens, name), got,
					    got_size), 0);
	} else if (!want || got_size != want_size ||
		   memcmp(got, want, got_size)) {
		fail_msg("%s differs; shown:\n%.*s\nwanted:\n%.*s", name,
			 (int)got_size, (char *)got,
			 want ? (int)want_size : 0, want ? (char *)want : "");
	}
	free(got);
	free(want);
}

static void play(const char *keys)
{
	char *folder = folder_new(), here[PATH_MAX], script[PATH_MAX * 2];
	struct err err = { 0 };
	struct dirent *e;
	struct study s;
	struct tui t;
	struct how how;
	int nr = 0;
	DIR *dir;

	snprintf(script, sizeof(script), "%s/%s", screens, keys);
	how = how_of(script);
	small_study(&s);
	assert_int_equal(tui_open(&t, &s, how.w, how.h, how.colours, THEME_DARK,
				  how.utf8, &err), 0);
	t.used = note;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(folder), 0);
	if (tui_script(&t, script, &err))
		fail_msg("%s", err.text);
	assert_int_equal(chdir(here), 0);
	tui_close(&t);
	study_release(&s);
	dir = opendir(folder);
	while ((e = readdir(dir)))
		if (strstr(e->d_name, ".screen")) {
			compare(folder, e->d_name);
			nr++;
		}
	closedir(dir);
	assert_true(nr > 0);
	folder_remove(folder);
}

static int by_name(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 5 && !strcmp(e->d_name + len - 5, ".keys");
}

static void test_screens(void **state)
{
	struct dirent **e;
	int nr = scandir(screens, &e, by_name, alphasort), i;

	assert_true(nr > 0);
	for (i = 0; i < nr; i++) {
		play(e[i]->d_name);
		free(e[i]);
	}
	free(e);
}

static void refused(const char *text, const char *why)
{
	char *folder = folder_new();
	struct err err = { 0 };
	struct study s;
	struct tui t;

	small_study(&s);
	assert_int_equal(file_write(folder_path(folder, "k"), text,
				    strlen(text)), 0);
	assert_int_equal(tui_open(&t, &s, 80, 24, COLOURS_NONE, THEME_DARK,
				  false, &err), 0);
	assert_int_equal(tui_script(&t, folder_path(folder, "k"), &err),
			 ERR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	tui_close(&t);
	study_release(&s);
	folder_remove(folder);
}

static void test_bad_scripts(void **state)
{
	refused("key Left\nkey Leftt\n", "line 2: no key 'Leftt'");
	refused("dance\n", "line 1: no command 'dance'");
	refused("resize 80\n", "line 1");
	refused("type \377\n", "line 1");
}

/* Every key of every table in every view at sizes from too small to large:
 * nothing but that it holds and draws. */
static void test_all_keys_at_all_sizes(void **state)
{
	static const int sizes[][2] = {
		{ 40, 10 }, { 80, 24 }, { 200, 60 }, { 1, 1 }, { 41, 11 },
		{ 500, 10 }, { 40, 200 },
	};
	size_t i;
	int view, key, turn;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct err err = { 0 };
		struct study s;
		struct tui t;

		small_study(&s);
		assert_int_equal(tui_open(&t, &s, sizes[i][0], sizes[i][1],
					  i % 2 ? COLOURS_256 : COLOURS_8,
					  THEME_LIGHT, i % 3, &err), 0);
		for (view = '1'; view <= '8'; view++)
			for (turn = 0; turn < 2; turn++)
				for (key = ' '; key <= KEY_OF_CLICK; key++) {
					struct tui_key k = { key, key % 90,
							     view % 30 };
					struct tui_key to = { view, 0, 0 };
					struct err seen = { 0 };

					if (key == 0x7f)
						key = KEY_OF_NOTHING;
					if (key == 'w')
						continue;
					tui_key(&t, &to, &seen);
					tui_key(&t, &k, &seen);
					err.code = 0;
					tui_draw(&t, &err);
					assert_true(!err.code ||
						    err.code == ERR_USAGE);
					t.quit = false;
					t.prompt.label = NULL;
				}
		tui_close(&t);
		study_release(&s);
	}
}

static void test_key_names(void **state)
{
	char buf[16];
	int key;

	for (key = KEY_OF_UP; key <= KEY_OF_CLICK; key++)
		assert_int_equal(tui_key_parse(tui_key_name(key, buf)), key);
	for (key = '!'; key < 0x7f; key++)
		assert_int_equal(tui_key_parse(tui_key_name(key, buf)), key);
	assert_int_equal(tui_key_parse(""), -1);
	assert_int_equal(tui_key_parse("ab"), -1);
	assert_int_equal(tui_key_parse("\303\251"), 0xe9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_every_key),
		cmocka_unit_test(test_no_key_twice),
		cmocka_unit_test(test_bad_scripts),
		cmocka_unit_test(test_all_keys_at_all_sizes),
		cmocka_unit_test(test_key_names),
	};

	/* Run from the top of the tree, as make does. */
	if (!realpath("tests/tui", screens)) {
		fprintf(stderr, "no folder tests/tui here\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
