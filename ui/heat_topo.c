/* SPDX-License-Identifier: MIT */
/* The machine as a strip: a box in each node's colour. */
#include "ui/heatmap_local.h"

#include "model/cpumask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is told in more words has to do with fewer lines. */
static const int most_lines[NR_HEAT_TOPOS] = {
	[HEAT_TOPO_CPUS] = 2,
	[HEAT_TOPO_CACHES] = 4,
	[HEAT_TOPO_NODES] = 8,
	[HEAT_TOPO_NO_DISTANCES] = 8,
};

struct strip {
	const struct heat_layout *l;
	const struct draw *d;
	const struct topo *t;
	const int *order;	/* topo_cpu_order() */
	int nr_cpus;
	enum heat_topo how;
	bool paint;
	bool has_room;
	int x, line;		/* where the next box goes */
};

/* Colour before the first piece of text, broad enough for a pattern... */
static int before(const struct strip *s)
{
	return s->d->metrics.em * 3 / 2;
}

/* ...between two, and above them; in cells text has a blank before it. */
static int beside(const struct strip *s)
{
	return (s->d->metrics.pad + 1) / 2;
}

static int above(const struct strip *s)
{
	return s->d->metrics.gap / 6;
}

static int pitch(const struct draw *d)
{
	return d->metrics.line[DRAW_SMALL] + d->metrics.gap / 2;
}

static int top(const struct strip *s)
{
	return s->l->topo_y + s->line * pitch(s->d);
}

static void put_text(const struct strip *s, int x, enum palette_role role,
		     const char *text)
{
	s->d->ops->text(s->d->ctx, &(struct draw_text){
		.x = x, .y = top(s) + above(s), .style = DRAW_SMALL,
		.role = role, .text = text });
}

/* A piece of paper with text on it in the box; returns where the next begins. */
static int put_piece(const struct strip *s, int x, const char *text)
{
	bool cells = draw_in_cells(s->d);
	int w = draw_width(s->d, DRAW_SMALL, text) + (cells ? 1 : 2) * beside(s);
	struct draw_box b = { x, top(s) + above(s), w,
			      s->d->metrics.line[DRAW_SMALL] };

	if (s->paint && !cells)
		s->d->ops->fill(s->d->ctx, &b, ROLE_PAGE);
	if (s->paint)
		put_text(s, x + beside(s), ROLE_TEXT, text);
	return x + w + (cells ? 0 : beside(s));
}

static bool same_piece(const struct strip *s, int a, int b)
{
	return topo_node_of(s->t, a) == topo_node_of(s->t, b) &&
	       (s->how >= HEAT_TOPO_NODES ||
		s->t->cpu[a].llc == s->t->cpu[b].llc);
}

/* The CPUs from order[at] on that belong together: "0 4 1 5", or "0-1,4-5";
 * returns how many. */
static int piece_text(struct strip *s, int at, char *buf, int size)
{
	bool each = s->how == HEAT_TOPO_CPUS;
	struct cpumask mask = { 0 };
	int i, len = 0;

	for (i = at; i < s->nr_cpus; i++) {
		if (!same_piece(s, s->order[at], s->order[i]))
			break;
		if (!each)
			cpumask_set(&mask, s->order[i]);
		else if (len < size)
			len += snprintf(buf + len, size - len, "%s%d",
					i > at ? " " : "", s->order[i]);
	}
	if (!each)
		len = cpumask_print(&mask, buf, size);
	cpumask_release(&mask);
	s->has_room = s->has_room && len < size;
	return i - at;
}

/* All pieces of a node's box from x on; returns its right end. */
static int put_pieces(struct strip *s, int node, int x)
{
	bool cells = draw_in_cells(s->d);
	char text[600];
	int i, nr = 0;

	snprintf(text, sizeof(text), cells ? "node %d:" : "node %d", node);
	x = put_piece(s, x + before(s), text);
	for (i = 0; i < s->nr_cpus; i++) {
		if (topo_node_of(s->t, s->order[i]) != node)
			continue;
		if (nr++ && cells)
			x = put_piece(s, x, "|");
		i += piece_text(s, i, text, sizeof(text)) - 1;
		x = put_piece(s, x, text);
	}
	return nr ? x : put_piece(s, x, "no cpu");
}

static void paint_box(struct strip *s, int node, int place, int w)
{
	struct draw_box b = { s->x, top(s), draw_in_cells(s->d) ? before(s) : w,
			      s->d->metrics.line[DRAW_SMALL] + 2 * above(s) };
	struct paint p = paint_node(s->d->theme, place, 1);

	s->d->ops->cells(s->d->ctx, &b, &p, 1);
	put_pieces(s, node, s->x);
}

/* Room for so much in this line or the next; false: in none. */
static bool make_room(struct strip *s, int w)
{
	int margin = s->d->metrics.margin, right = s->l->w - margin;

	if (s->x > margin && s->x + w > right) {
		s->x = margin;
		s->line++;
	}
	s->has_room = s->has_room && s->x + w <= right &&
		      s->line < most_lines[s->how];
	return s->has_room;
}

