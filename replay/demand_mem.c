/* SPDX-License-Identifier: MIT */
#include "replay/demand_mem.h"

#include <stdlib.h>
#include <string.h>

#include "model/err.h"

/* All chunks of a task, one behind the other. */
struct demand_mem_task {
	uint8_t *bytes;
	size_t len, size;
	size_t *end;		/* of each chunk */
	int nr, nr_size;
};

void demand_mem_release(struct demand_mem *d)
{
	for (int t = 0; t < d->nr_tasks; t++) {
		free(d->task[t].bytes);
		free(d->task[t].end);
	}
	free(d->task);
	*d = (struct demand_mem){ 0 };
}

static int grow_tasks(struct demand_mem *d, int task, struct err *err)
{
	int size = d->size ? d->size : 64;
	struct demand_mem_task *more;

	while (size <= task)
		size *= 2;
	more = realloc(d->task, (size_t)size * sizeof(*more));
	if (!more)
		return err_nomem(err);
	memset(more + d->size, 0, (size_t)(size - d->size) * sizeof(*more));
	d->task = more;
	d->size = size;
	return 0;
}

static int grow_chunks(struct demand_mem_task *t, size_t len, struct err *err)
{
	size_t size = t->size ? t->size : 256;
	uint8_t *bytes;
	size_t *end;
	int nr = t->nr_size ? 2 * t->nr_size : 4;

	while (size < t->len + len)
		size *= 2;
	bytes = size > t->size ? realloc(t->bytes, size) : t->bytes;
	if (!bytes)
		return err_nomem(err);
	t->bytes = bytes;
	t->size = size;
	if (t->nr < t->nr_size)
		return 0;
	end = realloc(t->end, (size_t)nr * sizeof(*end));
	if (!end)
		return err_nomem(err);
	t->end = end;
	t->nr_size = nr;
	return 0;
}

static int put_chunk(void *ctx, int task, int n, const uint8_t *bytes,
		     size_t len, struct err *err)
{
	struct demand_mem *d = ctx;
	struct demand_mem_task *t;

	if (task >= d->size && grow_tasks(d, task, err))
		return err->code;
	if (task >= d->nr_tasks)
		d->nr_tasks = task + 1;
	t = &d->task[task];
	if (grow_chunks(t, len, err))
		return err->code;
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
	t->end[t->nr++] = t->len;
	return 0;
}

void demand_mem_sink(struct demand_mem *d, struct demand_sink *sink)
{
	*sink = (struct demand_sink){ .ctx = d, .chunk = put_chunk };
}

static int get_chunk(void *ctx, int task, int n, const uint8_t **bytes,
		     size_t *len, struct err *err)
{
	const struct demand_mem *d = ctx;
	const struct demand_mem_task *t;
	size_t at;

	if (task < 0 || task >= d->nr_tasks || n < 0 || n >= d->task[task].nr)
		return 0;
	t = &d->task[task];
	at = n ? t->end[n - 1] : 0;
	*bytes = t->bytes + at;
	*len = t->end[n] - at;
	return 1;
}

void demand_mem_source(const struct demand_mem *d, struct demand_source *src)
{
	*src = (struct demand_source){ .ctx = (void *)d, .chunk = get_chunk };
}
