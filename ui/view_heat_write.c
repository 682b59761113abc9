/* SPDX-License-Identifier: MIT */
/* Files of what is on the screen: a picture of it, or its rows as a table. */
#include "ui/draw_cairo.h"
#include "ui/tui_table.h"
#include "ui/view_heat_local.h"

#include "model/err.h"

#include <string.h>

#define PICTURE_WIDTH 1600
#define MOST_HIGH 4000

static int write_picture(struct view_heat *v, struct tui *t, const char *path,
			 struct err *err)
{
	enum picture_format format;
	struct picture *p;
	struct heat_layout l;
	struct heatmap h;
	int ret = picture_format_of(path, &format, err), hgt, room;

	if (ret < 0)
		return ret;
	if (!view_heat_ready(t) || !v->has_rows)
		return err_set(err, ERR_NOTFOUND, "it is still being loaded");
	p = picture_new(THEME_LIGHT, 1, err);
	if (!p)
		return err->code;
	view_heat_map(v, t, &h);
	h.legend = LEGEND_FULL;
	hgt = heatmap_height(&h, picture_draw(p), PICTURE_WIDTH);
	if (hgt > MOST_HIGH)
		hgt = MOST_HIGH;
	room = heatmap_fit(&h, picture_draw(p), PICTURE_WIDTH, hgt);
	if (h.first_row + room > v->rows.nr)
		h.first_row = v->rows.nr > room ? v->rows.nr - room : 0;
	ret = heatmap_layout(&l, &h, picture_draw(p), PICTURE_WIDTH, hgt, err);
	if (!ret)
		ret = picture_begin(p, format, PICTURE_WIDTH, hgt, err);
	if (!ret)
		ret = heatmap_paint(&l, &h, picture_draw(p), err);
	if (!ret)
		ret = picture_save(p, path, OUTFILE_NEW, err);
	picture_free(p);
	return ret;
}

static int write_table(struct view_heat *v, struct tui *t, const char *path,
		       struct err *err)
{
	struct tui_table_rows q = { &v->rows, 0, v->rows.nr, t->window,
				    tui_table_is_csv(path) };
	struct table *table;
	int ret = tui_table_of_rows(&table, t, &q, err);

	if (!ret)
		ret = tui_table_save(table, path, err);
	table_free(table);
	return ret;
}

static int done(void *view, struct tui *t, const char *text, struct err *err)
{
	int ret = tui_table_is_name(text) ? write_table(view, t, text, err) :
					    write_picture(view, t, text, err);

	if (ret == ERR_USAGE)
		return err_prefix(err, ".csv or .txt for the table;");
	if (!ret)
		tui_message(t, "wrote %s", text);
	return ret;
}

void view_heat_write(struct view_heat *v, struct tui *t)
{
	tui_ask(t, &(struct tui_prompt){
		.label = "write (.png .svg .pdf; .csv .txt): ",
		.view = v, .done = done }, "homenode.png");
}
