/* SPDX-License-Identifier: MIT */
#include "collect/text_order.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

struct slot {
	struct record r;
	char name[RECORD_MAX_NAMES][LIVES_NAME_MAX + 1];
};

/* Node of a heap; seq breaks ties. */
struct node {
	int64_t key;
	uint64_t seq;
	int slot;
};

struct text_order {
	struct slot *slot;
	struct node *heap;
	int *unused;		/* free slots */
	int nr, nr_unused, size;
	uint64_t seq;
	int64_t last;		/* key of what was taken last */
	int64_t late;
};

/* Room for more, up to the window. */
static int grow(struct text_order *o, struct err *err)
{
	int size = o->size ? o->size * 4 : TEXT_ORDER_WINDOW / 256;
	struct slot *slot = realloc(o->slot, (size_t)size * sizeof(*slot));
	struct node *heap;
	int *unused;

	if (!slot)
		return err_nomem(err);
	o->slot = slot;
	heap = realloc(o->heap, (size_t)size * sizeof(*heap));
	if (!heap)
		return err_nomem(err);
	o->heap = heap;
	unused = realloc(o->unused, (size_t)size * sizeof(*unused));
	if (!unused)
		return err_nomem(err);
	o->unused = unused;
	for (int i = size; i-- > o->size;)
		unused[o->nr_unused++] = i;
	o->size = size;
	return 0;
}

int text_order_new(struct text_order **o, struct err *err)
{
	*o = calloc(1, sizeof(**o));
	if (!*o)
		return err_nomem(err);
	(*o)->last = INT64_MIN;
	if (grow(*o, err) < 0) {
		text_order_free(*o);
		*o = NULL;
	}
	return err->code;
}

void text_order_free(struct text_order *o)
{
	if (!o)
		return;
	free(o->slot);
	free(o->heap);
	free(o->unused);
	free(o);
}

bool text_order_full(struct text_order *o)
{
	struct err ignored = { 0 };

	/* What cannot grow gives out earlier. */
	if (o->nr_unused < 2 && o->size < TEXT_ORDER_WINDOW)
		grow(o, &ignored);
	return o->nr_unused < 2;
}

bool text_order_empty(const struct text_order *o)
{
	return !o->nr;
}

static bool before(const struct node *a, const struct node *b)
{
	return a->key < b->key || (a->key == b->key && a->seq < b->seq);
}

void text_order_put(struct text_order *o, const struct record *r, int64_t key)
{
	struct node new = { key, o->seq++, o->unused[--o->nr_unused] };
	struct slot *s = &o->slot[new.slot];
	int at = o->nr++;

	if (key < o->last) {
		new.key = o->last;
		o->late++;
	}
	s->r = *r;
	for (int i = 0; i < r->nr_names; i++) {
		struct record_name *n = &s->r.name[i];

		if (n->len > LIVES_NAME_MAX)
			n->len = LIVES_NAME_MAX;
		memcpy(s->name[i], n->comm, (size_t)n->len);
	}
	for (; at && before(&new, &o->heap[(at - 1) / 2]); at = (at - 1) / 2)
		o->heap[at] = o->heap[(at - 1) / 2];
	o->heap[at] = new;
}

void text_order_take(struct text_order *o, struct record *r)
{
	struct node top = o->heap[0], moved = o->heap[--o->nr];
	int at = 0;

	for (;;) {
		int child = 2 * at + 1;

		if (child >= o->nr)
			break;
		if (child + 1 < o->nr &&
		    before(&o->heap[child + 1], &o->heap[child]))
			child++;
		if (!before(&o->heap[child], &moved))
			break;
		o->heap[at] = o->heap[child];
		at = child;
	}
	o->heap[at] = moved;
	o->unused[o->nr_unused++] = top.slot;
	o->last = top.key;
	*r = o->slot[top.slot].r;
	for (int i = 0; i < r->nr_names; i++)
		r->name[i].comm = o->slot[top.slot].name[i];
}

int64_t text_order_late(const struct text_order *o)
{
	return o->late;
}
