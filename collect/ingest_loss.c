/* SPDX-License-Identifier: MIT */
#include "collect/ingest_local.h"

#include "model/err.h"

#include <stdlib.h>

#define MAX_LOST (INT64_C(1) << 50)

static struct cpu_loss *of_cpu(struct ingest *in, int cpu, struct err *err)
{
	struct cpu_loss *new;
	int nr = cpu + 16;

	if (cpu < in->nr_cpu_loss)
		return &in->cpu_loss[cpu];
	new = realloc(in->cpu_loss, (size_t)nr * sizeof(*new));
	if (!new) {
		err_nomem(err);
		return NULL;
	}
	in->cpu_loss = new;
	for (int i = in->nr_cpu_loss; i < nr; i++)
		new[i] = (struct cpu_loss){ .counted = -1 };
	in->nr_cpu_loss = nr;
	return &in->cpu_loss[cpu];
}

/* Called for every loss in stream order; *write_now: *out can be written. */
int ingest_take_loss(struct ingest *in, const struct loss *l, bool *write_now,
		     struct loss *out, struct err *err)
{
	struct cpu_loss *c = of_cpu(in, l->cpu, err);

	if (!c)
		return err->code;
	*write_now = false;
	if (l->events < 0)
		c->nr_unknown++;
	else
		c->known += l->events;
	if (l->from_ns == LOSS_FROM_START) {
		c->has_start = true;
		c->start = *l;
	} else if (l->to_ns == LOSS_TO_END) {
		c->has_end = true;
		c->end = *l;
	} else if (l->events < 0) {
		*write_now = c->has_open;
		*out = c->open;
		c->has_open = true;
		c->open = *l;
	} else {
		*write_now = true;
		*out = *l;
	}
	return 0;
}

int ingest_lost(struct ingest *in, int cpu, int64_t events, struct err *err)
{
	struct cpu_loss *c = of_cpu(in, cpu, err);

	if (!c)
		return err->code;
	if (events > 0)
		c->counted = events < MAX_LOST ? events : MAX_LOST;
	return 0;
}

static int put(struct ingest *in, const struct loss *l, struct err *err)
{
	in->totals.loss_intervals++;
	if (l->events > 0)
		in->totals.lost += l->events;
	return store_put_loss(in->store, l, err);
}

/* Gives what the counters know and the holes do not to where it belongs. */
static int place_rest(struct ingest *in, struct cpu_loss *c, int cpu,
		      struct err *err)
{
	struct loss *const held[] = { &c->start, &c->open, &c->end };
	const bool has[] = { c->has_start, c->has_open, c->has_end };
	int64_t rest = c->counted - c->known;
	struct loss whole = {
		cpu, in->totals.start_ns, in->totals.end_ns, rest,
	};

	if (rest <= 0)
		return 0;
	if (c->nr_unknown == 0)
		return put(in, &whole, err);
	if (c->nr_unknown > 1)
		return ingest_repair(in, "lost_unplaced", rest, err);
	for (int i = 0; i < 3; i++)
		if (has[i] && held[i]->events < 0)
			held[i]->events = rest;
	return 0;
}

static int put_held(struct ingest *in, struct cpu_loss *c, struct err *err)
{
	struct ingest_totals *t = &in->totals;
	int code = 0;

	if (c->has_start) {
		c->start.from_ns = t->start_ns;
		if (c->start.to_ns == LOSS_TO_END)
			c->start.to_ns = t->end_ns;
		else if (c->start.to_ns > t->window_start_ns)
			t->window_start_ns = c->start.to_ns;
		if (c->start.to_ns < c->start.from_ns)
			c->start.to_ns = c->start.from_ns;
		code = put(in, &c->start, err);
	}
	if (code == 0 && c->has_open)
		code = put(in, &c->open, err);
	if (code == 0 && c->has_end) {
		c->end.to_ns = t->end_ns;
		if (c->end.from_ns < t->window_end_ns)
			t->window_end_ns = c->end.from_ns;
		if (c->end.from_ns > c->end.to_ns)
			c->end.from_ns = c->end.to_ns;
		code = put(in, &c->end, err);
	}
	return code;
}

int ingest_finish_losses(struct ingest *in, struct err *err)
{
	struct ingest_totals *t = &in->totals;
	int code = 0;

	t->window_start_ns = t->start_ns;
	t->window_end_ns = t->end_ns;
	for (int cpu = 0; cpu < in->nr_cpu_loss && code == 0; cpu++) {
		code = place_rest(in, &in->cpu_loss[cpu], cpu, err);
		if (code == 0)
			code = put_held(in, &in->cpu_loss[cpu], err);
	}
	if (code == 0 && t->window_start_ns >= t->window_end_ns &&
	    t->start_ns < t->end_ns) {
		t->window_start_ns = t->start_ns;
		t->window_end_ns = t->end_ns;
		code = ingest_repair(in, "no_common_window", 1, err);
	}
	return code;
}
