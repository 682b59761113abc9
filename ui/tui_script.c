/* SPDX-License-Identifier: MIT */
#include "ui/tui_script.h"

#include "model/err.h"
#include "ui/canvas_picture.h"
#include "ui/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int press(struct tui *t, int code, int x, int y, struct err *err)
{
	struct tui_key key = { code, x, y };
	struct err seen = { 0 };
	int ret = 0;

	while (!ret && t->loading)
		ret = tui_load(t, err);
	/* What a key may move depends on what was drawn. */
	if (!ret)
		ret = tui_draw(t, err);
	if (!ret && tui_key(t, &key, &seen) < 0)
		tui_message(t, "%s", seen.text);
	return ret;
}

static int do_keys(struct tui *t, char *names, struct err *err)
{
	char *save, *name = strtok_r(names, " \t", &save);
	int ret = 0;

	for (; name && !ret; name = strtok_r(NULL, " \t", &save)) {
		int code = tui_key_parse(name);

		if (code < 0)
			return err_set(err, ERR_USAGE, "no key '%s'", name);
		ret = press(t, code, 0, 0, err);
	}
	return ret;
}

static int do_type(struct tui *t, const char *text, struct err *err)
{
	int len, ret = 0;

	for (; *text && !ret; text += len) {
		len = utf8_length(text, strlen(text));
		if (!len)
			return err_set(err, ERR_USAGE, "text is not UTF-8");
		ret = press(t, utf8_decode(text, len), 0, 0, err);
	}
	return ret;
}

static int do_pointer(struct tui *t, int code, const char *args,
		      struct err *err)
{
	int x, y;

	if (sscanf(args, code == KEY_OF_RESIZE ? "%dx%d" : "%d %d", &x, &y) != 2)
		return err_set(err, ERR_USAGE, "two numbers are wanted");
	return press(t, code, x, y, err);
}

/* Until nothing goes on any more; a followed file is looked at once. */
static int do_wait(struct tui *t, struct err *err)
{
	const struct timespec moment = { 0, 5000000 };
	int ret = 0;

	tui_tick(t);
	while (!ret && (t->job.kind || t->follow.next || t->loading)) {
		if (t->loading || t->follow.next)
			ret = tui_load(t, err);
		else
			nanosleep(&moment, NULL);
		tui_tick(t);
	}
	return ret;
}

static int do_save(struct tui *t, const char *path, enum colours colours,
		   struct err *err)
{
	FILE *out;
	int ret = press(t, KEY_OF_NOTHING, 0, 0, err);

	if (ret < 0)
		return ret;
	ret = tui_draw(t, err);
	if (ret < 0)
		return ret;
	out = fopen(path, "w");
	if (!out)
		return err_set(err, ERR_IO, "cannot create '%s': %s", path,
			       strerror(errno));
	ret = canvas_print(&t->canvas, colours, t->theme, out);
	if (fclose(out) || ret < 0)
		return err_set(err, ERR_IO, "cannot write '%s': %s", path,
			       strerror(errno));
	return 0;
}

static int do_picture(struct tui *t, const char *path, struct err *err)
{
	int ret = press(t, KEY_OF_NOTHING, 0, 0, err);

	if (!ret)
		ret = tui_draw(t, err);
	return ret < 0 ? ret :
			 canvas_picture(&t->canvas, t->theme, path, err);
}

static int do_line(struct tui *t, char *line, struct err *err)
{
	char *args = line + strcspn(line, " \t");

	if (*args)
		*args++ = 0;
	args += strspn(args, " \t");
	if (!*line || *line == '#')
		return 0;
	if (!strcmp(line, "key"))
		return do_keys(t, args, err);
	if (!strcmp(line, "type"))
		return do_type(t, args, err);
	if (!strcmp(line, "click"))
		return do_pointer(t, KEY_OF_CLICK, args, err);
	if (!strcmp(line, "wheel-up"))
		return do_pointer(t, KEY_OF_WHEEL_UP, args, err);
	if (!strcmp(line, "wheel-down"))
		return do_pointer(t, KEY_OF_WHEEL_DOWN, args, err);
	if (!strcmp(line, "resize"))
		return do_pointer(t, KEY_OF_RESIZE, args, err);
	if (!strcmp(line, "wait"))
		return do_wait(t, err);
	if (!strcmp(line, "save-screen"))
		return do_save(t, args, COLOURS_NONE, err);
	if (!strcmp(line, "save-picture"))
		return do_picture(t, args, err);
	if (!strcmp(line, "save-colours"))
		return do_save(t, args, t->colours, err);
	return err_set(err, ERR_USAGE, "no command '%s'", line);
}

int tui_script(struct tui *t, const char *path, struct err *err)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	int nr = 0, ret = 0;

	if (!in)
		return err_set(err, ERR_IO, "cannot open '%s': %s", path,
			       strerror(errno));
	while (!ret && !t->quit && getline(&line, &size, in) >= 0) {
		line[strcspn(line, "\r\n")] = 0;
		nr++;
		ret = do_line(t, line, err);
		if (ret < 0)
			err_prefix(err, "'%s' line %d", path, nr);
	}
	if (!ret && ferror(in))
		ret = err_set(err, ERR_IO, "cannot read '%s': %s", path,
			      strerror(errno));
	free(line);
	fclose(in);
	return ret < 0 ? ret : 0;
}
