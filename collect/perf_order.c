/* SPDX-License-Identifier: MIT */
#include "collect/perf_order.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

struct node {
	int64_t ts;
	uint64_t seq;
	int64_t lost;		/* -1: a sample */
	int cpu;
	uint32_t at, len;	/* in bytes */
};

struct perf_order {
	struct node *node, *spare;
	size_t nr, size;
	size_t taken, due;	/* of the sorted ones: gone, to be taken */
	size_t sorted;
	uint8_t *bytes;
	size_t used, room;
	uint64_t seq;
	int64_t newest, limit;	/* in all; before the last mark */
	int64_t last;		/* given out last */
	int64_t late;
};

int perf_order_new(struct perf_order **o, struct err *err)
{
	*o = calloc(1, sizeof(**o));
	if (!*o)
		return err_nomem(err);
	(*o)->newest = (*o)->limit = (*o)->last = INT64_MIN;
	return 0;
}

void perf_order_free(struct perf_order *o)
{
	if (!o)
		return;
	free(o->node);
	free(o->spare);
	free(o->bytes);
	free(o);
}

bool perf_order_room(const struct perf_order *o, uint32_t len)
{
	return o->used + len + 2 * o->nr * sizeof(struct node) <=
	       PERF_ORDER_BYTES;
}

static int grow(struct perf_order *o, uint32_t len, struct err *err)
{
	if (o->nr == o->size) {
		size_t size = o->size ? o->size * 2 : 4096;
		struct node *node = realloc(o->node, size * sizeof(*node));

		if (!node)
			return err_nomem(err);
		o->node = node;
		node = realloc(o->spare, size * sizeof(*node));
		if (!node)
			return err_nomem(err);
		o->spare = node;
		o->size = size;
	}
	if (o->used + len > o->room) {
		size_t room = o->room ? o->room * 2 : 1 << 18;
		uint8_t *bytes;

		while (room < o->used + len)
			room *= 2;
		bytes = realloc(o->bytes, room);
		if (!bytes)
			return err_nomem(err);
		o->bytes = bytes;
		o->room = room;
	}
	return 0;
}

/* Forgets what was taken. */
static void compact(struct perf_order *o)
{
	size_t used = 0;

	if (!o->taken)
		return;
	/* Their bytes lie in order of arrival, which seq is. */
	memmove(o->node, o->node + o->taken, (o->nr - o->taken) * sizeof(*o->node));
	o->nr -= o->taken;
	o->sorted -= o->taken;
	o->taken = o->due = 0;
	if (!o->nr) {
		o->used = 0;
		return;
	}
	for (size_t i = 0; i < o->nr; i++)
		used += o->node[i].len;
	if (used < o->used / 2 || o->used > PERF_ORDER_BYTES / 2) {
		uint8_t *bytes = malloc(o->room);

		if (!bytes)
			return;
		used = 0;
		for (size_t i = 0; i < o->nr; i++) {
			memcpy(bytes + used, o->bytes + o->node[i].at,
			       o->node[i].len);
			o->node[i].at = (uint32_t)used;
			used += o->node[i].len;
		}
		free(o->bytes);
		o->bytes = bytes;
		o->used = used;
	}
}

int perf_order_put(struct perf_order *o, const struct perf_item *item,
		   struct err *err)
{
	struct node *n;

	compact(o);
	if (grow(o, item->len, err) < 0)
		return err->code;
	n = &o->node[o->nr++];
	*n = (struct node){
		.ts = item->ts, .seq = o->seq++, .cpu = item->cpu,
		.lost = item->is_loss ? item->lost : -1,
		.at = (uint32_t)o->used, .len = item->len,
	};
	if (item->len)
		memcpy(o->bytes + o->used, item->raw, item->len);
	o->used += item->len;
	if (n->ts > o->newest)
		o->newest = n->ts;
	return 0;
}

static bool before(const struct node *a, const struct node *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

/* Buffers are runs in order: a natural merge sort sees each of them once. */
static size_t run_end(const struct node *n, size_t at, size_t nr)
{
	for (at++; at < nr && !before(&n[at], &n[at - 1]); at++)
		;
	return at < nr ? at : nr;
}

static void merge(const struct node *n, struct node *to, size_t a, size_t b,
		  size_t end)
{
	size_t i = a, j = b;

	for (size_t k = a; k < end; k++)
		to[k] = j == end || (i < b && !before(&n[j], &n[i])) ? n[i++] :
								       n[j++];
}

static void sort(struct perf_order *o)
{
	for (;;) {
		size_t at = 0, runs = 0;
		struct node *swap = o->node;

		while (at < o->nr) {
			size_t mid = run_end(o->node, at, o->nr);
			size_t end = mid < o->nr ? run_end(o->node, mid, o->nr) :
						   mid;

			if (at == 0 && mid == o->nr)
				goto out;
			merge(o->node, o->spare, at, mid, end);
			at = end;
			runs++;
		}
		o->node = o->spare;
		o->spare = swap;
		if (runs <= 1)
			break;
	}
out:
	o->sorted = o->nr;
}

static void make_due(struct perf_order *o, int64_t limit)
{
	compact(o);
	sort(o);
	while (o->due < o->sorted && o->node[o->due].ts <= limit)
		o->due++;
}

void perf_order_round(struct perf_order *o)
{
	make_due(o, o->limit);
	o->limit = o->newest;
}

void perf_order_end(struct perf_order *o)
{
	make_due(o, INT64_MAX);
}

void perf_order_force(struct perf_order *o)
{
	compact(o);
	sort(o);
	o->due = (o->nr + 1) / 2;
}

bool perf_order_take(struct perf_order *o, struct perf_item *item)
{
	const struct node *n;

	if (o->taken == o->due)
		return false;
	n = &o->node[o->taken++];
	if (n->ts < o->last)
		o->late++;
	else
		o->last = n->ts;
	*item = (struct perf_item){
		.ts = n->ts, .cpu = n->cpu, .is_loss = n->lost >= 0,
		.lost = n->lost, .raw = n->len ? o->bytes + n->at : NULL, .len = n->len,
	};
	return true;
}

int64_t perf_order_late(const struct perf_order *o)
{
	return o->late;
}
