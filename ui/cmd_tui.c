/* SPDX-License-Identifier: MIT */
#include "collect/clock.h"
#include "collect/spool.h"
#include "ui/bar.h"
#include "ui/cmd.h"
#include "ui/opt.h"
#include "ui/run_pick.h"
#include "ui/tui_script.h"
#include "ui/tui_term.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* While loading the screen is drawn anew so often. */
#define REDRAW_NS 250000000LL
#define TICK_MS 100		/* something goes on beside the keys */

struct options {
	const char *script, *size, *colours, *theme;
	bool ascii;
	enum theme theme_value;
	const char *path, *run[2];
	const char *source;	/* spool of a recording that is running; NULL */
	char spool[PATH_MAX], file[PATH_MAX];
};

static int show(struct tui *t, struct err *err)
{
	int ret = tui_draw(t, err);

	if (!ret)
		tui_term_show(&t->canvas, t->colours, t->theme);
	return ret;
}

static int timeout_of(const struct tui *t)
{
	if (t->loading || t->follow.next)
		return 0;
	return tui_waits(t) ? TICK_MS : -1;
}

/* A slice of what goes on when no key came; true if the screen is to change. */
static bool work(struct tui *t)
{
	bool was = t->loading || t->follow.next;
	struct err err = { 0 };

	tui_tick(t);
	if (!t->loading && !t->follow.next)
		return true;
	if (tui_load(t, &err) < 0) {
		tui_message(t, "%s", err.text);
		t->loading = false;
	}
	return was && !t->loading && !t->follow.next;
}

