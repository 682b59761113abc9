/* SPDX-License-Identifier: MIT */
#include "ui/heatmap_local.h"

#include "model/cpumask.h"

#include <stdio.h>
#include <string.h>

#define MAX_SWATCH 7
#define MAX_LINES 4

struct item {
	struct paint paint[MAX_SWATCH];
	int nr;
	bool wide;		/* a ramp: three times as wide */
	int strip;		/* 0: full; 1: thick, as CPU; 2: thin, as pages */
	const char *text;
};

/* Where the next item goes; flows from line to line. */
struct pen {
	const struct heat_layout *l;
	const struct draw *d;
	bool paint;
	int x, line;
};

static int swatch_width(const struct pen *p, const struct item *i)
{
	return p->d->metrics.em * (i->wide ? 4 : 2) * 3 / 4;
}

static void paint_item(const struct pen *p, const struct item *i)
{
	const struct draw_metrics *m = &p->d->metrics;
	int y = p->l->legend_y + p->line * m->line[DRAW_SMALL];
	bool few = m->line[DRAW_SMALL] <= 2;	/* a terminal */
	int high = few ? m->line[DRAW_SMALL] : m->line[DRAW_SMALL] * 2 / 3;
	struct draw_text t = {
		.x = p->x + swatch_width(p, i) + m->pad, .y = y,
		.style = DRAW_SMALL, .role = ROLE_TEXT, .text = i->text,
	};
	struct draw_box b = { p->x, y + (m->line[DRAW_SMALL] - high) / 2,
			      swatch_width(p, i), high };

	if (i->strip == 2 && b.h > 4) {
		b.y += b.h / 3;
		b.h /= 3;
	}
	if (!i->nr)
		t.x = p->x;
	else
		p->d->ops->cells(p->d->ctx, &b, i->paint, i->nr);
	p->d->ops->text(p->d->ctx, &t);
}

static void put(struct pen *p, const struct item *i)
{
	const struct draw_metrics *m = &p->d->metrics;
	int right = p->l->w - m->margin;
	int width = (i->nr ? swatch_width(p, i) + m->pad : 0) +
		    draw_width(p->d, DRAW_SMALL, i->text);

	if (p->x > m->margin && p->x + width > right) {
		p->x = m->margin;
		p->line++;
	}
	if (p->line >= MAX_LINES || p->x + width > right)
		return;
	if (p->paint)
		paint_item(p, i);
	p->x += width + 2 * m->pad + m->em / 2;
}

static char *cpus_text(const struct topo *t, int node, char *buf, int size)
{
	struct cpumask mask = { 0 };
	int cpu;

	buf[0] = 0;
	for (cpu = 0; cpu < t->nr_cpu_ids; cpu++)
		if (topo_node_of(t, cpu) == node)
			cpumask_set(&mask, cpu);
	if (!cpumask_empty(&mask))
		cpumask_print(&mask, buf, size);
	cpumask_release(&mask);
	return buf;
}

static void put_nodes(struct pen *p, const struct heatmap *h)
{
	const struct topo *t = study_topo(h->study, h->run[0]);
	bool detail = h->legend == LEGEND_FULL && topo_nr_nodes(t) <= 8;
	int node, place = 0;

	for (node = 0; node < t->nr_node_ids; node++) {
		char cpus[64], text[128];
		struct item i = { .nr = 1, .text = text };

		if (!t->node[node].present)
			continue;
		cpus_text(t, node, cpus, sizeof(cpus));
		if (detail && *cpus)
			snprintf(text, sizeof(text), "node %d (cpu %s)", node,
				 cpus);
		else
			snprintf(text, sizeof(text), "node %d%s", node,
				 *cpus ? "" : " (no cpu)");
		i.paint[0] = paint_node(p->d->theme, place++, 1);
		put(p, &i);
	}
}

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

static bool any_unsure(const struct heatmap *h)
{
	int i, k;

	for (i = 0; i < h->rows->nr; i++)
		for (k = 0; k < h->rows->nr_runs; k++)
			if (h->rows->row[i].sum[k].unsure_ns)
				return true;
	return h->study->nr_loss > 0;
}

static void put_strips(struct pen *p, const struct heatmap *h)
{
	enum theme theme = p->d->theme;
	struct item i = { .nr = 1 };

	if (h->rows->kind == ROWS_MEMORY)
		return;
	i.paint[0] = paint_idle(theme);
	i.text = "not running";
	put(p, &i);
	if (h->mode == HEAT_LOCALITY) {
		i.paint[0] = paint_locality(theme, -1, 1);
		i.text = "memory unknown";
		put(p, &i);
	}
	if (any_unsure(h)) {
		i.paint[0].pattern = PAINT_STRIPES;
		i.text = "unsure (events lost)";
		put(p, &i);
	}
	if (h->pages) {
		bool cpus = h->rows->kind > ROWS_PROCESSES;

		i = (struct item){ .nr = 0 };
		i.text = cpus ? "lower strip: where the memory of what ran was" :
			 h->mode == HEAT_NODE ?
				"upper strip: where it ran; lower strip: where "
				"its pages were" :
				"lower strip: where its pages were";
		put(p, &i);
	}
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
	struct pen p = { l, d, paint, d->metrics.margin, 0 };

	if (h->mode == HEAT_NODE || h->pages)
		put_nodes(&p, h);
	if (h->mode != HEAT_NODE || h->legend == LEGEND_FULL)
		put_ramp(&p, h);
	if (h->legend == LEGEND_FULL)
		put_strips(&p, h);
	else if (h->pages)
		put_short(&p, h);
	return p.line < MAX_LINES ? p.line + 1 : MAX_LINES;
}
