/* SPDX-License-Identifier: MIT */
#include "ui/bar.h"
#include "ui/cmd.h"
#include "ui/draw_cairo.h"
#include "ui/pick.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_WIDTH 1600
#define MIN_SIDE 100
#define MAX_AUTO_HEIGHT 8000

struct image {
	const char *path, *size;
	bool force;
	int w, h;		/* 0: as the rows need */
	enum picture_format format;
};

static const char *title_of(const struct heatmap *h, const struct pick *p)
{
	static const char *const by_mode[NR_HEAT_MODES] = {
		[HEAT_NODE] = "Where tasks ran and where their memory was",
		[HEAT_LOCALITY] = "How much of the memory accesses was local",
		[HEAT_WAIT] = "Where tasks waited for a CPU",
		[HEAT_LOAD] = "Runnable tasks per CPU",
		[HEAT_DIFF] = "How much more of the memory accesses was local",
	};

	enum rows_kind rows = p->query.kind;

	if (rows == ROWS_MEMORY)
		return "Where memory areas were";
	if (h->mode == HEAT_NODE && rows_are_cpus(rows) &&
	    (p->comm || p->pids || p->cgroup))
		return "How busy these tasks kept CPUs, and where their memory "
		       "was";
	if (h->mode == HEAT_NODE && rows == ROWS_CPUS)
		return "How busy the CPUs were, and where their tasks' memory was";
	if (h->mode == HEAT_NODE && rows == ROWS_NODES)
		return "How busy the nodes were, and where their tasks' memory was";
	return by_mode[h->mode];
}

static int parse_size(struct image *im, struct err *err)
{
	char end;

	im->w = DEFAULT_WIDTH;
	if (!im->size)
		return 0;
	if (sscanf(im->size, "%dx%d%c", &im->w, &im->h, &end) != 2 ||
	    im->w < MIN_SIDE || im->h < MIN_SIDE || im->w > PICTURE_MAX ||
	    im->h > PICTURE_MAX)
		return err_set(err, ERR_USAGE,
			       "--size '%s': WIDTHxHEIGHT is wanted, each %d to "
			       "%d", im->size, MIN_SIDE, PICTURE_MAX);
	return 0;
}

/* Text grows with the picture, but more slowly: a large picture is for more
 * rows and finer time, not only for larger letters. */
static double scale_of(const struct image *im)
{
	double s = sqrt(im->w / (double)DEFAULT_WIDTH);

	return s < 0.8 ? 0.8 : s > 2.5 ? 2.5 : s;
}

/* As many rows as have room; the rest is put together. */
static int fit_rows(struct pick *p, struct heatmap *h, struct rows *rows,
		    const struct draw *d, struct image *im, struct err *err)
{
	int ret = pick_rows(p, h, rows, err), room;

	if (ret < 0)
		return ret;
	h->rows = rows;
	if (!im->h) {
		im->h = heatmap_height(h, d, im->w);
		if (im->h <= MAX_AUTO_HEIGHT)
			return 0;
		im->h = MAX_AUTO_HEIGHT;
	}
	room = heatmap_fit(h, d, im->w, im->h);
	if (room < 1)
		return err_set(err, ERR_USAGE,
			       "--size %dx%d has no room for a single row; with "
			       "this width %d is high enough", im->w, im->h,
			       heatmap_least_height(h, d, im->w));
	if (rows->nr <= room)
		return 0;
	p->query.max_rows = room;
	rows_release(rows);
	return pick_rows(p, h, rows, err);
}

static int draw_image(struct pick *p, struct heatmap *h, struct image *im,
		      struct err *err)
{
	struct picture *pic = picture_new(p->theme_value, scale_of(im), err);
	struct heat_layout l;
	struct rows rows = { 0 };
	int ret;

	if (!pic)
		return err->code;
	if (!h->title)
		h->title = title_of(h, p);
	h->legend = LEGEND_FULL;
	h->figures = true;
	h->max_row_scale = 3;
	ret = fit_rows(p, h, &rows, picture_draw(pic), im, err);
	if (!ret)
		ret = heatmap_layout(&l, h, picture_draw(pic), im->w, im->h,
				     err);
	if (!ret)
		ret = picture_begin(pic, im->format, im->w, im->h, err);
	if (!ret)
		ret = heatmap_paint(&l, h, picture_draw(pic), err);
	if (!ret)
		ret = picture_save(pic, im->path,
				   im->force ? OUTFILE_REPLACE : OUTFILE_NEW,
				   err);
	if (ret == ERR_EXISTS) {
		err->code = 0;
		err_set(err, ret, "'%s' exists; --force replaces it", im->path);
	}
	rows_release(&rows);
	picture_free(pic);
	return ret;
}

static int run(int argc, char **argv, struct err *err)
{
	struct pick p = PICK_INIT;
	struct image im = { 0 };
	struct heatmap h = { 0 };
	struct study s = { 0 };
	struct bar bar;
	struct pick_operands runs;
	const struct opt options[] = {
		{ "output", 'o', OPT_TEXT, &im.path },
		{ "size", 0, OPT_TEXT, &im.size },
		{ "force", 'f', OPT_FLAG, &im.force },
		PICK_OPTIONS(p),
		{ 0 },
	};
	int nr = opt_parse(options, argc, argv, false, err), ret;

	if (nr < 0)
		return nr;
	if (!nr || !im.path)
		return err_set(err, ERR_USAGE, "%s is missing",
			       nr ? "-o" : "a file");
	runs = (struct pick_operands){ argv + 2, nr - 1 };
	bar_init(&bar);
	ret = picture_format_of(im.path, &im.format, err);
	if (!ret)
		ret = parse_size(&im, err);
	if (!ret)
		ret = pick_check(&p, &h, err);
	if (!ret)
		ret = study_open(&s, argv[1], &bar, err);
	if (!ret)
		ret = pick_resolve(&p, &s, &runs, &bar, &h, err);
	bar_clear(&bar);
	if (!ret)
		ret = draw_image(&p, &h, &im, err);
	study_release(&s);
	pick_release(&p);
	return ret;
}

const struct cmd cmd_image = {
	.name = "image",
	.summary = "draw a heatmap as a picture (PNG, SVG, PDF)",
	.usage = "homenode image F [RUN...] -o X.png|X.svg|X.pdf [options]",
	.help =
		"Draws rows x time: where tasks ran, where their pages were.  Two or\n"
		"more RUNs are put on one time axis.  The same file gives the same "
		"bytes.\n\n"
		"  -o, --output FILE   where to; its ending chooses the format\n"
		"      --size WxH      pixels or points (default: 1600 wide, as high\n"
		"                      as the rows need); what does not fit is put\n"
		"                      together in one row\n"
		"  -f, --force         replace an existing file\n"
		PICK_HELP,
	.run = run,
};
