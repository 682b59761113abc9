/* SPDX-License-Identifier: MIT */
#include "replay/channel_local.h"

#include <stdlib.h>

#include "model/err.h"

#define FIRST_SLOTS 64
#define FIRST_RING 8

void channels_release(struct channels *c)
{
	for (size_t i = 0; c->slot && i <= c->mask; i++)
		free(c->slot[i].cpu);
	free(c->slot);
	free(c->next);
	*c = (struct channels){ 0 };
}

/* -- by number ---------------------------------------------------------------- */

static size_t slot_of(const struct channels *c, int id)
{
	size_t i = (uint32_t)id * 2654435761u;

	for (i &= c->mask; c->slot[i].size && c->slot[i].id != id; )
		i = (i + 1) & c->mask;
	return i;
}

struct channel *channels_find(const struct channels *c, int id)
{
	struct channel *at;

	if (!c->slot)
		return NULL;
	at = &c->slot[slot_of(c, id)];
	return at->size ? at : NULL;
}

static int grow(struct channels *c, struct err *err)
{
	size_t size = c->slot ? (c->mask + 1) * 2 : FIRST_SLOTS;
	struct channels old = *c;
	struct channel *slot = calloc(size, sizeof(*slot));

	if (!slot)
		return err_nomem(err);
	c->slot = slot;
	c->mask = size - 1;
	for (size_t i = 0; old.slot && i <= old.mask; i++)
		if (old.slot[i].size)
			c->slot[slot_of(c, old.slot[i].id)] = old.slot[i];
	free(old.slot);
	return 0;
}

int channels_open(struct channels *c, const struct channel *like,
		  struct err *err)
{
	if ((!c->slot || c->nr * 2 > c->mask) && grow(c, err))
		return err->code;
	c->slot[slot_of(c, like->id)] = *like;
	c->nr++;
	return 0;
}

/* -- messages ----------------------------------------------------------------- */

static int grow_ring(struct channel *c, struct err *err)
{
	int64_t size = c->ring_size ? c->ring_size * 2 : FIRST_RING;
	int *cpu = malloc((size_t)size * sizeof(*cpu));

	if (!cpu)
		return err_nomem(err);
	for (int64_t i = 0; i < c->nr; i++)
		cpu[i] = c->cpu[(c->head + i) & (c->ring_size - 1)];
	free(c->cpu);
	c->cpu = cpu;
	c->ring_size = size;
	c->head = 0;
	return 0;
}

int channel_put(struct channel *c, int cpu, struct err *err)
{
	if (c->nr == c->ring_size && grow_ring(c, err))
		return err->code;
	c->cpu[(c->head + c->nr++) & (c->ring_size - 1)] = cpu;
	return 0;
}

int channel_take(struct channel *c)
{
	int cpu = c->cpu[c->head];

	c->head = (c->head + 1) & (c->ring_size - 1);
	c->nr--;
	return cpu;
}

/* -- sleepers ----------------------------------------------------------------- */

int channels_sleep(struct channels *c, struct channel_queue *q, int task,
		   int nr_tasks, struct err *err)
{
	if (!c->next) {
		c->next = calloc((size_t)nr_tasks + 1, sizeof(*c->next));
		if (!c->next)
			return err_nomem(err);
	}
	c->next[task] = 0;
	if (q->last)
		c->next[q->last - 1] = task + 1;
	else
		q->first = task + 1;
	q->last = task + 1;
	return 0;
}

int channels_first(struct channels *c, struct channel_queue *q)
{
	int task = q->first - 1;

	if (task < 0)
		return -1;
	q->first = c->next[task];
	if (!q->first)
		q->last = 0;
	return task;
}
