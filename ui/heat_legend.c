/* SPDX-License-Identifier: MIT */
#include "ui/heatmap_local.h"

#include <stdio.h>
#include <string.h>

#define MAX_SWATCH 7
#define SHORT_LINES 4
#define FULL_LINES 16

struct item {
	struct paint paint[MAX_SWATCH];
	int nr;
	bool wide;		/* a ramp: three times as wide */
	bool is_mark;		/* in place of paint[] */
	enum draw_mark mark;
	const char *text;
};

/* Where the next item goes; flows from line to line. */
struct pen {
	const struct heat_layout *l;
	const struct draw *d;
	bool paint;
	int x, line, max_lines;
};

static int swatch_width(const struct pen *p, const struct item *i)
{
	return p->d->metrics.em * (i->wide ? 4 : 2) * 3 / 4;
}

static void paint_swatch(const struct pen *p, const struct item *i, int y)
{
	const struct draw_metrics *m = &p->d->metrics;
	int high = m->line[DRAW_SMALL] * (draw_in_cells(p->d) ? 3 : 2) / 3;
	struct draw_box b = { p->x, y + (m->line[DRAW_SMALL] - high) / 2,
			      swatch_width(p, i), high };

	if (i->is_mark) {
		if (m->mark_h)
			p->d->ops->mark(p->d->ctx, i->mark, b.x + b.w / 2,
					y + (m->line[DRAW_SMALL] - m->mark_h) / 2);
		return;
	}
	p->d->ops->cells(p->d->ctx, &b, i->paint, i->nr);
}

static void put(struct pen *p, const struct item *i)
{
	const struct draw_metrics *m = &p->d->metrics;
	int right = p->l->w - m->margin;
	int before = i->nr ? swatch_width(p, i) + m->pad : 0;
	int width = before + draw_width(p->d, DRAW_SMALL, i->text);
	char buf[256];
	struct draw_text t = {
		.style = DRAW_SMALL, .role = ROLE_TEXT, .text = i->text,
	};

	if (p->x > m->margin && p->x + width > right) {
		p->x = m->margin;
		p->line++;
	}
	if (p->line >= p->max_lines)
		return;
	/* Longer than a line: as much as has room. */
	if (p->x + width > right) {
		t.text = draw_fit(p->d, DRAW_SMALL, i->text, right - p->x - before,
				  buf, sizeof(buf));
		width = right - p->x;
	}
	t.y = p->l->legend_y + p->line * m->line[DRAW_SMALL];
	t.x = p->x + before;
	if (p->paint && i->nr)
		paint_swatch(p, i, t.y);
	if (p->paint)
		p->d->ops->text(p->d->ctx, &t);
	p->x += width + 2 * m->pad + m->em / 2;
}

/* -- nodes ---------------------------------------------------------------- */

/* The colours, where the strip of the topology does not show them; of very
 * many nodes as many as leave room for the rest. */
static void put_nodes(struct pen *p, const struct heatmap *h)
{
	const struct topo *t = study_topo(h->study, h->run[0]);
	int node, place = 0;
	struct item i = { .nr = 1 };
	char text[64];

	i.text = text;
	for (node = 0; node < t->nr_node_ids; node++) {
		if (!t->node[node].present)
			continue;
		if (p->line >= p->max_lines * 2 / 3)
			break;
		snprintf(text, sizeof(text), "node %d%s", node,
			 t->node[node].nr_cpus ? "" : " (no cpu)");
		i.paint[0] = paint_node(p->d->theme, place++, 1);
		put(p, &i);
	}
	if (node < t->nr_node_ids) {
		i.nr = 0;
		snprintf(text, sizeof(text), "%d more nodes",
			 topo_nr_nodes(t) - place);
		put(p, &i);
	}
}

static void put_topo(struct pen *p, const struct heatmap *h)
{
	struct item i = { .text = heatmap_topo_text(p->l, h) };

	put(p, &i);
}

/* -- the rest ------------------------------------------------------------- */

static void put_ramp(struct pen *p, const struct heatmap *h)
{
	static const char *const text[NR_HEAT_MODES] = {
		[HEAT_NODE] = "ran 5 \342\200\246 100 % of the time",
		[HEAT_LOCALITY] =
			"0 \342\200\246 100 % local accesses (pale: ran less)",
		[HEAT_WAIT] = "waited 0 \342\200\246 100 % of the time",
		[HEAT_LOAD] = "0 \342\200\246 4 runnable per CPU",
		[HEAT_DIFF] = "local: 100 % less \342\200\246 100 % more",
	};
	bool memory = h->rows->kind == ROWS_MEMORY;
	enum heat_mode mode = memory ? HEAT_NODE : h->mode;
	struct item i = {
		.nr = MAX_SWATCH, .wide = true,
		.text = memory ? "5 \342\200\246 100 % of its pages there" :
				 text[mode],
	};
	int k;

	for (k = 0; k < MAX_SWATCH; k++) {
		double at = (double)k / (MAX_SWATCH - 1);
		enum theme theme = p->d->theme;

		i.paint[k] =
			mode == HEAT_LOCALITY ?
				paint_locality(theme, at, 1) :
			mode == HEAT_DIFF ?
				paint_diff(theme, 2 * at - 1, 1) :
			mode == HEAT_NODE ?
				paint_node(theme, 0, at > 0.05 ? at : 0.05) :
				paint_amount(theme, at > 0 ? at : 0.02);
	}
	put(p, &i);
}

enum seen { SEEN_UNSURE = 1, SEEN_CENSORED = 2, SEEN_UNKNOWN = 4 };