static int loop(struct tui *t, struct err *err)
{
	int64_t drawn = 0;
	int ret = 0;

	while (!ret && !t->quit) {
		struct err seen = { 0 };
		struct tui_key key;

		if (timeout_of(t) || clock_now() - drawn > REDRAW_NS) {
			ret = show(t, err);
			drawn = clock_now();
		}
		if (ret)
			break;
		tui_term_key(&key, timeout_of(t));
		if (key.code == KEY_OF_NOTHING) {
			if (work(t))
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
		[COLOURS_RGB] = "rgb",
	};
	int i;

	if (!o->colours)
		return 0;
	for (i = 0; i <= COLOURS_RGB; i++)
		if (!strcmp(word[i], o->colours)) {
			*c = i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "--colours '%s': none, 8, 256 or rgb",
		       o->colours);
}

/* What is shown first: a run, and another beside it. */
static int pick_runs(struct tui *t, const struct options *o, struct err *err)
{
	const struct study *s = t->study;
	int run[2] = { 0, -1 }, i;

	for (i = 0; i < 2 && o->run[i]; i++) {
		run[i] = run_pick(s->runs, s->nr_runs, o->run[i], err);
		if (run[i] < 0)
			return err_prefix(err, "'%s'", o->path);
	}
	if (o->run[0])
		tui_run(t, run[0], run[1]);
	return 0;
}

static int begin(struct tui *t, const struct options *o, struct err *err)
{
	t->follow.path = o->path;
	t->follow.source = o->source;
	if (o->source)
		tui_message(t, "the spool of a recording; F follows it while it runs");
	return pick_runs(t, o, err);
}

static int run_script(struct study *s, const struct options *o, struct err *err)
{
	enum colours colours = COLOURS_NONE;
	struct tui t = { 0 };
	int w = 80, h = 24, ret;
	char end;

	if (o->size && (sscanf(o->size, "%dx%d%c", &w, &h, &end) != 2 ||
			w < TUI_MIN_WIDTH || h < TUI_MIN_HEIGHT ||
			w > TUI_MAX_SIDE || h > TUI_MAX_SIDE))
		return err_set(err, ERR_USAGE,
			       "--size '%s': COLUMNSxLINES is wanted, %dx%d to "
			       "%dx%d", o->size, TUI_MIN_WIDTH, TUI_MIN_HEIGHT,
			       TUI_MAX_SIDE, TUI_MAX_SIDE);
	ret = parse_colours(o, &colours, err);
	if (!ret)
		ret = tui_open(&t, s, w, h, colours, o->theme_value, !o->ascii,
			       err);
	if (!ret)
		ret = begin(&t, o, err);
	if (!ret)
		ret = tui_script(&t, o->script, err);
	tui_close(&t);
	return ret;
}

static int run_terminal(struct study *s, const struct options *o,
			struct err *err)
{
	struct tui_term_info info = { 0 };
	struct tui t = { 0 };
	int ret = tui_term_open(&info, err), sig;

	if (!ret)
		ret = parse_colours(o, &info.colours, err);
	if (!ret)
		ret = tui_open(&t, s, info.w, info.h, info.colours,
			       o->theme_value, info.utf8 && !o->ascii, err);
	if (!ret)
		ret = begin(&t, o, err);
	if (!ret)
		ret = loop(&t, err);
	tui_close(&t);
	tui_term_close();
	sig = tui_term_signal();
	if (sig)
		raise(sig);
	return ret;
}

static int parse(struct options *o, int argc, char **argv, struct err *err)
{
	const struct opt options[] = {
		{ "script", 0, OPT_TEXT, &o->script },
		{ "size", 0, OPT_TEXT, &o->size },
		{ "colours", 0, OPT_TEXT, &o->colours },
		{ "theme", 0, OPT_TEXT, &o->theme },
		{ "ascii", 0, OPT_FLAG, &o->ascii },
		{ 0 },
	};
	int nr = opt_parse(options, argc, argv, false, err);

	if (nr < 0)
		return nr;
	if (nr < 1 || nr > 3)
		return err_set(err, ERR_USAGE, nr ? "one file and at most two "
			       "runs, please" : "a file is missing");
	if (o->theme && strcmp(o->theme, "dark") && strcmp(o->theme, "light"))
		return err_set(err, ERR_USAGE,
			       "no theme '%s'; there are: light, dark",
			       o->theme);
	o->theme_value = o->theme && !strcmp(o->theme, "light") ? THEME_LIGHT :
								  THEME_DARK;
	o->path = argv[1];
	o->run[0] = nr > 1 ? argv[2] : NULL;
	o->run[1] = nr > 2 ? argv[3] : NULL;
	return 0;
}

/* A recording that is still running is given by the name that its file will
 * have, or by that of its spool. */
static void find_spool(struct options *o)
{
	snprintf(o->spool, sizeof(o->spool), "%s.spool", o->path);
	if (spool_is(o->path))
		o->source = o->path;
	else if (access(o->path, F_OK) && spool_is(o->spool))
		o->source = o->spool;
	if (o->source != o->path)
		return;
	/* The file that it becomes: without ".spool". */
	snprintf(o->spool, sizeof(o->spool), "%s", o->path);
	o->source = o->spool;
	snprintf(o->file, sizeof(o->file), "%s", o->path);
	for (char *end = o->file + strlen(o->file);
	     end > o->file + 1 && end[-1] == '/'; end--)
		end[-1] = 0;
	if (strlen(o->file) > 6 &&
	    !strcmp(o->file + strlen(o->file) - 6, ".spool"))
		o->file[strlen(o->file) - 6] = 0;
	o->path = o->file;
}

static int open_any(struct study *s, struct options *o, struct err *err)
{
	struct tui_follow f = { .source = o->source };
	struct bar bar;
	int ret;

	bar_init(&bar);
	ret = o->source ? tui_follow_open(&f, s, &bar, err) :
			  study_open(s, o->path, &bar, err);
	bar_clear(&bar);
	return ret;
}

static int run(int argc, char **argv, struct err *err)
{
	struct options o = { 0 };
	struct study s = { 0 };
	int ret = parse(&o, argc, argv, err);

	if (ret < 0)
		return ret;
	find_spool(&o);
	ret = open_any(&s, &o, err);
	if (!ret)
		ret = o.script ? run_script(&s, &o, err) :
				 run_terminal(&s, &o, err);
	study_release(&s);
	return ret;
}

const struct cmd cmd_tui = {
	.name = "tui",
	.summary = "look around in a file, full screen",
	.usage = "homenode tui F [RUN [RUN]] [options]",
	.help =
"Views: runs, tasks, processes, CPUs, nodes and memory against time, what differs\n"
"between two runs, and any window as a table.  '?' shows the keys.  Works in any\n"
"terminal from 40x10 on, with a mouse or without.  RUN is a number, \"recorded\"\n"
"(default) or a policy, as for 'homenode report'; the second one is shown beside.\n"
"\n"
"F may be a recording that is still running (the name that its file will have, or\n"
"its spool): it is shown as it is now, and the key F follows it.  In a finished\n"
"file F follows the replays that others add; P replays from within.\n"
"\n"
"      --theme THEME     dark (default) or light: the terminal's ground\n"
"      --ascii           no line and block characters\n"
"      --colours N       none, 8, 256 or rgb (default: what the terminal has;\n"
"                        NO_COLOR is honoured)\n"
"      --script FILE     keys from a file, no terminal: for tests\n"
"      --size WxH        of the screen in a script, from 40x10 (default 80x24)\n",
	.run = run,
};
