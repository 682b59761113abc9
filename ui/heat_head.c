/* SPDX-License-Identifier: MIT */
/* Texts above the rows: the title, and the head of each run. */
#include "ui/heatmap_local.h"

#include "ui/axis.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINES 3

/* Bytes that go on a line, up to a blank or behind a comma; the first piece at
 * least, also where it has no room. */
static int line_end(const struct draw *d, enum draw_style style,
		    const char *text, int width)
{
	int len = strlen(text), fit = 0, i;
	char part[512];

	for (i = 1; i <= len && i < (int)sizeof(part); i++) {
		if (text[i] && text[i] != ' ' && text[i - 1] != ',')
			continue;
		snprintf(part, sizeof(part), "%.*s", i, text);
		if (fit && draw_width(d, style, part) > width)
			return fit;
		fit = i;
	}
	return i > len || !fit ? len : fit;
}

/* Puts t on as many lines as it needs, the last one cut where even they have no
 * room; returns how many, and how wide the last one is. */
static int put_lines(const struct draw *d, struct draw_text t, int width,
		     bool paint, int *last_w)
{
	const char *rest = t.text;
	char part[512], cut[512];
	int nr, len;

	for (nr = 0; *rest && nr < MAX_LINES; nr++) {
		len = nr + 1 < MAX_LINES ? line_end(d, t.style, rest, width) :
					   (int)strlen(rest);
		snprintf(part, sizeof(part), "%.*s", len, rest);
		t.text = draw_fit(d, t.style, rest[len] ? part : rest, width,
				  cut, sizeof(cut));
		*last_w = draw_width(d, t.style, t.text);
		if (paint)
			d->ops->text(d->ctx, &t);
		t.y += d->metrics.line[t.style];
		rest += len;
		rest += strspn(rest, " ");
	}
	return nr;
}

int heatmap_title(const struct heat_layout *l, const struct heatmap *h,
		  const struct draw *d, bool paint)
{
	int margin = d->metrics.margin, last_w;
	struct draw_text t = { .x = margin, .y = l->title_y,
			       .style = DRAW_TITLE, .role = ROLE_TEXT,
			       .text = h->title ? h->title : "" };

	return put_lines(d, t, l->w - 2 * margin, paint, &last_w);
}

static void paint_figure_heads(const struct heat_layout *l,
			       const struct draw *d, int y)
{
	int f;

	for (f = 0; f < l->nr_figures; f++)
		d->ops->text(d->ctx, &(struct draw_text){
			.x = l->figure[f].x, .y = y, .align = DRAW_RIGHT,
			.style = DRAW_SMALL, .role = ROLE_DIM,
			.text = heatmap_figure_head(l->figure[f].what) });
}

/* "48 % local, 213 moves": over all rows of the run. */
static void totals_text(const struct heatmap *h, int panel, char *buf, int size)
{
	struct row_sum sum = { 0 };
	char share[32], cpu[32];
	int i;

	for (i = 0; i < h->rows->nr; i++)
		row_sum_add(&sum, &h->rows->row[i].sum[panel]);
	if (h->rows->kind == ROWS_MEMORY) {
		snprintf(buf, size, "%" PRId64 " pages", sum.pages);
		return;
	}
	axis_length(sum.run_ns, cpu, sizeof(cpu));
	if (sum.known_ns > 0)
		snprintf(buf, size, "%s of memory accesses local, ",
			 axis_share(sum.local_ns / sum.known_ns, share,
				    sizeof(share)));
	else
		buf[0] = 0;
	i = strlen(buf);
	if (h->rows->kind <= ROWS_PROCESSES)
		snprintf(buf + i, size - i,
			 "%" PRId64 " move%s between nodes, %s on CPU",
			 sum.node_moves, text_s(sum.node_moves), cpu);
	else
		snprintf(buf + i, size - i, "%s on CPU", cpu);
}

/* "A", or of a difference "A minus B": with what else tells them apart where
 * their names do not, or where there is room for words. */
static void name_text(const struct heat_layout *l, const struct heatmap *h,
		      int panel, char *buf, int size)
{
	const struct study_run *a = &h->study->run[h->run[panel]];
	const struct study_run *b = &h->study->run[h->run[1]];
	int len, i;

	if (h->mode != HEAT_DIFF)
		len = snprintf(buf, size, "%s", a->title);
	else if (!l->words && strcmp(a->title, b->title))
		len = snprintf(buf, size, "%s minus %s", a->title, b->title);
	else
		len = snprintf(buf, size, "%s (%s) minus %s (%s)", a->title,
			       *a->caption ? a->caption : "by default",
			       b->title,
			       *b->caption ? b->caption : "by default");
	/* No part of a character at its end. */
	for (i = size - 2; len > i + 1 && buf[i] & 0x80; i--)
		buf[i] = 0;
}

/* What the run did and under which settings. */
static void caption_text(const struct heatmap *h, int panel, char *buf,
			 int size)
{
	const char *caption = h->study->run[h->run[panel]].caption;
	int len;

	totals_text(h, panel, buf, size);
	len = strlen(buf);
	if (*caption)
		snprintf(buf + len, size - len, "  \302\267  %s", caption);
}

int heatmap_head(const struct heat_layout *l, const struct heatmap *h,
		 const struct draw *d, int panel, bool paint)
{
	const struct draw_metrics *m = &d->metrics;
	int right = l->plot_x + l->plot_w, w = 0, high;
	char name[1024], caption[1024], cut[1024];
	struct draw_text t = { .x = l->label_x, .y = l->panel[panel].head_y,
			       .style = DRAW_HEAD, .role = ROLE_TEXT,
			       .text = name };

	name_text(l, h, panel, name, sizeof(name));
	high = put_lines(d, t, right - t.x, paint, &w) * m->line[DRAW_HEAD];
	t.y += high - m->line[DRAW_HEAD];
	if (paint)
		paint_figure_heads(l, d, t.y);
	if (h->mode == HEAT_DIFF)
		return high;
	caption_text(h, panel, caption, sizeof(caption));
	t.style = DRAW_SMALL;
	t.role = ROLE_DIM;
	t.text = caption;
	t.x += w + 2 * m->pad;
	if (l->words &&
	    draw_width(d, DRAW_SMALL, caption) > right - t.x) {
		t.x = l->label_x;
		t.y = l->panel[panel].head_y + high;
		return high + put_lines(d, t, right - t.x, paint, &w) *
				      m->line[DRAW_SMALL];
	}
	t.y += (m->line[DRAW_HEAD] - m->line[DRAW_SMALL]) / 2;
	t.text = draw_fit(d, DRAW_SMALL, caption, right - t.x, cut, sizeof(cut));
	if (paint)
		d->ops->text(d->ctx, &t);
	return high;
}
