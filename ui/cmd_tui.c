/* SPDX-License-Identifier: MIT */
#include "ui/bar.h"
#include "ui/cmd.h"
#include "ui/opt.h"
#include "ui/tui_script.h"
#include "ui/tui_term.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* While loading the screen is drawn anew so often. */
#define REDRAW_NS 250000000LL

struct options {
	const char *script, *size, *colours, *theme;
	bool ascii;
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int show(struct tui *t, struct err *err)
{
	int ret = tui_draw(t, err);

	if (ret == ERR_USAGE) {	/* too small for what it shows */
		tui_message(t, "%s", err->text);
		*err = (struct err){ 0 };
		ret = 0;
	}
	if (!ret)
		tui_term_show(&t->canvas, t->colours, t->theme);
	return ret;
}

static int loop(struct tui *t, struct err *err)
{
	int64_t drawn = 0;
	int ret = 0;

	while (!ret && !t->quit) {
		struct err seen = { 0 };
		struct tui_key key;
		bool due = now_ns() - drawn > REDRAW_NS;

		if (!t->loading || due) {
			ret = show(t, err);
			drawn = now_ns();
		}
		if (ret)
			break;
		tui_term_key(&key, t->loading ? 0 : -1);
		if (key.code == KEY_OF_NOTHING && t->loading) {
			ret = tui_load(t, err);
			if (!t->loading)
				drawn = 0;
			continue;
		}
		if (tui_key(t, &key, &seen) < 0)
			tui_message(t, "%s", seen.text);
		drawn = 0;
	}
	return ret;
}

static int parse_colours(const struct options *o, enum colours *c,
			 struct err *err)
{
	static const char *const word[] = {
		[COLOURS_NONE] = "none",
		[COLOURS_8] = "8",
		[COLOURS_256] = "256",
	};
	int i;

	if (!o->colours)
		return 0;
	for (i = 0; i <= COLOURS_256; i++)
		if (!strcmp(word[i], o->colours)) {
			*c = i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "--colours '%s': none, 8 or 256",
		       o->colours);
}

static int run_script(struct study *s, const struct options *o,
		      enum theme theme, struct err *err)
{
	enum colours colours = COLOURS_NONE;
	struct tui t = { 0 };
	int w = 80, h = 24, ret;
	char end;

	if (o->size && (sscanf(o->size, "%dx%d%c", &w, &h, &end) != 2 ||
			w < 1 || h < 1 || w > 2000 || h > 2000))
		return err_set(err, ERR_USAGE, "--size '%s': COLUMNSxLINES",
			       o->size);
	ret = parse_colours(o, &colours, err);
	if (!ret)
		ret = tui_open(&t, s, w, h, colours, theme, !o->ascii, err);
	if (!ret)
		ret = tui_script(&t, o->script, err);
	tui_close(&t);
	return ret;
}

static int run_terminal(struct study *s, const struct options *o,
			enum theme theme, struct err *err)
{
	struct tui_term_info info = { 0 };
	struct tui t = { 0 };
	int ret = tui_term_open(&info, err), sig;

	if (!ret)
		ret = parse_colours(o, &info.colours, err);
	if (!ret)
		ret = tui_open(&t, s, info.w, info.h, info.colours, theme,
			       info.utf8 && !o->ascii, err);
	if (!ret)
		ret = loop(&t, err);
	tui_close(&t);
	tui_term_close();
	sig = tui_term_signal();
	if (sig)
		raise(sig);
	return ret;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { 0 };
	const struct opt options[] = {
		{ "script", 0, OPT_TEXT, &o.script },
		{ "size", 0, OPT_TEXT, &o.size },
		{ "colours", 0, OPT_TEXT, &o.colours },
		{ "theme", 0, OPT_TEXT, &o.theme },
		{ "ascii", 0, OPT_FLAG, &o.ascii },
		{ 0 },
	};
	enum theme theme = THEME_DARK;
	struct study s = { 0 };
	struct bar bar;
	int nr = opt_parse(options, argc, argv, false, err), ret;

	if (nr < 0)
		return nr;
	if (nr != 1)
		return err_set(err, ERR_USAGE, "one file is wanted");
	if (o.theme && strcmp(o.theme, "dark") && strcmp(o.theme, "light"))
		return err_set(err, ERR_USAGE,
			       "no theme '%s'; there are: light, dark",
			       o.theme);
	if (o.theme && !strcmp(o.theme, "light"))
		theme = THEME_LIGHT;
	bar_init(&bar);
	ret = study_open(&s, argv[1], &bar, err);
	bar_clear(&bar);
	if (!ret && !s.nr_runs)
		ret = err_set(err, ERR_NOTFOUND, "'%s': no runs", argv[1]);
	if (!ret)
		ret = o.script ? run_script(&s, &o, theme, err) :
				 run_terminal(&s, &o, theme, err);
	study_release(&s);
	return ret;
}

const struct cmd cmd_tui = {
	.name = "tui",
	.summary = "look around in a file, full screen",
	.usage = "homenode tui F [options]",
	.help =
		"Views: runs, tasks, processes, CPUs and nodes against time.  '?' shows"
		" the\nkeys.  Works in any terminal from 40x10 on, with a mouse or "
		"without.\n\n"
		"      --theme THEME     dark (default) or light: the terminal's "
		"ground\n"
		"      --ascii           no line and block characters\n"
		"      --colours N       none, 8 or 256 (default: what the terminal "
		"has;\n"
		"                        NO_COLOR is honoured)\n"
		"      --script FILE     keys from a file, no terminal: for tests\n"
		"      --size WxH        of the screen in a script (default 80x24)\n",
	.run = run,
};
