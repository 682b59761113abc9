/* SPDX-License-Identifier: MIT */
/*
 * The file: chunks in order of task and number, each with its length in two
 * bytes before it; length 0 ends a task.  Offset 0 is a pad, so that 0 can mean
 * "no program".
 */
#include "ui/demand_copy.h"

#include "model/err.h"
#include "schema/store.h"
#include "ui/bar.h"
#include "ui/spill.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int failed(struct err *err)
{
	return err_set(err, ERR_IO, "cannot keep a copy of the demand: %s",
		       strerror(errno ? errno : EIO));
}

static int put_chunk(FILE *f, const uint8_t *bytes, size_t len,
		     struct err *err)
{
	uint16_t size = (uint16_t)len;

	if (fwrite(&size, sizeof(size), 1, f) != 1 ||
	    (len && fwrite(bytes, len, 1, f) != 1))
		return failed(err);
	return 0;
}

struct writer {
	struct demand_copy *c;
	FILE *f;
	uint64_t at;
	int task;		/* whose chunks are being written, -1 */
	int64_t nr;
	struct bar *bar;
};

static int end_task(struct writer *w, struct err *err)
{
	if (w->task < 0)
		return 0;
	w->at += sizeof(uint16_t);
	w->task = -1;
	return put_chunk(w->f, NULL, 0, err);
}

static int take_chunk(void *ctx, int task, const uint8_t *bytes, size_t len,
		      struct err *err)
{
	struct writer *w = ctx;

	if (task >= w->c->nr_tasks || !len)
		return 0;
	if (task != w->task && end_task(w, err))
		return err->code;
	if (w->task < 0)
		w->c->first[task] = w->at;
	w->task = task;
	w->at += sizeof(uint16_t) + len;
	if (w->bar && !(++w->nr & 1023))
		bar_show(w->bar, "demand", (double)task / w->c->nr_tasks);
	return put_chunk(w->f, bytes, len, err);
}

static int copy_all(struct demand_copy *c, FILE *f, struct store *s,
		    struct bar *bar, struct err *err)
{
	struct writer w = { .c = c, .f = f, .at = 1, .task = -1, .bar = bar };

	if (putc(0, f) == EOF)
		return failed(err);
	if (store_each_chunk(s, take_chunk, &w, err) || end_task(&w, err))
		return err->code;
	c->len = w.at;
	return 0;
}

static int map_file(struct demand_copy *c, FILE *f, struct err *err)
{
	void *map;

	if (fflush(f))
		return failed(err);
	map = mmap(NULL, c->len, PROT_READ, MAP_SHARED, fileno(f), 0);
	if (map == MAP_FAILED)
		return failed(err);
	c->map = map;
	return 0;
}

int demand_copy_make(struct demand_copy *c, struct store *s,
		     const struct demand_task *tasks, int nr, struct bar *bar,
		     struct err *err)
{
	int fd, r;
	FILE *f;

	*c = (struct demand_copy){ 0 };
	for (int i = 0; i < nr; i++)
		if (tasks[i].task >= c->nr_tasks)
			c->nr_tasks = tasks[i].task + 1;
	c->first = calloc((size_t)c->nr_tasks + 1, sizeof(*c->first));
	if (!c->first)
		return err_nomem(err);
	fd = spill_file(store_path(s), err);
	if (fd < 0)
		return fd;
	f = fdopen(fd, "w+");
	if (!f) {
		close(fd);
		return err_nomem(err);
	}
	r = copy_all(c, f, s, bar, err);
	if (!r)
		r = map_file(c, f, err);
	fclose(f);
	return r;
}

void demand_copy_release(struct demand_copy *c)
{
	if (c->map)
		munmap((void *)c->map, c->len);
	free(c->first);
	*c = (struct demand_copy){ 0 };
}

/* Where each task's next chunk is. */
struct reader {
	const struct demand_copy *copy;
	uint64_t at[];
};

static int chunk(void *ctx, int task, int n, const uint8_t **bytes,
		 size_t *len, struct err *err)
{
	struct reader *r = ctx;
	const struct demand_copy *c = r->copy;
	uint16_t size;

	if (task < 0 || task >= c->nr_tasks || !c->first[task])
		return 0;
	if (!n)
		r->at[task] = c->first[task];
	memcpy(&size, c->map + r->at[task], sizeof(size));
	if (!size)
		return 0;
	*bytes = c->map + r->at[task] + sizeof(size);
	*len = size;
	r->at[task] += sizeof(size) + size;
	return 1;
}

int demand_copy_source(const struct demand_copy *c, struct demand_source *src,
		       struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r) +
				  (size_t)c->nr_tasks * sizeof(r->at[0]));

	if (!r)
		return err_nomem(err);
	r->copy = c;
	*src = (struct demand_source){ .ctx = r, .chunk = chunk };
	return 0;
}

void demand_copy_close(struct demand_source *src)
{
	free(src->ctx);
	src->ctx = NULL;
}
