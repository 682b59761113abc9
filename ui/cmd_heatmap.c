/* SPDX-License-Identifier: MIT */
#include "model/err.h"
#include "ui/bar.h"
#include "ui/canvas.h"
#include "ui/cmd.h"
#include "ui/pick.h"
#include "ui/table.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_WIDTH 80	/* where stdout is no terminal */
#define MAX_LINES 10000

struct screen {
	int64_t width;		/* 0: the terminal's */
	bool ascii, colour;
	enum colours colours;
	bool utf8;
};

/* What the terminal can show, without asking terminfo: this output may also be
 * piped into a pager. */
static enum colours terminal_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	const char *more = getenv("COLORTERM");

	if ((no && *no) || !term || !strcmp(term, "dumb"))
		return COLOURS_NONE;
	if (more && (!strcmp(more, "truecolor") || !strcmp(more, "24bit")))
		return COLOURS_RGB;
	return strstr(term, "256color") || strstr(term, "direct") ?
		       COLOURS_256 : COLOURS_8;
}

static void choose(struct screen *s)
{
	struct winsize size = { 0 };
	bool tty = isatty(STDOUT_FILENO);

	if (!s->width)
		s->width = tty && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
					   size.ws_col ?
				   size.ws_col : PLAIN_WIDTH;
	s->utf8 = !s->ascii && !strcmp(nl_langinfo(CODESET), "UTF-8");
	s->colours = s->ascii || !(tty || s->colour) ? COLOURS_NONE :
						       terminal_colours();
	if (s->colour && !s->ascii && s->colours == COLOURS_NONE)
		s->colours = COLOURS_256;
}

static int print(struct pick *p, struct heatmap *h, const struct screen *s,
		 struct err *err)
{
	bool half = s->utf8 && s->colours >= COLOURS_256;
	struct rows rows = { 0 };
	struct canvas c = { 0 };
	struct canvas_draw cd;
	struct heat_layout l;
	struct draw d;
	int ret, lines;

	/* Metrics first: how high it is depends on the rows. */
	canvas_drawing(&cd, &(struct canvas){ .half = half }, 0,
		       p->theme_value, &d);
	ret = pick_rows(p, h, &rows, err);
	if (ret < 0)
		return ret;
	h->rows = &rows;
	lines = (heatmap_height(h, &d, s->width) + half) / (1 + half);
	if (lines > MAX_LINES)
		lines = MAX_LINES;
	ret = canvas_init(&c, s->width, lines, half, s->utf8, err);
	if (ret < 0)
		goto out;
	canvas_drawing(&cd, &c, 0, p->theme_value, &d);
	ret = heatmap_layout(&l, h, &d, s->width, lines * (1 + half), err);
	if (!ret)
		ret = heatmap_paint(&l, h, &d, err);
	if (!ret && canvas_print(&c, s->colours, p->theme_value, stdout))
		ret = table_output_failed(err);
out:
	canvas_release(&c);
	rows_release(&rows);
	return ret;
}

static int run(int argc, char **argv, struct err *err)
{
	struct pick p = PICK_INIT;
	struct screen sc = { 0 };
	struct heatmap h = { .legend = LEGEND_FULL, .figures = true,
			     .max_row_scale = 1 };
	struct study s = { 0 };
	struct pick_operands runs;
	struct bar bar;
	const struct opt options[] = {
		{ "width", 'w', OPT_COUNT, &sc.width },
		{ "ascii", 'a', OPT_FLAG, &sc.ascii },
		{ "colour", 0, OPT_FLAG, &sc.colour },
		PICK_OPTIONS(p),
		{ 0 },
	};
	int nr = opt_parse(options, argc, argv, false, err), ret;

	if (nr < 0)
		return nr;
	if (!nr)
		return err_set(err, ERR_USAGE, "a file is missing");
	if (sc.width && (sc.width < 40 || sc.width > 2000))
		return err_set(err, ERR_USAGE, "--width wants 40 to 2000");
	runs = (struct pick_operands){ argv + 2, nr - 1 };
	bar_init(&bar);
	choose(&sc);
	ret = pick_check(&p, &h, err);
	/* Most terminals are dark, most mails and files are not. */
	if (!p.theme && sc.colours > COLOURS_NONE)
		p.theme_value = THEME_DARK;
	if (!ret)
		ret = study_open(&s, argv[1], &bar, err);
	if (!ret)
		ret = pick_resolve(&p, &s, &runs, &bar, &h, err);
	bar_clear(&bar);
	if (!ret)
		ret = print(&p, &h, &sc, err);
	study_release(&s);
	pick_release(&p);
	return ret;
}

const struct cmd cmd_heatmap = {
	.name = "heatmap",
	.summary = "print a heatmap as text",
	.usage = "homenode heatmap F [RUN...] [options]",
	.help =
		"The picture of `homenode image` in characters: for ssh, pipes and\n"
		"mails.  Without colours a capital letter stands for a node on\n"
		"which most of the time was spent, a small one for less than half.\n"
		"\n"
		"  -w, --width N       columns (default: the terminal's, or 80)\n"
		"  -a, --ascii         plain letters, whatever the terminal can do\n"
		"      --colour        colours also into a pipe (less -R)\n"
		PICK_HELP,
	.run = run,
};
