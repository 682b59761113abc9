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

static int copy_task(FILE *f, struct demand_source *src, int task,
		     uint64_t *at, struct err *err)
{
	const uint8_t *bytes;
	size_t len = 0;
	int r;

	for (int n = 0; ; n++) {
		r = src->chunk(src->ctx, task, n, &bytes, &len, err);
		if (r < 0)
			return r;
		if (!r)
			len = 0;
		else if (!len)
			continue;
		if (put_chunk(f, bytes, len, err))
			return err->code;
		*at += sizeof(uint16_t) + len;
		if (!r)
			return 0;
	}
}

static int copy_all(struct demand_copy *c, FILE *f, struct store *s,
		    const struct demand_task *tasks, int nr, struct bar *bar,
		    struct err *err)
{
	struct demand_source src;
	uint64_t at = 1;
	int r = 0;

	if (putc(0, f) == EOF)
		return failed(err);
	/* One transaction: else the file is locked for each chunk. */
	if (store_begin(s, err))
		return err->code;
	store_demand_source(s, &src);
	for (int i = 0; !r && i < nr; i++) {
		c->first[tasks[i].task] = at;
		r = copy_task(f, &src, tasks[i].task, &at, err);
		if (bar && !(i & 63))
			bar_show(bar, "demand", (double)i / nr);
	}
	store_demand_source_close(s, &src);
	c->len = at;
	return store_end(s, err) ? err->code : r;
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
	r = copy_all(c, f, s, tasks, nr, bar, err);
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