/* -- distances ------------------------------------------------------------ */

static bool distances_even(const struct topo *t, int *own, int *other)
{
	int a, b;

	*own = *other = 0;
	for (a = 0; a < t->nr_node_ids; a++)
		for (b = 0; t->node[a].present && b < t->nr_node_ids; b++) {
			int d = topo_distance(t, a, b);
			int *is = a == b ? own : other;

			if (!t->node[b].present)
				continue;
			if (*is && *is != d)
				return false;
			*is = d;
		}
	return true;
}

/* "(10 16 22)": from a node to each. */
static void distances_of(const struct topo *t, int node, char *buf, int size)
{
	int b, len = 0;

	for (b = 0; b < t->nr_node_ids && len < size; b++)
		if (t->node[b].present)
			len += snprintf(buf + len, size - len, "%c%d",
					len ? ' ' : '(',
					topo_distance(t, node, b));
	if (len < size)
		snprintf(buf + len, size - len, ")");
}

#define EACH "nodes and their CPUs by last-level cache"
#define FAR "; in brackets: distance to each node"

const char *heatmap_topo_text(const struct heat_layout *l,
			      const struct heatmap *h)
{
	static const char *const text[NR_HEAT_TOPOS][2] = {
		[HEAT_TOPO_CPUS] = { EACH, EACH FAR },
		[HEAT_TOPO_CACHES] = { EACH, EACH FAR },
		[HEAT_TOPO_NODES] = {
			"nodes and their CPUs (no room for caches)",
			"nodes and their CPUs (no room for caches)" FAR },
		[HEAT_TOPO_NO_DISTANCES] = {
			"nodes and their CPUs (no room for caches, distances)",
			"nodes and their CPUs (no room for caches, distances)" },
	};
	int own, other;

	if (!l->topo_h)
		return "no room for CPUs and caches of the nodes, and their "
		       "distances";
	return text[l->topo][!distances_even(study_topo(h->study, h->run[0]),
					     &own, &other)];
}

/* -- all of it ------------------------------------------------------------ */

/* The box, and beside it what is said of its distances ("": nothing). */
static void put_node(struct strip *s, int node, int place, const char *distances)
{
	const struct draw_metrics *m = &s->d->metrics;
	bool paint = s->paint;
	int box, w;

	s->paint = false;
	box = put_pieces(s, node, 0);
	s->paint = paint;
	w = box;
	if (*distances)
		w += m->pad + draw_width(s->d, DRAW_SMALL, distances);
	if (!make_room(s, w))
		return;
	if (paint)
		paint_box(s, node, place, box);
	if (paint && *distances)
		put_text(s, s->x + box + m->pad, ROLE_DIM, distances);
	s->x += w + 2 * m->pad;
}

static void put_even(struct strip *s, int own, int other)
{
	char text[100];

	snprintf(text, sizeof(text), "distance %d to itself, %d to others", own,
		 other);
	if (make_room(s, draw_width(s->d, DRAW_SMALL, text)) && s->paint)
		put_text(s, s->x, ROLE_DIM, text);
}

/* Lines that it takes; 0: it has no room. */
static int put_machine(struct strip *s)
{
	bool far = s->how < HEAT_TOPO_NO_DISTANCES;
	int node, place = 0, own, other;
	bool even = distances_even(s->t, &own, &other);
	char distances[TOPO_MAX_NODES * 4];

	s->x = s->d->metrics.margin;
	s->has_room = true;
	for (node = 0; node < s->t->nr_node_ids && s->has_room; node++) {
		if (!s->t->node[node].present)
			continue;
		distances[0] = 0;
		if (far && !even)
			distances_of(s->t, node, distances, sizeof(distances));
		put_node(s, node, place++, distances);
	}
	if (far && even && other && s->has_room)
		put_even(s, own, other);
	return s->has_room ? s->line + 1 : 0;
}

static int strip_of(const struct heat_layout *l, const struct heatmap *h,
		    const struct draw *d, enum heat_topo how, bool paint)
{
	struct strip s = { .l = l, .d = d, .how = how, .paint = paint,
			   .t = study_topo(h->study, h->run[0]) };
	int *order = calloc(s.t->nr_cpu_ids + 1, sizeof(*order)), lines;

	if (!order)
		return 0;
	s.order = order;
	s.nr_cpus = topo_cpu_order(s.t, order);
	lines = put_machine(&s);
	free(order);
	return lines;
}

void heatmap_topo_fit(struct heat_layout *l, const struct heatmap *h,
		      const struct draw *d)
{
	enum heat_topo how = HEAT_TOPO_CPUS;
	int lines = 0;

	for (; how < NR_HEAT_TOPOS && !lines; how++) {
		lines = strip_of(l, h, d, how, false);
		l->topo = how;
	}
	l->topo_h = lines ? lines * pitch(d) : 0;
}

void heatmap_topo_paint(const struct heat_layout *l, const struct heatmap *h,
			const struct draw *d)
{
	strip_of(l, h, d, l->topo, true);
}