/* What is in any of the rows. */
static unsigned what_is_seen(const struct heatmap *h)
{
	unsigned seen = 0;
	int i, k;

	for (i = 0; i < h->rows->nr; i++)
		for (k = 0; k < h->rows->nr_runs; k++) {
			const struct row_sum *s = &h->rows->row[i].sum[k];

			seen |= (s->unsure_ns ? SEEN_UNSURE : 0) |
				(s->censored_ns ? SEEN_CENSORED : 0) |
				(s->run_ns - s->known_ns >= 1 ? SEEN_UNKNOWN :
								0);
		}
	return seen;
}

static bool has_recorded(const struct heatmap *h)
{
	int k;

	for (k = 0; k < h->nr_runs; k++)
		if (!h->study->run[h->run[k]].info->id)
			return true;
	return false;
}

static void put_pattern(struct pen *p, enum paint_pattern pattern,
			const char *text)
{
	struct item i = { .nr = 1, .text = text };

	i.paint[0] = pattern == PAINT_LOST ? paint_idle(p->d->theme) :
					     paint_amount(p->d->theme, 0.3);
	i.paint[0].pattern = pattern;
	put(p, &i);
}

/* What is not a value, each with its true reason. */
static void put_doubts(struct pen *p, const struct heatmap *h)
{
	bool lost = h->study->nr_loss > 0 && has_recorded(h);
	bool cpus = h->rows->kind > ROWS_PROCESSES;
	unsigned seen = what_is_seen(h);
	struct item i = { .nr = 1 };

	if ((h->mode == HEAT_LOCALITY || h->mode == HEAT_DIFF) &&
	    seen & SEEN_UNKNOWN) {
		i.paint[0] = paint_locality(p->d->theme, -1, 1);
		i.text = h->mode == HEAT_DIFF ?
				 "ran in one of them only, or memory unknown" :
				 "memory unknown";
		put(p, &i);
	}
	if (h->mode == HEAT_DIFF)
		return;
	if (lost && cpus)
		put_pattern(p, PAINT_LOST, "events of this CPU lost");
	if (seen & SEEN_UNSURE)
		put_pattern(p, PAINT_STRIPES,
			    lost ? "unsure: events lost or a switch missing" :
				   "unsure: a switch was not recorded");
	if (seen & SEEN_CENSORED)
		put_pattern(p, PAINT_CENSORED,
			    "began before the recording or went on after it");
}

static void put_marks(struct pen *p, const struct heatmap *h)
{
	struct item i = { .nr = 1, .is_mark = true, .mark = DRAW_MARK_MOVE,
			  .text = "moved to another node" };

	if (!p->d->metrics.mark_h || h->rows->kind > ROWS_PROCESSES)
		return;
	if (h->mode == HEAT_DIFF)
		i.text = "moved to another node, in the run named first";
	put(p, &i);
	i.mark = DRAW_MARK_PAGES;
	i.text = "5 % of its pages moved";
	if (h->pages)
		put(p, &i);
}

static void put_strips(struct pen *p, const struct heatmap *h)
{
	bool cpus = h->rows->kind > ROWS_PROCESSES;
	struct item i = { .nr = 1 };

	if (h->rows->kind == ROWS_MEMORY)
		return;
	i.paint[0] = paint_idle(p->d->theme);
	i.text = cpus ? "idle" : "not running";
	put(p, &i);
	put_doubts(p, h);
	put_marks(p, h);
	i = (struct item){ .nr = 0 };
	if (h->no_pages_known) {
		i.text = "where pages were is not known";
		put(p, &i);
	}
	if (!cpus) {
		i.text = h->pages ? "blank: not there; below: pages not known" :
				    "blank: not there";
		put(p, &i);
	} else if (h->pages) {
		i.text = "blank below: idle, or pages not known";
		put(p, &i);
	}
	if (!h->pages)
		return;
	i.text = cpus ? "lower strip: where the memory of what ran was" :
		 h->mode == HEAT_NODE ?
			"upper strip: where it ran; lower strip: where its "
			"pages were" :
			"lower strip: where its pages were";
	put(p, &i);
}

/* In few words, and only where they cost no line. */
static void put_short(struct pen *p, const struct heatmap *h)
{
	struct item i = { .nr = 0 };
	int room = p->l->w - p->d->metrics.margin - p->x;

	if (h->rows->kind == ROWS_MEMORY || h->mode == HEAT_DIFF)
		return;
	i.text = h->rows->kind > ROWS_PROCESSES ?
			 "above: who ran here; below: its memory" :
			 "above: where it ran; below: its memory";
	if (h->mode != HEAT_NODE)
		i.text = "below: its memory";
	if (draw_width(p->d, DRAW_SMALL, i.text) <= room)
		put(p, &i);
}

int heatmap_legend(const struct heat_layout *l, const struct heatmap *h,
		   const struct draw *d, bool paint)
{
	struct pen p = { l, d, paint, d->metrics.margin, 0,
			 h->legend == LEGEND_FULL ? FULL_LINES : SHORT_LINES };

	if (!l->topo_h && (h->mode == HEAT_NODE || h->pages))
		put_nodes(&p, h);
	if (h->legend == LEGEND_FULL)
		put_topo(&p, h);
	if (h->mode != HEAT_NODE || h->legend == LEGEND_FULL)
		put_ramp(&p, h);
	if (h->legend == LEGEND_FULL)
		put_strips(&p, h);
	else if (h->pages)
		put_short(&p, h);
	return p.line < p.max_lines ? p.line + 1 : p.max_lines;
}
